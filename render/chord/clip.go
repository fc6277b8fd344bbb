package chord

import (
	"math"

	"plumb/render/vector"
)

// box is a rectangle in px.
type box struct{ x0, y0, x1, y1 float32 }

// Within returns the part of r inside o, a rectangle without area if there is none.
func (r Rect) Within(o Rect) Rect {
	r.X0, r.Y0 = min(max(r.X0, o.X0), o.X1), min(max(r.Y0, o.Y0), o.Y1)
	r.X1, r.Y1 = max(min(r.X1, o.X1), r.X0), max(min(r.Y1, o.Y1), r.Y0)
	return r
}

func (r Rect) box() box {
	return box{float32(r.X0), float32(r.Y0), float32(r.X1), float32(r.Y1)}
}

// holds reports whether o lies inside of b; it is false for a NaN.
func (b box) holds(o box) bool {
	return o.x0 >= b.x0 && o.y0 >= b.y0 && o.x1 <= b.x1 && o.y1 <= b.y1
}

// farthest is the largest coordinate in px that paths may have: products of two
// of them stay within binary32.
const farthest = 1e15

// bounds returns the box around the points; ok is false if there is none, or one
// is not finite or too far away.
func bounds(pts []vector.Point) (b box, ok bool) {
	if len(pts) == 0 {
		return b, false
	}
	// On the bits of the numbers, which are ordered as the numbers are once the
	// negative ones are turned around: no branch to guess wrong.
	x0, y0 := ordered(pts[0].X), ordered(pts[0].Y)
	x1, y1 := x0, y0
	for _, p := range pts[1:] {
		x, y := ordered(p.X), ordered(p.Y)
		x0, x1 = min(x0, x), max(x1, x)
		y0, y1 = min(y0, y), max(y1, y)
	}
	b = box{number(x0), number(y0), number(x1), number(y1)}
	return b, box{-farthest, -farthest, farthest, farthest}.holds(b)
}

// ordered maps numbers to integers of the same order; NaN is beyond infinity.
func ordered(v float32) int32 {
	i := int32(math.Float32bits(v))
	return i ^ int32(uint32(i>>31)>>1)
}

// number is the inverse of ordered.
func number(i int32) float32 {
	return math.Float32frombits(uint32(i ^ int32(uint32(i>>31)>>1)))
}

// clipLine keeps what the clip leaves of a line.
func (c *Cutter) clipLine(a, b vector.Point) {
	if a.Y > b.Y {
		c.clipDown(b, a, true)
	} else {
		c.clipDown(a, b, false)
	}
}

// clipDown clips the line from a down to b; up says that the path ran upwards.
func (c *Cutter) clipDown(a, b vector.Point, up bool) {
	k := &c.clip
	if b.Y <= k.y0 || a.Y >= k.y1 {
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
	if a.Y < k.y0 {
		top = vector.Point{X: xAt(k.y0), Y: k.y0}
	}
	if b.Y > k.y1 {
		bottom = vector.Point{X: xAt(k.y1), Y: k.y1}
	}
	// Downwards through at most three zones: left of the clip, inside, right.
	cuts := [4]vector.Point{top, bottom}
	n := 2
	insert := func(i int, x float32) {
		y := min(max(yAt(x), cuts[i-1].Y), cuts[i].Y)
		copy(cuts[i+1:], cuts[i:n])
		cuts[i] = vector.Point{X: x, Y: y}
		n++
	}
	first, second := k.x0, k.x1
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
		if up {
			p, q = q, p
		}
		c.place(p, q)
	}
}

// between reports whether v lies strictly between a and b.
func between(v, a, b float32) bool { return v > min(a, b) && v < max(a, b) }

// place sends on a piece of a line that crosses no side of the clip.
func (c *Cutter) place(p, q vector.Point) {
	k := &c.clip
	if !c.right && min(p.X, q.X) >= k.x1 && max(p.X, q.X) > k.x1 {
		return
	}
	p.X, q.X = min(max(p.X, k.x0), k.x1), min(max(q.X, k.x0), k.x1)
	p.Y, q.Y = min(max(p.Y, k.y0), k.y1), min(max(q.Y, k.y0), k.y1)
	if c.exact {
		c.exactLine(p, q)
	} else {
		c.gridLine(p, q)
	}
}

