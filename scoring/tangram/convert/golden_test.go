package convert

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/generate"
	"plumb/scoring/tangram/splitmix"
	"plumb/testdata"
)

var update = flag.Bool("update", false, "write testdata again")

// TestKept compares what becomes of made-up drawings, of little noise and of much, with
// testdata/tangram/converted.txt (docs/spec/tangram.md#r60 to docs/spec/tangram.md#r63). After a change
// that should change results, run it with -update.
func TestKept(t *testing.T) {
	var b strings.Builder
	for k := range 48 {
		// Half of them have vertices that are off, and half whole pieces.
		degrees, noise, loose := 13*float64(k), []float64{0, 0.01, 0.03, 0.02, 0.05, 0.04}[k%6], 0.0
		if k >= 24 {
			degrees, noise, loose = 0, 0, []float64{0.04, 0.08, 0.12, 0.16, 0.2, 0.3}[k%6]
		}
		in := generate.Instance(8, k%24)
		d := drawn(in, degrees, 1+float64(k%24), noise)
		random := splitmix.New(in.ID)
		for _, poly := range d.Polygons {
			x, y := loose*(1+float64(k%24))*(2*random.Float()-1), loose*(1+float64(k%24))*(2*random.Float()-1)
			for i := range poly {
				poly[i] = poly[i].add(Point{x, y})
			}
		}
		r, err := Convert(d)
		fmt.Fprintf(&b, "%s noise %g, pieces %g: ", d.ID, noise, loose)
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			continue
		}
		fmt.Fprintf(&b, "deviation %.9f, outline %s\n", r.Deviation, outlineText(&assembly.Instance{Figure: r.Figure}))
	}
	testdata.Compare(t, "tangram/converted.txt", b.String(), *update)
}

