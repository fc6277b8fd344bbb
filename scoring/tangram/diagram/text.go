package diagram

import (
	"fmt"
	"image/color"

	"plumb/render/font"
	"plumb/render/vector"
)

// writer sets one line of text at a time in one of the shipped fonts.
type writer struct {
	face *font.Face
	caps float64 // height of a capital letter for each px of size
}

// newWriter opens a font of the process's library.
func newWriter(style font.Style) (*writer, error) {
	library, err := font.Default()
	if err != nil {
		return nil, fmt.Errorf("cannot write labels: %w", err)
	}
	face, err := library.NewSet().Face(style)
	if err != nil {
		return nil, fmt.Errorf("cannot write labels: %w", err)
	}
	w := &writer{face: face}
	h, err := w.line("H", 100)
	if err != nil {
		return nil, err
	}
	_, low, _, high := bounds(h.loops...)
	w.caps = (high - low) / 100
	return w, nil
}

// line is text as outlines: the baseline at y = 0, the pen at x = 0, y down.
type line struct {
	loops []Loop
	width float64 // of the advances, px
}

// line shapes text at size px per em.
func (w *writer) line(text string, size float64) (line, error) {
	glyphs, err := w.face.Shape([]byte(text))
	if err != nil {
		return line{}, fmt.Errorf("cannot write label %q: %w", text, err)
	}
	var out line
	for _, g := range glyphs {
		var p vector.Path
		if err := w.face.Outline(&p, g.ID, size); err != nil {
			return out, fmt.Errorf("cannot write label %q: %w", text, err)
		}
		dx := out.width + float64(w.face.Pixels(g.DX, size))
		dy := -float64(w.face.Pixels(g.DY, size))
		out.loops = append(out.loops, flatten(&p, dx, dy)...)
		out.width += float64(w.face.Advance(g, size))
	}
	return out, nil
}

// flatness is how many chords stand for a curve of a glyph.
const flatness = 12

// flatten makes polygons of a path.
func flatten(p *vector.Path, dx, dy float64) (loops []Loop) {
	var cur Loop
	i := 0
	next := func() Point {
		v := p.Points[i]
		i++
		return Point{float64(v.X) + dx, float64(v.Y) + dy}
	}
	for _, verb := range p.Verbs {
		switch verb {
		case vector.Move:
			if cur != nil {
				loops = append(loops, cur)
			}
			cur = Loop{next()}
		case vector.Line:
			cur = append(cur, next())
		case vector.Quad:
			a, c, b := cur[len(cur)-1], next(), next()
			for k := 1; k <= flatness; k++ {
				t := float64(k) / flatness
				cur = append(cur, mix(mix(a, c, t), mix(c, b, t), t))
			}
		case vector.Cubic:
			a, c, d, b := cur[len(cur)-1], next(), next(), next()
			for k := 1; k <= flatness; k++ {
				t := float64(k) / flatness
				ac, cd, db := mix(a, c, t), mix(c, d, t), mix(d, b, t)
				cur = append(cur, mix(mix(ac, cd, t), mix(cd, db, t), t))
			}
		case vector.Conic:
			next()
			cur = append(cur, next()) // glyphs have none
		}
	}
	if cur != nil {
		loops = append(loops, cur)
	}
	return loops
}

func mix(a, b Point, t float64) Point {
	return Point{a.X + float64((b.X-a.X)*t), a.Y + float64((b.Y-a.Y)*t)}
}

// bounds is the box of loops.
func bounds(loops ...Loop) (x0, y0, x1, y1 float64) {
	first := true
	for _, l := range loops {
		for _, p := range l {
			if first {
				x0, y0, x1, y1, first = p.X, p.Y, p.X, p.Y, false
			}
			x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
		}
	}
	return x0, y0, x1, y1
}

// shifted moves loops.
func shifted(loops []Loop, dx, dy float64) []Loop {
	out := make([]Loop, len(loops))
	for i, l := range loops {
		out[i] = make(Loop, len(l))
		for k, p := range l {
			out[i][k] = Point{p.X + dx, p.Y + dy}
		}
	}
	return out
}

// write paints a line with the pen at (x, y), the baseline.
func (s *sheet) write(c color.NRGBA, l line, x, y float64) {
	s.fill(c, shifted(l.loops, x, y)...)
}
