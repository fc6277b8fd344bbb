package paint

import (
	"plumb/render/scene"
	"plumb/render/shapes"
)

// noteText appends the items of a note's text: its own colour, no halo.
func (b *Builder) noteText(sh *scene.Shape, growY float64, p *place) error {
	if sh.Rich == nil {
		return nil
	}
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.GiveBack()
	fontPx := sh.FontPx
	if sh.Grow {
		if fontPx, growY, err = k.NoteFit(sh); err != nil {
			return shapes.Unwritten(sh, "label", err)
		}
	}
	if err := k.Note(&k.Page, sh, fontPx, growY); err != nil {
		return shapes.Unwritten(sh, "label", err)
	}
	return b.write(k, writing{color: shapes.Palette[sh.Color].NoteText, w: shapes.NoteSide, h: shapes.NoteSide + growY}, p)
}
