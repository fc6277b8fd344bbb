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

// search appends the route between the two ends of an elbow arrow to dst; ok is false if there is
// none. a and b are the sides that the arrow must leave and reach, or noSide for any. It takes the
// first that there is: the route between the given sides, that from the given side of A to the side
// of B that faces it or to any other, that between the sides that the editor tries by default, and at
// last the best one between all usable sides. See docs/spec/drawing.md#r65.
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

// usableSides returns the n sides of an end's box by which an elbow arrow can leave, in list[:n], in
// the order in which they are tried.
func usableSides(e *[sides]edge) (list [sides]side, n int) {
	for _, s := range everySide {
		if e[s].usable {
			list[n] = s
			n++
		}
	}
	return list, n
}

// bestRoute tries all pairs of the given sides and appends the route with the fewest corners, and of
// these the shortest, to dst; ok is false if there is none. A later pair must be shorter by 1 px for
// each pair that was tried so far, itself included.
func (r *elbowRouter) bestRoute(dst []geom.Point, from, to []side) (best []geom.Point, ok bool) {
	bestLength, tried := math.Inf(1), 0.0
	best = dst
	for _, a := range from {
		for _, b := range to {
			tried++
			way, found := r.route(a, b)
			if !found {
				continue
			}
			length := 0.0
			for i := 1; i < len(way); i++ {
				length += manhattan(way[i-1], way[i])
			}
			corners, bestCorners := len(way), len(best)-len(dst)
			if !ok || corners < bestCorners || corners == bestCorners && length+tried < bestLength {
				best, ok, bestLength = append(best[:len(dst)], way...), true, length
			}
		}
	}
	return best, ok
}

// facing returns the side of end B to which an elbow arrow from this side of end A goes without
// further search, or noSide: for a left or right side the opposite one, if B lies that way rather
// than above or below, or a side that needs one corner only.
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

// oneCornerSuffices reports whether an elbow arrow can get from side from of end A, left or right, to
// side to of end B, top or bottom, with one corner: B's place lies in front of A's side, and A's place
// in front of B's.
func (r *elbowRouter) oneCornerSuffices(from, to side) bool {
	leave, reach := &r.a[from], &r.b[to]
	if !leave.usable || !reach.usable {
		return false
	}
	x, y := reach.cross-leave.far(), reach.far()-leave.cross // for right and top; the others mirrored
	if from == leftSide {
		x = -x
	}
	if to == bottomSide {
		y = -y
	}
	return x >= 0 && y >= 0
}

// defaultSides returns the sides that the editor tries first when none is given, or noSide: those that
// face each other along the wider gap with a middle line, x before y; between two points top and
// bottom; sides that need one corner only.
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
