package chord

import (
	"math"

	"plumb/render/vector"
)

// exactConicTol is how far quadratics may leave a conic in Exact mode, in px.
const exactConicTol = 1.0 / 1024

// Bounds of the pieces of one curve in Exact mode. A curve that leaves its chord
// by d is cut into sqrt(64 d) pieces, so that each keeps within 1/64 px; pieces
// are never fewer than 2 where d shows at all.
const (
	exactPieces = 1024
	exactFlat   = 1.0 / 2048 // px; a curve this flat is a line
)

// addExactLine stores a line with its ends rounded to the grid of segments.
func (cutter *Cutter) addExactLine(a, b vector.Point) {
	cutter.addSegment(Segment{toUnit(float64(a.X)), toUnit(float64(a.Y)), toUnit(float64(b.X)), toUnit(float64(b.Y))})
}

// toUnit rounds px to the grid of segments.
func toUnit(v float64) int32 { return int32(math.Floor(float64(v*Unit) + 0.5)) }

// cubicPoly holds the coefficients of x and y as polynomials of t, lowest first.
type cubicPoly [4][2]float64

// polynomial returns the x and the y of a path's curve as polynomials of its parameter t: element i holds
// the coefficients of t^i, index 0 for x and 1 for y. Of a quadratic the highest coefficients are
// 0.
func (bezier *bezier) polynomial() (k cubicPoly) {
	for i, a := range [2]axis{axisX, axisY} {
		p0, p1, p2, p3 := float64(a.coordinate(bezier.points[0])), float64(a.coordinate(bezier.points[1])), float64(a.coordinate(bezier.points[2])), float64(a.coordinate(bezier.points[3]))
		bend := p0 - p1 - p1 + p2
		if bezier.count == 3 {
			k[0][i], k[1][i], k[2][i] = p0, 2*(p1-p0), bend
		} else {
			k[0][i], k[1][i], k[2][i], k[3][i] = p0, 3*(p1-p0), 3*bend, p3-p0+float64(3*(p1-p2))
		}
	}
	return k
}

// halfSecondDerivative returns half the second derivative at t along one axis.
func (k *cubicPoly) halfSecondDerivative(axis int, t float64) float64 {
	return k[2][axis] + float64(3*k[3][axis]*t)
}

// at returns the coordinate at t along one axis.
func (k *cubicPoly) at(axis int, t float64) float64 {
	return float64((float64((float64(k[3][axis]*t)+k[2][axis])*t)+k[1][axis])*t) + k[0][axis]
}

// addExactCurve stores a curve as n chords that enclose the same area, so that few are needed. Chords between
// points of the curve would lie inside of its bends. So the inner points are moved outwards, by step^2/12
// of the second derivative, where step is that of t. The two ends must stay on the curve; the factor n/(n-1) lets the
// inner points make up for them.
func (cutter *Cutter) addExactCurve(bezier *bezier) {
	curve := bezier.polynomial()
	// The deviation from the chord is an eighth of the second derivative, hence a quarter of its half. It is
	// greatest at one of the ends. Of n chords each deviates by deviation/n^2, at most 1/64 px.
	bendAt := func(t float64) float64 {
		return math.Hypot(curve.halfSecondDerivative(0, t), curve.halfSecondDerivative(1, t))
	}
	deviation := max(bendAt(0), bendAt(1)) / 4
	n := 1
	if deviation > exactFlat {
		n = int(min(max(2, math.Ceil(8*math.Sqrt(deviation))), exactPieces))
	}
	step := 1 / float64(n)
	outward := step * step / 6 * float64(n) / max(1, float64(n-1)) // a factor of half the second derivative
	x0, y0 := toUnit(float64(bezier.points[0].X)), toUnit(float64(bezier.points[0].Y))
	for i := 1; i < n; i++ {
		t := float64(i) * step
		x1 := toUnit(curve.at(0, t) - float64(outward*curve.halfSecondDerivative(0, t)))
		y1 := toUnit(curve.at(1, t) - float64(outward*curve.halfSecondDerivative(1, t)))
		cutter.addSegment(Segment{x0, y0, x1, y1})
		x0, y0 = x1, y1
	}
	cutter.addSegment(Segment{x0, y0, toUnit(float64(bezier.end().X)), toUnit(float64(bezier.end().Y))})
}
