package replay

import (
	"math"

	"plumb/scoring/drawingbench/layout"
)

// button is a button of the drawing app: a half-open box on whole screen px. Of tool, colour
// and size only the one that the button selects is set. See docs/spec/drawingbench.md#r9.
type button struct {
	x0, y0, x1, y1 float64
	tool, colour   string
	size           int // px
}

// squareButton returns a button that selects nothing yet, from its centre and its side.
func squareButton(x, y, side float64) button {
	return button{x0: x - side/2, y0: y - side/2, x1: x + side/2, y1: y + side/2}
}

// buttons are in the order tools, colours, stroke widths: of two that a point hits, the
// later one counts.
var buttons = func() []button {
	var all []button
	for _, t := range layout.Tools {
		b := squareButton(t.X, t.Y, 70)
		b.tool = t.Name
		all = append(all, b)
	}
	for _, c := range layout.Palette {
		b := squareButton(c.X, layout.PaletteY, 24)
		b.colour = c.Hex
		all = append(all, b)
	}
	for _, s := range layout.Strokes {
		b := squareButton(s.X, s.Y, 70)
		b.size = s.Width
		all = append(all, b)
	}
	return all
}()

// hitsRange reports whether the coordinate, rounded down or up, lies in lo..hi, hi excluded.
// The app tests coordinates between whole pixels in this way. It is false for NaN.
func hitsRange(coordinate, lo, hi float64) bool {
	floor, ceil := math.Floor(coordinate), math.Ceil(coordinate)
	return floor >= lo && floor < hi || ceil >= lo && ceil < hi
}

// buttonAt returns the button of the drawing app under a point of the screen, or nil. Where two
// overlap it is the later one in buttons, which lies on top.
func buttonAt(x, y float64) *button {
	for i := len(buttons) - 1; i >= 0; i-- {
		b := &buttons[i]
		if hitsRange(x, b.x0, b.x1) && hitsRange(y, b.y0, b.y1) {
			return b
		}
	}
	return nil
}

// onCanvas reports whether a point of the screen hits the canvas.
func onCanvas(x, y float64) bool {
	return hitsRange(x, layout.Left, layout.Left+layout.Width) && hitsRange(y, layout.Top, layout.Top+layout.Height)
}
