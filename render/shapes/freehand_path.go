package shapes

import (
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/vector"
)

// centreLine appends the smoothed line itself, open or closed. See docs/spec/drawing.md#r77.
func (f *freehand) centreLine(sh *scene.Shape, to *vector.Path) {
	if sh.Closed && len(f.Points) > 2 {
		f.closedCentre(to)
	} else {
		f.openCentre(to)
	}
}

// openCentre appends the smooth open line, of at least two points.
func (f *freehand) openCentre(to *vector.Path) {
	n := len(f.Points)
	c := chain{to: to}
	c.move(f.Points[0].At)
	if n > 2 {
		c.quad(f.Points[1].At, geom.Lerp(f.Points[1].At, f.Points[2].At, 0.5))
		for i := 2; i < n-1; i++ {
			c.smooth(geom.Lerp(f.Points[i].At, f.Points[i+1].At, 0.5))
		}
	}
	to.LineTo(geom.Written(f.Points[n-1].At))
}

// closedCentre appends the smooth closed line through the midpoints.
func (f *freehand) closedCentre(to *vector.Path) {
	n := len(f.Points)
	at := func(i int) geom.Point { return f.Points[i%n].At }
	c := chain{to: to}
	c.move(geom.Lerp(at(0), at(1), 0.5))
	c.quad(at(1), geom.Lerp(at(1), at(2), 0.5))
	for i := 2; i <= n; i++ {
		c.smooth(geom.Lerp(at(i), at(i+1), 0.5))
	}
	to.Close()
}

// disc appends a circle as the export writes it: two half turns, with relative
// numbers that are not rounded.
func disc(at geom.Point, radius float64, clockwise bool, to *vector.Path) {
	r, d := geom.Read(radius), geom.Read(radius*2)
	p := vector.Point{X: geom.Read(at.X), Y: geom.Read(at.Y)}
	to.MoveTo(p)
	p.X -= r
	to.MoveTo(p)
	p.X += d
	to.ArcTo(r, r, 0, true, clockwise, p)
	p.X -= d
	to.ArcTo(r, r, 0, true, clockwise, p)
}

// chain writes smooth quadratics: each control mirrors the one before, as T
// does in path data, in the browser's binary32.
type chain struct {
	to        *vector.Path
	cur, ctrl vector.Point
}

func (c *chain) move(p geom.Point) {
	c.cur = geom.Written(p)
	c.ctrl = c.cur
	c.to.MoveTo(c.cur)
}

func (c *chain) quad(ctrl, p geom.Point) {
	c.ctrl, c.cur = geom.Written(ctrl), geom.Written(p)
	c.to.QuadTo(c.ctrl, c.cur)
}

func (c *chain) smooth(p geom.Point) {
	c.ctrl = vector.Point{X: float32(2*c.cur.X) - c.ctrl.X, Y: float32(2*c.cur.Y) - c.ctrl.Y}
	c.cur = geom.Written(p)
	c.to.QuadTo(c.ctrl, c.cur)
}

// arc turns around the end of a line. The next control starts afresh.
func (c *chain) arc(radius float64, p geom.Point) {
	r := geom.Read4(radius)
	c.cur = geom.Written(p)
	c.to.ArcTo(r, r, 0, false, true, c.cur)
	c.ctrl = c.cur
}
