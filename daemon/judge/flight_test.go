package judge

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumb/daemon/chat"
	"plumb/daemon/chat/chattest"
	"plumb/scoring"
)

// mock returns a client of a mock judge of 8 calls at once, whose verdicts are kept in dir.
func mock(t *testing.T, dir string, m chattest.Config) *Client {
	t.Helper()
	server := chattest.New(m)
	t.Cleanup(server.Close)
	c, err := New(Config{URL: server.Base(), Model: "mock", Cache: dir, Patience: time.Second,
		Read: func(reply string) (right, ok bool) { return strings.HasPrefix(reply, "1"), true }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A request is sent only while somebody waits for it and the client is open.
func TestBegin(t *testing.T) {
	for _, c := range []struct {
		waiters int
		closed  bool
		sent    bool
	}{{0, false, false}, {1, false, true}, {2, false, true}, {1, true, false}} {
		f := &flight{waiters: c.waiters}
		err := (&Client{closed: c.closed}).begin(f)
		if f.calling != c.sent || (err == nil) != c.sent {
			t.Errorf("%+v: got %v, %v", c, f.calling, err)
		}
	}
}

// The last one who leaves ends the flight, but for a call that is paid for.
func TestLeave(t *testing.T) {
	for _, c := range []struct {
		waiters int
		calling bool
		ended   bool
	}{{1, false, true}, {2, false, false}, {1, true, false}} {
		ctx, cancel := context.WithCancel(t.Context())
		client := &Client{}
		client.leave(&flight{waiters: c.waiters, calling: c.calling, cancel: cancel})
		if (ctx.Err() != nil) != c.ended || client.stats.Failed != 1 {
			t.Errorf("%+v: got ended %v and %+v", c, ctx.Err(), client.stats)
		}
		cancel()
	}
}

// Without patience nobody waits for an endpoint that is down: -1 to the client of the
// endpoint, whose 0 would be a default.
func TestPatience(t *testing.T) {
	for patience, want := range map[time.Duration]time.Duration{0: -1, time.Second: time.Second} {
		if got := (Config{Patience: patience}).complete().clientConfig().Patience; got != want {
			t.Errorf("a patience of %v: got %v; want %v", patience, got, want)
		}
	}
}

func TestWidth(t *testing.T) {
	for calls, want := range map[int]int{1: 4, 8: 32, 256: 1024, 257: 1024} {
		if got := (&Client{cfg: Config{Concurrency: calls}}).Width(); got != want {
			t.Errorf("%d calls at once: got %d questions; want %d", calls, got, want)
		}
	}
}

// A verdict that cannot be written is counted, and kept for this process.
func TestUnsaved(t *testing.T) {
	c := mock(t, t.TempDir(), chattest.Config{Right: func(string) bool { return true }})
	q := &scoring.Question{Text: "Which?", Answer: "This"}
	if c.Ask(t.Context(), &scoring.Question{Text: "Before"}); c.Stats().Unsaved != 0 {
		t.Errorf("got %+v; want all saved", c.Stats())
	}
	if err := c.store.log.Close(); err != nil {
		t.Fatal(err)
	}
	// The claim of a question reads the file too, so the reply is settled directly.
	v, ok := c.keepVerdict(c.request(q), &chat.Outcome{Kind: chat.Answer, Text: "1", Usage: &chat.Usage{}})
	if s := c.Stats(); !ok || !v.Right || s.Unsaved != 1 {
		t.Errorf("got %+v, %v, %+v; want a verdict that is not saved", v, ok, s)
	}
	if j, ok := c.Known(q); !ok || !j.Right {
		t.Errorf("got %+v, %v; want the verdict from memory", j, ok)
	}
}

// Memory has room for maxMem verdicts; another one takes the place of any.
func TestRemember(t *testing.T) {
	s, err := openStore("")
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxMem + 2 {
		var k digest
		binary.BigEndian.PutUint64(k[:], uint64(i))
		if err := s.put(k, verdict{}); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.get(k); !ok || len(s.inMemory) != min(i+1, maxMem) {
			t.Fatalf("verdict %d: got %v and %d in memory", i, ok, len(s.inMemory))
		}
	}
}

// Close waits for the reply of a call under way, which is paid for.
func TestCloseKeepsReply(t *testing.T) {
	dir := t.TempDir()
	asked, gate := make(chan struct{}, 1), make(chan struct{})
	c := mock(t, dir, chattest.Config{Right: func(string) bool {
		asked <- struct{}{}
		<-gate
		return true
	}})
	q := &scoring.Question{Text: "Which?", Answer: "This"}
	answered := make(chan scoring.Judgement, 1)
	go func() { answered <- c.Ask(t.Context(), q) }()
	<-asked
	closed := make(chan error, 1)
	go func() { closed <- c.Close() }()
	late := &scoring.Question{Text: "Late"}
	for c.mu.Lock(); !c.closed; c.mu.Lock() {
		c.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	c.mu.Unlock()
	if j := c.Ask(t.Context(), late); j.Err == nil || !strings.Contains(j.Err.Message, "shutting down") {
		t.Errorf("got %+v of a client that closes; want a refusal", j)
	}
	time.Sleep(50 * time.Millisecond) // an end without waiting would have cut the call off
	close(gate)
	if j := <-answered; j.Err != nil || !j.Right {
		t.Errorf("got %+v; want the verdict of the call under way", j)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if s := c.Stats(); s.Asked != 2 || s.Judged != 1 || s.Failed != 1 {
		t.Errorf("got %+v; want one of two questions judged", s)
	}
}

// A kept verdict names the version of its prompt, a long reply is cut, and the same
// verdict comes from the folder.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	long := "1" + strings.Repeat(" because", 1000)
	c := mock(t, dir, chattest.Config{Answer: func(*chattest.Call) string { return long }})
	open := &scoring.Question{Text: "Which?", Answer: "This"}
	choice := &scoring.Question{Kind: scoring.JudgeChoice, Text: "Which?", Options: []string{"A. This", "B. That"}, Answer: "This"}
	for i, q := range []*scoring.Question{open, choice} {
		j := c.Ask(t.Context(), q)
		if j.Err != nil || len(j.Reply) > maxReply+len("...") || !strings.HasPrefix(long, j.Reply[:1000]) {
			t.Errorf("got a reply of %d bytes, %v; want one of at most %d", len(j.Reply), j.Err, maxReply)
		}
		lines, err := os.ReadFile(filepath.Join(dir, "verdicts.jsonl"))
		if n := strings.Count(string(lines), `"prompt":"choice/1"`); err != nil || n != i || strings.Count(string(lines), `"prompt":"open/1"`) != 1 {
			t.Errorf("got %v, %.300s; want the version of the prompt of each", err, lines)
		}
		if known, ok := c.Known(q); !ok || known.Reply != j.Reply {
			t.Errorf("the folder has another reply than the judge gave")
		}
		if s := c.Stats(); s.Asked != int64(2*i+2) || s.Cached != int64(i+1) || s.Unsaved != 0 {
			t.Errorf("got %+v; want one more question with a kept verdict", s)
		}
	}
	others := *choice
	others.Options = []string{"A. That", "B. This"}
	if _, ok := c.Known(&others); ok {
		t.Error("a question with other options has the same verdict")
	}
}

// A reply of maxReply bytes is kept as it is. A longer one loses its end and repeated spaces.
func TestCutReply(t *testing.T) {
	fits := "a  b" + strings.Repeat("c", maxReply-4)
	long := fits + "cccc"
	for s, want := range map[string]string{"": "", fits: fits, long: "a b" + strings.Repeat("c", maxReply-3) + "..."} {
		if got := cut(s); got != want {
			t.Errorf("a reply of %d bytes: got %.9q of %d bytes; want %d", len(s), got, len(got), len(want))
		}
	}
}
