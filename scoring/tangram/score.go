package tangram

import (
	"math"
	"sync"

	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/plane"
)

// PieceScore describes one piece of an answer. See docs/spec/tangram.md#r47.
type PieceScore struct {
	ID                string
	HasID             bool
	Kind              construction.Kind // "" for none
	Parsed            bool
	Problem           string // why the vertices are refused
	Simple            bool
	Area, Perimeter   float64
	Typed             bool // parsed and of a known type
	RGE, Congruent    bool
	AreaOff, SidesOff float64 // by how much area and perimeter are off, where typed
}

// Overlap is a pair of pieces with positive intersection.
type Overlap struct {
	I, J   int
	Area   float64
	Counts bool // more than the tolerance
}

// Score holds everything that is decided of one prediction. See
// docs/spec/tangram.md#r47.
type Score struct {
	TSE     bool
	Reasons []string
	Class   string // "exact", "decimal", "" for none
	Pieces  []PieceScore
	Parsed  int
	Found   bool
	Limited bool
	Rounded bool // coordinates were too long to decide exactly, docs/spec/tangram.md#r45

	RGE, RGEParsed, RGECongruent                   bool
	PE, PEOverlap, PEDisconnected, PEDisconnectedP bool
	VPR                                            bool
	Overlaps                                       []Overlap
	Components                                     [][]int // pieces that hang together by edges, where there are several

	Evaluable                 bool
	Union, Shared, IoU, Hausd float64
	Success                   bool
	Matches                   bool // the union fills the target, whatever stage 1 said

	raster *measured // the measurement instead of exact arithmetic, nil for none
}

// The thresholds of success for decimal answers. See docs/spec/tangram.md#r44.
const (
	successIoU      = 0.99
	successDistance = 0.02
)

// memory is kept from answer to answer.
type memory struct {
	plane  plane.Evaluator
	lists  [][]plane.Point // vertices of the parsed pieces
	at     []int           // their places among all pieces
	edges  [][]line        // their edges
	lines  []line          // memory of edges
	byEdge graph           // pieces that hang together by edges, or by points
	byDot  graph
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// Evaluate scores a prediction against a target, which is nil where no target is
// needed. Any number of goroutines may call it.
func Evaluate(p *construction.Prediction, t *plane.Target) Score { return evaluateBy(p, t, nil) }

// evaluateBy is Evaluate, with the union measured on a raster unless r is nil.
func evaluateBy(p *construction.Prediction, t *plane.Target, r *raster) Score {
	m := memories.Get().(*memory)
	defer memories.Put(m)
	m.lists, m.at, m.edges, m.lines = m.lists[:0], m.at[:0], m.edges[:0], m.lines[:0]

	s := Score{TSE: len(p.Reasons) > 0, Reasons: p.Reasons, Parsed: p.Parsed, Found: p.Found, Limited: p.Limited}
	if p.Parsed > 0 {
		s.Class = "exact" // docs/spec/tangram.md#r28
		if p.Decimal {
			s.Class = "decimal"
		}
	}
	s.Pieces = make([]PieceScore, 0, len(p.Pieces))
	for i := range p.Pieces {
		q := &p.Pieces[i]
		s.Pieces = append(s.Pieces, PieceScore{ID: q.ID, HasID: q.HasID, Kind: q.Kind, Parsed: q.Vertices != nil, Problem: q.Problem})
		if q.Vertices == nil {
			continue
		}
		m.lists, m.at = append(m.lists, q.Vertices), append(m.at, i)
	}
	if len(m.lists) == 0 {
		return s
	}
	e := m.plane.Evaluate(m.lists, t, p.Decimal)
	s.Rounded = e.Rounded
	for _, list := range m.lists {
		from := len(m.lines)
		m.lines = appendLines(m.lines, list)
		m.edges = append(m.edges, m.lines[from:])
	}
	s.pieces(m, e, p.Decimal)
	s.physics(m, e, p.Decimal)
	s.VPR = !s.TSE && !s.RGE && !s.PE // docs/spec/tangram.md#r38
	for _, takes := range e.HasArea {
		s.Evaluable = s.Evaluable || takes
	}
	switch {
	case t == nil:
		s.Evaluable = false
	case s.Evaluable && r != nil:
		s.matchRaster(e, t, p.Decimal, r)
	case s.Evaluable:
		s.match(e, t, p.Decimal)
	}
	return s
}

// pieces fills in the geometry of each piece: which are wrong
// (docs/spec/tangram.md#r31) and which are not congruent (docs/spec/tangram.md#r32).
func (s *Score) pieces(m *memory, r *plane.Result, decimal bool) {
	wrong, odd := false, false
	for k, list := range m.lists {
		q := &s.Pieces[m.at[k]]
		q.Simple, q.Area, q.Perimeter = r.Simple[k], r.Area[k], around(m.edges[k])
		c := canons[q.Kind]
		if c == nil {
			continue
		}
		q.Typed = true
		q.Congruent = congruent(list, m.edges[k], c, decimal) && q.Simple
		q.RGE = (decimal || !q.Congruent) && distorted(list, q, c, decimal)
		q.AreaOff, q.SidesOff = q.Area-c.areaF, q.Perimeter-c.perimeterF
		wrong, odd = wrong || q.RGE, odd || !q.Congruent
	}
	s.RGEParsed = wrong
	s.RGE, s.RGECongruent = !s.TSE && wrong, !s.TSE && odd
}

// physics decides which pieces overlap (docs/spec/tangram.md#r34) and which are apart
// (docs/spec/tangram.md#r36); either is an error (docs/spec/tangram.md#r35).
func (s *Score) physics(m *memory, r *plane.Result, decimal bool) {
	n, at := len(m.edges), m.at
	edges, points := &m.byEdge, &m.byDot
	edges.reset(n)
	points.reset(n)
	for _, o := range r.Overlaps {
		counts := !decimal || o.Area > tauArea
		s.Overlaps = append(s.Overlaps, Overlap{at[o.I], at[o.J], o.Area, counts})
		s.PEOverlap = s.PEOverlap || counts
		if counts {
			edges.join(o.I, o.J)
			points.join(o.I, o.J)
		}
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if !r.HasArea[i] || !r.HasArea[j] {
				continue
			}
			var edge, point bool
			if decimal {
				edge, point = touching(m.edges[i], m.edges[j])
			} else {
				edge = r.SharesEdge(i, j)
				point = edge || points.find(i) != points.find(j) && r.Touches(i, j)
			}
			if edge {
				edges.join(i, j)
			}
			if point {
				points.join(i, j)
			}
		}
	}
	s.PEDisconnected = edges.apart(r.HasArea)
	s.PEDisconnectedP = points.apart(r.HasArea)
	if s.PEDisconnected {
		s.Components = edges.groups(r.HasArea, at)
	}
	s.PE = s.PEOverlap || s.PEDisconnected
}

