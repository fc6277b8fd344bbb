package paint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"plumb/render/scene"
	"plumb/render/view"
)

// TestCacheChangesNothing compares drawings of a used builder with those of a new one, bit for bit.
func TestCacheChangesNothing(t *testing.T) {
	t.Run("roomy", func(t *testing.T) { cacheChangesNothing(t, 0) })
	t.Run("tight", func(t *testing.T) { cacheChangesNothing(t, 300<<10) })
}

// cacheChangesNothing draws with a cache of so many bytes, 0 for the default.
func cacheChangesNothing(t *testing.T, limit int) {
	views := balanceViews(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var used Builder
	used.cached.limit = limit
	d, fresh := new(Drawing), new(Drawing)
	for i := range 400 {
		v := views[(i/2)%(len(views)/2)*2+i%2] // before, after, before, ...
		if rng.IntN(4) == 0 {
			v = views[rng.IntN(len(views))]
		}
		if rng.IntN(8) == 0 {
			v.Bounds.W -= 100
		}
		mode := Raster(rng.IntN(8) / 7)
		if err := used.Build(v, mode, d); err != nil {
			t.Fatal(err)
		}
		var b Builder
		if err := b.Build(v, mode, fresh); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Items, fresh.Items) || !slices.Equal(d.Groups, fresh.Groups) ||
			!slices.Equal(d.Coverage.Spans, fresh.Coverage.Spans) || !slices.Equal(d.Coverage.Bytes, fresh.Coverage.Bytes) {
			t.Fatalf("drawing %d differs from that of a fresh builder", i)
		}
	}
	if hits, held := used.cached.hits, (marks{}).size(used.cached.young.marks()); hits < 300 || held > used.cached.maxBytes() {
		t.Errorf("%d shapes were drawn from the cache, which holds %d bytes", hits, held)
	}
}

// TestCacheKey checks that the cache misses when the frame around a shape has changed, or its
// opacity, which thin strokes apply to their coverage.
func TestCacheKey(t *testing.T) {
	scene := func(frame, opacity, scale float64) *scene.Scene {
		return sceneOf(t, fmt.Appendf(nil, `{"shapes":[
			{"id":"shape:f","type":"frame","x":0,"y":0,"props":{"w":%g,"h":%g}},
			{"id":"shape:a","parentId":"shape:f","type":"geo","x":50,"y":20,"opacity":%g,"props":{"w":200,"h":60,"dash":"solid","size":"s","scale":%g}},
			{"id":"shape:b","type":"geo","x":10,"y":200,"opacity":%g,"props":{"w":200,"h":60,"dash":"draw","size":"s","scale":%g}}]}`,
			frame, frame, opacity, scale, opacity, scale))
	}
	var used Builder
	d, fresh := new(Drawing), new(Drawing)
	for range 2 {
		for _, frame := range []float64{100, 300} {
			for _, opacity := range []float64{1, 0.5, 0.25} {
				for _, scale := range []float64{0.25, 1} {
					v := view.View{Scene: scene(frame, opacity, scale), Bounds: view.Box{W: 320, H: 320}}
					for range 3 {
						var b Builder
						if err := errors.Join(used.Build(v, Reference, d), b.Build(v, Reference, fresh)); err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(d.Items, fresh.Items) || !slices.Equal(d.Groups, fresh.Groups) || !slices.Equal(d.Coverage.Bytes, fresh.Coverage.Bytes) {
							t.Fatalf("in a frame of %g px, opacity %g, scale %g: differs from a fresh builder's", frame, opacity, scale)
						}
					}
				}
			}
		}
	}
	if used.cached.hits == 0 {
		t.Error("nothing was hits")
	}
}

// TestCacheOfKeysOnly checks that without hits only keys are cached after a while, and that shapes
// that come three times are drawn from the cache again.
func TestCacheOfKeysOnly(t *testing.T) {
	v := balanceViews(t)[0]
	var b Builder
	b.cached.limit = 1 << 20
	d := new(Drawing)
	draw := func() {
		t.Helper()
		if err := b.Build(v, Reference, d); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		v.Bounds.X++
		draw()
	}
	if r := &b.cached; !r.keysOnly || len(r.young.coverage.Spans) > 0 || r.young.chargedBytes == 0 || r.young.chargedBytes > r.maxBytes() {
		t.Errorf("after 100 different drawings: idle is %t, %d spans are kept, %d bytes charged; want true, 0, and 1 to %d",
			r.keysOnly, len(r.young.coverage.Spans), r.young.chargedBytes, r.maxBytes())
	}
	v.Bounds.X = -1
	for i, want := range []int{0, 0, len(v.FirstIDs)} {
		before := b.cached.hits
		draw()
		if got := b.cached.hits - before; got != want {
			t.Errorf("time %d: %d shapes were drawn from the cache; want %d", i+1, got, want)
		}
	}
}

// The cache of a worker is bounded for any shapes: with ids of any length, and off the picture.
func TestCacheIsBounded(t *testing.T) {
	var b Builder
	b.cached.limit = 1 << 20
	d := new(Drawing)
	for i := range 2000 {
		id := strings.Repeat("x", i*31%60_000) + strconv.Itoa(i)
		x := float64(i % 3 * 4000) // two of three lie outside
		s := &scene.Scene{Shapes: []scene.Shape{{ID: id, Kind: scene.Geo, Parent: -1, X: x, W: 9, H: 9, Opacity: 1, Scale: 1}}}
		if err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 20, H: 20}}, Reference, d); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*shapeStore{&b.cached.young, &b.cached.old} {
			held := 0
			for w := range m.known {
				held += int(unsafe.Sizeof(w)+unsafe.Sizeof(cacheEntry{})) + len(w.id)
			}
			if held += (marks{}).size(m.marks()); held > b.cached.maxBytes() {
				t.Fatalf("after %d shapes a memory holds %d bytes in %d entries; want at most %d", i+1, held, len(m.known), b.cached.maxBytes())
			}
		}
	}
	if len(b.cached.young.known)+len(b.cached.old.known) == 0 {
		t.Error("nothing was cached")
	}
}

// TestCacheFaintStroke checks that a cached thin stroke is composited as an uncached one.
func TestCacheFaintStroke(t *testing.T) {
	s := board(t, `[{"id":"shape:a","type":"line","opacity":0.5,"props":{"size":"s","scale":0.25,"dash":"solid","points":{
		"a":{"id":"a","index":"a1","x":10,"y":10},"b":{"id":"b","index":"a2","x":60,"y":40}}}}]`)
	var b Builder
	d := new(Drawing)
	for i := range 4 {
		if err := b.Build(view.View{Scene: s, Bounds: view.Box{X: 0, Y: 0, W: 100, H: 100}}, Reference, d); err != nil {
			t.Fatal(err)
		}
		if len(d.Groups) != 1 || len(d.Items) != 1 || d.Items[0].Group != 1 {
			t.Errorf("time %d: %d groups, items %+v; want one item in a group", i+1, len(d.Groups), d.Items)
		}
	}
}
