package render

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"plumb/render/batch"
)

// viewOf makes a view with n of everything.
func viewOf(n int) *batch.Tiled {
	t := &batch.Tiled{Width: n, Height: 2 * n, CPUOnly: n%2 == 1}
	for i := range n {
		t.Masks = append(t.Masks, batch.MaskRow{byte(i)})
		t.Items = append(t.Items, batch.Item{FirstRow: uint32(i)})
		t.Tiles = append(t.Tiles, batch.Tile{FirstItem: uint32(i)})
		t.Solids = append(t.Solids, batch.Solid{X: uint32(i)})
		for c := range t.Runs {
			t.Runs[c] = append(t.Runs[c], batch.Run{FirstTile: uint32(i + c)})
		}
	}
	return t
}

// Memory that goes back and forth between small views and large ones stays what
// the views need: none of the small ones keeps the memory of a large one.
func TestShelfGivesWhatFits(t *testing.T) {
	var s memoryPool
	rng := rand.New(rand.NewPCG(1, 2))
	var out []*batch.Tiled
	need, most := 0, 0
	for range 20_000 {
		if len(out) > 300 || len(out) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(out))
			need -= tiledBytes(out[i])
			s.giveBack(out[i])
			out[i] = out[len(out)-1]
			out = out[:len(out)-1]
			continue
		}
		n := rng.IntN(40)
		if rng.IntN(50) == 0 {
			n = 2000
		}
		from := viewOf(n)
		got := s.copyOf(from)
		if n > 0 && !reflect.DeepEqual(got, from) {
			t.Fatalf("a copy of %d records differs", n)
		}
		if got, want := tiledBytes(got), 2*tiledBytes(from); got > want {
			t.Fatalf("a view of %d bytes took %d", want/2, got)
		}
		out = append(out, got)
		need += tiledBytes(got)
		most = max(most, need)
	}
	for _, v := range out {
		s.giveBack(v)
	}
	if s.pooledBytes > maxPooledBytes || s.pooledBytes > 3*most {
		t.Errorf("%d bytes in the pool; want at most three times the %d that were in use at a time", s.pooledBytes, most)
	}
}

// The size of the pool is bounded, and large memory is never kept.
func TestShelfIsBounded(t *testing.T) {
	var s memoryPool
	held := make([]*batch.Tiled, 0, 200)
	from := viewOf(4000)
	for range cap(held) {
		held = append(held, s.copyOf(from))
	}
	for _, v := range held {
		s.giveBack(v)
	}
	if s.pooledBytes > maxPooledBytes || s.pooledBytes < maxPooledBytes/2 {
		t.Errorf("%d bytes in the pool; want nearly %d", s.pooledBytes, maxPooledBytes)
	}
	var large memoryPool
	v := new(batch.Tiled)
	v.Masks = make([]batch.MaskRow, largeBytes/16+1)
	large.giveBack(large.copyOf(v))
	if large.pooledBytes != 0 {
		t.Errorf("%d bytes of a large view were kept", large.pooledBytes)
	}
	var used memoryPool
	if n := testing.AllocsPerRun(50, func() { used.giveBack(used.copyOf(from)) }); n > 0 {
		t.Errorf("%v allocations for a view whose memory is in the pool", n)
	}
}

// A worker that has drawn a large view does not stay large.
func TestWorkersGetSlim(t *testing.T) {
	e := open(t, BackendCPU)
	w := e.Worker()
	w.drawing.Items = append(w.drawing.Items[:0], selfTestDrawing().Items...)
	w.dropLargeMemory()
	if len(w.drawing.Items) == 0 {
		t.Error("a small drawing's memory was dropped")
	}
	w.tiled.Masks = make([]batch.MaskRow, largeBytes/16+1)
	w.dropLargeMemory()
	if w.tiled.Masks != nil || w.drawing.Items != nil || w.engine != e || w.builder.Version != e.version {
		t.Error("the memory of a large view was kept, or more was lost than memory")
	}
}
