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
// none. a and b are the sides by which the arrow must leave and arrive, or noSide for any. It
// returns the first route that it finds of these: between the given sides; from the given side of A
// to the side of B that faces it, then to any other; between the sides that the editor tries by
// default; the best one between all usable sides. See docs/spec/drawing.md#r65.
func (router *elbowRouter) search(dst []geom.Point, a, b side) ([]geom.Point, bool) {
	switch {
	case a != noSide && b != noSide:
		if way, ok := router.route(a, b); ok {
			return append(dst, way...), true
		}
	case a != noSide:
		if to := router.facing(a); to != noSide {
			if way, ok := router.route(a, to); ok {
				return append(dst, way...), true
			}
		}
		if way, ok := router.bestRoute(dst, []side{a}, sidesFor[a][:]); ok {
			return way, true
		}
	}
	if a == noSide || b == noSide { // none is given, or the given one has no route
		if from, to := router.defaultSides(); from != noSide {
			if way, ok := router.route(from, to); ok {
				return append(dst, way...), true
			}
		}
	}
	from, n := usableSides(&router.a)
	to, m := usableSides(&router.b)
	return router.bestRoute(dst, from[:n], to[:m])
}

// usableSides returns the sides of an end's box by which an elbow arrow can leave: list[:n], in the
// order in which the router tries them.
func usableSides(e *[sides]edge) (list [sides]side, n int) {
	for _, s := range everySide {
		if e[s].usable {
			list[n] = s
			n++
		}
	}
	return list, n
}

// bestRoute tries to route an elbow arrow between all pairs of the given sides, and appends the
// route with the fewest corners to dst, and of these the shortest. ok is false if there is none. A
// pair must beat the best one before it by 1 px for each pair tried so far, as in the editor, so
// that earlier pairs are preferred.
func (router *elbowRouter) bestRoute(dst []geom.Point, from, to []side) (best []geom.Point, ok bool) {
	bestLength, tried := math.Inf(1), 0.0
	best = dst
	for _, a := range from {
		for _, b := range to {
			tried++
			way, found := router.route(a, b)
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

// facing returns the side of end B to which an elbow arrow goes from the given side of end A
// without further search, or noSide. From the left or the right that is the opposite side, if B
// lies that way rather than above or below, or else a side that needs one corner only.
func (router *elbowRouter) facing(from side) side {
	if from != rightSide && from != leftSide {
		return noSide
	}
	sign := 1.0
	if from == leftSide {
		sign = -1
	}
	if sign*router.gapToB.X > 0 && sign*router.gapToB.X > math.Abs(router.gapToB.Y) && router.midX.fits {
		return from.opposite()
	}
	for _, to := range [2]side{topSide, bottomSide} {
		if router.oneCornerSuffices(from, to) {
			return to
		}
	}
	return noSide
}

// oneCornerSuffices reports whether an elbow arrow needs one corner only from side from of end A
// (left or right) to side to of end B (top or bottom). That is so if B's place lies in front of A's
// side, and A's place in front of B's.
func (router *elbowRouter) oneCornerSuffices(from, to side) bool {
	leave, reach := &router.a[from], &router.b[to]
	if !leave.usable || !reach.usable {
		return false
	}
	// How far B's place lies in front of A's side, and A's place in front of B's: for right and top; the other
	// sides are mirrored.
	x, y := reach.leaveAt-leave.firstTurn(), reach.firstTurn()-leave.leaveAt
	if from == leftSide {
		x = -x
	}
	if to == bottomSide {
		y = -y
	}
	return x >= 0 && y >= 0
}

// defaultSides returns the sides of both ends that the editor tries first when a route may use any,
// or noSide. It prefers the sides that face each other across the wider gap with a middle line, x
// before y; then, between two points, top and bottom; then sides that need one corner only.
func (router *elbowRouter) defaultSides() (from, to side) {
	x, y := router.gapToB.X, router.gapToB.Y
	sideways := math.Abs(x)+1 > math.Abs(y) && router.midX.fits // 1 px decides for x where both gaps are equal
	switch {
	case sideways && x > 0:
		return rightSide, leftSide
	case sideways:
		return leftSide, rightSide
	case router.pointA && router.pointB && y > 0:
		return bottomSide, topSide
	case router.pointA && router.pointB:
		return topSide, bottomSide
	}
	for _, from := range [2]side{rightSide, leftSide} {
		for _, to := range [2]side{topSide, bottomSide} {
			if router.oneCornerSuffices(from, to) {
				return from, to
			}
		}
	}
	switch {
	case y > 0 && router.midY.fits:
		return bottomSide, topSide
	case y < 0 && router.midY.fits:
		return topSide, bottomSide
	}
	return noSide, noSide
}
