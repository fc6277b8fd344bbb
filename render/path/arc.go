package path

// ArcTo adds the arc of an ellipse from the last point to b as cubics, as an A
// command of path data does: radii rx and ry, the x axis turned by deg degrees,
// large for the longer way round, sweep for clockwise on the screen. The path
// must not be empty.
func (p *Path) ArcTo(rx, ry, deg float32, large, sweep bool, b Point) {
	p.arcTo(p.Points[len(p.Points)-1], rx, ry, deg, large, sweep, b)
}
