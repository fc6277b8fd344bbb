package outline

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestReuseChangesNothing: a builder that has drawn something gives the drawing
// that a fresh one gives, bit for bit.
func TestReuseChangesNothing(t *testing.T) {
	t.Run("roomy", func(t *testing.T) { reuseChangesNothing(t, 0) })
	t.Run("tight", func(t *testing.T) { reuseChangesNothing(t, 300<<10) })
}

// reuseChangesNothing draws with a memory of so many bytes, 0 for the usual.
func reuseChangesNothing(t *testing.T, limit int) {
	views := balanceViews(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var used Builder
	used.reuse.limit = limit
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
	if recalled, held := used.reuse.recalled, (marks{}).size(used.reuse.young.marks()); recalled < 300 || held > used.reuse.most() {
		t.Errorf("%d shapes were drawn from memory, which holds %d bytes", recalled, held)
	}
}
