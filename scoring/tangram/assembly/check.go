package assembly

import (
	"errors"
	"fmt"
	"slices"

	"plumb/scoring/plural"
	"plumb/scoring/tangram/field"
)

// The reasons why seven placed pieces are not a valid configuration. See
// docs/spec/tangram.md#r10.
var (
	ErrInventory    = errors.New("wrong inventory")
	ErrOverlap      = errors.New("pieces overlap")
	ErrDisconnected = errors.New("not edge-connected")
	ErrHole         = errors.New("hole in the shape")
	ErrPinched      = errors.New("outline touches itself in a point")
)

// Figure is a valid configuration of the seven pieces whose smallest x and y are 0. See
// docs/spec/tangram.md#r3.
type Figure struct {
	// Pieces are the polygons in the order of IDs, vertex k for vertex k of the
	// canonical one.
	Pieces  [Count][]Point
	At      [Count]Placement
	Outline []Point  // a counter-clockwise loop from its lowest vertex, docs/spec/tangram.md#r7
	Lengths []Length // of the edges of Outline, edge k from vertex k
	// Adjacent are the pairs of pieces that share a segment, by their places in
	// IDs, sorted. See docs/spec/tangram.md#r9.
	Adjacent [][2]int
}

// Length is an exact positive length.
type Length = field.Number

// Build returns the normalized figure of the seven tangram pieces at the given placements. It
// refuses overlaps, pieces that share no segment with the others, holes, and outlines that touch
// themselves. Errors wrap one of the reasons above and name the pieces. See
// docs/spec/tangram.md#r10.
func Build(placements [Count]Placement) (*Figure, error) {
	var polys [Count][]Point
	for i := range polys {
		polys[i] = Place(Kinds[i], placements[i])
	}
	return build(polys, placements)
}

// FromPolygons returns the figure of tangram pieces that are given by their vertices, in the order
// of IDs, as Build does. Vertex k of a polygon corresponds to vertex k of the canonical one.
func FromPolygons(polys [Count][]Point) (*Figure, error) {
	var placements [Count]Placement
	for i, poly := range polys {
		if len(poly) != len(canonical[Kinds[i]]) {
			return nil, fmt.Errorf("cannot place %s: %w: %s; want %d", IDs[i], ErrInventory, plural.Of(len(poly), "vertex", "vertices"),
				len(canonical[Kinds[i]]))
		}
		var ok bool
		placements[i], ok = Locate(Kinds[i], poly)
		if !ok {
			return nil, fmt.Errorf("cannot place %s: %w: its vertices are no %s turned by a multiple of 45 degrees; want the canonical polygon, vertex by vertex", IDs[i], ErrInventory, Kinds[i])
		}
	}
	return build(polys, placements)
}

// build checks that placed tangram pieces touch without overlap and form one figure with a simple
// outline, and returns the figure in its normal form.
func build(polys [Count][]Point, placements [Count]Placement) (*Figure, error) {
	var shapes [Count]shape
	for i := range shapes {
		shapes[i] = shapeOf(polys[i])
	}
	adjacent, err := findContacts(&shapes)
	if err != nil {
		return nil, err
	}
	loop, err := traceBoundary(&shapes)
	if err != nil {
		return nil, err
	}
	return normalize(polys, placements, withoutCollinear(loop), adjacent)
}

// findContacts returns the pairs of tangram pieces that share a segment, by index. Overlapping pieces,
// and pieces that are not connected by shared segments, are errors.
func findContacts(shapes *[Count]shape) (pairs [][2]int, err error) {
	root := [Count]int{0, 1, 2, 3, 4, 5, 6} // union-find: the parent of each piece
	find := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	for i := range shapes {
		for j := i + 1; j < Count; j++ {
			if shapesOverlap(shapes[i], shapes[j]) {
				return nil, fmt.Errorf("cannot use configuration: %w: %s and %s", ErrOverlap, IDs[i], IDs[j])
			}
			if shapesTouch(shapes[i], shapes[j]) {
				pairs = append(pairs, [2]int{i, j})
				root[find(i)] = find(j)
			}
		}
	}
	for i := range shapes {
		if find(i) != find(0) {
			return nil, fmt.Errorf("cannot use configuration: %w: %s shares no segment with the part that has %s",
				ErrDisconnected, IDs[i], IDs[0])
		}
	}
	return pairs, nil
}

