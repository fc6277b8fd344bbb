package plane

// arrangement holds the rings of one evaluation, their edges, and how each edge lies relative to
// the other rings. Its buffers are reused.
type arrangement struct {
	vs        *vertexSet
	rings     []ring
	boxes     []box
	edges     []edge
	crossings []span // where edges have the regions of other rings on a side
	spans     []span // where edges have their own region on one side only; what of it is exposed
	clipper   clipper

	scratchA, scratchB, scratchC []span    // memory for lists of one edge at a time
	boundary                     []segment // of the union
	overlapArea                  []float64 // by pair of rings: i*n+j with i < j
	overlaps, sharesEdge         []bool    // by pair of rings
	cluster                      []int32   // of each ring, the lowest ring of its cluster
}

// edge is an edge of a ring from vertex a to b, with its position relative to the regions of its
// own and the other rings.
type edge struct {
	ring, a, b int32
	box        box
	own        [2]sublist // of spans: where its ring's region lies on the left only, on the right only
	crossings  sublist    // of crossings
	exposed    [2]sublist // of spans: the parts of own on the boundary of the union
}

// sublist is a range of indices of a list of spans.
type sublist struct{ from, to int32 }

func (s sublist) slice(list []span) []span { return list[s.from:s.to] }

// reset empties the arrangement for the vertices of vs.
func (w *arrangement) reset(vs *vertexSet) {
	w.vs = vs
	w.rings, w.boxes, w.edges = w.rings[:0], w.boxes[:0], w.edges[:0]
	w.crossings, w.spans, w.boundary = w.crossings[:0], w.spans[:0], w.boundary[:0]
}

// store appends spans to w.spans and returns where they are.
func (w *arrangement) store(list ...span) sublist {
	from := int32(len(w.spans))
	w.spans = append(w.spans, list...)
	return sublist{from, int32(len(w.spans))}
}

// addCover adds a ring without its edges: it hides boundary inside its region but has no boundary
// itself.
func (w *arrangement) addCover(r ring) int32 {
	w.rings = append(w.rings, r)
	w.boxes = append(w.boxes, w.vs.ringBox(r))
	return int32(len(w.rings) - 1)
}

// add adds a ring with its edges. interior is the side of the edges on which the region lies, or 0
// for a ring that crosses itself, where it differs. add reports whether the ring has area.
func (w *arrangement) add(r ring, interior sides) (area bool) {
	index := w.addCover(r)
	if interior != 0 {
		full := w.store(span{lo: start, hi: end})
		for i := r.from; i < r.to; i++ {
			e := edge{ring: index, a: i, b: r.next(i), box: w.vs.edgeBox(i, r.next(i))}
			e.own[interior>>1] = full
			w.edges = append(w.edges, e)
		}
		return true
	}
	for i := r.from; i < r.to; i++ {
		e := edge{ring: index, a: i, b: r.next(i), box: w.vs.edgeBox(i, r.next(i))}
		area = w.findOwnSides(&e, r) || area
		w.edges = append(w.edges, e)
	}
	return area
}

// findOwnSides finds the parts of an edge that have the region of its self-crossing ring on one
// side only. Where several edges of the ring coincide, the first one counts.
func (w *arrangement) findOwnSides(e *edge, r ring) (any bool) {
	vs := w.vs
	w.scratchA = w.clipper.clip(vs, w.scratchA[:0], e.a, e.b, r, 0)
	w.scratchB = w.scratchB[:0]
	for i := r.from; i < e.a; i++ {
		j := r.next(i)
		if vs.side(e.a, e.b, i) != 0 || vs.side(e.a, e.b, j) != 0 {
			continue
		}
		lo, hi := vs.atVertex(e.a, e.b, i), vs.atVertex(e.a, e.b, j)
		if vs.before(&hi, &lo) {
			lo, hi = hi, lo
		}
		w.scratchB = append(w.scratchB, span{lo: lo, hi: hi})
	}
	taken := merge(vs, w.scratchB)
	for s := range e.own {
		w.scratchC = w.scratchC[:0]
		for _, h := range w.scratchA {
			if h.sides != sides(1+s) {
				continue
			}
			w.scratchC = subtract(vs, w.scratchC, h.lo, h.hi, taken)
		}
		e.own[s] = w.store(merge(vs, w.scratchC)...)
		any = any || len(w.scratchC) > 0
	}
	return any
}

