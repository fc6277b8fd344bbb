package paint

import (
	"errors"
	"io/fs"
	"plumb/render/scene"
	"plumb/render/shapes"
	"strings"
)

// frameItems appends the items of a frame: its body, and its heading.
func (b *Builder) frameItems(sh *scene.Shape, p *placement) error {
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

// heading lays out the name of a frame along a side of that length, in px.
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
