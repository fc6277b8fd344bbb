package outline

import (
	"cmp"
	"math"
	"slices"

	"plumb/render/chord"
	"plumb/render/path"
	"plumb/render/text"
)

// Lines along text as the browser places them; sizes and places were read off
// its pictures for all fonts and sizes.

// lineShare is the thickness of a line in em. Its drawn thickness is that cut to
// whole units, at least 1.
const lineShare = 0.1

// longestGap bounds how far an underline keeps away from a glyph, units.
const longestGap = 13

// gapInset is how far, in units, an underline's upper and lower side are moved in to find
// the glyphs that cross it: of its thickness before that is cut, where it would be below a
// baseline that was not made whole.
const gapInset = 0.5

// band is a line along a run, in the shape's units, without what lies in its gaps.
type band struct {
	x0, x1, y, thick float64
	gaps             [][2]float64 // from left to right
	times            int          // how often it is drawn over itself
}

// underline is the line below a run. It leaves out the columns in which glyphs
// cross it, and as much again on both sides as it is thick.
func underline(k *scribe, r *text.Run) (band, error) {
	thick := max(1, r.Size*lineShare)
	line := band{x0: r.X, x1: r.X + r.Width, y: r.Baseline + math.Ceil(thick/2), thick: math.Floor(thick), times: r.Underlines}
	k.gaps = k.gaps[:0]
	for _, g := range k.page.Glyphs[r.First : r.First+r.Count] {
		if g.Crossed {
			continue
		}
		k.glyphs.path.Reset()
		if err := r.Face.Outline(&k.glyphs.path, g.ID, r.Size); err != nil {
			return line, err
		}
		top := line.y - r.Baseline + r.Raised - float64(g.Y)
		lo, hi := crossing(&k.glyphs.path, top+gapInset, top+thick-gapInset)
		if lo <= hi {
			x, keep := r.X+float64(g.X), min(thick, longestGap)
			k.gaps = append(k.gaps, [2]float64{x + lo - keep, x + hi + keep})
		}
	}
	slices.SortFunc(k.gaps, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	line.gaps = k.gaps
	return line, nil
}

// strike is the line through a run.
func strike(r *text.Run) band {
	thick := max(1, r.Size*lineShare)
	middle := r.Baseline - r.Face.Ascent(r.Size)/3
	return band{x0: r.X, x1: r.X + r.Width, y: math.Floor(middle - thick/2 + 0.5), thick: math.Floor(thick), times: 1}
}

// line cuts a line, displaced by h.
func (b *Builder) line(k *scribe, at *band, h [2]float64, m path.Matrix, clip chord.Rect, p *place) {
	to := &k.glyphs.path
	to.Reset()
	rectangle(to, at.x0+h[0], at.y+h[1], at.x1+h[0], at.y+at.thick+h[1])
	k.moved = k.moved[:0]
	for _, gap := range at.gaps {
		k.moved = append(k.moved, [2]float64{gap[0] + h[0], gap[1] + h[0]})
	}
	k.glyphs.cutLine(m, clip, b.mode, p.rule(), k.moved)
}

// placeLine places a line.
func (b *Builder) placeLine(k *scribe, at *band, color rgb, p *place) {
	b.line(k, at, [2]float64{}, p.m, b.canvas(), p)
	k.glyphs.line.thicken(at.times)
	b.keep(k, placed{color: color, glyph: k.glyphs.keepMask(&k.glyphs.line)})
}

// placeLineHalo places the copies of a line that lie under a text. The browser makes one
// picture of them all, of the pixels of the line, gaps and all: those of the export, or
// where that turns the text those of its own units, at their scale, which are then turned.
func (b *Builder) placeLineHalo(k *scribe, at *band, p *place) {
	if b.mode == Exact {
		for _, h := range halo {
			b.line(k, at, h, p.m, b.canvas(), p)
			b.keep(k, placed{color: background, glyph: k.glyphs.keepMask(&k.glyphs.line)})
		}
		return
	}
	m, clip := p.m, b.canvas()
	turned := !level(m)
	var back matrix // px of the export to those of the picture
	if turned {
		m = path.Matrix{A: float32(math.Hypot(float64(m.A), float64(m.B))), D: float32(math.Hypot(float64(m.C), float64(m.D)))}
		back = matrix{a: float64(m.A), d: float64(m.D)}.mul(newWindow(p.m, 0, 0, 0, 0).back)
		clip = seenFrom(back, clip)
	}
	k.by = k.by[:0]
	reach := int32(1)
	for _, h := range halo {
		x, y := float64(m.A)*h[0]+float64(m.C)*h[1], float64(m.B)*h[0]+float64(m.D)*h[1]
		k.by = append(k.by, [2]float64{x, y})
		reach = max(reach, int32(min(farAway, math.Abs(x)+math.Abs(y)))+2)
	}
	clip = chord.Rect{X0: clip.X0 - reach, Y0: clip.Y0 - reach, X1: clip.X1 + reach, Y1: clip.Y1 + reach}
	b.line(k, at, [2]float64{}, m, clip, p)
	k.glyphs.line.thicken(at.times)
	k.glyphs.lineHalo(k.by)
	one := placed{color: background}
	if turned {
		one.glyph = k.glyphs.keepTurned(&k.glyphs.halo, back, b.canvas())
	} else {
		one.glyph = k.glyphs.keepMask(&k.glyphs.halo)
	}
	b.keep(k, one)
}

// seenFrom is the box of a box in px that back maps to others.
func seenFrom(back matrix, r chord.Rect) chord.Rect {
	box := emptyBox
	for _, c := range [4]point{
		{float64(r.X0), float64(r.Y0)}, {float64(r.X1), float64(r.Y0)}, {float64(r.X0), float64(r.Y1)}, {float64(r.X1), float64(r.Y1)},
	} {
		q := back.apply(c)
		x, y := max(-farAway, min(q.X, farAway)), max(-farAway, min(q.Y, farAway))
		box = [4]int32{min(box[0], int32(math.Floor(x))), min(box[1], int32(math.Floor(y))), max(box[2], int32(math.Ceil(x))), max(box[3], int32(math.Ceil(y)))}
	}
	return chord.Rect{X0: box[0], Y0: box[1], X1: box[2], Y1: box[3]}
}

// rectangle appends a rectangle, nothing when it is empty.
func rectangle(to *path.Path, x0, y0, x1, y1 float64) {
	if x0 >= x1 || y0 >= y1 {
		return
	}
	at := func(x, y float64) path.Point { return path.Point{X: float32(x), Y: float32(y)} }
	to.MoveTo(at(x0, y0))
	to.LineTo(at(x1, y0))
	to.LineTo(at(x1, y1))
	to.LineTo(at(x0, y1))
	to.Close()
}

// placeDrawn places what k.glyphs.path holds in the shape's units: a path, which
// the contrast of glyphs does not concern.
func (b *Builder) placeDrawn(k *scribe, color rgb, p *place) {
	b.keep(k, placed{color: color, glyph: k.glyphs.cutDrawn(p.m, b.canvas(), b.mode, p.rule())})
}

// columns collects where an outline crosses the rows from top to bottom, as the browser
// finds it: where segments meet the first and the last row, and their points between
// those, the control points of curves among them. Between its points a curve may reach
// farther.
type columns struct{ top, bottom, lo, hi float64 }

// add adds one column.
func (c *columns) add(x float64) { c.lo, c.hi = min(c.lo, x), max(c.hi, x) }

// points adds points that lie between the rows.
func (c *columns) points(list ...path.Point) {
	for _, p := range list {
		if y := float64(p.Y); c.top <= y && y <= c.bottom {
			c.add(float64(p.X))
		}
	}
}

// line adds where a line meets the two rows.
func (c *columns) line(a, b path.Point) {
	x0, y0, x1, y1 := float64(a.X), float64(a.Y), float64(b.X), float64(b.Y)
	for _, y := range [2]float64{c.top, c.bottom} {
		if y0 != y1 && min(y0, y1) <= y && y <= max(y0, y1) {
			c.add(x0 + float64((x1-x0)*(y-y0))/(y1-y0))
		}
	}
}

// quad adds where a quadratic meets the two rows.
func (c *columns) quad(p0, p1, p2 path.Point) {
	y0, y1, y2 := float64(p0.Y), float64(p1.Y), float64(p2.Y)
	for _, y := range [2]float64{c.top, c.bottom} {
		for _, t := range quadRoots(y0-2*y1+y2, y1-y0, y0-y) {
			u := 1 - t
			c.add(float64(u*u*float64(p0.X)) + float64(2*u*t*float64(p1.X)) + float64(t*t*float64(p2.X)))
		}
	}
}

// quadRoots are the t in 0..1 where att + 2bt + c is 0.
func quadRoots(a, b, c float64) (roots []float64) {
	q := -b - math.Copysign(math.Sqrt(float64(b*b)-float64(a*c)), b) // NaN where there is none
	for _, t := range [2]float64{q / a, c / q} {
		if 0 <= t && t <= 1 {
			roots = append(roots, t)
		}
	}
	return roots
}

// crossing returns the columns in which a glyph's outline crosses the rows from
// top to bottom; lo > hi when it does not.
func crossing(p *path.Path, top, bottom float64) (lo, hi float64) {
	c := columns{top, bottom, math.Inf(1), math.Inf(-1)}
	var cur, first path.Point
	pts := p.Points
	for _, v := range p.Verbs {
		switch v {
		case path.Move:
			cur, first, pts = pts[0], pts[0], pts[1:]
		case path.Line:
			c.line(cur, pts[0])
			c.points(cur, pts[0])
			cur, pts = pts[0], pts[1:]
		case path.Quad:
			c.quad(cur, pts[0], pts[1])
			c.points(cur, pts[0], pts[1])
			cur, pts = pts[1], pts[2:]
		case path.Close:
			c.line(cur, first)
			c.points(cur, first)
			cur = first
		}
	}
	return c.lo, c.hi
}

// dot places the marker of a list item: no halo, no contrast.
func (b *Builder) dot(k *scribe, d *text.Dot, color rgb, p *place) {
	to := &k.glyphs.path
	to.Reset()
	switch d.Kind {
	case text.Square:
		rectangle(to, d.X, d.Y, d.X+d.W, d.Y+d.H)
	case text.Circle:
		oval(to, d.X, d.Y, d.W, d.H)
		if b.mode == Reference && hairline(1, p.m) > 0 {
			to.Transform(p.m)
			b.keep(k, placed{color: color, glyph: k.glyphs.cutHair(hairline(1, p.m), b.canvas())})
			return
		}
		b.outlined.Reset()
		b.stroker.Outline(&b.outlined, to, 1, b.resolution(p.m))
		to.Reset()
		to.Append(&b.outlined)
	default:
		oval(to, d.X, d.Y, d.W, d.H)
	}
	b.placeDrawn(k, color, p)
}

// oval appends an ellipse of four conics.
func oval(to *path.Path, x, y, w, h float64) {
	const weight = 0.70710678 // cos 45 degrees
	at := func(i, j float64) path.Point {
		return path.Point{X: float32(x + w*i), Y: float32(y + h*j)}
	}
	to.MoveTo(at(1, 0.5))
	to.ConicTo(at(1, 1), at(0.5, 1), weight)
	to.ConicTo(at(0, 1), at(0, 0.5), weight)
	to.ConicTo(at(0, 0), at(0.5, 0), weight)
	to.ConicTo(at(1, 0), at(1, 0.5), weight)
	to.Close()
}
