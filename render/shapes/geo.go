package shapes

import (
	"fmt"
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
)

// GeoSpec holds everything that the outline of a geo shape depends on. For drawing, W and H are
// divided by the shape's scale; for bounds they are not.
type GeoSpec struct {
	Kind  scene.GeoKind
	W, H  float64
	Size  scene.Size
	Dash  scene.Dash
	Scale float64 // multiplies the stroke that insets an x and the wiggle of a cloud
	ID    string
	most  int // bumps of a cloud, 0 for MaxPoints
}

// Outline appends the outline of a geo shape. See docs/spec/drawing.md#r21, and for curves
// docs/spec/drawing.md#r23.
func (g GeoSpec) Outline(c *Outline) error {
	g.W, g.H = max(1, g.W), max(1, g.H)
	w, h := g.W, g.H
	cx, cy, m := w/2, h/2, min(w, h)
	switch g.Kind {
	case scene.Ellipse:
		c.Move(geom.Pt(0, cy))
		c.Arc(geom.Pt(cx, cy), cx, cy, math.Pi, math.Pi, geom.Pt(w, cy))
		c.Arc(geom.Pt(cx, cy), cx, cy, 0, math.Pi, geom.Pt(0, cy))
		c.Close()
	case scene.Triangle:
		c.Polygon(geom.Pt(cx, 0), geom.Pt(w, h), geom.Pt(0, h))
	case scene.Diamond:
		c.Polygon(geom.Pt(cx, 0), geom.Pt(w, cy), geom.Pt(cx, h), geom.Pt(0, cy))
	case scene.Pentagon:
		c.regular(5, w, h)
	case scene.Hexagon:
		c.regular(6, w, h)
	case scene.Octagon:
		c.regular(8, w, h)
	case scene.Star:
		c.star(w, h)
	case scene.Rhombus:
		o := 0.38 * m
		c.Polygon(geom.Pt(o, 0), geom.Pt(w, 0), geom.Pt(w-o, h), geom.Pt(0, h))
	case scene.Rhombus2:
		o := 0.38 * m
		c.Polygon(geom.Pt(0, 0), geom.Pt(w-o, 0), geom.Pt(w, h), geom.Pt(o, h))
	case scene.Trapezoid:
		o := 0.38 * m
		c.Polygon(geom.Pt(o, 0), geom.Pt(w-o, 0), geom.Pt(w, h), geom.Pt(0, h))
	case scene.ArrowRight, scene.ArrowLeft, scene.ArrowUp, scene.ArrowDown:
		c.blockArrow(g.Kind, w, h)
	case scene.Oval:
		c.oval(w, h)
	case scene.Heart:
		c.heart(w, h)
	case scene.Cloud:
		return g.cloud(c)
	case scene.Rectangle, scene.XBox, scene.CheckBox:
		c.Polygon(geom.Pt(0, 0), geom.Pt(w, 0), geom.Pt(w, h), geom.Pt(0, h))
		switch g.Kind {
		case scene.CheckBox:
			c.checkMark(w, h)
		case scene.XBox:
			g.crossLines(c)
		}
	default:
		return fmt.Errorf("cannot draw geo kind %d: %w", g.Kind, ErrForeign)
	}
	return nil
}

// regular adds a polygon of n points on the inscribed ellipse, stretched to fill the box.
func (c *Outline) regular(n int, w, h float64) {
	var p [8]geom.Point
	e := geom.NewExtent()
	for i := range n {
		sin, cos := math.Sincos(-math.Pi/2 + 2*math.Pi*float64(i)/float64(n))
		p[i] = geom.Pt(w/2+float64(w/2*cos), h/2+float64(h/2*sin))
		e.Add(p[i])
	}
	for i := range n {
		p[i].X = (p[i].X - e.Lo.X) / (e.Hi.X - e.Lo.X) * w
		p[i].Y = (p[i].Y - e.Lo.Y) / (e.Hi.Y - e.Lo.Y) * h
	}
	c.Polygon(p[:n]...)
}

// star adds the ten points of a star, which does not touch its box exactly. See
// docs/spec/drawing.md#r22.
func (c *Outline) star(w, h float64) {
	const s = math.Pi / 5
	xp, xn := math.Cos(-math.Pi/2+2*s)*w/2, math.Cos(-math.Pi/2+8*s)*w/2
	yp, yn := math.Sin(-math.Pi/2+4*s)*h/2, math.Sin(-math.Pi/2)*h/2
	centre := geom.Pt((w-(xn+xp))/2, (h-(yn+yp))/2)
	outer := geom.Pt((w+(w-math.Abs(xp-xn)))/2, (h+(h-math.Abs(yp-yn)))/2)
	var p [10]geom.Point
	for i := range p {
		r := outer
		if i%2 == 1 {
			r = geom.Scale(outer, 0.5)
		}
		sin, cos := math.Sincos(-math.Pi/2 + float64(float64(i)*s))
		p[i] = geom.Pt(centre.X+float64(r.X*cos), centre.Y+float64(r.Y*sin))
	}
	c.Polygon(p[:]...)
}

