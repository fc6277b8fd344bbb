package plane

// work is the state of one evaluation, in memory that is used again.
type work struct {
	k     *board
	rings []ring
	boxes []box
	edges []edge
	hits  []span // of all edges
	spans []span // of all edges: where their piece lies on one side, and what is exposed
	cut   cutter

	list, other, third []span // scratch
	boundary           []segment
	overlap            []float64 // by pair, i*n+j with i < j
	meets, share       []bool
	cluster            []int32 // of each ring, the first of those whose boxes meet
}

// edge is an edge of a ring, with how the other rings lie to it.
type edge struct {
	part, a, b int32
	box        box
	own        [2]stretch // of spans: where its ring lies on the left only, on the right only
	hits       stretch    // of hits
	out        [2]stretch // of spans: as own, what of it is on the boundary of the union
}

// stretch is a part of a list.
type stretch struct{ from, to int32 }

func (s stretch) of(list []span) []span { return list[s.from:s.to] }

func (w *work) reset(k *board) {
	w.k = k
	w.rings, w.boxes, w.edges = w.rings[:0], w.boxes[:0], w.edges[:0]
	w.hits, w.spans, w.boundary = w.hits[:0], w.spans[:0], w.boundary[:0]
}

// keep notes spans and returns where they stand.
func (w *work) keep(list ...span) stretch {
	from := int32(len(w.spans))
	w.spans = append(w.spans, list...)
	return stretch{from, int32(len(w.spans))}
}

// cover adds a ring that hides what is in it but has no boundary of its own.
func (w *work) cover(r ring) int32 {
	w.rings = append(w.rings, r)
	w.boxes = append(w.boxes, w.k.box(r))
	return int32(len(w.rings) - 1)
}

// add adds a ring with its edges; turned is the side of them on which it lies, 0
// where that differs. It returns whether the ring has area.
func (w *work) add(r ring, turned sides) (area bool) {
	part := w.cover(r)
	if turned != 0 {
		full := w.keep(span{lo: start, hi: end})
		for i := r.from; i < r.to; i++ {
			e := edge{part: part, a: i, b: r.next(i), box: w.k.segment(i, r.next(i))}
			e.own[turned>>1] = full
			w.edges = append(w.edges, e)
		}
		return true
	}
	for i := r.from; i < r.to; i++ {
		e := edge{part: part, a: i, b: r.next(i), box: w.k.segment(i, r.next(i))}
		area = w.oneSided(&e, r) || area
		w.edges = append(w.edges, e)
	}
	return area
}

// oneSided finds where an edge of a ring that crosses itself has the region on
// one side only; where several edges run together the first one counts.
func (w *work) oneSided(e *edge, r ring) (any bool) {
	k := w.k
	w.list = w.cut.clip(k, w.list[:0], e.a, e.b, r, 0)
	w.other = w.other[:0]
	for i := r.from; i < e.a; i++ {
		j := r.next(i)
		if k.side(e.a, e.b, i) != 0 || k.side(e.a, e.b, j) != 0 {
			continue
		}
		lo, hi := k.on(e.a, e.b, i), k.on(e.a, e.b, j)
		if k.before(&hi, &lo) {
			lo, hi = hi, lo
		}
		w.other = append(w.other, span{lo: lo, hi: hi})
	}
	taken := union(k, w.other)
	for s := range e.own {
		w.third = w.third[:0]
		for _, h := range w.list {
			if h.rel != sides(1+s) {
				continue
			}
			w.third = rest(k, w.third, h.lo, h.hi, taken)
		}
		e.own[s] = w.keep(union(k, w.third)...)
		any = any || len(w.third) > 0
	}
	return any
}

// turned is the side of its edges on which a simple ring lies.
func (w *work) turned(r ring) sides {
	k := w.k
	sum, slack := 0.0, 0.0
	for i := r.from + 1; i+1 < r.to; i++ {
		sum += k.product(r.from, i, r.from, i+1)
		slack += 2 * k.slack
	}
	switch {
	case sum > slack:
		return onLeft
	case sum < -slack:
		return onRight
	}
	for i := r.from; i < r.to; i++ {
		w.list = w.cut.clip(k, w.list[:0], i, r.next(i), r, 0)
		for _, s := range w.list {
			return s.rel
		}
	}
	return onLeft // never: a simple ring has area
}

