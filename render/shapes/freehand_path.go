package shapes

import (
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/vector"
)

// centreLine appends the centre line of the smoothed stroke, open or closed. See
// docs/spec/drawing.md#r77.
func (line *freehand) centreLine(sh *scene.Shape, path *vector.Path) {
	if sh.Closed && len(line.Points) > 2 {
		line.closedCentre(path)
	} else {
		line.openCentre(path)
	}
}

// openCentre appends the centre line of the smoothed stroke, which has at least two points, as an open path
// from the first point to the last, through the middles between the others.
func (line *freehand) openCentre(path *vector.Path) {
	n := len(line.Points)
	quads := smoothQuads{path: path}
	quads.moveTo(line.Points[0].At)
	if n > 2 {
		quads.quadTo(line.Points[1].At, geom.Lerp(line.Points[1].At, line.Points[2].At, 0.5))
		for i := 2; i < n-1; i++ {
			quads.smoothTo(geom.Lerp(line.Points[i].At, line.Points[i+1].At, 0.5))
		}
	}
	path.LineTo(geom.AsExported(line.Points[n-1].At))
}

// closedCentre appends the centre line of the smoothed stroke, which has at least two points, as a closed
// path of quadratic curves. Each curve leads from the middle between two neighbouring points to the next
// such middle, and its control point is the point between them. The last point and the first are
// neighbours too. smooth mirrors the control point before at the middle, which gives just that point.
func (line *freehand) closedCentre(path *vector.Path) {
	n := len(line.Points)
	at := func(i int) geom.Point { return line.Points[i%n].At }
	quads := smoothQuads{path: path}
	quads.moveTo(geom.Lerp(at(0), at(1), 0.5))
	quads.quadTo(at(1), geom.Lerp(at(1), at(2), 0.5))
	for i := 2; i <= n; i++ {
		quads.smoothTo(geom.Lerp(at(i), at(i+1), 0.5))
	}
	path.Close()
}

// disc appends the disc for a freehand line of a single point to a path, as the editor's export writes
// it: two moves and two half circles. Their numbers are relative to the point before and written with all
// digits, so the coordinates are added up here in binary32, as the browser adds them.
func disc(at geom.Point, radius float64, clockwise bool, path *vector.Path) {
	r, d := geom.AsExportedUnrounded(radius), geom.AsExportedUnrounded(radius*2)
	p := vector.Point{X: geom.AsExportedUnrounded(at.X), Y: geom.AsExportedUnrounded(at.Y)}
	path.MoveTo(p)
	p.X -= r
	path.MoveTo(p)
	const turn, large = 0, true // of the arcs
	p.X += d
	path.ArcTo(r, r, turn, large, clockwise, p)
	p.X -= d
	path.ArcTo(r, r, turn, large, clockwise, p)
}

// smoothQuads appends smooth quadratics: each control point mirrors the one before, as command T of
// SVG path data does, in the browser's binary32.
type smoothQuads struct {
	path             *vector.Path
	current, control vector.Point
}

// moveTo begins a subpath at p.
func (c *smoothQuads) moveTo(p geom.Point) {
	c.current = geom.AsExported(p)
	c.control = c.current
	c.path.MoveTo(c.current)
}

// quadTo adds a quadratic with an explicit control point.
func (c *smoothQuads) quadTo(ctrl, p geom.Point) {
	c.control, c.current = geom.AsExported(ctrl), geom.AsExported(p)
	c.path.QuadTo(c.control, c.current)
}

// smoothTo adds a quadratic to p whose control point mirrors the last one.
func (c *smoothQuads) smoothTo(p geom.Point) {
	c.control = vector.Point{X: float32(2*c.current.X) - c.control.X, Y: float32(2*c.current.Y) - c.control.Y}
	c.current = geom.AsExported(p)
	c.path.QuadTo(c.control, c.current)
}

// halfCircleTo adds the half circle around an end of a freehand line's ink. The curve after it does not
// mirror a control point.
func (c *smoothQuads) halfCircleTo(radius float64, p geom.Point) {
	r := geom.AsExportedNumber(radius)
	c.current = geom.AsExported(p)
	c.path.ArcTo(r, r, 0, false, true, c.current)
	c.control = c.current
}
