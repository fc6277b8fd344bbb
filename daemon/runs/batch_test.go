package runs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/ask"
	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
	"plumb/daemon/chat/chattest"
)

// watched is a suite that calls a function before the last task is asked.
type watched struct {
	talking
	last func()
}

func (s *watched) Next(t *ask.Task, a ask.Arm, heard []ask.Heard) (*ask.Step, error) {
	if t == s.tasks[len(s.tasks)-1] {
		s.last()
	}
	return s.talking.Next(t, a, heard)
}

// TestBatchesAreMadeOneByOne asks for two calls more than a batch takes. The first batch must be at the
// endpoint before the last call is made: a run would else hold all of its calls with their pictures.
func TestBatchesAreMadeOneByOne(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 50,002 calls")
	}
	e := chattest.New(chattest.Config{Answer: func(*chattest.Call) string { return "yes" }})
	defer e.Close()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var log string // as it is before the last call
	source := &watched{last: func() {
		b, err := os.ReadFile(filepath.Join(dir, "batches.jsonl"))
		if err != nil {
			t.Error(err)
		}
		log = string(b)
		cancel()
	}}
	for i := range maxPartRequests + 2 {
		source.tasks = append(source.tasks, &ask.Task{ID: fmt.Sprint("task-", i), Test: "maze", Group: "maze", Line: []byte(`{"a":1}`)})
	}
	calls, err := OpenCalls(filepath.Join(dir, "calls.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer calls.Close()
	r, err := New(Config{Suite: "aspire", Source: source, Arms: []ask.Arm{{Mode: "default"}}, Model: "m", Workers: 1, Settings: func(ask.Arm) Settings { return Settings{} }}, calls)
	if err != nil {
		t.Fatal(err)
	}
	client, err := chat.New(chat.Config{URL: e.Base()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := r.AskBatches(ctx, client, BatchConfig{Dir: dir, Meter: budget.New(budget.Limits{}, nil, budget.Spent{}, nil)}); err == nil {
		t.Error("got no error; want that of the cancelled context")
	}
	if n := strings.Count(log, `"event":"created"`); n != 1 {
		t.Errorf("before the last call, %d batches were made; want 1", n)
	}
	if list, _ := filepath.Glob(filepath.Join(dir, "batch-*.jsonl")); len(list) > 0 && !strings.HasSuffix(list[0], "batch-2.jsonl") {
		t.Errorf("got %v; want no file of the batch that was made", list)
	}
}
