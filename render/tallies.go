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
	const entryBytes = 400 // the outcome, its key, its places in the list and the map
	if o.base == nil {
		return entryBytes
	}
	return entryBytes + o.base.Bytes()
}

// tallyCache keeps the outcomes of views by content. Views that are prepared but not measured yet are
// in it too, so that equal ones are computed once. See docs/spec/raster.md#r45.
type tallyCache struct {
	budget int // bytes

	mu       sync.Mutex // guards the rest
	pending  map[tallyKey]*sharedView
	outcomes *simplelru.LRU[tallyKey, *outcome]
	stats    TallyStats

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

// newTallyCache returns an empty cache that holds at most budget bytes, or nil for a budget of 0 or
// less: then nothing is cached.
func newTallyCache(budget int) *tallyCache {
	if budget <= 0 {
		return nil
	}
	t := &tallyCache{budget: budget, pending: map[tallyKey]*sharedView{}}
	// The list is bounded by bytes, not by its length.
	t.outcomes, _ = simplelru.NewLRU(math.MaxInt32, func(_ tallyKey, o *outcome) { t.stats.Bytes -= o.bytes() })
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
	s.Entries = t.outcomes.Len()
	return s
}

// ForgetTallies empties the cache of tallies and the pictures that are kept for edits, so that a
// measurement begins as after the start.
func (e *Engine) ForgetTallies() {
	if t := e.tallies; t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.outcomes.Purge()
		t.pictures, t.stats.ImageBytes = nil, 0
	}
}

// find looks for the view with key k. It returns its outcome if it is known, else the shared view
// that will have one, which the caller then holds and must release. If there is neither, it makes a
// shared view; isNew says that the caller must prepare it for all.
func (t *tallyCache) find(k tallyKey) (o *outcome, s *sharedView, isNew bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.pending[k]; s != nil {
		s.holders++
		t.stats.Shared++
		return nil, s, false
	}
	if o, ok := t.outcomes.Get(k); ok {
		t.stats.Hits++
		return o, nil, false
	}
	s = &sharedView{key: k, holders: 1, prepared: make(chan struct{})}
	t.pending[k] = s
	return nil, s, true
}

// findBase looks for the view with key k, which another one was edited from. It returns its outcome.
// If the view is prepared but not measured yet, it returns the shared view instead, which the caller
// then holds and must release. Both are nil if the view is not known or still being prepared, because
// then its layers cannot be compared. Unlike find it makes nothing and counts no hit.
func (t *tallyCache) findBase(k tallyKey) (*outcome, *sharedView) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.pending[k]; s != nil && s.state != statePreparing {
		s.holders++
		return nil, s
	}
	o, _ := t.outcomes.Get(k)
	return o, nil
}

// keep adds an outcome to the cache and makes room for it. One that would take a large share of the
// budget is left out, so that it does not push out many others. The caller holds mu.
func (t *tallyCache) keep(k tallyKey, o *outcome) {
	maxSize := t.budget / 8
	size := o.bytes()
	if size > maxSize || t.outcomes.Contains(k) {
		return
	}
	t.outcomes.Add(k, o)
	t.stats.Bytes += size
	t.makeRoom()
}

// makeRoom removes the oldest outcomes until the cache is within its budget, of which pictures take at most half.
// The caller holds mu.
func (t *tallyCache) makeRoom() {
	for t.stats.Bytes > t.budget-t.stats.ImageBytes {
		t.outcomes.RemoveOldest()
	}
}

