// Package stroke turns lines with a width into outlines to be filled, as the reference browser
// does (docs/spec/raster.md#r6). In: a path in its own units, the width, dashes, and the
// resolution at which it will be seen. Out: a path in the same units that is filled with the
// non-zero rule. It refuses nothing: recursion and output are bounded, whatever the coordinates
// are.
package stroke

import (
	"plumb/render/vector"
)

// Fine is the factor for Resolution at which outlines follow the true offset
// curve within 1/1024 px instead of the browser's 1/4 px. Fits get better with
// the fourth power of their length, so this takes four times the pieces; with
// less, tight bends keep an error of 0.1 % of their mass.
const Fine = 256

// Resolution is the px per unit of the map m that strokes and dashes are made
// for: the longer of its two columns.
func Resolution(m vector.Matrix) float32 {
	x := float32(m.A*m.A) + float32(m.B*m.B)
	y := float32(m.C*m.C) + float32(m.D*m.D)
	return sqrt(max(x, y))
}

// Stroker makes outlines of strokes with round caps and joins. It holds no
// result, only memory that is used again: one Stroker serves any number of
// paths, one goroutine at a time. The zero value is ready for use.
type Stroker struct {
	// Stop, if set, is called regularly in a long path. Once it returns true, Outline
	// ends and its output is incomplete.
	Stop func() bool

	pen pen
}

// patience is how many verbs a path gets before Stop is asked again.
const patience = 1024

// Outline appends to dst the outline of src drawn with a round pen of the given
// width (units of src, > 0). Fill it with the non-zero rule, all of it as one
// path. resolution is Resolution(m) for the map m from src's units to px, times
// Fine for outlines closer than the browser's. dst must not be src.
func (s *Stroker) Outline(dst, src *vector.Path, width, resolution float32) {
	p := &s.pen
	p.start(dst, width, resolution, len(src.Points))
	if box, ok := rectangle(src); ok {
		p.rectangle(box)
		return
	}
	pts, weights := src.Points, src.Weights
	for i, v := range src.Verbs {
		if i%patience == patience-1 && s.Stop != nil && s.Stop() {
			return
		}
		switch v {
		case vector.Move:
			p.finish(false)
			p.moveTo(pts[0])
			pts = pts[1:]
		case vector.Line:
			p.lineTo(pts[0], src.Verbs[i+1:], pts[1:])
			pts = pts[1:]
		case vector.Quad:
			p.curveTo(quadCurve(p.cur, pts[0], pts[1]))
			pts = pts[2:]
		case vector.Cubic:
			p.curveTo(cubicCurve(p.cur, pts[0], pts[1], pts[2]))
			pts = pts[3:]
		case vector.Conic:
			w := weights[0]
			if c := conicCurve(p.cur, pts[0], pts[1], w); w < 1 && !c.flat() { // an arc of an ellipse
				p.curveTo(c)
			} else { // a line that may turn back, or bends sharper than a quadratic's
				p.quads = vector.ConicQuads(p.quads[:0], p.cur, pts[0], pts[1], w, p.eps)
				for q := p.quads; len(q) > 0; q = q[2:] {
					p.curveTo(quadCurve(p.cur, q[0], q[1]))
				}
			}
			pts, weights = pts[2:], weights[1:]
		case vector.Close:
			if p.cur != p.first || !p.drawn {
				p.lineTo(p.first, nil, nil)
			}
			p.finish(!p.dot)
		}
	}
	p.finish(false)
}

// Budget of fitted ranges per call, so that no input can make curves halve
// without end: what is left over becomes lines.
const (
	rangesPerPoint = 16
	rangesPerCall  = 8192
)

// pen holds one subpath's two sides while it is drawn.
type pen struct {
	out    *vector.Path
	inner  vector.Path // the right side, drawn forwards, appended backwards
	r      float32     // half the width
	eps    float32     // how far an outline may leave the true offset curve
	budget int

	cur, first vec // current point, start of the subpath
	drawn      bool
	dot        bool // all that was drawn has no length
	n, n0      vec  // unit normal at the current point's end and at the start
	outerFirst vec
	dots       []vec // cusps, which get a disc of their own
	quads      []vec // scratch of conics
}

func (p *pen) start(dst *vector.Path, width, resolution float32, points int) {
	p.out = dst
	p.r = width / 2
	p.eps = 1 / (4 * resolution)
	p.budget = rangesPerCall + rangesPerPoint*points
	p.moveTo(vec{})
}

func (p *pen) moveTo(a vec) {
	p.cur, p.first, p.drawn = a, a, false
	p.inner.Reset()
	p.dots = p.dots[:0]
}

