package convert

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/splitmix"
)

// The reasons for which a drawing does not become an instance, beside those of
// assembly.
var (
	ErrAngle  = errors.New("a piece is turned by an angle that is no multiple of 45 degrees")
	ErrMisfit = errors.New("a piece does not fit its canonical shape")
	ErrLoose  = errors.New("a piece is loose")
	ErrMoved  = errors.New("snapping moves a piece too far")
)

// maxTrees is the number of spanning trees that are tried. See docs/spec/tangram.md#r63.
const maxTrees = 80

// Result is a drawing converted to an exact configuration.
type Result struct {
	assembly.Figure
	// Deviation is how far the piece that moved most was moved, in legs of the
	// small triangle, once the whole lies as close to the drawing as it can.
	Deviation float64
}

// noiseScale is the noise on the weight of a contact in the last try, in legs of the small triangle:
// about as much as contacts are off in a drawing.
const noiseScale = 0.12

// Convert returns the exact tangram configuration that a drawing shows. The error wraps one of the
// reasons of this package or of assembly. The result depends only on the drawing.
func Convert(drawing *Drawing) (*Result, error) {
	pieces, err := recognizePieces(drawing)
	if err != nil {
		return nil, fmt.Errorf("cannot convert drawing %q: %w", drawing.ID, err)
	}
	result, err := bestCandidate(&pieces, drawing.ID)
	if err != nil {
		return nil, fmt.Errorf("cannot convert drawing %q: %w", drawing.ID, err)
	}
	return result, nil
}

// recognizePieces finds out which tangram piece each polygon of a drawing is, turns and scales them
// all to the canonical frame, and finds the orientation of each.
func recognizePieces(d *Drawing) (pieces [assembly.Count]piece, err error) {
	polys, err := sortPieces(d.Polygons)
	if err != nil {
		return pieces, err
	}
	if err := normalizeFrame(&polys); err != nil {
		return pieces, err
	}
	for i, poly := range polys {
		if pieces[i], err = fitOrientation(i, poly); err != nil {
			return pieces, err
		}
	}
	return pieces, nil
}

// bestCandidate places the drawn tangram pieces exactly and returns the best valid configuration. A
// spanning tree of contacts determines where all pieces lie. It tries up to maxTrees trees, because the
// best contacts may contradict each other elsewhere. If no tree gives a valid configuration, the error
// is that of the first one, which is nearest to the drawing. Equal placements are tried once.
func bestCandidate(pieces *[assembly.Count]piece, name string) (*Result, error) {
	all := findContacts(pieces)
	random := splitmix.New(name)
	tried := map[[2 * assembly.Count]int64]bool{}
	var best *candidate
	var firstError error
	for try := range maxTrees {
		tree, err := spanningTree(all, perturbedWeights(all, try, random))
		if err == nil && tried[tree.key()] {
			continue
		}
		if err == nil {
			tried[tree.key()] = true
			err = tree.check(pieces)
		}
		if err != nil {
			if firstError == nil {
				firstError = err
			}
			if errors.Is(err, ErrLoose) { // no tree connects the piece, because no contact does
				return nil, err
			}
			continue
		}
		if best == nil || tree.better(best) {
			best = tree
		}
	}
	if best == nil {
		return nil, firstError
	}
	return &Result{*best.figure, best.deviation}, nil
}

// perturbedWeights returns a weight for each contact of drawn pieces, by which a spanning tree is
// chosen; lighter contacts come first. The weight is the contact's distance from the drawing. From the
// second try on random noise is added, more with each try, so that other trees come out.
func perturbedWeights(all []contact, try int, random *splitmix.Stream) []float64 {
	weights := make([]float64, len(all))
	for i, c := range all {
		weights[i] = c.residual
		if c.coarse {
			weights[i] += 0.5 / coarseSteps // a penalty, because some multiple is always near
		}
		if try > 0 {
			weights[i] += float64(random.Float() * noiseScale * float64(try) / maxTrees)
		}
	}
	return weights
}

// candidate is one way to place all pieces.
type candidate struct {
	shift          [assembly.Count]assembly.Point // of each piece's turned canonical polygon
	floatShift     [assembly.Count]Point          // the same in doubles
	deviation      float64                        // see Result
	sharedVertices int                            // pairs of vertices of different pieces that coincide
	figure         *assembly.Figure
}

