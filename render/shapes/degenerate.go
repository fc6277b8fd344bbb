package shapes

import (
	"math"

	"plumb/render/scene"
)

// nearPoints is the least distance of two neighbouring points of a curve, in the units of
// the shape. Below it the browser strokes and dashes curves differently.
const nearPoints = 0.5

// checkStroke refuses a freehand line without points, which the editor refuses too.
func checkStroke(sh *scene.Shape) error {
	for i := range sh.Segments {
		if len(sh.Segments[i].Points) > 0 {
			return nil
		}
	}
	return Foreign(sh, "a stroke without points")
}

// checkLine refuses a line without points, which the editor refuses too, and a curve whose
// points are too close to draw it as the editor does.
func checkLine(sh *scene.Shape) error {
	if len(sh.Points) == 0 {
		return Foreign(sh, "a line without points")
	}
	for i := 1; i < len(sh.Points) && sh.Cubic && sh.Dash != scene.DashSolid; i++ {
		a, b := sh.Points[i-1], sh.Points[i]
		if math.Hypot(b.X-a.X, b.Y-a.Y) < nearPoints*sh.Scale {
			return Foreign(sh, "a curve with two points in one place")
		}
	}
	return nil
}
