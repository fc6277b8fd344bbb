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
	HasKnownType              bool    // and readable vertices
	RigidError                bool    // typed, and crosses itself or has another area or perimeter than its type
	Congruent                 bool    // typed, and the canonical piece moved, rotated or mirrored
	AreaError, PerimeterError float64 // differences from the canonical piece, if typed
}

// hasWrongShape reports whether the shape is not that of the piece's type, by area and perimeter or
// by congruence.
func (piece *PieceScore) hasWrongShape() bool {
	return piece.HasKnownType && (piece.RigidError || !piece.Congruent)
}

// Overlap is a pair of pieces whose interiors intersect.
type Overlap struct {
	I, J   int // indices of the pieces in the answer, I < J
	Area   float64
	Counts bool // whether it is an error: the area is above the tolerance of decimal answers
}

// Score holds all decisions and measurements of one predicted assembly. See
// docs/spec/tangram.md#r47.
type Score struct {
	SyntaxError bool
	Reasons     []string // codes of the syntax errors
	Class       string   // how coordinates are written: "exact", "decimal", "" for no readable piece
	Pieces      []PieceScore
	Parsed      int  // how many pieces have readable vertices
	Found       bool // the answer has a JSON object with pieces
	Limited     bool // the search for that object was given up
	Rounded     bool // coordinates were too long to decide exactly, docs/spec/tangram.md#r45

	// Errors of rigid geometry: a piece does not have the shape of its type.

	RigidError          bool // by area and perimeter, as the paper defines it; false with a syntax error
	RigidErrorParsed    bool // the same over the readable pieces, even with a syntax error
	RigidErrorCongruent bool // by congruence, which is stricter; false with a syntax error

	// Physics errors: pieces overlap, or do not hang together.

	PhysicsError        bool // OverlapError or Disconnected
	OverlapError        bool
	Disconnected        bool // where only shared edges connect pieces
	DisconnectedByPoint bool // where common points connect them too
	Overlaps            []Overlap
	Components          [][]int // pieces connected by edges, if there are several components

	Valid                         bool // no syntax error, no error of rigid geometry and no physics error
	Evaluable                     bool // there is a target, and a piece with area to compare with it
	Union, Shared, IoU, Hausdorff float64
	Matches                       bool // the union fills the target, whether or not the pieces are valid
	Success                       bool // Valid and Matches

	rasterResult *rasterResult // the measurement instead of exact arithmetic, nil for none
}

// The thresholds of success for decimal answers. See docs/spec/tangram.md#r44.
const (
	successIoU      = 0.99
	successDistance = 0.02
)

