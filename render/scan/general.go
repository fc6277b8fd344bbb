package scan

import (
	"math"
	"slices"

	"plumb/render/chord"
)

// active is an edge that crosses the current strip.
type active struct {
	x      int64 // where it is at the strip's top, or at its bottom once walked
	slope  int64
	dy     int32
	bottom int32 // of its chord, quarter rows
	wind   int32
	edge   int32
}

// never is a row below all rows.
const never = math.MaxInt32

// general fills a path in strips of a quarter, a half or one row. In each strip the spans
// follow from the windings of the edges in their order at its top. See docs/spec/raster.md#r16.
type general struct {
	s           *Scanner
	left, right int64 // bounds of spans, q16
	mask        int32 // which bits of the winding mean inside
	careless    bool  // crossings are not looked for
	unsorted    bool  // keeping the edges in order takes too long
	y, event    int32 // top of the strip; the next row where something changes
	waiting     int   // first edge of s.order that has not begun
}

func (s *Scanner) general(f *fill) {
	g := general{s: s, mask: -1, event: never}
	g.left, g.right = f.bounds()
	if f.rule.EvenOdd {
		g.mask = 1
	}
	g.careless = f.points > 2*int(f.inner.Y1-f.inner.Y0)
	s.active = s.active[:0]
	g.y = s.top(0)
	for g.waiting < len(s.order) && s.top(g.waiting) <= g.y {
		g.at(s.start(g.waiting).bottom)
		g.waiting++
	}
	g.at(s.top(g.waiting))
	bottom := f.inner.Y1 * 4
	s.row.y = g.y >> 2
	for {
		if g.s.stopped(g.y) {
			return
		}
		h := heights[(min(g.event, (g.y>>2+1)<<2)-g.y)&7]
		end, n := g.y+h.rows, int32(0)
		if h.rows == 4 {
			n = g.steady(bottom)
		}
		if n > 0 {
			end = g.y + 4*n
		} else {
			g.strip(end, h.shift, h.full)
		}
		g.y = end
		if end >= bottom {
			return
		}
		if len(s.active) == 0 {
			if g.waiting == len(s.order) {
				return
			}
			g.y = s.top(g.waiting)
		}
		if g.y>>2 != s.row.y {
			s.row.next(g.y >> 2)
		}
		g.begin()
		if g.unsorted {
			g.wild(bottom)
			return
		}
	}
}

// patience is how many rows a path gets, and how many edges at least, before Stop is
// asked again.
const (
	patience = 16
	many     = 256
)

// stopped asks Stop where the row begins that y, in quarter rows, is in.
func (s *Scanner) stopped(y int32) bool {
	return s.Stop != nil && y&(4*patience-1) == 0 && len(s.active) >= many && s.Stop()
}

// height is that of a strip: in quarter rows, as the shift that makes a slope a
// step, and as alpha.
type height struct {
	rows  int32
	shift uint
	full  int32
}

// heights has the strip for up to a row's quarters to go.
var heights = [8]height{1: {1, 2, 64}, 2: {2, 1, 128}, 3: {1, 2, 64}, 4: {4, 0, 255}}

// top is the row where the i-th edge of the order begins; never past the last.
func (s *Scanner) top(i int) int32 {
	if i == len(s.order) {
		return never
	}
	return s.order[i].top
}

// start makes the i-th edge of the order active, as the last one.
func (s *Scanner) start(i int) *active {
	n := len(s.active)
	s.active = slices.Grow(s.active, 1)[:n+1]
	a := &s.active[n]
	a.edge = s.order[i].edge
	a.load(&s.edges.List[a.edge])
	return a
}

// load takes over the edge's chord.
func (a *active) load(e *chord.Edge) {
	a.x, a.slope, a.dy, a.bottom, a.wind = e.X, e.Slope, int32(e.DY), e.Bottom, e.Winding
}

// at notes that something changes at row y, below the current strip.
func (g *general) at(y int32) {
	if y < g.event {
		g.event = y
	}
}

// crossing notes that the k-th active edge and the one left of it meet within a
// row: rows like that are done in quarters.
func (g *general) crossing(k int, y int32) {
	if k > 0 && k < len(g.s.active) {
		l, r := &g.s.active[k-1], &g.s.active[k]
		if l.x+l.slope > r.x+r.slope {
			g.event = y + 1
		}
	}
}

