package paint

import (
	"fmt"
	"image"
	"math"
	"slices"
	"sync"
	"testing"

	"plumb/render/view"
	"plumb/testdata"
)

// printed is how near the picture of a label is to the browser's.
type printed struct {
	likeness
	pixels float64 // relative error of the number of pixels with alpha above 0
}

func (p printed) String() string {
	return fmt.Sprintf("%-10s within 2: %6.2f %%  mean %5.2f  mass %+6.2f %%  centre %5.3f px  pixels %+6.2f %%  worst %3d",
		p.name, 100*p.within, p.mean, 100*p.mass, p.centre, 100*p.pixels, p.worst)
}

// comparePrinted compares the alpha of a label with a picture of the editor.
func comparePrinted(name string, got []float64, want *image.Gray) printed {
	p := printed{likeness: compareAlpha(name, got, want)}
	n, ref := 0, 0
	for i, a := range got {
		if math.Floor(a*255+0.5) > 0 {
			n++
		}
		if want.Pix[i] > 0 {
			ref++
		}
	}
	p.pixels = float64(n)/float64(ref) - 1
	return p
}

// unhinted returns the pictures that were exported without font hinting, by scene and name.
func unhinted(t *testing.T) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	testdata.Each(t, "tldraw/scenes-nohint.jsonl", func(e *exported) {
		out[e.ID] = map[string]string{}
		for name, image := range e.Images {
			out[e.ID][name] = "tldraw/" + image.File
		}
	})
	return out
}

// TestExactLabelPictures bounds the differences of mode Exact from the editor's pictures.
func TestExactLabelPictures(t *testing.T) {
	pictures := unhinted(t)
	var b Builder
	var d Drawing
	exportedScenes(t, func(e *exported) {
		if e.Kind != "label" {
			return
		}
		ids := []string{}
		for _, a := range e.Added {
			ids = append(ids, a.ID)
		}
		if err := b.Build(view.View{Scene: e.scene(t), Bounds: e.bounds(), FirstIDs: ids}, Exact, &d); err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		p := comparePrinted(e.ID, rasterAlpha(&d), testdata.Grey(t, pictures[e.ID]["label"]))
		if p.within < 0.78 || p.mean > 3.5 || math.Abs(p.mass) > 0.02 || p.centre > 0.3 || math.Abs(p.pixels) > 0.05 {
			t.Errorf("%v", p)
		}
	})
}

// TestLabelPictures compares the label of every 'label' scene with the export
// made without hinting. The remaining difference is that the browser
// composites the copies of the halo one by one in 8 bits.
func TestLabelPictures(t *testing.T) {
	pictures := unhinted(t)
	var all []printed
	var b Builder
	var d Drawing
	exportedScenes(t, func(e *exported) {
		if e.Kind != "label" {
			return
		}
		ids := []string{}
		for _, a := range e.Added {
			ids = append(ids, a.ID)
		}
		if err := b.Build(view.View{Scene: e.scene(t), Bounds: e.bounds(), FirstIDs: ids}, Reference, &d); err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		p := comparePrinted(e.ID, rasterAlpha(&d), testdata.Grey(t, pictures[e.ID]["label"]))
		all = append(all, p)
		if p.within < 0.995 || p.mean > 0.3 || math.Abs(p.mass) > 0.002 || p.centre > 0.02 || math.Abs(p.pixels) > 0.002 {
			t.Errorf("%v", p)
		}
	})
	slices.SortFunc(all, func(a, b printed) int { return int(math.Copysign(1, a.within-b.within)) })
	for i, p := range all {
		if i < 10 || i == len(all)/2 || i == len(all)-1 {
			t.Log(p)
		}
	}
}

// Builders in several goroutines share fonts and give the same drawings.
func TestConcurrentText(t *testing.T) {
	var views []view.View
	var want []Drawing
	var b Builder
	exportedScenes(t, func(e *exported) {
		if e.Kind != "label" || len(views) == 20 {
			return
		}
		views = append(views, view.View{Scene: e.scene(t), Bounds: e.bounds(), FirstIDs: []string{e.Added[0].ID}})
		want = append(want, Drawing{})
		if err := b.Build(views[len(views)-1], Reference, &want[len(want)-1]); err != nil {
			t.Fatal(err)
		}
	})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			var b Builder
			var d Drawing
			for i, v := range views {
				if err := b.Build(v, Reference, &d); err != nil {
					t.Error(err)
				} else if !slices.Equal(d.Coverage.Spans, want[i].Coverage.Spans) || !slices.Equal(d.Coverage.Bytes, want[i].Coverage.Bytes) {
					t.Errorf("drawing %d differs from the one made alone", i)
				}
			}
		})
	}
	wait.Wait()
}
