package paint

import (
	"errors"
	"io/fs"
	"plumb/render/arrows"
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/text"
	"plumb/render/vector"
	"strings"
)

// paintShapeText appends the items of a shape's text to the drawing, if the shape has any. layout
// lays the text out on the page of a text painter. p places the shape's own units on the canvas;
// name is what errors call the text.
func (b *Builder) paintShapeText(sh *scene.Shape, name string, p *shapePlacement,
	layout func(*textPainter) (textBlock, error)) error {
	if sh.Rich == nil {
		return nil
	}
	k, err := takeTextPainter()
	if err != nil {
		return err
	}
	defer k.GiveBack()
	block, err := layout(k)
	if err != nil {
		return shapes.TextError(sh, name, err)
	}
	if len(k.Page.Dots) > 0 && len(k.Page.Glyphs) == 0 && b.mode != Exact { // see docs/spec/drawing.md#r87
		return shapes.Foreign(sh, "a list of bullets without a letter")
	}
	return b.paintText(k, block, p)
}

// bodyText appends the items of a text shape, clipped to the box of the text.
func (b *Builder) bodyText(sh *scene.Shape, p *shapePlacement) error {
	return b.paintShapeText(sh, "text", p, func(k *textPainter) (textBlock, error) {
		err := k.Text(&k.Page, sh)
		return textBlock{color: shapes.Palette[sh.Color].Solid, halo: true, w: k.Page.W, h: k.Page.H}, err
	})
}

// geoLabel appends the items of the label of a geo shape, over the shape's own outline. w and h
// are the size of the shape, growth included, in its unscaled units.
func (b *Builder) geoLabel(sh *scene.Shape, w, h float64, p *shapePlacement) error {
	if sh.Rich != nil && (sh.LabelColor >= scene.CustomColor || int(sh.LabelColor) >= len(shapes.Palette)) {
		return shapes.Foreign(sh, "custom label colour")
	}
	return b.paintShapeText(sh, "label", p, func(k *textPainter) (textBlock, error) {
		err := k.GeoLabel(&k.Page, sh, w, h)
		return textBlock{color: shapes.Palette[sh.LabelColor].Solid, halo: true, w: w, h: h}, err
	})
}

// noteText appends the items of a note's text, in its own colour and without a halo. Where the editor has
// not stored the size of the font and the growth of the note, they are computed.
func (b *Builder) noteText(sh *scene.Shape, growY float64, p *shapePlacement) error {
	return b.paintShapeText(sh, "label", p, func(k *textPainter) (block textBlock, err error) {
		fontPx := sh.FontPx
		if sh.Grow {
			if fontPx, growY, err = k.NoteFit(sh); err != nil {
				return block, err
			}
		}
		err = k.Note(&k.Page, sh, fontPx, growY)
		return textBlock{color: shapes.Ink, w: shapes.NoteSide, h: shapes.NoteSide + growY}, err
	})
}

// arrowText appends the items of an arrow's label, clipped to its box without the padding. m
// maps the arrow's own units to px.
func (b *Builder) arrowText(sh *scene.Shape, l *arrows.Label, m vector.Matrix, p *shapePlacement) error {
	at := *p
	at.m = m
	return b.paintShapeText(sh, "label", &at, func(k *textPainter) (textBlock, error) {
		x, y := l.Box.Lo.X+l.Pad, l.Box.Lo.Y+l.Pad
		err := k.Arrow(&k.Page, sh, x, y, l.W)
		color := shapes.Palette[sh.LabelColor].Solid
		return textBlock{color: color, halo: true, x: x, y: y, w: l.W, h: l.H}, err
	})
}

// textPainter is what one goroutine needs to draw text: fonts, layout and cached glyph masks.
type textPainter struct {
	*text.Writer
	glyphs  glyphCache
	placed  []placedMask
	box     textBox // of the text that is painted
	corners [4]geom.Point
	frame   []geom.Point
	gaps    []gap        // of an underline
	copies  [][2]float64 // displacements of copies, px
}

// takeTextPainter returns a text painter that no other goroutine uses until its GiveBack.
func takeTextPainter() (*textPainter, error) {
	w, err := text.Take()
	if err != nil {
		return nil, err
	}
	if w.Painter == nil {
		w.Painter = &textPainter{Writer: w}
	}
	return w.Painter.(*textPainter), nil
}

// frameItems appends the items of a frame: its body, then its heading, the frame's name in a box above
// the side of the frame that is uppermost on the page. A translucent frame is drawn in a layer.
func (b *Builder) frameItems(sh *scene.Shape, p *shapePlacement) error {
	k, err := takeTextPainter()
	if err != nil {
		return err
	}
	defer k.GiveBack()
	onto, side := shapes.HeadingPlace(sh, p.page)
	if err := heading(k, sh, side); err != nil {
		return err
	}
	b.local.Reset()
	body, heading := b.local.Frame(sh, k.Page.W, side)
	at := *p
	at.m = p.m.Mul(onto)
	if p.translucent() {
		b.beginLayer(body, p.m)
		b.beginLayer(heading, at.m)
		defer b.endLayer()
	}
	if err := b.paint(body, p.m, &at); err != nil {
		return err
	}
	if err := b.paint(heading, at.m, &at); err != nil {
		return err
	}
	if len(k.Page.Runs) > 0 {
		k.Page.Place(0, shapes.HeadingBaseline+k.Page.Runs[0].Face.Ascent(k.Page.Runs[0].Size)/2)
	}
	return b.paintText(k, textBlock{color: shapes.Ink, unclipped: true}, &at)
}

// heading lays out the name of a frame, "Frame" without one, on k.Page; it stands above a side of that
// length in px. It refuses a side that is too short, a missing font and text that is not drawn natively.
func heading(k *textPainter, sh *scene.Shape, side float64) error {
	if side < shapes.HeadingLeast {
		return shapes.Foreign(sh, "heading (it is narrower than its corners)")
	}
	name := sh.Name
	if strings.TrimSpace(name) == "" {
		name = "Frame"
	}
	err := k.Heading(&k.Page, name, side-shapes.HeadingPad)
	if errors.Is(err, fs.ErrNotExist) {
		return shapes.Foreign(sh, "heading (its font is missing)")
	}
	if err != nil {
		return shapes.TextError(sh, "heading", err)
	}
	return nil
}
