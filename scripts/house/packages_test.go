package main

import (
	"slices"
	"testing"
)

func TestPackages(t *testing.T) {
	tr := treeOf(
		"ARCHITECTURE.md\n| `a/b` | named |\n a/c without quotes\n",
		"a/b/b.go\npackage b\n",
		"a/c/c.go\npackage c\n",
		"a/d/d_test.go\npackage d\n",
		"a/etest/e.go\npackage etest\n",
	)
	want := []string{"ARCHITECTURE.md: no row for the package a/c; want what it does"}
	if got := tr.packages(); !slices.Equal(got, want) {
		t.Errorf("got %q; want %q", got, want)
	}
	if got := treeOf("a/b/b.go\npackage b\n").packages(); got != nil {
		t.Errorf("without the document: got %q; want none", got)
	}
}
