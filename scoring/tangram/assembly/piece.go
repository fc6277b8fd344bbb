// Package assembly places the seven tangram pieces rigidly in the exact field Q(sqrt 2) and
// decides whether a placement is a valid configuration. In: placements, polygons with exact
// vertices, or the JSON of an instance. Out: outline, adjacency and the canonical JSON. Overlaps,
// disconnected pieces, holes and outlines that touch themselves are errors that name the pieces.
// All decisions are exact. See docs/spec/tangram.md#r10.
package assembly

import (
	"slices"

	"plumb/scoring/tangram/field"
)

// Count is the number of pieces of a set.
const Count = 7

// Kind is the type of a piece.
type Kind uint8

// The kinds, in the order of the pieces. See docs/spec/tangram.md#r1.
const (
	Large Kind = iota
	Medium
	Small
	Square
	Parallelogram
)

var kindNames = [...]string{"large_triangle", "medium_triangle", "small_triangle", "square", "parallelogram"}

// String returns the name of the type in the JSON of an instance.
func (k Kind) String() string { return kindNames[k] }

// IDs are the ids of the pieces in their order: T1 to T5, S1, P1.
var IDs = [Count]string{"T1", "T2", "T3", "T4", "T5", "S1", "P1"}

// Kinds are the types of the pieces, in the order of IDs.
var Kinds = [Count]Kind{Large, Large, Medium, Small, Small, Square, Parallelogram}

// Index returns the index of a piece id in IDs, or -1.
func Index(id string) int { return slices.Index(IDs[:], id) }

// Point is a point of the plane; y points up, and the legs of the small triangle are 1. See
// docs/spec/tangram.md#r1.
type Point = field.Point

// At returns the point with integer coordinates.
func At(x, y int64) Point { return Point{X: field.Int(x), Y: field.Int(y)} }

// canonical holds the canonical polygons, counter-clockwise. See
// docs/spec/tangram.md#r1.
var canonical = func() (c [len(kindNames)][]Point) {
	root := field.Surd(1, 1)
	zero := field.Int(0)
	c[Large] = []Point{At(0, 0), At(2, 0), At(0, 2)}
	c[Medium] = []Point{At(0, 0), {X: root, Y: zero}, {X: zero, Y: root}}
	c[Small] = []Point{At(0, 0), At(1, 0), At(0, 1)}
	c[Square] = []Point{At(0, 0), At(1, 0), At(1, 1), At(0, 1)}
	c[Parallelogram] = []Point{At(0, 0), At(1, 0), At(2, 1), At(1, 1)}
	return c
}()

// initial holds the pieces in a row with gaps of 1. See docs/spec/tangram.md#r2.
var initial = func() (row [Count][]Point) {
	offsets := [Count][2]int64{{0, 0}, {3, 0}, {6, 0}, {7, 1}, {9, 1}, {11, 1}, {13, 1}}
	for i, o := range offsets {
		by := Point{X: field.Int(o[0]).Add(field.Surd(o[1], 1)), Y: field.Int(0)}
		row[i] = translated(canonical[Kinds[i]], by)
	}
	return row
}()

// Initial returns piece i in its initial state. The caller must not change it.
func Initial(i int) []Point { return initial[i] }

// translated returns the polygon of a tangram piece, shifted by a vector.
func translated(poly []Point, by Point) []Point {
	out := make([]Point, len(poly))
	for i, p := range poly {
		out[i] = p.Add(by)
	}
	return out
}

// Turn is a rigid motion that keeps the origin: a rotation by Eighths times 45 degrees
// counter-clockwise, after mirroring at the x axis if Mirror is set.
type Turn struct {
	Eighths int // 0 to 7
	Mirror  bool
}

// Turns are all sixteen turns, rotations first.
var Turns = func() (all [16]Turn) {
	for i := range all {
		all[i] = Turn{i % 8, i >= 8}
	}
	return all
}()

// halfRoot is sqrt 2 / 2, the cosine of 45 degrees.
var halfRoot = field.Surd(1, 2)

