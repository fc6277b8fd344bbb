package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

// The same command gives the same bytes, the scenes of seed 1 are those of the sample
// dump, and what is made can be scored.
func TestAspireGenerate(t *testing.T) {
	generate := func(args ...string) string {
		t.Helper()
		code, out, errs := plumb(t, "", append([]string{"aspire", "generate"}, args...)...)
		if code != 0 || errs != "" {
			t.Fatalf("%v: got exit %d, %s", args, code, errs)
		}
		return out
	}
	first := generate("--seed", "1")
	if first != generate("--seed", "1") || strings.Count(first, "\n") != 200 {
		t.Errorf("got %d lines, or other bytes the second time; want 200 equal lines", strings.Count(first, "\n"))
	}
	demo, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(first), "\n") {
		_, scene, _ := strings.Cut(line, `"prompt":`)
		scene, _, _ = strings.Cut(scene, `,"seed":`)
		if !bytes.Contains(demo, []byte(scene)) {
			t.Fatalf("the sample dump lacks the scene of %.80s", line)
		}
	}
	part := generate("--seed", "1", "--tests", "balance,arrow", "--from", "3", "--count", "2")
	var ids []string
	for _, task := range jsonLines(t, part) {
		ids = append(ids, task["id"].(string))
	}
	if got := strings.Join(ids, " "); got != "arrow-s1-03 arrow-s1-04 balance-s1-03 balance-s1-04" {
		t.Errorf("got %s", got)
	}
	for _, task := range jsonLines(t, generate("--level", "hard", "--count", "4")) {
		if task["level"] != "hard" {
			t.Errorf("%v: got level %v; want hard", task["id"], task["level"])
		}
	}
	for _, args := range []string{"--seed -1", "--count 0", "--from -1", "--level brutal", "--tests maze,chess"} {
		flag, _, _ := strings.Cut(args, " ")
		if code, out, errs := plumb(t, "", append([]string{"aspire", "generate"}, strings.Fields(args)...)...); code != 2 || out != "" || !strings.Contains(errs, flag) {
			t.Errorf("%s: got exit %d, %q, %s; want 2 and the flag", args, code, out, errs)
		}
	}
}
