package plane

import "math"

// segmentDist is a segment prepared for distance computations. inverseSquaredLength is 0 for
// a segment of length 0.
type segmentDist struct {
	x0, y0, x1, y1               float64
	dx, dy, inverseSquaredLength float64
	box                          box
}

// newSegmentDist prepares a segment of a boundary for many distances to it.
func newSegmentDist(s segment) segmentDist {
	dx, dy := s.x1-s.x0, s.y1-s.y0
	out := segmentDist{x0: s.x0, y0: s.y0, x1: s.x1, y1: s.y1, dx: dx, dy: dy}
	out.box = box{min(s.x0, s.x1), min(s.y0, s.y1), max(s.x0, s.x1), max(s.y0, s.y1)}
	if squaredLength := float64(dx*dx) + float64(dy*dy); squaredLength > 0 {
		out.inverseSquaredLength = 1 / squaredLength
	}
	return out
}

// prepareSegments appends the segments of a boundary to dst, each with what the search for distances
// needs of it.
func prepareSegments(dst []segmentDist, list []segment) []segmentDist {
	for _, s := range list {
		dst = append(dst, newSegmentDist(s))
	}
	return dst
}

// hausdorffer computes Hausdorff distances. It holds the scratch memory.
type hausdorffer struct {
	union      []segmentDist
	ends       []nearestSegment // of each segment, what is nearest to its two ends
	splitsLeft int              // how often maxBetween may still divide a segment
}

// nearestSegment is the squared distance of a point from a set of segments, and the index of
// the nearest segment.
type nearestSegment struct {
	squared float64
	index   int
}

// distance returns the Hausdorff distance of two sets of segments: the larger one of the two
// directed distances.
func (hausdorffer *hausdorffer) distance(a, b []segmentDist) float64 {
	return math.Sqrt(hausdorffer.directedSquared(b, a, hausdorffer.directedSquared(a, b, 0))) // the second call starts from the first
}

// directedSquared returns the directed Hausdorff distance from boundary a to b, squared: the largest
// squared distance of a point of a from b, or best if that is larger (docs/spec/tangram.md#r43). First
// it measures from the ends of a's segments. The distance from one segment is convex, so between two
// points with the same nearest segment the maximum is at one of them. Only segments whose ends have
// different nearest segments must be searched inside, by maxBetween.
func (hausdorffer *hausdorffer) directedSquared(a, b []segmentDist, best float64) float64 {
	hausdorffer.ends = hausdorffer.ends[:0]
	var last nearestSegment
	for i := range a {
		s := &a[i]
		if i == 0 || s.x0 != a[i-1].x1 || s.y0 != a[i-1].y1 { // else the last end is this start
			last = findNearest(b, s.x0, s.y0, last.index, best)
			best = max(best, last.squared)
		}
		hausdorffer.ends = append(hausdorffer.ends, last)
		last = findNearest(b, s.x1, s.y1, last.index, best)
		hausdorffer.ends = append(hausdorffer.ends, last)
		best = max(best, last.squared)
	}
	for i := range a {
		if lo, hi := hausdorffer.ends[2*i], hausdorffer.ends[2*i+1]; lo.index != hi.index {
			hausdorffer.splitsLeft = 64 + 4*len(b) // more than are needed; rounding must not make it endless
			best = hausdorffer.maxBetween(&a[i], b, 0, 1, lo, hi, best)
		}
	}
	return best
}

// squaredTo returns the squared distance of the point (x, y) from the segment of a boundary. Products are
// converted to float64, so that no compiler fuses them with an addition and results are the same on
// every machine.
func (s *segmentDist) squaredTo(x, y float64) float64 {
	px, py := x-s.x0, y-s.y0
	param := (float64(px*s.dx) + float64(py*s.dy)) * s.inverseSquaredLength
	if param > 0 {
		if param >= 1 {
			px, py = x-s.x1, y-s.y1
		} else {
			px, py = px-float64(param*s.dx), py-float64(param*s.dy)
		}
	}
	return float64(px*px) + float64(py*py)
}

