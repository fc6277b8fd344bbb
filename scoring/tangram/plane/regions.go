package plane

import (
	"cmp"
	"math"
	"slices"

	"plumb/render/region"
)

// Regions returns the union of the assembly and the target as regions in doubles, for a caller that
// compares them on a raster. decimal thickens the boundaries; the parts stay as they are. At least
// one piece must have area. See docs/spec/tangram.md#r46.
func (result *Result) Regions(t *Target, decimal bool) (union, target region.Region) {
	vertices := &result.evaluator.vertices
	// The areas, as convex parts.
	for i, ring := range result.evaluator.arrangement.rings {
		corners := regionPoints(vertices.x[ring.from:ring.to], vertices.y[ring.from:ring.to])
		switch {
		case !result.HasArea[i]:
		case result.Simple[i] && vertices.isConvex(ring):
			union.Parts = append(union.Parts, corners)
		default:
			union.Parts = trapezoids(union.Parts, corners)
		}
	}
	target.Parts = trapezoids(nil, regionPoints(t.x, t.y))
	// The boundaries.
	boundary, targetBoundary := result.boundary(t, decimal), t.boundary
	if decimal {
		targetBoundary = t.thickBoundary
	}
	for _, s := range boundary {
		union.Edges = append(union.Edges,
			region.Segment{A: region.Point{X: s.x0, Y: s.y0}, B: region.Point{X: s.x1, Y: s.y1}})
	}
	for _, s := range targetBoundary {
		target.Edges = append(target.Edges,
			region.Segment{A: region.Point{X: s.x0, Y: s.y0}, B: region.Point{X: s.x1, Y: s.y1}})
	}
	return union, target
}

// regionPoints returns the points of a boundary, whose coordinates are in two lists, as package region
// takes them.
func regionPoints(x, y []float64) []region.Point {
	out := make([]region.Point, len(x))
	for i := range x {
		out[i] = region.Point{X: x[i], Y: y[i]}
	}
	return out
}

// trapezoids appends the even-odd region of a polygon as trapezoids. It cuts the polygon
// into horizontal slabs at the heights of vertices and crossings, because within a slab the
// edges do not cross.
func trapezoids(out [][]region.Point, corners []region.Point) [][]region.Point {
	n := len(corners)
	var heights []float64
	for i, a := range corners {
		heights = append(heights, a.Y)
		for j := range i {
			if y, ok := crossingHeight(a, corners[(i+1)%n], corners[j], corners[(j+1)%n]); ok {
				heights = append(heights, y)
			}
		}
	}
	slices.Sort(heights)
	heights = slices.Compact(heights)
	for i := 0; i+1 < len(heights); i++ {
		out = slabTrapezoids(out, corners, heights[i], heights[i+1])
	}
	return out
}

// crossingHeight returns the y at which the edges ab and cd of a polygon cross in their interiors. ok
// is false if they do not.
func crossingHeight(a, b, c, d region.Point) (y float64, ok bool) {
	// side is positive where c lies left of the line from a to b, negative where right, and 0 on it.
	side := func(a, b, c region.Point) float64 {
		return float64((b.X-a.X)*(c.Y-a.Y)) - float64((b.Y-a.Y)*(c.X-a.X))
	}
	sideA, sideB := side(c, d, a), side(c, d, b)
	if sideA*sideB >= 0 || side(a, b, c)*side(a, b, d) >= 0 {
		return 0, false
	}
	return a.Y + float64(sideA/(sideA-sideB)*(b.Y-a.Y)), true // float64: no fused multiply-add
}

// slabTrapezoids appends the trapezoids of a polygon's even-odd region between two heights,
// with no vertex or crossing between them. The edges that cross the slab are sorted from
// left to right; the region lies between the first and the second, the third and the fourth,
// and so on. Trapezoids narrower than rounding are left out, and corners that coincide are
// given once.
func slabTrapezoids(out [][]region.Point, list []region.Point, low, high float64) [][]region.Point {
	type edge struct{ bottom, top float64 } // its x at low and at high
	var edges []edge
	for i, a := range list {
		b := list[(i+1)%len(list)]
		if a.Y > b.Y {
			a, b = b, a
		}
		if a.Y > low || b.Y < high {
			continue
		}
		xAt := func(y float64) float64 { // clamped against rounding
			return min(max(a.X+float64((y-a.Y)/(b.Y-a.Y)*(b.X-a.X)), min(a.X, b.X)), max(a.X, b.X))
		}
		edges = append(edges, edge{xAt(low), xAt(high)})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.bottom+a.top, b.bottom+b.top) })
	for i := 0; i+1 < len(edges); i += 2 {
		left, right := edges[i], edges[i+1]
		if math.Abs(right.bottom-left.bottom)+math.Abs(right.top-left.top) < 1e-14 { // within rounding
			continue
		}
		part := []region.Point{{X: left.bottom, Y: low}}
		if left.bottom != right.bottom {
			part = append(part, region.Point{X: right.bottom, Y: low})
		}
		part = append(part, region.Point{X: right.top, Y: high})
		if left.top != right.top {
			part = append(part, region.Point{X: left.top, Y: high})
		}
		out = append(out, part)
	}
	return out
}
