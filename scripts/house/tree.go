package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tree holds the files of a repository: the text of each by its path relative to
// the root, with slashes. Binary files have no text but are present.
type tree struct {
	text  map[string]string
	paths []string // sorted
}

// readTree reads the files of the repository at root: those that git tracks or would add. Without git it
// takes every file below root except those in hidden folders and folders of build products. A binary file,
// one with a zero byte, counts as empty.
func readTree(root string) (*tree, error) {
	paths, err := gitFiles(root)
	if err != nil {
		if paths, err = walkFiles(root); err != nil {
			return nil, err
		}
	}
	tree := &tree{text: map[string]string{}}
	for _, path := range paths {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if errors.Is(err, fs.ErrNotExist) { // deleted, not yet committed
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the repository: %w", err)
		}
		if bytes.IndexByte(data, 0) >= 0 {
			data = nil
		}
		tree.text[path] = string(data)
		tree.paths = append(tree.paths, path)
	}
	if len(tree.paths) == 0 {
		return nil, fmt.Errorf("cannot read the repository: no files in %s", root)
	}
	slices.Sort(tree.paths)
	return tree, nil
}

// gitFiles returns the paths of the files that git tracks or would add.
func gitFiles(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "-co", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil // with -z, zero bytes separate paths
}

// walkFiles returns the paths of all plain files below root, except in hidden folders and
// folders of build products.
func walkFiles(root string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(root, func(path string, dirEntry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if dirEntry.IsDir() {
			name := dirEntry.Name()
			if rel != "." && (name[0] == '.' || name == "build" || name == "bin" || name == "__pycache__") {
				return fs.SkipDir
			}
			return nil
		}
		if dirEntry.Type().IsRegular() {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	return paths, err
}
