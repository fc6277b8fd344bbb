package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// outlineBody appends the body of the solved arrow to c, from start to end. Points that hand-drawn
// jitter must not move are marked as steady: both ends, and every point of an arc. Skipped corners of
// an elbow arrow are left out.
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
	default: // elbow
		for i, p := range v.Route[1:] {
			if p.Skipped {
				continue
			}
			c.Line(p.Point).Steady = i+2 == len(v.Route) // the last one
		}
	}
}

// Samples returns the points that stand for the body where its bounds and the place of its label are
// computed, and the body's length in px. Of an arc these are at least 9 points, about 20 px apart, but
// the length is exact. The points are valid until the next call.
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

// Draws appends the draws of the solved arrow to l.Draws: the body, then the insides of heads, then
// the strokes of all heads. The body's draws are marked to be cut by the clip path of ClipPath. An
// invalid arrow has none. A head whose direction depends on rounding errors is an error.
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

// tipUnclear reports whether rounding errors decide the direction of the arrowhead at an end, 0
// (start) or 1 (end). That is so where the last segment of an elbow arrow has no length and a
// target is rotated. Between unrotated shapes such a segment is exactly a point, and the head is a
// dot.
func (v *Solver) tipUnclear(end int, tip geom.Point) bool {
	n := len(v.Route)
	if v.Kind != ElbowArrow || n < 3 {
		return false
	}
	corner := v.Route[[2]int{1, n - 2}[end]].Point // next to the tip
	if !geom.Near(tip, corner, 1e-9) {
		return false
	}
	for i := range v.Ends {
		if e := &v.Ends[i]; e.bound() && (e.target.toArrow.B != 0 || e.target.toArrow.C != 0) {
			return true
		}
	}
	return false
}

// fillHead appends the fill of an arrowhead with outline p to l.Draws. Each draw of the fill is
// followed by a stroke of the outline, because the editor's export puts the fill into the group
// that strokes the arrow.
func fillHead(l *shapes.Maker, sh *scene.Shape, p *vector.Path, width float64) {
	first := len(l.Draws)
	l.Fill(sh, p)
	for n := len(l.Draws) - first; n > 0; n-- {
		fill := l.Draws[first] // moved to the end, in front of its stroke
		l.Draws = append(l.Draws[:first], l.Draws[first+1:]...)
		l.Draws = append(l.Draws, fill)
		strokeHead(l, sh, p, width)
	}
}

// strokeHead appends the stroke of a head's outline p, in the arrow's colour, to l.Draws.
func strokeHead(l *shapes.Maker, sh *scene.Shape, p *vector.Path, width float64) {
	color := shapes.Palette[sh.Color].Solid
	l.Draws = append(l.Draws, shapes.Draw{Path: p, Width: width, Color: color, Opacity: shapes.Opaque})
}

// bodyMargin is how far the clip of a body reaches beyond its bounds.
const bodyMargin = 100

// ClipPath appends the clip path of an arrow's body to a path, for the non-zero rule: a rectangle
// around the body and the label, bodyMargin px larger, with holes for the label's box and for closed
// heads, which run the other way round. holes is false if there are none: then nothing is clipped.
// See docs/spec/drawing.md#r69.
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
	if w == 0 { // the editor's bounds are never empty
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

// labelHole appends the box of a label with round corners, counterclockwise, from below its upper left
// corner on.
func labelHole(c *shapes.Outline, l *Label) {
	r := l.radius
	lo, hi := l.Box.Lo, l.Box.Hi
	// corner appends a quarter circle around (x, y), from the direction from to the point end.
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
