package paint

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
)

// textBox is the box of a text. Masks inside of it need no clip.
type textBox struct {
	back geom.Matrix // px to the shape's own units
	geom.Extent
}

// newTextBox returns the box of w x h units at (x, y) that m maps to px. The browser rounds its
// sides to whole units of the shape before any transform. See docs/spec/drawing.md#r55.
func newTextBox(m vector.Matrix, x, y, w, h float64) textBox {
	side := func(v float64) float64 { return math.Floor(v + 0.5) }
	return textBox{geom.Widened(m).Inverse(), geom.Extent{Lo: geom.Pt(side(x), side(y)), Hi: geom.Pt(side(x+w), side(y+h))}}
}

// holds reports whether all pixels of a placed glyph mask lie inside the text's box, so that it
// needs no clip.
func (w *textBox) holds(at *placedMask) bool {
	x0, y0 := float64(at.box[0]), float64(at.box[1])
	x1, y1 := float64(at.box[2]), float64(at.box[3])
	for _, p := range [4]geom.Point{geom.Pt(x0, y0), geom.Pt(x1, y0), geom.Pt(x1, y1), geom.Pt(x0, y1)} {
		const slack = 1e-6
		p = w.back.Apply(p)
		if p.X < w.Lo.X-slack || p.Y < w.Lo.Y-slack || p.X > w.Hi.X+slack || p.Y > w.Hi.Y+slack {
			return false
		}
	}
	return true
}

// boxClip appends the clip of a text if one of its masks leaves the box, and returns the clip's
// position. Masks inside the box are not clipped, because a clip costs every tile it touches.
func (b *Builder) boxClip(k *textPainter, box *textBox, p *shapePlacement) (int32, error) {
	for i := range k.placed {
		if box.holds(&k.placed[i]) {
			continue
		}
		k.corners = [4]geom.Point{box.Lo, geom.Pt(box.Hi.X, box.Lo.Y), box.Hi, geom.Pt(box.Lo.X, box.Hi.Y)}
		for i, c := range k.corners {
			q := p.m.Apply(vector.Point{X: float32(c.X), Y: float32(c.Y)})
			k.corners[i] = geom.Pt(float64(q.X), float64(q.Y))
		}
		clip := k.corners[:]
		if frame := b.tree.Nodes[p.shape].Frame; frame >= 0 {
			clip = b.inFrame(k, clip, frame)
		}
		return b.clipItem(clip, vector.Identity, p)
	}
	return p.clip, nil
}

// inFrame intersects a polygon in px with the visible part of a frame.
func (b *Builder) inFrame(k *textPainter, clip []geom.Point, frame int32) []geom.Point {
	k.frame = b.frameInPx(k.frame[:0], frame)
	return b.clip.Intersect(clip, k.frame)
}

// frameInPx appends the visible part of a frame: a polygon in px, cut by the frames around it.
func (b *Builder) frameInPx(dst []geom.Point, frame int32) []geom.Point {
	sp := b.clip.Spans[frame]
	for _, q := range b.clip.Points[sp.First : sp.First+sp.Count] {
		r := b.view.Apply(vector.Point{X: float32(q.X), Y: float32(q.Y)})
		dst = append(dst, geom.Pt(float64(r.X), float64(r.Y)))
	}
	return dst
}
