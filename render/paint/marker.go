package paint

import (
	"plumb/render/shapes"
	"plumb/render/text"
	"plumb/render/vector"
)

// placeMarker places the marker of a list item, without halo and contrast.
func (b *Builder) placeMarker(k *textPainter, d *text.Dot, color shapes.RGB, p *placement) {
	to := &k.glyphs.path
	to.Reset()
	switch d.Kind {
	case text.Square:
		vector.Rect(to, d.X, d.Y, d.X+d.W, d.Y+d.H)
	case text.Circle:
		oval(to, d.X, d.Y, d.W, d.H)
		if width := hairline(1, p.m); width > 0 && b.mode == Reference {
			r, it := p.rule(), b.item(p, color, shapes.Opaque)
			b.hair.Strength = 255 * width >> 8
			b.hair.Plain = b.hair.Strength < 255 || r.Clip || b.plain(&it, r)
			to.Transform(p.m)
			b.addPlaced(k, placed{color: color, glyph: k.glyphs.rasterHair(&b.hair, b.canvas())})
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
func oval(to *vector.Path, x, y, w, h float64) {
	const weight = 0.70710678 // cos 45 degrees
	at := func(i, j float64) vector.Point {
		return vector.Point{X: float32(x + w*i), Y: float32(y + h*j)}
	}
	to.MoveTo(at(1, 0.5))
	to.ConicTo(at(1, 1), at(0.5, 1), weight)
	to.ConicTo(at(0, 1), at(0, 0.5), weight)
	to.ConicTo(at(0, 0), at(0.5, 0), weight)
	to.ConicTo(at(1, 0), at(1, 0.5), weight)
	to.Close()
}

// placeDrawn places the path in k.glyphs.path, which is in the shape's units, without contrast.
func (b *Builder) placeDrawn(k *textPainter, color shapes.RGB, p *placement) {
	b.addPlaced(k, placed{color: color, glyph: k.glyphs.rasterPath(p.m, b.canvas(), b.mode, p.rule())})
}
