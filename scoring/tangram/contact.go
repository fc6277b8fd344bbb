package tangram

import (
	"math"

	"plumb/scoring/tangram/plane"
)

// contactKinds reports how two pieces of a decimal answer touch: edge if enough of an edge is near
// an edge of the other (docs/spec/tangram.md#r36), point if their boundaries come near at all
// (docs/spec/tangram.md#r37).
func contactKinds(p, q []segment) (edge, point bool) {
	for i := range p {
		for j := range q {
			e, g := &p[i], &q[j]
			if !e.boxesNear(g) {
				continue
			}
			edge = edge || e.lengthNear(g) >= contactLength || g.lengthNear(e) >= contactLength
			point = point || e.distance(g) <= contactDistance
		}
	}
	return edge, point || edge
}

// segment is a polygon edge in doubles.
type segment struct{ x0, y0, x1, y1 float64 }

// appendSegments appends the edges of a piece's polygon in doubles.
func appendSegments(dst []segment, list []plane.Point) []segment {
	from := len(dst)
	for i := range list {
		x, y := list[i].X.Float(), list[i].Y.Float()
		if i > 0 {
			dst[from+i-1].x1, dst[from+i-1].y1 = x, y
		}
		dst = append(dst, segment{x0: x, y0: y})
	}
	last := &dst[len(dst)-1]
	last.x1, last.y1 = dst[from].x0, dst[from].y0
	return dst
}

// boxesNear reports whether the bounding boxes of two segments come within twice the contact
// distance, a quick test before the exact ones.
func (e *segment) boxesNear(g *segment) bool {
	gap := func(a0, a1, b0, b1 float64) bool {
		return min(a0, a1) <= max(b0, b1)+2*contactDistance && min(b0, b1) <= max(a0, a1)+2*contactDistance
	}
	return gap(e.x0, e.x1, g.x0, g.x1) && gap(e.y0, e.y1, g.y0, g.y1)
}

// lengthNear returns the length of the part of e within the contact distance of g. The
// neighbourhood of a segment is convex, so that part is one interval: the hull of e's
// intersections with the two end discs and the rectangle between them.
func (e *segment) lengthNear(g *segment) float64 {
	dx, dy := e.x1-e.x0, e.y1-e.y0
	l := math.Hypot(dx, dy)
	if l == 0 {
		return 0
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	add := func(a, b float64) { // extends [lo, hi] by the part of [a, b] on e
		a, b = max(a, 0), min(b, 1)
		if a < b {
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	for _, c := range [2][2]float64{{g.x0, g.y0}, {g.x1, g.y1}} {
		wx, wy := e.x0-c[0], e.y0-c[1]
		b := float64(wx*dx) + float64(wy*dy)
		d := float64(b*b) - l*l*(float64(wx*wx)+float64(wy*wy)-contactDistance*contactDistance)
		if d > 0 {
			r := math.Sqrt(d)
			add((-b-r)/(l*l), (-b+r)/(l*l))
		}
	}
	gx, gy := g.x1-g.x0, g.y1-g.y0
	if m := math.Hypot(gx, gy); m > 0 {
		from, to := 0.0, 1.0
		wx, wy := e.x0-g.x0, e.y0-g.y0
		// slab clips [from, to] to the parameters where at + t*step is between low and high.
		slab := func(at, step, low, high float64) {
			if step == 0 {
				if at < low || at > high {
					from, to = 1, 0
				}
				return
			}
			a, b := (low-at)/step, (high-at)/step
			from, to = max(from, min(a, b)), min(to, max(a, b))
		}
		slab((float64(wx*gx)+float64(wy*gy))/m, (float64(dx*gx)+float64(dy*gy))/m, 0, m)
		slab((float64(wx*gy)-float64(wy*gx))/m, (float64(dx*gy)-float64(dy*gx))/m, -contactDistance, contactDistance)
		add(from, to)
	}
	return max(0, hi-lo) * l
}

// distance returns the smallest distance of two edges of pieces.
func (e *segment) distance(g *segment) float64 {
	if e.crosses(g) {
		return 0
	}
	return math.Sqrt(min(g.squaredTo(e.x0, e.y0), g.squaredTo(e.x1, e.y1), e.squaredTo(g.x0, g.y0), e.squaredTo(g.x1, g.y1)))
}

// crosses reports whether two edges of pieces cross in their interiors.
func (e *segment) crosses(g *segment) bool {
	side := func(l *segment, x, y float64) float64 {
		return float64((l.x1-l.x0)*(y-l.y0)) - float64((l.y1-l.y0)*(x-l.x0))
	}
	return side(e, g.x0, g.y0)*side(e, g.x1, g.y1) < 0 && side(g, e.x0, e.y0)*side(g, e.x1, e.y1) < 0
}

// squaredTo returns the squared distance of the point (x, y) from an edge.
func (e *segment) squaredTo(x, y float64) float64 {
	dx, dy := e.x1-e.x0, e.y1-e.y0
	px, py := x-e.x0, y-e.y0
	if l := float64(dx*dx) + float64(dy*dy); l > 0 {
		if t := (float64(px*dx) + float64(py*dy)) / l; t > 0 {
			t = min(t, 1)
			px, py = px-float64(t*dx), py-float64(t*dy)
		}
	}
	return float64(px*px) + float64(py*py)
}

func (e *segment) length() float64 { return math.Hypot(e.x1-e.x0, e.y1-e.y0) }
