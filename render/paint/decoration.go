package paint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/shapes"
	"plumb/render/text"
	"plumb/render/vector"
)

// Lines along text as the browser places them; sizes and places were read off
// its pictures for all fonts and sizes.

// lineShare is the thickness of a line in em. Its drawn thickness is that cut to
// whole units, at least 1.
const lineShare = 0.1

// thickestLine is how many px thick a line may be: its halo is made of pixels. Letters
// beside it are as high as ten of it.
const thickestLine = 64

// longestGap bounds how far an underline keeps away from a glyph, units.
const longestGap = 13

// gapInset is how far, in units, an underline's upper and lower side are moved in to find
// the glyphs that cross it: of its thickness before that is cut, where it would be below a
// baseline that was not made whole.
const gapInset = 0.5

// band is a line along a run, in the shape's units, without what lies in its gaps.
type band struct {
	x0, x1, y, thick float64
	gaps             []gap // from left to right, apart
	doubled          bool  // drawn over itself once more
}

// thickness is that of a run's lines before it is cut, units.
func thickness(r *text.Run) float64 { return max(1, r.Size*lineShare) }

// alongside refuses lines along a run that are too thick.
func (s *script) alongside(r *text.Run) error {
	if px := thickness(r) * s.size; px > thickestLine {
		return fmt.Errorf("cannot draw lines along text that are %g px thick: %w", px, shapes.ErrForeign)
	}
	return nil
}

// underline is the line below a run. It leaves out the columns in which glyphs cross it, and as
// much again on both sides as it is thick. See docs/spec/drawing.md#r53.
func underline(k *scribe, r *text.Run) (band, error) {
	thick := thickness(r)
	line := band{
		x0: r.X, x1: r.X + r.Width, y: r.Baseline + math.Ceil(thick/2), thick: math.Floor(thick), doubled: r.Link && r.Underline,
	}
	k.gaps = k.gaps[:0]
	for _, g := range k.Page.Glyphs[r.First : r.First+r.Count] {
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
			k.gaps = append(k.gaps, gap{x + lo - keep, x + hi + keep})
		}
	}
	slices.SortFunc(k.gaps, func(a, b gap) int { return cmp.Compare(a.from, b.from) })
	line.gaps = united(k.gaps)
	return line, nil
}

// strike is the line through a run.
func strike(r *text.Run) band {
	thick := thickness(r)
	middle := r.Baseline - r.Face.Ascent(r.Size)/3
	return band{x0: r.X, x1: r.X + r.Width, y: math.Floor(middle - thick/2 + 0.5), thick: math.Floor(thick)}
}

// cutBand cuts a line that m maps to px.
func (b *Builder) cutBand(k *scribe, at *band, m vector.Matrix, clip chord.Rect, p *place) {
	to := &k.glyphs.path
	to.Reset()
	vector.Rect(to, at.x0, at.y, at.x1, at.y+at.thick)
	k.glyphs.cutLine(m, clip, b.mode, p.rule(), at.gaps)
	if at.doubled {
		k.glyphs.line.double()
	}
}

// placeLine places a line.
func (b *Builder) placeLine(k *scribe, at *band, color shapes.RGB, p *place) {
	b.cutBand(k, at, p.m, b.canvas(), p)
	b.keep(k, placed{color: color, glyph: k.glyphs.keepMask(&k.glyphs.line)})
}

// placeLineHalo places the copies of a line that lie under a text. The browser makes one
// picture of them all, of the pixels of the line, gaps and all: those of the export, or
// where that turns the text those of its own units, at their scale, which are then turned.
// Exact mode draws copies of the line itself.
func (b *Builder) placeLineHalo(k *scribe, at *band, p *place) {
	if b.mode == Exact {
		for _, h := range halo {
			b.cutBand(k, at, p.m.Mul(vector.Matrix{A: 1, D: 1, E: float32(h[0]), F: float32(h[1])}), b.canvas(), p)
			b.keep(k, placed{color: shapes.Background, glyph: k.glyphs.keepMask(&k.glyphs.line)})
		}
		return
	}
	m, clip := p.m, b.canvas()
	turned := !level(m)
	var back geom.Matrix // px of the export to those of the picture
	if turned {
		m, back = scaleOnly(p.m, clip)
		clip = seenFrom(back, clip)
	}
	k.by = k.by[:0]
	reach := int32(0)
	for _, h := range halo {
		x, y := float64(m.A)*h[0]+float64(m.C)*h[1], float64(m.B)*h[0]+float64(m.D)*h[1]
		k.by = append(k.by, [2]float64{x, y})
		reach = max(reach, int32(math.Abs(x)+math.Abs(y))+2)
	}
	clip = chord.Rect{X0: clip.X0 - reach, Y0: clip.Y0 - reach, X1: clip.X1 + reach, Y1: clip.Y1 + reach}
	b.cutBand(k, at, m, clip, p)
	k.glyphs.lineHalo(k.by)
	one := placed{color: shapes.Background}
	if turned {
		one.glyph = k.glyphs.keepTurned(&k.glyphs.halo, back, b.canvas())
	} else {
		one.glyph = k.glyphs.keepMask(&k.glyphs.halo)
	}
	b.keep(k, one)
}

// scaleOnly returns the scale of m, moved by whole px so that what lies in a clip comes to
// lie near 0, and the map from px to those.
func scaleOnly(m vector.Matrix, clip chord.Rect) (vector.Matrix, geom.Matrix) {
	s := vector.Matrix{A: float32(math.Hypot(float64(m.A), float64(m.B))), D: float32(math.Hypot(float64(m.C), float64(m.D)))}
	back := geom.Matrix{A: float64(s.A), D: float64(s.D)}.Mul(geom.Widened(m).Inverse())
	middle := back.Apply(geom.Pt(float64(clip.X0+clip.X1)/2, float64(clip.Y0+clip.Y1)/2))
	x, y := math.Floor(middle.X), math.Floor(middle.Y)
	s.E, s.F = float32(-x), float32(-y)
	back.E, back.F = back.E-x, back.F-y
	return s, back
}

// seenFrom is the box of a box in px that back maps to others.
func seenFrom(back geom.Matrix, r chord.Rect) chord.Rect {
	box := geom.NewExtent()
	for _, c := range [4]geom.Point{
		geom.Pt(float64(r.X0), float64(r.Y0)), geom.Pt(float64(r.X1), float64(r.Y0)), geom.Pt(float64(r.X0), float64(r.Y1)), geom.Pt(float64(r.X1), float64(r.Y1)),
	} {
		box.Add(back.Apply(c))
	}
	return outwards([4]float32{float32(box.Lo.X), float32(box.Lo.Y), float32(box.Hi.X), float32(box.Hi.Y)})
}
