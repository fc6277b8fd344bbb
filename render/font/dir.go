package font

import (
	"os"
	"path/filepath"
	"sync"
)

// Dir returns the folder that holds the fonts: explicit when given, else the
// environment's PLUMB_FONTS, else the first that is there of build/fonts beside
// the running program's folder, fonts inside it, and build/fonts in the current
// folder or one above it (a checkout). Whether the files are there is for Open
// to say, so that its error names the folder that was looked at.
func Dir(explicit string) string {
	if explicit != "" {
		return explicit
	}
	if dir := os.Getenv("PLUMB_FONTS"); dir != "" {
		return dir
	}
	built := filepath.Join("build", "fonts")
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		folder := filepath.Dir(exe)
		for _, dir := range []string{filepath.Join(filepath.Dir(folder), built), filepath.Join(folder, "fonts")} {
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

// shared is the library of the process. Bounds of shapes depend on fonts and
// are asked for far from where a program is set up, so the fonts are found here
// and not handed down; they are opened once and never change.
var shared struct {
	mu      sync.Mutex
	library *Library
}

// Use opens the fonts in dir, chosen by Dir when empty, for the whole process.
// It belongs before the first text; later it has effect only on new Sets.
func Use(dir string) error {
	l, err := Open(Dir(dir))
	if err != nil {
		return err
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.library = l
	return nil
}

// Default returns the library of Use, by default that in Dir(""). A missing set
// of fonts is looked for again at the next call.
func Default() (*Library, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.library == nil {
		l, err := Open(Dir(""))
		if err != nil {
			return nil, err
		}
		shared.library = l
	}
	return shared.library, nil
}
