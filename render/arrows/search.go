package arrows

import (
	"math"
	"plumb/render/geom"
)

// Orders in which the sides of the other end are tried when one is given.
var (
	everySide = [...]side{rightSide, bottomSide, leftSide, topSide}
	sidesFor  = [sides][sides]side{
		rightSide:  {leftSide, bottomSide, rightSide, topSide},
		leftSide:   {rightSide, bottomSide, leftSide, topSide},
		topSide:    {bottomSide, rightSide, leftSide, topSide},
		bottomSide: {topSide, rightSide, leftSide, bottomSide},
	}
)

// search returns the route between two ends of an elbow arrow, appended to dst. a and b are the
// sides that the arrow must leave and reach, or noSide for any. See docs/spec/drawing.md#r65.
func (r *elbowRouter) search(dst []geom.Point, a, b side) ([]geom.Point, bool) {
	switch {
	case a != noSide && b != noSide:
		if way, ok := r.route(a, b); ok {
			return append(dst, way...), true
		}
	case a != noSide:
		if to := r.facing(a); to != noSide {
			if way, ok := r.route(a, to); ok {
				return append(dst, way...), true
			}
		}
		if way, ok := r.bestRoute(dst, []side{a}, sidesFor[a][:]); ok {
			return way, true
		}
	}
	if a == noSide || b == noSide { // none is given, or the given one has no route
		if from, to := r.defaultSides(); from != noSide {
			if way, ok := r.route(from, to); ok {
				return append(dst, way...), true
			}
		}
	}
	from, n := usableSides(&r.a)
	to, m := usableSides(&r.b)
	return r.bestRoute(dst, from[:n], to[:m])
}

// usableSides lists the sides of an end's box that an elbow arrow can leave from.
func usableSides(e *[sides]edge) (list [sides]side, n int) {
	for _, s := range everySide {
		if e[s].usable {
			list[n] = s
			n++
		}
	}
	return list, n
}

// bestRoute tries all pairs of the given sides and returns the route with the fewest corners, and
// of these the shortest. A later pair must be shorter by 1 px for each pair that was tried before
// it.
func (r *elbowRouter) bestRoute(dst []geom.Point, from, to []side) (best []geom.Point, ok bool) {
	length, late := math.Inf(1), 0.0
	best = dst
	for _, a := range from {
		for _, b := range to {
			late++
			way, found := r.route(a, b)
			if !found {
				continue
			}
			l := 0.0
			for i := 1; i < len(way); i++ {
				l += manhattan(way[i-1], way[i])
			}
			if !ok || len(way) < len(best)-len(dst) || len(way) == len(best)-len(dst) && l+late < length {
				best, ok, length = append(best[:len(dst)], way...), true, l
			}
		}
	}
	return best, ok
}

// facing returns the side of end B that an elbow arrow from this side of end A takes without
// further search, or noSide.
func (r *elbowRouter) facing(from side) side {
	if from != rightSide && from != leftSide {
		return noSide
	}
	sign := 1.0
	if from == leftSide {
		sign = -1
	}
	if sign*r.gap.X > 0 && sign*r.gap.X > math.Abs(r.gap.Y) && r.midX.ok {
		return from.opposite()
	}
	for _, to := range [2]side{topSide, bottomSide} {
		if r.oneCornerSuffices(from, to) {
			return to
		}
	}
	return noSide
}

// oneCornerSuffices reports whether an elbow arrow gets with one corner from a left or right side
// of end A to the top or bottom of end B.
func (r *elbowRouter) oneCornerSuffices(from, to side) bool {
	e, f := &r.a[from], &r.b[to]
	if !e.usable || !f.usable {
		return false
	}
	x, y := f.cross-e.far(), f.far()-e.cross
	if from == leftSide {
		x = -x
	}
	if to == bottomSide {
		y = -y
	}
	return x >= 0 && y >= 0
}

// defaultSides returns the sides that the editor tries first when none is given, or noSide.
func (r *elbowRouter) defaultSides() (from, to side) {
	x, y := r.gap.X, r.gap.Y
	switch {
	case math.Abs(x)+1 > math.Abs(y) && r.midX.ok && x > 0:
		return rightSide, leftSide
	case math.Abs(x)+1 > math.Abs(y) && r.midX.ok:
		return leftSide, rightSide
	case r.pointA && r.pointB && y > 0:
		return bottomSide, topSide
	case r.pointA && r.pointB:
		return topSide, bottomSide
	}
	for _, from := range [2]side{rightSide, leftSide} {
		for _, to := range [2]side{topSide, bottomSide} {
			if r.oneCornerSuffices(from, to) {
				return from, to
			}
		}
	}
	switch {
	case y > 0 && r.midY.ok:
		return bottomSide, topSide
	case y < 0 && r.midY.ok:
		return topSide, bottomSide
	}
	return noSide, noSide
}
