package paint

import (
	"math"

	"plumb/render/shapes"
	"plumb/render/text"
	"plumb/render/vector"
)

// textBlock says how a text that is laid out is drawn.
type textBlock struct {
	color shapes.RGB
	halo  bool
	x, y  float64 // corner of the box that clips it, in the units of the place's map
	w, h  float64 // of that box
	// unclipped is true when no box clips the text.
	unclipped bool
}

// halo holds the displacements of the copies under a text, in the shape's own units. See
// docs/spec/drawing.md#r54.
var halo = [...][2]float64{{0, -1}, {0, 1}, {-1, -1}, {1, -1}, {1, 1}, {-1, 1}}

// linkColor is the colour of links in rich text.
var linkColor = shapes.RGB{49, 130, 237}

// Glyphs larger than largestMask px per em are drawn as paths, not from masks: where they are,
// without contrast, scaled up from outlines of pathSize px. See docs/spec/drawing.md#r58.
const (
	largestMask = 256
	pathSize    = 64
)

// farAway is the distance in px beyond which no mask reaches the picture.
const farAway = 1 << 20

// placedMask is a mask at a pixel.
type placedMask struct {
	glyph int32    // in glyphCache.glyphs
	x, y  int32    // whole px
	box   [4]int32 // left, top, right, bottom, px
	color shapes.RGB
}

// glyphScale maps the glyphs of one text to px: first to their size, then by the rest of the map.
type glyphScale struct {
	m     vector.Matrix // the shape's units to px
	turn  [4]float32    // the factors of m without size
	size  float64       // px per em for each unit of the font size
	snapX bool          // pens lie on whole px in x
	snapY bool
}

// newGlyphScale splits the map m from a shape's units to px into the size of its glyphs and a map
// without that size. The browser rounds the four factors of m to 1/1024 first, so that glyphs of
// nearly equal maps share a mask; pens keep the exact map. A map without area gives a size that is
// not above 0. See docs/spec/drawing.md#r56.
func newGlyphScale(m vector.Matrix) glyphScale {
	s := glyphScale{m: m}
	a, b, c, d := roundFactor(m.A), roundFactor(m.B), roundFactor(m.C), roundFactor(m.D)
	s.size = math.Abs(float64(a*d)-float64(b*c)) / math.Hypot(a, b) // the scale across the text's direction
	s.turn = [4]float32{float32(a / s.size), float32(b / s.size), float32(c / s.size), float32(d / s.size)}
	s.snapY = b == 0 && c == 0
	s.snapX = a == 0 && d == 0
	return s
}

// roundFactor rounds a factor of a map to 1/1024.
func roundFactor(v float32) float64 { return math.Floor(float64(v)*1024+0.5) / 1024 }

// enlarged is the map for an outline of pathSize px per em, with its pen at (x, y) px.
func (s *glyphScale) enlarged(size float64, x, y float32) vector.Matrix {
	k := float32(size / pathSize)
	return vector.Matrix{A: s.m.A * k, B: s.m.B * k, C: s.m.C * k, D: s.m.D * k, E: x, F: y}
}

// quarterPixel splits a glyph's pen position v, in px, into whole px and quarters of a px (0 to 3).
// With whole it rounds v to whole px.
func quarterPixel(v float32, whole bool) (px int32, sub uint8) {
	if whole {
		return int32(math.Floor(float64(v) + 0.5)), 0
	}
	q := int32(math.Floor(float64(4*v) + 0.5))
	return q >> 2, uint8(q & 3)
}

// paintText appends the items of the text on k.Page, run by run in the browser's order: halos of
// underline and glyphs, underline, glyphs, the strike with its halo.
func (b *Builder) paintText(k *textPainter, w textBlock, p *shapePlacement) error {
	k.glyphs.begin()
	k.placed = k.placed[:0]
	s := newGlyphScale(p.m)
	if !(s.size > 0) {
		return nil
	}
	k.box = textBox{whole: true}
	if !w.unclipped {
		k.box = newTextBox(p.m, w.x, w.y, w.w, w.h, b.mode)
	}
	for i := range k.Page.Dots {
		b.placeMarker(k, &k.Page.Dots[i], w.color, p)
	}
	for i := range k.Page.Runs {
		if err := b.placeRun(k, &s, &k.Page.Runs[i], w, p); err != nil {
			return err
		}
	}
	return b.emitText(k, w, p)
}

