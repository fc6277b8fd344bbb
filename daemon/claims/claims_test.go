package claims

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// queue opens the queue of a job in a server of its own.
func queue(t *testing.T, wait time.Duration) (*Embedded, *Queue) {
	t.Helper()
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, join(t, e, wait)
}

// join opens the queue of the job from another process' point of view.
func join(t *testing.T, e *Embedded, wait time.Duration) *Queue {
	t.Helper()
	c := e.Config("job")
	c.AckWait = wait
	q, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// next returns the next claim; want is its shard, -1 for none.
func next(t *testing.T, q *Queue, want int) *Claim {
	t.Helper()
	c, err := q.Next(t.Context(), 300*time.Millisecond)
	switch {
	case want < 0 && !errors.Is(err, ErrNothing):
		t.Fatalf("got %+v, %v; want no claim", c, err)
	case want >= 0 && (err != nil || c.Shard != want):
		t.Fatalf("got %+v, %v; want shard %d", c, err, want)
	}
	return c
}

// left checks how many claims wait and are under way.
func left(t *testing.T, q *Queue, waiting, under int) {
	t.Helper()
	if w, u, err := q.Left(t.Context()); err != nil || w != waiting || u != under {
		t.Errorf("got %d waiting and %d under way, %v; want %d and %d", w, u, err, waiting, under)
	}
}

// The stream and its consumer are what long work needs. See docs/spec/jobs.md#r9.
func TestStream(t *testing.T) {
	_, q := queue(t, 0)
	s, err := q.js.Stream(t.Context(), q.stream)
	if err != nil {
		t.Fatal(err)
	}
	c := s.CachedInfo().Config
	if c.Retention != jetstream.WorkQueuePolicy || c.Storage != jetstream.FileStorage || c.MaxBytes != maxBytes || c.MaxAge != maxAge || c.Duplicates != sameClaim {
		t.Errorf("got the stream %+v; want a work queue on disk with bounds", c)
	}
	consumer, err := s.Consumer(t.Context(), consumerName)
	if err != nil {
		t.Fatal(err)
	}
	if c := consumer.CachedInfo().Config; c.Durable == "" || c.InactiveThreshold != 0 || c.AckPolicy != jetstream.AckExplicitPolicy || c.AckWait != defaultAckWait || c.MaxDeliver != -1 || c.MaxAckPending != defaultClaims {
		t.Errorf("got the consumer %+v; want one that stays", c)
	}
	if err := q.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := q.js.Stream(t.Context(), q.stream); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("got %v; want that the stream is removed", err)
	}
}

// Two processes that plan the same job publish each claim once, and share them.
func TestOfferedTwice(t *testing.T) {
	e, a := queue(t, 0)
	b := join(t, e, 0)
	for _, q := range []*Queue{a, b} {
		if err := q.Offer(t.Context(), []int{3, 5}, ""); err != nil {
			t.Fatal(err)
		}
	}
	left(t, a, 2, 0)
	first, second := next(t, a, 3), next(t, b, 5)
	next(t, a, -1)
	for _, c := range []*Claim{first, second} {
		if c.Tries != 0 {
			t.Errorf("shard %d: got %d processes before; want none", c.Shard, c.Tries)
		}
		if err := c.Done(t.Context()); err != nil {
			t.Error(err)
		}
	}
	left(t, b, 0, 0)
}

// A claim whose work goes on is kept as long as it does; one without progress goes to another process,
// with a count that a rebuilt queue keeps.
func TestLostClaim(t *testing.T) {
	const wait = time.Second
	e, a := queue(t, wait)
	b := join(t, e, wait)
	if err := a.Offer(t.Context(), []int{7}, ""); err != nil {
		t.Fatal(err)
	}
	held := next(t, a, 7)
	for begin := time.Now(); time.Since(begin) < 2*wait; time.Sleep(wait / 5) {
		held.Progress()
		if c, err := b.Next(t.Context(), time.Millisecond); err == nil {
			t.Fatalf("got %+v; want that the claim is kept", c)
		}
	}
	time.Sleep(wait + wait/2) // no progress
	again := next(t, b, 7)
	if again.Tries != 1 {
		t.Errorf("got %d processes before; want 1", again.Tries)
	}
	if err := b.Rebuild(t.Context(), []int{7}); err != nil { // as after a stream that is lost
		t.Fatal(err)
	}
	third := next(t, b, 7)
	if third.Tries != 2 {
		t.Errorf("after rebuilding: got %d processes before; want 2", third.Tries)
	}
	if err := third.Return(); err != nil {
		t.Fatal(err)
	}
	if c := next(t, a, 7); c.Done(t.Context()) != nil {
		t.Error("the returned claim cannot be acknowledged")
	}
	left(t, a, 0, 0)
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		Config
		ok bool
	}{
		{Config{URL: "nats://127.0.0.1:4222"}, true}, {Config{URL: "nats://localhost:4222"}, true}, {Config{URL: "nats://[::1]:4222"}, true},
		{Config{URL: "nats://queue:4222", Creds: "x"}, false}, {Config{URL: "tls://queue:4222"}, false}, {Config{URL: "tls://queue:4222", Creds: "x"}, true},
		{Config{URL: "tls://me:key@queue:4222"}, true}, {Config{URL: "queue"}, false}, {Config{URL: "nats://queue:4222", Creds: "x", CA: "ca.pem"}, true},
	} {
		if err := Check(&c.Config); (err == nil) != c.ok {
			t.Errorf("%+v: got %v; want %v", c.Config, err, c.ok)
		}
	}
}