// clip finds how the rings lie to every edge.
func (w *work) clip() {
	for i := range w.edges {
		e := &w.edges[i]
		e.hits.from = int32(len(w.hits))
		for q := range w.rings {
			if int32(q) != e.part && e.box.meets(&w.boxes[q]) {
				w.hits = w.cut.clip(w.k, w.hits, e.a, e.b, w.rings[q], int32(q))
			}
		}
		e.hits.to = int32(len(w.hits))
	}
}

// within returns what a span shares with a list of joined ones.
func (w *work) within(list []span, h *span) []span {
	if len(list) == 1 && list[0].lo == start && list[0].hi == end {
		w.third = append(w.third[:0], *h)
		return w.third
	}
	w.list = append(w.list[:0], *h)
	w.third = common(w.k, w.third[:0], list, w.list)
	return w.third
}

// pairs tells which rings overlap and which share a part of their boundaries.
func (w *work) pairs() {
	n := int32(len(w.rings))
	w.overlap = zeroed(w.overlap, n*n)
	w.meets, w.share = zeroed(w.meets, n*n), zeroed(w.share, n*n)
	for i := range w.edges {
		e := &w.edges[i]
		for at := e.hits.from; at < e.hits.to; at++ {
			h := &w.hits[at]
			lo, hi := min(e.part, h.part), max(e.part, h.part)
			pair := lo*n + hi
			for s := range e.own {
				own := sides(1 + s)
				if e.own[s].from == e.own[s].to || w.share[pair] && h.rel&own == 0 {
					continue
				}
				list := w.within(e.own[s].of(w.spans), h)
				if len(list) == 0 {
					continue
				}
				w.share[pair] = w.share[pair] || h.rel != inside
				if h.rel&own == 0 {
					continue
				}
				w.meets[pair] = true
				// A boundary that both have on the same side is counted once.
				if h.rel == inside || e.part < h.part {
					w.overlap[pair] += w.area(e, own, w.rings[lo].from) * length(list)
				}
			}
		}
	}
}

