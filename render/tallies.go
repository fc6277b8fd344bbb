package render

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"plumb/render/batch"
	"plumb/render/delta"
	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// tallyKey identifies the content of a view: scene, part of the page, sets of shapes. It holds two
// hashes of 64 bits with random seeds, so that nobody can make two views collide.
type tallyKey [2]uint64

// outcome is what is known of a measured view. It is read-only.
type outcome struct {
	width, height int // px
	tally         metric.Tally
	base          *delta.Base // of a view with Edited, else nil
}

// bytes returns about how many bytes the outcome takes in the cache.
func (o *outcome) bytes() int {
	const entry = 400 // the outcome, its key, its places in the list and the map
	if o.base == nil {
		return entry
	}
	return entry + o.base.Bytes()
}

// tallies keeps the outcomes of views by content. Views that are prepared but not measured yet are
// in it too, so that equal ones are computed once. See docs/spec/raster.md#r45.
type tallies struct {
	budget int // bytes

	mu      sync.Mutex // guards the rest
	pending map[tallyKey]*shared
	kept    *simplelru.LRU[tallyKey, *outcome]
	stats   TallyStats

	pictures []*keptPicture // the one that was used last comes first
}

// TallyStats counts what the cache of tallies did, and what it holds.
type TallyStats struct {
	Hits    int64 // views whose tally was in the cache
	Shared  int64 // views that joined an equal one that was not measured yet
	Edits   int64 // views of which only what differs from another view was measured
	Full    int64 // views that were measured in full
	Entries int
	Bytes   int // estimated

	ImageEdits int64 // images of which only what differs from another one was drawn
	ImagesFull int64 // images that were drawn in full, and may be kept
	ImageBytes int   // of kept images, estimated
}

// newTallies returns an empty cache that holds at most budget bytes, or nil for a budget of 0 or
// less: then nothing is cached.
func newTallies(budget int) *tallies {
	if budget <= 0 {
		return nil
	}
	t := &tallies{budget: budget, pending: map[tallyKey]*shared{}}
	// The list is bounded by bytes, not by its length.
	t.kept, _ = simplelru.NewLRU(math.MaxInt32, func(_ tallyKey, o *outcome) { t.stats.Bytes -= o.bytes() })
	return t
}

// TallyStats returns the counts of the cache of tallies since the start, and how many entries it has.
// Without a cache all are 0.
func (e *Engine) TallyStats() TallyStats {
	t := e.tallies
	if t == nil {
		return TallyStats{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.Entries = t.kept.Len()
	return s
}

// ForgetTallies empties the cache of tallies and the pictures that are kept for edits, so that a
// measurement begins as after the start.
func (e *Engine) ForgetTallies() {
	if t := e.tallies; t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.kept.Purge()
		t.pictures, t.stats.ImageBytes = nil, 0
	}
}

// find looks for the view with key k. It returns its outcome if it is known, else the shared view
// that will have one, which the caller then holds and must release. If there is neither, it makes a
// shared view; fresh says that the caller must prepare it for all.
func (t *tallies) find(k tallyKey) (o *outcome, s *shared, fresh bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.pending[k]; s != nil {
		s.holders++
		t.stats.Shared++
		return nil, s, false
	}
	if o, ok := t.kept.Get(k); ok {
		t.stats.Hits++
		return o, nil, false
	}
	s = &shared{key: k, holders: 1, prepared: make(chan struct{})}
	t.pending[k] = s
	return nil, s, true
}

// findBase looks for the view with key k, which another one was edited from. It returns its outcome.
// If the view is prepared but not measured yet, it returns the shared view instead, which the caller
// then holds and must release. Both are nil if the view is not known or still being prepared, because
// then its layers cannot be compared. Unlike find it makes nothing and counts no hit.
func (t *tallies) findBase(k tallyKey) (*outcome, *shared) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.pending[k]; s != nil && s.state != statePreparing {
		s.holders++
		return nil, s
	}
	o, _ := t.kept.Get(k)
	return o, nil
}

// keep adds an outcome to the cache and makes room for it. One that would take more than an eighth of the budget is left out, so that it does not
// push out many others. The caller holds mu.
func (t *tallies) keep(k tallyKey, o *outcome) {
	size := o.bytes()
	if size > t.budget/8 || t.kept.Contains(k) {
		return
	}
	t.kept.Add(k, o)
	t.stats.Bytes += size
	t.makeRoom()
}

// makeRoom removes the oldest outcomes until the cache is within its budget, of which pictures take at most half.
// The caller holds mu.
func (t *tallies) makeRoom() {
	for t.stats.Bytes > t.budget-t.stats.ImageBytes {
		t.kept.RemoveOldest()
	}
}

