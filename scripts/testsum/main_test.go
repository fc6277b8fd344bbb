package main

import (
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	const skipped = `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: no reference data: x.json\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
`
	for _, c := range []struct {
		name                 string
		in                   string
		ran, failed, missing int
		says, hides          string
	}{
		{"nothing", "", 0, 0, 0, "", ""},
		{"pass is quiet", `{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}`, 1, 0, 0, "ok  \tp\t0.1s\n", "chatter"},
		{"failure is told", `{"Action":"output","Package":"p","Test":"TestA","Output":"got 1; want 2\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}`, 1, 2, 0, "got 1; want 2\n", ""},
		{"missing data", skipped, 0, 0, 1, "skip p TestA: a_test.go:3: no reference data: x.json\n", ""},
		{"other skip", strings.ReplaceAll(skipped, "no reference data: x.json", "no GPU"), 0, 0, 0, "no GPU", ""},
		{"no browser", strings.ReplaceAll(skipped, "no reference data: x.json", "no browser: none"), 0, 0, 0, "no browser: none", ""},
		{"build failure", `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: syntax error\n"}
{"ImportPath":"p","Action":"build-fail"}`, 0, 1, 0, "syntax error", ""},
		{"the run itself", `{"Action":"run-fail"}`, 0, 0, 0, "", ""},
		{"plain text", "go: downloading x\n", 0, 0, 0, "go: downloading x\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := &summary{out: &out, output: map[key]*strings.Builder{}}
			if err := s.read(strings.NewReader(c.in)); err != nil {
				t.Fatal(err)
			}
			if s.GoFailed != strings.Contains(c.in, "run-fail") {
				t.Errorf("broken is %v", s.GoFailed)
			}
			if (s.WithoutBrowser > 0) != strings.Contains(c.in, noBrowserText) {
				t.Errorf("counted %d tests without a browser", s.WithoutBrowser)
			}
			if s.Ran != c.ran || s.Failed != c.failed || s.WithoutData != c.missing {
				t.Errorf("ran %d, failed %d, missing %d; want %d, %d, %d", s.Ran, s.Failed, s.WithoutData, c.ran, c.failed, c.missing)
			}
			if !strings.Contains(out.String(), c.says) || c.hides != "" && strings.Contains(out.String(), c.hides) {
				t.Errorf("output is %q; want %q and not %q", out.String(), c.says, c.hides)
			}
		})
	}
}
