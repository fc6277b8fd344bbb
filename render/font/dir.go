package font

import (
	"os"
	"path/filepath"
)

// Dir returns the folder that holds the fonts: explicit when given, else the
// environment's PLUMB_FONTS, else build/fonts beside the folder of the running
// program, else fonts in that folder. Whether the files are there is for Open to
// say, so that its error names the folder that was looked at.
func Dir(explicit string) string {
	if explicit != "" {
		return explicit
	}
	if dir := os.Getenv("PLUMB_FONTS"); dir != "" {
		return dir
	}
	exe, err := os.Executable()
	if err != nil {
		return filepath.Join("build", "fonts")
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		return filepath.Join("build", "fonts")
	}
	folder := filepath.Dir(exe)
	beside := filepath.Join(filepath.Dir(folder), "build", "fonts")
	inside := filepath.Join(folder, "fonts")
	if _, err := os.Stat(beside); err != nil {
		if _, err := os.Stat(inside); err == nil {
			return inside
		}
	}
	return beside
}
