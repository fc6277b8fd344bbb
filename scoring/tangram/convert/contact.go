package convert

import (
	"math"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/field"
)

// The distances of contacts, in legs of the small triangle. See
// docs/spec/tangram.md#r62.
const (
	maxVertexGap   = 0.16
	maxEdgeGap     = 0.12
	minShared      = 0.08 // length along which two edges must face each other
	maxOffsetError = 0.05
	maxTerms       = 5  // |p|+|q| of a simple offset (p + q sqrt 2)/2
	coarseSteps    = 16 // other offsets are multiples of 1/coarseSteps
)

// contact is a candidate for the exact position of piece j relative to piece i.
type contact struct {
	i, j       int
	shift      assembly.Point // the shift of j minus that of i
	floatShift Point          // the same in doubles
	residual   float64        // distance of floatShift from the drawing
	coarse     bool           // the offset along the edges is no simple one, only a multiple of 1/coarseSteps
}

// findContacts returns the candidates for contacts between all pairs of drawn tangram pieces: vertices
// that nearly coincide, and edges that nearly lie on each other. Each candidate has the exact shift that
// would make the contact exact, and how far that is from the drawing. The order is fixed.
func findContacts(pieces *[assembly.Count]piece) (all []contact) {
	for i := range pieces {
		for j := i + 1; j < assembly.Count; j++ {
			first, second := &pieces[i], &pieces[j]
			add := func(by assembly.Point, coarse bool) {
				x, y := by.Floats()
				candidate := contact{i: i, j: j, shift: by, floatShift: Point{x, y}, coarse: coarse}
				candidate.residual = candidate.floatShift.distance(second.at.sub(first.at))
				all = append(all, candidate)
			}
			for a := range first.floats { // a vertex, and the edge that begins there
				for b := range second.floats {
					if first.floats[a].add(first.at).distance(second.floats[b].add(second.at)) < maxVertexGap {
						add(first.exact[a].Sub(second.exact[b]), false)
					}
					if by, coarse, ok := facingEdges(first, second, a, b); ok {
						add(by, coarse)
					}
				}
			}
		}
	}
	return all
}

// facingEdges returns the exact shift of drawn piece q relative to piece p that puts edge b of q along
// edge a of p, if the edges are close, face each other for a while and run in opposite directions. The
// gap between them becomes 0 and the offset along them a simple number. coarse says that the offset is
// only a multiple of 1/coarseSteps. ok is false for other edges.
func facingEdges(p, q *piece, a, b int) (by assembly.Point, coarse, ok bool) {
	nextA, nextB := (a+1)%len(p.floats), (b+1)%len(q.floats)
	start, end := p.floats[a].add(p.at), p.floats[nextA].add(p.at) // of edge a
	from, to := q.floats[b].add(q.at), q.floats[nextB].add(q.at)   // of edge b
	length := end.distance(start)
	direction := end.sub(start).times(1 / length)
	otherEdge := to.sub(from)
	// All orientations are multiples of 45 degrees, so edges are parallel within rounding or far from it.
	if otherEdge.dot(direction) > 0 || math.Abs(otherEdge.cross(direction)) > 1e-9 {
		return by, false, false
	}
	if math.Abs(to.sub(start).cross(direction)) >= maxEdgeGap {
		return by, false, false
	}
	// Places along edge a: it runs from 0 to length, and the other edge back from fromAt to toAt.
	fromAt, toAt := from.sub(start).dot(direction), to.sub(start).dot(direction)
	if shared := min(length, fromAt) - max(0, toAt); shared <= minShared {
		return by, false, false
	}
	exact, coarse := snapOffset(fromAt)
	exactUnit := exactDirection(direction)
	along := assembly.Point{X: exactUnit.X.Mul(exact), Y: exactUnit.Y.Mul(exact)}
	return p.exact[a].Add(along).Sub(q.exact[b]), coarse, true
}

// exactDirection returns the exact unit vector along the multiple of 45 degrees that is nearest to the
// direction of a drawn edge.
func exactDirection(direction Point) assembly.Point {
	eighths := int(math.Round(math.Atan2(direction.Y, direction.X)/(math.Pi/4))) & 7
	return assembly.Turn{Eighths: eighths}.Apply(assembly.At(1, 0))
}

// simpleOffsets are the offsets (p + q sqrt 2)/2, the simplest first.
var simpleOffsets = func() (list []simpleOffset) {
	for terms := int64(0); terms <= maxTerms; terms++ {
		for p := -terms; p <= terms; p++ {
			q := terms - max(p, -p)
			list = append(list, newSimpleOffset(p, q))
			if q != 0 {
				list = append(list, newSimpleOffset(p, -q))
			}
		}
	}
	return list
}()

// simpleOffset is an offset between two edges that drawings often have, with its simplicity.
type simpleOffset struct {
	exact field.Number
	value float64
	terms int64
}

// newSimpleOffset returns the offset (p + q sqrt 2)/2.
func newSimpleOffset(p, q int64) simpleOffset {
	x := field.Ratio(p, 2).Add(field.Surd(q, 2))
	return simpleOffset{x, x.Float(), max(p, -p) + max(q, -q)}
}

// snapOffset returns an exact offset along two drawn tangram edges for the drawn offset x: the simplest
// one within maxOffsetError, and of equally simple ones the nearest. If there is none, it returns the
// nearest multiple of 1/coarseSteps, and coarse is true. simpleOffsets has the simplest first, so the
// search ends where the next ones are less simple than one that was found.
func snapOffset(x float64) (exact field.Number, coarse bool) {
	best := -1
	for i, s := range simpleOffsets {
		off := math.Abs(s.value - x)
		if best >= 0 && s.terms > simpleOffsets[best].terms {
			break
		}
		if off < maxOffsetError && (best < 0 || off < math.Abs(simpleOffsets[best].value-x)) {
			best = i
		}
	}
	if best >= 0 {
		return simpleOffsets[best].exact, false
	}
	return field.Ratio(int64(math.Round(x*coarseSteps)), coarseSteps), true
}
