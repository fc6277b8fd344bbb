package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumb/bench/record"
)

// TestBench measures a file of scenes and compares the results with themselves.
func TestBench(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.json")
	line := `{"id":"a","bounds":[0,0,200,100],"shapes":[{"id":"shape:a","type":"geo","x":10,"y":10,"props":{"w":50,"h":40,"fill":"solid"}}]}`
	if err := os.WriteFile(in, []byte(line+"\n"+line+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	trace, page := filepath.Join(dir, "t.json"), filepath.Join(dir, "p.html")
	code, stdout, stderr := plumb(t, "", "bench", "--quick", "--backend", "cpu", "-o", out, "--trace", trace, "--html", page, in)
	if code != 0 || stdout != "" || !strings.Contains(stderr, "core us/scene") {
		t.Fatalf("got code %d, stdout %q, stderr %s", code, stdout, stderr)
	}
	f, err := record.Load(out)
	if err != nil || len(f.Classes) != 1 || f.Classes[0].Distinct != 2 || len(f.Sweeps) != 0 {
		t.Fatalf("got %+v, %v", f, err)
	}
	for _, path := range []string{trace, page} {
		if st, err := os.Stat(path); err != nil || st.Size() < 1000 {
			t.Errorf("%s: got %v, %v", path, st, err)
		}
	}
	code, stdout, stderr = plumb(t, "", "bench", "--compare", out, out)
	var c record.Comparison
	if err := json.Unmarshal([]byte(stdout), &c); code != 0 || err != nil || !strings.Contains(stderr, "equal, bit for bit") {
		t.Fatalf("compare: got code %d, %v, stderr %s", code, err, stderr)
	}
	for _, ch := range c.Changes {
		if ch.Verdict == record.Better || ch.Verdict == record.Worse || ch.Ratio.Value != 1 {
			t.Errorf("a file differs from itself: %+v", ch)
		}
	}
}

// TestBenchInTurn runs this program against itself: the same program twice has no
// verdict, and equal results.
func TestBenchInTurn(t *testing.T) {
	program := binary
	code, stdout, stderr := plumb(t, "", "bench", "--compare", program, program, "--rounds", "3", "--class", "S8", "--backend", "cpu")
	var c record.Comparison
	if err := json.Unmarshal([]byte(stdout), &c); code != 0 || err != nil || c.Rounds != 3 || len(c.Changes) != 4 || !strings.Contains(stderr, "results of S8: equal, bit for bit") {
		t.Fatalf("got code %d, %v, %s, stderr %s", code, err, stdout, stderr)
	}
	for _, ch := range c.Changes {
		if ch.Verdict == record.Better || ch.Verdict == record.Worse {
			t.Errorf("a program differs from itself: %+v", ch)
		}
	}
}

func TestBenchUsage(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte(`{"id":"a","shapes":[{"id":"shape:a","type":"geo","x":"far"}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--class", "S9"}, 2, "aspire/maze"},
		{[]string{"--suite", "aspire"}, 2, "--items"},
		{[]string{"--class", "S8", "--items", bad}, 2, "one or the other"},
		{[]string{"--items", "/no/such/dump"}, 1, "no such file"},
		{[]string{"--sweep", "colour"}, 2, "resolution"},
		{[]string{"--compare", bad}, 2, "want two"},
		{[]string{"--compare", bad, bad}, 1, "format"},
		{[]string{"--compare", bad, "/bin/sh"}, 2, "two programs"},
		{[]string{"--compare", "/bin/false", "/bin/false"}, 1, "cannot run /bin/false"},
		{[]string{"--compare", "--html", "x.html", bad, bad}, 2, "cannot use --html with --compare"},
		{[]string{"--compare", "--rounds", "5", bad, bad}, 2, "cannot use --rounds with two result files"},
		{[]string{"--backend", "chrome"}, 2, "Chromium"},
		{[]string{"--class", "S8", bad}, 2, "one or the other"},
		{[]string{"--html", "/no/such/folder/x"}, 1, "cannot write"},
		{[]string{"--backend", "cpu", "--quick", bad}, 1, "scene 1 of"},
		{[]string{"/no/such/file"}, 1, "no such file"},
	} {
		code, _, stderr := plumb(t, "", append([]string{"bench"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: got code %d, %q; want %d, %q", c.args, code, stderr, c.code, c.want)
		}
	}
}

// TestBenchOverHTTP measures answers to one task in process and by a daemon of the same program.
func TestBenchOverHTTP(t *testing.T) {
	out := filepath.Join(t.TempDir(), "bench.json")
	cmd := exec.Command(binary, "bench", "--quick", "--backend", "cpu", "--sweep", "none",
		"--class", "aspire/answers-8", "--class", "aspire/answers-8-http", "-o", out)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("got %v: %s", err, said)
	}
	f, err := record.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Items) != 2 || f.Items[1].Name != "aspire/answers-8-http" {
		t.Fatalf("got %d classes of items", len(f.Items))
	}
	for _, c := range f.Items {
		if c.Items != 96 || len(c.Failed) > 0 || len(c.Rate) != 3 || len(c.Core) != 3 || slices.Min(c.Core) <= 0 || !(c.P50 > 0) {
			t.Errorf("%s: got %+v", c.Name, c)
		}
	}
}