// interiorSide returns the side of the edges of a simple ring on which its region lies.
func (w *arrangement) interiorSide(r ring) sides {
	vs := w.vs
	sum, slack := 0.0, 0.0
	for i := r.from + 1; i+1 < r.to; i++ {
		sum += vs.crossFloat(r.from, i, r.from, i+1)
		slack += 2 * vs.slack
	}
	switch {
	case sum > slack:
		return onLeft
	case sum < -slack:
		return onRight
	}
	for i := r.from; i < r.to; i++ {
		w.scratchA = w.clipper.clip(vs, w.scratchA[:0], i, r.next(i), r, 0)
		for _, s := range w.scratchA {
			return s.sides
		}
	}
	return onLeft // unreachable: a simple ring has area
}

// clipEdges clips every edge of the pieces and the target against all other polygons.
func (w *arrangement) clipEdges() {
	for i := range w.edges {
		e := &w.edges[i]
		e.crossings.from = int32(len(w.crossings))
		for q := range w.rings {
			if int32(q) != e.ring && e.box.overlaps(&w.boxes[q]) {
				w.crossings = w.clipper.clip(w.vs, w.crossings, e.a, e.b, w.rings[q], int32(q))
			}
		}
		e.crossings.to = int32(len(w.crossings))
	}
}

// intersectWith returns the parts of a span that lie in a merged list. The result is valid until
// the next use of scratchC.
func (w *arrangement) intersectWith(list []span, h *span) []span {
	if len(list) == 1 && list[0].lo == start && list[0].hi == end {
		w.scratchC = append(w.scratchC[:0], *h)
		return w.scratchC
	}
	w.scratchA = append(w.scratchA[:0], *h)
	w.scratchC = intersect(w.vs, w.scratchC[:0], list, w.scratchA)
	return w.scratchC
}

// measurePairs finds which pairs of rings overlap, with the areas, and which share a part of their
// boundaries.
func (w *arrangement) measurePairs() {
	n := int32(len(w.rings))
	w.overlapArea = zeroed(w.overlapArea, n*n)
	w.overlaps, w.sharesEdge = zeroed(w.overlaps, n*n), zeroed(w.sharesEdge, n*n)
	for i := range w.edges {
		e := &w.edges[i]
		for at := e.crossings.from; at < e.crossings.to; at++ {
			h := &w.crossings[at]
			lo, hi := min(e.ring, h.ring), max(e.ring, h.ring)
			pair := lo*n + hi
			for s := range e.own {
				own := sides(1 + s)
				if e.own[s].from == e.own[s].to || w.sharesEdge[pair] && h.sides&own == 0 {
					continue
				}
				list := w.intersectWith(e.own[s].slice(w.spans), h)
				if len(list) == 0 {
					continue
				}
				w.sharesEdge[pair] = w.sharesEdge[pair] || h.sides != inside
				if h.sides&own == 0 {
					continue
				}
				w.overlaps[pair] = true
				// An edge that both rings have with the region on the same side counts once.
				if h.sides == inside || e.ring < h.ring {
					w.overlapArea[pair] += w.triangleArea(e, own, w.rings[lo].from) * length(list)
				}
			}
		}
	}
}

