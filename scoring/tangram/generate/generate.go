// Package generate makes random valid tangram configurations and answers to them, without outside
// data. See docs/spec/tangram.md#r64. In: a seed and a number. Out: an exact instance, the same on
// every machine and in every version. Every seed gives one.
package generate

import (
	"fmt"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/splitmix"
)

// maxTries bounds the tries to place a piece before the whole configuration begins anew.
const maxTries = 60

// Instance makes instance number k of a seed, with the id gen-SEED-K. It draws
// configurations until one is valid.
func Instance(seed int64, k int) *assembly.Instance {
	id := fmt.Sprintf("gen-%d-%d", seed, k)
	b := builder{random: splitmix.New(id)}
	for {
		at, ok := b.placeAll()
		if !ok {
			continue
		}
		// What fits piece by piece may still have a hole or be pinched.
		if figure, err := assembly.Build(at); err == nil {
			return &assembly.Instance{ID: id, Figure: *figure, Source: []byte(`{"generator":"plumb"}`)}
		}
	}
}

// builder builds one instance by random placement.
type builder struct {
	random *splitmix.Stream
	placed []int // pieces, in the order they were placed
	polys  [assembly.Count][]assembly.Point
}

// placeAll places all seven tangram pieces at random so that each shares a part of an edge with
// another one and overlaps none. ok is false if a piece finds no place.
func (builder *builder) placeAll() (at [assembly.Count]assembly.Placement, ok bool) {
	order := []int{0, 1, 2, 3, 4, 5, 6}
	builder.random.Shuffle(order)
	builder.placed = append(builder.placed[:0], order[0])
	at[order[0]] = assembly.Placement{Turn: builder.randomTurn(), Shift: assembly.At(0, 0)}
	builder.polys[order[0]] = assembly.Place(assembly.Kinds[order[0]], at[order[0]])
	for _, piece := range order[1:] {
		at[piece], ok = builder.placePiece(piece)
		if !ok {
			return at, false
		}
		builder.polys[piece] = assembly.Place(assembly.Kinds[piece], at[piece])
		builder.placed = append(builder.placed, piece)
	}
	return at, true
}

// randomTurn returns one of the sixteen orientations of a piece.
func (builder *builder) randomTurn() assembly.Turn {
	return assembly.Turns[builder.random.Below(len(assembly.Turns))]
}

// placePiece finds a random place for a tangram piece along an edge of a placed one. ok is false
// after maxTries.
func (builder *builder) placePiece(piece int) (placement assembly.Placement, ok bool) {
	for range maxTries {
		placement = assembly.Placement{Turn: builder.randomTurn(), Shift: assembly.At(0, 0)}
		poly := assembly.Place(assembly.Kinds[piece], placement)
		host := builder.polys[builder.placed[builder.random.Below(len(builder.placed))]]
		i, j, way := builder.random.Below(len(host)), builder.random.Below(len(poly)), builder.random.Below(3)
		by, parallel := alignEdges(host, i, poly, j, way)
		if !parallel {
			continue
		}
		placement.Shift = by
		if builder.fits(assembly.Place(assembly.Kinds[piece], placement)) {
			return placement, true
		}
	}
	return placement, false
}

// alignEdges returns the shift of a new tangram piece that puts its edge j onto the line of edge i of
// host, a placed piece. way says how: 0 puts the start on the start, 1 the start on the end, 2 the
// midpoint on the midpoint. If the edges are not parallel, parallel is false and there is no shift.
func alignEdges(host []assembly.Point, i int, poly []assembly.Point, j, way int) (by assembly.Point, parallel bool) {
	hostStart, hostEnd := host[i], host[(i+1)%len(host)]
	start, end := poly[j], poly[(j+1)%len(poly)]
	hostEdge, edge := hostEnd.Sub(hostStart), end.Sub(start)
	if !hostEdge.X.Mul(edge.Y).Equal(hostEdge.Y.Mul(edge.X)) {
		return by, false
	}
	switch way {
	case 0: // start on start
		return hostStart.Sub(start), true
	case 1: // start on end
		return hostEnd.Sub(start), true
	}
	// Midpoint on midpoint: half of the difference of the sums of the ends.
	twice := hostStart.Add(hostEnd).Sub(start.Add(end))
	half := field.Ratio(1, 2)
	return assembly.Point{X: twice.X.Mul(half), Y: twice.Y.Mul(half)}, true
}

// fits reports whether a new tangram piece overlaps no placed piece and shares a part of an edge
// with at least one.
func (builder *builder) fits(poly []assembly.Point) bool {
	touches := false
	for _, p := range builder.placed {
		if assembly.Overlap(poly, builder.polys[p]) {
			return false
		}
		touches = touches || assembly.Touch(poly, builder.polys[p])
	}
	return touches
}
