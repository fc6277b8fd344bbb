package tangram

import (
	"math"

	"plumb/scoring/tangram/plane"
)

// touching reports how two pieces of a decimal answer touch: edge if enough of an edge of
// one is within contactDistance of an edge of the other (docs/spec/tangram.md#r36), point if
// their boundaries come within contactDistance at all (docs/spec/tangram.md#r37). edge
// implies point.
func touching(p, q []segment) (edge, point bool) {
	for i := range p {
		for j := range q {
			a, b := &p[i], &q[j]
			if !a.boxesAreNear(b) {
				continue
			}
			edge = edge || a.lengthNear(b) >= contactLength || b.lengthNear(a) >= contactLength
			point = point || a.distance(b) <= contactDistance
		}
	}
	return edge, point || edge
}

// segment is a polygon edge in doubles.
type segment struct{ x0, y0, x1, y1 float64 }

// appendSegments appends the edges of a polygon in doubles: segment i leads from vertex i to
// the next one, the last back to the first.
func appendSegments(dst []segment, vertices []plane.Point) []segment {
	first := len(dst)
	for i := range vertices {
		x, y := vertices[i].X.Float(), vertices[i].Y.Float()
		if i > 0 {
			dst[first+i-1].x1, dst[first+i-1].y1 = x, y
		}
		dst = append(dst, segment{x0: x, y0: y})
	}
	last := &dst[len(dst)-1]
	last.x1, last.y1 = dst[first].x0, dst[first].y0
	return dst
}

// boxesAreNear reports whether the bounding boxes of two edges of tangram pieces come within twice the
// contact distance, which leaves a margin for rounding. Where they do not, the edges cannot touch.
func (segment *segment) boxesAreNear(other *segment) bool {
	rangesAreNear := func(a0, a1, b0, b1 float64) bool {
		return min(a0, a1) <= max(b0, b1)+2*contactDistance && min(b0, b1) <= max(a0, a1)+2*contactDistance
	}
	return rangesAreNear(segment.x0, segment.x1, other.x0, other.x1) && rangesAreNear(segment.y0, segment.y1, other.y0, other.y1)
}

// lengthNear returns how much of an edge of a tangram piece, as a length, lies within
// contactDistance of another piece's edge. The points within a distance of a segment form a convex
// region, two discs around its ends and a rectangle between them, so that part is one interval. It
// intersects the edge with the three shapes and takes the hull. Products are converted to float64, so
// that no compiler fuses them with an addition and results are the same on every machine.
func (edge *segment) lengthNear(other *segment) float64 {
	dx, dy := edge.x1-edge.x0, edge.y1-edge.y0
	length := math.Hypot(dx, dy)
	if length == 0 {
		return 0
	}
	// Places on the edge are parameters from 0 at its start to 1 at its end.
	nearFrom, nearTo := math.Inf(1), math.Inf(-1)
	addNear := func(a, b float64) { // extends the near part by the part of [a, b] on the edge
		a, b = max(a, 0), min(b, 1)
		if a < b {
			nearFrom, nearTo = min(nearFrom, a), max(nearTo, b)
		}
	}
	for _, disc := range [2][2]float64{{other.x0, other.y0}, {other.x1, other.y1}} {
		wx, wy := edge.x0-disc[0], edge.y0-disc[1]
		b := float64(wx*dx) + float64(wy*dy)
		discriminant := float64(b*b) - length*length*(float64(wx*wx)+float64(wy*wy)-contactDistance*contactDistance)
		if discriminant > 0 { // the edge's line crosses the disc at the two roots
			root := math.Sqrt(discriminant)
			addNear((-b-root)/(length*length), (-b+root)/(length*length))
		}
	}
	// The rectangle around the other edge: [from, to] is where the edge's line is inside.
	gx, gy := other.x1-other.x0, other.y1-other.y0
	if otherLength := math.Hypot(gx, gy); otherLength > 0 {
		from, to := 0.0, 1.0
		wx, wy := edge.x0-other.x0, edge.y0-other.y0
		// keepBetween keeps of [from, to] the parameters t where at + t*step is between low and high.
		keepBetween := func(at, step, low, high float64) {
			if step == 0 {
				if at < low || at > high {
					from, to = 1, 0
				}
				return
			}
			a, b := (low-at)/step, (high-at)/step
			from, to = max(from, min(a, b)), min(to, max(a, b))
		}
		// The coordinate along the other edge, then the one across it.
		keepBetween((float64(wx*gx)+float64(wy*gy))/otherLength, (float64(dx*gx)+float64(dy*gy))/otherLength, 0, otherLength)
		keepBetween((float64(wx*gy)-float64(wy*gx))/otherLength, (float64(dx*gy)-float64(dy*gx))/otherLength, -contactDistance,
			contactDistance)
		addNear(from, to)
	}
	return max(0, nearTo-nearFrom) * length
}

// distance returns the smallest distance of two edges of tangram pieces: 0 where they cross, else
// the smallest distance of an end from the other edge.
func (segment *segment) distance(b *segment) float64 {
	if segment.crosses(b) {
		return 0
	}
	return math.Sqrt(min(b.squaredTo(segment.x0, segment.y0), b.squaredTo(segment.x1, segment.y1), segment.squaredTo(b.x0, b.y0),
		segment.squaredTo(b.x1, b.y1)))
}

// crosses reports whether two edges of tangram pieces cross in their interiors.
func (a *segment) crosses(b *segment) bool {
	// side is positive on the left of a line, negative on the right, and 0 on it.
	side := func(line *segment, x, y float64) float64 {
		return float64((line.x1-line.x0)*(y-line.y0)) - float64((line.y1-line.y0)*(x-line.x0))
	}
	return side(a, b.x0, b.y0)*side(a, b.x1, b.y1) < 0 && side(b, a.x0, a.y0)*side(b, a.x1, a.y1) < 0
}

// squaredTo returns the squared distance of the point (x, y) from the edge of a tangram piece. (px, py)
// leads to the point from the nearest point of the edge: its start, unless a later one is nearer.
func (segment *segment) squaredTo(x, y float64) float64 {
	dx, dy := segment.x1-segment.x0, segment.y1-segment.y0
	px, py := x-segment.x0, y-segment.y0
	if squaredLength := float64(dx*dx) + float64(dy*dy); squaredLength > 0 {
		// along is where on the edge the point's projection is, from 0 at the start to 1 at the end.
		if along := (float64(px*dx) + float64(py*dy)) / squaredLength; along > 0 {
			along = min(along, 1)
			px, py = px-float64(along*dx), py-float64(along*dy)
		}
	}
	return float64(px*px) + float64(py*py)
}

func (segment *segment) length() float64 {
	return math.Hypot(segment.x1-segment.x0, segment.y1-segment.y0)
}
