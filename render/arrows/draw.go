package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// outlineBody appends the body of the solved arrow to an outline, from start to end. Points that
// hand-drawn jitter must not move are marked as steady: both ends, and every point of an arc.
// Skipped corners of an elbow arrow are left out.
func (solver *Solver) outlineBody(outline *shapes.Outline) {
	outline.Move(solver.Start).Unjittered = true
	switch solver.Kind {
	case StraightArrow:
		outline.Line(solver.End).Unjittered = true
	case ArcArrow:
		first := len(outline.Commands)
		outline.Arc(solver.Body.Centre, solver.Body.Radius, solver.Body.Radius, solver.Body.angle(solver.Start), solver.Body.Size, solver.End)
		for i := range outline.Commands[first:] {
			outline.Commands[first+i].Unjittered = true
		}
	default: // elbow
		for i, p := range solver.Route[1:] {
			if p.Skipped {
				continue
			}
			outline.Line(p.Point).Unjittered = i+2 == len(solver.Route) // the last one
		}
	}
}

// Samples returns the points that stand for the body where its bounds and the place of its label are
// computed, and the body's length in px. Of an arc these are at least 9 points, about 20 px apart, but
// the length is exact. The points are valid until the next call.
func (solver *Solver) Samples() (p []geom.Point, length float64) {
	p = append(solver.sampled[:0], solver.Start)
	switch solver.Kind {
	case ArcArrow:
		length = solver.Body.Length()
		const spacing, least = 20, 8 // px between points; pieces
		n := geom.Clamp(math.Ceil(length/spacing), least, shapes.MaxSamples)
		from := solver.Body.angle(solver.Start)
		for i := 1.0; i < n; i++ {
			p = append(p, solver.Body.at(from+solver.Body.Size*i/n))
		}
		p = append(p, solver.End)
	case ElbowArrow:
		for _, q := range solver.Route[1:] {
			p = append(p, q.Point)
		}
	default:
		p = append(p, solver.End)
	}
	if solver.Kind != ArcArrow {
		for i := 1; i < len(p); i++ {
			length += geom.Distance(p[i-1], p[i])
		}
	}
	solver.sampled = p
	return p, length
}

// Draws appends the draws of the solved arrow to maker.Draws: the body, then the insides of heads, then
// the strokes of all heads. The body's draws are marked to be cut by the clip path of ClipPath. An
// invalid arrow has none. A head whose direction depends on rounding errors is an error.
func (solver *Solver) Draws(maker *shapes.Maker, sh *scene.Shape) error {
	maker.InverseScale = 1 / sh.Scale
	if !solver.Valid {
		return nil
	}
	maker.Outline.Reset()
	solver.outlineBody(&maker.Outline)
	maker.Measure(sh, solver.width)
	if err := maker.Stroke(sh, solver.width); err != nil {
		return err
	}
	for i := range maker.Draws {
		maker.Draws[i].ThroughClip = true
	}
	var paths [2]*vector.Path
	for k := range paths {
		h := solver.Head(k == 1)
		if h.kind == scene.HeadNone {
			continue
		}
		if solver.tipUnclear(k, h.tip) {
			return foreignArrow(sh, "with a head whose direction depends on rounding errors")
		}
		paths[k] = maker.NewPath()
		h.Write(paths[k])
		if h.kind != scene.HeadArrow { // the editor fills a bar too, which has no inside
			fillHead(maker, sh, paths[k], solver.width)
		}
	}
	for _, p := range paths {
		if p != nil {
			strokeHead(maker, sh, p, solver.width)
		}
	}
	return nil
}

// tipUnclear reports whether rounding errors decide the direction of the arrowhead at an end, 0
// (start) or 1 (end). That is so where the last segment of an elbow arrow has no length and a
// target is rotated. Between unrotated shapes such a segment is exactly a point, and the head is a
// dot.
func (solver *Solver) tipUnclear(end int, tip geom.Point) bool {
	n := len(solver.Route)
	if solver.Kind != ElbowArrow || n < 3 {
		return false
	}
	corner := solver.Route[1].Point // next to the tip
	if end == 1 {
		corner = solver.Route[n-2].Point
	}
	const roundingErrors = 1e-9 // px
	if !geom.Near(tip, corner, roundingErrors) {
		return false
	}
	for i := range solver.Ends {
		e := &solver.Ends[i]
		isRotated := e.target.toArrow.B != 0 || e.target.toArrow.C != 0
		if e.bound() && isRotated {
			return true
		}
	}
	return false
}