// sharedView is a view that is prepared or measured for all that hold it.
type sharedView struct {
	key      tallyKey
	prepared chan struct{} // closed once the view is prepared or has failed

	// The worker that prepares the view sets these before it closes prepared.
	failed        bool
	width, height int
	base          *delta.Base  // what edits of this view are compared with; only of a view with Edited
	before        *outcome     // of an edit: the view that it was edited from, if that was measured
	beforeShared  *sharedView  // of an edit: the same if it is not measured yet; held
	redrawn       batch.Region // of an edit: the tiles that tiled holds
	workBefore    int          // of an edit: the work of the view before, if it was prepared for this one

	// tallies.mu guards these.
	holders    int // calls that must still release the view
	state      state
	tiled      *batch.Tiled  // its tiles, until they are measured
	measured   chan struct{} // closed when the call that measures the view has ended
	tiledTally metric.Tally  // of the tiles; of an edit that is not all
	outcome    *outcome      // set by outcomeOf, once the views before it are measured too
}

// state says how far a shared view is.
type state uint8

const (
	statePreparing state = iota
	stateReady           // tiled is set
	stateMeasuring       // a call is measuring tiled
	stateMeasured        // tiledTally is set
)

// isEdit reports whether only the part of the view that differs from a base is measured.
func (s *sharedView) isEdit() bool { return s.before != nil || s.beforeShared != nil }

// wait waits until another worker has prepared the view. It reports false if that failed, or if v,
// the view for which the caller waits, was stopped, which it checks every 10 ms.
func (s *sharedView) wait(v *view.View) bool {
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
func (e *Engine) releaseShared(s *sharedView) {
	for s != nil {
		t := e.tallies
		t.mu.Lock()
		s.holders--
		last := s.holders == 0
		var tiled *batch.Tiled
		var next *sharedView
		if last {
			if t.pending[s.key] == s {
				delete(t.pending, s.key)
			}
			tiled, next = s.tiled, s.beforeShared
			s.tiled, s.beforeShared = nil, nil
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
	latest  [2]struct {
		scene *scene.Scene
		hash  tallyKey
	}
}

// isLarge reports whether the last scenes were so large that their memory is not kept.
func (m *keyMaker) isLarge() bool { return cap(m.content) > largeBytes/4 }

// ofView returns the key of a view: a hash of the scene, the bounds, both lists of ids and Edited. A nil
// list of ids, which selects everything or nothing, differs from an empty one.
func (m *keyMaker) ofView(v *view.View) tallyKey {
	sceneHash := m.ofScene(v.Scene)
	content := m.content[:0]
	add := func(n uint64) { content = binary.LittleEndian.AppendUint64(content, n) }
	add(sceneHash[0])
	add(sceneHash[1])
	for _, x := range [...]float64{v.Bounds.X, v.Bounds.Y, v.Bounds.W, v.Bounds.H} {
		add(math.Float64bits(x))
	}
	// Lengths come before the ids, so that no two lists give the same bytes.
	for _, ids := range [...][]string{v.FirstIDs, v.SecondIDs} {
		if ids == nil {
			add(math.MaxUint64) // no list is so long
			continue
		}
		add(uint64(len(ids)))
		for _, id := range ids {
			add(uint64(len(id)))
			content = append(content, id...)
		}
	}
	if v.Edited { // its outcome also holds a delta.Base, so it must not be mixed up with a plain one
		add(1)
	}
	m.content = content
	return hashBoth(content)
}

// ofScene returns the hash of a scene's content, and keeps it for the next views of the same scene:
// m.latest holds the latest two, the newer one first. Scenes must not change, as they are known by address.
func (m *keyMaker) ofScene(s *scene.Scene) tallyKey {
	for i := range m.latest {
		if m.latest[i].scene == s {
			return m.latest[i].hash
		}
	}
	m.content = s.AppendContent(m.content[:0])
	h := hashBoth(m.content)
	m.latest[1] = m.latest[0]
	m.latest[0].scene, m.latest[0].hash = s, h
	return h
}

// hashBoth returns two hashes of some bytes, with seeds that are random for this process: together they
// identify the bytes.
func hashBoth(b []byte) tallyKey {
	seeds := tallySeeds()
	return tallyKey{maphash.Bytes(seeds[0], b), maphash.Bytes(seeds[1], b)}
}
