package outline

import (
	"math"

	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/path"
)

// beginLayer makes the box that the draws paint the canvas of what follows, as in a group that
// is composited by itself: what sticks out of the box is cut. endLayer ends that. The box
// consists of whole units of the draws. See docs/spec/raster.md#r28.
func (b *Builder) beginLayer(draws []draw, m path.Matrix) {
	for i := range draws {
		e := tightBounds(draws[i].path)
		if e.Empty() {
			continue
		}
		grow := draws[i].width / 2
		b.widenLayer(math.Floor(e.Lo.X-grow), math.Floor(e.Lo.Y-grow), math.Ceil(e.Hi.X+grow), math.Ceil(e.Hi.Y+grow), m)
	}
}

// widenLayer makes the layer hold a box of the units that m maps to px. Exact pictures
// are not cut.
func (b *Builder) widenLayer(x0, y0, x1, y1 float64, m path.Matrix) {
	if b.mode == Exact {
		return
	}
	corner := func(x, y float64) path.Point { return path.Point{X: float32(x), Y: float32(y)} }
	box, _ := boundsOf([]path.Point{corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1)}, m)
	r := outwards(box)
	if l := b.layer; b.layered {
		r = chord.Rect{X0: min(l.X0, r.X0), Y0: min(l.Y0, r.Y0), X1: max(l.X1, r.X1), Y1: max(l.Y1, r.Y1)}
	}
	b.layer, b.layered = r, true
}

// outwards returns the whole px that a box touches.
func outwards(box [4]float32) chord.Rect {
	px := func(v float64) int32 { return int32(geom.Clamp(v, -MaxSidePx, MaxSidePx)) }
	return chord.Rect{
		X0: px(math.Floor(float64(box[0]))), Y0: px(math.Floor(float64(box[1]))),
		X1: px(math.Ceil(float64(box[2]))), Y1: px(math.Ceil(float64(box[3]))),
	}
}

func (b *Builder) endLayer() { b.layered = false }

// canvas is the clip of everything: the picture, for what lies in a frame the box
// of what that leaves of it, in a layer the part that the layer paints.
func (b *Builder) canvas() chord.Rect {
	r := b.framed
	if b.layered {
		r = within(b.layer, r)
	}
	return r
}

// within returns the part of r inside o; a rectangle without area if none is.
func within(r, o chord.Rect) chord.Rect {
	r.X0, r.Y0 = min(max(r.X0, o.X0), o.X1), min(max(r.Y0, o.Y0), o.Y1)
	r.X1, r.Y1 = max(min(r.X1, o.X1), r.X0), max(min(r.Y1, o.Y1), r.Y0)
	return r
}

// tightBounds returns the box of a path itself, controls left out.
func tightBounds(p *path.Path) geom.Extent {
	e := geom.NewExtent()
	var from [4]geom.Point // current point, then up to three points of a curve
	pts, weights := p.Points, p.Weights
	for _, v := range p.Verbs {
		n := pointsOf[v]
		for i, q := range pts[:n] {
			from[i+1] = geom.Pt(float64(q.X), float64(q.Y))
		}
		switch v {
		case path.Quad:
			bow(&e, from[0], from[1], from[2], 1)
		case path.Conic:
			bow(&e, from[0], from[1], from[2], float64(weights[0]))
			weights = weights[1:]
		case path.Cubic:
			cubicBow(&e, &from)
		}
		if n > 0 {
			from[0] = from[n]
			e.Add(from[0])
		}
		pts = pts[n:]
	}
	return e
}

// bow adds where a quadratic or conic of weight w turns round.
func bow(e *geom.Extent, a, b, c geom.Point, w float64) {
	for _, k := range [2][3]float64{{a.X, b.X, c.X}, {a.Y, b.Y, c.Y}} {
		if (k[1] >= k[0]) == (k[1] <= k[2]) {
			continue
		}
		// The derivative of the conic's numerator over its denominator vanishes.
		p, q, r := (w-1)*(k[2]-k[0]), (k[2]-k[0])-2*w*(k[1]-k[0]), w*(k[1]-k[0])
		for _, t := range roots(p, q, r) {
			if t > 0 && t < 1 {
				u := 1 - t
				d := u*u + 2*w*u*t + t*t
				e.Add(geom.Pt(
					(float64(u*u*a.X)+float64(2*w*u*t*b.X)+float64(t*t*c.X))/d,
					(float64(u*u*a.Y)+float64(2*w*u*t*b.Y)+float64(t*t*c.Y))/d,
				))
			}
		}
	}
}

// cubicBow adds where a cubic turns round.
func cubicBow(e *geom.Extent, p *[4]geom.Point) {
	for _, k := range [2][4]float64{{p[0].X, p[1].X, p[2].X, p[3].X}, {p[0].Y, p[1].Y, p[2].Y, p[3].Y}} {
		a := -k[0] + 3*k[1] - 3*k[2] + k[3]
		b := 2 * (k[0] - 2*k[1] + k[2])
		for _, t := range roots(a, b, k[1]-k[0]) {
			if t > 0 && t < 1 {
				e.Add(cubicAt(p[0], p[1], p[2], p[3], t))
			}
		}
	}
}

// roots solves a t t + b t + c = 0; what is missing is NaN.
func roots(a, b, c float64) [2]float64 {
	if math.Abs(a) < 1e-12*(math.Abs(b)+math.Abs(c)) {
		return [2]float64{-c / b, math.NaN()}
	}
	d := math.Sqrt(float64(b*b) - float64(4*a*c))
	return [2]float64{(-b - d) / (2 * a), (-b + d) / (2 * a)}
}
