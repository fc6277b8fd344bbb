package scan

import "plumb/render/vector"

// isConvex reports whether a path is convex by the browser's test: one contour whose polygon of
// all points, controls included, turns one way. Products are rounded to binary32 as in the
// browser, so a nearly straight corner can make a path concave. See docs/spec/raster.md#r17.
func isConvex(p *vector.Path) bool {
	verbs, pts := p.Verbs, p.Points
	for len(verbs) > 1 && verbs[len(verbs)-1] == vector.Move { // trailing moves do not count
		verbs, pts = verbs[:len(verbs)-1], pts[:len(pts)-1]
	}
	for len(verbs) > 1 && verbs[0] == vector.Move && verbs[1] == vector.Move { // of leading moves only the last counts
		verbs, pts = verbs[1:], pts[1:]
	}
	if len(pts) == 0 || !oneContour(verbs) || !fewDirectionChanges(pts) {
		return false
	}
	check := turnCheck{lastPoint: pts[0]}
	for _, q := range pts[1:] {
		if !check.addPoint(q) {
			return false
		}
	}
	return check.addPoint(pts[0]) && check.addSide(check.firstSide) // the closing side, and its turn into the first
}

// oneContour reports whether the verbs make one contour: no move but the first verb, and nothing
// after a close.
func oneContour(v []vector.Verb) bool {
	for i, k := range v {
		if i > 0 && (k == vector.Move || v[i-1] == vector.Close) {
			return false
		}
	}
	return true
}

// fewDirectionChanges reports whether the closed polygon through pts changes between left and right,
// and between up and down, so rarely that it can be convex. On each axis a convex one has at most three
// stretches in one direction, counted from any point. It is a quick test before the exact one.
func fewDirectionChanges(pts []vector.Point) bool {
	const mostStretches = 3
	if len(pts) <= 3 {
		return true
	}
	var stretchesX, stretchesY int // stretches so far
	var lastX, lastY int8          // directions of the last side; 0 before the first
	cur := pts[0]
	for i := 1; i <= len(pts); i++ {
		q := pts[i%len(pts)]
		dx, dy := q.X-cur.X, q.Y-cur.Y
		cur = q
		// A side without length has no direction.
		if dx == 0 && dy == 0 {
			continue
		}
		sx, sy := signOf(dx), signOf(dy)
		if sx != lastX {
			stretchesX++
		}
		if sy != lastY {
			stretchesY++
		}
		if stretchesX > mostStretches || stretchesY > mostStretches {
			return false
		}
		lastX, lastY = sx, sy
	}
	return true
}

// signOf returns -1 for negative numbers and 1 for all others, as the browser's test does.
func signOf(d float32) int8 {
	if d < 0 {
		return -1
	}
	return 1
}

// turnCheck follows the sides of a polygon and checks that all turn the same way.
type turnCheck struct {
	lastPoint vector.Point
	lastSide  vector.Point // last side that is not on a line with the one before
	firstSide vector.Point
	turnSign  int8 // the sign of all turns so far, 0 before the first
	reversals int  // sides that go straight back
}

// addPoint adds the side from the last point to this one; a side of no length is left out. It returns false if
// the polygon cannot be convex any more.
func (check *turnCheck) addPoint(point vector.Point) bool {
	if point == check.lastPoint {
		return true
	}
	side := vector.Point{X: point.X - check.lastPoint.X, Y: point.Y - check.lastPoint.Y}
	check.lastPoint = point
	if check.lastSide == (vector.Point{}) {
		check.lastSide, check.firstSide = side, side
		return true
	}
	return check.addSide(side)
}

// addSide adds a side of the polygon, as a vector. It returns false if the polygon turns the other way there
// than before, or goes straight back for the third time: the browser allows two such reversals.
func (check *turnCheck) addSide(side vector.Point) bool {
	// float32 keeps the compiler from fusing products with sums: the rounding must be the browser's.
	cross := float32(check.lastSide.X*side.Y) - float32(check.lastSide.Y*side.X)
	if cross == 0 {
		if float32(check.lastSide.X*side.X)+float32(check.lastSide.Y*side.Y) < 0 { // straight back
			check.lastSide = side
			check.reversals++
			return check.reversals < 3
		}
		return true
	}
	turn := signOf(cross)
	if check.turnSign != 0 && turn != check.turnSign {
		return false
	}
	check.turnSign, check.lastSide = turn, side
	return true
}