// shared is a view that is prepared or measured for all that hold it.
type shared struct {
	key      tallyKey
	prepared chan struct{} // closed once the view is prepared or has failed

	// The worker that prepares the view sets these before it closes prepared.
	failed        bool
	width, height int
	base          *delta.Base  // of a view with Edited
	from          *outcome     // the base of an edit, where it was measured before
	fromShared    *shared      // the same where it is not measured yet; held
	region        batch.Region // of an edit: what tiled holds
	workBefore    int          // of the base, where it was prepared for this edit

	// tallies.mu guards these.
	holders  int
	state    state
	tiled    *batch.Tiled  // until it is measured
	measured chan struct{} // closed when a call that measures the view has ended
	part     metric.Tally  // of tiled
	outcome  *outcome      // once all is known
}

// state says how far a shared view is.
type state uint8

const (
	statePreparing state = iota
	stateReady           // tiled is there
	stateMeasuring       // a call is measuring it
	stateMeasured        // part is there
)

// edited reports whether only the part of the view that differs from a base is measured.
func (s *shared) edited() bool { return s.from != nil || s.fromShared != nil }

// wait waits until another worker has prepared the view. It reports false if that failed, or if v,
// for which the caller waits, was stopped: that is looked at every 10 ms.
func (s *shared) wait(v *view.View) bool {
	for {
		select {
		case <-s.prepared:
			return !s.failed
		case <-time.After(10 * time.Millisecond):
			if v.Stopped() {
				return false
			}
		}
	}
}

// releaseShared ends the caller's use of a shared view. With its last holder the view leaves the
// cache's pending views, its tiles go back to the pool, and the view that it was edited from, which
// it holds, is released in turn.
func (e *Engine) releaseShared(s *shared) {
	for s != nil {
		t := e.tallies
		t.mu.Lock()
		s.holders--
		last := s.holders == 0
		var tiled *batch.Tiled
		var next *shared
		if last {
			if t.pending[s.key] == s {
				delete(t.pending, s.key)
			}
			tiled, next = s.tiled, s.fromShared
			s.tiled, s.fromShared = nil, nil
		}
		t.mu.Unlock()
		if tiled != nil {
			e.pool.giveBack(tiled)
		}
		s = next
	}
}

// tallySeeds are random for each process.
var tallySeeds = sync.OnceValue(func() [2]maphash.Seed { return [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()} })

// keyMaker makes keys. It keeps its memory, and the hashes of the last two scenes, because a view
// and the one before it are prepared one after the other.
type keyMaker struct {
	content []byte
	last    [2]struct {
		scene *scene.Scene
		hash  tallyKey
	}
}

// large reports whether the last scenes were so large that their memory is not kept.
func (m *keyMaker) large() bool { return cap(m.content) > largeBytes/4 }

// of returns the key of a view: a hash of the scene, the bounds, both lists of ids and Edited. A nil
// list of ids, which selects everything or nothing, differs from an empty one.
func (m *keyMaker) of(v *view.View) tallyKey {
	h := m.ofScene(v.Scene)
	w := m.content[:0]
	number := func(n uint64) { w = binary.LittleEndian.AppendUint64(w, n) }
	number(h[0])
	number(h[1])
	for _, x := range [...]float64{v.Bounds.X, v.Bounds.Y, v.Bounds.W, v.Bounds.H} {
		number(math.Float64bits(x))
	}
	for _, ids := range [...][]string{v.Only, v.Other} {
		if ids == nil {
			number(math.MaxUint64)
			continue
		}
		number(uint64(len(ids)))
		for _, id := range ids {
			number(uint64(len(id)))
			w = append(w, id...)
		}
	}
	if v.Edited { // its outcome also holds a delta.Base, so it must not be mixed up with a plain one
		number(1)
	}
	m.content = w
	return hashBoth(w)
}

// ofScene returns the hash of a scene's content, and keeps it for the next views of the same scene:
// m.last holds the latest two, the newer one first.
func (m *keyMaker) ofScene(s *scene.Scene) tallyKey {
	for i := range m.last {
		if m.last[i].scene == s {
			return m.last[i].hash
		}
	}
	m.content = s.AppendContent(m.content[:0])
	h := hashBoth(m.content)
	m.last[1] = m.last[0]
	m.last[0].scene, m.last[0].hash = s, h
	return h
}

// hashBoth returns the hashes of some bytes with both seeds.
func hashBoth(b []byte) tallyKey {
	seeds := tallySeeds()
	return tallyKey{maphash.Bytes(seeds[0], b), maphash.Bytes(seeds[1], b)}
}
