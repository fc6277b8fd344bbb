package tangram

import (
	"math"
	"slices"
	"sync"

	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/plane"
)

// PieceScore describes one piece of an answer. See docs/spec/tangram.md#r47.
type PieceScore struct {
	ID                        string
	HasID                     bool
	Kind                      construction.Kind // "" for none
	Parsed                    bool
	Problem                   string // why the vertices could not be read
	Simple                    bool
	Area, Perimeter           float64
	Typed                     bool // parsed and of a known type
	RGE, Congruent            bool
	AreaError, PerimeterError float64 // differences from the canonical piece, if typed
}

// Overlap is a pair of pieces whose interiors intersect.
type Overlap struct {
	I, J   int
	Area   float64
	Counts bool // more than the tolerance
}

// Score holds all decisions and measurements of one predicted assembly. See
// docs/spec/tangram.md#r47.
type Score struct {
	TSE     bool // syntax error
	Reasons []string
	Class   string // "exact", "decimal", "" for none
	Pieces  []PieceScore
	Parsed  int
	Found   bool
	Limited bool
	Rounded bool // coordinates were too long to decide exactly, docs/spec/tangram.md#r45

	// Errors of rigid geometry and physics errors, and whether the pieces have neither.

	RGE, RGEParsed, RGECongruent                       bool
	PE, PEOverlap, PEDisconnected, PEDisconnectedPoint bool
	VPR                                                bool
	Overlaps                                           []Overlap
	Components                                         [][]int // pieces connected by edges, if there are several components

	Evaluable                     bool
	Union, Shared, IoU, Hausdorff float64
	Success                       bool
	Matches                       bool // the union fills the target, whether or not the pieces are valid

	rasterResult *rasterResult // the measurement instead of exact arithmetic, nil for none
}

// The thresholds of success for decimal answers. See docs/spec/tangram.md#r44.
const (
	successIoU      = 0.99
	successDistance = 0.02
)

// scratch is the memory of one evaluation, reused for the next one.
type scratch struct {
	plane   plane.Evaluator
	lists   [][]plane.Point // vertices of the parsed pieces
	index   []int           // their indices among all pieces
	edges   [][]segment     // their edges
	lines   []segment       // backing array of edges
	byEdge  unionFind       // pieces connected by edges
	byPoint unionFind       // pieces connected by edges or points
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// Evaluate scores a prediction against a target, or without one if t is nil. It is safe for
// concurrent use.
func Evaluate(p *construction.Prediction, t *plane.Target) Score { return evaluate(p, t, nil) }

// evaluate is Evaluate, with the union measured on a raster unless r is nil.
func evaluate(p *construction.Prediction, t *plane.Target, r *rasterMeter) Score {
	m := scratchPool.Get().(*scratch)
	defer scratchPool.Put(m)
	m.lists, m.index, m.edges, m.lines = m.lists[:0], m.index[:0], m.edges[:0], m.lines[:0]

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
		m.lists, m.index = append(m.lists, q.Vertices), append(m.index, i)
	}
	if len(m.lists) == 0 {
		return s
	}
	e := m.plane.Evaluate(m.lists, t, p.Decimal)
	s.Rounded = e.Rounded
	for _, list := range m.lists {
		from := len(m.lines)
		m.lines = appendSegments(m.lines, list)
		m.edges = append(m.edges, m.lines[from:])
	}
	s.checkPieces(m, e, p.Decimal)
	s.checkContacts(m, e, p.Decimal)
	s.VPR = !s.TSE && !s.RGE && !s.PE // docs/spec/tangram.md#r38
	s.Evaluable = t != nil && slices.Contains(e.HasArea, true)
	switch {
	case s.Evaluable && r != nil:
		s.matchRaster(e, t, p.Decimal, r)
	case s.Evaluable:
		s.matchExact(e, t, p.Decimal)
	}
	return s
}

