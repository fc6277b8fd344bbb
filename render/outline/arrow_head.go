package outline

import (
	"math"

	"plumb/render/path"
	"plumb/render/scene"
)

// arrowhead is the head at one end of an arrow.
type arrowhead struct {
	kind scene.Arrowhead
	tip  point
	back point // on the body, as far behind the tip as the head is long
}

// closed tells whether the head has an inside.
func (h *arrowhead) closed() bool {
	switch h.kind {
	case scene.HeadTriangle, scene.HeadInverted, scene.HeadSquare, scene.HeadDot, scene.HeadDiamond:
		return true
	}
	return false
}

// head returns the head of an end. See docs/spec/drawing.md#r68.
func (v *arrows) head(end bool) arrowhead {
	h := arrowhead{kind: v.ends[0].head, tip: v.start}
	other := v.end
	if end {
		h.kind, h.tip, other = v.ends[1].head, v.end, v.start
	}
	if h.kind == scene.HeadNone || h.kind == scene.HeadPipe {
		h.kind = scene.HeadNone
		return h
	}
	switch v.kind {
	case straightArrow:
		h.back = v.behind(h.tip, other, distance(h.tip, other)/5)
	case elbowArrow:
		n := len(v.route)
		next := v.route[min(1, n-1)].point
		if end {
			next = v.route[max(n-2, 0)].point
		}
		h.back = v.behind(h.tip, next, manhattan(h.tip, next)/2) // slant where corners were dropped
	default:
		k := clamp(v.body.length()/5, v.width, 3*v.width)
		h.back = crossCircles(h.tip, k, &v.handle, end == v.handle.sweep())
	}
	if !finite(h.back) {
		h.back = h.tip
	}
	return h
}

// behind returns the point k px from p towards q, k kept in proportion to the
// stroke.
func (v *arrows) behind(p, q point, k float64) point {
	k = clamp(k, v.width, 3*v.width)
	return add(p, scaled(unit(sub(q, p)), k))
}

// crossCircles returns one of the two points where a circle around p meets c.
func crossCircles(p point, k float64, c *circle, first bool) point {
	d := sub(c.centre, p)
	l := length(d)
	x := (float64(l*l) - float64(c.radius*c.radius) + float64(k*k)) / (2 * l)
	y := math.Sqrt(float64(k*k) - float64(x*x))
	if !first {
		y = -y
	}
	d = scaled(d, 1/l)
	return add(p, point{float64(d.X*x) - float64(d.Y*y), float64(d.Y*x) + float64(d.X*y)})
}

// turned90 turns a vector clockwise.
func turned90(v point) point { return point{-v.Y, v.X} }

// write appends the head's outline. Closed ones run counter-clockwise.
func (h *arrowhead) write(to *path.Path) {
	const sixth = math.Pi / 6
	p, q := h.tip, h.back
	half := turned90(scaled(sub(q, p), 0.5))
	switch h.kind {
	case scene.HeadArrow:
		polyline(to, false, turned(q, p, sixth), p, turned(q, p, -sixth))
	case scene.HeadTriangle:
		polyline(to, true, turned(q, p, sixth), turned(q, p, -sixth), p)
	case scene.HeadInverted:
		polyline(to, true, add(p, half), q, sub(p, half))
	case scene.HeadBar:
		polyline(to, false, add(p, half), sub(p, half))
	case scene.HeadSquare:
		b := lerp(p, q, 0.85)
		half = turned90(scaled(sub(b, p), 0.5))
		polyline(to, true, add(p, half), add(b, half), sub(b, half), sub(p, half))
	case scene.HeadDiamond:
		b := lerp(p, q, 0.75)
		l, r := turned(b, p, math.Pi/4), turned(b, p, -math.Pi/4)
		polyline(to, true, sub(scaled(lerp(l, r, 0.5), 2), p), r, p, l)
	case scene.HeadDot:
		c, r := lerp(p, q, 0.45), 0.45*distance(p, q)
		left := path.Point{X: read(c.X - r), Y: read(c.Y)}
		to.MoveTo(left)
		if r == 0 { // arcs without a radius are lines
			to.LineTo(left)
			return
		}
		radius, d := read(r), read(2*r)
		right := path.Point{X: left.X + d, Y: left.Y}
		to.ArcTo(radius, radius, 0, true, false, right)
		to.ArcTo(radius, radius, 0, true, false, path.Point{X: right.X - d, Y: left.Y})
	}
}

// polyline appends straight lines through the points, which are not rounded.
func polyline(to *path.Path, closed bool, p ...point) {
	for i, q := range p {
		at := path.Point{X: read(q.X), Y: read(q.Y)}
		if i == 0 {
			to.MoveTo(at)
		} else {
			to.LineTo(at)
		}
	}
	if closed {
		to.Close()
	}
}