// TestSortPieces checks the order of the pieces of a drawing and what is refused by number
// (docs/spec/tangram.md#r60).
func TestSortPieces(t *testing.T) {
	triangle := func(side float64) []Point { return []Point{{0, 0}, {side, 0}, {0, -side}} } // clockwise: the area counts, not the direction
	square, skew := []Point{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, []Point{{0, 0}, {2, 0}, {3, 1}, {1, 1}}
	sorted, err := sortPieces([][]Point{skew, triangle(1), triangle(3), square, triangle(2), triangle(1.5), triangle(4)})
	if err != nil {
		t.Fatal(err)
	}
	for i, side := range []float64{4, 3, 2, 1.5, 1} {
		if sorted[i][1].X != side {
			t.Errorf("triangle %d: got %v; want the one of side %g", i, sorted[i], side)
		}
	}
	if sorted[5][1] != square[1] || sorted[6][1] != skew[1] {
		t.Errorf("got %v and %v; want the square before the parallelogram", sorted[5], sorted[6])
	}
	all := [][]Point{triangle(1), triangle(1), triangle(1), triangle(1), triangle(1), square, square}
	for name, bad := range map[string][][]Point{
		"six": all[1:], "eight": append([][]Point{square}, all...), "four triangles": {square, all[0], all[1], all[2], all[3], square, square},
		"six triangles": {all[0], all[0], all[1], all[2], all[3], all[4], square}, "a line": {{{0, 0}, {1, 0}}, all[0], all[1], all[2], all[3], all[4], square},
	} {
		if _, err := sortPieces(bad); !errors.Is(err, assembly.ErrInventory) {
			t.Errorf("%s: got %v; want a wrong inventory", name, err)
		}
	}
	for _, c := range []struct {
		p    []Point
		want float64
	}{{square, 0}, {skew, (math.Sqrt(10) - math.Sqrt2) / (math.Sqrt(10) + math.Sqrt2)}, {make([]Point, 4), 0}} {
		if got := diagonalSkew(c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: got %v; want %v", c.p, got, c.want)
		}
	}
}

// TestFrame checks that a drawing is scaled to the area 8 and turned by the mean of its edges, and
// that an edge of 4 degrees off is taken and one of more is not (docs/spec/tangram.md#r60).
func TestFrame(t *testing.T) {
	made := func(degrees, scale float64) (polys [assembly.Count][]Point) {
		d := drawn(generate.Instance(21, 0), degrees, scale, 0)
		copy(polys[:], d.Polygons)
		return polys
	}
	for _, degrees := range []float64{0, 10, -10, 22, 40, 50, 133} {
		polys := made(degrees, 3)
		if err := normalizeFrame(&polys); err != nil {
			t.Fatalf("%g degrees: %v", degrees, err)
		}
		sum := 0.0
		for _, p := range polys {
			sum += math.Abs(area(p))
			for k := range p {
				edge := p[(k+1)%len(p)].sub(p[k])
				if off := math.Remainder(math.Atan2(edge.Y, edge.X), math.Pi/4); math.Abs(off) > 1e-9 {
					t.Errorf("%g degrees: an edge is %g off", degrees, off)
				}
			}
		}
		if math.Abs(sum-8) > 1e-9 {
			t.Errorf("%g degrees: got the area %v; want 8", degrees, sum)
		}
	}
	for degrees, want := range map[float64]bool{3.99: true, 4.01: false, -3.99: true, -4.01: false, 45: true, 41.01: true, 40.99: false} {
		polys := made(0, 1)
		turn(polys[3], degrees*math.Pi/180)
		if err := checkAngles(&polys); (err == nil) != want || err != nil && !strings.Contains(err.Error(), assembly.IDs[3]) {
			t.Errorf("a piece turned by %g degrees: got %v; want it taken: %v", degrees, err, want)
		}
	}
}

// TestFit has both sides of the distance within which a polygon is taken for a piece
// (docs/spec/tangram.md#r61).
func TestFit(t *testing.T) {
	for i := range assembly.Count {
		for _, turnedBy := range []int{0, 3, 7} {
			exact := assembly.Turned(assembly.Kinds[i], turnedBy)
			for off, want := range map[float64]bool{0: true, 0.15: true, 0.35: false} {
				var poly []Point
				for k, v := range exact {
					x, y := v.Floats()
					if k == 0 {
						x += off
					}
					poly = append(poly, Point{x + 5, y - 7})
				}
				p, err := fitOrientation(i, poly)
				if (err == nil) != want || err != nil && !errors.Is(err, ErrMisfit) {
					t.Errorf("piece %d turned by %d, %g off: got %v; want it taken: %v", i, turnedBy, off, err, want)
				}
				if off == 0 && (misfit(p.floats, p.at, poly) > 1e-9 || len(p.exact) != len(p.floats) || p.turn > turnedBy) {
					t.Errorf("piece %d turned by %d: got the turn %d at %v; want that one, or an equal one before it", i, turnedBy, p.turn, p.at)
				}
			}
		}
	}
	square := []Point{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	for off, want := range map[float64]float64{0: 0, 0.25: 0.25} {
		moved := []Point{{1, 1}, {0, 1 + off}, {0, 0}, {1, 0}} // begins at another vertex
		if got := misfit(square, Point{}, moved); got != want {
			t.Errorf("%g off: got a misfit of %v; want %v", off, got, want)
		}
	}
	if got := misfit(square, Point{}, square[:3]); !math.IsInf(got, 1) {
		t.Errorf("a triangle for a square: got a misfit of %v; want infinity", got)
	}
}

// TestOffsets checks which exact offset becomes of one along an edge (docs/spec/tangram.md#r62).
func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		x      float64
		want   field.Number
		coarse bool
	}{
		{0, field.Int(0), false}, {0.049, field.Int(0), false}, {-0.049, field.Int(0), false}, {0.5, field.Ratio(1, 2), false}, {-0.5, field.Ratio(-1, 2), false},
		{math.Sqrt2, field.Surd(1, 1), false}, {-math.Sqrt2 / 2, field.Surd(-1, 2), false}, {0.74, field.Surd(1, 2), false}, // 0.707
		{1 + math.Sqrt2/2, field.Int(1).Add(field.Surd(1, 2)), false}, {1.5 - math.Sqrt2, field.Ratio(3, 2).Sub(field.Surd(1, 1)), false},
		{2.5, field.Ratio(5, 2), false}, {2.56, field.Int(1).Add(field.Surd(3, 2)).Sub(field.Int(1)).Sub(field.Surd(3, 2)).Add(field.Ratio(41, 16)), true},
		{0.35, field.Ratio(6, 16), true}, {0.051, field.Ratio(3, 2).Sub(field.Surd(1, 1)), false}, // 0.086 has five terms
		{-0.35, field.Ratio(-6, 16), true}, {3.59, field.Ratio(57, 16), true}, {3.54, field.Surd(5, 2), false}, // 3.536
	} {
		if got, coarse := snapOffset(c.x); !got.Equal(c.want) || coarse != c.coarse {
			t.Errorf("%g: got %s, coarse %v; want %s, %v", c.x, got.LaTeX(), coarse, c.want.LaTeX(), c.coarse)
		}
	}
	for _, p := range []int64{-3, 0, 2} {
		for _, q := range []int64{-2, 0, 1} {
			if got := newSimpleOffset(p, q); got.terms != max(p, -p)+max(q, -q) || math.Abs(got.value-(float64(p)+float64(q)*math.Sqrt2)/2) > 1e-12 {
				t.Errorf("%d, %d: got %v of %d terms", p, q, got.value, got.terms)
			}
		}
	}
	if len(simpleOffsets) != 1+4+8+12+16+20 {
		t.Errorf("got %d simple offsets; want all with up to five terms", len(simpleOffsets))
	}
	for k := range 16 {
		angle := float64(k) * math.Pi / 8 // halves of eighths are nearest to either neighbour
		if k%2 == 1 {
			angle += 0.1
		}
		x, y := exactDirection(Point{math.Cos(angle), math.Sin(angle)}).Floats()
		if nearest := math.Round(angle/(math.Pi/4)) * math.Pi / 4; math.Hypot(x-math.Cos(nearest), y-math.Sin(nearest)) > 1e-9 {
			t.Errorf("angle %g: got the direction %v, %v", angle, x, y)
		}
	}
}

