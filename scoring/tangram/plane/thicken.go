package plane

import (
	"math"
	"slices"
)

// epsilon is half of the distance at which pieces of decimal answers touch. Their boundaries are
// compared after thickening by a square of this half side. See docs/spec/tangram.md#r42.
const epsilon = 1.0 / 600

// thickener computes thickened boundaries. It holds the scratch memory.
type thickener struct {
	grid     gridKernel
	vertices vertexSet
	arr      arrangement
	scale    float64
	points   []floatPoint
	hull     []floatPoint
	spans    []span
}

// floatPoint is a point in doubles.
type floatPoint struct{ x, y float64 }

// thicken returns the boundary of the Minkowski sum of the union of the rings and the square. A
// convex ring becomes the hull of its shifted corners; another one becomes itself and the hulls of
// the parts of its boundary. All points are rounded to a grid that moves none by more than about
// 1e-15 near the origin, and on the grid all decisions are exact.
func (th *thickener) thicken(w *arrangement, simple, hasArea []bool, reach float64) []segment {
	th.scale = 1
	for th.scale*2*(reach+1) < gridLimit/8 {
		th.scale *= 2
	}
	th.grid.x, th.grid.y = th.grid.x[:0], th.grid.y[:0]
	th.vertices.x, th.vertices.y = th.vertices.x[:0], th.vertices.y[:0]
	th.vertices.kernel = &th.grid
	th.arr.reset(&th.vertices)
	th.vertices.slack = 0x1p-45 * (reach + 1) * (reach + 1)
	at := 0
	for i, r := range w.rings {
		from := at
		for at < len(w.edges) && w.edges[at].ring == int32(i) {
			at++
		}
		switch {
		case !hasArea[i]:
		case simple[i] && w.vs.convex(r):
			th.points = th.points[:0]
			for j := r.from; j < r.to; j++ {
				th.addCorners(w.vs.x[j], w.vs.y[j])
			}
			th.addHull()
		default:
			th.points = th.points[:0]
			for j := r.from; j < r.to; j++ {
				th.points = append(th.points, floatPoint{w.vs.x[j], w.vs.y[j]})
			}
			th.arr.addCover(th.putRing(th.points))
			for j := range w.edges[from:at] {
				th.addEdge(w, &w.edges[from+j])
			}
		}
	}
	th.vertices.findDuplicates()
	th.arr.clipEdges()
	th.arr.findBoundary()
	// Rounding opens cracks along edges that a polygon visits twice. The boundaries of
	// cracks are shorter than the accuracy of the others and are dropped.
	least := 0x1p-42 * (reach + 1)
	return slices.DeleteFunc(th.arr.boundary, func(s segment) bool {
		return math.Abs(s.x1-s.x0) < least && math.Abs(s.y1-s.y0) < least
	})
}

// addEdge adds the hulls of the boundary parts of an edge.
func (th *thickener) addEdge(w *arrangement, e *edge) {
	th.spans = th.spans[:0]
	for _, own := range e.own {
		th.spans = append(th.spans, own.slice(w.spans)...)
	}
	for _, s := range merge(w.vs, th.spans) {
		p := w.vs.subsegment(e.a, e.b, s)
		th.points = th.points[:0]
		th.addCorners(p.x0, p.y0)
		th.addCorners(p.x1, p.y1)
		th.addHull()
	}
}

// addCorners adds the corners of the square around a point.
func (th *thickener) addCorners(x, y float64) {
	th.points = append(th.points, floatPoint{x - epsilon, y - epsilon}, floatPoint{x - epsilon, y + epsilon},
		floatPoint{x + epsilon, y - epsilon}, floatPoint{x + epsilon, y + epsilon})
}

// addHull adds the convex hull of the collected points as a ring.
func (th *thickener) addHull() {
	if r := th.putRing(th.convexHull(th.points)); r.to-r.from >= 3 {
		th.arr.add(r, onLeft)
	}
}

// putRing rounds points to the grid and returns them as a ring, without consecutive duplicates.
func (th *thickener) putRing(list []floatPoint) ring {
	k := &th.grid
	r := ring{from: int32(len(k.x))}
	for _, s := range list {
		x, y := round(s.x, th.scale), round(s.y, th.scale)
		if n := len(k.x); n > int(r.from) && (k.x[n-1] == x && k.y[n-1] == y || k.x[r.from] == x && k.y[r.from] == y) {
			continue
		}
		k.x, k.y = append(k.x, x), append(k.y, y)
		th.vertices.x, th.vertices.y = append(th.vertices.x, float64(x)/th.scale), append(th.vertices.y, float64(y)/th.scale)
	}
	r.to = int32(len(k.x))
	return r
}

// convexHull returns the convex hull, counter-clockwise, by Andrew's monotone chain. It sorts the
// list.
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
	h := th.hull[:0]
	for pass, from := 0, 0; pass < 2; pass++ {
		for _, s := range list {
			for len(h) >= from+2 {
				a, b := h[len(h)-2], h[len(h)-1]
				if float64((b.x-a.x)*(s.y-a.y))-float64((b.y-a.y)*(s.x-a.x)) > 0 {
					break
				}
				h = h[:len(h)-1]
			}
			h = append(h, s)
		}
		h = h[:len(h)-1]
		from = len(h)
		slices.Reverse(list)
	}
	th.hull = h
	return h
}

// Hausdorff returns the Hausdorff distance of the boundaries of the union and the target. decimal
// compares them after thickening. At least one piece must have area. See docs/spec/tangram.md#r41.
func (r *Result) Hausdorff(t *Target, decimal bool) float64 {
	if r.Equal && !decimal {
		return 0
	}
	d := &r.evaluator.hausdorff
	d.union = prepareSegments(d.union[:0], r.boundary(t, decimal))
	if decimal {
		return d.distance(d.union, t.thickBoundary)
	}
	return d.distance(d.union, t.boundary)
}

// boundary returns the boundary of the union, thickened if decimal is set.
func (r *Result) boundary(t *Target, decimal bool) []segment {
	e := r.evaluator
	if decimal {
		return e.thickener.thicken(&e.arr, r.Simple, r.HasArea, max(t.maxCoord, e.maxCoord))
	}
	return e.arr.boundary
}
