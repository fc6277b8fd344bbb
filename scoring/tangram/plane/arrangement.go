package plane

// arrangement holds the rings of one evaluation, their edges, and how each edge lies relative to
// the other rings. Its buffers are reused.
type arrangement struct {
	vertices  *vertexSet
	rings     []ring
	boxes     []box
	edges     []edge
	crossings []span // parts of edges that have the region of another ring on a side; see edge.crossings
	spans     []span // memory of the lists of spans of the edges
	clipper   clipper

	// Scratch lists of one edge at a time: its parts with a region on a side, some of those, and
	// what is computed from them.
	clipped, selected, result []span
	boundary                  []segment // of the union
	overlapArea               []float64 // by pair of rings: i*n+j with i < j
	overlaps, sharesEdge      []bool    // by pair of rings
	clusterOf                 []int32   // of each ring, the lowest ring of its cluster
}

// edge is an edge of a ring from vertex a to b, with its position relative to the regions of its
// own and the other rings.
type edge struct {
	ring, a, b   int32
	box          box
	ownSpans     [2]spanRange // of spans: where its ring's region lies on the left only, on the right only
	crossings    spanRange    // of arrangement.crossings: the parts with another ring's region on a side
	exposedSpans [2]spanRange // of spans: the parts of ownSpans on the boundary of the union
}

// spanRange is a range of indices of a list of spans.
type spanRange struct{ from, to int32 }

func (s spanRange) slice(list []span) []span { return list[s.from:s.to] }

func (s spanRange) empty() bool { return s.from == s.to }

// sideAt returns the side for an index of edge.ownSpans and edge.exposedSpans: onLeft for 0,
// onRight for 1.
func sideAt(index int) sides { return sides(1 + index) }

// reset removes all rings and edges, and sets the vertices that later rings refer to.
func (arr *arrangement) reset(vertices *vertexSet) {
	arr.vertices = vertices
	arr.rings, arr.boxes, arr.edges = arr.rings[:0], arr.boxes[:0], arr.edges[:0]
	arr.crossings, arr.spans, arr.boundary = arr.crossings[:0], arr.spans[:0], arr.boundary[:0]
}

// storeSpans appends spans to arr.spans and returns where they are.
func (arr *arrangement) storeSpans(list ...span) spanRange {
	from := int32(len(arr.spans))
	arr.spans = append(arr.spans, list...)
	return spanRange{from, int32(len(arr.spans))}
}

// addCoverRing adds a polygon, given as a ring of vertices, without its edges, and returns its index.
// The polygon hides the boundaries of other rings inside its region, but contributes no boundary
// itself.
func (arr *arrangement) addCoverRing(r ring) int32 {
	arr.rings = append(arr.rings, r)
	arr.boxes = append(arr.boxes, arr.vertices.ringBox(r))
	return int32(len(arr.rings) - 1)
}

// addRing adds a ring, the outline of a polygon such as a tangram piece, with its edges. interior
// is the side of all edges on which its region lies, or 0 for a ring that crosses itself, where the
// side is found for each part of an edge. hasArea says whether the even-odd region has area.
func (arr *arrangement) addRing(ring ring, interior sides) (hasArea bool) {
	index := arr.addCoverRing(ring)
	if interior != 0 { // a simple ring: every edge is boundary over its full length
		full := arr.storeSpans(span{lo: start, hi: end})
		for i := ring.from; i < ring.to; i++ {
			e := edge{ring: index, a: i, b: ring.next(i), box: arr.vertices.edgeBox(i, ring.next(i))}
			e.ownSpans[interior>>1] = full // onLeft>>1 is 0, onRight>>1 is 1: the inverse of sideAt
			arr.edges = append(arr.edges, e)
		}
		return true
	}
	for i := ring.from; i < ring.to; i++ {
		e := edge{ring: index, a: i, b: ring.next(i), box: arr.vertices.edgeBox(i, ring.next(i))}
		hasArea = arr.findOwnSides(&e, ring) || hasArea // || after the call, which must happen for every edge
		arr.edges = append(arr.edges, e)
	}
	return hasArea
}

