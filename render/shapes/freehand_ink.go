package shapes

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
)

// inkOutline appends the outline of the smoothed line, drawn by a pen of changing width, to a path that is
// filled by the non-zero rule: one closed subpath per part between elbows, or a disc for a single point.
// The point at an elbow belongs to both parts. See docs/spec/drawing.md#r76.
func (f *freehand) inkOutline(p freehandPen, to *vector.Path) {
	if len(f.Points) == 1 {
		disc(f.Points[0].At, f.Points[0].Radius, true, to)
		return
	}
	f.part = append(f.part[:0], f.Points[0])
	for i := 1; i < len(f.Points)-1; i++ {
		m := f.Points[i]
		switch f.elbow(i) {
		case sharpElbow:
			m.At = m.raw
			f.part = append(f.part, m)
			f.inkPartOutline(p, to)
			f.part = append(f.part[:0], m)
		case tightElbow:
			f.part = append(f.part, m)
			f.inkPartOutline(p, to)
			f.part = append(f.part[:0], m)
		default:
			f.part = append(f.part, m)
		}
	}
	f.part = append(f.part, f.Points[len(f.Points)-1])
	f.inkPartOutline(p, to)
}

// elbow is the kind of a sharp turn of a freehand line.
type elbow uint8

const (
	noElbow    elbow = iota
	sharpElbow       // the line turns back; its parts meet at the input point
	tightElbow       // the line turns within its own width
)

// elbow returns how sharply a freehand line turns at point i, which is not its first or last: by
// the angle between the pieces to and from the point, and by their length in proportion to the
// line's width.
func (f *freehand) elbow(i int) elbow {
	a, b, c := &f.Points[i-1], &f.Points[i], &f.Points[i+1]
	in, out := geom.Sub(b.At, a.At), geom.Sub(c.At, b.At)
	d := geom.Dot(geom.Unit(in), geom.Unit(out)) // cosine of the turn
	r := (a.Radius + b.Radius + c.Radius) / 3
	switch {
	case d < -0.8:
		return sharpElbow
	case d <= 0.7 && (geom.Norm2(in)+geom.Norm2(out))/float64(r*r) < 1.5:
		return tightElbow
	}
	return noElbow
}

// dropCrowded removes the points of f.part, a part of a freehand line, that are too close to one of
// its ends: closer than a quarter of both radii together. It updates the directions at both ends,
// which stay.
func (f *freehand) dropCrowded() {
	p := f.part
	tooClose := func(a, b *strokePoint) bool {
		d := (a.Radius + b.Radius) / 4
		return geom.Norm2(geom.Sub(a.At, b.At)) < float64(d*d)
	}
	drop := 0
	for len(p)-drop > 2 && tooClose(&p[0], &p[1+drop]) {
		drop++
	}
	p = append(p[:1], p[1+drop:]...)
	n := len(p)
	end := p[n-1]
	for n > 2 && tooClose(&end, &p[n-2]) {
		n--
	}
	p[n-1] = end
	p = p[:n]
	if n > 1 {
		p[0].vector = geom.Unit(geom.Sub(p[0].At, p[1].At))
		p[n-1].vector = geom.Unit(geom.Sub(p[n-2].At, p[n-1].At))
	}
	f.part = p
}

// inkPartOutline appends the outline of f.part, the part of a freehand line between two elbows, as one
// closed subpath: along its left side, a half circle around its end, back along its right side, and a half
// circle around its start. Sides are smooth curves through the middles between their points.
func (f *freehand) inkPartOutline(p freehandPen, to *vector.Path) {
	f.dropCrowded()
	if len(f.part) == 1 {
		disc(f.part[0].At, f.part[0].Radius, true, to)
		return
	}
	f.offsetSides(p)
	start, end := &f.part[0], &f.part[len(f.part)-1]
	c := smoothQuads{to: to}
	c.move(f.left[0])
	for i := 1; i < len(f.left); i++ {
		c.smooth(geom.Lerp(f.left[i-1], f.left[i], 0.5))
	}
	side := geom.Scale(geom.Perp(end.vector), end.Radius)
	c.smooth(geom.Sub(end.At, side))
	c.arc(end.Radius, geom.Add(end.At, side))
	for i := len(f.right) - 1; i > 0; i-- {
		c.smooth(geom.Lerp(f.right[i], f.right[i-1], 0.5))
	}
	side = geom.Scale(geom.Perp(start.vector), start.Radius)
	c.smooth(geom.Add(start.At, side))
	c.arc(start.Radius, geom.Sub(start.At, side))
	to.Close()
}

