package paint

import (
	"math"
	"slices"
	"testing"

	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/scan"
	"plumb/render/vector"
)

// lineOf sets c.line to the mask of a rectangle.
func lineOf(c *glyphCache, m vector.Matrix, x0, y0, x1, y1 float64, gaps ...gap) {
	c.path.Reset()
	vector.Rect(&c.path, x0, y0, x1, y1)
	at := textLine{gaps: gaps, top: y0 - 0.5, bottom: y1 + 0.5}
	c.maskLine(m, chord.Rect{X0: -50, Y0: -50, X1: 50, Y1: 50}, Reference, scan.Rule{}, &at, false)
}

// alphas returns n alphas of a row from column x on.
func alphas(l *lineMask, x, y, n int32) (a []float64) {
	for i := range n {
		a = append(a, l.alphaAt(x+i, y))
	}
	return a
}

// expect compares numbers.
func expect(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v; want %v", what, got, want)
	}
}

// Axis-aligned lines have their sides on 1/256 px and their gaps on whole px.
func TestMaskLine(t *testing.T) {
	var c glyphCache
	lineOf(&c, vector.Matrix{A: 1, D: 1, E: 10}, 0.5, 1.25, 8, 3, gap{2.4, 4.6})
	expect(t, "upper row", alphas(&c.line, 9, 1, 10), []float64{0, 96, 192, 0, 0, 0, 192, 192, 192, 0})
	expect(t, "lower row", alphas(&c.line, 9, 2, 10), []float64{0, 128, 255, 0, 0, 0, 255, 255, 255, 0})
	expect(t, "below", alphas(&c.line, 9, 3, 10), make([]float64, 10))
	c.line.double()
	expect(t, "drawn twice", alphas(&c.line, 10, 1, 2), []float64{156, 240})
}

// Gaps leave out the rows whose middle lies beside them, and no others. Under a clip of whole px
// the rows beside the gaps are rectangles of their own, which are 1/256 less high where they are a
// single row.
func TestGapRows(t *testing.T) {
	for _, c := range []struct {
		name        string
		top, bottom float64
		whole       bool
		want        []float64 // two rows of four pixels, of which a gap has the second
	}{
		{"both rows", 0.5, 3, false, []float64{192, 0, 192, 192, 128, 0, 128, 128}},
		{"the lower row", 0.75, 3, false, []float64{192, 192, 192, 192, 128, 0, 128, 128}},
		{"the lower row, whole clip", 0.75, 3, true, []float64{191, 191, 191, 191, 127, 0, 127, 127}},
		{"both rows, whole clip", 0.5, 3, true, []float64{192, 0, 192, 192, 128, 0, 128, 128}},
		{"between the middles", 0.75, 1.25, true, []float64{192, 192, 192, 192, 128, 128, 128, 128}},
	} {
		var g glyphCache
		vector.Rect(&g.path, 0, 0.25, 4, 1.5)
		at := textLine{gaps: []gap{{1, 2}}, top: c.top, bottom: c.bottom}
		g.maskLine(vector.Identity, chord.Rect{X1: 50, Y1: 50}, Reference, scan.Rule{}, &at, c.whole)
		expect(t, c.name, append(alphas(&g.line, 0, 0, 4), alphas(&g.line, 0, 1, 4)...), c.want)
	}
	var g glyphCache
	vector.Rect(&g.path, 0, 0.25, 4, 1.5)
	narrow := textLine{gaps: []gap{{1.1, 1.4}}, top: 0.75, bottom: 3}
	g.maskLine(vector.Identity, chord.Rect{X1: 50, Y1: 50}, Reference, scan.Rule{}, &narrow, true)
	expect(t, "between the middles of columns", append(alphas(&g.line, 0, 0, 2), alphas(&g.line, 0, 1, 2)...), []float64{192, 192, 128, 128})
}

// A text's box lies on whole px where all of its sides are within 1/8 of them.
func TestTextBoxWhole(t *testing.T) {
	for _, c := range []struct {
		m     vector.Matrix
		whole bool
		want  [4]float64 // left, top, right, bottom in units
	}{
		{vector.Matrix{A: 1, D: 1, E: 0.1, F: -0.1}, true, [4]float64{-0.1, 0.1, 7.9, 4.1}},
		{vector.Matrix{A: 1, D: 1, E: 0.1, F: -0.15}, false, [4]float64{0, 0, 8, 4}},
		{vector.Matrix{B: -1, C: 1, F: 8.1}, true, [4]float64{0.1, 0, 8.1, 4}},
		{vector.Matrix{A: 0.6, B: 0.8, C: -0.8, D: 0.6}, false, [4]float64{0, 0, 8, 4}},
	} {
		b := newTextBox(c.m, 0.2, -0.3, 8, 4, Reference)
		got := []float64{b.Lo.X, b.Lo.Y, b.Hi.X, b.Hi.Y}
		near := b.wholePx == c.whole
		for i, v := range got {
			near = near && math.Abs(v-c.want[i]) < 1e-6
		}
		if !near {
			t.Errorf("%v: got %v, whole px %t; want %v, %t", c.m, got, b.wholePx, c.want, c.whole)
		}
	}
}

