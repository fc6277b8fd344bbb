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

// thicken returns the boundary of the union of the polygons, thickened: its Minkowski sum with a square
// of half side `thickness`. A convex polygon becomes the hull of the squares around its corners. Another
// one becomes itself and the hulls of the squares along its boundary. reach is the largest coordinate.
// All points are rounded to a grid that moves none by more than about 1e-15 near the origin; on the grid
// all decisions are exact. It overwrites the thickener's memory.
func (thickener *thickener) thicken(pieces *arrangement, simple, hasArea []bool, reach float64) []segment {
	// The finest grid with a power of two of steps per unit, well within the kernel's limit.
	thickener.scale = 1
	for thickener.scale*2*(reach+1) < gridLimit/8 {
		thickener.scale *= 2
	}
	thickener.grid.x, thickener.grid.y = thickener.grid.x[:0], thickener.grid.y[:0]
	thickener.vertices.x, thickener.vertices.y = thickener.vertices.x[:0], thickener.vertices.y[:0]
	thickener.vertices.kernel = &thickener.grid
	thickener.arrangement.reset(&thickener.vertices)
	thickener.vertices.crossError = 0x1p-45 * (reach + 1) * (reach + 1) // as vertexSet.prepare bounds it
	nextEdge := 0
	for i, ring := range pieces.rings {
		from := nextEdge // edges are in the order of their rings
		for nextEdge < len(pieces.edges) && pieces.edges[nextEdge].ring == int32(i) {
			nextEdge++
		}
		switch {
		case !hasArea[i]: // pieces without area are ignored
		case simple[i] && pieces.vertices.isConvex(ring):
			thickener.points = thickener.points[:0]
			for j := ring.from; j < ring.to; j++ {
				thickener.addCorners(pieces.vertices.x[j], pieces.vertices.y[j])
			}
			thickener.addHull()
		default:
			thickener.points = thickener.points[:0]
			for j := ring.from; j < ring.to; j++ {
				thickener.points = append(thickener.points, floatPoint{pieces.vertices.x[j], pieces.vertices.y[j]})
			}
			thickener.arrangement.addCoverRing(thickener.roundRing(thickener.points))
			for j := range pieces.edges[from:nextEdge] {
				thickener.addEdge(pieces, &pieces.edges[from+j])
			}
		}
	}
	thickener.vertices.findDuplicates()
	thickener.arrangement.clipEdges()
	thickener.arrangement.findBoundary()
	// Rounding opens cracks along edges that a polygon visits twice. The boundaries of
	// cracks are shorter than the accuracy of the others and are dropped.
	crackSize := 0x1p-42 * (reach + 1)
	return slices.DeleteFunc(thickener.arrangement.boundary, func(s segment) bool {
		return math.Abs(s.x1-s.x0) < crackSize && math.Abs(s.y1-s.y0) < crackSize
	})
}

// addEdge adds the neighbourhood of an edge to the thickened union: for each part of the edge that
// is boundary, the hull of the squares at its two ends, as a ring.
func (thickener *thickener) addEdge(arr *arrangement, edge *edge) {
	thickener.spans = thickener.spans[:0]
	for _, own := range edge.ownSpans {
		thickener.spans = append(thickener.spans, own.slice(arr.spans)...)
	}
	for _, s := range merge(arr.vertices, thickener.spans) {
		part := arr.vertices.subsegment(edge.a, edge.b, s)
		thickener.points = thickener.points[:0]
		thickener.addCorners(part.x0, part.y0)
		thickener.addCorners(part.x1, part.y1)
		thickener.addHull()
	}
}

// addCorners adds the four corners of the square around a point to thickener.points.
func (thickener *thickener) addCorners(x, y float64) {
	thickener.points = append(thickener.points, floatPoint{x - thickness, y - thickness}, floatPoint{x - thickness, y + thickness},
		floatPoint{x + thickness, y - thickness}, floatPoint{x + thickness, y + thickness})
}

// addHull adds the convex hull of thickener.points as a ring, unless it has less than three corners
// after rounding.
func (thickener *thickener) addHull() {
	if r := thickener.roundRing(thickener.convexHull(thickener.points)); r.to-r.from >= 3 {
		thickener.arrangement.addRing(r, onLeft)
	}
}

// roundRing adds a polygon's points as vertices, rounded to the grid, and returns them as a ring. Each vertex
// is kept twice: in whole units of the grid, and as these units are in the polygon's own. Points that round to
// the one before or to the first one are left out.
func (thickener *thickener) roundRing(list []floatPoint) ring {
	grid := &thickener.grid
	r := ring{from: int32(len(grid.x))}
	for _, p := range list {
		x, y := toGridUnits(p.x, thickener.scale), toGridUnits(p.y, thickener.scale)
		isVertex := func(i int) bool { return grid.x[i] == x && grid.y[i] == y }
		if n := len(grid.x); n > int(r.from) && (isVertex(n-1) || isVertex(int(r.from))) {
			continue
		}
		grid.x = append(grid.x, x)
		grid.y = append(grid.y, y)
		thickener.vertices.x = append(thickener.vertices.x, float64(x)/thickener.scale)
		thickener.vertices.y = append(thickener.vertices.y, float64(y)/thickener.scale)
	}
	r.to = int32(len(grid.x))
	return r
}

// convexHull returns the convex hull of points, counter-clockwise. It uses Andrew's monotone chain:
// a pass over the sorted points for the lower side and one back for the upper side. It sorts the
// list; the result is valid until the next call.
func (thickener *thickener) convexHull(list []floatPoint) []floatPoint {
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
	hull := thickener.hull[:0]
	for pass, sideFrom := 0, 0; pass < 2; pass++ { // sideFrom is where in hull the side of this pass begins
		for _, p := range list {
			for len(hull) >= sideFrom+2 { // drop the last point of the hull unless the chain turns left there
				a, b := hull[len(hull)-2], hull[len(hull)-1]
				if float64((b.x-a.x)*(p.y-a.y))-float64((b.y-a.y)*(p.x-a.x)) > 0 {
					break
				}
				hull = hull[:len(hull)-1]
			}
			hull = append(hull, p)
		}
		hull = hull[:len(hull)-1]
		sideFrom = len(hull)
		slices.Reverse(list)
	}
	thickener.hull = hull
	return hull
}

// Hausdorff returns the Hausdorff distance of the boundaries of the tangram's union and its target.
// With decimal it compares them after thickening both. At least one piece must have area. See
// docs/spec/tangram.md#r41.
func (result *Result) Hausdorff(target *Target, decimal bool) float64 {
	if result.Equal && !decimal {
		return 0
	}
	hausdorffer := &result.evaluator.hausdorff
	hausdorffer.union = prepareSegments(hausdorffer.union[:0], result.boundary(target, decimal))
	if decimal {
		return hausdorffer.distance(hausdorffer.union, target.thickBoundary)
	}
	return hausdorffer.distance(hausdorffer.union, target.boundary)
}

// boundary returns the boundary of the union, thickened if decimal is set.
func (result *Result) boundary(target *Target, decimal bool) []segment {
	evaluator := result.evaluator
	if decimal {
		return evaluator.thickener.thicken(&evaluator.arrangement, result.Simple, result.HasArea, max(target.maxCoord, evaluator.maxCoord))
	}
	return evaluator.arrangement.boundary
}
