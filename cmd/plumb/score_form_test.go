package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNamesIn checks that a file for each dump lies in the given folder, whatever the paths of the dumps.
func TestNamesIn(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string) string { return name }
	for _, c := range []struct{ dumps, want string }{
		{"a/x.jsonl b/y.jsonl", "out/x.jsonl out/y.jsonl"}, // different names need no folders
		{"a/x.jsonl b/x.jsonl", "out/a/x.jsonl out/b/x.jsonl"},
		{"a/x.jsonl a/b/x.jsonl", "out/x.jsonl out/b/x.jsonl"},
		{"x.jsonl a/x.jsonl", "out/x.jsonl out/a/x.jsonl"},
		{"../a/x.jsonl b/x.jsonl", "out/a/x.jsonl out/" + filepath.Base(here) + "/b/x.jsonl"},
		{"a/../../x.jsonl x.jsonl", "out/x.jsonl out/" + filepath.Base(here) + "/x.jsonl"},
		{here + "/a/x.jsonl b/x.jsonl", "out/a/x.jsonl out/b/x.jsonl"},
		{"ab/x.jsonl a/x.jsonl", "out/ab/x.jsonl out/a/x.jsonl"},
		{"s3://m/a/x.jsonl s3://m/b/x.jsonl", "out/a/x.jsonl out/b/x.jsonl"},
	} {
		dumps := strings.Fields(c.dumps)
		files, err := namesIn("out", dumps, same)
		if err != nil {
			t.Errorf("%s: %v", c.dumps, err)
			continue
		}
		want := map[string]string{}
		for i, file := range strings.Fields(c.want) {
			want[dumps[i]] = filepath.FromSlash(file)
		}
		if !maps.Equal(files, want) {
			t.Errorf("%s: got %v; want %v", c.dumps, files, want)
		}
		if slices.ContainsFunc(slices.Collect(maps.Values(files)), func(f string) bool { return !filepath.IsLocal(f) || !strings.HasPrefix(f, "out") }) {
			t.Errorf("%s: got %v; want files in out", c.dumps, files)
		}
	}
	if _, err := namesIn("out", []string{"a/x.jsonl", "./a/x.jsonl"}, same); err == nil {
		t.Error("one file named in two ways: got no error")
	}
}