// findNearest returns the segment of a boundary that is nearest to a point. It tries the segment
// `first` before the others. It stops at any segment whose squared distance is at most `enough`,
// because such a point cannot raise the caller's maximum; then the result need not be the nearest
// one.
func findNearest(list []segmentDist, x, y float64, first int, enough float64) nearestSegment {
	best := nearestSegment{list[first].squaredTo(x, y), first}
	if best.squared <= enough {
		return best
	}
	for i := range list {
		s := &list[i]
		// The box is farther away than the best segment, so its segment is too.
		dx := max(s.box.x0-x, x-s.box.x1, 0)
		dy := max(s.box.y0-y, y-s.box.y1, 0)
		if float64(dx*dx)+float64(dy*dy) >= best.squared {
			continue
		}
		if d := s.squaredTo(x, y); d < best.squared {
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

// maxBetween returns the largest squared distance from boundary b of the points of segment s between
// the parameters t0 and t1, or best if that is larger. lo and hi are the nearest segments at t0 and t1,
// and best is at least the squared distances there. Somewhere between, these two are equally far away.
// If no other segment is nearer there, the maximum is at that point. Otherwise the nearest one there
// divides the interval in two. After too many divisions it returns an upper bound.
func (hausdorffer *hausdorffer) maxBetween(s *segmentDist, b []segmentDist, t0, t1 float64, lo, hi nearestSegment,
	best float64) float64 {
	for lo.index != hi.index && t1-t0 > 1e-15 { // shorter intervals are within rounding
		nearLo, nearHi := &b[lo.index], &b[hi.index]
		// The squared distance from one segment is convex, so its values at both ends bound it between.
		// That at the end where the segment is the nearest is at most best already.
		if nearLo.squaredAlong(s, t1) <= best || nearHi.squaredAlong(s, t0) <= best {
			return best
		}
		t := equidistantParam(s, nearLo, nearHi, t0, t1)
		x, y := s.x0+float64(t*s.dx), s.y0+float64(t*s.dy)
		both := max(nearLo.squaredTo(x, y), nearHi.squaredTo(x, y))
		if both <= best || t <= t0 || t >= t1 {
			return best
		}
		mid := findNearest(b, x, y, lo.index, best)
		best = max(best, mid.squared)
		if mid.index == lo.index || mid.index == hi.index || mid.squared >= both*(1-tieTolerance) {
			return best
		}
		hausdorffer.splitsLeft--
		if hausdorffer.splitsLeft < 0 {
			return max(best, both) // an upper bound
		}
		best = hausdorffer.maxBetween(s, b, t0, t, lo, mid, best)
		t0, lo = t, mid
	}
	return best
}

// squaredAlong returns the squared distance from s of the point of segment o at parameter t.
func (s *segmentDist) squaredAlong(o *segmentDist, t float64) float64 {
	return s.squaredTo(o.x0+float64(t*o.dx), o.y0+float64(t*o.dy))
}

// equidistantParam returns the parameter of the point of boundary segment s, between t0 and t1, that is
// equally far from two other segments: nearAtStart, which is nearer at t0, and nearAtEnd, which is nearer
// at t1. The squared distance from a segment is made of three quadratic functions, one for each end and
// one for the line between. The interval is narrowed until one function holds for each of the two; then
// a quadratic equation is solved.
func equidistantParam(s, nearAtStart, nearAtEnd *segmentDist, t0, t1 float64) float64 {
	for _, other := range [2]*segmentDist{nearAtStart, nearAtEnd} {
		// The point of s at t projects on the line of other at offset + slope*t. Another function holds from
		// where that is 0 or 1.
		slope := (float64(s.dx*other.dx) + float64(s.dy*other.dy)) * other.inverseSquaredLength
		if slope == 0 {
			continue
		}
		offset := (float64((s.x0-other.x0)*other.dx) + float64((s.y0-other.y0)*other.dy)) * other.inverseSquaredLength
		for _, t := range [2]float64{-offset / slope, (1 - offset) / slope} {
			if t > t0 && t < t1 { // keep the half in which the nearer one changes
				if nearAtStart.squaredAlong(s, t) <= nearAtEnd.squaredAlong(s, t) {
					t0 = t
				} else {
					t1 = t
				}
			}
		}
	}
	middle := (t0 + t1) / 2
	startBranch, endBranch := nearAtStart.branchNear(s, middle), nearAtEnd.branchNear(s, middle)
	t := rootBetween(startBranch.a-endBranch.a, startBranch.b-endBranch.b, startBranch.c-endBranch.c, t0-middle, t1-middle)
	return min(max(t+middle, t0), t1)
}

// squaredBranch is a squared distance along a segment, as a t^2 + b t + c.
type squaredBranch struct{ a, b, c float64 }

// branchNear returns, as a quadratic function of t, the squared distance from the boundary segment s of
// the point of another segment at parameter middle+t. That distance is made of several quadratic
// functions, by whether an end of s is nearest or a point between. The result is the one that holds near
// t = 0.
func (s *segmentDist) branchNear(other *segmentDist, middle float64) squaredBranch {
	x, y := other.x0+float64(middle*other.dx), other.y0+float64(middle*other.dy)
	px, py := x-s.x0, y-s.y0
	// foot is where on s, from 0 to 1, the perpendicular from the point meets the line of s.
	foot := (float64(px*s.dx) + float64(py*s.dy)) * s.inverseSquaredLength
	if foot > 0 && foot < 1 { // the nearest point is within s, so the distance is that from its line
		distance := float64(px*s.dy) - float64(py*s.dx)
		slope := float64(other.dx*s.dy) - float64(other.dy*s.dx)
		return squaredBranch{slope * slope * s.inverseSquaredLength, 2 * distance * slope * s.inverseSquaredLength,
			distance * distance * s.inverseSquaredLength}
	}
	if foot >= 1 {
		px, py = x-s.x1, y-s.y1
	}
	return squaredBranch{
		float64(other.dx*other.dx) + float64(other.dy*other.dy), 2 * (float64(px*other.dx) + float64(py*other.dy)),
		float64(px*px) + float64(py*py),
	}
}

// rootBetween returns a root of a t^2 + b t + c between lo and hi, where the function changes its
// sign: there two boundary segments are equally far away. Of the two solutions it takes the one in
// the interval, or the one nearer to its middle if rounding moved both out.
func rootBetween(a, b, c, lo, hi float64) float64 {
	discriminant := max(float64(b*b)-4*float64(a*c), 0)
	q := -(b + math.Copysign(math.Sqrt(discriminant), b)) / 2 // without cancellation; roots are c/q and q/a
	if q == 0 {                                               // b is 0, and a or c
		return 0
	}
	root := c / q
	if otherRoot := q / a; root < lo || root > hi {
		if otherRoot >= lo && otherRoot <= hi { // not so where a is 0
			return otherRoot
		}
		if math.Abs(otherRoot-(lo+hi)/2) < math.Abs(root-(lo+hi)/2) {
			return otherRoot
		}
	}
	return root
}
