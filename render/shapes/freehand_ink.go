package shapes

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
)

// inkOutline appends the outline of the smoothed line, drawn by a pen of changing width, to a path that is
// filled by the non-zero rule. The line is cut into parts at its elbows, which are its sharp turns; each
// part is one closed subpath. The point at an elbow belongs to both parts: at a sharp one it is the input
// point, before smoothing. A line of a single point is a disc. See docs/spec/drawing.md#r76.
func (line *freehand) inkOutline(pen freehandPen, path *vector.Path) {
	if len(line.Points) == 1 {
		disc(line.Points[0].At, line.Points[0].Radius, true, path)
		return
	}
	line.part = append(line.part[:0], line.Points[0])
	for i := 1; i < len(line.Points)-1; i++ {
		point, elbow := line.Points[i], line.elbow(i)
		if elbow == sharpElbow {
			point.At = point.input
		}
		line.part = append(line.part, point)
		if elbow != noElbow {
			line.inkPartOutline(pen, path)
			line.part = append(line.part[:0], point)
		}
	}
	line.part = append(line.part, line.Points[len(line.Points)-1])
	line.inkPartOutline(pen, path)
}

// elbow is the kind of a sharp turn of a freehand line.
type elbow uint8

const (
	noElbow    elbow = iota
	sharpElbow       // the line turns back; its parts meet at the input point
	tightElbow       // the line turns within its own width
)

// elbow returns how sharply a freehand line turns at point i, which is not its first or last. That
// depends on the angle between the pieces to and from the point, and on their length in proportion to the
// line's width. The thresholds are the editor's.
func (line *freehand) elbow(i int) elbow {
	before, here, after := &line.Points[i-1], &line.Points[i], &line.Points[i+1]
	in, out := geom.Sub(here.At, before.At), geom.Sub(after.At, here.At)
	cosOfTurn := geom.Dot(geom.Unit(in), geom.Unit(out)) // cosine of the turn
	meanRadius := (before.Radius + here.Radius + after.Radius) / 3
	switch {
	case cosOfTurn < -0.8:
		return sharpElbow
	case cosOfTurn <= 0.7 && (geom.SquaredLength(in)+geom.SquaredLength(out))/float64(meanRadius*meanRadius) < 1.5:
		return tightElbow
	}
	return noElbow
}

// dropCrowded removes the points of line.part, a part of a freehand line, that are too close to its first
// or its last point: closer than a quarter of both radii together. These two points stay; their directions
// are computed anew from their new neighbours.
func (line *freehand) dropCrowded() {
	points := line.part
	tooClose := func(a, b *strokePoint) bool {
		d := (a.Radius + b.Radius) / 4
		return geom.SquaredLength(geom.Sub(a.At, b.At)) < float64(d*d)
	}
	drop := 0
	for len(points)-drop > 2 && tooClose(&points[0], &points[1+drop]) {
		drop++
	}
	points = append(points[:1], points[1+drop:]...)
	n := len(points)
	end := points[n-1]
	for n > 2 && tooClose(&end, &points[n-2]) {
		n--
	}
	points[n-1] = end
	points = points[:n]
	if n > 1 {
		points[0].backward = geom.Unit(geom.Sub(points[0].At, points[1].At))
		points[n-1].backward = geom.Unit(geom.Sub(points[n-2].At, points[n-1].At))
	}
	line.part = points
}

// inkPartOutline appends the outline of line.part, the part of a freehand line between two elbows, as one
// closed subpath: along its left side, a half circle around its end, back along its right side, and a half
// circle around its start. Sides are smooth curves through the middles between their points.
func (line *freehand) inkPartOutline(pen freehandPen, path *vector.Path) {
	line.dropCrowded()
	if len(line.part) == 1 {
		disc(line.part[0].At, line.part[0].Radius, true, path)
		return
	}
	line.offsetSides(pen)
	start, end := &line.part[0], &line.part[len(line.part)-1]
	// The left side, and the half circle around the end.
	quads := smoothQuads{path: path}
	quads.moveTo(line.left[0])
	for i := 1; i < len(line.left); i++ {
		quads.smoothTo(geom.Lerp(line.left[i-1], line.left[i], 0.5))
	}
	side := geom.Scale(geom.Perp(end.backward), end.Radius)
	quads.smoothTo(geom.Sub(end.At, side))
	quads.halfCircleTo(end.Radius, geom.Add(end.At, side))
	// The right side, and the half circle around the start.
	for i := len(line.right) - 1; i > 0; i-- {
		quads.smoothTo(geom.Lerp(line.right[i], line.right[i-1], 0.5))
	}
	side = geom.Scale(geom.Perp(start.backward), start.Radius)
	quads.smoothTo(geom.Add(start.At, side))
	quads.halfCircleTo(start.Radius, geom.Sub(start.At, side))
	path.Close()
}

