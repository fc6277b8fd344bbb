package plane

import (
	"cmp"
	"math"
	"slices"
)

// Region is a polygon region in doubles, for rasterising: convex parts whose union it is, each by
// its corners, and the segments (x0, y0, x1, y1) of its boundary.
type Region struct {
	Parts    [][][2]float64
	Boundary [][4]float64
}

// Regions returns the union of the assembly and the target as regions, for a caller that compares
// their rasters. decimal thickens the boundaries; the parts stay as they are. At least one piece
// must have area. See docs/spec/tangram.md#r46.
func (r *Result) Regions(t *Target, decimal bool) (union, target Region) {
	k := &r.evaluator.vertices
	for i, q := range r.evaluator.arr.rings {
		switch {
		case !r.HasArea[i]:
		case r.Simple[i] && k.convex(q):
			union.Parts = append(union.Parts, corners(k.x[q.from:q.to], k.y[q.from:q.to]))
		default:
			union.Parts = trapezoids(union.Parts, corners(k.x[q.from:q.to], k.y[q.from:q.to]))
		}
	}
	target.Parts = trapezoids(nil, corners(t.x, t.y))
	own, other := r.evaluator.arr.boundary, t.boundary
	if decimal {
		own, other = r.evaluator.thickener.thicken(&r.evaluator.arr, r.Simple, r.HasArea, max(t.maxCoord, r.evaluator.maxCoord)), t.thickBoundary
	}
	for _, s := range own {
		union.Boundary = append(union.Boundary, [4]float64{s.x0, s.y0, s.x1, s.y1})
	}
	for _, s := range other {
		target.Boundary = append(target.Boundary, [4]float64{s.x0, s.y0, s.x1, s.y1})
	}
	return union, target
}

// corners pairs coordinates into points.
func corners(x, y []float64) [][2]float64 {
	out := make([][2]float64, len(x))
	for i := range x {
		out[i] = [2]float64{x[i], y[i]}
	}
	return out
}

// trapezoids appends the even-odd region of a polygon, cut into horizontal slabs at the heights of
// vertices and crossings: within a slab the edges do not cross.
func trapezoids(out [][][2]float64, list [][2]float64) [][][2]float64 {
	n := len(list)
	var heights []float64
	for i, a := range list {
		heights = append(heights, a[1])
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
func crossingHeight(a, b, c, d [2]float64) (y float64, ok bool) {
	side := func(a, b, c [2]float64) float64 {
		return float64((b[0]-a[0])*(c[1]-a[1])) - float64((b[1]-a[1])*(c[0]-a[0]))
	}
	s, t := side(c, d, a), side(c, d, b)
	if s*t >= 0 || side(a, b, c)*side(a, b, d) >= 0 {
		return 0, false
	}
	return a[1] + float64(s/(s-t)*(b[1]-a[1])), true
}

// slabTrapezoids appends the trapezoids of a polygon's even-odd region between two heights.
func slabTrapezoids(out [][][2]float64, list [][2]float64, low, high float64) [][][2]float64 {
	var edges [][2]float64 // x at the bottom and at the top
	for i, a := range list {
		b := list[(i+1)%len(list)]
		if a[1] > b[1] {
			a, b = b, a
		}
		if a[1] > low || b[1] < high {
			continue
		}
		at := func(y float64) float64 {
			return min(max(a[0]+float64((y-a[1])/(b[1]-a[1])*(b[0]-a[0])), min(a[0], b[0])), max(a[0], b[0]))
		}
		edges = append(edges, [2]float64{at(low), at(high)})
	}
	slices.SortFunc(edges, func(a, b [2]float64) int { return cmp.Compare(a[0]+a[1], b[0]+b[1]) })
	for i := 0; i+1 < len(edges); i += 2 {
		l, r := edges[i], edges[i+1]
		if math.Abs(r[0]-l[0])+math.Abs(r[1]-l[1]) < 1e-14 {
			continue
		}
		part := [][2]float64{{l[0], low}}
		if l[0] != r[0] {
			part = append(part, [2]float64{r[0], low})
		}
		part = append(part, [2]float64{r[1], high})
		if l[1] != r[1] {
			part = append(part, [2]float64{l[1], high})
		}
		out = append(out, part)
	}
	return out
}
