package plane

import (
	"math"
	"slices"
)

// thickness is half of the distance at which pieces of decimal answers touch. Their boundaries are
// compared after thickening by a square of this half side. See docs/spec/tangram.md#r42.
const thickness = 1.0 / 600

// thickener computes thickened boundaries. It holds the scratch memory.
type thickener struct {
	grid        gridKernel
	vertices    vertexSet
	arrangement arrangement
	scale       float64
	points      []floatPoint
	hull        []floatPoint
	spans       []span
}

// floatPoint is a point in doubles.
type floatPoint struct{ x, y float64 }

// thicken returns the boundary of the Minkowski sum of the union of the rings and a square
// of half side `thickness`. A convex ring becomes the hull of its corners' squares; another
// one becomes itself and the hulls of the squares along its boundary. reach is the largest
// coordinate. All points are rounded to a grid that moves none by more than about 1e-15 near
// the origin; on the grid all decisions are exact. It overwrites the thickener's memory.
func (th *thickener) thicken(pieces *arrangement, simple, hasArea []bool, reach float64) []segment {
	th.scale = 1
	for th.scale*2*(reach+1) < gridLimit/8 {
		th.scale *= 2
	}
	th.grid.x, th.grid.y = th.grid.x[:0], th.grid.y[:0]
	th.vertices.x, th.vertices.y = th.vertices.x[:0], th.vertices.y[:0]
	th.vertices.kernel = &th.grid
	th.arrangement.reset(&th.vertices)
	th.vertices.crossError = 0x1p-45 * (reach + 1) * (reach + 1)
	nextEdge := 0
	for i, r := range pieces.rings {
		from := nextEdge // edges are in the order of their rings
		for nextEdge < len(pieces.edges) && pieces.edges[nextEdge].ring == int32(i) {
			nextEdge++
		}
		switch {
		case !hasArea[i]:
		case simple[i] && pieces.vs.isConvex(r):
			th.points = th.points[:0]
			for j := r.from; j < r.to; j++ {
				th.addCorners(pieces.vs.x[j], pieces.vs.y[j])
			}
			th.addHull()
		default:
			th.points = th.points[:0]
			for j := r.from; j < r.to; j++ {
				th.points = append(th.points, floatPoint{pieces.vs.x[j], pieces.vs.y[j]})
			}
			th.arrangement.addCoverRing(th.roundRing(th.points))
			for j := range pieces.edges[from:nextEdge] {
				th.addEdge(pieces, &pieces.edges[from+j])
			}
		}
	}
	th.vertices.findDuplicates()
	th.arrangement.clipEdges()
	th.arrangement.findBoundary()
	// Rounding opens cracks along edges that a polygon visits twice. The boundaries of
	// cracks are shorter than the accuracy of the others and are dropped.
	least := 0x1p-42 * (reach + 1)
	return slices.DeleteFunc(th.arrangement.boundary, func(s segment) bool {
		return math.Abs(s.x1-s.x0) < least && math.Abs(s.y1-s.y0) < least
	})
}

// addEdge adds the neighbourhood of an edge to the thickened union: for each part of the edge that
// is boundary, the hull of the squares at its two ends, as a ring.
func (th *thickener) addEdge(arr *arrangement, e *edge) {
	th.spans = th.spans[:0]
	for _, own := range e.ownSpans {
		th.spans = append(th.spans, own.slice(arr.spans)...)
	}
	for _, s := range merge(arr.vs, th.spans) {
		part := arr.vs.subsegment(e.a, e.b, s)
		th.points = th.points[:0]
		th.addCorners(part.x0, part.y0)
		th.addCorners(part.x1, part.y1)
		th.addHull()
	}
}

// addCorners adds the four corners of the square around a point to th.points.
func (th *thickener) addCorners(x, y float64) {
	th.points = append(th.points, floatPoint{x - thickness, y - thickness}, floatPoint{x - thickness, y + thickness},
		floatPoint{x + thickness, y - thickness}, floatPoint{x + thickness, y + thickness})
}

// addHull adds the convex hull of th.points as a ring, unless it has less than three corners
// after rounding.
func (th *thickener) addHull() {
	if r := th.roundRing(th.convexHull(th.points)); r.to-r.from >= 3 {
		th.arrangement.addRing(r, onLeft)
	}
}

// roundRing adds a polygon's points as vertices, rounded to the grid, and returns them as a ring.
// Points that round to the one before or to the first one are left out.
func (th *thickener) roundRing(list []floatPoint) ring {
	kernel := &th.grid
	r := ring{from: int32(len(kernel.x))}
	for _, p := range list {
		x, y := toGridUnits(p.x, th.scale), toGridUnits(p.y, th.scale)
		if n := len(kernel.x); n > int(r.from) && (kernel.x[n-1] == x && kernel.y[n-1] == y || kernel.x[r.from] == x && kernel.y[r.from] == y) {
			continue
		}
		kernel.x = append(kernel.x, x)
		kernel.y = append(kernel.y, y)
		th.vertices.x = append(th.vertices.x, float64(x)/th.scale)
		th.vertices.y = append(th.vertices.y, float64(y)/th.scale)
	}
	r.to = int32(len(kernel.x))
	return r
}

// convexHull returns the convex hull of points, counter-clockwise. It uses Andrew's monotone chain:
// a pass over the sorted points for the lower side and one back for the upper side. It sorts the
// list; the result is valid until the next call.
func (th *thickener) convexHull(list []floatPoint) []floatPoint {
	slices.SortFunc(list, func(a, b floatPoint) int {
		switch {
		case a.x < b.x || a.x == b.x && a.y < b.y:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	list = slices.Compact(list)
	hull := th.hull[:0]
	for pass, from := 0, 0; pass < 2; pass++ {
		for _, p := range list {
			for len(hull) >= from+2 {
				a, b := hull[len(hull)-2], hull[len(hull)-1]
				if float64((b.x-a.x)*(p.y-a.y))-float64((b.y-a.y)*(p.x-a.x)) > 0 {
					break
				}
				hull = hull[:len(hull)-1]
			}
			hull = append(hull, p)
		}
		hull = hull[:len(hull)-1]
		from = len(hull)
		slices.Reverse(list)
	}
	th.hull = hull
	return hull
}

// Hausdorff returns the Hausdorff distance of the boundaries of the tangram's union and its target.
// With decimal it compares them after thickening both. At least one piece must have area. See
// docs/spec/tangram.md#r41.
func (result *Result) Hausdorff(t *Target, decimal bool) float64 {
	if result.Equal && !decimal {
		return 0
	}
	d := &result.evaluator.hausdorff
	d.union = prepareSegments(d.union[:0], result.boundary(t, decimal))
	if decimal {
		return d.distance(d.union, t.thickBoundary)
	}
	return d.distance(d.union, t.boundary)
}

// boundary returns the boundary of the union, thickened if decimal is set.
func (result *Result) boundary(t *Target, decimal bool) []segment {
	e := result.evaluator
	if decimal {
		return e.thickener.thicken(&e.arrangement, result.Simple, result.HasArea, max(t.maxCoord, e.maxCoord))
	}
	return e.arrangement.boundary
}