// spanningTree places the drawn pieces exactly by the minimum spanning tree of the contacts (Kruskal's
// algorithm): contacts are taken from the lightest on, unless they join pieces that are connected
// already. The error names a piece that no contact connects.
func spanningTree(all []contact, weight []float64) (*candidate, error) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[a], weight[b]) })
	group := [assembly.Count]int{0, 1, 2, 3, 4, 5, 6}
	tree := &candidate{}
	for i := range tree.shift {
		tree.shift[i] = assembly.At(0, 0)
	}
	joined := 1
	for _, next := range order {
		edge := &all[next]
		groupI, groupJ := group[edge.i], group[edge.j]
		if groupI == groupJ {
			continue
		}
		// Move the whole group of j so that j has its exact position relative to i.
		by := tree.shift[edge.i].Add(edge.shift).Sub(tree.shift[edge.j])
		for piece := range group {
			if group[piece] == groupJ {
				tree.shift[piece] = tree.shift[piece].Add(by)
				group[piece] = groupI
			}
		}
		joined++
	}
	if joined < assembly.Count {
		return nil, looseError(&group)
	}
	for i, p := range tree.shift {
		tree.floatShift[i].X, tree.floatShift[i].Y = p.Floats()
	}
	return tree, nil
}

// looseError returns the error that names a tangram piece that is not connected to the first one;
// there must be such a piece.
func looseError(group *[assembly.Count]int) error {
	for i := range group {
		if group[i] != group[0] {
			return fmt.Errorf("%w: %s touches nothing of the part that has %s", ErrLoose, assembly.IDs[i],
				assembly.IDs[0])
		}
	}
	panic("BUG: no loose piece")
}

// key returns what identifies equal placements of the tangram pieces: their shifts from the first
// piece in millionths, which is far finer than the differences between contacts.
func (candidate *candidate) key() (key [2 * assembly.Count]int64) {
	for i, p := range candidate.floatShift {
		shift := p.sub(candidate.floatShift[0])
		key[2*i], key[2*i+1] = int64(math.Round(shift.X*1e6)), int64(math.Round(shift.Y*1e6))
	}
	return key
}

// check builds the tangram configuration of a candidate and returns why it is refused: a piece lies
// too far from its place in the drawing, or the configuration is not valid. It sets the figure, the
// deviation and the number of shared vertices.
func (candidate *candidate) check(pieces *[assembly.Count]piece) error {
	// How far each piece is off, once the whole is shifted by the mean so that it fits best.
	var mean Point
	for i := range pieces {
		mean = mean.add(candidate.floatShift[i].sub(pieces[i].at).times(1.0 / assembly.Count))
	}
	for i := range pieces {
		off := candidate.floatShift[i].sub(pieces[i].at).distance(mean)
		candidate.deviation = max(candidate.deviation, off)
		if off > maxMove {
			return fmt.Errorf("%w: %s by %.2f; want at most %g", ErrMoved, assembly.IDs[i], off, maxMove)
		}
	}
	var at [assembly.Count]assembly.Placement
	for i := range at {
		at[i] = assembly.Placement{Turn: assembly.Turns[pieces[i].turn], Shift: candidate.shift[i]}
	}
	var err error
	candidate.figure, err = assembly.Build(at)
	candidate.sharedVertices = candidate.coincidences(pieces)
	return err
}

// coincidences counts the pairs of vertices of different tangram pieces that lie on one point. It
// compares doubles, which are accurate enough for a preference.
func (candidate *candidate) coincidences(pieces *[assembly.Count]piece) (n int) {
	for i := range pieces {
		for j := range i {
			for _, v := range pieces[i].floats {
				for _, w := range pieces[j].floats {
					if v.add(candidate.floatShift[i]).distance(w.add(candidate.floatShift[j])) < 1e-9 {
						n++
					}
				}
			}
		}
	}
	return n
}

// better reports whether candidate fits the drawing better than other: more vertices coincide
// exactly, or as many with a smaller deviation.
func (candidate *candidate) better(other *candidate) bool {
	if candidate.sharedVertices != other.sharedVertices {
		return candidate.sharedVertices > other.sharedVertices
	}
	return candidate.deviation < other.deviation
}
