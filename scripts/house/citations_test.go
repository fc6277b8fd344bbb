package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// treeOf returns a tree of the given files, each "NAME\nTEXT".
func treeOf(files ...string) *tree {
	t := &tree{text: map[string]string{}}
	for _, f := range files {
		name, text, _ := strings.Cut(f, "\n")
		t.text[name] = text
		t.paths = append(t.paths, name)
	}
	slices.Sort(t.paths)
	return t
}

func TestCitations(t *testing.T) {
	const page = "docs/spec/toy.md\n# Toy\n\n### R1\nText.\n\n### R2\nText, see [R1](#r1).\n"
	const code = "a/a.go\n// See docs/spec/toy.md#r1 and docs/spec/toy.md#r2.\n"
	long := strings.Repeat("word ", 24) + "words"
	for name, c := range map[string]struct {
		files []string
		want  []string
	}{
		"sound":            {[]string{page, code}, nil},
		"missing rule":     {[]string{page, code, "b.go\n\n// docs/spec/toy.md#r3"}, []string{"b.go:2: no rule docs/spec/toy.md#r3"}},
		"missing own rule": {[]string{page + "See [R9](#r9).\n", code}, []string{"docs/spec/toy.md:8: no rule ](#r9)"}},
		"missing page":     {[]string{page, code, "b.py\n# docs/spec/toys.md#r1"}, []string{"b.py:1: no document docs/spec/toys.md"}},
		"old form": {[]string{page, code, "b.go\n// docs/spec/toy.md 4.1"},
			[]string{`b.go:1: "docs/spec/toy.md 4" cites a section; want a rule, as in docs/spec/vqa.md#r1`}},
		"relative names": {[]string{page, code, "docs/guide.md\n[toy](spec/toy.md#r2)", "docs/spec/other.md\ntoy.md#r1 ../guide.md", "b.go\n// guide.md /docs/guide.md"}, nil},
		"address":        {[]string{page, code, "b.go\n// https://example.org/a/b.md#r1 *.md"}, nil},
		"uncited rule": {[]string{page, "a.go\n// docs/spec/toy.md#r1", "docs/guide.md\n[toy](spec/toy.md#r2)"},
			[]string{"docs/spec/toy.md:6: no file outside of docs cites docs/spec/toy.md#r2"}},
		"order": {[]string{"docs/spec/toy.md\n### R2\n### R1\n", code},
			[]string{"docs/spec/toy.md:1: rule R2 follows R0; want R1", "docs/spec/toy.md:2: rule R1 follows R2; want R3"}},
		"heading with text": {[]string{"docs/spec/toy.md\n### R1 Name\n### R2\n", code},
			[]string{`docs/spec/toy.md:1: a rule's heading is "### R1 Name"; want its number alone, as in "### R1"`}},
		"long line":  {[]string{page, code, "README.md\n" + long}, []string{"README.md:1: 125 characters; want at most 120"}},
		"continued":  {[]string{page, code, "README.md\n* item\n    " + long}, []string{"README.md:2: 129 characters; want at most 120"}},
		"full line":  {[]string{page, code, "README.md\n" + strings.Repeat("ä ", 60)}, nil},
		"long lines": {[]string{page, code, "README.md\n| " + long + "\n```\n" + long + "\n```\n\n    " + long + "\n    " + long + "\n- `" + long + "`\n* https://example.org/" + strings.Repeat("x", 120)}, nil},
	} {
		if got := treeOf(c.files...).citations(); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, c.want)
		}
	}
}

// A folder without git is read whole, except hidden folders and build products.
func TestReadTree(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go": "package a\n", "b.png": "x\x00y", "build/c.go": "package c\n", ".d/e.go": "package e\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(root))
	got, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a/a.go", "b.png"}; !slices.Equal(got.paths, want) {
		t.Errorf("got %q, want %q", got.paths, want)
	}
	if got.text["a/a.go"] != "package a\n" || got.text["b.png"] != "" {
		t.Errorf("got %q", got.text)
	}
	if _, err := readTree(filepath.Join(root, "none")); err == nil {
		t.Error("a missing folder is read")
	}
}
