package paint

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"plumb/render/view"
	"plumb/testdata"
)

// TestBalanceScenesLookAlike draws the balance scenes before and after the answer and compares
// their alpha with the pictures of the real editor. See docs/spec/raster.md#r44.
func TestBalanceScenesLookAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 140 pictures")
	}
	var all []likeness
	var b Builder
	d := new(Drawing)
	exportedScenes(t, func(e *exported) {
		if e.Kind != "balance" {
			return
		}
		s := e.scene(t)
		before := []string{}
		for i := range s.Shapes {
			if s.Shapes[i].ID != e.Added[0].ID {
				before = append(before, s.Shapes[i].ID)
			}
		}
		for name, only := range map[string][]string{"before": before, "after": nil} {
			if err := b.Build(view.View{Scene: s, Bounds: e.bounds(), FirstIDs: only}, Reference, d); err != nil {
				t.Fatalf("%s: %v", e.ID, err)
			}
			all = append(all, compareAlpha(e.ID+"-"+name, rasterAlpha(d), testdata.Grey(t, "tldraw/"+e.Images[name].File)))
		}
	})
	judge(t, all)
}

// TestLabelShapesLookAlike is TestBalanceScenesLookAlike for the shapes of the label scenes.
func TestLabelShapesLookAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 70 pictures")
	}
	var all []likeness
	var b Builder
	d := new(Drawing)
	exportedScenes(t, func(e *exported) {
		if e.Kind != "label" {
			return
		}
		s := e.scene(t)
		only := []string{}
		for i := range s.Shapes {
			if s.Shapes[i].ID != e.Added[0].ID {
				only = append(only, s.Shapes[i].ID)
			}
		}
		if err := b.Build(view.View{Scene: s, Bounds: e.bounds(), FirstIDs: only}, Reference, d); err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		all = append(all, compareAlpha(e.ID+"-shape", rasterAlpha(d), testdata.Grey(t, "tldraw/"+e.Images["shape"].File)))
	})
	judge(t, all)
}

// judge checks every picture against the allowed differences and prints the ten worst.
func judge(t *testing.T, all []likeness) {
	t.Helper()
	slices.SortFunc(all, func(a, b likeness) int { return cmp.Compare(a.within, b.within) })
	for _, l := range all[:10] {
		t.Logf("%+v", l)
	}
	centres := make([]float64, len(all))
	for i, l := range all {
		centres[i] = l.centre
		if l.within < 0.9998 || l.mean > 0.012 || math.Abs(l.mass) > 0.0001 || l.centre > 0.02 {
			t.Errorf("%+v: want 0.9998 within, mean 0.012, mass 0.0001, centre 0.02 px", l)
		}
	}
	slices.Sort(centres)
	median := centres[len(centres)/2]
	t.Logf("%d pictures: within min %.5f median %.5f; centre median %.4f worst %.4f px", len(all),
		all[0].within, all[len(all)/2].within, median, centres[len(centres)-1])
	if median > 0.001 {
		t.Errorf("median centre error %g px; want at most 0.001", median)
	}
}
