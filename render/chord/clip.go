package chord

import (
	"math"

	"plumb/render/vector"
)

// box is a rectangle in px.
type box struct{ x0, y0, x1, y1 float32 }

// Within returns the common part of r and o; a rectangle without area if there is none.
func (r Rect) Within(o Rect) Rect {
	r.X0, r.Y0 = min(max(r.X0, o.X0), o.X1), min(max(r.Y0, o.Y0), o.Y1)
	r.X1, r.Y1 = max(min(r.X1, o.X1), r.X0), max(min(r.Y1, o.Y1), r.Y0)
	return r
}

// box converts a rectangle to binary32.
func (r Rect) box() box {
	return box{float32(r.X0), float32(r.Y0), float32(r.X1), float32(r.Y1)}
}

// contains reports whether o lies inside of b; it is false for a NaN.
func (b box) contains(o box) bool {
	return o.x0 >= b.x0 && o.y0 >= b.y0 && o.x1 <= b.x1 && o.y1 <= b.y1
}

// maxCoordinate is the largest coordinate in px that paths may have: products of two of them stay
// within binary32.
const maxCoordinate = 1e15

// bounds returns the bounding box of a path's points. ok is false if there are none, or one is not
// finite or beyond maxCoordinate.
func bounds(pts []vector.Point) (b box, ok bool) {
	if len(pts) == 0 {
		return b, false
	}
	// Compare integers that are ordered as the numbers are: min and max of these need no branch, which
	// the processor could predict wrongly.
	x0, y0 := orderedBits(pts[0].X), orderedBits(pts[0].Y)
	x1, y1 := x0, y0
	for _, p := range pts[1:] {
		x, y := orderedBits(p.X), orderedBits(p.Y)
		x0, x1 = min(x0, x), max(x1, x)
		y0, y1 = min(y0, y), max(y1, y)
	}
	b = box{fromOrderedBits(x0), fromOrderedBits(y0), fromOrderedBits(x1), fromOrderedBits(y1)}
	return b, box{-maxCoordinate, -maxCoordinate, maxCoordinate, maxCoordinate}.contains(b)
}

// orderedBits maps a binary32 number to an integer so that the order is kept; NaN is beyond infinity. The bits
// of positive numbers are in order already; of negative ones, whose sign bit makes the integer negative, all
// other bits are inverted.
func orderedBits(v float32) int32 {
	i := int32(math.Float32bits(v))
	return i ^ int32(uint32(i>>31)>>1)
}

// fromOrderedBits is the inverse of orderedBits.
func fromOrderedBits(i int32) float32 {
	return math.Float32frombits(uint32(i ^ int32(uint32(i>>31)>>1)))
}

// clipLine clips the line from a to b, which is not horizontal, and stores what is left of it.
func (cutter *Cutter) clipLine(a, b vector.Point) {
	if a.Y > b.Y {
		cutter.clipDown(b, a, true)
	} else {
		cutter.clipDown(a, b, false)
	}
}

// clipDown clips the line between a and b, of which a is the upper end, and stores the pieces. upward says
// that the path runs from b to a: the pieces are stored in the path's direction. What lies above or below the
// clip is cut off. What lies left or right of it becomes pieces that addClipped moves to the side or drops.
func (cutter *Cutter) clipDown(a, b vector.Point, upward bool) {
	box := &cutter.clip
	if b.Y <= box.y0 || a.Y >= box.y1 {
		return
	}
	// Every cut is computed from the ends of the whole line, so that lines which
	// share it are cut at the same place.
	xAt := func(y float32) float32 {
		t := (float64(y) - float64(a.Y)) / (float64(b.Y) - float64(a.Y))
		return float32(float64(a.X) + float64((float64(b.X)-float64(a.X))*t))
	}
	yAt := func(x float32) float32 {
		t := (float64(x) - float64(a.X)) / (float64(b.X) - float64(a.X))
		return float32(float64(a.Y) + float64((float64(b.Y)-float64(a.Y))*t))
	}
	top, bottom := a, b
	if a.Y < box.y0 {
		top = vector.Point{X: xAt(box.y0), Y: box.y0}
	}
	if b.Y > box.y1 {
		bottom = vector.Point{X: xAt(box.y1), Y: box.y1}
	}
	// The line goes through at most three zones: left of the clip, inside, right. cuts[:n] are its ends
	// and its cuts at the sides, downwards.
	cuts := [4]vector.Point{top, bottom}
	n := 2
	insert := func(i int, x float32) { // inserts the cut at side x as cuts[i]
		y := min(max(yAt(x), cuts[i-1].Y), cuts[i].Y)
		copy(cuts[i+1:], cuts[i:n])
		cuts[i] = vector.Point{X: x, Y: y}
		n++
	}
	first, second := box.x0, box.x1 // the sides in the order in which the line meets them
	if top.X > bottom.X {
		first, second = second, first
	}
	if between(first, top.X, bottom.X) {
		insert(1, first)
	}
	if between(second, top.X, bottom.X) {
		insert(n-1, second)
	}
	for i := range n - 1 {
		p, q := cuts[i], cuts[i+1]
		if upward {
			p, q = q, p
		}
		cutter.addClipped(p, q)
	}
}

// between reports whether v lies strictly between a and b.
func between(v, a, b float32) bool { return v > min(a, b) && v < max(a, b) }

