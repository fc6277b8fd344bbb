package shapes

import (
	"math"
	"plumb/render/geom"
	"plumb/render/scene"
)

// OutlineLine appends the outline of a line shape: through its points in order, straight from one to the
// next, or as a smooth curve if cubic. The line is open, and hand-drawn jitter does not move its two ends.
// Without points it appends nothing. See docs/spec/drawing.md#r71.
func OutlineLine(points []scene.Point, cubic bool, outline *Outline) {
	if len(points) == 0 {
		return
	}
	outline.Move(geom.Point(points[0])).Unjittered = true
	for i := 1; i < len(points); i++ {
		var command *outlineCommand
		if cubic {
			c1, c2 := splineControls(points, i-1)
			command = outline.curve(c1, c2, geom.Point(points[i]))
		} else {
			command = outline.Line(geom.Point(points[i]))
		}
		command.Unjittered = i == len(points)-1
	}
}

// splineControls returns the controls of the cubic from point i to point i+1 of a curved line
// shape. At an inner point the tangent is parallel to the line between its neighbours. At an end of
// the line the control is the end itself.
func splineControls(points []scene.Point, i int) (c1, c2 geom.Point) {
	const tension = 1.25 / 6 // the editor's: length of a tangent, in distances of the neighbours
	c1, c2 = geom.Point(points[i]), geom.Point(points[i+1])
	if i > 0 {
		c1 = geom.Add(c1, geom.Scale(geom.Sub(geom.Point(points[i+1]), geom.Point(points[i-1])), tension))
	}
	if i+2 < len(points) {
		c2 = geom.Sub(c2, geom.Scale(geom.Sub(geom.Point(points[i+2]), geom.Point(points[i])), tension))
	}
	return c1, c2
}

// nearPoints is the least distance of two neighbouring points of a curve, in the units of
// the shape. Below it the browser strokes and dashes curves differently.
const nearPoints = 0.5

// checkLine refuses a line without points, which the editor refuses too, and a curve
// whose points are too close to draw it as the editor does.
func checkLine(shape *scene.Shape) error {
	if len(shape.Points) == 0 {
		return Foreign(shape, "a line without points")
	}
	for i := 1; i < len(shape.Points) && shape.Cubic && shape.Dash != scene.DashSolid; i++ {
		a, b := shape.Points[i-1], shape.Points[i]
		if math.Hypot(b.X-a.X, b.Y-a.Y) < nearPoints*shape.Scale {
			return Foreign(shape, "a curve with two points in one place")
		}
	}
	return nil
}
