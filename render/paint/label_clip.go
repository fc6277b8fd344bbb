package paint

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
)

// textBox is the box of a text. Masks inside of it need no clip.
type textBox struct {
	back        geom.Matrix // px to the shape's own units
	geom.Extent             // the box in these units
	// wholePx is true for a clip of whole pixels: that of the picture, for a text without a box, or the
	// box px, to which the sides of the text's box were rounded.
	wholePx bool
	px      geom.Extent
}

// newTextBox returns the box of w x h units at (x, y) that a text is clipped to; matrix maps units to
// px. The browser rounds the box to whole units of the shape before any transform. If matrix keeps the
// box upright and brings all four sides near whole px, they are rounded to whole px too, and wholePx
// is set. Exact mode rounds to units alone. See docs/spec/drawing.md#r55.
func newTextBox(matrix vector.Matrix, x, y, w, h float64, mode Raster) textBox {
	round := func(v float64) float64 { return math.Floor(v + 0.5) }
	box := textBox{
		back:   geom.Widened(matrix).Inverse(),
		Extent: geom.Extent{Lo: geom.Pt(round(x), round(y)), Hi: geom.Pt(round(x+w), round(y+h))},
	}
	if !axisAligned(matrix) || mode == Exact {
		return box
	}
	box.px = geom.NewExtent()
	for _, corner := range [2]geom.Point{box.Lo, box.Hi} {
		inPx := matrix.Apply(vector.Point{X: float32(corner.X), Y: float32(corner.Y)})
		if !nearWhole(inPx.X) || !nearWhole(inPx.Y) {
			return box
		}
		box.px.Add(geom.Pt(round(float64(inPx.X)), round(float64(inPx.Y))))
	}
	box.wholePx = true
	box.Extent = geom.NewExtent()
	box.Add(box.back.Apply(box.px.Lo))
	box.Add(box.back.Apply(box.px.Hi))
	return box
}

// nearWhole reports whether v is so close to a whole number that the browser takes it for one.
func nearWhole(v float32) bool {
	const near = 0.125
	d := float64(v) - math.Floor(float64(v)+near)
	return d < near
}

// holds reports whether all pixels of a placed glyph mask lie inside the text's box, so that it needs no clip.
func (box *textBox) holds(mask *placedMask) bool {
	x0, y0 := float64(mask.box[0]), float64(mask.box[1])
	x1, y1 := float64(mask.box[2]), float64(mask.box[3])
	for _, p := range [4]geom.Point{geom.Pt(x0, y0), geom.Pt(x1, y0), geom.Pt(x1, y1), geom.Pt(x0, y1)} {
		const slack = 1e-6 // units, for the rounding of box.back
		p = box.back.Apply(p)
		if p.X < box.Lo.X-slack || p.Y < box.Lo.Y-slack || p.X > box.Hi.X+slack || p.Y > box.Hi.Y+slack {
			return false
		}
	}
	return true
}

// boxClip returns the position of the clip for a text. If one of the text's masks reaches beyond
// the box, it appends a clip to the drawing; else it returns the clip of the frame, because each
// clip costs time in every tile that it touches.
func (builder *Builder) boxClip(painter *textPainter, placement *shapePlacement) (int32, error) {
	box := &painter.box
	for i := range painter.placedMasks {
		if box.holds(&painter.placedMasks[i]) {
			continue
		}
		if box.wholePx {
			painter.corners = corners(box.px)
		} else {
			painter.corners = corners(box.Extent)
			for i, c := range painter.corners {
				q := placement.toPx.Apply(vector.Point{X: float32(c.X), Y: float32(c.Y)})
				painter.corners[i] = geom.Pt(float64(q.X), float64(q.Y))
			}
		}
		clip := painter.corners[:]
		if frame := builder.tree.Nodes[placement.shape].Frame; frame >= 0 {
			clip = builder.inFrame(painter, clip, frame)
		}
		return builder.clipItem(clip, vector.Identity, placement)
	}
	return placement.clip, nil
}

// corners returns the corners of a box, clockwise from its upper left.
func corners(e geom.Extent) [4]geom.Point {
	return [4]geom.Point{e.Lo, geom.Pt(e.Hi.X, e.Lo.Y), e.Hi, geom.Pt(e.Lo.X, e.Hi.Y)}
}

// inFrame returns the common part of a convex polygon in px and the visible part of a frame.
func (builder *Builder) inFrame(painter *textPainter, clip []geom.Point, frame int32) []geom.Point {
	painter.frame = builder.frameInPx(painter.frame[:0], frame)
	return builder.clip.Intersect(clip, painter.frame)
}

// frameInPx appends the visible part of a frame, which frames around it may cut, to dst: a polygon
// in px, counted from where builder.canvas counts them.
func (builder *Builder) frameInPx(dst []geom.Point, frame int32) []geom.Point {
	sp := builder.clip.Spans[frame]
	for _, q := range builder.clip.Points[sp.First : sp.First+sp.Count] {
		r := builder.view.Apply(vector.Point{X: float32(q.X), Y: float32(q.Y)})
		dst = append(dst, geom.Pt(float64(r.X)-float64(builder.originX), float64(r.Y)-float64(builder.originY)))
	}
	return dst
}
