package program

import (
	"math"

	"plumb/scoring/aspire/scenario"
)

// point is a point on the page, px.
type point struct{ x, y float64 }

// halfStroke is half the default stroke width: ink extends that far beyond an outline.
const halfStroke = 1.75

// outlinePoints returns the outline of a scenario's geo shape on the page, accurate enough for a
// program to plan with: curves become chords, and a cloud becomes the stadium inside its bumps.
func outlinePoints(shape *scenario.Shape) []point {
	w, h := shape.Props.W, shape.Props.H
	var points []point
	switch shape.Props.Geo {
	case "triangle":
		points = []point{{.5, 0}, {1, 1}, {0, 1}}
	case "diamond":
		points = []point{{.5, 0}, {1, .5}, {.5, 1}, {0, .5}}
	case "pentagon":
		points = regularPolygon(5)
	case "hexagon":
		points = regularPolygon(6)
	case "octagon":
		points = regularPolygon(8)
	case "star":
		points = starPoints()
	case "ellipse":
		points = circlePoints(48)
	case "heart":
		points = heartPoints()
	case "trapezoid":
		inset := 0.38 * min(w, h) // the editor's proportion, as that of the cloud below
		return placeOn(shape, []point{{inset, 0}, {w - inset, 0}, {w, h}, {0, h}}, 1, 1)
	case "oval":
		return placeOn(shape, stadiumPoints(w, h, 0), 1, 1)
	case "cloud":
		return placeOn(shape, stadiumPoints(w, h, 0.07*min(w, h)), 1, 1)
	default:
		points = []point{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	}
	return placeOn(shape, points, w, h)
}

// placeOn returns points of an outline scaled by w and h and moved to the origin of a scenario's
// shape on the page.
func placeOn(s *scenario.Shape, p []point, w, h float64) []point {
	out := make([]point, len(p))
	for i, q := range p {
		out[i] = point{s.X + q.x*w, s.Y + q.y*h}
	}
	return out
}

// regularPolygon returns the outline of a geo shape with n equal sides, stretched so that its
// bounding box is the unit square.
func regularPolygon(n int) []point {
	points := make([]point, n)
	for i := range points {
		sin, cos := math.Sincos(-math.Pi/2 + 2*math.Pi*float64(i)/float64(n))
		points[i] = point{cos, sin}
	}
	lo, hi := boundingBox(points)
	for i := range points {
		points[i] = point{(points[i].x - lo.x) / (hi.x - lo.x), (points[i].y - lo.y) / (hi.y - lo.y)}
	}
	return points
}

// starPoints returns the outline of the editor's five-pointed star over the unit square, its outer
// and inner points in turn. The radii are those with which the star fills the square in both
// directions; the inner radius is half the outer one. See docs/spec/drawing.md#r22.
func starPoints() []point {
	points := make([]point, 10)
	for i := range points {
		sin, cos := math.Sincos(-math.Pi/2 + math.Pi/5*float64(i))
		rx, ry := 0.5245, 0.5477 // of the outer points, so that they touch the sides of the square
		if i%2 == 1 {            // an inner point
			rx, ry = rx/2, ry/2
		}
		points[i] = point{0.5 + rx*cos, 0.5477 + ry*sin}
	}
	return points
}

// circlePoints returns the outline of an ellipse over the unit square as n points.
func circlePoints(n int) []point {
	points := make([]point, n)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		points[i] = point{0.5 + cos/2, 0.5 + sin/2}
	}
	return points
}

// heartPoints returns the outline of the editor's heart over the unit square: four cubic Bézier
// curves as 12 chords each.
func heartPoints() []point {
	curves := [][4]point{
		{{.5, 1}, {.375, .75}, {0, .625}, {0, .3}},
		{{0, .3}, {0, -.08}, {.4625, -.08}, {.5, .225}},
		{{.5, .225}, {.5375, -.08}, {1, -.08}, {1, .3}},
		{{1, .3}, {1, .625}, {.625, .75}, {.5, 1}},
	}
	var points []point
	for _, curve := range curves {
		for i := range 12 {
			t := float64(i) / 12
			rest := 1 - t
			weights := [4]float64{rest * rest * rest, 3 * rest * rest * t, 3 * rest * t * t, t * t * t}
			var q point
			for j := range curve {
				q.x += float64(weights[j] * curve[j].x)
				q.y += float64(weights[j] * curve[j].y)
			}
			points = append(points, q)
		}
	}
	return points
}

