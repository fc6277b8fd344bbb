// Package assets finds the folders that the set-up scripts make and the program needs: fonts, export
// pages, the pages of plumb view. In: the name of a folder. Out: its path. It does not look into the
// folder; its readers report missing files.
package assets

import (
	"os"
	"path/filepath"
)

// Dir returns a folder: explicit if given, else the value of the environment variable env, else
// the first that exists of build/NAME beside the running program's folder, NAME inside it, and
// build/NAME in the current folder or one above it (a checkout). If none exists it returns
// build/NAME, so that an error names a folder.
func Dir(explicit, env, name string) string {
	if explicit != "" {
		return explicit
	}
	if dir := os.Getenv(env); dir != "" {
		return dir
	}
	built := filepath.Join("build", name)
	// An installed program has its folders beside it.
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		folder := filepath.Dir(exe)
		for _, dir := range []string{filepath.Join(filepath.Dir(folder), built), filepath.Join(folder, name)} {
			if isDir(dir) {
				return dir
			}
		}
	}
	// In a checkout they are above the current folder.
	folder, err := os.Getwd()
	if err != nil {
		return built
	}
	for above := ""; folder != above; above, folder = folder, filepath.Dir(folder) { // ends at the root, its own parent
		if dir := filepath.Join(folder, built); isDir(dir) {
			return dir
		}
	}
	return built
}

// isDir reports whether path is a folder.
func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
