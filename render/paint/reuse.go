package paint

import (
	"slices"

	"plumb/render/chord"
	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/vector"
	"plumb/render/view"
)

// A benchmark draws the same scene before and after each answer, and most shapes do not move. So
// the items and the coverage of shapes are cached between drawings.

// cacheKey holds everything that the items of a geo shape without label depend on, except what
// appendCached sets.
type cacheKey struct {
	id              string
	toPx            vector.Matrix
	width, height   int // of the drawing
	mode            Raster
	version         view.Version
	details         bool // View.Details
	rule            scan.Rule
	visibleInFrames chord.Rect // the canvas that frames leave
	opacity         uint32     // thin strokes apply it to their coverage
	w, h, scale     float64    // of the shape, like all that follow
	geo             scene.GeoKind
	color           scene.Color
	size            scene.Size
	dash            scene.Dash
	fill            scene.Fill
}

// marks are positions in the lists of a drawing or a store.
type marks struct{ items, spans, bytes, pairs int }

// cacheEntry is the range of a store that one shape takes.
type cacheEntry struct {
	from, to marks
	keyOnly  bool // only the key is cached: the shape was seen, but its items are not kept

	isOneDraw, opacityApplied bool // of the shapePlacement
}

// shapeStore holds the items and the coverage of shapes.
type shapeStore struct {
	known        map[cacheKey]cacheEntry
	items        []Item
	coverage     scan.Coverage
	pairs        []Pixel
	chargedBytes int // bytes, counting entries with keyOnly as if they were stored
}

// reset empties the store of cached shapes and keeps its memory.
func (m *shapeStore) reset() {
	clear(m.known)
	m.items, m.pairs = m.items[:0], m.pairs[:0]
	m.coverage.Reset()
	m.chargedBytes = 0
}

func (m *shapeStore) marks() marks {
	return marks{len(m.items), len(m.coverage.Spans), len(m.coverage.Bytes), len(m.pairs)}
}

// reserve makes room for the range between two marks of a drawing.
func (m *shapeStore) reserve(from, to marks) {
	m.coverage.Spans = growDouble(m.coverage.Spans, to.spans-from.spans)
	m.coverage.Bytes = growDouble(m.coverage.Bytes, to.bytes-from.bytes)
	m.pairs = growDouble(m.pairs, to.pairs-from.pairs)
}

// growDouble makes room for n more items or coverage bytes of a drawing and doubles the capacity,
// because the smaller steps of append would copy the memory of a new worker many times.
func growDouble[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, len(s)+n)
}

// size returns the bytes between two marks.
func (m marks) size(to marks) int {
	return 64*(to.items-m.items) + 16*(to.spans-m.spans) + to.bytes - m.bytes + 8*(to.pairs-m.pairs)
}

// cacheBytes is the limit of each of the two stores of a builder in charged bytes; its
// capacity may be twice that. Shapes that take more than a sixteenth of it are not cached.
const cacheBytes = 6 << 20

// entryBytes is what a shape is charged for its place in the map, besides its id and its content.
const entryBytes = 256

// shapeCache is a cache with two generations. New shapes, and hits in the old store, go into the
// young store. When the young store is full, the old one is emptied and they change places, so
// the cache keeps shapes that are used now and then.
//
// Copying shapes that never come again costs time and evicts other data from the processor's
// caches. So when a store filled up without a hit, only keys are cached until the next hit.
type shapeCache struct {
	young, old shapeStore

	hit      bool // there was a hit since the young store was empty
	keysOnly bool // new shapes become entries with keyOnly

	limit int // in place of cacheBytes, set by tests
	hits  int // counted for tests
}

// maxBytes returns how many bytes each of the two stores of cached shapes may hold. They are counted as in
// shapeStore.chargedBytes, with entryBytes for the place of each shape in the map. Tests set a limit of their own.
func (r *shapeCache) maxBytes() int {
	if r.limit > 0 {
		return r.limit
	}
	return cacheBytes
}

// cacheKeyOf returns the key of a shape in the cache of drawn shapes. ok is false for a shape that
// is not cached. Only geo shapes without a label are. None are while Watch is set, which must see
// every path, nor when Build draws a View with Details or Unmeasured: a picture to look at, which
// seldom has a shape in common with the next one.
func (builder *Builder) cacheKeyOf(shape *scene.Shape, growY float64, placement *shapePlacement) (key cacheKey, ok bool) {
	if shape.Kind != scene.Geo || shape.Rich != nil || builder.Watch != nil || !builder.usesCache {
		return key, false
	}
	return cacheKey{
		id: shape.ID, toPx: placement.toPx, width: builder.drawing.Width, height: builder.drawing.Height, mode: builder.mode, version: builder.Version,
		details: builder.details, rule: placement.rule(), visibleInFrames: builder.visibleInFrames, opacity: placement.opacity,
		w: shape.W, h: shape.H + growY, scale: shape.Scale, geo: shape.Geo,
		color: shape.Color, size: shape.Size, dash: shape.Dash, fill: shape.Fill,
	}, true
}

