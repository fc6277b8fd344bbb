package paint

import (
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/text"
)

// textItems appends the items of a text shape's writing, back to front: per
// line the halo copies, then the glyphs, clipped to the text box. p says where
// the shape's own units lie.
func (b *Builder) textItems(sh *scene.Shape, p *place) error {
	if sh.Rich == nil {
		return nil
	}
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.GiveBack()
	if err := k.Text(&k.Page, sh); err != nil {
		return shapes.Unwritten(sh, "text", err)
	}
	return b.write(k, writing{
		color: shapes.Palette[sh.Color].Solid, halo: true, w: k.Page.W, h: k.Page.H,
	}, p)
}

// labelItems appends the items of the label of a geo shape. It is called after
// the shape's own outline. h is the height of the shape with growth, in its
// unscaled units, as w is.
func (b *Builder) labelItems(sh *scene.Shape, w, h float64, p *place) error {
	if sh.Rich == nil {
		return nil
	}
	if sh.LabelColor >= scene.CustomColor || int(sh.LabelColor) >= len(shapes.Palette) {
		return shapes.Foreign(sh, "custom label colour")
	}
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.GiveBack()
	if err := k.GeoLabel(&k.Page, sh, w, h); err != nil {
		return shapes.Unwritten(sh, "label", err)
	}
	return b.write(k, writing{color: shapes.Palette[sh.LabelColor].Solid, halo: true, w: w, h: h}, p)
}

// scribe is what one goroutine needs to write: fonts, layout, and the glyphs it has
// cut before.
type scribe struct {
	*text.Writer
	glyphs  glyphCache
	placed  []placed
	corners [4]geom.Point
	frame   []geom.Point
	gaps    []gap        // of an underline
	by      [][2]float64 // displacements of copies, px
}

// takeScribe returns a scribe that no other goroutine uses.
func takeScribe() (*scribe, error) {
	w, err := text.Take()
	if err != nil {
		return nil, err
	}
	if w.Painter == nil {
		w.Painter = &scribe{Writer: w}
	}
	return w.Painter.(*scribe), nil
}
