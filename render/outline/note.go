package outline

import (
	"plumb/render/path"
	"plumb/render/scene"
)

// noteSide is the width of a note, and its height before it grows, unscaled px.
const noteSide = 200

// shadowOpacity is that of a note's shadow: black at 10 %.
var shadowOpacity = opacityOf(0.1)

// note makes the shadow and the body of a note. See docs/spec/drawing.md#r80.
func (l *local) note(sh *scene.Shape, growY float64) error {
	h := float32(noteSide + growY)
	p, q := l.newPath(), l.newPath()
	path.RoundRect(p, 5, 5, noteSide-10, h, 1)
	path.RoundRect(q, 0, 0, noteSide, h, 1)
	l.draws = append(l.draws,
		draw{path: p, color: ink, opacity: shadowOpacity},
		draw{path: q, color: palette[sh.Color].note, opacity: Opaque})
	return nil
}

// noteText appends the items of a note's text: its own colour, no halo.
func (b *Builder) noteText(sh *scene.Shape, growY float64, p *place) error {
	if sh.Rich == nil {
		return nil
	}
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.giveBack()
	fontPx := sh.FontPx
	if sh.Grow {
		if fontPx, growY, err = k.write.NoteFit(sh); err != nil {
			return unwritten(sh, "label", err)
		}
	}
	if err := k.write.Note(&k.page, sh, fontPx, growY); err != nil {
		return unwritten(sh, "label", err)
	}
	return b.write(k, writing{color: palette[sh.Color].noteText, w: noteSide, h: noteSide + growY}, p)
}
