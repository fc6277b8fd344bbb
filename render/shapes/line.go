package shapes

import (
	"math"
	"plumb/render/geom"
	"plumb/render/scene"
)

// OutlineLine appends a line shape with the points p to c: straight pieces, or a smooth curve if cubic. It is
// open, and jitter does not move its ends. Without points it appends nothing. See
// docs/spec/drawing.md#r71.
func OutlineLine(p []scene.Point, cubic bool, c *Outline) {
	if len(p) == 0 {
		return
	}
	c.Move(geom.Point(p[0])).Steady = true
	for i := 1; i < len(p); i++ {
		var m *outlineCommand
		if cubic {
			c1, c2 := splineControls(p, i-1)
			m = c.curve(c1, c2, geom.Point(p[i]))
		} else {
			m = c.Line(geom.Point(p[i]))
		}
		m.Steady = i == len(p)-1
	}
}

// splineControls returns the controls of the cubic from point i to point i+1 of a curved line
// shape. At an inner point the tangent is parallel to the line between its neighbours. At an end of
// the line the control is the end itself.
func splineControls(p []scene.Point, i int) (c1, c2 geom.Point) {
	const k = 1.25 / 6 // the editor's tension
	c1, c2 = geom.Point(p[i]), geom.Point(p[i+1])
	if i > 0 {
		c1 = geom.Add(c1, geom.Scale(geom.Sub(geom.Point(p[i+1]), geom.Point(p[i-1])), k))
	}
	if i+2 < len(p) {
		c2 = geom.Sub(c2, geom.Scale(geom.Sub(geom.Point(p[i+2]), geom.Point(p[i])), k))
	}
	return c1, c2
}

// nearPoints is the least distance of two neighbouring points of a curve, in the units of
// the shape. Below it the browser strokes and dashes curves differently.
const nearPoints = 0.5

// shortestDashed is the length of a dashed curve, in stroke widths, below which it is refused. See
// docs/spec/drawing.md#r86.
const shortestDashed = 4

// checkLine refuses a line without points, which the editor refuses too, and a curve
// whose points are too close to draw it as the editor does.
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

// checkDashed refuses a dashed curve, a line shape, that is shorter than shortestDashed stroke
// widths, measured from point to point, because its dashes cannot be drawn as the editor draws
// them.
func checkDashed(sh *scene.Shape) error {
	if !sh.Cubic || sh.Dash != scene.DashDashed || len(sh.Points) < 2 {
		return nil
	}
	length := 0.0
	for i := 1; i < len(sh.Points); i++ {
		a, b := sh.Points[i-1], sh.Points[i]
		length += math.Hypot(b.X-a.X, b.Y-a.Y)
	}
	if length < shortestDashed*StrokeWidth[sh.Size]*sh.Scale {
		return Foreign(sh, "a dashed curve shorter than 4 stroke widths")
	}
	return nil
}
