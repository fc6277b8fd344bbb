package render

import (
	"math/bits"
	"sync"
	"unsafe"

	"plumb/render/batch"
)

// Hundreds of prepared views wait for the device, each in its own memory. Slices are pooled by
// size class; otherwise every pooled view would grow to the size of the largest one. Workers
// bin into memory that they keep, and the result is copied into slices that fit.

const (
	// maxPooledBytes bounds the unused memory in the pool: two
	// full batches prepared and two on the device take about as much.
	maxPooledBytes = 24 << 20
	// largeBytes is the size from which memory of workers and views is not kept for reuse:
	// such views are rare, and take so long that allocation does not matter.
	largeBytes = 4 << 20
)

// memoryPool keeps the memory of prepared views that are no longer needed, for further ones.
type memoryPool struct {
	mu          sync.Mutex
	pooledBytes int // bytes
	tileds      []*batch.Tiled

	masks  sliceClasses[batch.MaskRow]
	items  sliceClasses[batch.Item]
	tiles  sliceClasses[batch.Tile]
	runs   sliceClasses[batch.Run]
	solids sliceClasses[batch.Solid]
}

// sliceClasses holds free slices by the binary logarithm of their capacity.
type sliceClasses[T any] [32][][]T

// take returns an empty slice of pooled memory with capacity for n elements, and the bytes that
// left the pool.
func (s *sliceClasses[T]) take(n int) ([]T, int) {
	if n == 0 {
		return nil, 0
	}
	c := bits.Len(uint(n - 1))
	if free := s[c]; len(free) > 0 {
		got := free[len(free)-1]
		free[len(free)-1] = nil
		s[c] = free[:len(free)-1]
		return got, sliceBytes(got)
	}
	return make([]T, 0, 1<<c), 0
}

// put adds a slice to the pool if it takes at most room bytes, and returns the bytes that it
// takes.
func (s *sliceClasses[T]) put(got []T, room int) int {
	size := sliceBytes(got)
	if size == 0 || size > min(room, largeBytes) || cap(got)&(cap(got)-1) != 0 {
		return 0
	}
	c := bits.Len(uint(cap(got) - 1))
	s[c] = append(s[c], got[:0])
	return size
}

// sliceBytes returns the bytes that a slice takes in memory.
func sliceBytes[T any](s []T) int {
	var one T
	return cap(s) * int(unsafe.Sizeof(one))
}

// tiledBytes returns the bytes that all slices of a view take.
func tiledBytes(t *batch.Tiled) int {
	n := sliceBytes(t.Masks) + sliceBytes(t.Items) + sliceBytes(t.Tiles) + sliceBytes(t.Solids)
	for _, r := range t.Runs {
		n += sliceBytes(r)
	}
	return n
}

// copyOf returns a copy of a view in pooled memory, at most about twice as large as the view
// needs.
func (s *memoryPool) copyOf(from *batch.Tiled) *batch.Tiled {
	t := s.takeFor(from)
	t.Width, t.Height, t.Twin, t.AlphaOnly, t.Deepest = from.Width, from.Height, from.Twin, from.AlphaOnly, from.Deepest
	t.Masks = append(t.Masks, from.Masks...)
	t.Items = append(t.Items, from.Items...)
	t.Tiles = append(t.Tiles, from.Tiles...)
	t.Solids = append(t.Solids, from.Solids...)
	for i := range t.Runs {
		t.Runs[i] = append(t.Runs[i], from.Runs[i]...)
	}
	return t
}

// takeFor returns an empty view with capacity for the contents of another.
func (s *memoryPool) takeFor(from *batch.Tiled) *batch.Tiled {
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
		s.pooledBytes -= n
	}
	return t
}

// giveBack adds the memory of a view to the pool; t must not be used after.
func (s *memoryPool) giveBack(t *batch.Tiled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pooledBytes += s.masks.put(t.Masks, maxPooledBytes-s.pooledBytes)
	s.pooledBytes += s.items.put(t.Items, maxPooledBytes-s.pooledBytes)
	s.pooledBytes += s.tiles.put(t.Tiles, maxPooledBytes-s.pooledBytes)
	s.pooledBytes += s.solids.put(t.Solids, maxPooledBytes-s.pooledBytes)
	for i := range t.Runs {
		s.pooledBytes += s.runs.put(t.Runs[i], maxPooledBytes-s.pooledBytes)
	}
	if len(s.tileds) < maxTileds {
		*t = batch.Tiled{}
		s.tileds = append(s.tileds, t)
	}
}

// maxTileds is how many empty views a pool keeps, of some hundred bytes each.
const maxTileds = 2048