func zeroed[T any](list []T, n int32) []T {
	if cap(list) < int(n) {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// area is that of the triangle of an edge with a point, with the sign of the side
// on which the ring lies.
func (w *work) area(e *edge, own sides, o int32) float64 {
	v := w.k.product(o, e.a, o, e.b) / 2
	if own == onRight {
		return -v
	}
	return v
}

// exposed finds the boundary of the union: of every edge what nothing covers on
// its outer side. Where two rings have the same edge on the same side, it is the
// first one's.
func (w *work) exposed() {
	k := w.k
	for i := range w.edges {
		e := &w.edges[i]
		for s := range e.own {
			own := sides(1 + s)
			if e.own[s].from == e.own[s].to {
				continue
			}
			w.list = w.list[:0]
			for _, h := range e.hits.of(w.hits) {
				if h.rel&^own != 0 || h.rel == own && h.part < e.part {
					w.list = append(w.list, h)
				}
			}
			covered := union(k, w.list)
			w.third = w.third[:0]
			for _, p := range e.own[s].of(w.spans) {
				w.third = rest(k, w.third, p.lo, p.hi, covered)
			}
			e.out[s] = w.keep(w.third...)
			for _, o := range w.third {
				w.boundary = append(w.boundary, k.part(e.a, e.b, o))
			}
		}
	}
}

// part is a part of an edge.
func (k *board) part(a, b int32, s span) segment {
	ax, ay, dx, dy := k.x[a], k.y[a], k.x[b]-k.x[a], k.y[b]-k.y[a]
	out := segment{ax, ay, k.x[b], k.y[b]}
	if s.lo != start {
		out.x0, out.y0 = ax+float64(s.lo.f*dx), ay+float64(s.lo.f*dy)
	}
	if s.hi != end {
		out.x1, out.y1 = ax+float64(s.hi.f*dx), ay+float64(s.hi.f*dy)
	}
	return out
}

// union is the area of the union. Every cluster of rings that lie together is
// measured from a point of its own: far from the origin nothing is lost.
func (w *work) union() (sum float64) {
	n := len(w.rings)
	w.cluster = zeroed(w.cluster, int32(n))
	for i := range w.cluster {
		w.cluster[i] = int32(i)
	}
	for i := range n {
		for j := range i {
			if a, b := w.cluster[i], w.cluster[j]; a != b && w.boxes[i].meets(&w.boxes[j]) {
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
		for s, out := range e.out {
			if out.from < out.to {
				sum += w.area(e, sides(1+s), w.rings[w.cluster[e.part]].from) * length(out.of(w.spans))
			}
		}
	}
	return sum
}

// target measures what the union shares with the target: the union's boundary
// where the target lies on its inner side, and the target's where the union lies
// on both sides. equal tells that they are the same.
func (w *work) target(t ring) (shared float64, equal bool) {
	k := w.k
	equal = len(w.boundary) > 0
	whole := k.box(t)
	for i := range w.edges {
		e := &w.edges[i]
		if e.out[0].from == e.out[0].to && e.out[1].from == e.out[1].to {
			continue
		}
		w.list = w.list[:0]
		if e.box.meets(&whole) {
			w.list = w.cut.clip(k, w.list, e.a, e.b, t, -1)
		}
		for s, out := range e.out {
			if out.from == out.to {
				continue
			}
			own := sides(1 + s)
			inner, outer := w.on(w.list, own)
			list := out.of(w.spans)
			w.third = common(k, w.third[:0], list, inner)
			shared += w.area(e, own, t.from) * length(w.third)
			if equal {
				equal = covers(k, inner, list) && len(common(k, w.third[:0], list, outer)) == 0
			}
		}
	}
	if equal { // nothing of the target's boundary lies inside
		return shared, true
	}
	for i := t.from; i < t.to; i++ {
		e := edge{a: i, b: t.next(i), box: k.segment(i, t.next(i))}
		w.list = w.list[:0]
		for q, r := range w.rings {
			if e.box.meets(&w.boxes[q]) {
				w.list = w.cut.clip(k, w.list, e.a, e.b, r, int32(q))
			}
		}
		if len(w.list) == 0 {
			continue
		}
		left, right := w.on(w.list, onLeft)
		w.third = common(k, w.third[:0], left, right)
		shared += w.area(&e, onLeft, t.from) * length(w.third)
	}
	return shared, equal
}

// on returns where something lies on the given side, and on the other one.
func (w *work) on(list []span, side sides) (same, opposite []span) {
	n := len(list)
	w.other = w.other[:0]
	for _, s := range list {
		if s.rel&side != 0 {
			w.other = append(w.other, s)
		}
	}
	n = len(w.other)
	for _, s := range list {
		if s.rel&^side != 0 {
			w.other = append(w.other, s)
		}
	}
	return union(w.k, w.other[:n:n]), union(w.k, w.other[n:])
}

// touch reports whether the closed boundaries of two rings meet.
func (w *work) touch(i, j int32) bool {
	if !w.boxes[i].meets(&w.boxes[j]) {
		return false
	}
	for a := range w.edges {
		e := &w.edges[a]
		if e.part != i || !e.box.meets(&w.boxes[j]) {
			continue
		}
		for b := range w.edges {
			f := &w.edges[b]
			if f.part == j && e.box.meets(&f.box) && w.k.meet(e.a, e.b, f.a, f.b) && w.reach(e, f) {
				return true
			}
		}
	}
	return false
}

// reach reports whether edges that meet do so where both are boundary: all of an
// edge of a simple ring is.
func (w *work) reach(e, f *edge) bool {
	k := w.k
	if k.side(e.a, e.b, f.a) == 0 && k.side(e.a, e.b, f.b) == 0 {
		return w.along(e, f)
	}
	return w.has(e, k.cut(e.a, e.b, f.a, f.b)) && w.has(f, k.cut(f.a, f.b, e.a, e.b))
}

// has reports whether a place of an edge belongs to its boundary.
func (w *work) has(e *edge, p place) bool {
	for _, own := range e.own {
		for _, s := range own.of(w.spans) {
			if w.k.cmp(s.lo, p) <= 0 && w.k.cmp(s.hi, p) >= 0 {
				return true
			}
		}
	}
	return false
}

// along is reach for edges on one line.
func (w *work) along(e, f *edge) bool {
	k := w.k
	// A place of f as one of e: what crosses f there crosses e.
	move := func(p place) place {
		switch {
		case p == start:
			return k.on(e.a, e.b, f.a)
		case p == end:
			return k.on(e.a, e.b, f.b)
		case p.d < 0:
			return k.on(e.a, e.b, p.c)
		}
		return k.cut(e.a, e.b, p.c, p.d)
	}
	for _, own := range f.own {
		for _, s := range own.of(w.spans) {
			lo, hi := move(s.lo), move(s.hi)
			if k.cmp(lo, hi) > 0 {
				lo, hi = hi, lo
			}
			for _, mine := range e.own {
				for _, m := range mine.of(w.spans) {
					if k.cmp(lo, m.hi) <= 0 && k.cmp(m.lo, hi) <= 0 {
						return true
					}
				}
			}
		}
	}
	return false
}
