package outline

import (
	"errors"
	"io/fs"
	"math"
	"strings"

	"plumb/render/geom"
	"plumb/render/path"
	"plumb/render/scene"
)

// The heading of a frame, in the units of the frame. See docs/spec/drawing.md#r82.
const (
	headingLeft   = -6
	headingTop    = -30
	headingHeight = 24
	headingRadius = 4
	headingPad    = 12 // what its box is wider than its text
	headingLeast  = 10 // the narrowest whose corners are known
	// headingBaseline is where the letters stand. The editor asks for y = -20 on
	// the mathematical baseline, which the browser takes to be half the font's
	// ascent above the other.
	headingBaseline = -20
)

// frameBorder is the width of the border of a frame and of its heading.
const frameBorder = 1

var (
	frameFill   = rgb{0xff, 0xff, 0xff}
	frameStroke = rgb{0x71, 0x71, 0x71}
)

// frame makes the body of a frame and, in units that the heading's own map takes
// to the frame's, the box of the heading, which is no wider than its side.
func (l *local) frame(sh *scene.Shape, textWidth, side float64) (body, heading []draw) {
	box := func(x, y, w, h, r float64, fill, stroke rgb) {
		p := l.newPath()
		if r == 0 {
			path.Rect(p, x, y, x+w, y+h)
		} else {
			path.RoundRect(p, float32(x), float32(y), float32(w), float32(h), float32(r))
		}
		l.draws = append(l.draws,
			draw{path: p, color: fill, opacity: Opaque, box: r == 0},
			draw{path: p, width: frameBorder, color: stroke, opacity: Opaque})
	}
	box(0, 0, sh.W, sh.H, 0, frameFill, frameStroke)
	box(headingLeft, headingTop, min(side, textWidth+headingPad), headingHeight, headingRadius, background, background)
	return l.draws[:2], l.draws[2:]
}

// headingPlace maps a heading to its frame: it stands on the side that is on top
// of the page, and is cut to that side's length.
func headingPlace(sh *scene.Shape, page geom.Matrix) (m path.Matrix, side float64) {
	w, h := float32(sh.W), float32(sh.H)
	turn := math.Atan2(page.B, page.A) + math.Pi/4
	switch math.Mod(math.Floor(turn*2/math.Pi)+4, 4) {
	case 1: // the frame is turned clockwise: its left side is on top
		return path.Matrix{B: -1, C: 1, F: h}, sh.H
	case 2:
		return path.Matrix{A: -1, D: -1, E: w, F: h}, sh.W
	case 3:
		return path.Matrix{B: 1, C: -1, E: w}, sh.H
	}
	return path.Identity, sh.W
}

// frameItems appends the items of a frame: its body, and its heading.
func (b *Builder) frameItems(sh *scene.Shape, p *place) error {
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.giveBack()
	onto, side := headingPlace(sh, p.page)
	if err := heading(k, sh, side); err != nil {
		return err
	}
	b.local.reset()
	body, heading := b.local.frame(sh, k.page.W, side)
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
	if len(k.page.Runs) > 0 {
		k.page.Place(0, headingBaseline+k.page.Runs[0].Face.Ascent(k.page.Runs[0].Size)/2)
	}
	return b.write(k, writing{color: ink, free: true}, &at)
}

// heading lays out the name of a frame on a side of that length, in px.
func heading(k *scribe, sh *scene.Shape, side float64) error {
	if side < headingLeast {
		return foreign(sh, "heading (it is narrower than its corners)")
	}
	name := sh.Name
	if strings.TrimSpace(name) == "" {
		name = "Frame"
	}
	err := k.write.Heading(&k.page, name, side-headingPad)
	if errors.Is(err, fs.ErrNotExist) {
		return foreign(sh, "heading (its font is missing)")
	}
	if err != nil {
		return unwritten(sh, "heading", err)
	}
	return nil
}