// addClipped stores the piece of a line from p to q, which must not cross a side of the clip. A piece
// left of the clip is moved to its left side, where it still counts for the winding inside. One right of
// it cannot change the winding inside and is dropped, unless it lies on the side itself; with keepRight it is
// moved to the right side. A piece inside is only clamped against rounding errors. It is stored exactly or on the
// reference's grid.
func (cutter *Cutter) addClipped(p, q vector.Point) {
	clip := &cutter.clip
	if !cutter.keepRight && min(p.X, q.X) >= clip.x1 && max(p.X, q.X) > clip.x1 {
		return
	}
	p.X, q.X = min(max(p.X, clip.x0), clip.x1), min(max(q.X, clip.x0), clip.x1)
	p.Y, q.Y = min(max(p.Y, clip.y0), clip.y1), min(max(q.Y, clip.y0), clip.y1)
	if cutter.exact {
		cutter.addExactLine(p, q)
	} else {
		cutter.addGridLine(p, q)
	}
}

// clipCurve clips a curve and stores what is left of it. It cuts the curve into pieces that are monotone
// in x and in y, each of which crosses a side of the clip at most once.
func (cutter *Cutter) clipCurve(curve bezier) {
	var inY, inBoth [3]bezier // memory of the pieces
	for _, piece := range curve.monotone(&inY, axisY) {
		for _, part := range piece.monotone(&inBoth, axisX) {
			cutter.clipMonotone(part)
		}
	}
}

// clipMonotone clips a curve that is monotone in x and in y, and stores it. What lies above or below the clip is
// dropped, and what lies left of it becomes a vertical line at its left side. What lies right of it is dropped
// too, but becomes a vertical line there with keepRight, or in Reference mode if the curve crosses that side.
func (cutter *Cutter) clipMonotone(bezier bezier) {
	box := &cutter.clip
	lo, hi := bezier.points[0].Y, bezier.end().Y
	if lo > hi {
		lo, hi = hi, lo
	}
	if hi <= box.y0 || lo >= box.y1 || lo == hi {
		return
	}
	bezier = bezier.clipAxis(axisY, box.y0, box.y1)
	rising := bezier.end().X > bezier.points[0].X // along x
	if !rising {
		bezier = bezier.reversed() // now it runs to the right; parts are stored in their own direction
	}
	if bezier.points[0].X >= box.x1 && bezier.end().X > box.x1 { // all of it is right of the clip
		cutter.addRightSide(bezier.points[0], bezier.end(), rising)
		return
	}
	if bezier.end().X <= box.x0 { // all of it is left of the clip
		cutter.addSideLine(box.x0, bezier.points[0], bezier.end(), rising)
		return
	}
	if bezier.points[0].X < box.x0 {
		l, r := bezier.cutAt(axisX, box.x0)
		cutter.addSideLine(box.x0, l.points[0], l.end(), rising)
		bezier = r
	}
	if bezier.end().X > box.x1 {
		l, r := bezier.cutAt(axisX, box.x1)
		if cutter.exact {
			cutter.addRightSide(r.points[0], r.end(), rising)
		} else { // the browser keeps the rest of a curve that it cuts as a line at the side
			cutter.addSideLine(box.x1, r.points[0], r.end(), rising)
		}
		bezier = l
	}
	if !rising {
		bezier = bezier.reversed()
	}
	bezier.clampMonotone(axisX, box.x0, box.x1) // against rounding errors
	bezier.clampMonotone(axisY, box.y0, box.y1)
	if cutter.exact {
		cutter.addExactCurve(&bezier)
	} else {
		cutter.addGridCurve(&bezier)
	}
}

// clipAxis returns the part of a monotone curve within [lo, hi] along one axis, in the same direction.
// The curve must reach into that range.
func (bezier *bezier) clipAxis(axis axis, lo, hi float32) bezier {
	out := *bezier
	falling := axis.coordinate(out.points[0]) > axis.coordinate(out.end())
	if falling {
		out = out.reversed() // now it rises; turned back at the end
	}
	if axis.coordinate(out.points[0]) < lo {
		_, out = out.cutAt(axis, lo)
	}
	if axis.coordinate(out.end()) > hi {
		out, _ = out.cutAt(axis, hi)
	}
	if falling {
		out = out.reversed()
	}
	return out
}

// clampMonotone clamps the ends of a monotone curve to [lo, hi], and its controls to where a
// monotone curve has them: of a quadratic between the ends, of a cubic at most a third of their
// distance outside. It only corrects rounding errors of binary32 in large coordinates.
func (bezier *bezier) clampMonotone(axis axis, lo, hi float32) {
	p, q := &bezier.points[0], &bezier.points[bezier.count-1]
	axis.setCoordinate(p, min(max(axis.coordinate(*p), lo), hi))
	axis.setCoordinate(q, min(max(axis.coordinate(*q), lo), hi))
	lo, hi = min(axis.coordinate(*p), axis.coordinate(*q)), max(axis.coordinate(*p), axis.coordinate(*q))
	if bezier.count == 4 {
		d := (hi - lo) / 3
		lo, hi = lo-d, hi+d
	}
	for i := 1; i < bezier.count-1; i++ {
		axis.setCoordinate(&bezier.points[i], min(max(axis.coordinate(bezier.points[i]), lo), hi))
	}
}

// addSideLine stores the part of a curve from a to b, which lies beyond the side of the clip at x, as a
// vertical line on that side: from a to b if forward, else from b to a.
func (cutter *Cutter) addSideLine(x float32, a, b vector.Point, forward bool) {
	if !forward {
		a, b = b, a
	}
	a.X, b.X = x, x
	cutter.addClipped(a, b)
}

// addRightSide is addSideLine for the right side of the clip, if that is kept.
func (cutter *Cutter) addRightSide(a, b vector.Point, forward bool) {
	if cutter.keepRight {
		cutter.addSideLine(cutter.clip.x1, a, b, forward)
	}
}
