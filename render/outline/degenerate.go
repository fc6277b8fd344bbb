package outline

import (
	"math"

	"plumb/render/scene"
)

// nearPoints is how close two neighbouring points of a curve may be, in the shape's
// units. The editor's browser strokes and dashes shorter pieces in a way of its own.
const nearPoints = 0.5

// degenerate returns an error that wraps ErrForeign for a shape whose data say too
// little to draw it as the editor does. The editor refuses shapes without points.
func degenerate(sh *scene.Shape) error {
	switch sh.Kind {
	case scene.Draw, scene.Highlight:
		for i := range sh.Segments {
			if len(sh.Segments[i].Points) > 0 {
				return nil
			}
		}
		return foreign(sh, "a stroke without points")
	case scene.Line:
		if len(sh.Points) == 0 {
			return foreign(sh, "a line without points")
		}
		for i := 1; i < len(sh.Points) && sh.Cubic && sh.Dash != scene.DashSolid; i++ {
			a, b := sh.Points[i-1], sh.Points[i]
			if math.Hypot(b.X-a.X, b.Y-a.Y) < nearPoints*sh.Scale {
				return foreign(sh, "a curve with two points in one place")
			}
		}
	}
	return nil
}
