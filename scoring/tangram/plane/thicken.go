package plane

import (
	"math"
	"slices"
)

// epsilon is half of the contact distance of decimal answers: boundaries are
// compared after thickening by a square of this half side. See
// docs/spec/tangram.md#r42.
const epsilon = 1.0 / 600

// thickener is scratch for thicken.
type thickener struct {
	grid  gridKernel
	board board
	work  work
	scale float64
	spots []spot
	hull  []spot
	spans []span
}

// spot is a place as doubles.
type spot struct{ x, y float64 }

// thicken returns the boundary of the sum of the square and the regions of rings
// that take part: for a convex ring the hull of its shifted corners, for another
// one itself with the hull of every part of its boundary. Everything is put on a
// grid so fine that rounding moves nothing by more than 1e-15 or so near the
// origin; on it, all decisions are exact.
func (th *thickener) thicken(w *work, simple, takes []bool, reach float64) []segment {
	th.scale = 1
	for th.scale*2*(reach+1) < gridLimit/8 {
		th.scale *= 2
	}
	th.grid.x, th.grid.y = th.grid.x[:0], th.grid.y[:0]
	th.board.x, th.board.y = th.board.x[:0], th.board.y[:0]
	th.board.kernel = &th.grid
	th.work.reset(&th.board)
	th.board.slack = 0x1p-45 * (reach + 1) * (reach + 1)
	at := 0
	for i, r := range w.rings {
		from := at
		for at < len(w.edges) && w.edges[at].part == int32(i) {
			at++
		}
		switch {
		case !takes[i]:
		case simple[i] && w.k.convex(r):
			th.spots = th.spots[:0]
			for j := r.from; j < r.to; j++ {
				th.shift(w.k.x[j], w.k.y[j])
			}
			th.add()
		default:
			th.spots = th.spots[:0]
			for j := r.from; j < r.to; j++ {
				th.spots = append(th.spots, spot{w.k.x[j], w.k.y[j]})
			}
			th.work.cover(th.put(th.spots))
			for j := range w.edges[from:at] {
				th.edge(w, &w.edges[from+j])
			}
		}
	}
	th.board.identify()
	th.work.clip()
	th.work.exposed()
	// Rounding opens the edges that a polygon runs along twice: what shows in such
	// a crack is dropped. Boundaries lose less than they are accurate to.
	least := 0x1p-42 * (reach + 1)
	return slices.DeleteFunc(th.work.boundary, func(s segment) bool {
		return math.Abs(s.x1-s.x0) < least && math.Abs(s.y1-s.y0) < least
	})
}

// edge adds the hulls of the parts of an edge that are boundary.
func (th *thickener) edge(w *work, e *edge) {
	th.spans = th.spans[:0]
	for _, own := range e.own {
		th.spans = append(th.spans, own.of(w.spans)...)
	}
	for _, s := range union(w.k, th.spans) {
		p := w.k.part(e.a, e.b, s)
		th.spots = th.spots[:0]
		th.shift(p.x0, p.y0)
		th.shift(p.x1, p.y1)
		th.add()
	}
}

func (th *thickener) shift(x, y float64) {
	th.spots = append(th.spots, spot{x - epsilon, y - epsilon}, spot{x - epsilon, y + epsilon},
		spot{x + epsilon, y - epsilon}, spot{x + epsilon, y + epsilon})
}

// add adds the hull of the spots.
func (th *thickener) add() {
	if r := th.put(th.convexHull(th.spots)); r.to-r.from >= 3 {
		th.work.add(r, onLeft)
	}
}

// put puts spots on the grid, without neighbours that have become the same.
func (th *thickener) put(list []spot) ring {
	k := &th.grid
	r := ring{from: int32(len(k.x))}
	for _, s := range list {
		x, y := round(s.x, th.scale), round(s.y, th.scale)
		if n := len(k.x); n > int(r.from) && (k.x[n-1] == x && k.y[n-1] == y || k.x[r.from] == x && k.y[r.from] == y) {
			continue
		}
		k.x, k.y = append(k.x, x), append(k.y, y)
		th.board.x, th.board.y = append(th.board.x, float64(x)/th.scale), append(th.board.y, float64(y)/th.scale)
	}
	r.to = int32(len(k.x))
	return r
}

// convexHull is counter-clockwise. It sorts the list.
func (th *thickener) convexHull(list []spot) []spot {
	slices.SortFunc(list, func(a, b spot) int {
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

// Hausdorff returns the distance of the boundaries of the union and the target.
// decimal compares them after thickening. The result must have a part that takes
// part. See docs/spec/tangram.md#r41.
func (r *Result) Hausdorff(t *Target, decimal bool) float64 {
	if r.Equal && !decimal {
		return 0
	}
	e := r.e
	d := &e.dist
	if !decimal {
		d.own = prepared(d.own[:0], e.work.boundary)
		return d.between(d.own, t.sides)
	}
	d.own = prepared(d.own[:0], e.thick.thicken(&e.work, r.Simple, r.Takes, max(t.reach, e.reach)))
	return d.between(d.own, t.thick)
}
