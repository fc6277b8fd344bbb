package aspire

import (
	"hash/maphash"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/render/scene"
)

// initial is the whiteboard of a task as its items give it. Items may share one, so it is read-only.
// See docs/spec/raster.md#r45.
type initial struct {
	shapes []scene.Record
	bytes  int // estimated; of a shared one

	once  sync.Once
	scene *scene.Scene // set by resolved
	err   error
}

// resolved returns the scene of the shapes. It resolves them once.
func (i *initial) resolved(lim scene.Limits) (*scene.Scene, error) {
	i.once.Do(func() { i.scene, i.err = resolve(i.shapes, lim, nil) })
	return i.scene, i.err
}

// initials keeps decoded whiteboards by the content of their JSON, because many items answer one
// task. The least recently used go first. Keys are two hashes of 64 bits with random seeds, so that
// nobody can make two whiteboards collide.
type initials struct {
	budget int // bytes
	seeds  [2]maphash.Seed

	mu    sync.Mutex // guards the rest
	known *simplelru.LRU[initialKey, *initial]
	bytes int
}

// initialKey identifies the initial whiteboard of an item.
type initialKey [2]uint64

// keepContent bounds the bytes of a workspace that are used again for keys.
const keepContent = 1 << 20

// newInitials returns a cache of that many bytes, nil for 0.
func newInitials(budget int) *initials {
	if budget <= 0 {
		return nil
	}
	c := &initials{budget: budget, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	// The list is bounded by bytes, not by its length.
	c.known, _ = simplelru.NewLRU(math.MaxInt32, func(_ initialKey, i *initial) { c.bytes -= i.bytes })
	return c
}

// keyOf returns the key of a content.
func (c *initials) keyOf(content []byte) initialKey {
	return initialKey{maphash.Bytes(c.seeds[0], content), maphash.Bytes(c.seeds[1], content)}
}

// find returns the whiteboard with this key, or nil.
func (c *initials) find(k initialKey) *initial {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, _ := c.known.Get(k)
	return i
}

// keep adds a whiteboard unless it takes more than an eighth of the cache.
func (c *initials) keep(k initialKey, i *initial) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i.bytes > c.budget/8 || c.known.Contains(k) {
		return
	}
	c.known.Add(k, i)
	c.bytes += i.bytes
	for c.bytes > c.budget {
		c.known.RemoveOldest()
	}
}

// initialOf returns the whiteboard of an item. It decodes one that is not known.
func (w *workspace) initialOf(item *fastjson.Value) (*initial, error) {
	s, list := w.suite, item.Get("shapes")
	if s.initials == nil || list == nil || len(list.GetArray()) > keepRecords {
		shapes, err := s.readShapes(list)
		return &initial{shapes: shapes}, err
	}
	w.content = jsontree.AppendContent(w.content[:0], list)
	k := s.initials.keyOf(w.content)
	if i := s.initials.find(k); i != nil {
		return i, nil
	}
	shapes, err := s.readShapes(list)
	if err != nil {
		return nil, err
	}
	i := &initial{shapes: shapes}
	if !slices.ContainsFunc(shapes, func(r scene.Record) bool { return hasNoPoints(r) || r.Valid(s.limits) != nil }) { // resolve would change them
		const perShape = unsafe.Sizeof(scene.Record{}) + unsafe.Sizeof(scene.Shape{})
		i.bytes = 500 + len(shapes)*int(perShape) + 4*len(w.content) // texts become trees of spans
		s.initials.keep(k, i)
	}
	return i, nil
}
