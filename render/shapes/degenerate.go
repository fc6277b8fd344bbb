package shapes

import (
	"math"

	"plumb/render/scene"
)

// nearPoints is the least distance of two neighbouring points of a curve, in the
// shape's units. Below it the browser strokes and dashes curves differently.
const NearPoints = 0.5

// degenerate returns an error that wraps ErrForeign for a shape without points, which
// the editor refuses, or with points too close to draw it as the editor does.
func Degenerate(sh *scene.Shape) error {
	switch sh.Kind {
	case scene.Draw, scene.Highlight:
		for i := range sh.Segments {
			if len(sh.Segments[i].Points) > 0 {
				return nil
			}
		}
		return Foreign(sh, "a stroke without points")
	case scene.Line:
		if len(sh.Points) == 0 {
			return Foreign(sh, "a line without points")
		}
		for i := 1; i < len(sh.Points) && sh.Cubic && sh.Dash != scene.DashSolid; i++ {
			a, b := sh.Points[i-1], sh.Points[i]
			if math.Hypot(b.X-a.X, b.Y-a.Y) < NearPoints*sh.Scale {
				return Foreign(sh, "a curve with two points in one place")
			}
		}
	}
	return nil
}
