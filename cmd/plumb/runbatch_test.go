package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumb/daemon/chat/chattest"
	"plumb/testdata"
)

// batchArgs is a run of 16 tasks by batches.
func batchArgs(e *chattest.Endpoint, dir string, more ...string) []string {
	return append([]string{"run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "m", "--out", dir, "--batch", "--batch-poll", "20ms", "--price", "1:2"}, more...)
}

// untimed are the results without what depends on how calls were made.
func untimed(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	for _, m := range jsonLines(t, fileText(t, dir, "results.jsonl")) {
		asked := m["asked"].(map[string]any)
		for _, name := range []string{"seconds", "tries", "cost"} {
			delete(asked, name)
		}
		b, _ := json.Marshal(m)
		out = append(out, string(b))
	}
	return strings.Join(out, "\n")
}

// By batches come the answers that come without, whatever happens to the batches, and each
// is billed once.
func TestRunBatch(t *testing.T) {
	tasks := aspireTasks(t, "--count", "2")
	quiet := exactEndpoint(t, tasks)
	want := filepath.Join(t.TempDir(), "quiet")
	if code, _, errs := plumb(t, "", "run", "aspire", "--count", "2", "--model-url", quiet.Base(), "--model", "m", "--out", want); code != 0 {
		t.Fatal(errs)
	}
	for _, faults := range []map[chattest.Fault]float64{nil, {"twice": 1, "shuffled": 1}, {"expired": 0.6}, {"slow": 1}} {
		e := exactEndpoint(t, tasks, func(c *chattest.Config) { c.Faults, c.Seed, c.Slow = faults, 3, 100*time.Millisecond })
		dir := filepath.Join(t.TempDir(), "run")
		code, _, errs := plumb(t, "", batchArgs(e, dir)...)
		if code != 0 || untimed(t, dir) != untimed(t, want) {
			t.Errorf("%v: got exit %d, %s, or other results than without --batch", faults, code, errs)
			continue
		}
		if c := e.Counts(); c.Calls != 0 || c.Billed != 16 || faults["twice"] == 0 && c.Twice != 0 {
			t.Errorf("%v: got %+v; want no calls outside of batches and each answer billed once", faults, c)
		}
		for _, line := range jsonLines(t, fileText(t, dir, "dump.jsonl")) {
			if cost, ok := line["asked"].(map[string]any)["cost"].(float64); !ok || cost <= 0 {
				t.Errorf("%v: %v has no cost", faults, line["id"])
			}
		}
	}
}

// A batch that fails as a whole is not begun for ever.
func TestRunBatchFails(t *testing.T) {
	e := exactEndpoint(t, aspireTasks(t, "--count", "2"), func(c *chattest.Config) { c.Faults = map[chattest.Fault]float64{"failed": 1} })
	if code, _, errs := plumb(t, "", batchArgs(e, t.TempDir())...); code != 1 || !strings.Contains(errs, "no outcome") {
		t.Errorf("got exit %d, %s; want 1 and why", code, errs)
	}
	e = exactEndpoint(t, aspireTasks(t, "--count", "2"))
	if code, _, errs := plumb(t, "", batchArgs(e, t.TempDir(), "--max-cost", "0.001")...); code != 1 || !strings.Contains(errs, "--max-cost") || e.Counts().Billed != 0 {
		t.Errorf("a budget below the batch: got exit %d, %s; want 1 before anything is asked", code, errs)
	}
}

// The second turns of DrawingBench come in a second batch.
func TestRunBatchTurns(t *testing.T) {
	e := chattest.New(chattest.Config{Key: runKey, Answer: func(*chattest.Call) string { return `[{"action":"click","x":590,"y":420}]` }})
	t.Cleanup(e.Close)
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	dir := t.TempDir()
	code, _, errs := plumb(t, "", "run", "drawingbench", "--tasks", filepath.Join(testdata.Root(), "testdata", "drawingbench", "tasks.json"), "--model-url", e.Base(), "--model", "m",
		"--out", dir, "--limit", "1", "--batch", "--batch-poll", "20ms")
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	turns := map[float64]int{}
	for _, r := range jsonLines(t, fileText(t, dir, "results.jsonl")) {
		turns[r["turn"].(float64)]++
	}
	if n := strings.Count(fileText(t, dir, "batches.jsonl"), `"event":"created"`); n != 2 || turns[2] == 0 || e.Counts().Calls != 0 {
		t.Errorf("got %d batches for %v turns, %d calls outside; want two batches", n, turns, e.Counts().Calls)
	}
}

// Killed after a batch was uploaded, created or ended, the same command takes it up: each
// part is one batch, and each answer is billed once.
func TestRunBatchKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in another process; nothing here can race")
	}
	tasks := aspireTasks(t, "--count", "2")
	for _, event := range []string{"prepared", "uploaded", "created", "ended"} {
		e := exactEndpoint(t, tasks, func(c *chattest.Config) { c.BatchPolls = 5 })
		dir := filepath.Join(t.TempDir(), "run")
		cmd := exec.Command(binary, batchArgs(e, dir)...)
		cmd.Env = append(os.Environ(), "PLUMB_MODEL_KEY="+runKey)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(dir, "batches.jsonl")
		for { // kill it as soon as the event is in the log
			b, _ := os.ReadFile(log)
			if bytes.Contains(b, []byte(`"event":"`+event+`"`)) {
				break
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		if event == "ended" { // as if it had been killed before the results were fetched
			b, _ := os.ReadFile(log)
			i := bytes.Index(b, []byte(`{"event":"fetched"`))
			if i > 0 {
				os.WriteFile(log, b[:i], 0o600)
			}
		}
		t.Setenv("PLUMB_MODEL_KEY", runKey)
		code, _, errs := plumb(t, "", batchArgs(e, dir)...)
		results := jsonLines(t, fileText(t, dir, "results.jsonl"))
		if c := e.Counts(); code != 0 || len(results) != 16 || c.Twice != 0 || c.Billed != 16 {
			t.Errorf("killed after %s: got exit %d, %d results, %+v, %s; want each of 16 answers billed once", event, code, len(results), c, errs)
		}
	}
}

// Batches that run are ended by --batch-cancel; what they had not answered is asked after
// that.
func TestRunBatchCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in another process; nothing here can race")
	}
	tasks := aspireTasks(t, "--count", "2")
	e := exactEndpoint(t, tasks, func(c *chattest.Config) { c.BatchPolls = 1 << 20 })
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(binary, batchArgs(e, dir)...)
	cmd.Env = append(os.Environ(), "PLUMB_MODEL_KEY="+runKey)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if b, _ := os.ReadFile(filepath.Join(dir, "batches.jsonl")); bytes.Contains(b, []byte(`"event":"created"`)) {
			break
		}
	}
	cmd.Process.Signal(os.Interrupt)
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 130 || !strings.Contains(errs.String(), "--batch-cancel") {
		t.Errorf("interrupted: got exit %d, %s; want 130, and that the batch goes on", cmd.ProcessState.ExitCode(), &errs)
	}
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	if code, _, errs := plumb(t, "", batchArgs(e, dir, "--batch-cancel")...); code != 1 || !strings.Contains(errs, "cancelled") {
		t.Errorf("cancelled: got exit %d, %s; want 1 and what is missing", code, errs)
	}
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	code, _, errors := plumb(t, "", "run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "m", "--out", dir)
	if c := e.Counts(); code != 0 || c.Billed != 16 || c.Twice != 0 || len(jsonLines(t, fileText(t, dir, "results.jsonl"))) != 16 {
		t.Errorf("after it: got exit %d, %+v, %s; want 16 answers", code, c, errors)
	}
}

// What the endpoint refused is asked again by a batch with --retry-failed, once.
func TestRunBatchRetries(t *testing.T) {
	tasks := aspireTasks(t, "--count", "2")
	dir := filepath.Join(t.TempDir(), "run")
	e := exactEndpoint(t, tasks, func(c *chattest.Config) { c.Faults, c.Seed = map[chattest.Fault]float64{"400-context": 0.4}, 1 })
	plumb(t, "", "run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "m", "--out", dir)
	missing := strings.Count(fileText(t, dir, "dump.jsonl"), `"response":null`)
	e = exactEndpoint(t, tasks)
	code, _, errs := plumb(t, "", batchArgs(e, dir, "--retry-failed")...)
	if c := e.Counts(); missing == 0 || missing == 16 || code != 0 || c.Billed != missing || c.Twice != 0 || strings.Contains(fileText(t, dir, "dump.jsonl"), `"response":null`) {
		t.Errorf("got exit %d, %+v, %s; want the %d missing answers, each billed once", code, c, errs, missing)
	}
}
