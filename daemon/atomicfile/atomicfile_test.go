package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The former file is there until Commit, and a file that is given up never
// touches it.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.WriteFile(path, []byte("former"), 0o640); err != nil {
		t.Fatal(err)
	}
	write := func() *File {
		t.Helper()
		f, err := Create(path)
		if err == nil {
			_, err = io.WriteString(f, "new")
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != "former" {
			t.Fatalf("before Commit the file holds %q; want former", got)
		}
		return f
	}
	write().Discard()
	if left := Leftovers(path); len(left) != 0 {
		t.Errorf("after Discard there are %v; want none", left)
	}
	f := write()
	if left := Leftovers(path); len(left) != 1 || !left[0].Running {
		t.Errorf("while it is written there are %+v; want one that is running", left)
	}
	part := f.Keep()
	left := Leftovers(path)
	if len(left) != 1 || left[0].Path != part || left[0].Running || left[0].Bytes != 3 || content(t, part) != "new" {
		t.Errorf("after Keep there are %+v; want %s with 3 bytes", left, part)
	}
	if got := content(t, path); got != "former" {
		t.Errorf("after Keep the file holds %q; want former", got)
	}
	if f := write(); f.Sync() != nil || f.Commit() != nil || content(t, path) != "new" {
		t.Errorf("after Commit the file holds %q; want new", content(t, path))
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("the new file has mode %v; want that of the former", info.Mode())
	}
}

// A link keeps pointing to the file, which is the one that is replaced.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("former"), 0o600), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(link, func(f *File) error { _, err := io.WriteString(f, "new"); return err })
	if target, e := os.Readlink(link); err != nil || e != nil || target != file || content(t, file) != "new" {
		t.Errorf("got %v, link to %q, %q; want the linked file replaced", err, target, content(t, file))
	}
}

// A device is written to directly, and its error is told.
func TestDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Fatal("cannot test a full device: ", err)
	}
	err := WriteFile("/dev/full", func(f *File) error { _, err := io.WriteString(f, "new"); return err })
	if !IsFull(err) || IsFull(os.ErrExist) || IsFull(nil) {
		t.Errorf("writing to a full device: got %v; want that there is no room", err)
	}
	if _, err := Create(t.TempDir()); err == nil {
		t.Error("a folder can be replaced")
	}
}

// A file whose writing fails leaves the former one and nothing else.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, []byte("former"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(path, func(f *File) error { io.WriteString(f, "half"); return errors.New("no more") })
	if err == nil || content(t, path) != "former" || len(LeftoversIn(dir)) != 0 {
		t.Errorf("got %v, %q, leftovers %v", err, content(t, path), LeftoversIn(dir))
	}
	f, err := Create(filepath.Join(dir, "none", "f"))
	if err != nil || f.Probe() == nil {
		t.Errorf("got %v; want an error of Probe for a folder that is not there", err)
	}
}

// Only names that this package makes are leftovers, and only those of the file.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 250)
	for _, name := range []string{"a.0123abcd.partial", "a.b.0123abcd.partial", "a.partial", "0123abcd.partial", "a.0123abcg.partial", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := Leftovers(filepath.Join(dir, "a")); len(got) != 1 || filepath.Base(got[0].Path) != "a.0123abcd.partial" {
		t.Errorf("of a: got %+v", got)
	}
	if got := LeftoversIn(dir); len(got) != 2 {
		t.Errorf("in the folder: got %+v; want two", got)
	}
	f, err := Create(filepath.Join(dir, long))
	if err != nil || f.Probe() != nil {
		t.Errorf("a name of 250 bytes cannot be written: %v", err)
	}
}

// The files of a folder take their places together, or stay apart.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("former"), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func() *Folder {
		t.Helper()
		d := NewFolder(dir, "report")
		for _, name := range []string{"items.html", "index.html"} {
			if err := d.WriteFile(name, func(w io.Writer) error { _, err := io.WriteString(w, "new "+name); return err }); err != nil {
				t.Fatal(err)
			}
		}
		if got := content(t, filepath.Join(dir, "index.html")); got != "former" {
			t.Fatalf("before Commit there is %q; want former", got)
		}
		if left := LeftoversIn(dir); len(left) != 1 || !left[0].Running {
			t.Fatalf("while it is written there are %+v; want one that is running", left)
		}
		return d
	}
	write().Discard()
	part := write().Keep()
	if left := LeftoversIn(dir); len(left) != 1 || left[0].Running || content(t, filepath.Join(part, "index.html")) != "new index.html" {
		t.Errorf("after Keep there are %+v; want one", left)
	}
	os.RemoveAll(part)
	if err := write().Commit(); err != nil || content(t, filepath.Join(dir, "index.html")) != "new index.html" || len(LeftoversIn(dir)) != 0 {
		t.Errorf("after Commit: %v, leftovers %v", err, LeftoversIn(dir))
	}
}
