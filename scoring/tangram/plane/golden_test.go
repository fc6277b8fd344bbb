package plane

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"plumb/scoring/tangram/field"
	"plumb/testdata"
)

var update = flag.Bool("update", false, "write testdata again")

// TestKept compares all that is measured of made-up assemblies, by every kernel, with
// testdata/tangram/assemblies.txt, so that no change of it passes unseen; numbers have nine digits. The
// other tests say what is right. With -update it writes the file.
func TestKept(t *testing.T) {
	moves := []struct {
		x, y    field.Number
		decimal bool
	}{
		{field.Int(0), field.Int(0), false}, {field.Ratio(123456789, 1e12), field.Ratio(1, 1e9), true}, {field.Ratio(123456789, 1e12), field.Surd(1, 1e9), false},
		{field.Ratio(1, 3), field.Surd(5, 7), false}, {field.Int(999_000), field.Int(-999_000), false},
	}
	r := rand.New(rand.NewPCG(41, 42))
	var b strings.Builder
	var e Evaluator
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
		result := e.Evaluate(pieces, target, move.decimal)
		fmt.Fprintf(&b, "%d %T target %.9g, %v %v %.9g union %.9g shared %.9g equal %v rounded %v", round, e.vertices.kernel, target.Area, result.Simple, result.HasArea, result.Area, result.Union, result.Shared, result.Equal, result.Rounded)
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
