// Package testdata finds the files that tests read. Cases of our own making
// lie in this folder; reference data made by the real systems is never part of
// the project and is looked up beside it.
package testdata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Root returns the module's root folder: the nearest one above the working
// folder that has a go.mod. Paths of source files would not do, as builds with
// -trimpath have none. Without one it is the working folder.
func Root() string {
	here, _ := os.Getwd()
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return here
		}
	}
}

// Data returns the folder of the reference data: PLUMB_DATA, or shared/data
// beside the project. ok is false when there is none.
func Data() (dir string, ok bool) {
	dir = os.Getenv("PLUMB_DATA")
	if dir == "" {
		dir = filepath.Join(filepath.Dir(Root()), "shared", "data")
	}
	st, err := os.Stat(dir)
	return dir, err == nil && st.IsDir()
}

// Path returns the path of one reference file. Where it is missing the test is
// skipped with a line that `make test` counts; where CI is true it fails, because a run without
// reference data shows little.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir, ok := Data()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if ok {
		if _, err := os.Stat(p); err != nil {
			ok = false
		}
	}
	if !ok && os.Getenv("CI") == "true" {
		t.Fatalf("no reference data: %s; want it in %s", name, dir)
	}
	if !ok {
		t.Skip(fmt.Sprintf("no reference data: %s", name))
	}
	return p
}

// Bytes reads one reference file, as Path finds it.
func Bytes(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// JSON decodes one reference file into v.
func JSON(t testing.TB, name string, v any) {
	t.Helper()
	if err := json.Unmarshal(Bytes(t, name), v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Lines calls f with every line of a reference file, without its end. The lines
// are f's to keep. A file without lines fails the test.
func Lines(t testing.TB, name string, f func(line []byte)) {
	t.Helper()
	b := Bytes(t, name)
	if len(b) == 0 {
		t.Fatalf("%s is empty", name)
	}
	for line := range bytes.Lines(b) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		f(line[:len(line):len(line)])
	}
}

// Each decodes every line of a reference file and calls f with it.
func Each[T any](t testing.TB, name string, f func(v *T)) {
	t.Helper()
	n := 0
	Lines(t, name, func(line []byte) {
		t.Helper()
		v := new(T)
		n++
		if err := json.Unmarshal(line, v); err != nil {
			t.Fatalf("%s, line %d: %v", name, n, err)
		}
		f(v)
	})
}

// Picture reads a PNG of the reference data.
func Picture(t testing.TB, name string) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(Bytes(t, name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return img
}

// Grey reads a PNG whose grey levels are an alpha channel.
func Grey(t testing.TB, name string) *image.Gray {
	t.Helper()
	img := Picture(t, name)
	g, ok := img.(*image.Gray)
	if !ok {
		t.Fatalf("%s is %T; want grey", name, img)
	}
	return g
}

// Compare compares a text with the file testdata/name of the repository line by line, and fails the test at
// the first line that differs. With update it writes the file before.
func Compare(t testing.TB, name, text string, update bool) {
	t.Helper()
	path := filepath.Join(Root(), "testdata", name)
	if update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, expected := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(expected)) {
		if got[i] != expected[i] {
			t.Fatalf("%s, line %d: got %s\nwant %s", name, i+1, got[i], expected[i])
		}
	}
	if len(got) != len(expected) {
		t.Errorf("%s: got %d lines; want %d", name, len(got), len(expected))
	}
}