// offsetSides fills line.left and line.right with the two sides of the ink of line.part. A point of a side
// lies one radius away from a point of the line, square to its direction. Points of a side that are closer
// together than the pen's smoothing are left out. At a sharp turn the method corner adds the points; the
// point after it is not tested for a turn, as in the editor.
func (line *freehand) offsetSides(pen freehandPen) {
	line.left, line.right = line.left[:0], line.right[:0]
	n := len(line.part)
	total := line.part[n-1].RunLength
	leastGapSquared := pen.size * pen.smoothing
	leastGapSquared *= leastGapSquared
	lastDirection := line.part[0].backward // of the last point that was no corner
	afterCorner := false                   // the point before was a corner
	var lastLeft, lastRight geom.Point     // the last points of the two sides
	for i := range line.part {
		point := &line.part[i]
		next, cosOfTurn := point.backward, 1.0 // of the next point, and the cosine of the turn towards it
		if i < n-1 {
			next = line.part[i+1].backward
			cosOfTurn = geom.Dot(point.backward, next)
		}
		sharpNext := cosOfTurn < 0.2
		turnedBack := geom.Dot(point.backward, lastDirection) < 0
		if sharpNext || turnedBack && !afterCorner {
			soft := cosOfTurn > -0.62 && total-point.RunLength > point.Radius
			lastLeft, lastRight = line.corner(point, lastDirection, next, soft)
			afterCorner = afterCorner || sharpNext
			continue
		}
		afterCorner = false
		if i == 0 || i == n-1 {
			side := geom.Scale(geom.Perp(point.backward), point.Radius)
			line.left = append(line.left, geom.Sub(point.At, side))
			line.right = append(line.right, geom.Add(point.At, side))
			continue
		}
		side := geom.Scale(geom.Perp(geom.Lerp(next, point.backward, cosOfTurn)), point.Radius)
		if l := geom.Sub(point.At, side); i <= 1 || geom.SquaredLength(geom.Sub(l, lastLeft)) > leastGapSquared {
			line.left = append(line.left, l)
			lastLeft = l
		}
		if r := geom.Add(point.At, side); i <= 1 || geom.SquaredLength(geom.Sub(r, lastRight)) > leastGapSquared {
			line.right = append(line.right, r)
			lastRight = r
		}
		lastDirection = point.backward
	}
}

// halfTurn is a little more than half a turn, so that the ends of a fan of points overlap.
const halfTurn = math.Pi + 1e-4

// corner adds points to both sides of the ink at point, a sharp turn of a freehand line, and returns the
// last point of each side, l and r. A soft turn gets one point on each side; any other gets a fan of points
// on a half circle around the input point, so that the ink is round there. before is the line's direction
// before the corner and after the one after it, both backwards.
func (line *freehand) corner(point *strokePoint, before, after geom.Point, soft bool) (l, r geom.Point) {
	if soft {
		side := geom.Scale(before, point.Radius)
		l, r = geom.Sub(point.At, side), geom.Add(point.At, side)
		if geom.Cross(before, after) < 0 {
			l, r = r, l
		}
		line.left, line.right = append(line.left, l), append(line.right, r)
		return l, r
	}
	from := geom.Sub(point.input, geom.Scale(geom.Perp(before), point.Radius))
	const step = 1.0 / 13 // of the half circle, the editor's
	for t := 0.0; t < 1; t += step {
		l = Turned(from, point.input, halfTurn*t)
		r = Turned(from, point.input, halfTurn+float64(halfTurn*-t)) // the other way, from the opposite point
		line.left, line.right = append(line.left, l), append(line.right, r)
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
