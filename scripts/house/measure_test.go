package main

import (
	"slices"
	"strings"
	"testing"
)

func TestMeasure(t *testing.T) {
	long := "// Long is long.\nfunc Long() {\n" + strings.Repeat("\tg()\n", 99) + "}\n"
	tr := treeOf(
		"a/a.go\npackage a\n\n// A is documented.\nconst A, B = 1, 2\n\ntype C int\n\nfunc f() {}\n",
		"a/b.go\npackage a\n\n"+long,
		"a/a_test.go\npackage a\n\nfunc TestA() {}\n",
		"a/atest/a.go\npackage atest\n\nfunc F() {}\n",
		"testdata/t.go\npackage testdata\n",
		"b/main.go\npackage main\n\nfunc Main() {}\n",
		"shaders/x.glsl\n1\n2\n",
		"daemon/explorer/pages/a.tsx\n"+strings.Repeat("x\n", 3999), "daemon/explorer/pages/b.css\ny\n", "daemon/explorer/pages/package.json\n{\n}\n",
		"README.md\n# a\n\n```\n"+strings.Repeat("x ", 100)+"\n```\n| "+strings.Repeat("y ", 100)+"|\n"+strings.Repeat("z ", 61)+"\n",
	)
	s, err := tr.measure()
	if err != nil {
		t.Fatal(err)
	}
	if s.total != 115 || s.folder["a"] != 112 || len(s.packages) != 2 || len(s.files) != 3 || len(s.funcs) != 3 {
		t.Errorf("got %d lines, %v, %d packages, %d files, %d functions", s.total, s.folder, len(s.packages), len(s.files), len(s.funcs))
	}
	if got := largest(s.funcs); got != (sized{"a/b.go Long", 101}) || s.long != 1 {
		t.Errorf("longest function is %+v, %d are long", got, s.long)
	}
	if s.documented != 3 || s.exported != 4 || s.document != 122 || largest(s.shader).lines != 2 {
		t.Errorf("got %d of %d documented, %d characters, shader %+v", s.documented, s.exported, s.document, largest(s.shader))
	}
	var out strings.Builder
	faults := s.write(&out)
	for _, want := range []string{"longest function: 101 a/b.go Long; want at most 100", "longest line of a document: 122; want at most 120", "lines of the explorer's pages: 4000; want fewer than 4000"} {
		if !slices.Contains(faults, want) {
			t.Errorf("no fault %q in %q", want, faults)
		}
	}
	if !strings.Contains(out.String(), "production Go lines") {
		t.Errorf("got table %s", out.String())
	}
	if _, err := treeOf("a.go\npackage").measure(); err == nil {
		t.Error("a file that is no Go is measured")
	}
}

func TestQuantile(t *testing.T) {
	list := []sized{{"a", 1}, {"b", 2}, {"c", 3}}
	if quantile(nil, 0.5) != 0 || quantile(list, 0.5) != 2 || quantile(list, 0.9) != 2 || quantile(list, 1) != 3 {
		t.Error("wrong quantiles")
	}
}