// findOwnSides finds the parts of an edge of a self-crossing polygon, a ring of vertices, that have the
// polygon's region on one side only. These are its boundary. It stores them in edge.ownSpans, by side,
// and reports whether there are any. Where several edges of the ring coincide, only the first one
// keeps the common part, so that it counts once.
func (arr *arrangement) findOwnSides(edge *edge, ring ring) (found bool) {
	vertices := arr.vertices
	arr.clipped = arr.clipper.clip(vertices, arr.clipped[:0], edge.a, edge.b, ring, 0)
	arr.selected = arr.selected[:0]
	for i := ring.from; i < edge.a; i++ { // the parts of earlier edges on the same line
		j := ring.next(i)
		if vertices.side(edge.a, edge.b, i) != 0 || vertices.side(edge.a, edge.b, j) != 0 {
			continue
		}
		lo, hi := vertices.atVertex(edge.a, edge.b, i), vertices.atVertex(edge.a, edge.b, j)
		if vertices.before(&hi, &lo) {
			lo, hi = hi, lo
		}
		arr.selected = append(arr.selected, span{lo: lo, hi: hi})
	}
	coincident := merge(vertices, arr.selected)
	for s := range edge.ownSpans {
		arr.result = arr.result[:0]
		for _, cut := range arr.clipped {
			if cut.sides != sideAt(s) {
				continue
			}
			arr.result = subtract(vertices, arr.result, cut.lo, cut.hi, coincident)
		}
		edge.ownSpans[s] = arr.storeSpans(merge(vertices, arr.result)...)
		found = found || len(arr.result) > 0
	}
	return found
}

// interiorSide returns the side of a simple polygon's edges on which its region lies: left where the
// vertices run counter-clockwise. The sign of the area decides. If rounding leaves that in doubt, an
// exact clip of an edge against the polygon itself decides.
func (arr *arrangement) interiorSide(ring ring) sides {
	vertices := arr.vertices
	doubleArea, maxError := 0.0, 0.0
	for i := ring.from + 1; i+1 < ring.to; i++ {
		doubleArea += vertices.crossFloat(ring.from, i, ring.from, i+1)
		maxError += 2 * vertices.crossError
	}
	switch {
	case doubleArea > maxError:
		return onLeft
	case doubleArea < -maxError:
		return onRight
	}
	for i := ring.from; i < ring.to; i++ {
		arr.clipped = arr.clipper.clip(vertices, arr.clipped[:0], i, ring.next(i), ring, 0)
		if len(arr.clipped) > 0 {
			return arr.clipped[0].sides
		}
	}
	return onLeft // unreachable: a simple ring has area
}

// clipEdges stores for each edge of a polygon the parts that have the region of another polygon on
// a side.
func (arr *arrangement) clipEdges() {
	for i := range arr.edges {
		edge := &arr.edges[i]
		edge.crossings.from = int32(len(arr.crossings))
		for other := range arr.rings {
			if int32(other) != edge.ring && edge.box.overlaps(&arr.boxes[other]) {
				arr.crossings = arr.clipper.clip(arr.vertices, arr.crossings, edge.a, edge.b, arr.rings[other], int32(other))
			}
		}
		edge.crossings.to = int32(len(arr.crossings))
	}
}

// intersectSpan returns the parts of a span that lie in a list of spans of the same polygon's edge,
// sorted and without overlaps. They are in result, valid until its next use; clipped is overwritten too.
func (arr *arrangement) intersectSpan(list []span, span *span) []span {
	if len(list) == 1 && list[0].lo == start && list[0].hi == end { // the whole edge, as of simple rings
		arr.result = append(arr.result[:0], *span)
		return arr.result
	}
	arr.clipped = append(arr.clipped[:0], *span)
	arr.result = intersect(arr.vertices, arr.result[:0], list, arr.clipped)
	return arr.result
}

