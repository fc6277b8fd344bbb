package paint

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/view"
)

// huge returns one shape of every native kind with coordinates of size v.
func huge(v float64) []scene.Shape {
	shape := func(k scene.Kind) scene.Shape {
		return scene.Shape{ID: "shape:h", Kind: k, Parent: -1, Opacity: 1, Scale: 1, Size: scene.SizeM}
	}
	var out []scene.Shape
	for g := scene.Rectangle; g <= scene.Cloud; g++ {
		for d := scene.DashDraw; d <= scene.DashDotted; d++ {
			s := shape(scene.Geo)
			s.Geo, s.Dash, s.W, s.H, s.Fill = g, d, v, v, scene.FillSolid
			out = append(out, s)
		}
	}
	for d := scene.DashDraw; d <= scene.DashDotted; d++ {
		s := shape(scene.Line)
		s.Dash, s.Cubic, s.Points = d, true, []scene.Point{{X: -v, Y: -v}, {X: v, Y: v / 3}, {X: 0, Y: v}}
		out = append(out, s)
		s = shape(scene.Draw)
		s.Dash = d
		s.Segments = []scene.Segment{
			{Points: []scene.Pressed{{X: 0, Y: 0, Z: 0.5}, {X: v, Y: v, Z: 0.5}, {X: -v, Y: 0, Z: 0.5}, {X: v, Y: 3, Z: 0.5}}},
			{Straight: true, Points: []scene.Pressed{{X: 0, Y: 0, Z: 0.5}, {X: v, Y: 0, Z: 0.5}}},
		}
		out = append(out, s)
	}
	return out
}

// TestSizesWithoutEnd checks that a shape of any size is drawn in bounded time, or refused with the
// limit in the text.
func TestSizesWithoutEnd(t *testing.T) {
	var b Builder
	d := new(Drawing)
	for _, v := range []float64{1e-9, 1, 1e4, 1e6, 1e9, 1e30, 1e300} {
		for _, sh := range huge(v) {
			for _, canvas := range []float64{1, 1400} {
				s := &scene.Scene{Shapes: []scene.Shape{sh}}
				err := b.Build(view.View{Scene: s, Bounds: view.Box{X: -canvas / 2, Y: -canvas / 2, W: canvas, H: canvas}}, Reference, d)
				if err != nil && !strings.Contains(err.Error(), "want at most") && !(v <= 1 && errors.Is(err, shapes.ErrForeign)) {
					t.Errorf("%v %v, dash %d, %g px: got error %v; want one that names a limit", sh.Kind, sh.Geo, sh.Dash, v, err)
				}
				if n := len(d.Coverage.Spans); n > 4<<20 {
					t.Errorf("%v %v, dash %d, %g px: %d spans", sh.Kind, sh.Geo, sh.Dash, v, n)
				}
			}
			view.PageBounds(&scene.Scene{Shapes: []scene.Shape{sh}}, 0)
		}
	}
}

func TestManyShapes(t *testing.T) {
	s := &scene.Scene{}
	for i := range 100_000 {
		s.Shapes = append(s.Shapes, scene.Shape{
			ID: fmt.Sprintf("shape:%d", i), Kind: scene.Geo, Parent: -1, Opacity: 1, Scale: 1,
			X: float64(i % 1000), Y: float64(i / 1000), W: 8, H: 8,
		})
	}
	b := Builder{MaxCoverage: 1 << 20}
	d := new(Drawing)
	err := b.Build(view.View{Scene: s, Bounds: view.Box{X: 0, Y: 0, W: 1000, H: 100}}, Reference, d)
	if err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("got error %v; want one that names the limit", err)
	}
	// Far away, they cost nothing.
	if err := b.Build(view.View{Scene: s, Bounds: view.Box{X: 5000, Y: 5000, W: 100, H: 100}}, Reference, d); err != nil || len(d.Items) != 0 {
		t.Errorf("got %d items, %v; want none", len(d.Items), err)
	}
}

// TestThinFreehandLine checks that the cost of a line of one px that runs to and fro depends on its
// pixels only, and that it is drawn as in parts.
func TestThinFreehandLine(t *testing.T) {
	points := make([]scene.Point, 20_000)
	for i := range points {
		points[i] = scene.Point{X: float64(i%2) * 900, Y: float64(i % 7)}
	}
	s := &scene.Scene{Shapes: []scene.Shape{{
		ID: "shape:h", Kind: scene.Line, Parent: -1, Opacity: 1, Scale: 0.5, Size: scene.SizeS, Dash: scene.DashSolid, Points: points,
	}}}
	var b Builder
	d := new(Drawing)
	if err := b.Build(view.View{Scene: s, Bounds: view.Box{X: 0, Y: 0, W: 1000, H: 10}}, Reference, d); err != nil || len(d.Items) != 1 {
		t.Fatalf("got %v, %d items; want one", err, len(d.Items))
	}
	if n := len(d.Coverage.Bytes); n < 900 || n > 10_000 {
		t.Errorf("%d bytes of coverage; want at most one per px", n)
	}
}
