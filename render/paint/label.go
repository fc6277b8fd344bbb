package paint

import (
	"math"

	"plumb/render/shapes"
	"plumb/render/text"
	"plumb/render/vector"
)

// writing is a laid out text that is to be drawn.
type writing struct {
	color shapes.RGB
	halo  bool
	x, y  float64 // corner of the box that clips it, in the units of the place's map
	w, h  float64 // of that box
	free  bool    // no box clips it
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

// farAway is a distance in px from which no mask reaches the picture.
const farAway = 1 << 20

// placed is a glyph on its pixel.
type placed struct {
	glyph int32    // in glyphCache.glyphs
	x, y  int32    // whole px
	box   [4]int32 // left, top, right, bottom, px
	color shapes.RGB
}

// script is how glyphs of one text come onto the pixels.
type script struct {
	m     vector.Matrix // the shape's units to px
	turn  [4]float32    // what is left of m's turn once glyphs have their size
	size  float64       // px per em for each unit of the font size
	snapX bool          // pens lie on whole px in x
	snapY bool
}

// newScript splits a map into the size at which glyphs are scaled and the rest. The browser
// rounds the four factors to 1/1024 first, so that glyphs of nearly equal maps are one; pens
// keep the exact map. See docs/spec/drawing.md#r56.
func newScript(m vector.Matrix) script {
	s := script{m: m}
	a, b, c, d := coarse(m.A), coarse(m.B), coarse(m.C), coarse(m.D)
	s.size = math.Abs(float64(a*d)-float64(b*c)) / math.Hypot(a, b)
	s.turn = [4]float32{float32(a / s.size), float32(b / s.size), float32(c / s.size), float32(d / s.size)}
	s.snapY = b == 0 && c == 0
	s.snapX = a == 0 && d == 0
	return s
}

func coarse(v float32) float64 { return math.Floor(float64(v)*1024+0.5) / 1024 }

// enlarged is the map for an outline of pathSize px per em, with its pen at (x, y) px.
func (s *script) enlarged(size float64, x, y float32) vector.Matrix {
	k := float32(size / pathSize)
	return vector.Matrix{A: s.m.A * k, B: s.m.B * k, C: s.m.C * k, D: s.m.D * k, E: x, F: y}
}

// quarter returns the whole px and the quarter of a position in px.
func quarter(v float32, whole bool) (px int32, sub uint8) {
	if whole {
		return int32(math.Floor(float64(v) + 0.5)), 0
	}
	q := int32(math.Floor(float64(4*v) + 0.5))
	return q >> 2, uint8(q & 3)
}

// write appends the items of a laid out text, run by run as the browser paints
// them: the halos of underline and glyphs, underline, glyphs, the strike over its
// halo.
func (b *Builder) write(k *scribe, w writing, p *place) error {
	k.glyphs.begin()
	k.placed = k.placed[:0]
	s := newScript(p.m)
	if !(s.size > 0) {
		return nil
	}
	for i := range k.Page.Dots {
		b.dot(k, &k.Page.Dots[i], w.color, p)
	}
	for i := range k.Page.Runs {
		if err := b.run(k, &s, &k.Page.Runs[i], w, p); err != nil {
			return err
		}
	}
	return b.emitWriting(k, w, p)
}

// run places what one run paints.
func (b *Builder) run(k *scribe, s *script, r *text.Run, w writing, p *place) error {
	if r.Link {
		w.color = linkColor
	}
	underlined := r.Link || r.Underline
	if underlined || r.Strike {
		if err := s.alongside(r); err != nil {
			return err
		}
	}
	var below band
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
			if err := b.place(k, s, r, h, shapes.Background, p); err != nil {
				return err
			}
		}
	}
	if underlined {
		b.placeLine(k, &below, w.color, p)
	}
	if err := b.place(k, s, r, [2]float64{}, w.color, p); err != nil {
		return err
	}
	if r.Strike {
		through := strike(r)
		if w.halo {
			b.placeLineHalo(k, &through, p)
		}
		b.placeLine(k, &through, w.color, p)
	}
	return b.fits(k.glyphs.grown())
}

// place puts the glyphs of a run, displaced by h, on their pixels.
func (b *Builder) place(k *scribe, s *script, r *text.Run, h [2]float64, color shapes.RGB, p *place) error {
	origin := s.m.Apply(vector.Point{X: float32(r.X + h[0]), Y: float32(r.Baseline + h[1])})
	key := glyphKey{
		face: r.Face, m: s.turn, size: int32(min(r.Size*s.size, largestMask) * 64),
		lightness: uint8(lightness(color)), mode: b.mode,
	}
	large := r.Size*s.size > largestMask
	for _, g := range k.Page.Glyphs[r.First : r.First+r.Count] {
		x := origin.X + float32(s.m.A*g.X) + float32(s.m.C*g.Y)
		y := origin.Y + float32(s.m.B*g.X) + float32(s.m.D*g.Y)
		at := placed{color: color}
		key.id = g.ID
		var err error
		switch {
		case large:
			at.glyph, err = k.glyphs.outline(&key, pathSize, s.enlarged(r.Size, x, y), b.canvas(), p.rule())
		case !(math.Abs(float64(x)) < farAway && math.Abs(float64(y)) < farAway):
			continue
		default:
			at.x, key.subX = quarter(x, s.snapX)
			at.y, key.subY = quarter(y, s.snapY)
			at.glyph, err = k.glyphs.cut(&key)
		}
		if err != nil {
			return err
		}
		b.keep(k, at)
	}
	return b.fits(k.glyphs.grown())
}

// keep notes a placed glyph if it may touch the picture.
func (b *Builder) keep(k *scribe, at placed) {
	g := &k.glyphs.glyphs[at.glyph]
	at.box = [4]int32{at.x + g.box[0], at.y + g.box[1], at.x + g.box[2], at.y + g.box[3]}
	if g.count > 0 && at.box[0] < int32(b.d.Width) && at.box[2] > 0 && at.box[1] < int32(b.d.Height) && at.box[3] > 0 {
		k.placed = append(k.placed, at)
	}
}

// emitWriting appends one item per placed glyph: each is a mask of its own.
func (b *Builder) emitWriting(k *scribe, w writing, p *place) error {
	box, clip := window{}, p.clip
	if !w.free {
		box = newWindow(p.m, w.x, w.y, w.w, w.h)
		var err error
		if clip, err = b.boxClip(k, &box, p); err != nil {
			return err
		}
	}
	for i := range k.placed {
		at := &k.placed[i]
		it := b.item(p, at.color, shapes.Opaque)
		if clip != p.clip && !box.holds(at) {
			it.Clip = clip
		}
		k.glyphs.draw(b.d, at.glyph, at.x, at.y, &it)
		b.d.Items = append(b.d.Items, it)
		if err := b.bounded(); err != nil {
			return err
		}
	}
	return nil
}
