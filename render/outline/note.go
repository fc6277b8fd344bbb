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
	roundRect(5, 5, noteSide-10, h, 1, p)
	roundRect(0, 0, noteSide, h, 1, q)
	l.draws = append(l.draws,
		draw{path: p, color: ink, opacity: shadowOpacity},
		draw{path: q, color: palette[sh.Color].note, opacity: Opaque})
	return nil
}

// rectangle appends a rectangle, nothing when it is empty.
func rectangle(to *path.Path, x0, y0, x1, y1 float64) {
	if x0 >= x1 || y0 >= y1 {
		return
	}
	at := func(x, y float64) path.Point { return path.Point{X: float32(x), Y: float32(y)} }
	to.MoveTo(at(x0, y0))
	to.LineTo(at(x1, y0))
	to.LineTo(at(x1, y1))
	to.LineTo(at(x0, y1))
	to.Close()
}

// roundRect appends a rectangle with round corners as the browser does, as lines and conics.
// See docs/spec/raster.md#r2.
func roundRect(x, y, w, h, r float32, to *path.Path) {
	const weight = 0.70710678 // cos 45 degrees
	at := func(dx, dy float32) path.Point { return path.Point{X: x + dx, Y: y + dy} }
	to.MoveTo(at(r, 0))
	to.LineTo(at(w-r, 0))
	to.ConicTo(at(w, 0), at(w, r), weight)
	to.LineTo(at(w, h-r))
	to.ConicTo(at(w, h), at(w-r, h), weight)
	to.LineTo(at(r, h))
	to.ConicTo(at(0, h), at(0, h-r), weight)
	to.LineTo(at(0, r))
	to.ConicTo(at(0, 0), at(r, 0), weight)
	to.Close()
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
