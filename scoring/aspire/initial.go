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

// initialBoard is the whiteboard of a task as its items give it. Items may share one, so it is read-only.
// See docs/spec/raster.md#r45.
type initialBoard struct {
	shapes []scene.Record
	bytes  int // estimated; of a shared one

	once  sync.Once
	scene *scene.Scene // set by resolved
	err   error
}

// resolved returns the scene of the shapes, which it resolves on the first call.
func (b *initialBoard) resolved(limits scene.Limits) (*scene.Scene, error) {
	b.once.Do(func() { b.scene, b.err = resolve(b.shapes, limits, nil) })
	return b.scene, b.err
}

// boardCache keeps decoded whiteboards by the content of their JSON, because many items answer one task. The
// least recently used go first. Keys are two hashes of 64 bits with random seeds. Only the hashes are compared:
// 128 bits do not collide by chance, and with random seeds nobody can make two whiteboards collide on purpose.
type boardCache struct {
	budget int // bytes
	seeds  [2]maphash.Seed

	mu    sync.Mutex // guards the rest
	byKey *simplelru.LRU[boardKey, *initialBoard]
	bytes int // estimated, of all boards in it
}

// boardKey identifies the initial whiteboard of an item.
type boardKey [2]uint64

// keepContent bounds the bytes of a workspace that are used again for keys.
const keepContent = 1 << 20

// newBoardCache returns a cache of initial whiteboards with a budget in bytes, or nil for 0. Many
// answers share one whiteboard. The seeds are for the hashes that are its keys.
func newBoardCache(budget int) *boardCache {
	if budget <= 0 {
		return nil
	}
	cache := &boardCache{budget: budget, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	// The list is bounded by bytes, not by its length.
	cache.byKey, _ = simplelru.NewLRU(math.MaxInt32, func(_ boardKey, removed *initialBoard) { cache.bytes -= removed.bytes })
	return cache
}

// key returns the key of a content.
func (cache *boardCache) key(content []byte) boardKey {
	return boardKey{maphash.Bytes(cache.seeds[0], content), maphash.Bytes(cache.seeds[1], content)}
}

// find returns the initial whiteboard with this key from the cache, or nil, and marks it as used.
func (cache *boardCache) find(k boardKey) *initialBoard {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	i, _ := cache.byKey.Get(k)
	return i
}

// keep adds an initial whiteboard to the cache and removes the least recently used ones beyond the
// budget. It does not add one that takes more than an eighth of the cache.
func (cache *boardCache) keep(k boardKey, board *initialBoard) {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if board.bytes > cache.budget/8 || cache.byKey.Contains(k) {
		return
	}
	cache.byKey.Add(k, board)
	cache.bytes += board.bytes
	for cache.bytes > cache.budget {
		cache.byKey.RemoveOldest()
	}
}

// initialBoardOf returns the initial whiteboard of an ASPIRE item, from the cache if an item with equal
// shapes came before. Very long lists of shapes are not cached, nor are lists that resolve would
// change, because items share a cached board.
func (workspace *workspace) initialBoardOf(item *fastjson.Value) (*initialBoard, error) {
	suite, list := workspace.suite, item.Get("shapes")
	if suite.boards == nil || list == nil || len(list.GetArray()) > keepRecords {
		shapes, err := suite.readShapes(list)
		return &initialBoard{shapes: shapes}, err
	}
	workspace.content = jsontree.AppendContent(workspace.content[:0], list)
	key := suite.boards.key(workspace.content)
	if board := suite.boards.find(key); board != nil {
		return board, nil
	}
	shapes, err := suite.readShapes(list)
	if err != nil {
		return nil, err
	}
	board := &initialBoard{shapes: shapes}
	resolveChanges := func(r scene.Record) bool { return hasNoPoints(r) || r.Valid(suite.limits) != nil }
	if !slices.ContainsFunc(shapes, resolveChanges) {
		// An estimate: 500 for the board, the shapes and their records, and 4 times the JSON, whose texts
		// become trees of spans.
		const perShape = unsafe.Sizeof(scene.Record{}) + unsafe.Sizeof(scene.Shape{})
		board.bytes = 500 + len(shapes)*int(perShape) + 4*len(workspace.content)
		suite.boards.keep(key, board)
	}
	return board, nil
}
