package plane

import "math"

// segmentDist is a segment prepared for distance computations.
type segmentDist struct {
	x0, y0, x1, y1 float64
	dx, dy, inv    float64 // inv is 1/l^2
	box            box
}

// newSegmentDist prepares a segment of a boundary for many distances to it.
func newSegmentDist(s segment) segmentDist {
	dx, dy := s.x1-s.x0, s.y1-s.y0
	out := segmentDist{x0: s.x0, y0: s.y0, x1: s.x1, y1: s.y1, dx: dx, dy: dy}
	out.box = box{min(s.x0, s.x1), min(s.y0, s.y1), max(s.x0, s.x1), max(s.y0, s.y1)}
	if l := float64(dx*dx) + float64(dy*dy); l > 0 {
		out.inv = 1 / l
	}
	return out
}

// prepareSegments appends a boundary, prepared for distances.
func prepareSegments(dst []segmentDist, list []segment) []segmentDist {
	for _, s := range list {
		dst = append(dst, newSegmentDist(s))
	}
	return dst
}

// hausdorffer computes Hausdorff distances. It holds the scratch memory.
type hausdorffer struct {
	union      []segmentDist
	ends       []nearestSegment // of each side, what is nearest to its two ends
	splitsLeft int              // how often highest may still divide a side
}

// nearestSegment is the squared distance of a point from a set of segments, and the index of the
// nearest one.
type nearestSegment struct {
	d  float64
	at int
}

// distance returns the Hausdorff distance of two sets of segments.
func (e *hausdorffer) distance(a, b []segmentDist) float64 {
	return math.Sqrt(e.directed(b, a, e.directed(a, b, 0)))
}

// directed returns the largest squared distance of a point of a from b, or best if that is larger.
// Along a segment of a it is the maximum of the lower envelope of the distances from the segments
// of b (docs/spec/tangram.md#r43). The distance from one segment is convex, so between two points
// with the same nearest segment the maximum is at one of them.
func (e *hausdorffer) directed(a, b []segmentDist, best float64) float64 {
	e.ends = e.ends[:0]
	var last nearestSegment
	for i := range a {
		s := &a[i]
		if i == 0 || s.x0 != a[i-1].x1 || s.y0 != a[i-1].y1 {
			last = nearest(b, s.x0, s.y0, last.at, best)
			best = max(best, last.d)
		}
		e.ends = append(e.ends, last)
		last = nearest(b, s.x1, s.y1, last.at, best)
		e.ends = append(e.ends, last)
		best = max(best, last.d)
	}
	for i := range a {
		if lo, hi := e.ends[2*i], e.ends[2*i+1]; lo.at != hi.at {
			e.splitsLeft = 64 + 4*len(b) // the envelope has fewer corners; rounding could make more
			best = e.maxBetween(&a[i], b, 0, 1, lo, hi, best)
		}
	}
	return best
}

// squaredTo returns the squared distance of a point from the segment.
func (s *segmentDist) squaredTo(x, y float64) float64 {
	px, py := x-s.x0, y-s.y0
	t := (float64(px*s.dx) + float64(py*s.dy)) * s.inv
	if t > 0 {
		if t >= 1 {
			px, py = x-s.x1, y-s.y1
		} else {
			px, py = px-float64(t*s.dx), py-float64(t*s.dy)
		}
	}
	return float64(px*px) + float64(py*py)
}

// nearest returns the segment nearest to a point. It stops early at a segment whose squared
// distance is at most enough, because that cannot raise the maximum. first is the index to try
// first.
func nearest(list []segmentDist, x, y float64, first int, enough float64) nearestSegment {
	best := nearestSegment{list[first].squaredTo(x, y), first}
	if best.d <= enough {
		return best
	}
	for i := range list {
		s := &list[i]
		// Off its box by more than the best: so is the segment.
		dx := max(s.box.x0-x, x-s.box.x1, 0)
		dy := max(s.box.y0-y, y-s.box.y1, 0)
		if float64(dx*dx)+float64(dy*dy) >= best.d {
			continue
		}
		if d := s.squaredTo(x, y); d < best.d {
			best = (nearestSegment{d, i})
			if d <= enough {
				break
			}
		}
	}
	return best
}

// tieTolerance is the relative difference below which two squared distances count as equal.
const tieTolerance = 1e-14