// offsetSides fills f.left and f.right with the two sides of the ink of f.part, a radius away from
// its points on each side. Points of a side that are closer together than the pen's smoothing are
// left out. At sharp turns corner adds points. The point after a corner is not examined for a turn.
func (f *freehand) offsetSides(p freehandPen) {
	f.left, f.right = f.left[:0], f.right[:0]
	n := len(f.part)
	total := f.part[n-1].Run
	apart := p.size * p.smoothing
	apart *= apart               // squared
	accepted := f.part[0].vector // of the last point that was no corner
	cornered := false            // the last point was a corner
	var lastLeft, lastRight geom.Point
	for i := range f.part {
		m := &f.part[i]
		next, nextDot := m.vector, 1.0 // of the next point, and the cosine of the turn towards it
		if i < n-1 {
			next = f.part[i+1].vector
			nextDot = geom.Dot(m.vector, next)
		}
		sharpNext := nextDot < 0.2
		if sharpNext || !cornered && geom.Dot(m.vector, accepted) < 0 {
			soft := nextDot > -0.62 && total-m.Run > m.Radius
			lastLeft, lastRight = f.corner(m, accepted, next, soft)
			cornered = cornered || sharpNext
			continue
		}
		cornered = false
		if i == 0 || i == n-1 {
			side := geom.Scale(geom.Perp(m.vector), m.Radius)
			f.left = append(f.left, geom.Sub(m.At, side))
			f.right = append(f.right, geom.Add(m.At, side))
			continue
		}
		side := geom.Scale(geom.Perp(geom.Lerp(next, m.vector, nextDot)), m.Radius)
		if l := geom.Sub(m.At, side); i <= 1 || geom.Norm2(geom.Sub(l, lastLeft)) > apart {
			f.left = append(f.left, l)
			lastLeft = l
		}
		if r := geom.Add(m.At, side); i <= 1 || geom.Norm2(geom.Sub(r, lastRight)) > apart {
			f.right = append(f.right, r)
			lastRight = r
		}
		accepted = m.vector
	}
}

// halfTurn is a little more than half a turn, so that the ends of a fan of points overlap.
const halfTurn = math.Pi + 1e-4

// corner adds points to both sides of the ink at point m, a corner of a freehand line, and returns
// the last point of each side. A soft turn gets one point on each side, another a half circle
// around the input point. accepted is the direction before the corner and next the one after it.
func (f *freehand) corner(m *strokePoint, accepted, next geom.Point, soft bool) (l, r geom.Point) {
	if soft {
		side := geom.Scale(accepted, m.Radius)
		l, r = geom.Sub(m.At, side), geom.Add(m.At, side)
		if geom.Cross(accepted, next) < 0 {
			l, r = r, l
		}
		f.left, f.right = append(f.left, l), append(f.right, r)
		return l, r
	}
	from := geom.Sub(m.raw, geom.Scale(geom.Perp(accepted), m.Radius))
	const step = 1.0 / 13
	for t := 0.0; t < 1; t += step {
		l = Turned(from, m.raw, halfTurn*t)
		r = Turned(from, m.raw, halfTurn+float64(halfTurn*-t)) // the other way, from the opposite point
		f.left, f.right = append(f.left, l), append(f.right, r)
	}
	return l, r
}

// Turned returns the point p turned clockwise (on the screen, y down) about c by an angle in
// radians.
func Turned(p, c geom.Point, angle float64) geom.Point {
	sin, cos := math.Sincos(angle)
	d := geom.Sub(p, c)
	return geom.Pt(
		c.X+float64(d.X*cos)-float64(d.Y*sin),
		c.Y+float64(d.X*sin)+float64(d.Y*cos),
	)
}
