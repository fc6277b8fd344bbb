package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The tables of packages follow from the comments of the packages.
func TestPackages(t *testing.T) {
	const head = "**`a`, `b`: things**\n\n| package | what it does |\n| --- | --- |\n"
	code := []string{
		"a/b/b.go\n// Package b makes b: two kinds (docs/spec/toy.md#r1). In: nothing.\npackage b\n",
		"a/b/more.go\npackage b\n",
		"b/main.go\n// Command b prints\n// letters.\npackage main\n",
		"a/d/d_test.go\npackage d\n",
		"a/etest/e.go\npackage etest\n",
	}
	const rows = "| `a/b` | makes b: two kinds |\n| `b` | prints letters |\n"
	for name, c := range map[string]struct {
		files []string
		want  []string
	}{
		"right":       {append(code, "ARCHITECTURE.md\n"+head+rows+"\nEnd with `c/d`.\n"), nil},
		"no document": {code, nil},
		"missing row": {append(code, "ARCHITECTURE.md\n"+head+"| `a/b` | makes b: two kinds |\n"),
			[]string{"ARCHITECTURE.md:6: want \"| `b` | prints letters |\" here: run `make packages`"}},
		"old row": {append(code, "ARCHITECTURE.md\n"+head+"| `a/a` | makes a |\n"+rows),
			[]string{"ARCHITECTURE.md:5: want \"| `a/b` | makes b: two kinds |\" here: run `make packages`"}},
		"no table": {append(code, "ARCHITECTURE.md\n"+head+rows, "c/c.go\n// Package c makes c.\npackage c\n"),
			[]string{"ARCHITECTURE.md: no table for the package c; want its folder named above one"}},
		"no comment": {append(code, "ARCHITECTURE.md\n"+head+rows, "a/c/c.go\npackage c\n"),
			[]string{"a/c: the package has no comment; want one that begins with what it does"}},
	} {
		if got := treeOf(c.files...).packages(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q; want %q", name, got, c.want)
		}
	}
	root := t.TempDir()
	if faults := treeOf(append(code, "ARCHITECTURE.md\n"+head+"| `x` | old |\n\nEnd.\n")...).writePackages(root); faults != nil {
		t.Fatal(faults)
	}
	if b, err := os.ReadFile(filepath.Join(root, architecture)); err != nil || string(b) != head+rows+"\nEnd.\n" {
		t.Errorf("wrote %q, %v; want %q", b, err, head+rows+"\nEnd.\n")
	}
}