// zeroed returns a list of n zero values for one evaluation, in the memory of the given list if it
// is large enough.
func zeroed[T any](list []T, n int32) []T {
	if cap(list) < int(n) {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// triangleArea returns the signed area of the triangle of an edge and the point o: the edge's term
// in the area of a region that lies on the side own.
func (w *arrangement) triangleArea(e *edge, own sides, o int32) float64 {
	v := w.vs.crossFloat(o, e.a, o, e.b) / 2
	if own == onRight {
		return -v
	}
	return v
}

// findBoundary finds the boundary of the union: the parts of every edge that no ring covers on the
// outer side. Where two rings have the same edge on the same side, the first ring's counts.
func (w *arrangement) findBoundary() {
	vs := w.vs
	for i := range w.edges {
		e := &w.edges[i]
		for s := range e.own {
			own := sides(1 + s)
			if e.own[s].from == e.own[s].to {
				continue
			}
			w.scratchA = w.scratchA[:0]
			for _, h := range e.crossings.slice(w.crossings) {
				if h.sides&^own != 0 || h.sides == own && h.ring < e.ring {
					w.scratchA = append(w.scratchA, h)
				}
			}
			covered := merge(vs, w.scratchA)
			w.scratchC = w.scratchC[:0]
			for _, p := range e.own[s].slice(w.spans) {
				w.scratchC = subtract(vs, w.scratchC, p.lo, p.hi, covered)
			}
			e.exposed[s] = w.store(w.scratchC...)
			for _, o := range w.scratchC {
				w.boundary = append(w.boundary, vs.subsegment(e.a, e.b, o))
			}
		}
	}
}

// subsegment returns the part s of a piece's edge from a to b.
func (vs *vertexSet) subsegment(a, b int32, s span) segment {
	ax, ay, dx, dy := vs.x[a], vs.y[a], vs.x[b]-vs.x[a], vs.y[b]-vs.y[a]
	out := segment{ax, ay, vs.x[b], vs.y[b]}
	if s.lo != start {
		out.x0, out.y0 = ax+float64(s.lo.f*dx), ay+float64(s.lo.f*dy)
	}
	if s.hi != end {
		out.x1, out.y1 = ax+float64(s.hi.f*dx), ay+float64(s.hi.f*dy)
	}
	return out
}

// unionArea returns the area of the union. Rings whose boxes meet form a cluster, and each cluster
// is measured relative to a vertex of its own, so that nothing is lost to rounding far from the
// origin.
func (w *arrangement) unionArea() (sum float64) {
	n := len(w.rings)
	w.cluster = zeroed(w.cluster, int32(n))
	for i := range w.cluster {
		w.cluster[i] = int32(i)
	}
	for i := range n {
		for j := range i {
			if a, b := w.cluster[i], w.cluster[j]; a != b && w.boxes[i].overlaps(&w.boxes[j]) {
				for q := range w.cluster[:i+1] {
					if w.cluster[q] == max(a, b) {
						w.cluster[q] = min(a, b)
					}
				}
			}
		}
	}
	for i := range w.edges {
		e := &w.edges[i]
		for s, out := range e.exposed {
			if out.from < out.to {
				sum += w.triangleArea(e, sides(1+s), w.rings[w.cluster[e.ring]].from) * length(out.slice(w.spans))
			}
		}
	}
	return sum
}

// compareTarget returns the area that the union shares with the target, and whether the two are
// equal. The shared area is bounded by the union's boundary where the target lies on its inner
// side, and by the target's boundary where the union lies on both sides.
func (w *arrangement) compareTarget(t ring) (shared float64, equal bool) {
	vs := w.vs
	equal = len(w.boundary) > 0
	targetBox := vs.ringBox(t)
	for i := range w.edges {
		e := &w.edges[i]
		if e.exposed[0].from == e.exposed[0].to && e.exposed[1].from == e.exposed[1].to {
			continue
		}
		w.scratchA = w.scratchA[:0]
		if e.box.overlaps(&targetBox) {
			w.scratchA = w.clipper.clip(vs, w.scratchA, e.a, e.b, t, -1)
		}
		for s, out := range e.exposed {
			if out.from == out.to {
				continue
			}
			own := sides(1 + s)
			inner, outer := w.splitBySide(w.scratchA, own)
			exposed := out.slice(w.spans)
			w.scratchC = intersect(vs, w.scratchC[:0], exposed, inner)
			shared += w.triangleArea(e, own, t.from) * length(w.scratchC)
			if equal {
				equal = containsAll(vs, inner, exposed) && len(intersect(vs, w.scratchC[:0], exposed, outer)) == 0
			}
		}
	}
	if equal { // then no part of the target's boundary lies inside the union
		return shared, true
	}
	for i := t.from; i < t.to; i++ {
		e := edge{a: i, b: t.next(i), box: vs.edgeBox(i, t.next(i))}
		w.scratchA = w.scratchA[:0]
		for q, r := range w.rings {
			if e.box.overlaps(&w.boxes[q]) {
				w.scratchA = w.clipper.clip(vs, w.scratchA, e.a, e.b, r, int32(q))
			}
		}
		if len(w.scratchA) == 0 {
			continue
		}
		left, right := w.splitBySide(w.scratchA, onLeft)
		w.scratchC = intersect(vs, w.scratchC[:0], left, right)
		shared += w.triangleArea(&e, onLeft, t.from) * length(w.scratchC)
	}
	return shared, equal
}

// splitBySide returns the merged parts of an edge that have a region on the given side, and those
// that have one on the opposite side. A part with regions on both sides is in both lists. Both are
// in scratchB, one behind the other, and are valid until its next use. side is onLeft or onRight.
func (w *arrangement) splitBySide(list []span, side sides) (same, opposite []span) {
	w.scratchB = w.scratchB[:0]
	for _, s := range list {
		if s.sides&side != 0 {
			w.scratchB = append(w.scratchB, s)
		}
	}
	n := len(w.scratchB)
	for _, s := range list {
		if s.sides&^side != 0 { // there are two sides, so what remains is the opposite one
			w.scratchB = append(w.scratchB, s)
		}
	}
	return merge(w.vs, w.scratchB[:n:n]), merge(w.vs, w.scratchB[n:])
}

// boundariesMeet reports whether the closed boundaries of two rings have a point in common.
func (w *arrangement) boundariesMeet(i, j int32) bool {
	if !w.boxes[i].overlaps(&w.boxes[j]) {
		return false
	}
	for a := range w.edges {
		e := &w.edges[a]
		if e.ring != i || !e.box.overlaps(&w.boxes[j]) {
			continue
		}
		for b := range w.edges {
			f := &w.edges[b]
			if f.ring == j && e.box.overlaps(&f.box) && w.vs.segmentsMeet(e.a, e.b, f.a, f.b) && w.edgesMeet(e, f) {
				return true
			}
		}
	}
	return false
}

// edgesMeet reports whether two edges that intersect do so at a point on both rings' boundaries.
// Parts of the edges of a self-crossing ring are not boundary.
func (w *arrangement) edgesMeet(e, f *edge) bool {
	vs := w.vs
	if vs.side(e.a, e.b, f.a) == 0 && vs.side(e.a, e.b, f.b) == 0 {
		return w.collinearMeet(e, f)
	}
	return w.onBoundary(e, vs.atCrossing(e.a, e.b, f.a, f.b)) && w.onBoundary(f, vs.atCrossing(f.a, f.b, e.a, e.b))
}

// onBoundary reports whether a point of an edge is on the boundary of the edge's ring.
func (w *arrangement) onBoundary(e *edge, p edgeParam) bool {
	for _, own := range e.own {
		for _, s := range own.slice(w.spans) {
			if w.vs.compare(s.lo, p) <= 0 && w.vs.compare(s.hi, p) >= 0 {
				return true
			}
		}
	}
	return false
}

// collinearMeet is edgesMeet for two edges on one line.
func (w *arrangement) collinearMeet(e, f *edge) bool {
	vs := w.vs
	// toE converts a parameter of f to one of e: a line that crosses f there crosses e too.
	toE := func(p edgeParam) edgeParam {
		switch {
		case p == start:
			return vs.atVertex(e.a, e.b, f.a)
		case p == end:
			return vs.atVertex(e.a, e.b, f.b)
		case p.d < 0:
			return vs.atVertex(e.a, e.b, p.c)
		}
		return vs.atCrossing(e.a, e.b, p.c, p.d)
	}
	for _, own := range f.own {
		for _, s := range own.slice(w.spans) {
			lo, hi := toE(s.lo), toE(s.hi)
			if vs.compare(lo, hi) > 0 {
				lo, hi = hi, lo
			}
			for _, mine := range e.own {
				for _, m := range mine.slice(w.spans) {
					if vs.compare(lo, m.hi) <= 0 && vs.compare(m.lo, hi) <= 0 {
						return true
					}
				}
			}
		}
	}
	return false
}