// stadiumPoints returns the outline of an oval or cloud as a stadium, a rectangle with half discs
// at its short sides, inside a w x h box at a distance of inset from its sides.
func stadiumPoints(w, h, inset float64) []point {
	radius := min(w, h)/2 - inset
	dx, dy := max(0, (w-h)/2), max(0, (h-w)/2)
	points := make([]point, 48)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(len(points)))
		// Of a circle in the middle, each half is moved to its side of the box.
		points[i] = point{w/2 + radius*cos + math.Copysign(dx, cos), h/2 + radius*sin + math.Copysign(dy, sin)}
	}
	return points
}

// boundingBox returns the lowest and the highest corner of the bounding box of an outline's points.
func boundingBox(points []point) (lo, hi point) {
	lo, hi = points[0], points[0]
	for _, p := range points {
		lo = point{min(lo.x, p.x), min(lo.y, p.y)}
		hi = point{max(hi.x, p.x), max(hi.y, p.y)}
	}
	return lo, hi
}

// containsPoint reports whether a point lies inside the outline of a scenario's shape, by the even-odd rule.
func containsPoint(outline []point, point point) bool {
	isInside := false
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		if (a.y > point.y) != (b.y > point.y) && point.x < a.x+(point.y-a.y)/(b.y-a.y)*(b.x-a.x) {
			isInside = !isInside
		}
	}
	return isInside
}

// expandedBy returns the outline of a scenario's shape scaled about its centre so that its bounding
// box grows by a distance on every side. A program plans with it, because it approximates the
// outline together with its stroke.
func expandedBy(outline []point, distance float64) []point {
	lo, hi := boundingBox(outline)
	centre, halfSize := point{(lo.x + hi.x) / 2, (lo.y + hi.y) / 2}, point{(hi.x - lo.x) / 2, (hi.y - lo.y) / 2}
	out := make([]point, len(outline))
	for i, corner := range outline {
		out[i] = point{centre.x + (corner.x-centre.x)*(halfSize.x+distance)/halfSize.x,
			centre.y + (corner.y-centre.y)*(halfSize.y+distance)/halfSize.y}
	}
	return out
}

// inkGrid is a coarse raster of the frame of the balance test: which cells are covered.
type inkGrid struct {
	covered [frameW / cell][frameH / cell]bool
}

// The frame of the balance test and the side of an ink cell, px.
const (
	frameW = 1400
	frameH = 800
	cell   = 2
)

// addOutline marks the cells of the frame whose centres the outline of a scenario's shape covers.
func (grid *inkGrid) addOutline(outline []point) {
	lo, hi := boundingBox(outline)
	for i := max(0, int(lo.x)/cell); i < min(len(grid.covered), int(hi.x)/cell+1); i++ {
		column := grid.covered[i][:]
		for j := max(0, int(lo.y)/cell); j < min(len(column), int(hi.y)/cell+1); j++ {
			if !column[j] {
				column[j] = containsPoint(outline, point{float64(i*cell) + cell/2, float64(j*cell) + cell/2})
			}
		}
	}
}

// mass returns the covered area in square px and its centre; zeros if nothing is covered.
func (grid *inkGrid) mass() (area float64, centre point) { return grid.massOutside(point{}, -1, -1) }

// massOutside returns the area that the scenario's shapes cover, in square px, and its centre of mass, without
// a rectangle with centre excluded and the given half sides. Both are zero if nothing is left.
func (grid *inkGrid) massOutside(excluded point, halfW, halfH float64) (area float64, centre point) {
	for column := range grid.covered {
		x := float64(column*cell) + cell/2
		for row, isCovered := range grid.covered[column] {
			y := float64(row*cell) + cell/2
			if isCovered && (math.Abs(x-excluded.x) > halfW || math.Abs(y-excluded.y) > halfH) {
				area++
				centre.x += x
				centre.y += y
			}
		}
	}
	if area == 0 {
		return 0, point{}
	}
	return area * cell * cell, point{centre.x / area, centre.y / area}
}
