package main

import (
	"strings"
	"testing"
)

func TestSample(t *testing.T) {
	body := strings.Repeat("\tprintln()\n", 5)
	tr := treeOf(
		"a/a.go\npackage a\n\n// one is documented.\nfunc one() {\n"+body+"}\n\nfunc short() {}\n",
		"b/b.go\npackage b\n\nfunc two() {\n"+body+"}\n",
		"b/b_test.go\npackage b\n\nfunc three() {\n"+body+"}\n",
	)
	var out, key, again strings.Builder
	if err := tr.writeSample([]string{"1", "9"}, &out, &key); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"// one is documented.\nfunc one() {", "func two() {"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant it to contain %q", out.String(), want)
		}
	}
	for _, hidden := range []string{"package", ".go", "short", "three"} {
		if strings.Contains(out.String(), hidden) {
			t.Errorf("got\n%s\nwant nothing of %q", out.String(), hidden)
		}
	}
	if got := key.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "a/a.go:4\n") || !strings.Contains(got, "b/b.go:3\n") {
		t.Errorf("places: got %q; want those of one and two", got)
	}
	if err := tr.writeSample([]string{"1", "9"}, &again, new(strings.Builder)); err != nil || again.String() != out.String() {
		t.Errorf("a second time with the same seed: got\n%s, %v; want\n%s", again.String(), err, out.String())
	}
	for _, args := range [][]string{{"x", "9"}, {"1", "x"}, {"1", "0"}} {
		if err := tr.writeSample(args, &again, &key); err == nil {
			t.Errorf("arguments %q: got no error", args)
		}
	}
}