// placeRun adds the masks of one run of text to k.placed: the halo, the underline, the glyphs and the
// strike-through, each over the one before. Links have their own colour and are underlined. It
// refuses lines that are too thick, and text whose masks grow beyond the limit of coverage.
func (b *Builder) placeRun(k *textPainter, s *glyphScale, r *text.Run, w textBlock, p *shapePlacement) error {
	if r.Link {
		w.color = linkColor
	}
	underlined := r.Link || r.Underline
	if underlined || r.Strike {
		if err := s.checkLine(r, &b.scene.Shapes[p.shape]); err != nil {
			return err
		}
	}
	var below textLine
	if underlined {
		var err error
		if below, err = underline(k, r); err != nil {
			return err
		}
	}
	if w.halo {
		if underlined {
			b.placeLineHalo(k, &below, p)
		}
		for _, h := range halo {
			if err := b.placeGlyphs(k, s, r, h, shapes.Background, p); err != nil {
				return err
			}
		}
	}
	if underlined {
		b.placeLine(k, &below, w.color, p)
	}
	if err := b.placeGlyphs(k, s, r, [2]float64{}, w.color, p); err != nil {
		return err
	}
	if r.Strike {
		through := strike(r)
		if w.halo {
			b.placeLineHalo(k, &through, p)
		}
		b.placeLine(k, &through, w.color, p)
	}
	return b.checkSize(k.glyphs.grown())
}

// placeGlyphs adds the masks of the glyphs of one run of text to k.placed, displaced by h, in the
// text's units, which is not 0 for copies of a halo.
func (b *Builder) placeGlyphs(k *textPainter, s *glyphScale, r *text.Run, h [2]float64, color shapes.RGB,
	p *shapePlacement) error {
	moved := s.m // by the displacement first, as the browser does it
	moved.E = float32(moved.A*float32(h[0])) + (float32(moved.C*float32(h[1])) + moved.E)
	moved.F = float32(moved.B*float32(h[0])) + (float32(moved.D*float32(h[1])) + moved.F)
	origin := moved.Apply(vector.Point{X: float32(r.X), Y: float32(r.Baseline)})
	key := glyphKey{
		face: r.Face, m: s.turn, size: int32(min(r.Size*s.size, largestMask) * 64), // 1/64 px
		lightness: uint8(lightness(color)), mode: b.mode,
	}
	large := r.Size*s.size > largestMask
	for _, g := range k.Page.Glyphs[r.First : r.First+r.Count] {
		x := origin.X + float32(s.m.A*g.X) + float32(s.m.C*g.Y)
		y := origin.Y + float32(s.m.B*g.X) + float32(s.m.D*g.Y)
		at := placedMask{color: color}
		key.id = g.ID
		var err error
		switch {
		case large:
			at.glyph, err = k.glyphs.outline(&key, pathSize, s.enlarged(r.Size, x, y), b.canvas(), p.rule())
		case !(math.Abs(float64(x)) < farAway && math.Abs(float64(y)) < farAway): // also NaN
			continue
		default:
			at.x, key.subX = quarterPixel(x, s.snapX)
			at.y, key.subY = quarterPixel(y, s.snapY)
			at.glyph, err = k.glyphs.mask(&key)
		}
		if err != nil {
			return err
		}
		b.addPlaced(k, at)
	}
	return b.checkSize(k.glyphs.grown())
}

// addPlaced sets the box of a glyph or line mask at its pixel and appends the mask to k.placed,
// unless it is empty or lies outside of the picture.
func (b *Builder) addPlaced(k *textPainter, at placedMask) {
	g := &k.glyphs.glyphs[at.glyph]
	at.box = [4]int32{at.x + g.box[0], at.y + g.box[1], at.x + g.box[2], at.y + g.box[3]}
	left, top, right, bottom := at.box[0], at.box[1], at.box[2], at.box[3]
	if g.count > 0 && left < int32(b.d.Width) && right > 0 && top < int32(b.d.Height) && bottom > 0 {
		k.placed = append(k.placed, at)
	}
}

// emitText appends one item to the drawing for each placed mask of a text. Masks that reach beyond
// the text's box are clipped to it, if the text has one. The others need only the clip of the
// frame, because clips cost time on the device.
func (b *Builder) emitText(k *textPainter, w textBlock, p *shapePlacement) error {
	clip := p.clip
	if !w.unclipped {
		var err error
		if clip, err = b.boxClip(k, p); err != nil {
			return err
		}
	}
	for i := range k.placed {
		at := &k.placed[i]
		it := b.item(p, at.color, shapes.Opaque)
		if clip != p.clip && !k.box.holds(at) {
			it.Clip = clip
		}
		k.glyphs.draw(b.d, at.glyph, at.x, at.y, &it)
		b.d.Items = append(b.d.Items, it)
		if err := b.checkSize(sizeOf(&b.d.Coverage)); err != nil {
			return err
		}
	}
	return nil
}
