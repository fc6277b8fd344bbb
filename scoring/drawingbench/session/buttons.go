package session

import "math"

// button is the half-open box of a button, on whole screen px. See
// docs/spec/drawingbench.md#r9.
type button struct {
	x0, y0, x1, y1 float64
	tool, colour   string // "" for those of the others
	size           int    // px
}

func square(x, y, side float64) button {
	return button{x0: x - side/2, y0: y - side/2, x1: x + side/2, y1: y + side/2}
}

// buttons stand in the order tools, colours, widths: of two that a point hits, the
// later one counts.
var buttons = func() []button {
	var all []button
	for i, t := range []string{"pen", "eraser", "fill", "line", "rectangle", "circle"} {
		b := square(35, float64(45+80*i), 70)
		b.tool = t
		all = append(all, b)
	}
	for i, c := range []string{"#000000", "#FF0000", "#00FF00", "#0000FF", "#FFFF00", "#FF00FF", "#00FFFF", "#FFFFFF"} {
		b := square(float64(405+24*i), 25, 24)
		b.colour = c
		all = append(all, b)
	}
	for i, n := range []int{2, 5, 10} {
		b := square(35, float64(525+80*i), 70)
		b.size = n
		all = append(all, b)
	}
	return all
}()

// within reports whether the pixel at floor or the one at ceil lies in lo..hi.
func within(v, lo, hi float64) bool {
	f, c := math.Floor(v), math.Ceil(v)
	return f >= lo && f < hi || c >= lo && c < hi
}

// buttonAt returns the button under a point, the later one of two, nil for none.
func buttonAt(x, y float64) *button {
	for i := len(buttons) - 1; i >= 0; i-- {
		if b := &buttons[i]; within(x, b.x0, b.x1) && within(y, b.y0, b.y1) {
			return b
		}
	}
	return nil
}

func onCanvas(x, y float64) bool {
	return within(x, left, left+width) && within(y, top, top+height)
}