// Copies of a line are interpolated between px and composited.
func TestLineHalo(t *testing.T) {
	var c glyphCache
	lineOf(&c, vector.Identity, 0, 0, 4, 1)
	c.lineHalo([][2]float64{{0.5, -0.25}})
	expect(t, "row above", alphas(&c.halo, -1, -1, 7), []float64{0, 32, 64, 64, 64, 32, 0})
	expect(t, "row", alphas(&c.halo, -1, 0, 7), []float64{0, 96, 191, 191, 191, 96, 0})
	c.lineHalo([][2]float64{{0, 0.5}, {0, 0.5}, {1, 0.5}})
	expect(t, "three copies", alphas(&c.halo, -1, 1, 7), []float64{0, 192, 224, 224, 224, 128, 0})
	c.line.begin([4]int32{})
	c.lineHalo([][2]float64{{1, 1}})
	if n := len(c.halo.rows); n != 0 {
		t.Errorf("the halo of nothing has %d rows", n)
	}
}

// The identity and whole-pixel moves keep the box of a mask; a quarter turn swaps its sides.
func TestKeepTurned(t *testing.T) {
	var c glyphCache
	lineOf(&c, vector.Identity, 1, 2, 5, 4)
	clip := chord.Rect{X0: -20, Y0: -20, X1: 20, Y1: 20}
	for _, turn := range []struct {
		back geom.Matrix // px to those of the line
		want [4]int32
	}{
		{geom.Identity, [4]int32{1, 2, 5, 4}},
		{geom.Matrix{B: -1, C: 1}, [4]int32{-4, 1, -2, 5}}, // (x, y) lies at (-y, x)
		{geom.Matrix{A: 1, D: 1, E: -3}, [4]int32{4, 2, 8, 4}},
	} {
		if got := c.glyphs[c.keepTurned(&c.line, turn.back, clip)].box; got != turn.want {
			t.Errorf("%v: got %v; want %v", turn.back, got, turn.want)
		}
	}
}

// Long ranges of 255 become spans without bytes; zeros become no span.
func TestMaskRows(t *testing.T) {
	var c glyphCache
	alpha := append(slices.Repeat([]byte{255}, 40), 0, 0, 7, 255, 255, 9)
	c.appendRow(0, 3, 5, alpha)
	c.appendRow(2, 49, 5, []byte{1, 0}) // another mask that continues at the same place
	want := []scan.Span{{X: 3, Y: 5, Width: 40, FirstByte: scan.Full}, {X: 45, Y: 5, Width: 4, FirstByte: 0}, {X: 49, Y: 5, Width: 1, FirstByte: 4}}
	if !slices.Equal(c.coverage.Spans, want[:]) || !slices.Equal(c.coverage.Bytes, []byte{7, 255, 255, 9, 1}) {
		t.Errorf("got %v, %v; want %v", c.coverage.Spans, c.coverage.Bytes, want)
	}
}

// Gaps are cleared for any direction of the text; gaps outside of the line do no harm.
func TestClearGaps(t *testing.T) {
	for _, c := range []struct {
		name string
		m    vector.Matrix
		gaps []gap
		want []float64 // of the middle row
	}{
		{"mirrored", vector.Matrix{A: -1, D: 1, E: 8}, []gap{{-9, -5}, {1, 2}, {5.6, 6.4}, {30, 40}}, []float64{255, 255, 255, 255, 255, 255, 0, 255}},
		{"twice as large", vector.Matrix{A: 2, D: 2}, []gap{{1, 2}}, []float64{255, 255, 0, 0, 255, 255, 255, 255}},
		{"upwards", vector.Matrix{B: -1, C: 1, F: 8}, []gap{{3, 4}}, []float64{0, 0, 0, 0, 0, 0, 0, 0}},
		{"upwards, beside", vector.Matrix{B: -1, C: 1, F: 8}, []gap{{4, 5}}, []float64{255, 255, 255, 255, 255, 255, 255, 255}},
	} {
		var cache glyphCache
		lineOf(&cache, c.m, 0, 0, 8, 8, c.gaps...)
		expect(t, c.name, alphas(&cache.line, 0, 4, 8), c.want)
	}
	if got, want := mergeGaps([]gap{{0, 2}, {1, 5}, {1.5, 3}, {6, 7}}), []gap{{0, 5}, {6, 7}}; !slices.Equal(got, want) {
		t.Errorf("got %v; want %v", got, want)
	}
}