// maxBetween returns the maximum of best and of the squared distances from b of the points of s
// between the parameters t0 and t1. lo and hi are the nearest segments at the ends. Somewhere
// between, these two are equally far away: if no other segment is nearer there, that point has the
// maximum; otherwise the nearer one divides the interval.
func (e *hausdorffer) maxBetween(s *segmentDist, b []segmentDist, t0, t1 float64, lo, hi nearestSegment, best float64) float64 {
	for lo.at != hi.at && t1-t0 > 1e-15 {
		f, g := &b[lo.at], &b[hi.at]
		// One of the two bounds all of the interval by its ends.
		if f.squaredAlong(s, t1) <= best || g.squaredAlong(s, t0) <= best {
			return best
		}
		t := equidistantParam(s, f, g, t0, t1)
		x, y := s.x0+float64(t*s.dx), s.y0+float64(t*s.dy)
		v := max(f.squaredTo(x, y), g.squaredTo(x, y))
		if v <= best || t <= t0 || t >= t1 {
			return best
		}
		mid := nearest(b, x, y, lo.at, best)
		best = max(best, mid.d)
		if mid.at == lo.at || mid.at == hi.at || mid.d >= v*(1-tieTolerance) {
			return best
		}
		e.splitsLeft--
		if e.splitsLeft < 0 {
			return max(best, v) // a bound
		}
		best = e.maxBetween(s, b, t0, t, lo, mid, best)
		t0, lo = t, mid
	}
	return best
}

// squaredAlong returns the squared distance from s of the point of o at parameter t.
func (s *segmentDist) squaredAlong(o *segmentDist, t float64) float64 {
	return s.squaredTo(o.x0+float64(t*o.dx), o.y0+float64(t*o.dy))
}

// equidistantParam returns a parameter of s between t0 and t1 where f, which is nearer at t0, and
// g, which is nearer at t1, are equally far away. The squared distance from a segment is piecewise
// quadratic with three branches: one for each end, one for the line between.
func equidistantParam(s, f, g *segmentDist, t0, t1 float64) float64 {
	for _, o := range [2]*segmentDist{f, g} {
		// Where the foot of s on the line of o is at its ends.
		q := (float64(s.dx*o.dx) + float64(s.dy*o.dy)) * o.inv
		if q == 0 {
			continue
		}
		p := (float64((s.x0-o.x0)*o.dx) + float64((s.y0-o.y0)*o.dy)) * o.inv
		for _, t := range [2]float64{-p / q, (1 - p) / q} {
			if t > t0 && t < t1 {
				if f.squaredAlong(s, t) <= g.squaredAlong(s, t) {
					t0 = t
				} else {
					t1 = t
				}
			}
		}
	}
	m := (t0 + t1) / 2
	a, b := f.branchNear(s, m), g.branchNear(s, m)
	t := rootBetween(a.a-b.a, a.b-b.b, a.c-b.c, t0-m, t1-m)
	return min(max(t+m, t0), t1)
}

// branch is a squared distance along a segment, as a t^2 + b t + c.
type branch struct{ a, b, c float64 }

// branchNear returns the branch of the squared distance from s for the points of o near parameter
// m, with t counted from m.
func (s *segmentDist) branchNear(o *segmentDist, m float64) branch {
	x, y := o.x0+float64(m*o.dx), o.y0+float64(m*o.dy)
	px, py := x-s.x0, y-s.y0
	t := (float64(px*s.dx) + float64(py*s.dy)) * s.inv
	if t > 0 && t < 1 {
		p := float64(px*s.dy) - float64(py*s.dx)
		q := float64(o.dx*s.dy) - float64(o.dy*s.dx)
		return branch{q * q * s.inv, 2 * p * q * s.inv, p * p * s.inv}
	}
	if t >= 1 {
		px, py = x-s.x1, y-s.y1
	}
	return branch{
		float64(o.dx*o.dx) + float64(o.dy*o.dy), 2 * (float64(px*o.dx) + float64(py*o.dy)),
		float64(px*px) + float64(py*py),
	}
}

// rootBetween returns a root of a t^2 + b t + c between lo and hi, where the sign changes.
func rootBetween(a, b, c, lo, hi float64) float64 {
	d := max(float64(b*b)-4*float64(a*c), 0)
	q := -(b + math.Copysign(math.Sqrt(d), b)) / 2
	if q == 0 { // b is 0, and a or c
		return 0
	}
	t := c / q
	if u := q / a; t < lo || t > hi {
		if u >= lo && u <= hi { // not so where a is 0
			return u
		}
		if math.Abs(u-(lo+hi)/2) < math.Abs(t-(lo+hi)/2) {
			return u
		}
	}
	return t
}