// checkPieces fills in the geometry of each piece: which are not rigid (docs/spec/tangram.md#r31)
// and which are not congruent (docs/spec/tangram.md#r32).
func (s *Score) checkPieces(m *scratch, r *plane.Result, decimal bool) {
	wrong, incongruent := false, false
	for k, list := range m.lists {
		q := &s.Pieces[m.index[k]]
		q.Simple, q.Area, q.Perimeter = r.Simple[k], r.Area[k], floatPerimeter(m.edges[k])
		c := canons[q.Kind]
		if c == nil {
			continue
		}
		q.Typed = true
		q.Congruent = isCongruent(list, m.edges[k], c, decimal) && q.Simple
		q.RGE = (decimal || !q.Congruent) && isDistorted(list, q, c, decimal)
		q.AreaError, q.PerimeterError = q.Area-c.areaF, q.Perimeter-c.perimeterF
		wrong, incongruent = wrong || q.RGE, incongruent || !q.Congruent
	}
	s.RGEParsed = wrong
	s.RGE, s.RGECongruent = !s.TSE && wrong, !s.TSE && incongruent
}

// checkContacts decides which pieces overlap (docs/spec/tangram.md#r34) and which are disconnected
// (docs/spec/tangram.md#r36). Either is a physics error (docs/spec/tangram.md#r35).
func (s *Score) checkContacts(m *scratch, r *plane.Result, decimal bool) {
	n, at := len(m.edges), m.index
	edges, points := &m.byEdge, &m.byPoint
	edges.reset(n)
	points.reset(n)
	for _, o := range r.Overlaps {
		counts := !decimal || o.Area > areaTolerance
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
				edge, point = contactKinds(m.edges[i], m.edges[j])
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
	s.PEDisconnected = edges.disconnected(r.HasArea)
	s.PEDisconnectedPoint = points.disconnected(r.HasArea)
	if s.PEDisconnected {
		s.Components = edges.components(r.HasArea, at)
	}
	s.PE = s.PEOverlap || s.PEDisconnected
}

// matchExact compares the union with the target in exact arithmetic, also if the checks of the
// pieces found errors. See docs/spec/tangram.md#r39.
func (s *Score) matchExact(r *plane.Result, t *plane.Target, decimal bool) {
	s.Union, s.Shared = r.Union, r.Shared
	s.IoU = r.Shared / (r.Union + t.Area - r.Shared)
	if !decimal && r.Equal {
		s.Union, s.Shared, s.IoU = t.Area, t.Area, 1
	} else {
		s.Hausdorff = r.Hausdorff(t, decimal)
	}
	s.IoU = math.Max(0, math.Min(1, s.IoU))
	if decimal {
		s.Matches = s.IoU >= successIoU && s.Hausdorff <= successDistance
	} else {
		s.Matches = r.Equal
	}
	s.Success = s.VPR && s.Matches
}

// unionFind is a disjoint-set forest of pieces: its sets are connected components.
type unionFind struct{ parent []int }

// reset makes n sets of one piece each, of which touching ones are then joined.
func (g *unionFind) reset(n int) {
	g.parent = g.parent[:0]
	for i := range n {
		g.parent = append(g.parent, i)
	}
}

// find returns the root of the set of touching pieces that piece i is in.
func (g *unionFind) find(i int) int {
	for g.parent[i] != i {
		i = g.parent[i]
	}
	return i
}

// join merges two sets. The smaller index becomes the root, so that components are in order.
func (g *unionFind) join(i, j int) {
	i, j = g.find(i), g.find(j)
	g.parent[max(i, j)] = min(i, j)
}

// disconnected reports whether the pieces with area are in several components.
func (g *unionFind) disconnected(hasArea []bool) bool {
	first := -1
	for i, t := range hasArea {
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

// components returns the components of the pieces with area. Pieces are given by their entries in
// index.
func (g *unionFind) components(hasArea []bool, index []int) (out [][]int) {
	place := map[int]int{}
	for i, t := range hasArea {
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
		out[k] = append(out[k], index[i])
	}
	return out
}
