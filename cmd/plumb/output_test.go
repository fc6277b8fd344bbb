package main

import (
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Results never cost what is there already: neither an input nor a former file.
func TestOutputSparesFiles(t *testing.T) {
	dir := t.TempDir()
	in, former, link := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "former.jsonl"), filepath.Join(dir, "link.jsonl")
	const item, old = `{"id":"a","suite":"spatialab","options":["x","y"],"answer":"A","response":"A"}` + "\n", "kept\n"
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(in, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		file string // after the run
		want string // what it begins with
	}{
		{"the input itself", []string{"score", "-o", in, in}, 2, in, item},
		{"the input by another name", []string{"score", "-o", link, in}, 2, in, item},
		{"one of several inputs", []string{"score", "-o", in, former, in}, 2, in, item},
		{"scenes", []string{"render", "--stats", in, in}, 2, in, item},
		{"no such input", []string{"score", "-o", former, in + "x"}, 1, former, old},
		{"no such second input", []string{"score", "-o", former, in, in + "x"}, 1, former, old},
		{"no such folder", []string{"score", "-o", filepath.Join(dir, "none", "f"), in}, 1, former, old},
		{"a run", []string{"score", "-o", former, in}, 0, former, `{"id":"a"`},
		{"a device", []string{"score", "-o", os.DevNull, in}, 0, in, item},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(in, item)
			write(former, old)
			code, _, errs := plumb(t, "", append(c.args, "--backend", "cpu")...)
			got, err := os.ReadFile(c.file)
			if code != c.code || err != nil || !strings.HasPrefix(string(got), c.want) {
				t.Errorf("got exit %d and %q, %v; want %d and %q\n%s", code, got, err, c.code, c.want, errs)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Of scenes with the same id the last one has the picture, whole, and its line
// tells of it.
func TestRenderDuplicates(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	const n = 40
	for i := range n {
		fmt.Fprintf(&text, `{"id":"same","shapes":[],"bounds":[0,0,%d,300]}`+"\n", 700-10*i)
	}
	code, out, errs := plumb(t, text.String(), "render", "--backend", "cpu", "--out", dir, "-")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != n {
		t.Fatalf("got exit %d and %d lines: %s", code, len(lines), errs)
	}
	for i, l := range lines {
		var got struct {
			Width int
			Notes []struct{ Code string }
		}
		if err := json.Unmarshal([]byte(l), &got); err != nil {
			t.Fatal(err)
		}
		if got.Width != 700-10*i || (len(got.Notes) == 1 && got.Notes[0].Code == "duplicate_id") != (i > 0) {
			t.Errorf("line %d: got %s", i+1, l)
		}
	}
	f, err := os.Open(filepath.Join(dir, "same.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != 700-10*(n-1) {
		t.Errorf("got %v, %v; want the last picture", img, err)
	}
	if all, _ := os.ReadDir(dir); len(all) != 1 {
		t.Errorf("got %v; want one picture", all)
	}
}

// TestOutputsThatAreInputs: an output takes the place of no other file of the run.
func TestOutputsThatAreInputs(t *testing.T) {
	dir := t.TempDir()
	tasks := written(t, filepath.Join(dir, "tasks.jsonl"), `{"id":"a","options":["x","y"],"answer":"A"}`+"\n")
	dump := written(t, filepath.Join(dir, "dump.jsonl"), `{"id":"a","suite":"spatialab","test":"mcq","response":"A"}`+"\n")
	instances, answers := filepath.Join(dir, "instances.jsonl"), filepath.Join(dir, "answers.jsonl")
	if code, _, errs := plumb(t, "", "tangram", "generate", "-o", instances, "--answers", answers); code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	before := read(t, tasks) + read(t, instances)
	score := []string{"score", "--backend", "cpu", "--tasks", "spatialab=" + tasks, dump}
	results, again := filepath.Join(dir, "results"), dir+"/./results"
	for _, args := range [][]string{
		append(score, "-o", tasks), append(score, "--times", tasks), append(score, "--times", results, "-o", again),
		{"render", "--suite", "tangram", "--tasks", instances, "--stats", instances, answers},
		{"tangram", "convert", "-o", results, "--rejects", again, dump},
		{"tangram", "generate", "-o", results, "--answers", again},
	} {
		code, _, errs := plumb(t, "", args...)
		if _, err := os.Stat(results); code != 2 || err == nil || read(t, tasks)+read(t, instances) != before {
			t.Errorf("%q: got exit %d, %s; want 2 and all files as they were", args, code, errs)
		}
	}
}
