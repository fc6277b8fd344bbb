package runs

import (
	"path/filepath"
	"testing"

	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
)

// A request that was refused for all is no loss and is made again; one without an outcome
// is lost. See docs/spec/runs.md#r41.
func TestUnsettled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	c, err := OpenCalls(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"refused", "lost", "answered"} {
		if err := c.logRequest(key, 1, &budget.Hold{Tokens: 100, Cost: 0.5}); err != nil {
			t.Fatal(err)
		}
	}
	for key, kind := range map[string]chat.Kind{"refused": chat.Fatal, "answered": chat.Answer} {
		if _, err := c.appendOutcome(&Done{Event: eventDone, Key: key, Outcome: chat.Outcome{Kind: kind, Tries: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err = OpenCalls(path); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for key, want := range map[string]bool{"refused": false, "lost": false, "answered": true} {
		if d, err := c.Done(key); err != nil || (d != nil) != want || want && d.Key != key {
			t.Errorf("%s: got %v, %v; want an outcome: %v", key, d, err, want)
		}
	}
	if s := c.Spent(); s.Calls != 3 || s.Lost != 1 || s.LostTokens != 100 || s.LostCost != 0.5 {
		t.Errorf("got %+v; want three calls, one of them lost", s)
	}
}
