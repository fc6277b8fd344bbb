package chrome

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/testdata/madeup"
)

// perKind is how many shapes of each kind are made up.
const perKind = 60

// TestMeasureMadeUp: the boxes of made-up shapes are the editor's.
func TestMeasureMadeUp(t *testing.T) {
	p := open(t, Config{})
	for _, kind := range madeup.Kinds {
		t.Run(kind, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 7))
			for range perKind {
				sameBounds(t, p, "["+madeup.Shape(r, "shape:a", kind)+"]")
			}
		})
	}
}

// sameBounds holds the box of the scene's first shape to the editor's.
func sameBounds(t *testing.T, p *Pool, source string) {
	t.Helper()
	s, err := scene.Decode([]byte(source), scene.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	want, err := p.Export(context.Background(), Request{View: view.View{Scene: s}, Source: []byte(source), Measure: true})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	// The browser measures text in 1/64 px; sums of advances that lie on one of
	// those fall to either side.
	const tol = 2.0/64 + 1e-3
	if _, _, err := view.ContentBounds(s, nil); errors.Is(err, view.ErrForeign) {
		return // its size is not known natively
	}
	got, ok := view.PageBounds(s, 0)
	w := want.Bounds
	off := max(math.Abs(got.X-w.X), math.Abs(got.Y-w.Y), math.Abs(got.W-w.W), math.Abs(got.H-w.H))
	if want.Empty == ok || !(off <= tol) {
		t.Errorf("%s: got %v, %v; want %v", source, got, ok, want.Bounds)
	}
}
