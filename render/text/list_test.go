package text

import (
	"math"
	"testing"

	"plumb/render/scene"
)

// Bullets as the browser draws them: left, top and side in px, for a list at
// (0, 0) of a font and size.
func TestBullets(t *testing.T) {
	l := layouter(t)
	for _, c := range []struct {
		font scene.Font
		size float64
		want Dot
	}{
		{scene.FontDraw, 18, Dot{X: 21, Y: 9, W: 6}}, {scene.FontDraw, 22, Dot{X: 28, Y: 12, W: 7}},
		{scene.FontDraw, 24, Dot{X: 30, Y: 12, W: 8}}, {scene.FontDraw, 26, Dot{X: 32, Y: 13, W: 9}},
		{scene.FontDraw, 32, Dot{X: 42, Y: 16, W: 11}}, {scene.FontDraw, 36, Dot{X: 49, Y: 18, W: 12}},
		{scene.FontDraw, 44, Dot{X: 60, Y: 22, W: 15}}, {scene.FontSans, 24, Dot{X: 24, Y: 13, W: 8}},
		{scene.FontSerif, 36, Dot{X: 39, Y: 19, W: 12}}, {scene.FontMono, 44, Dot{X: 49, Y: 23, W: 15}},
	} {
		doc := plain("item")
		doc.Blocks[0] = scene.Block{Depth: 1, Bullet: true, Items: 1, Spans: doc.Blocks[0].Spans}
		var out Layout
		if err := l.Layout(&out, doc, Spec{Font: c.font, Size: c.size, Width: Unbounded}); err != nil {
			t.Fatal(err)
		}
		out.Place(0, 0)
		c.want.H = c.want.W
		if len(out.Dots) != 1 || out.Dots[0] != c.want {
			t.Errorf("font %d at %g: got %v; want %v", c.font, c.size, out.Dots, c.want)
		}
	}
}

func TestLists(t *testing.T) {
	l := layouter(t)
	item := func(depth, items, number int) scene.Block {
		return scene.Block{Depth: depth, Ordered: number > 0, Bullet: number == 0, Items: items, Number: number, Spans: []scene.Span{{Text: "a"}}}
	}
	const zero = 24 * 0.68 // width of 0 in the hand-drawn font
	for _, c := range []struct {
		name   string
		blocks []scene.Block
		last   float64 // indent of the last line
	}{
		{"plain", []scene.Block{item(1, 1, 0)}, 3.25 * zero},
		{"numbers", []scene.Block{item(1, 2, 1), item(1, 2, 2)}, 3.25 * zero},
		{"ten", []scene.Block{item(1, 10, 10)}, 4.25 * zero},
		{"hundred", []scene.Block{item(1, 100, 100)}, 5.25 * zero},
		{"nested in ten", []scene.Block{item(1, 12, 1), item(2, 1, 0)}, 4.25*zero + 3.25*zero},
		{"ten bullets", []scene.Block{item(1, 10, 0)}, 3.25 * zero},
		{"second after nested", []scene.Block{item(1, 2, 0), item(2, 12, 0), item(1, 2, 0)}, 3.25 * zero},
	} {
		var out Layout
		if err := l.Layout(&out, &scene.RichText{Blocks: c.blocks}, Spec{Size: 24, Width: 300, Align: scene.AlignEnd}); err != nil {
			t.Fatal(err)
		}
		line := out.Lines[len(out.Lines)-1]
		if math.Abs(line.Indent-c.last) > 3.0/64 || out.Runs[line.First].X != line.Indent {
			t.Errorf("%s: got indent %v, text at %v; want %v for both", c.name, line.Indent, out.Runs[line.First].X, c.last)
		}
		if n := c.blocks[len(c.blocks)-1].Number; n > 0 {
			mark := out.Runs[len(out.Runs)-1]
			if end := mark.X + mark.Width; end != line.Indent {
				t.Errorf("%s: the number ends at %v; want %v, where the text begins", c.name, end, line.Indent)
			}
		} else if len(out.Dots) == 0 {
			t.Errorf("%s: no bullet", c.name)
		}
	}
}
