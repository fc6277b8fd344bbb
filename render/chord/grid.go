package chord

import (
	"math"
	"math/bits"

	"plumb/render/vector"
)

// Coordinates on the reference's grid are integers in 1/256 px at first, then in
// 1/65536 px, which comments call q16. 64 bits hold all that can come: |v| <= 2^20 px.
const onePx = 1 << 16

// toGrid rounds px down to 1/256 px. The browser truncates, but its coordinates are always
// positive, because the masks of glyphs and layers have their corner at 0.
func toGrid(v float32) int64 { return int64(math.Floor(float64(v) * 256)) }

// snapRow rounds q16 to the nearest quarter px, halves upwards.
func snapRow(y int64) int64 { return (y + onePx/8) >> 14 << 14 }

// Place returns where the reference's grid puts a point in px: x in 1/256 px and y in quarter px.
func Place(p vector.Point) (x, y int64) { return toGrid(p.X), snapRow(toGrid(p.Y)<<8) >> 14 }

// wholeRow rounds q16 to the nearest px, halves upwards.
func wholeRow(y int64) int64 { return (y + onePx/2) >> 16 << 16 }

// divide returns a/b in 1/65536 for a and b in 1/64 px, 0 for b = 0. It rounds by the reference's rule: where
// both are short, which the bounds say, it multiplies with a table of reciprocals; else it divides and clamps to
// 32 bits. See docs/spec/raster.md#r12.
func divide(a, b int64) int64 {
	const leastB, mostB, mostA = 8, 1024, 4096
	if b == 0 {
		return 0
	}
	if n := max(b, -b); n >= leastB && n < mostB && a < mostA && a > -mostA {
		inv := int64(reciprocal[n])
		if b < 0 {
			inv = -inv
		}
		return (a * inv) >> 6
	}
	return saturate((a << 16) / b)
}

// reciprocal holds 1/n in q16 for n in 1/64 px.
var reciprocal = func() (t [1024]int32) {
	for i := 1; i < len(t); i++ {
		t[i] = int32((1 << 22) / i)
	}
	return t
}()

// saturate clamps a quotient to 32 bits, as the reference does.
func saturate(v int64) int64 { return min(max(v, -math.MaxInt32), math.MaxInt32) }

// slope returns dx/dy in q16 from q16 differences.
func slope(dx, dy int64) int64 { return divide(dx>>10, dy>>10) }

// addGridLine rounds the ends of a line to the reference's grid, y to quarter rows, and stores it downwards: as an
// edge of cutter.edges or, without these, as a segment of cutter.out. A line that gets no height is left out. See
// docs/spec/raster.md#r11.
func (cutter *Cutter) addGridLine(a, b vector.Point) {
	edge := Edge{Winding: 1, curve: noCurve}
	if a.Y > b.Y {
		a, b = b, a
		edge.Winding = -1
	}
	y0, y1 := snapRow(toGrid(a.Y)<<8), snapRow(toGrid(b.Y)<<8)
	if y0 == y1 {
		return
	}
	x0, x1 := toGrid(a.X)<<8, toGrid(b.X)<<8
	edge.setLine(x0, y0, x1, y1)
	if cutter.edges != nil {
		cutter.edges.addLine(&edge)
		return
	}
	// The lower end's x follows from the rounded slope.
	cutter.addChord(x0, y0, x0+(edge.Slope*(y1-y0))>>16, y1, edge.Winding < 0)
}

// addGridCurve stores a curve that is monotone in y, downwards, as chords on quarter rows: as one edge of
// cutter.edges or, without these, as segments of cutter.out. A curve that gets no height is left out.
func (cutter *Cutter) addGridCurve(bezier *bezier) {
	var x, y [4]int64
	for i := range bezier.count {
		x[i], y[i] = toGrid(bezier.points[i].X), toGrid(bezier.points[i].Y)
	}
	last := bezier.count - 1
	if snapRow(y[0]<<8) == snapRow(y[last]<<8) {
		return
	}
	winding := int32(1)
	if y[0] > y[last] { // turned around, so that it runs downwards
		winding = -1
		x[0], x[last], y[0], y[last] = x[last], x[0], y[last], y[0]
		if bezier.count == 4 {
			x[1], x[2], y[1], y[2] = x[2], x[1], y[2], y[1]
		}
	}
	// Edges keep the steps of their curve, because the scan converter advances from chord to chord;
	// segments need them only here.
	chordSteps, edge := &cutter.steps, &cutter.edge
	if cutter.edges != nil {
		chordSteps, edge = cutter.edges.newCurve()
	}
	edge.Winding = winding
	if bezier.count == 3 {
		chordSteps.setQuad(&x, &y)
	} else {
		chordSteps.setCubic(&x, &y)
	}
	if cutter.edges != nil {
		cutter.edges.addCurve(chordSteps, edge)
		return
	}
	for chordSteps.next(edge) {
		cutter.addChord(edge.X, int64(edge.Top)<<14, chordSteps.startX, int64(edge.Bottom)<<14, edge.Winding < 0)
	}
}

// addChord stores the chord from (x0, y0) down to (x1, y1), in 1/65536 px, as a segment of cutter.out. upwards
// says that the path runs the other way: then the segment does too.
func (cutter *Cutter) addChord(x0, y0, x1, y1 int64, upwards bool) {
	if upwards {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	if cutter.trace != nil {
		cutter.trace([4]int64{x0, y0, x1, y1})
	}
	const half = 1 << 5 // half of 1/Unit px, for rounding
	cutter.addSegment(Segment{int32((x0 + half) >> 6), int32(y0 >> 6), int32((x1 + half) >> 6), int32(y1 >> 6)})
}

// subdivisions returns how often a curve is halved so that chords can replace it, from its deviation from
// its chord in 1/256 px per axis: each halving leaves a quarter of the deviation.
func subdivisions(dx, dy int64) int {
	dx, dy = max(dx, -dx), max(dy, -dy)
	d := max(dx, dy) + min(dx, dy)/2        // about the length of (dx, dy)
	return bits.Len64(uint64(d+16)>>5) >> 1 // half the binary logarithm of d in 1/8 px, rounded
}
