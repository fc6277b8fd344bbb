package outline

import (
	"fmt"
	"math"

	"plumb/render/path"
	"plumb/render/text"
)

// writing is a laid out text that is to be drawn.
type writing struct {
	color rgb
	halo  bool
	w, h  float64 // of the box that clips it, in the shape's unscaled units
}

// halo holds the displacements of the copies that lie under a text, in the
// shape's own units (tldraw-rendering.md 6.6).
var halo = [...][2]float64{{0, -1}, {0, 1}, {-1, -1}, {1, -1}, {1, 1}, {-1, 1}}

// linkColor is the colour of links in rich text.
var linkColor = rgb{49, 130, 237}

// Glyphs larger than largestMask px per em are drawn as paths, not from masks:
// where they are, without contrast, scaled up from outlines of pathSize px.
const (
	largestMask = 256
	pathSize    = 64
)

// placed is a glyph on its pixel.
type placed struct {
	glyph cutGlyph
	x, y  int32 // whole px
	color rgb
	plain bool // a path, not a mask
}

// script is how glyphs of one text come onto the pixels.
type script struct {
	m     path.Matrix // the shape's units to px
	turn  [4]float32  // what is left of m's turn once glyphs have their size
	size  float64     // px per em for each unit of the font size
	snapX bool        // pens lie on whole px in x
	snapY bool
}

// newScript splits a map into the size at which glyphs are scaled and the rest.
// The browser rounds the four factors to 1/1024 first, so that glyphs of nearly
// equal maps are one; pens keep the exact map.
func newScript(m path.Matrix) script {
	s := script{m: m}
	a, b, c, d := coarse(m.A), coarse(m.B), coarse(m.C), coarse(m.D)
	s.size = math.Abs(float64(a*d)-float64(b*c)) / math.Hypot(a, b)
	s.turn = [4]float32{float32(a / s.size), float32(b / s.size), float32(c / s.size), float32(d / s.size)}
	s.snapY = m.B == 0 && m.C == 0
	s.snapX = m.A == 0 && m.D == 0
	return s
}

func coarse(v float32) float64 { return math.Floor(float64(v)*1024+0.5) / 1024 }

// quarter returns the whole px and the quarter of a position in px.
func quarter(v float32, whole bool) (px int32, sub uint8) {
	if whole {
		return int32(math.Floor(float64(v) + 0.5)), 0
	}
	q := int32(math.Floor(float64(4*v) + 0.5))
	return q >> 2, uint8(q & 3)
}

// write appends the items of a laid out text.
func (b *Builder) write(k *scribe, w writing, p *place) error {
	k.glyphs.reset()
	k.placed = k.placed[:0]
	s := newScript(p.m)
	if !(s.size > 0) {
		return nil
	}
	for i := range k.page.Runs {
		r := &k.page.Runs[i]
		if w.halo {
			for _, h := range halo {
				if err := b.place(k, &s, r, h, background); err != nil {
					return err
				}
			}
		}
		color := w.color
		if r.Link {
			color = linkColor
		}
		if err := b.place(k, &s, r, [2]float64{}, color); err != nil {
			return err
		}
	}
	p.draws += 2
	return b.emitWriting(k, w, p)
}

// place puts the glyphs of a run, displaced by h, on their pixels.
func (b *Builder) place(k *scribe, s *script, r *text.Run, h [2]float64, color rgb) error {
	origin := s.m.Apply(path.Point{X: float32(r.X + h[0]), Y: float32(r.Baseline + h[1])})
	key := glyphKey{face: r.Face, m: s.turn, size: int32(r.Size * s.size * 64), mode: b.mode}
	for _, g := range k.page.Glyphs[r.First : r.First+r.Count] {
		x := origin.X + float32(s.m.A*g.X) + float32(s.m.C*g.Y)
		y := origin.Y + float32(s.m.B*g.X) + float32(s.m.D*g.Y)
		at := placed{color: color}
		var err error
		if key.id = g.ID; r.Size*s.size > largestMask {
			at.plain = true
			at.glyph, err = k.glyphs.cutPath(&key, s.m, x, y, float32(r.Size/pathSize), b.canvas())
		} else {
			at.x, key.subX = quarter(x, s.snapX)
			at.y, key.subY = quarter(y, s.snapY)
			at.glyph, err = k.glyphs.cut(&key)
		}
		if err != nil {
			return err
		}
		if b.touches(&at) {
			k.placed = append(k.placed, at)
		}
	}
	return nil
}

// touches tells whether a glyph may touch the picture.
func (b *Builder) touches(at *placed) bool {
	g := &at.glyph
	return g.count > 0 && at.x+g.box[0] < int32(b.d.Width) && at.x+g.box[2] > 0 &&
		at.y+g.box[1] < int32(b.d.Height) && at.y+g.box[3] > 0
}

// emitWriting appends one item per placed glyph: each is a mask of its own.
func (b *Builder) emitWriting(k *scribe, w writing, p *place) error {
	box := newWindow(p.m, w.w, w.h)
	clip, err := b.boxClip(k, &box, p)
	if err != nil {
		return err
	}
	for i := range k.placed {
		at := &k.placed[i]
		it := b.item(p, at.color, Opaque)
		if !at.plain {
			it.Table = b.contrastTable(at.color)
		}
		if clip != p.clip && !box.holds(at) {
			it.Clip = clip
		}
		it.First = int32(len(b.d.Segments))
		dx, dy := at.x*Unit, at.y*Unit
		for _, s := range k.glyphs.segments[at.glyph.first : at.glyph.first+at.glyph.count] {
			b.d.Segments = append(b.d.Segments, Segment{X0: s.X0 + dx, Y0: s.Y0 + dy, X1: s.X1 + dx, Y1: s.Y1 + dy})
		}
		if len(b.d.Segments) > b.limit {
			return fmt.Errorf("cannot draw scene: it has more than %d segments; want fewer shapes or a larger --max-segments", b.limit)
		}
		it.Count = int32(len(b.d.Segments)) - it.First
		b.d.Items = append(b.d.Items, it)
	}
	return nil
}
