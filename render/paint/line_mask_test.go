package paint

import (
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
	c.maskLine(m, chord.Rect{X0: -50, Y0: -50, X1: 50, Y1: 50}, Reference, scan.Rule{}, gaps)
}

// alphas returns n alphas of a row from column x on.
func alphas(l *lineMask, x, y, n int32) (a []float64) {
	for i := range n {
		a = append(a, l.at(x+i, y))
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
	c.row(0, 3, 5, alpha)
	c.row(2, 49, 5, []byte{1, 0}) // another mask that continues at the same place
	want := []scan.Span{{X: 3, Y: 5, N: 40, At: scan.Full}, {X: 45, Y: 5, N: 4, At: 0}, {X: 49, Y: 5, N: 1, At: 4}}
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