// begin joins what was drawn to a segment with unit normal n, or starts the two
// sides.
func (p *pen) begin(n vec) {
	p.dot = false
	if p.drawn {
		p.join(p.n, n)
		return
	}
	p.drawn = true
	p.n0 = n
	p.outerFirst = add(p.cur, scale(n, p.r))
	p.out.MoveTo(p.outerFirst)
	p.inner.MoveTo(sub(p.cur, scale(n, p.r)))
}

// end moves on to a; n is the unit normal there.
func (p *pen) end(a, n vec) { p.cur, p.n = a, n }

// lineTo draws a straight segment; verbs and pts are what follows it.
func (p *pen) lineTo(a vec, verbs []vector.Verb, pts []vec) {
	tiny := p.eps / 4096
	short := abs(a.X-p.cur.X) <= tiny && abs(a.Y-p.cur.Y) <= tiny
	if short && (p.drawn || hasLength(a, verbs, pts)) {
		return
	}
	t, ok := withLength(sub(a, p.cur), 1)
	n := left(t)
	if !ok || short {
		n = vec{X: 1}
	}
	p.begin(n)
	p.dot = short
	p.line(a, n)
	p.end(a, n)
}

// line draws both sides straight to a.
func (p *pen) line(a, n vec) {
	p.out.LineTo(add(a, scale(n, p.r)))
	p.inner.LineTo(sub(a, scale(n, p.r)))
}

// hasLength reports whether the rest of the subpath leaves the point a.
func hasLength(a vec, verbs []vector.Verb, pts []vec) bool {
	for _, v := range verbs {
		if v == vector.Move || v == vector.Close {
			return false
		}
		k := v.Points()
		for _, q := range pts[:k] {
			if q != a {
				return true
			}
		}
		pts = pts[k:]
	}
	return false
}

// curveTo draws a curve that starts at the current point.
func (p *pen) curveTo(c curve) {
	if c.flat() {
		p.flatTo(&c)
		return
	}
	t, ok := withLength(c.tangent(0), 1)
	if !ok {
		p.lineTo(c.end(), nil, nil)
		return
	}
	n := left(t)
	p.begin(n)
	var buf [3]float32
	var cuts []float32
	if c.n == 4 {
		cuts = c.inflections(&buf)
	}
	t0, a := float32(0), p.place(&c, 0)
	for i := range len(cuts) + 1 {
		t1 := float32(1)
		if i < len(cuts) {
			t1 = cuts[i]
		}
		b := p.place(&c, t1)
		p.fit(p.out, &c, 1, t0, t1, &a, &b)
		p.fit(&p.inner, &c, -1, t0, t1, &a, &b)
		t0, a = t1, b
	}
	if t, ok := c.cusp(); ok {
		p.dots = append(p.dots, c.at(t))
	}
	if t, ok := withLength(c.tangent(1), 1); ok {
		n = left(t)
	}
	p.end(c.end(), n)
}

// flatTo draws a curve that is a line, with the points where it turns back. One
// of whose legs between controls only one has length is just that leg (observed).
func (p *pen) flatTo(c *curve) {
	legs := 0
	for i := 1; i < c.n; i++ {
		if c.p[i] != c.p[i-1] {
			legs++
		}
	}
	if legs <= 1 {
		p.lineTo(c.end(), nil, nil)
		return
	}
	var buf [3]float32
	start := c.p[0]
	for _, t := range c.turns(&buf) {
		if q := c.at(t); q != start && q != c.end() {
			p.lineTo(q, nil, nil)
		}
	}
	p.lineTo(c.end(), nil, nil)
}

// finish ends the subpath: two contours if it is closed, else one with caps.
func (p *pen) finish(closed bool) {
	if !p.drawn {
		return
	}
	last := p.inner.Points[len(p.inner.Points)-1]
	if closed {
		p.join(p.n, p.n0)
		last = p.inner.Points[len(p.inner.Points)-1]
		p.out.Close()
		p.out.MoveTo(last)
		p.reverse()
	} else {
		p.cap(p.cur, scale(p.n, p.r), last)
		p.reverse()
		p.cap(p.first, scale(p.n0, -p.r), p.outerFirst)
	}
	p.out.Close()
	for _, q := range p.dots {
		p.disc(q)
	}
	p.moveTo(p.first)
}

// reverse appends the inner side backwards, without its last point, which is
// where the outer side has already arrived.
func (p *pen) reverse() {
	in := &p.inner
	i, w := len(in.Points)-1, len(in.Weights)-1
	for v := len(in.Verbs) - 1; v >= 0; v-- {
		switch in.Verbs[v] {
		case vector.Line:
			p.out.LineTo(in.Points[i-1])
		case vector.Quad:
			p.out.QuadTo(in.Points[i-1], in.Points[i-2])
		case vector.Conic:
			p.out.ConicTo(in.Points[i-1], in.Points[i-2], in.Weights[w])
			w--
		}
		i -= in.Verbs[v].Points()
	}
}