// marks returns the end of the drawing's lists.
func (builder *Builder) marks() marks {
	return marks{len(builder.drawing.Items), len(builder.drawing.Coverage.Spans), len(builder.drawing.Coverage.Bytes), len(builder.drawing.PairPixels)}
}

// appendCached appends the items of the cached shape with that key to the drawing, where placement says, and
// reports whether it did. A shape that is found in the old store is also copied into the young one. If the key
// is known but its items are not stored, it returns false, and from then on items are stored again.
func (builder *Builder) appendCached(key *cacheKey, placement *shapePlacement) bool {
	store := &builder.cached.young
	entry, ok := store.known[*key]
	if !ok {
		store = &builder.cached.old
		entry, ok = store.known[*key]
		if !ok {
			return false
		}
	}
	builder.cached.hit, builder.cached.keysOnly = true, false
	if entry.keyOnly {
		return false
	}
	builder.cached.hits++
	from := builder.marks()
	builder.drawing.Items, builder.drawing.PairPixels = appendRange(store, entry.from, entry.to, builder.drawing.Items, &builder.drawing.Coverage, builder.drawing.PairPixels)
	placement.isOneDraw, placement.opacityApplied = entry.isOneDraw, entry.opacityApplied
	if store == &builder.cached.old {
		builder.cache(key, from, placement)
	}
	for j := range builder.drawing.Items[from.items:] {
		it := &builder.drawing.Items[from.items+j]
		it.InSecondSet, it.Shape, it.Clip = placement.inSecondSet, placement.shape, placement.clip
	}
	return true
}

// cache stores the items and the coverage that were added to the drawing since from in the cache of
// shapes, under key; with keysOnly it stores the key alone. When the young store is full, the
// stores change places. It leaves out shapes without items, those of DrawOnce, and large ones.
func (builder *Builder) cache(key *cacheKey, from marks, placement *shapePlacement) {
	cache := &builder.cached
	size := from.size(builder.marks())
	if size == 0 || builder.dontCache { // the shape lies outside of the picture, or comes once
		return
	}
	size += entryBytes + len(key.id)
	const leastEntries = 16 // fit into a store
	if size > cache.maxBytes()/leastEntries {
		return
	}
	if cache.young.chargedBytes+size > cache.maxBytes() {
		cache.young, cache.old = cache.old, cache.young
		cache.young.reset()
		cache.hit, cache.keysOnly = false, !cache.hit // without a hit, copies are not worth while
	}
	young := &cache.young
	if young.known == nil {
		young.known = map[cacheKey]cacheEntry{}
	}
	young.chargedBytes += size
	if cache.keysOnly {
		young.known[*key] = cacheEntry{keyOnly: true}
		return
	}
	young.reserve(from, builder.marks())
	entry := cacheEntry{isOneDraw: placement.isOneDraw, opacityApplied: placement.opacityApplied, from: young.marks()}
	drawn := shapeStore{items: builder.drawing.Items, coverage: builder.drawing.Coverage, pairs: builder.drawing.PairPixels}
	young.items, young.pairs = appendRange(&drawn, from, builder.marks(), young.items, &young.coverage, young.pairs)
	entry.to = young.marks()
	young.known[*key] = entry
}

// appendRange appends the cached items between two marks of store to items, their coverage to coverage and their
// pairs of pixels to pairs. It changes their positions to those in coverage and pairs, and returns the longer items
// and pairs.
func appendRange(store *shapeStore, from, to marks, items []Item, coverage *scan.Coverage, pairs []Pixel) ([]Item, []Pixel) {
	toSpan := int32(len(coverage.Spans) - from.spans)
	toByte := int32(len(coverage.Bytes) - from.bytes)
	toPair := int32(len(pairs) - from.pairs)
	for _, it := range store.items[from.items:to.items] {
		it.FirstSpan += toSpan
		if it.FirstPairPixel += toPair; it.PairPixelCount == 0 {
			it.FirstPairPixel = 0
		}
		items = append(items, it)
	}
	at := len(coverage.Spans)
	coverage.Spans = append(coverage.Spans, store.coverage.Spans[from.spans:to.spans]...)
	for i := range coverage.Spans[at:] {
		if s := &coverage.Spans[at+i]; s.FirstByte != scan.Full {
			s.FirstByte += toByte
		}
	}
	coverage.Bytes = append(coverage.Bytes, store.coverage.Bytes[from.bytes:to.bytes]...)
	return items, append(pairs, store.pairs[from.pairs:to.pairs]...)
}
