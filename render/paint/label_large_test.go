package paint

import (
	"errors"
	"math"
	"testing"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/view"
)

// A bar of Plex Sans is a rectangle, so its edges are known. As a mask it lies on quarters of a
// pixel and its outline on 1/64 px; as a path it lies at its exact place and its outline is scaled
// up from 64 px, as in the browser.
func TestLargeGlyphs(t *testing.T) {
	for _, c := range []struct {
		scale, x    float64
		left, right float64 // px
		mask        bool    // with the contrast of black text
	}{
		{2.5 * 100 / 44, 3, 3 + 130*.25, 3 + 223*.25, true},
		{2.5 * 100 / 44, 3.1, 3 + 130*.25, 3 + 223*.25, true},
		{5.9, 3, 3 + 5.9*44/64*532/64, 3 + 5.9*44/64*913/64, false},
		{5.9, 3.1, 3.1 + 5.9*44/64*532/64, 3.1 + 5.9*44/64*913/64, false},
	} {
		s := &scene.Scene{Shapes: []scene.Shape{{
			ID: "shape:a", Kind: scene.Text, Parent: -1, X: c.x, Y: 3, Opacity: 1, Scale: c.scale, Size: scene.SizeXL,
			Font: scene.FontSans, Auto: true,
			Rich: &scene.RichText{Blocks: []scene.Block{{Spans: []scene.Span{{Text: "|"}}}}},
		}}}
		var b Builder
		var d Drawing
		if err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 200, H: 400}}, Exact, &d); err != nil {
			t.Fatal(err)
		}
		it := d.Items[len(d.Items)-1] // the glyph itself lies on top of its halo
		spans := d.Coverage.Spans[it.FirstSpan:]
		for _, s := range spans { // its first row may be covered in part
			if s.Y > spans[0].Y {
				break
			}
			it.FirstSpan, it.SpanCount = it.FirstSpan+1, it.SpanCount-1
		}
		bar := ends(&d, &it)
		lo, hi := bar[0], bar[1]
		if c.mask {
			alpha := func(v float64) float64 { return float64(contrastTables()[0][int(255*v+0.5)]) / 255 }
			c.left = math.Ceil(c.left) - alpha(math.Ceil(c.left)-c.left)
			c.right = math.Floor(c.right) + alpha(c.right-math.Floor(c.right))
		}
		if math.Abs(lo-c.left) > 0.01 || math.Abs(hi-c.right) > 0.01 {
			t.Errorf("scale %g at %g: got a bar from %g to %g; want %g to %g",
				c.scale, c.x, lo, hi, c.left, c.right)
		}
	}
}

// Text at any scale and distance is drawn, and leaves no items far outside of the picture.
// Underlines are refused by name beyond a scale.
func TestTextOfAnySize(t *testing.T) {
	for _, c := range []struct {
		scale, x, y float64
		inked       bool
	}{
		{1, 10, 10, true}, {1e-9, 10, 10, false}, {1e9, 10, 10, false}, {1, 1e9, 1e9, false},
		{1, -1e9, 10, false}, {1, math.MaxFloat32, 0, false}, {30, -200, -300, true},
	} {
		for _, turn := range []float64{0, math.Pi / 2, 1} {
			s := &scene.Scene{Shapes: []scene.Shape{{
				ID: "shape:a", Kind: scene.Text, Parent: -1, X: c.x, Y: c.y, Rotation: turn, Opacity: 1, Scale: c.scale, Auto: true,
				Rich: &scene.RichText{Blocks: []scene.Block{{Spans: []scene.Span{{Text: "mmmmmmmm", Underline: c.scale < 26}}}}},
			}}}
			var b Builder
			var d Drawing
			if err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 400, H: 400}}, Reference, &d); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, a := range rasterAlpha(&d) {
				sum += a
			}
			if turn == 0 && (sum > 0) != c.inked {
				t.Errorf("scale %g at (%g, %g): got %g px of ink; want some: %v", c.scale, c.x, c.y, sum, c.inked)
			}
		}
	}
}

// Underlines are refused by their thickness in px, whether the font or the map makes them large.
func TestLinesAlongHugeText(t *testing.T) {
	for _, span := range []scene.Span{{Text: "m", Underline: true}, {Text: "m", Strike: true}, {Text: "m", Link: true}} {
		rich := &scene.RichText{Blocks: []scene.Block{{Spans: []scene.Span{span}}}}
		for _, c := range []struct {
			shape scene.Shape
			want  error
		}{
			{scene.Shape{Kind: scene.Text, Scale: 25, Auto: true}, nil}, // 18 px, in lines of 1.8
			{scene.Shape{Kind: scene.Text, Scale: 36, Auto: true}, shapes.ErrForeign},
			{scene.Shape{Kind: scene.Text, Scale: 1e9, Auto: true}, shapes.ErrForeign},
			{scene.Shape{Kind: scene.Arrow, Scale: 25, Arrow: &scene.ArrowProps{LabelPosition: 0.5}, Points: []scene.Point{{}, {X: 1e5, Y: 10}}}, nil},
			{scene.Shape{Kind: scene.Arrow, Scale: 3000, Arrow: &scene.ArrowProps{LabelPosition: 0.5}, Points: []scene.Point{{}, {X: 1e5, Y: 10}}}, shapes.ErrForeign},
		} {
			c.shape.ID, c.shape.Parent, c.shape.Rotation, c.shape.Opacity, c.shape.Rich = "shape:a", -1, 0.1, 1, rich
			s := &scene.Scene{Shapes: []scene.Shape{c.shape}}
			var b Builder
			if err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 400, H: 400}}, Reference, new(Drawing)); !errors.Is(err, c.want) {
				t.Errorf("%v, kind %d at scale %g: got %v; want %v", span, c.shape.Kind, c.shape.Scale, err, c.want)
			}
		}
	}
}