// blockArrow adds the outline of one of the four geo shapes that are arrows.
func (c *Outline) blockArrow(kind scene.GeoKind, w, h float64) {
	cx, cy, o := w/2, h/2, 0.38*min(w, h)
	x, y := 0.16*w, 0.16*h
	switch kind {
	case scene.ArrowRight:
		c.Polygon(geom.Pt(0, y), geom.Pt(w-o, y), geom.Pt(w-o, 0), geom.Pt(w, cy),
			geom.Pt(w-o, h), geom.Pt(w-o, h-y), geom.Pt(0, h-y))
	case scene.ArrowLeft:
		c.Polygon(geom.Pt(o, 0), geom.Pt(o, y), geom.Pt(w, y), geom.Pt(w, h-y),
			geom.Pt(o, h-y), geom.Pt(o, h), geom.Pt(0, cy))
	case scene.ArrowUp:
		c.Polygon(geom.Pt(cx, 0), geom.Pt(w, o), geom.Pt(w-x, o), geom.Pt(w-x, h),
			geom.Pt(x, h), geom.Pt(x, o), geom.Pt(0, o))
	default:
		c.Polygon(geom.Pt(x, 0), geom.Pt(w-x, 0), geom.Pt(w-x, h-o), geom.Pt(w, h-o),
			geom.Pt(cx, h), geom.Pt(0, h-o), geom.Pt(x, h-o))
	}
}

// oval adds a stadium whose straight sides are along the longer side of the box.
func (c *Outline) oval(w, h float64) {
	if h > w {
		r := w / 2
		c.Move(geom.Pt(0, r))
		c.Arc(geom.Pt(r, r), r, r, math.Pi, math.Pi, geom.Pt(w, r))
		c.Line(geom.Pt(w, h-r))
		c.Arc(geom.Pt(r, h-r), r, r, 0, math.Pi, geom.Pt(0, h-r))
	} else {
		r := h / 2
		c.Move(geom.Pt(r, h))
		c.Arc(geom.Pt(r, r), r, r, math.Pi/2, math.Pi, geom.Pt(r, 0))
		c.Line(geom.Pt(w-r, 0))
		c.Arc(geom.Pt(w-r, r), r, r, -math.Pi/2, math.Pi, geom.Pt(w-r, h))
	}
	c.Close()
}

// heart adds the outline of the geo shape heart: four curves.
func (c *Outline) heart(w, h float64) {
	a, k, cx := w/4, h/4, w/2
	c.Move(geom.Pt(cx, h))
	c.curve(geom.Pt(a*1.5, k*3), geom.Pt(0, k*2.5), geom.Pt(0, k*1.2))
	c.curve(geom.Pt(0, -k*0.32), geom.Pt(a*1.85, -k*0.32), geom.Pt(cx, k*0.9))
	c.curve(geom.Pt(a*2.15, -k*0.32), geom.Pt(w, -k*0.32), geom.Pt(w, k*1.2))
	c.curve(geom.Pt(w, k*2.5), geom.Pt(a*2.5, k*3), geom.Pt(cx, h))
	c.Close()
}

// checkMark adds the open, unfilled mark of a check-box. See docs/spec/drawing.md#r24.
func (c *Outline) checkMark(w, h float64) {
	z := 0.82 * min(w, h)
	ox, oy := (w-z)/2, (h-z)/2
	at := func(x, y float64) geom.Point {
		return geom.Pt(geom.Clamp(ox+float64(z*x), 0, w), geom.Clamp(oy+float64(z*y), 0, h))
	}
	m := c.Move(at(0.25, 0.52))
	m.Hollow, m.Steady = true, true
	c.Line(at(0.45, 0.82))
	c.Line(at(0.82, 0.22)).Steady = true
}

// crossLines adds the open, unfilled lines of an x-box.
func (g GeoSpec) crossLines(c *Outline) {
	w, h := g.W, g.H
	if g.Dash == scene.DashDashed || g.Dash == scene.DashDotted {
		for _, p := range [4]geom.Point{geom.Pt(0, 0), geom.Pt(w, h), geom.Pt(0, h), geom.Pt(w, 0)} {
			c.Move(p).Hollow = true
			l := c.Line(geom.Pt(w/2, h/2))
			l.start, l.end = Skip, Outset
		}
		return
	}
	q := 0.0
	if g.Dash == scene.DashDraw {
		q = 0.62 * StrokeWidth[g.Size] * g.Scale
	}
	at := func(x, y float64) geom.Point { return geom.Pt(geom.Clamp(x, 0, w), geom.Clamp(y, 0, h)) }
	c.Move(at(q, q)).Hollow = true
	c.Line(at(w-q, h-q))
	c.Move(at(w-q, q)).Hollow = true
	c.Line(at(q, h-q))
}