// measurePairs finds which pairs of polygons overlap and with what area, and which share a part of
// their boundaries of positive length. clipEdges must come first. The intersection of two polygons is
// bounded by the parts of each one's edges that have the other on their own side, the side where the
// edge's polygon lies. Its area is the sum of the triangles that these parts form with a fixed point.
func (arr *arrangement) measurePairs() {
	n := int32(len(arr.rings))
	arr.overlapArea = zeroed(arr.overlapArea, n*n)
	arr.overlaps, arr.sharesEdge = zeroed(arr.overlaps, n*n), zeroed(arr.sharesEdge, n*n)
	for i := range arr.edges {
		edge := &arr.edges[i]
		for at := edge.crossings.from; at < edge.crossings.to; at++ {
			other := &arr.crossings[at]
			lower, higher := min(edge.ring, other.ring), max(edge.ring, other.ring)
			pair := lower*n + higher
			for index := range edge.ownSpans {
				ownSide := sideAt(index)
				if edge.ownSpans[index].empty() || arr.sharesEdge[pair] && other.sides&ownSide == 0 {
					continue // nothing new: the pair shares an edge already, and there is no overlap here
				}
				list := arr.intersectSpan(edge.ownSpans[index].slice(arr.spans), other)
				if len(list) == 0 {
					continue
				}
				// The other region on one side only means that its boundary runs along this edge.
				arr.sharesEdge[pair] = arr.sharesEdge[pair] || other.sides != bothSides
				if other.sides&ownSide == 0 {
					continue
				}
				arr.overlaps[pair] = true
				// An edge that both rings have with the region on the same side counts once.
				if other.sides == bothSides || edge.ring < other.ring {
					arr.overlapArea[pair] += arr.triangleArea(edge, ownSide, arr.rings[lower].from) * totalLength(list)
				}
			}
		}
	}
}

