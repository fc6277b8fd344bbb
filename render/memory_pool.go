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
	pooledBytes int // of the slices in the pool
	tiledViews  []*batch.Tiled

	masks  sliceClasses[batch.MaskRow]
	items  sliceClasses[batch.Item]
	tiles  sliceClasses[batch.Tile]
	runs   sliceClasses[batch.Run]
	solids sliceClasses[batch.Solid]
}

// sliceClasses holds free slices by the binary logarithm of their capacity.
type sliceClasses[T any] [32][][]T

// take returns an empty slice with capacity for n elements, rounded up to a power of two. taken is
// how many bytes left the pool: 0 if the slice is a new one.
func (s *sliceClasses[T]) take(n int) (slice []T, taken int) {
	if n == 0 {
		return nil, 0
	}
	class := bits.Len(uint(n - 1)) // the least class with 1<<class >= n
	if free := s[class]; len(free) > 0 {
		last := len(free) - 1
		slice, free[last] = free[last], nil
		s[class] = free[:last]
		return slice, sliceBytes(slice)
	}
	return make([]T, 0, 1<<class), 0
}

// put adds a slice to the pool and returns the bytes that it takes. It leaves out, and returns 0
// for, a slice larger than room or largeBytes, and one whose capacity is no power of two.
func (s *sliceClasses[T]) put(slice []T, room int) int {
	size := sliceBytes(slice)
	isPowerOfTwo := cap(slice)&(cap(slice)-1) == 0
	if size == 0 || size > min(room, largeBytes) || !isPowerOfTwo {
		return 0
	}
	class := bits.Len(uint(cap(slice) - 1))
	s[class] = append(s[class], slice[:0])
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
// needs. The caller gives it back with giveBack.
func (s *memoryPool) copyOf(from *batch.Tiled) *batch.Tiled {
	t := s.takeFor(from)
	t.Width, t.Height, t.Deepest = from.Width, from.Height, from.Deepest
	t.CPUOnly, t.AlphaOnly = from.CPUOnly, from.AlphaOnly
	t.Masks = append(t.Masks, from.Masks...)
	t.Items = append(t.Items, from.Items...)
	t.Tiles = append(t.Tiles, from.Tiles...)
	t.Solids = append(t.Solids, from.Solids...)
	for i := range t.Runs {
		t.Runs[i] = append(t.Runs[i], from.Runs[i]...)
	}
	return t
}

// takeFor returns an empty view whose slices, from the pool where it has them, have capacity for the
// contents of another view.
func (s *memoryPool) takeFor(from *batch.Tiled) *batch.Tiled {
	s.mu.Lock()
	defer s.mu.Unlock()
	var tiled *batch.Tiled
	if n := len(s.tiledViews); n > 0 {
		tiled, s.tiledViews[n-1] = s.tiledViews[n-1], nil
		s.tiledViews = s.tiledViews[:n-1]
	} else {
		tiled = new(batch.Tiled)
	}
	var taken int // bytes of one slice
	tiled.Masks, taken = s.masks.take(len(from.Masks))
	s.pooledBytes -= taken
	tiled.Items, taken = s.items.take(len(from.Items))
	s.pooledBytes -= taken
	tiled.Tiles, taken = s.tiles.take(len(from.Tiles))
	s.pooledBytes -= taken
	tiled.Solids, taken = s.solids.take(len(from.Solids))
	s.pooledBytes -= taken
	for i := range tiled.Runs {
		tiled.Runs[i], taken = s.runs.take(len(from.Runs[i]))
		s.pooledBytes -= taken
	}
	return tiled
}

// giveBack adds the slices of a view to the pool as far as maxPooledBytes leaves room, and leaves
// the rest to the garbage collector. The caller must not use t afterwards.
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
	if len(s.tiledViews) < maxTiledViews {
		*t = batch.Tiled{}
		s.tiledViews = append(s.tiledViews, t)
	}
}

// maxTiledViews is how many empty views a pool keeps, of some hundred bytes each.
const maxTiledViews = 2048
