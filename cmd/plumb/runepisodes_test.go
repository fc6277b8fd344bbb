package main

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"plumb/daemon/chat/chattest"
)

// plumb run --episodes asks several turns of one chat with feedback and a picture between them, scores
// each turn's merged answer as plumb score does, and pays for no turn twice. See docs/spec/episodes.md#r14.
func TestRunEpisodes(t *testing.T) {
	tasks := aspireTasks(t, "--count", "1")
	var mu sync.Mutex
	var last []string // prompts of further turns
	e := exactEndpoint(t, tasks, func(c *chattest.Config) {
		exact := c.Answer
		c.Answer = func(call *chattest.Call) string {
			if !strings.Contains(call.Prompt, "answers left them") && !strings.Contains(call.Prompt, "as your answers left it") {
				return `{"createShapes":[],"rotation":0.01}`
			}
			mu.Lock()
			defer mu.Unlock()
			last = append(last, call.Prompt)
			return exact(call)
		}
	})
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "aspire", "--tasks", tasks, "--episodes", "--play", "canvas", "--turns", "2", "--model-url", e.Base(), "--model", "two", "--out", dir}
	code, _, errs := plumb(t, "", args...)
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	results := jsonLines(t, fileText(t, dir, "results.jsonl"))
	if len(results) != 16 || len(last) != 8 {
		t.Fatalf("got %d results and %d second turns; want 16 and 8", len(results), len(last))
	}
	calls := e.Counts().Calls
	for _, r := range results {
		turn := r["turn"].(float64)
		if id := r["id"].(string); !strings.HasSuffix(id, map[float64]string{1: "/1", 2: "/2"}[turn]) {
			t.Errorf("got id %s of turn %v", id, turn)
		}
	}
	for _, prompt := range last {
		if !strings.Contains(prompt, "Your answer was read") || !strings.Contains(prompt, "Score: ") {
			t.Errorf("got %.300q; want feedback", prompt)
		}
	}
	again := filepath.Join(t.TempDir(), "again.jsonl")
	if code, _, errs := plumb(t, "", "score", "--tasks", "aspire="+tasks, "-o", again, filepath.Join(dir, "dump.jsonl")); code != 0 || fileText(t, again) != fileText(t, dir, "results.jsonl") {
		t.Errorf("plumb score of the dump: got exit %d, %s, or other bytes than results.jsonl", code, errs)
	}
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	if code, _, errs := plumb(t, "", args...); code != 0 || e.Counts().Calls != calls {
		t.Errorf("again: got exit %d, %d calls, %s; want no further call than %d", code, e.Counts().Calls, errs, calls)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "aspire", "--turns", "2"}, "without --episodes"}, {[]string{"run", "aspire", "--episodes", "--play", "place"}, "want retry or canvas"},
		{[]string{"run", "aspire", "--episodes", "--turns", "99"}, "want at most 16"}, {[]string{"run", "aspire", "--episodes", "--batch"}, "--batch"},
		{[]string{"run", "spatialab", "--episodes", "--tasks", tasks}, "eliminate an option"},
	} {
		t.Setenv("PLUMB_MODEL_KEY", runKey)
		if code, _, errs := plumb(t, "", append(c.args, "--model-url", e.Base(), "--model", "two", "--out", t.TempDir())...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: got %d %s; want 2 with %s", c.args, code, errs, c.want)
		}
	}
}