// TestFacingEdges has both sides of the gap and of the common length of two edges that lie on each
// other (docs/spec/tangram.md#r62).
func TestFacingEdges(t *testing.T) {
	square := func(x, y float64) *piece {
		p := &piece{at: Point{x, y}}
		for _, v := range [4][2]int64{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
			p.exact = append(p.exact, assembly.At(v[0], v[1]))
			p.floats = append(p.floats, Point{float64(v[0]), float64(v[1])})
		}
		return p
	}
	below := square(0, 0)
	for _, c := range []struct {
		name   string
		x, y   float64 // of the other square, whose lower edge lies on the upper one
		ok     bool
		bx     field.Number
		coarse bool
	}{
		{"exactly on it", 0, 1, true, field.Int(0), false},
		{"with a gap", 0, 1.119, true, field.Int(0), false}, {"with a larger gap", 0, 1.121, false, field.Int(0), false},
		{"over it", 0, 0.881, true, field.Int(0), false}, {"too far over it", 0, 0.879, false, field.Int(0), false},
		{"enough in common", 0.915, 1, true, field.Surd(1, 1).Sub(field.Ratio(1, 2)), false}, {"too little in common", 0.925, 1, false, field.Int(0), false},
		{"enough on the left", -0.915, 1, true, field.Ratio(1, 2).Sub(field.Surd(1, 1)), false}, {"too little on the left", -0.925, 1, false, field.Int(0), false},
		{"half of it", 0.52, 1, true, field.Ratio(1, 2), false}, {"no simple part of it", 0.35, 1, true, field.Ratio(6, 16), true},
	} {
		by, coarse, ok := facingEdges(below, square(c.x, c.y), 2, 0) // the upper edge runs to the left
		if ok != c.ok || ok && (!by.X.Equal(c.bx) || !by.Y.Equal(field.Int(1)) || coarse != c.coarse) {
			t.Errorf("%s: got %s, %s, coarse %v, %v; want %s, 1, %v, %v", c.name, by.X.LaTeX(), by.Y.LaTeX(), coarse, ok, c.bx.LaTeX(), c.coarse, c.ok)
		}
	}
	for b := 1; b < 4; b++ {
		if _, _, ok := facingEdges(below, square(0, 1), 2, b); ok {
			t.Errorf("edge %d does not run against the upper edge, and is put along it", b)
		}
	}
	if n := len(findContacts(&[assembly.Count]piece{*below, *square(0, 1), *square(5, 5), *square(10, 5), *square(15, 5), *square(20, 5), *square(25, 5)})); n != 3 {
		t.Errorf("got %d contacts of two squares; want two vertices and an edge", n)
	}
	for gap, want := range map[float64]int{0.119: 3, 0.159: 2, 0.161: 0} { // beyond 0.12 only the vertices are near
		if n := len(findContacts(&[assembly.Count]piece{*below, *square(0, 1+gap), *square(5, 5), *square(10, 5), *square(15, 5), *square(20, 5), *square(25, 5)})); n != want {
			t.Errorf("%g apart: got %d contacts; want %d", gap, n, want)
		}
	}
}

