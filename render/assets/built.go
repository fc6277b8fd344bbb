// Package assets finds the folders that scripts have made and the program needs:
// fonts, export pages. In: the name of one. Out: its path. It does not look into
// the folder; who reads it says what is missing there.
package assets

import (
	"os"
	"path/filepath"
)

// Dir returns a folder: explicit when given, else what the environment's variable
// env says, else the first that is there of build/NAME beside the running
// program's folder, NAME inside it, and build/NAME in the current folder or one
// above it (a checkout). Where none is there it is build/NAME, so that an error
// names a folder.
func Dir(explicit, env, name string) string {
	if explicit != "" {
		return explicit
	}
	if dir := os.Getenv(env); dir != "" {
		return dir
	}
	built := filepath.Join("build", name)
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
	folder, err := os.Getwd()
	if err != nil {
		return built
	}
	for above := ""; folder != above; above, folder = folder, filepath.Dir(folder) {
		if dir := filepath.Join(folder, built); isDir(dir) {
			return dir
		}
	}
	return built
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
