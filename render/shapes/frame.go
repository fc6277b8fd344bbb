package shapes

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/vector"
)

// The heading of a frame, in the units of the frame. See docs/spec/drawing.md#r82.
const (
	headingLeft   = -6
	headingTop    = -30
	headingHeight = 24
	headingRadius = 4
	HeadingPad    = 12 // the box is that much wider than its text
	HeadingLeast  = 10 // the narrowest box that is drawn natively
	// HeadingBaseline is the y of the text's mathematical baseline, on which the editor places it. The
	// browser has that line half the font's ascent above the baseline on which letters stand.
	HeadingBaseline = -20
)

// frameBorder is the width of the border of a frame and of its heading.
const frameBorder = 1

var (
	frameFill   = RGB{0xff, 0xff, 0xff}
	frameStroke = RGB{0x71, 0x71, 0x71}
)

// Frame makes the fills and strokes of a frame's body and of the box around its heading. textWidth
// is the width of the heading's text; the box is at most as wide as side, the side of the frame along
// which it lies. HeadingPlace returns that side, and the map from the box's units to the frame's.
func (maker *Maker) Frame(shape *scene.Shape, textWidth, side float64) (body, heading []Draw) {
	// box appends the fill and the border of a rectangle with corners of radius r.
	box := func(x, y, w, h, r float64, fill, stroke RGB) {
		path := maker.NewPath()
		if r == 0 {
			vector.Rect(path, x, y, x+w, y+h)
		} else {
			vector.RoundRect(path, float32(x), float32(y), float32(w), float32(h), float32(r))
		}
		maker.Draws = append(maker.Draws,
			Draw{Path: path, Color: fill, Opacity: Opaque, Box: r == 0},
			Draw{Path: path, Width: frameBorder, Color: stroke, Opacity: Opaque})
	}
	box(0, 0, shape.W, shape.H, 0, frameFill, frameStroke)
	box(headingLeft, headingTop, min(side, textWidth+HeadingPad), headingHeight, headingRadius, Background, Background)
	return maker.Draws[:2], maker.Draws[2:] // box adds two draws
}

// HeadingPlace returns the map from the units of a frame's heading to those of the frame, and the
// length of the side along which the heading lies. The editor puts it along the side that is uppermost on
// the page, however the frame is turned. page maps the frame to the page.
func HeadingPlace(shape *scene.Shape, page geom.Matrix) (m vector.Matrix, side float64) {
	w, h := float32(shape.W), float32(shape.H)
	angle := math.Atan2(page.B, page.A) + math.Pi/4
	switch math.Mod(math.Floor(angle*2/math.Pi)+4, 4) { // quarter turns of the frame, to the nearest
	case 1: // clockwise: its left side is on top
		return vector.Matrix{B: -1, C: 1, F: h}, shape.H
	case 2: // upside down
		return vector.Matrix{A: -1, D: -1, E: w, F: h}, shape.W
	case 3: // its right side is on top
		return vector.Matrix{B: 1, C: -1, E: w}, shape.H
	}
	return vector.Identity, shape.W
}