// TestTrees checks the weights of contacts, the spanning tree of the smallest, and which of two
// candidates is better (docs/spec/tangram.md#r63).
func TestTrees(t *testing.T) {
	var all []contact
	for j := 1; j < assembly.Count; j++ {
		all = append(all, contact{i: j - 1, j: j, shift: assembly.At(1, 0), residual: 0.01 * float64(j)})
	}
	all = append(all, contact{i: 0, j: 6, shift: assembly.At(0, 5), residual: 0.035, coarse: true}) // 0.066 with its penalty
	weights := perturbedWeights(all, 0, nil)
	for i, want := range []float64{0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.035 + 1./32} {
		if math.Abs(weights[i]-want) > 1e-12 {
			t.Errorf("contact %d: got the weight %v; want %v", i, weights[i], want)
		}
	}
	tree, err := spanningTree(all, weights)
	if err != nil {
		t.Fatal(err)
	}
	for i := range assembly.Count {
		if d := tree.floatShift[i].sub(tree.floatShift[0]); d.distance(Point{float64(i), 0}) > 1e-9 {
			t.Errorf("piece %d lies %v from the first; want %d, 0", i, d, i)
		}
	}
	weights[6] = 0.001
	if tree, err = spanningTree(all, weights); err != nil || tree.floatShift[6].sub(tree.floatShift[0]).distance(Point{0, 5}) > 1e-9 || tree.floatShift[5].sub(tree.floatShift[0]).distance(Point{5, 0}) > 1e-9 {
		t.Errorf("the lightest contact: got %v, %v; want the last piece above the first", tree.floatShift, err)
	}
	key := tree.key()
	if key[0] != 0 || key[1] != 0 || key[12] != 0 || key[13] != 5_000_000 || key[10] != 5_000_000 {
		t.Errorf("got the key %v", key)
	}
	if _, err := spanningTree(all[:4], weights); !errors.Is(err, ErrLoose) || !strings.Contains(err.Error(), assembly.IDs[5]) {
		t.Errorf("two loose pieces: got %v; want an error that names the first of them", err)
	}
	for _, c := range []struct {
		a, b candidate
		want bool
	}{
		{candidate{sharedVertices: 2, deviation: 1}, candidate{sharedVertices: 1}, true}, {candidate{sharedVertices: 1}, candidate{sharedVertices: 2, deviation: 1}, false},
		{candidate{deviation: 1}, candidate{deviation: 2}, true}, {candidate{deviation: 2}, candidate{deviation: 1}, false}, {candidate{deviation: 1}, candidate{deviation: 1}, false},
	} {
		if got := c.a.better(&c.b); got != c.want {
			t.Errorf("%+v against %+v: got better %v", c.a, c.b, got)
		}
	}
}

// TestPolygon has the limits of a drawing's polygons, and vertices on straight lines, which are
// dropped.
func TestPolygon(t *testing.T) {
	points := func(n int) string { return strings.TrimSuffix(strings.Repeat("[1,2],", n), ",") }
	for text, want := range map[string]int{ // vertices, or -1 for an error
		`[0,0],[2,0],[0,2]`: 3, `[0,0],[1,0],[2,0],[0,2]`: 3, `[0,0],[1,0.1],[2,0],[2,2],[0,2]`: 5, `[0,0],[1,0.0015],[2,0],[2,2],[0,2]`: 4, `[0,0],[1,0.0025],[2,0],[2,2],[0,2]`: 5,
		`[0,0],[0,0],[0,0]`: 3, `[0,0],[2,0],[0,2],[0,2],[0,1]`: 3, `[1e6,-1e6],[0,0],[0,1]`: 3, `[1000001,0],[0,0],[0,1]`: -1, `[0,-1000001],[0,0],[0,1]`: -1,
		`[]`: -1, `0,0,[1,0],0,1`: 3, `0,0,1`: -1, `[[1,2]]`: -1, points(64): 3, points(65): -1, ``: 0,
	} {
		d, err := ReadDrawing([]byte(`{"id":"a","polygons":[{"points":[` + text + `]}]}`))
		if got := -1; err == nil {
			if got = len(d.Polygons[0]); got != want {
				t.Errorf("%.60s: got %d vertices, %v; want %d", text, got, d.Polygons[0], want)
			}
		} else if want != -1 {
			t.Errorf("%.60s: got %v; want %d vertices", text, err, want)
		}
	}
	if _, err := ReadDrawing([]byte(`{"id":"a","polygons":[{"points":[0,0,2e6,0,0,1]}]}`)); err == nil || !strings.Contains(err.Error(), "vertex 1 lies at (2e+06, 0)") {
		t.Errorf("a vertex too far away: got %v; want an error that names vertex 1", err)
	}
	for text, want := range map[string]bool{"1e9": true, "-1e9": true, "1000000001": false, "-1000000001": false} {
		if _, err := parseNumbers(text); (err == nil) != want {
			t.Errorf("%s in a transform: got %v; want it taken: %v", text, err, want)
		}
	}
	for _, c := range []struct {
		p    Point
		want float64
	}{{Point{1, 3}, 3}, {Point{-3, 4}, 5}, {Point{5, 4}, 5}, {Point{1, 0}, 0}} {
		if got := segmentDistance(c.p, Point{0, 0}, Point{2, 0}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: got the distance %v; want %v", c.p, got, c.want)
		}
	}
	if got := segmentDistance(Point{3, 4}, Point{0, 0}, Point{0, 0}); got != 5 {
		t.Errorf("from a point: got the distance %v; want 5", got)
	}
}
