package paint

import (
	"errors"
	"math"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
)

// scribble returns a freehand line of n points that crosses itself everywhere.
func scribble(n int) scene.Shape {
	s := scene.Shape{ID: "shape:s", Kind: scene.Draw, Parent: -1, Opacity: 1, Scale: 1, Size: scene.SizeM, Complete: true}
	points := make([]scene.Pressed, n)
	for i := range points {
		a := float64(i) * 2.4
		points[i] = scene.Pressed{X: 600 + 590*math.Cos(a), Y: 400 + 390*math.Sin(1.37*a), Z: 0.5}
	}
	s.Segments = []scene.Segment{{Points: points}}
	return s
}

// Stop ends the work on a view in the middle of a shape, and the cache keeps no unfinished shape.
func TestStop(t *testing.T) {
	one := scribble(1200)
	one.ID = "shape:t"
	v := view.View{Scene: &scene.Scene{Shapes: []scene.Shape{one}}, Bounds: view.Box{X: 0, Y: 0, W: 1200, H: 800}}
	for _, mode := range []Raster{Reference, Exact} {
		var fresh, b Builder
		want, got := new(Drawing), new(Drawing)
		if err := fresh.Build(v, mode, want); err != nil {
			t.Fatal(err)
		}
		asked := 0
		stopping := v
		stopping.Stop = func() bool { asked++; return false }
		if err := b.Build(stopping, mode, got); err != nil || asked < 4 {
			t.Fatalf("got %v, asked %d times; want more than for each shape", err, asked)
		}
		for after := 1; after < asked; after += 1 + asked/4 {
			left := after
			stopping.Stop = func() bool { left--; return left < 0 }
			if err := b.Build(stopping, mode, got); !errors.Is(err, view.ErrStopped) {
				t.Fatalf("stopped after %d questions: got %v; want ErrStopped", after, err)
			}
			if err := b.Build(v, mode, got); err != nil || len(got.Coverage.Spans) != len(want.Coverage.Spans) ||
				string(got.Coverage.Bytes) != string(want.Coverage.Bytes) {
				t.Fatalf("stopped after %d questions: the next drawing differs (%v)", after, err)
			}
		}
	}
}

// The error for every shape that is too large names the flag.
func TestPointLimits(t *testing.T) {
	straight := scribble(0)
	for range 2000 { // of two points each, which become thousands
		straight.Segments = append(straight.Segments, scene.Segment{Straight: true, Points: []scene.Pressed{{X: 0, Y: 0, Z: 0.5}, {X: 16_000, Y: 0, Z: 0.5}}})
	}
	cloud := scene.Shape{ID: "shape:c", Kind: scene.Geo, Geo: scene.Cloud, Parent: -1, Opacity: 1, Scale: 1, W: 1e6, H: 10}
	dashed := scene.Shape{ID: "shape:d", Kind: scene.Geo, Geo: scene.Rectangle, Dash: scene.DashDotted, Parent: -1, Opacity: 1, Scale: 1, W: 1e6, H: 10}
	b := Builder{MaxPoints: 1000}
	d := new(Drawing)
	for _, s := range []scene.Shape{scribble(1001), straight, cloud, dashed} {
		err := b.Build(view.View{Scene: &scene.Scene{Shapes: []scene.Shape{s}}, Bounds: view.Box{X: 0, Y: 0, W: 1200, H: 800}}, Reference, d)
		if !errors.Is(err, scene.ErrLimit) || !strings.Contains(err.Error(), "--max-points") || !strings.Contains(err.Error(), "at most 1000") {
			t.Errorf("%s: got %v; want the limit and its flag", s.ID, err)
		}
	}
	if err := b.Build(view.View{Scene: &scene.Scene{Shapes: []scene.Shape{scribble(1000)}}, Bounds: view.Box{X: 0, Y: 0, W: 1200, H: 800}}, Reference, d); err != nil {
		t.Errorf("as many as allowed: %v", err)
	}
	full := Builder{MaxCoverage: 1 << 10}
	err := full.Build(view.View{Scene: &scene.Scene{Shapes: []scene.Shape{scribble(100)}}, Bounds: view.Box{X: 0, Y: 0, W: 1200, H: 800}}, Reference, d)
	if !errors.Is(err, scene.ErrLimit) || !strings.Contains(err.Error(), "--max-coverage") {
		t.Errorf("got %v; want the limit of the coverage and its flag", err)
	}
}
