// Package convert makes exact tangram instances of drawings. In: seven polygons in doubles, as in
// SVG, y down, with transforms. Out: a valid configuration in the exact field Q(sqrt 2). It
// refuses, with a reason, drawings whose pieces have odd angles, do not fit, are loose, or form no
// valid configuration however they are snapped.
package convert

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"plumb/scoring/plural"
)

// The limits of a drawing.
const (
	maxPoints = 64  // of a polygon
	maxValue  = 1e6 // of a coordinate, from 0
)

// Point is a point in doubles, y up.
type Point struct{ X, Y float64 }

// Drawing is a parsed drawing: polygons with their transforms applied and y flipped to point up.
type Drawing struct {
	ID       string
	Polygons [][]Point
}

// ReadDrawing parses the JSON of one drawing of a tangram: {"id", "polygons": [{"points",
// "transform"?}]}. points is a list of pairs, or of single numbers x, y, x, ... (bare or in lists
// of one). transform has the syntax of SVG. Errors name the member.
func ReadDrawing(data []byte) (*Drawing, error) {
	var document struct {
		ID       *string `json:"id"`
		Polygons []struct {
			Points    []json.RawMessage `json:"points"`
			Transform *string           `json:"transform"`
		} `json:"polygons"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("cannot read drawing: %w", err)
	}
	if document.ID == nil {
		return nil, fmt.Errorf("cannot read drawing: id is missing")
	}
	drawing := &Drawing{ID: *document.ID}
	for i, p := range document.Polygons {
		transform := ""
		if p.Transform != nil {
			transform = *p.Transform
		}
		poly, err := polygon(p.Points, transform)
		if err != nil {
			return drawing, fmt.Errorf("cannot read drawing %q: polygons[%d].%w", drawing.ID, i, err)
		}
		drawing.Polygons = append(drawing.Polygons, poly)
	}
	return drawing, nil
}

// polygon reads the points of one polygon of a drawing, which are pairs or single numbers, applies
// its SVG transform and flips y to point up. Vertices on straight lines are dropped.
func polygon(list []json.RawMessage, transform string) ([]Point, error) {
	// Read the numbers.
	var numbers []float64
	for i, raw := range list {
		var pair []float64
		var one float64
		if json.Unmarshal(raw, &one) == nil {
			pair = []float64{one}
		} else if err := json.Unmarshal(raw, &pair); err != nil || len(pair) == 0 || len(pair) > 2 {
			return nil, fmt.Errorf("points[%d]: got %.40s; want [x, y] or a number", i, raw)
		}
		numbers = append(numbers, pair...)
	}
	if len(numbers) > 2*maxPoints {
		return nil, fmt.Errorf("points: got %d points; want at most %d", (len(numbers)+1)/2, maxPoints)
	}
	if len(numbers)%2 != 0 {
		return nil, fmt.Errorf("points: got %s; want x and y of each vertex", plural.Of(len(numbers), "number"))
	}
	// Transform the vertices.
	matrix, err := parseTransform(transform)
	if err != nil {
		return nil, fmt.Errorf("transform: %w", err)
	}
	var poly []Point
	for i := 0; i < len(numbers); i += 2 {
		p := matrix.apply(Point{numbers[i], numbers[i+1]})
		if !(math.Abs(p.X) <= maxValue && math.Abs(p.Y) <= maxValue) {
			return nil, fmt.Errorf("points: vertex %d lies at (%g, %g); want at most %g from 0", i/2, p.X, p.Y,
				maxValue)
		}
		poly = append(poly, Point{p.X, -p.Y})
	}
	return dropCollinear(poly), nil
}

// dropCollinear removes vertices of a drawn polygon that lie nearly on the line between their
// neighbours: within a thousandth of the polygon's size, the root of its area. It removes one after
// another and begins again until none is left, but keeps at least three. The list that it is given stays
// as it is.
func dropCollinear(poly []Point) []Point {
	tolerance := 1e-3 * math.Sqrt(math.Abs(area(poly)))
	for again := true; again; {
		again = false
		for i := 0; i < len(poly) && len(poly) > 3; i++ {
			n := len(poly)
			before, vertex, after := poly[(i+n-1)%n], poly[i], poly[(i+1)%n]
			if segmentDistance(vertex, before, after) <= tolerance {
				poly = slices.Delete(slices.Clone(poly), i, i+1)
				again = true
			}
		}
	}
	return poly
}

// segmentDistance returns the distance of the point p of a drawn polygon from the segment ab.
func segmentDistance(p, a, b Point) float64 {
	direction := b.sub(a)
	t := 0.0 // the nearest point as a parameter, 0 at a and 1 at b
	if squaredLength := direction.dot(direction); squaredLength > 0 {
		t = min(max(p.sub(a).dot(direction)/squaredLength, 0), 1)
	}
	return p.sub(a.add(direction.times(t))).length()
}

// The methods of Point are vector arithmetic on the points of a drawing.
func (p Point) add(q Point) Point        { return Point{p.X + q.X, p.Y + q.Y} }
func (p Point) sub(q Point) Point        { return Point{p.X - q.X, p.Y - q.Y} }
func (p Point) times(f float64) Point    { return Point{p.X * f, p.Y * f} }
func (p Point) dot(q Point) float64      { return float64(p.X*q.X) + float64(p.Y*q.Y) }
func (p Point) cross(q Point) float64    { return float64(p.X*q.Y) - float64(p.Y*q.X) }
func (p Point) length() float64          { return math.Hypot(p.X, p.Y) }
func (p Point) distance(q Point) float64 { return p.sub(q).length() }

// area returns the signed area of a drawn polygon, positive if it runs counter-clockwise.
func area(poly []Point) (a float64) {
	for i, p := range poly {
		a += p.cross(poly[(i+1)%len(poly)])
	}
	return a / 2
}

// centroid returns the mean of a drawn polygon's vertices, which is the centroid of triangles and
// parallelograms.
func centroid(poly []Point) (c Point) {
	for _, p := range poly {
		c = c.add(p)
	}
	return c.times(1 / float64(len(poly)))
}
