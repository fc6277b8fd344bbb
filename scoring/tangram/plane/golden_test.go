package plane

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"plumb/scoring/tangram/field"
	"plumb/testdata"
)

var update = flag.Bool("update", false, "write testdata again")

// assembly is a made-up assembly of pieces and its target. Coordinates of decimal ones have no square
// roots.
type assembly struct {
	round   int
	pieces  [][]Point
	target  *Target
	decimal bool
}

// madeUpAssemblies returns some 150 assemblies of random polygons, near the origin and far from it, with
// coordinates for each kernel.
func madeUpAssemblies() (list []assembly) {
	moves := []struct {
		x, y    field.Number
		decimal bool
	}{
		{field.Int(0), field.Int(0), false}, {field.Ratio(123456789, 1e12), field.Ratio(1, 1e9), true}, {field.Ratio(123456789, 1e12), field.Surd(1, 1e9), false},
		{field.Ratio(1, 3), field.Surd(5, 7), false}, {field.Int(999_000), field.Int(-999_000), false},
	}
	r := rand.New(rand.NewPCG(41, 42))
	for round := range 150 {
		move := moves[round%len(moves)]
		moved := func(list []Point) (out []Point) {
			for _, p := range list {
				if move.decimal { // no square roots on a grid
					x, _, d, _ := p.X.Int64s()
					y, _, g, _ := p.Y.Int64s()
					p = Point{X: field.Ratio(x, d), Y: field.Ratio(y, g)}
				}
				q := Point{X: p.X.Add(move.x), Y: p.Y.Add(move.y)}
				if n := len(out); n > 0 && out[n-1].Equal(q) {
					continue
				}
				out = append(out, q)
			}
			for len(out) > 1 && out[0].Equal(out[len(out)-1]) {
				out = out[:len(out)-1]
			}
			return out
		}
		var target *Target
		for target == nil {
			target, _ = NewTarget(moved(randomPolygon(r.IntN, 7)))
		}
		var pieces [][]Point
		for range 1 + r.IntN(5) {
			if p := moved(randomPolygon(r.IntN, 3+r.IntN(6))); len(p) >= 3 {
				pieces = append(pieces, p)
			}
		}
		if round%7 == 0 {
			pieces = append(pieces, target.Vertices())
		}
		if len(pieces) == 0 {
			continue
		}
		list = append(list, assembly{round, pieces, target, move.decimal})
	}
	return list
}

// TestKept compares all that is measured of made-up assemblies, by every kernel, with
// testdata/tangram/assemblies.txt, so that no change of it passes unseen; numbers have nine digits. The
// other tests say what is right. With -update it writes the file.
func TestKept(t *testing.T) {
	var b strings.Builder
	var e Evaluator
	for _, a := range madeUpAssemblies() {
		pieces, target := a.pieces, a.target
		result := e.Evaluate(pieces, target, a.decimal)
		fmt.Fprintf(&b, "%d %T target %.9g, %v %v %.9g union %.9g shared %.9g equal %v rounded %v", a.round, e.vertices.kernel, target.Area, result.Simple, result.HasArea, result.Area, result.Union, result.Shared, result.Equal, result.Rounded)
		for _, o := range result.Overlaps {
			fmt.Fprintf(&b, " %d/%d %.9g", o.I, o.J, o.Area)
		}
		anyArea := false
		for i := range pieces {
			anyArea = anyArea || result.HasArea[i]
			for j := range i {
				fmt.Fprintf(&b, " %v %v", result.SharesEdge(i, j), result.Touches(i, j))
			}
		}
		if anyArea {
			fmt.Fprintf(&b, " distances %.9g %.9g", result.Hausdorff(target, false), result.Hausdorff(target, true))
		}
		b.WriteByte('\n')
	}
	testdata.Compare(t, "tangram/assemblies.txt", strings.NewReplacer("true", "t", "false", "f").Replace(b.String()), *update)
}

// countedKernel counts what is left to exact arithmetic.
type countedKernel struct {
	kernel
	sides, crosses, params, orders int
}

func (k *countedKernel) side(a, b, c int32) int { k.sides++; return k.kernel.side(a, b, c) }

func (k *countedKernel) cross(a, b, c, d int32) float64 {
	k.crosses++
	return k.kernel.cross(a, b, c, d)
}

func (k *countedKernel) paramOf(a, b, c int32) float64 { k.params++; return k.kernel.paramOf(a, b, c) }

func (k *countedKernel) order(s, t edgeParam) int { k.orders++; return k.kernel.order(s, t) }

// write writes the counts.
func (k *countedKernel) write(b *strings.Builder) {
	fmt.Fprintf(b, " sides %d crosses %d params %d orders %d", k.sides, k.crosses, k.params, k.orders)
}

// TestExactWork compares how much of made-up assemblies is left to exact arithmetic with
// testdata/tangram/exact-work.txt. Exact arithmetic decides where doubles cannot, and always gives the
// same answer, so a bound that is too wide shows only in these counts and in the time. With -update it
// writes the file.
func TestExactWork(t *testing.T) {
	var b strings.Builder
	var e Evaluator
	for _, a := range madeUpAssemblies() {
		e.Evaluate(a.pieces, a.target, a.decimal) // loads the vertices
		rings := append([]ring(nil), e.arrangement.rings...)
		counted := &countedKernel{kernel: e.vertices.kernel}
		e.vertices.kernel = counted
		e.arrangement.reset(&e.vertices)
		e.arrangement.rings = append(e.arrangement.rings, rings...)
		e.measure(len(a.pieces), a.target)
		fmt.Fprintf(&b, "%d %T", a.round, counted.kernel)
		counted.write(&b)
		if result := &e.result; slices.Contains(result.HasArea, true) {
			result.Hausdorff(a.target, true) // loads the thickened pieces
			thick := &e.thickener
			counted = &countedKernel{kernel: thick.vertices.kernel}
			thick.vertices.kernel = counted
			thick.arrangement.clipEdges()
			thick.arrangement.findBoundary()
			b.WriteString(" thickened")
			counted.write(&b)
		}
		b.WriteByte('\n')
	}
	testdata.Compare(t, "tangram/exact-work.txt", b.String(), *update)
}
