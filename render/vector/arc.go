package vector

import "math"

// ArcTo adds the arc of an ellipse from the last point to b, as an A command of path data does:
// radii rx and ry, the x axis turned by degrees, large for the longer way round, sweep for
// clockwise on the screen. The path must not be empty. Radii that are too small are scaled up; a
// radius of 0 gives a line; an arc to its own start nothing (SVG 1.1, F.6).
//
// It becomes equal conics of at most a third of a turn, computed in binary32, because the last
// bits decide how finely the browser draws an arc. See docs/spec/raster.md#r2.
func (path *Path) ArcTo(rx, ry, degrees float32, large, sweep bool, b Point) {
	a := path.Points[len(path.Points)-1]
	if a == b {
		return
	}
	rx, ry = max(rx, -rx), max(ry, -ry)
	if rx == 0 || ry == 0 {
		path.LineTo(b)
		return
	}
	ellipse := newEllipse(rx, ry, degrees, Point{(a.X - b.X) * 0.5, (a.Y - b.Y) * 0.5})
	// In units in which the ellipse is a circle of radius 1: both ends and the centre.
	from, to := ellipse.toCircle(a), ellipse.toCircle(b)
	c := unitCentre(from, to, large == sweep)
	start := atan2(from, c)
	span := atan2(to, c) - start
	if sweep && span < 0 {
		span += 2 * math.Pi
	} else if !sweep && span > 0 {
		span -= 2 * math.Pi
	}
	const leastSpan = math.Pi / 1e6              // radians; of shorter arcs of huge circles the browser makes a line
	if !(math.Abs(float64(span)) >= leastSpan) { // also NaN
		path.LineTo(b)
		return
	}
	n := int(math.Ceil(math.Abs(float64(span / (2 * math.Pi / 3))))) // pieces
	step := span / float32(n)
	reach := float32(math.Tan(float64(step * 0.5))) // from the end of a piece to its control, along the tangent
	weight := float32(math.Sqrt(float64(0.5 + float32(math.Cos(float64(step)))*0.5)))
	angle := start
	for i := range n {
		angle += step
		sin, cos := snapped(math.Sincos(float64(angle)))
		end := Point{cos + c.X, sin + c.Y}
		control := ellipse.fromCircle(Point{end.X + float32(reach*sin), end.Y - float32(reach*cos)})
		if i == n-1 {
			path.ConicTo(control, b, weight)
			return
		}
		path.ConicTo(control, ellipse.fromCircle(end), weight)
	}
}

// ellipse maps between an ellipse and the unit circle.
type ellipse struct{ rx, ry, sin, cos float32 }

// newEllipse returns the ellipse of an arc with radii rx and ry, turned by degrees. halfChord is half of
// the vector between both ends of the arc: an ellipse that is too small to reach both is scaled up.
func newEllipse(rx, ry, degrees float32, halfChord Point) ellipse {
	sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
	e := ellipse{rx, ry, float32(sin), float32(cos)}
	q := e.upright(halfChord)
	// The square of the factor by which the ellipse is too small.
	square := float32(float32(q.X*q.X)/float32(rx*rx)) + float32(float32(q.Y*q.Y)/float32(ry*ry))
	if square > 1 {
		factor := float32(math.Sqrt(float64(square)))
		e.rx, e.ry = rx*factor, ry*factor
	}
	return e
}

// upright undoes the rotation of the ellipse's axes.
func (e *ellipse) upright(q Point) Point {
	return Point{float32(e.cos*q.X) + float32(e.sin*q.Y), float32(e.cos*q.Y) - float32(e.sin*q.X)}
}

// toCircle maps to units in which the ellipse is a circle of radius 1.
func (e *ellipse) toCircle(q Point) Point {
	q = e.upright(q)
	return Point{q.X * (1 / e.rx), q.Y * (1 / e.ry)}
}

// fromCircle is the inverse of toCircle.
func (e *ellipse) fromCircle(q Point) Point {
	x, y := q.X*e.rx, q.Y*e.ry
	return Point{float32(e.cos*x) - float32(e.sin*y), float32(e.sin*x) + float32(e.cos*y)}
}

// unitCentre returns the centre of one of the two circles of radius 1 through a and b: the one on the left
// of the line from a to b, y down, if left, else the other. Points that are too far apart for such a circle
// get the middle between them.
func unitCentre(a, b Point, left bool) Point {
	d := Point{b.X - a.X, b.Y - a.Y}
	k := float32(math.Sqrt(float64(max(0, 1/(float32(d.X*d.X)+float32(d.Y*d.Y))-0.25))))
	if left {
		k = -k
	}
	return Point{(a.X+b.X)*0.5 - float32(d.Y*k), (a.Y+b.Y)*0.5 + float32(d.X*k)}
}

// atan2 returns the angle of q seen from c.
func atan2(q, c Point) float32 {
	return float32(math.Atan2(float64(q.Y-c.Y), float64(q.X-c.X)))
}

// snapped replaces a sine and cosine within 1/4096 of 0 by 0, so that an arc of a path that ends on
// an axis ends there exactly (observed in the browser).
func snapped(sin, cos float64) (s, c float32) {
	const tiny = 1.0 / 4096
	if math.Abs(sin) >= tiny {
		s = float32(sin)
	}
	if math.Abs(cos) >= tiny {
		c = float32(cos)
	}
	return s, c
}
