package stroke

import (
	"math"

	"plumb/render/vector"
)

// quarterWeight is the weight of the conic that is a quarter of a circle.
const quarterWeight = float32(math.Sqrt2 / 2)

// nearlyZero is the tolerance for unit vectors that are equal.
const nearlyZero = 1.0 / 4096

// join adds the round join from unit normal a to unit normal b at the current point to both sides: an
// arc on the outside of the turn, two lines through the point on the inside. Normals that are almost
// equal need none. See docs/spec/raster.md#r8.
func (pen *pen) join(a, b vec) {
	d := dot(a, b)
	if d >= 0 && 1-d <= nearlyZero {
		return
	}
	// The left side is the outer one unless the path turns left; there the offsets change sign.
	outer, inner, side := pen.out, &pen.inner, pen.radius
	if !(float32(a.X*b.Y) > float32(a.Y*b.X)) {
		outer, inner, side = inner, outer, -pen.radius
	}
	pen.arc(outer, scale(a, side), scale(b, side), a, b)
	inner.LineTo(pen.current)
	inner.LineTo(sub(pen.current, scale(b, side)))
}

// arc appends the shorter arc around the current point to dst, from its offset from to its offset to:
// one conic for each full quadrant and one for the rest. a and b are the unit normals that belong to
// the offsets; the offsets are these times the radius, or times minus the radius.
func (pen *pen) arc(dst *vector.Path, from, to, a, b vec) {
	cos, sin := dot(a, b), cross(a, b)
	turn := func(v vec) vec { return vec{X: -v.Y, Y: v.X} } // clockwise on screen
	if sin < 0 || sin == 0 && from != scale(a, pen.radius) {
		turn = left
	}
	at, u := from, a      // the offset that is reached, and its unit normal
	quarterTo := func() { // adds a quadrant
		q := turn(at)
		dst.ConicTo(add(pen.current, add(at, q)), add(pen.current, q), quarterWeight)
		at = q
	}
	switch {
	case cos <= 0 && abs(sin) <= nearlyZero: // half a circle
		quarterTo()
		quarterTo()
		return
	case cos < 0: // a quadrant and a rest
		quarterTo()
		u = turn(a)
		if dot(u, b) >= 1 {
			return
		}
	case cos == 0:
		quarterTo()
		return
	}
	// The rest: the weight of its conic is the cosine of half its angle.
	weight := sqrt((1 + dot(u, b)) / 2)
	control, ok := withLength(add(at, to), pen.radius/weight) // an offset too
	if !ok || near(at, control, pen.radius*nearlyZero) {
		return
	}
	dst.ConicTo(add(pen.current, control), add(pen.current, to), weight)
}

// cap adds the round cap of a stroke around its end q to the outer side of the outline: a half
// circle, in two conics, from q + n to end. n is the normal times the radius, and end is q - n as
// the inner side has it.
func (pen *pen) cap(q, n, end vec) {
	side := vec{X: -n.Y, Y: n.X}
	mid := add(q, side)
	pen.out.ConicTo(add(mid, n), mid, quarterWeight)
	pen.out.ConicTo(sub(mid, n), end, quarterWeight)
}

// disc adds a circle around q to a stroke's outline, in the direction of outlines, for a stroke
// without length.
func (pen *pen) disc(q vec) {
	n := vec{X: pen.radius}
	pen.out.MoveTo(add(q, n))
	pen.cap(q, n, sub(q, n))
	pen.cap(q, scale(n, -1), add(q, n))
	pen.out.Close()
}

// box is an axis-aligned rectangle, x0 <= x1 and y0 <= y1.
type box struct{ x0, y0, x1, y1 float32 }

// rectangle reports whether the path is a single closed axis-aligned rectangle with an area, of four
// points or of five with the first repeated, and returns it. The browser strokes such a path by a
// special rule.
func rectangle(src *vector.Path) (b box, ok bool) {
	verbs, points := src.Verbs, src.Points
	n := len(points)
	hasFourCorners := n == 4 || n == 5 && points[4] == points[0]
	if len(verbs) != n+1 || verbs[n] != vector.Close || !hasFourCorners {
		return b, false
	}
	for _, w := range verbs[1:n] {
		if w != vector.Line {
			return b, false
		}
	}
	flatFirst := points[0].Y == points[1].Y && points[1].X == points[2].X && points[2].Y == points[3].Y && points[3].X == points[0].X
	uprightFirst := points[0].X == points[1].X && points[1].Y == points[2].Y && points[2].X == points[3].X && points[3].Y == points[0].Y
	if !flatFirst && !uprightFirst {
		return b, false
	}
	b = box{min(points[0].X, points[2].X), min(points[0].Y, points[2].Y), max(points[0].X, points[2].X), max(points[0].Y, points[2].Y)}
	return b, b.x0 < b.x1 && b.y0 < b.y1
}

// rectangle adds the outline of a stroked rectangle: its outer edge with round corners and, in
// the other direction, its inner edge. A stroke that fills the rectangle has no inner edge.
func (pen *pen) rectangle(box box) {
	r, path := pen.radius, pen.out
	x0, y0, x1, y1 := box.x0-r, box.y0-r, box.x1+r, box.y1+r // outer edge
	path.MoveTo(vec{X: box.x0, Y: y0})
	path.LineTo(vec{X: box.x1, Y: y0})
	path.ConicTo(vec{X: x1, Y: y0}, vec{X: x1, Y: box.y0}, quarterWeight)
	path.LineTo(vec{X: x1, Y: box.y1})
	path.ConicTo(vec{X: x1, Y: y1}, vec{X: box.x1, Y: y1}, quarterWeight)
	path.LineTo(vec{X: box.x0, Y: y1})
	path.ConicTo(vec{X: x0, Y: y1}, vec{X: x0, Y: box.y1}, quarterWeight)
	path.LineTo(vec{X: x0, Y: box.y0})
	path.ConicTo(vec{X: x0, Y: y0}, vec{X: box.x0, Y: y0}, quarterWeight)
	path.Close()
	if 2*r >= min(box.x1-box.x0, box.y1-box.y0) {
		return
	}
	x0, y0, x1, y1 = box.x0+r, box.y0+r, box.x1-r, box.y1-r // inner edge
	path.MoveTo(vec{X: x0, Y: y0})
	path.LineTo(vec{X: x0, Y: y1})
	path.LineTo(vec{X: x1, Y: y1})
	path.LineTo(vec{X: x1, Y: y0})
	path.Close()
}