// clipCurve keeps what the clip leaves of a curve, in pieces that are monotone
// in y and in x.
func (c *Cutter) clipCurve(b bezier) {
	var ys, xs [3]bezier
	for _, m := range b.monotone(&ys, axisY) {
		for _, p := range m.monotone(&xs, axisX) {
			c.clipMonotone(p)
		}
	}
}

// clipMonotone clips a curve that is monotone on both axes.
func (c *Cutter) clipMonotone(b bezier) {
	k := &c.clip
	lo, hi := b.p[0].Y, b.end().Y
	if lo > hi {
		lo, hi = hi, lo
	}
	if hi <= k.y0 || lo >= k.y1 || lo == hi {
		return
	}
	b = b.keep(axisY, k.y0, k.y1)
	// Left parts become vertical lines, right parts vanish or do so too.
	rising := b.end().X > b.p[0].X
	if !rising {
		b = b.reversed() // to the right; undone when sent on
	}
	if b.p[0].X >= k.x1 && b.end().X > k.x1 {
		c.rightSide(b.p[0], b.end(), rising)
		return
	}
	if b.end().X <= k.x0 {
		c.side(k.x0, b.p[0], b.end(), rising)
		return
	}
	if b.p[0].X < k.x0 {
		l, r := b.cut(axisX, k.x0)
		c.side(k.x0, l.p[0], l.end(), rising)
		b = r
	}
	if b.end().X > k.x1 {
		l, r := b.cut(axisX, k.x1)
		c.rightSide(r.p[0], r.end(), rising)
		b = l
	}
	if !rising {
		b = b.reversed()
	}
	b.tame(axisX, k.x0, k.x1)
	b.tame(axisY, k.y0, k.y1)
	if c.exact {
		c.exactCurve(&b)
	} else {
		c.gridCurve(&b)
	}
}

// keep cuts off what a monotone curve has outside of [lo, hi] along the axis.
func (b *bezier) keep(a axis, lo, hi float32) bezier {
	out := *b
	up := a.of(out.p[0]) > a.of(out.end())
	if up {
		out = out.reversed()
	}
	if a.of(out.p[0]) < lo {
		_, out = out.cut(a, lo)
	}
	if a.of(out.end()) > hi {
		out, _ = out.cut(a, hi)
	}
	if up {
		out = out.reversed()
	}
	return out
}

// tame brings the ends of a monotone curve into [lo, hi] and its controls to
// where a monotone curve has them: a quadratic between the ends, a cubic at most
// a third of their distance outside. That changes nothing but what binary32 has
// spoilt in coordinates far away.
func (b *bezier) tame(a axis, lo, hi float32) {
	p, q := &b.p[0], &b.p[b.n-1]
	a.set(p, min(max(a.of(*p), lo), hi))
	a.set(q, min(max(a.of(*q), lo), hi))
	lo, hi = min(a.of(*p), a.of(*q)), max(a.of(*p), a.of(*q))
	if b.n == 4 {
		d := (hi - lo) / 3
		lo, hi = lo-d, hi+d
	}
	for i := 1; i < b.n-1; i++ {
		a.set(&b.p[i], min(max(a.of(b.p[i]), lo), hi))
	}
}

// side draws the part of a curve from a to b, which lies beyond a side of the
// clip, as a vertical line there.
func (c *Cutter) side(x float32, a, b vector.Point, forward bool) {
	if !forward {
		a, b = b, a
	}
	a.X, b.X = x, x
	c.place(a, b)
}

// rightSide is side for the right side of the clip, where it counts.
func (c *Cutter) rightSide(a, b vector.Point, forward bool) {
	if c.right {
		c.side(c.clip.x1, a, b, forward)
	}
}
