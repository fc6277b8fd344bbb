package main

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

// What is given away carries the licence of every module that is linked into it.
func TestLicences(t *testing.T) {
	out := t.TempDir()
	cmd := exec.Command("sh", "scripts/licences.sh", out)
	cmd.Dir = testdata.Root()
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("scripts/licences.sh: %v\n%s", err, text)
	}
	linked, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if len(linked.Deps) < 20 {
		t.Fatalf("got %d linked modules", len(linked.Deps))
	}
	folders := []string{"go"}
	for _, m := range linked.Deps {
		folders = append(folders, m.Path)
	}
	for _, folder := range folders {
		found, _ := filepath.Glob(filepath.Join(out, folder, "*"))
		size := int64(0)
		for _, file := range found {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				size += info.Size()
			}
		}
		if size < 500 {
			t.Errorf("%s: got %d bytes of licences", folder, size)
		}
	}
	for _, name := range []string{"LICENSE", "NOTICE", "OFL-1.1.txt"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < 500 {
			t.Errorf("%s is missing", name)
		}
	}
}

// Where go list fails there is no bundle without the modules' licences.
func TestLicencesWithoutList(t *testing.T) {
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"exit 1", "exit 0"} { // a failure, and no modules
		dir := t.TempDir()
		script := "#!/bin/sh\n[ \"$1\" != list ] || " + list + "\nexec '" + real + "' \"$@\"\n"
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "scripts/licences.sh", t.TempDir())
		cmd.Dir = testdata.Root()
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), "cannot collect licences: go list") {
			t.Errorf("go list: %s: got %v, %q; want a failure that names go list", list, err, text)
		}
	}
}

// NOTICE credits what plumb learned from, and the bundle takes it along.
func TestNotice(t *testing.T) {
	notice := deployed(t, "NOTICE")
	for _, want := range []string{"tldraw", "perfect-freehand", "Skia", "ASPIRE", "DrawingBench", "TangramPuzzle", "SpatiaLab", "SpaCE-Eval",
		"Shantell Sans", "IBM Plex", "Liberation Sans", "licences/OFL-1.1.txt"} {
		if !strings.Contains(notice, want) {
			t.Errorf("NOTICE does not name %s", want)
		}
	}
	bundle := deployed(t, "scripts", "bundle.sh")
	for _, want := range []string{"cp LICENSE NOTICE ", "scripts/licences.sh "} {
		if !strings.Contains(bundle, want) {
			t.Errorf("scripts/bundle.sh lacks %q", want)
		}
	}
}
