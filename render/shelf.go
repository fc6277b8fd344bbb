package render

import (
	"math/bits"
	"sync"
	"unsafe"

	"plumb/render/batch"
)

// Prepared views wait for the device by the hundred, each in memory of its own.
// Memory that were handed out as it came back would in time be as large
// everywhere as the largest view, so it is handed out by size: workers bin into
// memory that they keep, and what came of it is copied into slices that fit.

const (
	// shelfBytes is the most memory that lies unused on a shelf: two
	// full batches prepared and two on the device take about as much.
	shelfBytes = 24 << 20
	// largeBytes is from what size on memory is left to the collector, after use
	// by a worker as by a view: such views are rare, and take so long that new
	// memory does not show.
	largeBytes = 4 << 20
)

// shelf keeps the memory of prepared views that are no longer needed.
type shelf struct {
	mu     sync.Mutex
	kept   int // bytes
	tileds []*batch.Tiled

	masks  sizes[batch.MaskRow]
	items  sizes[batch.Item]
	tiles  sizes[batch.Tile]
	runs   sizes[batch.Run]
	solids sizes[batch.Solid]
}

// sizes holds slices by the power of two that is their capacity.
type sizes[T any] [32][][]T

// take returns a slice with room for n elements, and the bytes that left the shelf.
func (s *sizes[T]) take(n int) ([]T, int) {
	if n == 0 {
		return nil, 0
	}
	c := bits.Len(uint(n - 1))
	if free := s[c]; len(free) > 0 {
		got := free[len(free)-1]
		free[len(free)-1] = nil
		s[c] = free[:len(free)-1]
		return got, volume(got)
	}
	return make([]T, 0, 1<<c), 0
}

// put lays a slice on the shelf where there is room bytes left, and returns what
// it takes up there.
func (s *sizes[T]) put(got []T, room int) int {
	size := volume(got)
	if size == 0 || size > min(room, largeBytes) || cap(got)&(cap(got)-1) != 0 {
		return 0
	}
	c := bits.Len(uint(cap(got) - 1))
	s[c] = append(s[c], got[:0])
	return size
}

// volume is what a slice takes up, in bytes.
func volume[T any](s []T) int {
	var one T
	return cap(s) * int(unsafe.Sizeof(one))
}

// weight is what all slices of a view take up, in bytes.
func weight(t *batch.Tiled) int {
	n := volume(t.Masks) + volume(t.Items) + volume(t.Tiles) + volume(t.Solids)
	for _, r := range t.Runs {
		n += volume(r)
	}
	return n
}

// copied returns a copy of a view that takes no more memory than about twice of
// what it needs.
func (s *shelf) copied(from *batch.Tiled) *batch.Tiled {
	t := s.fitting(from)
	t.Width, t.Height, t.Twin, t.Deepest = from.Width, from.Height, from.Twin, from.Deepest
	t.Masks = append(t.Masks, from.Masks...)
	t.Items = append(t.Items, from.Items...)
	t.Tiles = append(t.Tiles, from.Tiles...)
	t.Solids = append(t.Solids, from.Solids...)
	for i := range t.Runs {
		t.Runs[i] = append(t.Runs[i], from.Runs[i]...)
	}
	return t
}

// fitting returns an empty view with room for what another one holds.
func (s *shelf) fitting(from *batch.Tiled) *batch.Tiled {
	s.mu.Lock()
	defer s.mu.Unlock()
	var t *batch.Tiled
	if n := len(s.tileds); n > 0 {
		t, s.tileds[n-1] = s.tileds[n-1], nil
		s.tileds = s.tileds[:n-1]
	} else {
		t = new(batch.Tiled)
	}
	var took [4 + len(t.Runs)]int
	t.Masks, took[0] = s.masks.take(len(from.Masks))
	t.Items, took[1] = s.items.take(len(from.Items))
	t.Tiles, took[2] = s.tiles.take(len(from.Tiles))
	t.Solids, took[3] = s.solids.take(len(from.Solids))
	for i := range t.Runs {
		t.Runs[i], took[4+i] = s.runs.take(len(from.Runs[i]))
	}
	for _, n := range took {
		s.kept -= n
	}
	return t
}

// giveBack takes the memory of a view apart; t must not be used after.
func (s *shelf) giveBack(t *batch.Tiled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept += s.masks.put(t.Masks, shelfBytes-s.kept)
	s.kept += s.items.put(t.Items, shelfBytes-s.kept)
	s.kept += s.tiles.put(t.Tiles, shelfBytes-s.kept)
	s.kept += s.solids.put(t.Solids, shelfBytes-s.kept)
	for i := range t.Runs {
		s.kept += s.runs.put(t.Runs[i], shelfBytes-s.kept)
	}
	if len(s.tileds) < maxTileds {
		*t = batch.Tiled{}
		s.tileds = append(s.tileds, t)
	}
}

// maxTileds is how many empty views a shelf keeps: some hundred bytes each.
const maxTileds = 2048
