package chord

import (
	"math"

	"plumb/render/path"
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

// exactLine stores a line with its ends rounded to the grid of segments.
func (c *Cutter) exactLine(a, b path.Point) {
	c.add(Segment{toUnit(float64(a.X)), toUnit(float64(a.Y)), toUnit(float64(b.X)), toUnit(float64(b.Y))})
}

func toUnit(v float64) int32 { return int32(math.Floor(float64(v*Unit) + 0.5)) }

// exactCurve stores chords between points that stand off the curve, outwards,
// by h^2/12 of its second derivative (h: step of t): then the chords enclose the
// same area as the curve does, and few are needed. The curve's ends stay, so the
// points between them take their share too: n/(n-1).
func (c *Cutter) exactCurve(b *bezier) {
	var k [4][2]float64 // coefficients: k[0] + k[1] t + k[2] t^2 + k[3] t^3
	for i, a := range [2]axis{axisX, axisY} {
		p0, p1, p2, p3 := float64(a.of(b.p[0])), float64(a.of(b.p[1])), float64(a.of(b.p[2])), float64(a.of(b.p[3]))
		if b.n == 3 {
			k[0][i], k[1][i], k[2][i] = p0, 2*(p1-p0), p0-2*p1+p2
		} else {
			k[0][i], k[1][i], k[2][i], k[3][i] = p0, 3*(p1-p0), 3*(p0-2*p1+p2), p3-p0+3*(p1-p2)
		}
	}
	// |P''| is greatest at one of the ends.
	d := max(math.Hypot(k[2][0], k[2][1]), math.Hypot(k[2][0]+3*k[3][0], k[2][1]+3*k[3][1])) / 4
	n := 1
	if d > exactFlat {
		n = int(min(max(2, math.Ceil(8*math.Sqrt(d))), exactPieces))
	}
	h := 1 / float64(n)
	off := h * h / 12 * float64(n) / max(1, float64(n-1))
	x0, y0 := toUnit(float64(b.p[0].X)), toUnit(float64(b.p[0].Y))
	for i := 1; i <= n; i++ {
		var v [2]float64
		t := float64(i) * h
		for a := range v {
			v[a] = k[0][a] + t*(k[1][a]+t*(k[2][a]+t*k[3][a])) - off*(2*k[2][a]+6*k[3][a]*t)
		}
		if i == n {
			v = [2]float64{float64(b.end().X), float64(b.end().Y)}
		}
		x1, y1 := toUnit(v[0]), toUnit(v[1])
		c.add(Segment{x0, y0, x1, y1})
		x0, y0 = x1, y1
	}
}