// workspace is the memory of one evaluation, reused for the next one.
type workspace struct {
	plane      plane.Evaluator
	polygons   [][]plane.Point // vertices of the parsed pieces
	pieceIndex []int           // their indices among all pieces
	edges      [][]segment     // their edges
	segments   []segment       // backing array of edges
	byEdge     unionFind       // pieces connected by edges
	byPoint    unionFind       // pieces connected by edges or points
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// Evaluate scores a prediction against a target, or without one if target is nil. It is safe for
// concurrent use.
func Evaluate(prediction *construction.Prediction, target *plane.Target) Score {
	return evaluate(prediction, target, nil)
}

// evaluate scores the pieces of a tangram answer against the target, as Evaluate does. If meter is not
// nil, it measures their union on a raster instead of in exact arithmetic.
func evaluate(prediction *construction.Prediction, target *plane.Target, meter *rasterMeter) Score {
	ws := workspaces.Get().(*workspace)
	defer workspaces.Put(ws)
	ws.polygons, ws.pieceIndex, ws.edges, ws.segments = ws.polygons[:0], ws.pieceIndex[:0], ws.edges[:0],
		ws.segments[:0]

	score := Score{SyntaxError: len(prediction.Reasons) > 0, Reasons: prediction.Reasons, Parsed: prediction.Parsed,
		Found: prediction.Found, Limited: prediction.Limited}
	if prediction.Parsed > 0 {
		score.Class = "exact" // docs/spec/tangram.md#r28
		if prediction.Decimal {
			score.Class = "decimal"
		}
	}
	score.Pieces = make([]PieceScore, 0, len(prediction.Pieces))
	for i := range prediction.Pieces {
		answered := &prediction.Pieces[i]
		score.Pieces = append(score.Pieces, PieceScore{ID: answered.ID, HasID: answered.HasID, Kind: answered.Kind,
			Parsed:  answered.Vertices != nil,
			Problem: answered.Problem})
		if answered.Vertices == nil {
			continue
		}
		ws.polygons = append(ws.polygons, answered.Vertices)
		ws.pieceIndex = append(ws.pieceIndex, i)
	}
	if len(ws.polygons) == 0 {
		return score
	}
	// Measure the readable pieces, then decide on each piece, on pairs of pieces, and on the whole.
	measured := ws.plane.Evaluate(ws.polygons, target, prediction.Decimal)
	score.Rounded = measured.Rounded
	for _, list := range ws.polygons {
		from := len(ws.segments)
		ws.segments = appendSegments(ws.segments, list)
		ws.edges = append(ws.edges, ws.segments[from:])
	}
	score.checkPieces(ws, measured, prediction.Decimal)
	score.checkContacts(ws, measured, prediction.Decimal)
	score.Valid = !score.SyntaxError && !score.RigidError && !score.PhysicsError // docs/spec/tangram.md#r38
	score.Evaluable = target != nil && slices.Contains(measured.HasArea, true)
	switch {
	case score.Evaluable && meter != nil:
		score.matchRaster(measured, target, prediction.Decimal, meter)
	case score.Evaluable:
		score.matchExact(measured, target, prediction.Decimal)
	}
	return score
}

// checkPieces fills in the geometry of each parsed tangram piece: whether it is simple, rigid
// (docs/spec/tangram.md#r31) and congruent to its type (docs/spec/tangram.md#r32). An answer with a
// syntax error has no errors of rigid geometry, except in RigidErrorParsed.
func (score *Score) checkPieces(workspace *workspace, result *plane.Result, decimal bool) {
	anyDistorted, anyIncongruent := false, false
	for i, list := range workspace.polygons {
		piece := &score.Pieces[workspace.pieceIndex[i]]
		piece.Simple = result.Simple[i]
		piece.Area = result.Area[i]
		piece.Perimeter = floatPerimeter(workspace.edges[i])
		canonical := canonicalPieces[piece.Kind]
		if canonical == nil {
			continue
		}
		piece.HasKnownType = true
		piece.Congruent = isCongruent(list, workspace.edges[i], canonical, decimal) && piece.Simple
		// an exactly congruent piece has the right area and perimeter
		piece.RigidError = (decimal || !piece.Congruent) && isDistorted(list, piece, canonical, decimal)
		piece.AreaError, piece.PerimeterError = piece.Area-canonical.floatArea, piece.Perimeter-canonical.floatPerimeter
		anyDistorted, anyIncongruent = anyDistorted || piece.RigidError, anyIncongruent || !piece.Congruent
	}
	score.RigidErrorParsed = anyDistorted
	score.RigidError, score.RigidErrorCongruent = !score.SyntaxError && anyDistorted, !score.SyntaxError && anyIncongruent
}

// checkContacts decides which tangram pieces overlap (docs/spec/tangram.md#r34) and which are
// disconnected (docs/spec/tangram.md#r36). Either is a physics error (docs/spec/tangram.md#r35).
// Overlapping pieces count as connected. Pieces without area are ignored. It joins connected pieces
// in two union-find structures: by shared edges, and by shared edges or points.
func (score *Score) checkContacts(workspace *workspace, result *plane.Result, decimal bool) {
	count, index := len(workspace.edges), workspace.pieceIndex
	byEdge, byPoint := &workspace.byEdge, &workspace.byPoint
	byEdge.reset(count)
	byPoint.reset(count)
	for _, overlap := range result.Overlaps {
		counts := !decimal || overlap.Area > areaTolerance // decimal coordinates are rounded, so they may overlap a little
		score.Overlaps = append(score.Overlaps, Overlap{index[overlap.I], index[overlap.J], overlap.Area, counts})
		score.OverlapError = score.OverlapError || counts
		if counts {
			byEdge.join(overlap.I, overlap.J)
			byPoint.join(overlap.I, overlap.J)
		}
	}
	for i := range count {
		for j := i + 1; j < count; j++ {
			if !result.HasArea[i] || !result.HasArea[j] {
				continue
			}
			var edge, point bool
			if decimal {
				edge, point = touching(workspace.edges[i], workspace.edges[j])
			} else {
				edge = result.SharesEdge(i, j)
				// Touches is slow, and pieces that are connected already need no test
				point = edge || byPoint.find(i) != byPoint.find(j) && result.Touches(i, j)
			}
			if edge {
				byEdge.join(i, j)
			}
			if point {
				byPoint.join(i, j)
			}
		}
	}
	score.Disconnected = byEdge.disconnected(result.HasArea)
	score.DisconnectedByPoint = byPoint.disconnected(result.HasArea)
	if score.Disconnected {
		score.Components = byEdge.components(result.HasArea, index)
	}
	score.PhysicsError = score.OverlapError || score.Disconnected
}

// matchExact compares the union of the tangram pieces with the target and decides whether the answer
// is a success. Exact answers must equal the target. Decimal ones must reach an IoU and a Hausdorff
// distance within thresholds. It measures invalid pieces too. See docs/spec/tangram.md#r39.
func (score *Score) matchExact(result *plane.Result, target *plane.Target, decimal bool) {
	score.Union, score.Shared = result.Union, result.Shared
	score.IoU = result.Shared / (result.Union + target.Area - result.Shared)
	if !decimal && result.Equal { // so the figures are known without rounding, and the distance stays 0
		score.Union, score.Shared, score.IoU = target.Area, target.Area, 1
	} else {
		score.Hausdorff = result.Hausdorff(target, decimal)
	}
	score.IoU = math.Max(0, math.Min(1, score.IoU)) // rounding may leave the range
	if decimal {
		score.Matches = score.IoU >= successIoU && score.Hausdorff <= successDistance
	} else {
		score.Matches = result.Equal
	}
	score.Success = score.Valid && score.Matches
}

// unionFind is a disjoint-set forest of pieces: its sets are connected components.
type unionFind struct{ parent []int }

// reset makes n sets that have one tangram piece each: every piece is the root of its set.
func (sets *unionFind) reset(n int) {
	sets.parent = sets.parent[:0]
	for i := range n {
		sets.parent = append(sets.parent, i)
	}
}

// find returns the root of the set of connected tangram pieces that piece i is in: the piece of the
// set with the smallest index.
func (sets *unionFind) find(i int) int {
	for sets.parent[i] != i {
		i = sets.parent[i]
	}
	return i
}

// join merges two sets. The smaller index becomes the root, so that components are in order.
func (sets *unionFind) join(i, j int) {
	i, j = sets.find(i), sets.find(j)
	sets.parent[max(i, j)] = min(i, j)
}

// disconnected reports whether the tangram pieces with area are in more than one set of connected
// pieces.
func (sets *unionFind) disconnected(hasArea []bool) bool {
	first := -1
	for i, has := range hasArea {
		switch {
		case !has:
		case first < 0:
			first = sets.find(i)
		case sets.find(i) != first:
			return true
		}
	}
	return false
}

// components returns the sets of connected tangram pieces in the order of their first pieces. Pieces
// without area are left out. Instead of i, a set holds index[i], the piece's position in the answer.
func (sets *unionFind) components(hasArea []bool, index []int) (out [][]int) {
	componentOf := map[int]int{}
	for i, has := range hasArea {
		if !has {
			continue
		}
		root := sets.find(i)
		component, ok := componentOf[root]
		if !ok {
			component = len(out)
			componentOf[root] = component
			out = append(out, nil)
		}
		out[component] = append(out[component], index[i])
	}
	return out
}
