package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// outlineBody appends the body of an arrow. Hand-drawn jitter does not move its ends, nor any
// point of an arc.
func (v *Solver) outlineBody(c *shapes.Outline) {
	c.Move(v.Start).Steady = true
	switch v.Kind {
	case StraightArrow:
		c.Line(v.End).Steady = true
	case ArcArrow:
		first := len(c.List)
		c.Arc(v.Body.Centre, v.Body.Radius, v.Body.Radius, v.Body.angle(v.Start), v.Body.Size, v.End)
		for i := range c.List[first:] {
			c.List[first+i].Steady = true
		}
	default:
		for i, p := range v.Route[1:] {
			if p.Skipped {
				continue
			}
			c.Line(p.Point).Steady = i+2 == len(v.Route)
		}
	}
}

// Samples returns the points that represent the body in bounds and for its label, and the
// body's true length.
func (v *Solver) Samples() (p []geom.Point, length float64) {
	p = append(v.sampled[:0], v.Start)
	switch v.Kind {
	case ArcArrow:
		length = v.Body.Length()
		n := geom.Clamp(math.Ceil(length/20), 8, shapes.MaxSamples)
		from := v.Body.angle(v.Start)
		for i := 1.0; i < n; i++ {
			p = append(p, v.Body.at(from+v.Body.Size*i/n))
		}
		p = append(p, v.End)
	case ElbowArrow:
		for _, q := range v.Route[1:] {
			p = append(p, q.Point)
		}
	default:
		p = append(p, v.End)
	}
	if v.Kind != ArcArrow {
		for i := 1; i < len(p); i++ {
			length += geom.Distance(p[i-1], p[i])
		}
	}
	v.sampled = p
	return p, length
}

// Draws makes the draws of the solved arrow in l: the body, then the insides of heads,
// then all heads.
func (v *Solver) Draws(l *shapes.Maker, sh *scene.Shape) error {
	l.Counter = 1 / sh.Scale
	if !v.Valid {
		return nil
	}
	l.Outline.Reset()
	v.outlineBody(&l.Outline)
	l.Measure(sh, v.width)
	if err := l.Stroke(sh, v.width); err != nil {
		return err
	}
	for i := range l.Draws {
		l.Draws[i].Cut = true
	}
	var paths [2]*vector.Path
	for k := range paths {
		h := v.Head(k == 1)
		if h.kind == scene.HeadNone {
			continue
		}
		if v.tipUnclear(k, h.tip) {
			return foreignArrow(sh, "with a head whose direction depends on rounding errors")
		}
		paths[k] = l.NewPath()
		h.Write(paths[k])
		if h.kind != scene.HeadArrow { // the editor fills a bar too, which has no inside
			fillHead(l, sh, paths[k], v.width)
		}
	}
	for _, p := range paths {
		if p != nil {
			strokeHead(l, sh, p, v.width)
		}
	}
	return nil
}

// tipUnclear reports whether rounding errors decide the direction of a head: the last segment of
// an elbow arrow has no length. Between unrotated shapes that is exact, and the head is a dot.
func (v *Solver) tipUnclear(end int, tip geom.Point) bool {
	n := len(v.Route)
	if v.Kind != ElbowArrow || n < 3 || !geom.Near(tip, v.Route[[2]int{1, n - 2}[end]].Point, 1e-9) {
		return false
	}
	for i := range v.Ends {
		if e := &v.Ends[i]; e.bound() && (e.target.toArrow.B != 0 || e.target.toArrow.C != 0) {
			return true
		}
	}
	return false
}

// fillHead appends the fill of a head. The export puts it into the group that strokes the arrow,
// so each draw of the fill is stroked as well.
func fillHead(l *shapes.Maker, sh *scene.Shape, p *vector.Path, width float64) {
	from := len(l.Draws)
	l.Fill(sh, p)
	for i := len(l.Draws) - from; i > 0; i-- {
		w := l.Draws[from]
		l.Draws = append(l.Draws[:from], l.Draws[from+1:]...)
		l.Draws = append(l.Draws, w)
		strokeHead(l, sh, p, width)
	}
}

// strokeHead appends the stroke of a head.
func strokeHead(l *shapes.Maker, sh *scene.Shape, p *vector.Path, width float64) {
	l.Draws = append(l.Draws, shapes.Draw{Path: p, Width: width, Color: shapes.Palette[sh.Color].Solid, Opacity: shapes.Opaque})
}

// bodyMargin is how far the clip of a body reaches beyond its bounds.
const bodyMargin = 100

// ClipPath appends the clip path of an arrow's body, for the non-zero rule: a rectangle around it
// with holes for the label's box and for closed heads. holes is false if there are no holes. See
// docs/spec/drawing.md#r69.
func (v *Solver) ClipPath(l *Label, to *vector.Path) (holes bool) {
	e := geom.NewExtent()
	points, _ := v.Samples()
	for _, p := range points {
		e.Add(p)
	}
	if l.Shown {
		e.Join(l.Box)
	}
	w, h := e.Hi.X-e.Lo.X, e.Hi.Y-e.Lo.Y
	if w == 0 {
		w = 1
	}
	if h == 0 {
		h = 1
	}
	c := &v.local.Outline
	c.Reset()
	lo := geom.Pt(e.Lo.X-bodyMargin, e.Lo.Y-bodyMargin)
	hi := geom.Pt(e.Lo.X+w+bodyMargin, e.Lo.Y+h+bodyMargin)
	c.Polygon(lo, geom.Pt(hi.X, lo.Y), hi, geom.Pt(lo.X, hi.Y))
	if l.Shown {
		labelHole(c, l)
		holes = true
	}
	c.Plain(false, to)
	for k := range 2 {
		h := v.Head(k == 1)
		if h.kind != scene.HeadNone && h.kind != scene.HeadArrow {
			h.Write(to)
			holes = holes || h.closed()
		}
	}
	return holes
}

// labelHole adds the box of a label, counter-clockwise with round corners.
func labelHole(c *shapes.Outline, l *Label) {
	r := l.radius
	lo, hi := l.Box.Lo, l.Box.Hi
	corner := func(x, y, from float64, end geom.Point) {
		c.Arc(geom.Pt(x, y), r, r, from, -math.Pi/2, end)
	}
	c.Move(geom.Pt(lo.X, lo.Y+r))
	c.Line(geom.Pt(lo.X, hi.Y-r))
	corner(lo.X+r, hi.Y-r, math.Pi, geom.Pt(lo.X+r, hi.Y))
	c.Line(geom.Pt(hi.X-r, hi.Y))
	corner(hi.X-r, hi.Y-r, math.Pi/2, geom.Pt(hi.X, hi.Y-r))
	c.Line(geom.Pt(hi.X, lo.Y+r))
	corner(hi.X-r, lo.Y+r, 0, geom.Pt(hi.X-r, lo.Y))
	c.Line(geom.Pt(lo.X+r, lo.Y))
	corner(lo.X+r, lo.Y+r, -math.Pi/2, geom.Pt(lo.X, lo.Y+r))
	c.Close()
}
