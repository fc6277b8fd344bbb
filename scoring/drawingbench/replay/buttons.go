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

// square returns a button's box from its centre and its side.
func square(x, y, side float64) button {
	return button{x0: x - side/2, y0: y - side/2, x1: x + side/2, y1: y + side/2}
}

// buttons are in the order tools, colours, stroke widths: of two that a point hits, the
// later one counts.
var buttons = func() []button {
	var all []button
	for _, t := range layout.Tools {
		b := square(t.X, t.Y, 70)
		b.tool = t.Name
		all = append(all, b)
	}
	for _, c := range layout.Palette {
		b := square(c.X, layout.PaletteY, 24)
		b.colour = c.Hex
		all = append(all, b)
	}
	for _, s := range layout.Strokes {
		b := square(s.X, s.Y, 70)
		b.size = s.Width
		all = append(all, b)
	}
	return all
}()

// within reports whether floor(v) or ceil(v) lies in lo..hi, hi excluded: the app's hit-test
// of a coordinate that is no whole pixel. It is false for NaN.
func within(v, lo, hi float64) bool {
	f, c := math.Floor(v), math.Ceil(v)
	return f >= lo && f < hi || c >= lo && c < hi
}

// buttonAt returns the button under a point of the screen, nil if there is none.
func buttonAt(x, y float64) *button {
	for i := len(buttons) - 1; i >= 0; i-- {
		b := &buttons[i]
		if within(x, b.x0, b.x1) && within(y, b.y0, b.y1) {
			return b
		}
	}
	return nil
}

// onCanvas reports whether a point of the screen hits the canvas.
func onCanvas(x, y float64) bool {
	return within(x, layout.Left, layout.Left+layout.Width) && within(y, layout.Top, layout.Top+layout.Height)
}