// match compares the union with the target, whatever stage 1 found. See
// docs/spec/tangram.md#r39.
func (s *Score) match(r *plane.Result, t *plane.Target, decimal bool) {
	s.Union, s.Shared = r.Union, r.Shared
	s.IoU = r.Shared / (r.Union + t.Area - r.Shared)
	if !decimal && r.Equal {
		s.Union, s.Shared, s.IoU = t.Area, t.Area, 1
	} else {
		s.Hausd = r.Hausdorff(t, decimal)
	}
	s.IoU = math.Max(0, math.Min(1, s.IoU))
	if decimal {
		s.Matches = s.IoU >= successIoU && s.Hausd <= successDistance
	} else {
		s.Matches = r.Equal
	}
	s.Success = s.VPR && s.Matches
}

// graph joins pieces into components.
type graph struct{ root []int }

func (g *graph) reset(n int) {
	g.root = g.root[:0]
	for i := range n {
		g.root = append(g.root, i)
	}
}

func (g *graph) find(i int) int {
	for g.root[i] != i {
		i = g.root[i]
	}
	return i
}

// join makes the smaller number the root, so that groups stand in order.
func (g *graph) join(i, j int) {
	i, j = g.find(i), g.find(j)
	g.root[max(i, j)] = min(i, j)
}

// apart reports whether those that take part are in several components.
func (g *graph) apart(takes []bool) bool {
	first := -1
	for i, t := range takes {
		switch {
		case !t:
		case first < 0:
			first = g.find(i)
		case g.find(i) != first:
			return true
		}
	}
	return false
}

// groups are the components of those that take part, by what at calls them.
func (g *graph) groups(takes []bool, at []int) (out [][]int) {
	place := map[int]int{}
	for i, t := range takes {
		if !t {
			continue
		}
		root := g.find(i)
		k, ok := place[root]
		if !ok {
			k = len(out)
			place[root] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], at[i])
	}
	return out
}
