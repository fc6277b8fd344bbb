package plane

import (
	"cmp"
	"math"
	"slices"

	"plumb/render/region"
)

// Regions returns the union of the assembly and the target in doubles, for a caller that compares
// their rasters. decimal thickens the boundaries; the parts stay as they are. At least one piece
// must have area. See docs/spec/tangram.md#r46.
func (r *Result) Regions(t *Target, decimal bool) (union, target region.Region) {
	vs := &r.evaluator.vertices
	for i, q := range r.evaluator.arr.rings {
		corners := regionPoints(vs.x[q.from:q.to], vs.y[q.from:q.to])
		switch {
		case !r.HasArea[i]:
		case r.Simple[i] && vs.convex(q):
			union.Parts = append(union.Parts, corners)
		default:
			union.Parts = trapezoids(union.Parts, corners)
		}
	}
	target.Parts = trapezoids(nil, regionPoints(t.x, t.y))
	boundary, targetBoundary := r.boundary(t, decimal), t.boundary
	if decimal {
		targetBoundary = t.thickBoundary
	}
	for _, s := range boundary {
		union.Edges = append(union.Edges, region.Segment{A: region.Point{X: s.x0, Y: s.y0}, B: region.Point{X: s.x1, Y: s.y1}})
	}
	for _, s := range targetBoundary {
		target.Edges = append(target.Edges, region.Segment{A: region.Point{X: s.x0, Y: s.y0}, B: region.Point{X: s.x1, Y: s.y1}})
	}
	return union, target
}

// regionPoints pairs x and y of a boundary into points.
func regionPoints(x, y []float64) []region.Point {
	out := make([]region.Point, len(x))
	for i := range x {
		out[i] = region.Point{X: x[i], Y: y[i]}
	}
	return out
}

// trapezoids appends the even-odd region of a polygon, cut into horizontal slabs at the heights of
// vertices and crossings: within a slab the edges do not cross.
func trapezoids(out [][]region.Point, list []region.Point) [][]region.Point {
	n := len(list)
	var heights []float64
	for i, a := range list {
		heights = append(heights, a.Y)
		for j := range i {
			if y, ok := crossingHeight(a, list[(i+1)%n], list[j], list[(j+1)%n]); ok {
				heights = append(heights, y)
			}
		}
	}
	slices.Sort(heights)
	heights = slices.Compact(heights)
	for i := 0; i+1 < len(heights); i++ {
		out = slabTrapezoids(out, list, heights[i], heights[i+1])
	}
	return out
}

// crossingHeight returns the y at which two segments cross in their interiors.
func crossingHeight(a, b, c, d region.Point) (y float64, ok bool) {
	side := func(a, b, c region.Point) float64 {
		return float64((b.X-a.X)*(c.Y-a.Y)) - float64((b.Y-a.Y)*(c.X-a.X))
	}
	s, t := side(c, d, a), side(c, d, b)
	if s*t >= 0 || side(a, b, c)*side(a, b, d) >= 0 {
		return 0, false
	}
	return a.Y + float64(s/(s-t)*(b.Y-a.Y)), true
}

// slabTrapezoids appends the trapezoids of a polygon's even-odd region between two heights.
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
		at := func(y float64) float64 {
			return min(max(a.X+float64((y-a.Y)/(b.Y-a.Y)*(b.X-a.X)), min(a.X, b.X)), max(a.X, b.X))
		}
		edges = append(edges, edge{at(low), at(high)})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.bottom+a.top, b.bottom+b.top) })
	for i := 0; i+1 < len(edges); i += 2 {
		l, r := edges[i], edges[i+1]
		if math.Abs(r.bottom-l.bottom)+math.Abs(r.top-l.top) < 1e-14 {
			continue
		}
		part := []region.Point{{X: l.bottom, Y: low}}
		if l.bottom != r.bottom {
			part = append(part, region.Point{X: r.bottom, Y: low})
		}
		part = append(part, region.Point{X: r.top, Y: high})
		if l.top != r.top {
			part = append(part, region.Point{X: l.top, Y: high})
		}
		out = append(out, part)
	}
	return out
}
