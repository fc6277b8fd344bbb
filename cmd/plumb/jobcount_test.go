package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"plumb/daemon/jobs"
)

// acknowledged returns the numbers of the lines whose parts have markers.
func acknowledged(t *testing.T, out string) map[int]bool {
	t.Helper()
	j, err := jobs.Open(jobs.NewFolder(out + jobs.Suffix))
	if errors.Is(err, jobs.ErrNone) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]bool{}
	err = j.Each(func(s jobs.Shard) error {
		if _, ok, err := j.Marker(jobs.Part{Shard: s.Number}); err != nil || !ok {
			return err
		}
		for n := s.Line; n < s.Line+s.Lines; n++ {
			lines[n] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// Every line that goes to the scorer is noted, in processes that are killed at random moments: none is
// scored again whose part had its marker, and all are scored. See docs/spec/jobs.md#r3.
func TestAcknowledgedOnce(t *testing.T) {
	noting := filepath.Join(t.TempDir(), "plumb")
	if out, err := exec.Command("go", "build", "-tags", "egl fault", "-o", noting, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v\n%s", err, out)
	}
	const all = 60_000
	dump := written(t, filepath.Join(t.TempDir(), "dump.jsonl"), mcqs(all))
	out, notes := filepath.Join(t.TempDir(), "out.jsonl"), filepath.Join(t.TempDir(), "notes")
	scored := map[int]bool{}
	late := 0 // kills behind the first marker
	for try := 0; ; try++ {
		done := acknowledged(t, out)
		cmd := exec.Command(noting, "score", "--backend", "cpu", "--paper", "none", "-o", out, dump)
		cmd.Env = append(os.Environ(), "PLUMB_FAULT=note@"+notes)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if try < 12 {
			for before := len(done); len(acknowledged(t, out)) <= before && !fileExists(out); {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
			cmd.Process.Kill()
		}
		err := cmd.Wait()
		text, _ := os.ReadFile(notes)
		os.Remove(notes)
		for line := range strings.Lines(string(text)) {
			n, e := strconv.Atoi(strings.TrimSpace(line))
			if e != nil {
				continue // the kill came within the note
			}
			if done[n] {
				t.Fatalf("line %d was scored again, and its part had a marker", n)
			}
			scored[n] = true
		}
		if len(done) > 0 && len(text) > 0 {
			late++
		}
		if err == nil {
			break
		}
		if try > 12 {
			t.Fatalf("the run does not end: %v, %s", err, stderr.String())
		}
	}
	if len(scored) != all || late == 0 {
		t.Errorf("got %d lines scored, %d kills behind a marker; want %d and some", len(scored), late, all)
	}
}

// fileExists reports whether there is a file.
func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