// cosines holds the cosines of 0, 45, 90, ... 315 degrees.
var cosines = [8]field.Number{field.Int(1), halfRoot, field.Int(0), halfRoot.Neg(), field.Int(-1), halfRoot.Neg(),
	field.Int(0), halfRoot}

// Matrix returns the linear map of a turn of a tangram piece, row by row.
func (t Turn) Matrix() [2][2]field.Number {
	cos, sin := cosines[t.Eighths&7], cosines[(t.Eighths+6)&7] // the sine is the cosine of 90 degrees less
	if t.Mirror {
		return [2][2]field.Number{{cos, sin}, {sin, cos.Neg()}}
	}
	return [2][2]field.Number{{cos, sin.Neg()}, {sin, cos}}
}

// Apply maps a point by the turn.
func (t Turn) Apply(p Point) Point {
	m := t.Matrix()
	return Point{X: m[0][0].Mul(p.X).Add(m[0][1].Mul(p.Y)), Y: m[1][0].Mul(p.X).Add(m[1][1].Mul(p.Y))}
}

// turnedPolygons are the canonical polygons in each of the Turns.
var turnedPolygons = func() (all [len(kindNames)][16][]Point) {
	for k := range all {
		for i, t := range Turns {
			for _, p := range canonical[k] {
				all[k][i] = append(all[k][i], t.Apply(p))
			}
		}
	}
	return all
}()

// Turned returns the canonical polygon of a kind in the i-th of Turns; vertex k corresponds to
// vertex k. A mirrored polygon runs clockwise. The caller must not change it.
func Turned(k Kind, i int) []Point { return turnedPolygons[k][i] }

// Placement is the position of a piece: its canonical polygon, turned, then shifted.
type Placement struct {
	Turn  Turn
	Shift Point
}

// Place returns the polygon of a tangram piece at a placement. Vertex k corresponds to vertex k of
// the canonical polygon.
func Place(k Kind, placement Placement) []Point {
	turn := placement.Turn.Eighths & 7 // modulo a full turn, also for negative ones
	if placement.Turn.Mirror {
		turn += 8 // the second half of Turns
	}
	return translated(turnedPolygons[k][turn], placement.Shift)
}

// Locate finds the placement of a polygon whose vertices correspond to the canonical ones of a kind
// of tangram piece. ok is false if none of the sixteen turns gives it.
func Locate(k Kind, poly []Point) (placement Placement, ok bool) {
	for i, t := range Turns { // each turn, shifted so that the first vertices agree
		at := Placement{t, poly[0].Sub(turnedPolygons[k][i][0])}
		if samePolygon(translated(turnedPolygons[k][i], at.Shift), poly) {
			return at, true
		}
	}
	return placement, false
}

// samePolygon reports whether two polygons have equal lists of vertices.
func samePolygon(a, b []Point) bool { return slices.EqualFunc(a, b, Point.Equal) }

// Matrix returns the transform_matrix of a tangram piece at a placement, which maps the vertices of
// its initial state to the final ones. See docs/spec/tangram.md#r8.
func Matrix(piece int, at Placement) [3][3]field.Number {
	linear := at.Turn.Matrix()
	start := Initial(piece)[0] // where vertex 0, the origin of the canonical polygon, lies in the initial state
	offset := at.Shift.Sub(at.Turn.Apply(start))
	zero, one := field.Int(0), field.Int(1)
	return [3][3]field.Number{{linear[0][0], linear[0][1], offset.X}, {linear[1][0], linear[1][1], offset.Y},
		{zero, zero, one}}
}

// Center returns the centre of a tangram piece as an instance states it: the mean of its vertices.
// See docs/spec/tangram.md#r9.
func Center(poly []Point) Point {
	sum := At(0, 0)
	for _, p := range poly {
		sum = sum.Add(p)
	}
	n := field.Ratio(1, int64(len(poly)))
	return Point{X: sum.X.Mul(n), Y: sum.Y.Mul(n)}
}
