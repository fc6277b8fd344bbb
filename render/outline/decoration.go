package outline

import (
	"math"
	"slices"

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

// band is a line along a run, in the shape's units.
type band struct{ x0, x1, y, thick float64 }

// underline places the line below a run. It leaves out the columns in which
// glyphs cross it, and as much again on both sides as it is thick.
func (b *Builder) underline(k *scribe, r *text.Run, w writing, p *place) error {
	thick := max(1, r.Size*lineShare)
	line := band{r.X, r.X + r.Width, r.Baseline + math.Ceil(thick/2), math.Floor(thick)}
	k.gaps = k.gaps[:0]
	for _, g := range k.page.Glyphs[r.First : r.First+r.Count] {
		k.glyphs.path.Reset()
		if err := r.Face.Outline(&k.glyphs.path, g.ID, r.Size); err != nil {
			return err
		}
		top := line.y - r.Baseline - float64(g.Y)
		lo, hi := crossing(&k.glyphs.path, top, top+line.thick)
		if lo <= hi {
			x, keep := r.X+float64(g.X), min(thick, longestGap)
			k.gaps = append(k.gaps, [2]float64{x + lo - keep, x + hi + keep})
		}
	}
	slices.SortFunc(k.gaps, func(a, b [2]float64) int {
		if a[0] < b[0] {
			return -1
		}
		return 1
	})
	b.line(k, line, w, p)
	return nil
}

// strike places the line through a run.
func (b *Builder) strike(k *scribe, r *text.Run, w writing, p *place) {
	thick := max(1, r.Size*lineShare)
	middle := r.Baseline - r.Face.Ascent(r.Size)/3
	k.gaps = k.gaps[:0]
	b.line(k, band{r.X, r.X + r.Width, math.Floor(middle - thick/2 + 0.5), math.Floor(thick)}, w, p)
}

// line places a line and its halo: copies of the line, gaps and all.
func (b *Builder) line(k *scribe, at band, w writing, p *place) {
	if w.halo {
		for _, h := range halo {
			b.stretch(k, at, h, background, p)
		}
	}
	b.stretch(k, at, [2]float64{}, w.color, p)
}

// stretch places one copy of a line, displaced by h.
func (b *Builder) stretch(k *scribe, at band, h [2]float64, color rgb, p *place) {
	to := &k.glyphs.path
	to.Reset()
	x, y0, y1 := at.x0, at.y+h[1], at.y+at.thick+h[1]
	for _, gap := range k.gaps {
		rectangle(to, x+h[0], y0, min(onPixel(p.m, gap[0]+h[0]), at.x1+h[0]), y1)
		x = max(x, onPixel(p.m, gap[1]+h[0])-h[0])
	}
	rectangle(to, x+h[0], y0, at.x1+h[0], y1)
	b.placeDrawn(k, color, p)
}

// onPixel moves the end of a gap to the nearest edge of pixels, because the
// browser cuts gaps without antialiasing. In turned text that gives stairs, which
// are left out: there the end stays where it is.
func onPixel(m path.Matrix, x float64) float64 {
	if m.B != 0 || m.C != 0 {
		return x
	}
	a, e := float64(m.A), float64(m.E)
	return (math.Floor(float64(a*x)+e+0.5) - e) / a
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

// columns collects where an outline crosses the rows from top to bottom.
type columns struct{ top, bottom, lo, hi float64 }

// edge adds what a straight edge crosses.
func (c *columns) edge(a, b path.Point) {
	x0, y0, x1, y1 := float64(a.X), float64(a.Y), float64(b.X), float64(b.Y)
	if y0 > y1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	if y1 < c.top || y0 > c.bottom {
		return
	}
	if y0 == y1 {
		c.lo, c.hi = min(c.lo, x0, x1), max(c.hi, x0, x1)
		return
	}
	for _, y := range [2]float64{max(y0, c.top), min(y1, c.bottom)} {
		x := x0 + (x1-x0)*(y-y0)/(y1-y0)
		c.lo, c.hi = min(c.lo, x), max(c.hi, x)
	}
}

// quad adds what a quadratic crosses, as 16 edges.
func (c *columns) quad(a, b, to path.Point) {
	const steps = 16
	last := a
	for i := 1; i <= steps; i++ {
		t := float32(i) / steps
		u := 1 - t
		q := path.Point{X: u*u*a.X + 2*u*t*b.X + t*t*to.X, Y: u*u*a.Y + 2*u*t*b.Y + t*t*to.Y}
		c.edge(last, q)
		last = q
	}
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
			c.edge(cur, pts[0])
			cur, pts = pts[0], pts[1:]
		case path.Quad:
			c.quad(cur, pts[0], pts[1])
			cur, pts = pts[1], pts[2:]
		case path.Close:
			c.edge(cur, first)
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
		oval(to, d.X-0.5, d.Y-0.5, d.W+1, d.H+1, false)
		oval(to, d.X+0.5, d.Y+0.5, d.W-1, d.H-1, true)
	default:
		oval(to, d.X, d.Y, d.W, d.H, false)
	}
	b.placeDrawn(k, color, p)
}

// oval appends an ellipse of four conics, the other way round when back is set.
func oval(to *path.Path, x, y, w, h float64, back bool) {
	const weight = 0.70710678 // cos 45 degrees
	at := func(i, j float64) path.Point {
		if back {
			i = 1 - i
		}
		return path.Point{X: float32(x + w*i), Y: float32(y + h*j)}
	}
	to.MoveTo(at(1, 0.5))
	to.ConicTo(at(1, 1), at(0.5, 1), weight)
	to.ConicTo(at(0, 1), at(0, 0.5), weight)
	to.ConicTo(at(0, 0), at(0.5, 0), weight)
	to.ConicTo(at(1, 0), at(1, 0.5), weight)
	to.Close()
}
