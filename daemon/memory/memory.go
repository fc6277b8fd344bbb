// Package memory bounds how many bytes a process holds for requests in flight
// (--max-memory), with a share for each client. In: the size of the pool and the share of
// one client, both in bytes. Out: holds, which grow with a request and are released with
// it. It refuses bytes that can never fit (ErrTooLarge) and, after a wait, bytes that do
// not fit now (ErrFull). See docs/spec/http.md#r37.
package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrFull marks bytes for which there is no room now; a retry may succeed.
var ErrFull = errors.New("no memory is left for it now")

// ErrTooLarge marks bytes for which there will never be room.
var ErrTooLarge = errors.New("it takes too much memory")

// wait is the default of Pool.Wait.
const wait = 5 * time.Second

// Pool is a memory budget that clients share. It is safe for concurrent use; a nil
// Pool has no bounds.
type Pool struct {
	// Wait is how long Grow waits for room before it fails with ErrFull; New sets 5 s.
	// It must not change once the pool is in use.
	Wait time.Duration

	flag  string // the flag that sets the size, for messages
	size  int64
	share int64
	all   *semaphore.Weighted
	held  atomic.Int64

	mu      sync.Mutex // guards clients and their users
	clients map[string]*client
}

// client is the budget of one client.
type client struct {
	left  *semaphore.Weighted
	users int // open holds
}

// New returns a pool of size bytes, of which one client may hold at most share bytes.
// Messages name flag as the one that sets the size.
func New(flag string, size, share int64) *Pool {
	return &Pool{Wait: wait, flag: flag, size: size, share: min(share, size), all: semaphore.NewWeighted(size),
		clients: map[string]*client{}}
}

// Held returns how many bytes of the budget all requests hold now.
func (p *Pool) Held() int64 {
	if p == nil {
		return 0
	}
	return p.held.Load()
}

// Hold opens an empty hold for the client of that name. The caller must Close it.
func (p *Pool) Hold(name string) *Hold {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clients[name]
	if c == nil {
		c = &client{left: semaphore.NewWeighted(p.share)}
		p.clients[name] = c
	}
	c.users++
	return &Hold{pool: p, name: name, client: c}
}

// Fits reports whether n bytes can be held at all; the error wraps ErrTooLarge.
func (p *Pool) Fits(n int64) error {
	if p == nil || n <= p.share {
		return nil
	}
	return fmt.Errorf("%w: about %d bytes; want at most %d for one client (%s, --client-share)", ErrTooLarge, n,
		p.share, p.flag)
}

// Hold is the memory that one request takes from a pool. A nil Hold has no bounds. It
// is safe for concurrent use.
type Hold struct {
	pool   *Pool
	name   string
	client *client

	mu     sync.Mutex // guards n and closed
	n      int64
	closed bool
}

// Grow takes n more bytes from the client's share and from the pool, and waits up to
// Pool.Wait for room. An error wraps ErrTooLarge or ErrFull, or is that of ctx; nothing is
// taken then.
func (h *Hold) Grow(ctx context.Context, n int64) error {
	if h == nil || n <= 0 {
		return nil
	}
	if err := h.pool.Fits(h.Held() + n); err != nil {
		return err
	}
	patience, cancel := context.WithTimeout(ctx, h.pool.Wait)
	defer cancel()
	err := h.client.left.Acquire(patience, n)
	if err == nil {
		if err = h.pool.all.Acquire(patience, n); err != nil {
			h.client.left.Release(n)
		}
	}
	switch {
	case err == nil:
		h.record(n)
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return h.pool.full(n)
}

// full is the error of n bytes for which there is no room now.
func (p *Pool) full(n int64) error {
	return fmt.Errorf("%w: %d bytes more, where %d of %d are held (%s), and one client may hold %d (--client-share); try again later",
		ErrFull, n, p.Held(), p.size, p.flag, p.share)
}

// Try takes n more bytes if there is room now, and reports whether it did.
func (h *Hold) Try(n int64) bool {
	if h == nil || n <= 0 {
		return true
	}
	if !h.client.left.TryAcquire(n) {
		return false
	}
	if !h.pool.all.TryAcquire(n) {
		h.client.left.Release(n)
		return false
	}
	h.record(n)
	return true
}

// record adds n bytes that were acquired to the hold. If the hold was closed meanwhile, they
// are released at once.
func (h *Hold) record(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pool.held.Add(n)
	h.n += n
	if h.closed {
		h.release(h.n)
	}
}

// Held returns how many bytes the hold has taken.
func (h *Hold) Held() int64 {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

// Shrink releases n bytes, at most those that are held.
func (h *Hold) Shrink(n int64) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.release(min(n, h.n))
}

// release returns n bytes of the hold to the client's share and the pool. The caller holds
// mu.
func (h *Hold) release(n int64) {
	h.n -= n
	h.pool.held.Add(-n)
	h.pool.all.Release(n)
	h.client.left.Release(n)
}

// Close releases all bytes. Bytes that a later Grow takes are released at once. A
// second call does nothing.
func (h *Hold) Close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	h.release(h.n)
	p := h.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	h.client.users--
	if h.client.users == 0 {
		delete(p.clients, h.name)
	}
}
