package paint

import (
	"math"
	"slices"
	"testing"

	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/view"
)

// drawText builds a text shape at (0, 0), by its true area, whose ends tests can read: a paragraph below
// some that are empty.
func drawText(t *testing.T, f scene.Font, size scene.Size, span scene.Span, above int) *Drawing {
	t.Helper()
	blocks := append(make([]scene.Block, above), scene.Block{Spans: []scene.Span{span}})
	s := &scene.Scene{Shapes: []scene.Shape{{
		ID: "shape:a", Kind: scene.Text, Parent: -1, Opacity: 1, Scale: 1, Size: size, Font: f, Auto: true,
		Rich: &scene.RichText{Blocks: blocks},
	}}}
	var b Builder
	d := new(Drawing)
	if err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 400, H: 100 + 60*float64(above)}}, Exact, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// lineRows returns the first row and the height of the only line of a drawing.
func lineRows(t *testing.T, d *Drawing) (y, height int32) {
	t.Helper()
	lo, hi := int32(math.MaxInt32), int32(math.MinInt32)
	for _, it := range d.Items {
		if it.Op != OpPaint || it.Color == shapes.Background {
			continue
		}
		for _, s := range d.Coverage.Spans[it.FirstSpan : it.FirstSpan+it.SpanCount] {
			lo, hi = min(lo, s.Y), max(hi, s.Y+1)
		}
	}
	return lo, hi - lo
}

// ends returns where the covered ranges of the first row of an item begin and end, px.
func ends(d *Drawing, it *Item) (out []float64) {
	spans := d.Coverage.Spans[it.FirstSpan : it.FirstSpan+it.SpanCount]
	alpha := func(s scan.Span, i int32) float64 {
		if s.FirstByte == scan.Full {
			return 1
		}
		return float64(d.Coverage.Bytes[s.FirstByte+i]) / 255
	}
	for i, s := range spans {
		if s.Y != spans[0].Y {
			break
		}
		if i == 0 || s.X > spans[i-1].X+spans[i-1].Width {
			out = append(out, float64(s.X+1)-alpha(s, 0), 0)
		}
		out[len(out)-1] = float64(s.X+s.Width-1) + alpha(s, s.Width-1)
	}
	return out
}

// Underlines and strikes lie on the rows where the browser draws them.
func TestDecorationRows(t *testing.T) {
	for _, c := range []struct {
		font                    scene.Font
		size                    scene.Size
		underline, strike, tall int32
	}{
		{scene.FontDraw, scene.SizeS, 19, 11, 1}, {scene.FontDraw, scene.SizeM, 26, 15, 2},
		{scene.FontDraw, scene.SizeL, 38, 22, 3}, {scene.FontDraw, scene.SizeXL, 48, 28, 4},
		{scene.FontSans, scene.SizeS, 19, 11, 1}, {scene.FontSans, scene.SizeM, 27, 15, 2},
		{scene.FontSerif, scene.SizeL, 39, 23, 3}, {scene.FontMono, scene.SizeXL, 49, 29, 4},
	} {
		const spaces = "\u00a0\u00a0\u00a0"
		y, tall := lineRows(t, drawText(t, c.font, c.size, scene.Span{Text: spaces, Underline: true}, 0))
		if y != c.underline || tall != c.tall {
			t.Errorf("font %d size %d: underline at %d, %d high; want %d, %d", c.font, c.size, y, tall, c.underline, c.tall)
		}
		y, tall = lineRows(t, drawText(t, c.font, c.size, scene.Span{Text: spaces, Strike: true}, 0))
		if y != c.strike || tall != c.tall {
			t.Errorf("font %d size %d: strike at %d, %d high; want %d, %d", c.font, c.size, y, tall, c.strike, c.tall)
		}
	}
}

// Underlines keep away from the letters that cross them; the ends of the gaps are px edges, as in the
// browser's picture. The place of a line decides how high in 1/64 px its underline lies: on the third line the x
// ends 0.0005 px above what counts as the underline's upper side, and the @ of the 43rd just touches it.
func TestUnderlineGap(t *testing.T) {
	for _, c := range []struct {
		font  scene.Font
		above int // empty lines above
		text  string
		want  []float64
	}{
		{scene.FontMono, 0, "xpx", []float64{0, 14, 21, 43.2}},
		{scene.FontMono, 0, "ppp", []float64{7, 14, 21, 28, 36, 43.2}},
		{scene.FontDraw, 2, "x", []float64{0, 13.47}},
		{scene.FontSans, 42, "@", []float64{0, 21.51}},
	} {
		d := drawText(t, c.font, scene.SizeM, scene.Span{Text: c.text, Underline: true}, c.above)
		var edges []float64
		for _, it := range d.Items[:len(d.Items)-len(c.text)] { // the glyphs come last
			if it.Op == OpPaint && it.Color != shapes.Background {
				edges = append(edges, ends(d, &it)...)
			}
		}
		slices.Sort(edges)
		if !slices.EqualFunc(edges, c.want, func(a, b float64) bool { return math.Abs(a-b) < 0.01 }) {
			t.Errorf("%q: got edges at %.2f; want %.2f", c.text, edges, c.want)
		}
	}
}