// fillHead appends the fill of an arrowhead with outline p to maker.Draws. Each draw of the fill is
// followed by a stroke of the outline, because the editor's export puts the fill into the group
// that strokes the arrow.
func fillHead(maker *shapes.Maker, sh *scene.Shape, p *vector.Path, width float64) {
	first := len(maker.Draws)
	maker.Fill(sh, p)
	for n := len(maker.Draws) - first; n > 0; n-- {
		fill := maker.Draws[first] // moved to the end, in front of its stroke
		maker.Draws = append(maker.Draws[:first], maker.Draws[first+1:]...)
		maker.Draws = append(maker.Draws, fill)
		strokeHead(maker, sh, p, width)
	}
}

// strokeHead appends the stroke of a head's outline p, in the arrow's colour, to maker.Draws.
func strokeHead(maker *shapes.Maker, sh *scene.Shape, p *vector.Path, width float64) {
	color := shapes.Palette[sh.Color].Solid
	maker.Draws = append(maker.Draws, shapes.Draw{Path: p, Width: width, Color: color, Opacity: shapes.Opaque})
}

// bodyMargin is how far the clip of a body reaches beyond its bounds.
const bodyMargin = 100

// ClipPath appends the clip path of an arrow's body to a path, for the non-zero rule: the body is not painted
// below its label and inside closed heads. The path is a rectangle around the body and the label, bodyMargin
// px larger, with holes for these, which run the other way round. A head that is a bar adds a line, which has
// no inside. holes is false if there are none: then nothing need be clipped. See docs/spec/drawing.md#r69.
func (solver *Solver) ClipPath(label *Label, to *vector.Path) (holes bool) {
	e := geom.NewExtent()
	points, _ := solver.Samples()
	for _, p := range points {
		e.Add(p)
	}
	if label.Shown {
		e.Join(label.Box)
	}
	w, h := e.Hi.X-e.Lo.X, e.Hi.Y-e.Lo.Y
	if w == 0 { // the editor's bounds are never empty
		w = 1
	}
	if h == 0 {
		h = 1
	}
	outline := &solver.maker.Outline
	outline.Reset()
	lo := geom.Pt(e.Lo.X-bodyMargin, e.Lo.Y-bodyMargin)
	hi := geom.Pt(e.Lo.X+w+bodyMargin, e.Lo.Y+h+bodyMargin)
	outline.Polygon(lo, geom.Pt(hi.X, lo.Y), hi, geom.Pt(lo.X, hi.Y))
	if label.Shown {
		labelHole(outline, label)
		holes = true
	}
	outline.Plain(false, to)
	for k := range 2 {
		h := solver.Head(k == 1)
		if h.kind != scene.HeadNone && h.kind != scene.HeadArrow {
			h.Write(to)
			holes = holes || h.closed()
		}
	}
	return holes
}

// labelHole appends the box of a label with round corners, counterclockwise, from below its upper left
// corner on.
func labelHole(outline *shapes.Outline, label *Label) {
	r := label.radius
	lo, hi := label.Box.Lo, label.Box.Hi
	// corner appends a quarter circle around (x, y), from the direction from to the point end.
	corner := func(x, y, from float64, end geom.Point) {
		outline.Arc(geom.Pt(x, y), r, r, from, -math.Pi/2, end)
	}
	outline.Move(geom.Pt(lo.X, lo.Y+r))
	outline.Line(geom.Pt(lo.X, hi.Y-r))
	corner(lo.X+r, hi.Y-r, math.Pi, geom.Pt(lo.X+r, hi.Y))
	outline.Line(geom.Pt(hi.X-r, hi.Y))
	corner(hi.X-r, hi.Y-r, math.Pi/2, geom.Pt(hi.X, hi.Y-r))
	outline.Line(geom.Pt(hi.X, lo.Y+r))
	corner(hi.X-r, lo.Y+r, 0, geom.Pt(hi.X-r, lo.Y))
	outline.Line(geom.Pt(lo.X+r, lo.Y))
	corner(lo.X+r, lo.Y+r, -math.Pi/2, geom.Pt(lo.X, lo.Y+r))
	outline.Close()
}