// strip draws the spans down to row end, moves the edges there, and drops those
// that end: in one pass, as an edge that was written is slow to read again.
func (g *general) strip(end int32, shift uint, full int32) {
	var (
		s       = g.s
		list    = s.active
		direct  = full == 255 && !s.row.summed
		winding int32
		open    bool            // whether a span is open
		l       flank           // its left edge
		pixel   = floor(g.left) // where the last span ended
		n       int             // edges kept so far
		maxX    = g.left
		shifts  = 1024 + len(list)
		event   = int32(never)
	)
	s.row.strip()
	for i := range list {
		a := &list[i] // in place: a copy of an edge just written would wait for the write
		top := a.x
		x := top + a.slope>>(shift&63)
		winding += a.wind
		if inside := winding&g.mask != 0; inside != open {
			if inside {
				l = flank{max(g.left, top), x, int64(a.dy), false}
				if direct {
					l.near = n > 0 && list[n-1].x+one >= x-max(a.slope, -a.slope)
				}
			} else {
				alone := false
				if direct {
					alone = pixel <= floor(l.top) && pixel <= floor(l.bottom)
					pixel = ceil(max(min(g.right, top), x))
					if alone && i+1 < len(list) {
						next := &list[i+1]
						alone = x+one < next.x-max(next.slope, -next.slope)
					}
				}
				s.row.trapezoid(l.top, max(g.left, l.bottom), min(g.right, top), min(g.right, x), l.dy, int64(a.dy), full, alone)
			}
			open = inside
		}
		a.x = x
		if a.bottom <= end && !s.follow(a, end) {
			continue
		}
		event = min(event, a.bottom)
		k := n
		n++
		if x >= maxX {
			maxX = x
			if k != i {
				list[k] = *a
			}
		} else if k > 0 && list[k-1].x > x && shifts > 0 {
			moved := *a
			for k > 0 && list[k-1].x > x {
				list[k] = list[k-1]
				k--
				shifts--
			}
			list[k] = moved
			g.unsorted = g.unsorted || shifts <= 0
		} else if k != i {
			list[k] = *a
		}
		if k > 0 && !g.careless {
			if b := &list[k-1]; b.x+b.slope > list[k].x+list[k].slope {
				event = end + 1
			}
		}
	}
	if open { // to the right end: no edge closes it
		s.row.trapezoid(l.top, max(g.left, l.bottom), g.right, g.right, l.dy, 0, full, direct && !l.near)
	}
	g.event = event
	s.active = list[:n]
}

// flank is the left edge of a span in one strip.
type flank struct {
	top, bottom int64 // bottom may lie left of the bounds
	dy          int64
	near        bool // the edge left of it is close; known for direct spans
}

// follow takes the edge's next chord that reaches below row y from where it has
// been walked to; false if it ends.
func (s *Scanner) follow(a *active, y int32) bool {
	e := &s.edges.List[a.edge]
	for s.next(e, a.x) {
		if e.Bottom > y {
			a.load(e)
			return true
		}
	}
	return false
}

// next takes the edge's next chord.
func (s *Scanner) next(e *chord.Edge, x int64) bool {
	if s.lacks(walkedX) {
		return s.edges.Next(e)
	}
	return s.edges.Follow(e, x)
}

// begin adds the edges that start at the strip's top.
func (g *general) begin() {
	s := g.s
	if s.top(g.waiting) > g.y {
		g.at(s.top(g.waiting))
		return
	}
	old := len(s.active)
	first := g.waiting
	for g.waiting < len(s.order) && s.top(g.waiting) <= g.y {
		s.start(g.waiting)
		g.waiting++
	}
	g.at(s.top(g.waiting))
	fresh := g.waiting - first
	switch {
	case old == 0 || s.active[old-1].x <= s.active[old].x:
		for k := old; k < len(s.active); k++ {
			g.crossing(k, g.y)
			g.at(s.active[k].bottom)
		}
	case fresh*len(s.active) > 1<<16+64*len(s.active):
		g.unsorted = true
	default:
		g.insert(old)
	}
}

// insert moves the edges from number old on to where their x belongs: the first
// one behind its equals, the others right behind the one before.
func (g *general) insert(old int) {
	list := g.s.active
	k := old
	for k > 0 && list[k-1].x > list[old].x {
		k--
	}
	for i := old; i < len(list); i++ {
		a := list[i]
		for k < i && list[k].x < a.x {
			k++
		}
		moveUp(list[k : i+1])
		list[k] = a
		g.crossing(k, g.y)
		if k+1 < len(list) {
			g.crossing(k+1, g.y)
		} else {
			g.ahead(&a)
		}
		g.at(a.bottom)
		k++
	}
}

// moveUp moves all but the last edge to the right by one place.
func moveUp(list []active) {
	if len(list) > 16 {
		copy(list[1:], list)
		return
	}
	for i := len(list) - 1; i > 0; i-- { // without a call
		list[i] = list[i-1]
	}
}

// ahead is crossing for an edge that was inserted last of all: the reference
// compares it with the first edge that waits, as if that had begun already.
func (g *general) ahead(a *active) {
	if g.waiting == len(g.s.order) {
		return
	}
	e := &g.s.edges.List[g.s.order[g.waiting].edge]
	if a.x+a.slope > e.X+e.Slope {
		g.event = g.y + 1
	}
}
