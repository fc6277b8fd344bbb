package memory

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// One client gets its share and no more, and leaves the rest to others.
func TestShare(t *testing.T) {
	p := New("--max-bodies", 100, 60)
	a, b, c := p.Hold("a"), p.Hold("a"), p.Hold("b")
	if !a.Try(40) || b.Try(21) || !b.Try(20) || !c.Try(40) || c.Try(1) {
		t.Errorf("got %d, %d, %d bytes; want 40 and 20 for one client, 40 for the other", a.Held(), b.Held(), c.Held())
	}
	if p.Held() != 100 {
		t.Errorf("got %d bytes held; want 100", p.Held())
	}
	if b.Shrink(5); !c.Try(5) {
		t.Error("what was given back is not there")
	}
	a.Close()
	a.Close()
	b.Close()
	c.Close()
	if p.Held() != 0 || len(p.clients) != 0 {
		t.Errorf("got %d bytes and %d clients at the end; want none", p.Held(), len(p.clients))
	}
}

// What can never fit is refused at once, what does not fit now after a wait.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New("--max-bodies", 100, 60)
		a, b := p.Hold("a"), p.Hold("b")
		err := a.Grow(t.Context(), 61)
		if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "--max-bodies") {
			t.Errorf("got %v; want ErrTooLarge and the flag's name", err)
		}
		if err := a.Grow(t.Context(), 60); err != nil {
			t.Fatal(err)
		}
		err = b.Grow(t.Context(), 50)
		if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "--client-share") {
			t.Errorf("got %v; want ErrFull and the flags' names", err)
		}
		if b.Held() != 0 || p.Held() != 60 {
			t.Errorf("got %d and %d bytes; want 0 and 60", b.Held(), p.Held())
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Grow(over, 50); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v; want that of the context", err)
		}
	})
}

// A hold that waits gets what another one gives back.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New("--max-bodies", 100, 100)
		a, b := p.Hold("a"), p.Hold("b")
		a.Try(80)
		var all sync.WaitGroup
		all.Go(func() {
			if err := b.Grow(t.Context(), 50); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		a.Close()
		all.Wait()
		if p.Held() != 50 {
			t.Errorf("got %d bytes; want 50", p.Held())
		}
	})
}

// Without a pool there are no bounds.
func TestNil(t *testing.T) {
	var p *Pool
	h := p.Hold("a")
	if err := h.Grow(t.Context(), 1<<60); err != nil || !h.Try(1<<60) || p.Fits(1<<60) != nil || p.Held() != 0 {
		t.Error("a nil pool refuses")
	}
	h.Shrink(1)
	h.Close()
}

// TestShrinkByNothing checks that a negative number of bytes gives nothing back and takes nothing.
func TestShrinkByNothing(t *testing.T) {
	pool := New("--max-memory", 10, 10)
	hold := pool.Hold("a")
	hold.Try(4)
	hold.Shrink(-3)
	if hold.Held() != 4 || pool.Held() != 4 {
		t.Errorf("got %d and %d bytes held; want 4", hold.Held(), pool.Held())
	}
	if hold.Close(); pool.Held() != 0 {
		t.Errorf("got %d bytes held at the end", pool.Held())
	}
}
