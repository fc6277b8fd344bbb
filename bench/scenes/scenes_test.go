package scenes

import (
	"bytes"
	"slices"
	"testing"

	"plumb/daemon/dump"
	"plumb/render/paint"
	"plumb/render/scene"
	"plumb/render/view"
)

// TestClasses reads every class as `plumb render` would and looks for what the
// class promises.
func TestClasses(t *testing.T) {
	for _, c := range Classes() {
		lines, err := c.Spec.Lines(c.Name, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			id, v, err := dump.Picture(l, dump.PictureOptions{Limits: scene.DefaultLimits()})
			if err != nil {
				t.Fatalf("%s: %v\n%s", c.Name, err, l)
			}
			if !bytes.Contains(l, []byte(id)) || len(v.Scene.Shapes) != c.Spec.Shapes {
				t.Errorf("%s: got %d shapes in %q; want %d", c.Name, len(v.Scene.Shapes), id, c.Spec.Shapes)
			}
			if want := (view.Box{W: Width * c.Spec.Scale, H: Height * c.Spec.Scale}); v.Bounds != want {
				t.Errorf("%s: got bounds %v; want %v", c.Name, v.Bounds, want)
			}
		}
	}
}

func TestSameEveryTime(t *testing.T) {
	c := classes[1] // with texts
	a, _ := c.Spec.Lines("x", 5, 7)
	b, _ := c.Spec.Lines("x", 9, 7)
	other, _ := c.Spec.Lines("x", 5, 8)
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			t.Errorf("scene %d depends on how many there are", i)
		}
		if bytes.Equal(a[i], other[i]) {
			t.Errorf("scene %d does not depend on the seed", i)
		}
	}
}

// TestScaleKeepsOutlines holds that a scene at twice the size has outlines of the
// same pieces: the resolution sweep changes pixels and nothing else.
func TestScaleKeepsOutlines(t *testing.T) {
	var counts [2]int
	for i, scale := range []float64{1, 2} {
		lines, err := Spec{Shapes: 8, Scale: scale}.Lines("x", 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		counts[i] = segments(t, lines[0])
	}
	if counts[0] == 0 || counts[1] < counts[0] || counts[1] > 2*counts[0] {
		t.Errorf("got %d segments at scale 2; want those of scale 1, %d, or somewhat more for round corners", counts[1], counts[0])
	}
}

// TestPoints holds that more points make more segments.
func TestPoints(t *testing.T) {
	var counts []int
	for _, points := range []int{8, 32, 128} {
		lines, err := Spec{Shapes: 2, Scale: 1, Points: points}.Lines("x", 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, segments(t, lines[0]))
	}
	if !slices.IsSorted(counts) || counts[2] < 2*counts[0] {
		t.Errorf("got %v segments of 8, 32 and 128 points", counts)
	}
}

func segments(t *testing.T, line []byte) int {
	t.Helper()
	_, v, err := dump.Picture(line, dump.PictureOptions{Limits: scene.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	var d paint.Drawing
	if err := new(paint.Builder).Build(v, paint.Exact, &d); err != nil {
		t.Fatal(err)
	}
	return d.Pieces
}

func TestRefuses(t *testing.T) {
	for _, s := range []Spec{{}, {Shapes: 1}, {Shapes: 1, Scale: 100}, {Shapes: 1, Scale: 1, Points: 2}} {
		if _, err := s.Lines("x", 1, 1); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}