// zeroed returns a list of n zero values, in the memory of the given list if that is large
// enough.
func zeroed[T any](list []T, n int32) []T {
	if cap(list) < int(n) {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// triangleArea returns the signed area of the triangle of a polygon's edge and the vertex apex. inner is
// the side of the edge on which a region lies. Summed over the boundary of the region, these areas give
// the region's area, whichever vertex is the apex.
func (arr *arrangement) triangleArea(e *edge, inner sides, apex int32) float64 {
	value := arr.vertices.crossFloat(apex, e.a, apex, e.b) / 2
	if inner == onRight {
		return -value
	}
	return value
}

// findBoundary finds the boundary of the union of all polygons: the parts of each edge that no
// other polygon covers on the outer side. It stores them in the exposedSpans of each edge, and as segments in
// arr.boundary. Where two rings have the same edge with the region on the same side, only the first
// ring's counts.
func (arr *arrangement) findBoundary() {
	vertices := arr.vertices
	for i := range arr.edges {
		edge := &arr.edges[i]
		for index := range edge.ownSpans {
			ownSide := sideAt(index)
			if edge.ownSpans[index].empty() {
				continue
			}
			covers, exposed := arr.clipped[:0], arr.result[:0] // their memory is used again
			for _, cover := range edge.crossings.slice(arr.crossings) {
				// covered on the outer side, or the same edge of an earlier ring
				if cover.sides&^ownSide != 0 || cover.sides == ownSide && cover.ring < edge.ring {
					covers = append(covers, cover)
				}
			}
			covered := merge(vertices, covers)
			for _, ownSpan := range edge.ownSpans[index].slice(arr.spans) {
				exposed = subtract(vertices, exposed, ownSpan.lo, ownSpan.hi, covered)
			}
			arr.clipped, arr.result = covers, exposed
			edge.exposedSpans[index] = arr.storeSpans(exposed...)
			for _, span := range exposed {
				arr.boundary = append(arr.boundary, vertices.subsegment(edge.a, edge.b, span))
			}
		}
	}
}

// subsegment returns the part span of a polygon's edge from vertex a to b as a segment in doubles. At
// the ends of the edge it has the vertices' own coordinates, so that neighbours meet exactly. Products
// are converted to float64, so that no compiler fuses them with an addition and results are the same
// on every machine.
func (vertices *vertexSet) subsegment(a, b int32, span span) segment {
	ax, ay, dx, dy := vertices.x[a], vertices.y[a], vertices.x[b]-vertices.x[a], vertices.y[b]-vertices.y[a]
	out := segment{ax, ay, vertices.x[b], vertices.y[b]}
	if span.lo != start {
		out.x0, out.y0 = ax+float64(span.lo.value*dx), ay+float64(span.lo.value*dy)
	}
	if span.hi != end {
		out.x1, out.y1 = ax+float64(span.hi.value*dx), ay+float64(span.hi.value*dy)
	}
	return out
}

// unionArea returns the area of the union of all polygons, from the boundary that findBoundary
// found. Rings whose boxes meet form a cluster. Each cluster is measured relative to one of its own
// vertices, so that nothing is lost to rounding far from the origin.
func (arr *arrangement) unionArea() (sum float64) {
	// Find the clusters.
	n := len(arr.rings)
	arr.clusterOf = zeroed(arr.clusterOf, int32(n))
	for i := range arr.clusterOf {
		arr.clusterOf[i] = int32(i)
	}
	for i := range n {
		for j := range i {
			if clusterI, clusterJ := arr.clusterOf[i], arr.clusterOf[j]; clusterI != clusterJ &&
				arr.boxes[i].overlaps(&arr.boxes[j]) {
				for ring := range arr.clusterOf[:i+1] { // join the two clusters under the lower number
					if arr.clusterOf[ring] == max(clusterI, clusterJ) {
						arr.clusterOf[ring] = min(clusterI, clusterJ)
					}
				}
			}
		}
	}
	// Add up the triangles of the boundary, each with the first vertex of its cluster.
	for i := range arr.edges {
		edge := &arr.edges[i]
		for side, exposed := range edge.exposedSpans {
			if !exposed.empty() {
				sum += arr.triangleArea(edge, sideAt(side),
					arr.rings[arr.clusterOf[edge.ring]].from) * totalLength(exposed.slice(arr.spans))
			}
		}
	}
	return sum
}

// compareTarget returns the area that the union of the polygons shares with the target's outline, and
// whether the two regions are equal. The boundary of the shared region has two kinds of parts: those of
// the union's boundary with the target on the inner side, and those of the target's boundary with the
// union on both sides.
func (arr *arrangement) compareTarget(target ring) (shared float64, equal bool) {
	vertices := arr.vertices
	equal = len(arr.boundary) > 0
	targetBox := vertices.ringBox(target)
	// Parts of the union's boundary.
	for i := range arr.edges {
		edge := &arr.edges[i]
		if edge.exposedSpans[0].empty() && edge.exposedSpans[1].empty() {
			continue
		}
		arr.clipped = arr.clipped[:0]
		if edge.box.overlaps(&targetBox) {
			arr.clipped = arr.clipper.clip(vertices, arr.clipped, edge.a, edge.b, target, -1) // -1: the target is none of arr.rings
		}
		for index, exposedRange := range edge.exposedSpans {
			if exposedRange.empty() {
				continue
			}
			ownSide := sideAt(index)
			inner, outer := arr.splitBySide(arr.clipped, ownSide)
			exposed := exposedRange.slice(arr.spans)
			arr.result = intersect(vertices, arr.result[:0], exposed, inner)
			shared += arr.triangleArea(edge, ownSide, target.from) * totalLength(arr.result)
			if equal { // so far: the target must lie on the inner side all along, and nowhere on the outer side
				equal = containsAll(vertices, inner, exposed) && len(intersect(vertices, arr.result[:0], exposed, outer)) == 0
			}
		}
	}
	if equal { // then no part of the target's boundary lies inside the union
		return shared, true
	}
	// Parts of the target's boundary.
	for i := target.from; i < target.to; i++ {
		targetEdge := edge{a: i, b: target.next(i), box: vertices.edgeBox(i, target.next(i))}
		arr.clipped = arr.clipped[:0]
		for index, r := range arr.rings {
			if targetEdge.box.overlaps(&arr.boxes[index]) {
				arr.clipped = arr.clipper.clip(vertices, arr.clipped, targetEdge.a, targetEdge.b, r, int32(index))
			}
		}
		if len(arr.clipped) == 0 {
			continue
		}
		left, right := arr.splitBySide(arr.clipped, onLeft)
		arr.result = intersect(vertices, arr.result[:0], left, right)
		shared += arr.triangleArea(&targetEdge, onLeft, target.from) * totalLength(arr.result)
	}
	return shared, equal
}

// splitBySide returns the merged parts of a polygon's edge that have another region on the given
// side, and those that have it on the opposite side. A part with the region on both sides is in
// both lists. side is onLeft or onRight. Both lists are in selected and valid until its next use.
func (arr *arrangement) splitBySide(list []span, side sides) (same, opposite []span) {
	arr.selected = arr.selected[:0]
	for _, s := range list {
		if s.sides&side != 0 {
			arr.selected = append(arr.selected, s)
		}
	}
	n := len(arr.selected)
	for _, s := range list {
		if s.sides&^side != 0 { // there are two sides, so what remains is the opposite one
			arr.selected = append(arr.selected, s)
		}
	}
	return merge(arr.vertices, arr.selected[:n:n]), merge(arr.vertices, arr.selected[n:])
}

// boundariesMeet reports whether the boundaries of polygons i and j, corners included, have a point in
// common. An edge of a ring that crosses itself may lie within the ring's region, and is no boundary
// there. So where segmentsMeet finds a common point, edgesMeet asks whether it is on both boundaries.
func (arr *arrangement) boundariesMeet(i, j int32) bool {
	if !arr.boxes[i].overlaps(&arr.boxes[j]) {
		return false
	}
	for first := range arr.edges {
		edge := &arr.edges[first]
		if edge.ring != i || !edge.box.overlaps(&arr.boxes[j]) {
			continue
		}
		for second := range arr.edges {
			other := &arr.edges[second]
			if other.ring == j && edge.box.overlaps(&other.box) && arr.vertices.segmentsMeet(edge.a, edge.b, other.a, other.b) &&
				arr.edgesMeet(edge, other) {
				return true
			}
		}
	}
	return false
}

// edgesMeet reports whether two intersecting edges of polygons meet at a point of both polygons'
// boundaries. Parts of a self-crossing ring's edges that have its region on both sides or on none
// are not boundary.
func (arr *arrangement) edgesMeet(e, f *edge) bool {
	vertices := arr.vertices
	if vertices.side(e.a, e.b, f.a) == 0 && vertices.side(e.a, e.b, f.b) == 0 {
		return arr.collinearMeet(e, f)
	}
	return arr.isOnBoundary(e, vertices.atCrossing(e.a, e.b, f.a, f.b)) &&
		arr.isOnBoundary(f, vertices.atCrossing(f.a, f.b, e.a, e.b))
}

// isOnBoundary reports whether the point p of an edge lies on the boundary of the edge's polygon: in a
// part of the edge that has the polygon's region on one side only.
func (arr *arrangement) isOnBoundary(e *edge, p edgeParam) bool {
	for _, own := range e.ownSpans {
		for _, s := range own.slice(arr.spans) {
			if arr.vertices.compare(s.lo, p) <= 0 && arr.vertices.compare(s.hi, p) >= 0 {
				return true
			}
		}
	}
	return false
}

// collinearMeet reports whether two edges that lie on one line have a point in common that is on the
// boundary of both polygons. It is edgesMeet for collinear edges, which meet along a stretch. A
// stretch of an edge is given by edge parameters: 0 is the edge's start and 1 its end, so those of f
// must be converted before they are compared with those of e.
func (arr *arrangement) collinearMeet(e, f *edge) bool {
	vertices := arr.vertices
	// paramOnE returns the parameter on e of the point that has the parameter p on f. A line that
	// crosses f in the point crosses e there too, because e and f lie on one line.
	paramOnE := func(p edgeParam) edgeParam {
		switch {
		case p == start:
			return vertices.atVertex(e.a, e.b, f.a)
		case p == end:
			return vertices.atVertex(e.a, e.b, f.b)
		case !p.isCrossing(): // the point is the vertex p.c
			return vertices.atVertex(e.a, e.b, p.c)
		}
		return vertices.atCrossing(e.a, e.b, p.c, p.d)
	}
	for _, fSpans := range f.ownSpans {
		for _, fSpan := range fSpans.slice(arr.spans) {
			lo, hi := paramOnE(fSpan.lo), paramOnE(fSpan.hi)
			if vertices.compare(lo, hi) > 0 {
				lo, hi = hi, lo
			}
			for _, eSpans := range e.ownSpans {
				for _, eSpan := range eSpans.slice(arr.spans) {
					if vertices.compare(lo, eSpan.hi) <= 0 && vertices.compare(eSpan.lo, hi) <= 0 {
						return true
					}
				}
			}
		}
	}
	return false
}
