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

	flag      string // the flag that sets the size, for messages
	size      int64
	share     int64
	free      *semaphore.Weighted
	heldBytes atomic.Int64

	mu      sync.Mutex // guards clients and their openHolds
	clients map[string]*client
}

// client is the budget of one client.
type client struct {
	free      *semaphore.Weighted
	openHolds int
}

// New returns a pool of size bytes, of which one client may hold at most share bytes.
// Messages name flag as the one that sets the size.
func New(flag string, size, share int64) *Pool {
	return &Pool{Wait: wait, flag: flag, size: size, share: min(share, size), free: semaphore.NewWeighted(size),
		clients: map[string]*client{}}
}

// Held returns how many bytes of the budget all requests hold now.
func (pool *Pool) Held() int64 {
	if pool == nil {
		return 0
	}
	return pool.heldBytes.Load()
}

// Hold opens an empty hold for the client of that name. The caller must Close it.
func (pool *Pool) Hold(name string) *Hold {
	if pool == nil {
		return nil
	}
	pool.mu.Lock()
	defer pool.mu.Unlock()
	c := pool.clients[name]
	if c == nil {
		c = &client{free: semaphore.NewWeighted(pool.share)}
		pool.clients[name] = c
	}
	c.openHolds++
	return &Hold{pool: pool, name: name, client: c}
}

// Fits returns nil if one client can hold n bytes at all, else an error that wraps ErrTooLarge.
func (pool *Pool) Fits(n int64) error {
	if pool == nil || n <= pool.share {
		return nil
	}
	return fmt.Errorf("%w: about %d bytes; want at most %d for one client (%s, --client-share)", ErrTooLarge, n,
		pool.share, pool.flag)
}

// Hold is the memory that one request takes from a pool. A nil Hold has no bounds. It
// is safe for concurrent use.
type Hold struct {
	pool   *Pool
	name   string
	client *client

	mu     sync.Mutex // guards bytes and closed
	bytes  int64
	closed bool
}

// Grow takes n more bytes from the client's share and from the pool, and waits up to
// Pool.Wait for room. An error wraps ErrTooLarge or ErrFull, or is that of ctx; nothing is
// taken then.
func (hold *Hold) Grow(ctx context.Context, n int64) error {
	if hold == nil || n <= 0 {
		return nil
	}
	if err := hold.pool.Fits(hold.Held() + n); err != nil {
		return err
	}
	waitCtx, cancel := context.WithTimeout(ctx, hold.pool.Wait)
	defer cancel()
	err := hold.client.free.Acquire(waitCtx, n)
	if err == nil {
		if err = hold.pool.free.Acquire(waitCtx, n); err != nil {
			hold.client.free.Release(n)
		}
	}
	switch {
	case err == nil:
		hold.record(n)
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return hold.pool.fullError(n)
}

// fullError is the error of n bytes for which there is no room now.
func (pool *Pool) fullError(n int64) error {
	return fmt.Errorf("%w: %d bytes more, where %d of %d are held (%s), and one client may hold %d (--client-share); try again later",
		ErrFull, n, pool.Held(), pool.size, pool.flag, pool.share)
}

// Try takes n more bytes if there is room now, and reports whether it did.
func (hold *Hold) Try(n int64) bool {
	if hold == nil || n <= 0 {
		return true
	}
	if !hold.client.free.TryAcquire(n) {
		return false
	}
	if !hold.pool.free.TryAcquire(n) {
		hold.client.free.Release(n)
		return false
	}
	hold.record(n)
	return true
}

// record adds n bytes that were acquired to the hold. If the hold was closed meanwhile, they
// are released at once.
func (hold *Hold) record(n int64) {
	hold.mu.Lock()
	defer hold.mu.Unlock()
	hold.pool.heldBytes.Add(n)
	hold.bytes += n
	if hold.closed { // Close has released all bytes before, so these are the new ones alone
		hold.release(hold.bytes)
	}
}

// Held returns how many bytes of the budget the hold has at the moment.
func (hold *Hold) Held() int64 {
	if hold == nil {
		return 0
	}
	hold.mu.Lock()
	defer hold.mu.Unlock()
	return hold.bytes
}

// Shrink gives n of the held bytes back to the budget, at most all of them, and none for a negative n. A
// nil hold has none.
func (hold *Hold) Shrink(n int64) {
	if hold == nil {
		return
	}
	hold.mu.Lock()
	defer hold.mu.Unlock()
	hold.release(max(0, min(n, hold.bytes)))
}

// release returns n bytes of the hold to the client's share and the pool. The caller holds
// mu.
func (hold *Hold) release(n int64) {
	hold.bytes -= n
	hold.pool.heldBytes.Add(-n)
	hold.pool.free.Release(n)
	hold.client.free.Release(n)
}

// Close releases all bytes. Bytes that a later Grow takes are released at once. A
// second call does nothing.
func (hold *Hold) Close() {
	if hold == nil {
		return
	}
	hold.mu.Lock()
	defer hold.mu.Unlock()
	if hold.closed {
		return
	}
	hold.closed = true
	hold.release(hold.bytes)
	pool := hold.pool
	pool.mu.Lock()
	defer pool.mu.Unlock()
	hold.client.openHolds--
	if hold.client.openHolds == 0 {
		delete(pool.clients, hold.name)
	}
}
