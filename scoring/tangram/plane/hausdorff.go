package plane

import "math"

// side is a segment prepared for distances.
type side struct {
	x0, y0, x1, y1 float64
	dx, dy, inv    float64 // inv is 1/l^2
	box            box
}

func newSide(s segment) side {
	dx, dy := s.x1-s.x0, s.y1-s.y0
	out := side{x0: s.x0, y0: s.y0, x1: s.x1, y1: s.y1, dx: dx, dy: dy}
	out.box = box{min(s.x0, s.x1), min(s.y0, s.y1), max(s.x0, s.x1), max(s.y0, s.y1)}
	if l := float64(dx*dx) + float64(dy*dy); l > 0 {
		out.inv = 1 / l
	}
	return out
}

func prepared(dst []side, list []segment) []side {
	for _, s := range list {
		dst = append(dst, newSide(s))
	}
	return dst
}

// distances is scratch for Hausdorff distances.
type distances struct {
	own  []side
	ends []found // of each side, what is nearest to its two ends
	left int     // how often highest may still divide a side
}

// found is the squared distance of a point and the segment that is so near.
type found struct {
	d  float64
	at int
}

// between is the Hausdorff distance of two sets of segments.
func (e *distances) between(a, b []side) float64 {
	return math.Sqrt(e.directed(b, a, e.directed(a, b, 0)))
}

// directed is the largest squared distance of a point of a from b, or best where
// that is larger. Along a segment of a it is the maximum of the lower envelope of
// its distances to the segments of b, see docs/spec/tangram.md#r43. The distance from
// one segment is convex: between two points that have the same one nearest, nothing is
// farther away than at one of them.
func (e *distances) directed(a, b []side, best float64) float64 {
	e.ends = e.ends[:0]
	var last found
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
			e.left = 64 + 4*len(b) // the envelope has fewer corners; rounding could make more
			best = e.highest(&a[i], b, 0, 1, lo, hi, best)
		}
	}
	return best
}

// square is the squared distance of a point.
func (s *side) square(x, y float64) float64 {
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

// nearest finds the segment nearest to a point, or one that is as near as enough:
// what is not farther away than the best value cannot raise it. first is where to
// begin.
func nearest(list []side, x, y float64, first int, enough float64) found {
	best := found{list[first].square(x, y), first}
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
		if d := s.square(x, y); d < best.d {
			if best = (found{d, i}); d <= enough {
				break
			}
		}
	}
	return best
}

// alike is the share of a squared distance within which two of them are the same.
const alike = 1e-14

// highest returns the maximum of best and of the squared distance of the points of
// s between the parameters t0 and t1, where lo and hi are nearest, or as near as best. Somewhere
// between, these two are equally far away: if nothing is nearer there, it is the
// maximum; otherwise what is nearer divides the interval.
func (e *distances) highest(s *side, b []side, t0, t1 float64, lo, hi found, best float64) float64 {
	for lo.at != hi.at && t1-t0 > 1e-15 {
		f, g := &b[lo.at], &b[hi.at]
		// One of the two bounds all of the interval by its ends.
		if f.along(s, t1) <= best || g.along(s, t0) <= best {
			return best
		}
		t := balance(s, f, g, t0, t1)
		x, y := s.x0+float64(t*s.dx), s.y0+float64(t*s.dy)
		v := max(f.square(x, y), g.square(x, y))
		if v <= best || t <= t0 || t >= t1 {
			return best
		}
		mid := nearest(b, x, y, lo.at, best)
		best = max(best, mid.d)
		if mid.at == lo.at || mid.at == hi.at || mid.d >= v*(1-alike) {
			return best
		}
		if e.left--; e.left < 0 {
			return max(best, v) // a bound
		}
		best = e.highest(s, b, t0, t, lo, mid, best)
		t0, lo = t, mid
	}
	return best
}

// along is the squared distance of the point of o at t.
func (s *side) along(o *side, t float64) float64 {
	return s.square(o.x0+float64(t*o.dx), o.y0+float64(t*o.dy))
}

// balance is a parameter of s between t0 and t1 where f, which is nearer at t0,
// and g, which is nearer at t1, are equally far away. The squared distances have
// three branches each: a parabola for either end and one for the line between.
func balance(s, f, g *side, t0, t1 float64) float64 {
	for _, o := range [2]*side{f, g} {
		// Where the foot of s on the line of o is at its ends.
		q := (float64(s.dx*o.dx) + float64(s.dy*o.dy)) * o.inv
		if q == 0 {
			continue
		}
		p := (float64((s.x0-o.x0)*o.dx) + float64((s.y0-o.y0)*o.dy)) * o.inv
		for _, t := range [2]float64{-p / q, (1 - p) / q} {
			if t > t0 && t < t1 {
				if f.along(s, t) <= g.along(s, t) {
					t0 = t
				} else {
					t1 = t
				}
			}
		}
	}
	m := (t0 + t1) / 2
	a, b := f.branch(s, m), g.branch(s, m)
	t := root(a.a-b.a, a.b-b.b, a.c-b.c, t0-m, t1-m)
	return min(max(t+m, t0), t1)
}

// branch is a squared distance along a segment as a t^2 + b t + c.
type branch struct{ a, b, c float64 }

// branch is that of the points of o around m, with t counted from there.
func (s *side) branch(o *side, m float64) branch {
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

// root is a root of a t^2 + b t + c between lo and hi, where its sign changes.
func root(a, b, c, lo, hi float64) float64 {
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