// traceBoundary returns the boundary of the union of the tangram pieces, which must not overlap, as one
// loop that starts at its lowest vertex. The edges are cut at all vertices first. All pieces run
// counter-clockwise, so a part of an edge lies inside the union exactly if another piece has it
// reversed; all other parts are boundary. A second loop is a hole, and a vertex where two boundary
// edges begin is a pinch. Both are errors.
func traceBoundary(shapes *[Count]shape) ([]vertex, error) {
	points, edges := cutEdges(shapes)
	next := make([]int, len(points)) // by vertex, the vertex at the end of its boundary edge, -1 for none
	for i := range next {
		next[i] = -1
	}
	start, boundaryEdges := -1, 0
	present := make(map[[2]int]bool, len(edges))
	for _, edge := range edges {
		present[edge] = true
	}
	// Edges that no other piece has reversed are on the boundary.
	for _, edge := range edges {
		if present[[2]int{edge[1], edge[0]}] {
			continue
		}
		if next[edge[0]] >= 0 {
			p := points[edge[0]]
			return nil, fmt.Errorf("cannot use configuration: %w: at (%s, %s)", ErrPinched, p.X.LaTeX(), p.Y.LaTeX())
		}
		next[edge[0]] = edge[1]
		boundaryEdges++
		if start < 0 || lowerLeft(points[edge[0]], points[start]) {
			start = edge[0]
		}
	}
	// Follow them from the lowest vertex.
	var loop []vertex
	for at := start; len(loop) == 0 || at != start; at = next[at] {
		loop = append(loop, points[at])
	}
	if len(loop) != boundaryEdges {
		return nil, fmt.Errorf("cannot use configuration: %w: %s of its boundary not on the outer loop",
			ErrHole, plural.Of(boundaryEdges-len(loop), "edge"))
	}
	return loop, nil
}

// lowerLeft reports whether vertex p of a tangram lies lower than q, or at the same height and
// farther left.
func lowerLeft(p, q vertex) bool {
	if c := p.Y.Cmp(q.Y); c != 0 {
		return c < 0
	}
	return p.X.Cmp(q.X) < 0
}

// cutEdges returns the distinct vertices of all tangram pieces, and their counter-clockwise edges as
// pairs of indices into them. Edges are cut at every vertex, of any piece, that lies on them.
func cutEdges(shapes *[Count]shape) (points []vertex, edges [][2]int) {
	// The distinct vertices.
	var vertexIndex [Count][4]int
	for i, s := range shapes {
		for corner, p := range s {
			vertexIndex[i][corner] = indexOf(&points, p)
		}
	}
	// Each edge, cut at the vertices on it in their order.
	var onEdge []int
	for i, s := range shapes {
		for corner := range s {
			a, b := vertexIndex[i][corner], vertexIndex[i][(corner+1)%len(s)]
			onEdge = append(onEdge[:0], a)
			for p := range points {
				if p != a && p != b && strictlyInside(points[a], points[b], points[p]) {
					onEdge = append(onEdge, p)
				}
			}
			slices.SortFunc(onEdge[1:], func(p, q int) int {
				return compareAlong(points[a], points[b], points[p],
					points[q])
			})
			onEdge = append(onEdge, b)
			for n := 1; n < len(onEdge); n++ {
				edges = append(edges, [2]int{onEdge[n-1], onEdge[n]})
			}
		}
	}
	return points, edges
}

// indexOf returns the index of vertex p in points; it appends p if it is new.
func indexOf(points *[]vertex, p vertex) int {
	if i := slices.IndexFunc(*points, func(q vertex) bool { return samePoint(p, q) }); i >= 0 {
		return i
	}
	*points = append(*points, p)
	return len(*points) - 1
}

// withoutCollinear returns the boundary loop of a tangram without vertices between collinear edges.
// The first vertex, the lowest and then leftmost, is always a corner and stays.
func withoutCollinear(loop []vertex) (out []vertex) {
	n := len(loop)
	for i, p := range loop {
		if side(loop[(i+n-1)%n], p, loop[(i+1)%n]) != 0 {
			out = append(out, p)
		}
	}
	return out
}

// normalize returns the figure of the tangram pieces, shifted so that the smallest coordinates are
// 0, with the lengths of the outline's edges.
func normalize(polys [Count][]Point, placements [Count]Placement, outline []vertex, adjacent [][2]int) (*Figure, error) {
	minX, minY := outline[0].X, outline[0].Y // the lowest is the first
	for _, p := range outline {
		if p.X.Cmp(minX) < 0 {
			minX = p.X
		}
	}
	shift := Point{X: minX.Neg(), Y: minY.Neg()}
	figure := &Figure{Adjacent: adjacent}
	for i := range polys {
		figure.Pieces[i] = translated(polys[i], shift)
		figure.At[i] = Placement{placements[i].Turn, placements[i].Shift.Add(shift)}
	}
	for _, p := range outline {
		figure.Outline = append(figure.Outline, p.Add(shift))
	}
	for i, p := range figure.Outline {
		direction := figure.Outline[(i+1)%len(figure.Outline)].Sub(p)
		length, ok := direction.X.Mul(direction.X).Add(direction.Y.Mul(direction.Y)).Sqrt()
		if !ok {
			return nil, fmt.Errorf("BUG: outline edge %d has no length in K", i) // K is Q(sqrt 2)
		}
		figure.Lengths = append(figure.Lengths, length)
	}
	return figure, nil
}

// Overlap reports whether the interiors of two convex polygons intersect.
func Overlap(a, b []Point) bool { return shapesOverlap(shapeOf(a), shapeOf(b)) }

// Touch reports whether the boundaries of two polygons share a segment of
// positive length.
func Touch(a, b []Point) bool { return shapesTouch(shapeOf(a), shapeOf(b)) }
