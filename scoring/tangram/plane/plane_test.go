package plane

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plumb/render/region"
	"plumb/scoring/tangram/field"
)

func pt(x, y int64) Point { return Point{X: field.Int(x), Y: field.Int(y)} }

// newTestTarget prepares an outline that must be simple.
func newTestTarget(t testing.TB, list ...Point) *Target {
	t.Helper()
	out, ok := NewTarget(list)
	if !ok {
		t.Fatal("the target is not simple")
	}
	return out
}

func floats(list []Point) (out [][2]float64) {
	for _, p := range list {
		out = append(out, [2]float64{p.X.Float(), p.Y.Float()})
	}
	return out
}

// difference compares what the package finds with what the oracle finds.
func difference(pieces [][]Point, outline []Point, t *Target, e *Evaluator, decimal bool) string {
	result := e.Evaluate(pieces, t, decimal)
	var polys [][][2]float64
	for _, p := range pieces {
		polys = append(polys, floats(p))
	}
	n := len(polys)
	o := newOracle(append(polys, floats(outline)))
	all, target := uint64(1)<<n-1, uint64(1)<<n
	union := func(b uint64) bool { return b&all != 0 }
	near := func(what string, got, want float64) string {
		if math.Abs(got-want) > 1e-6 {
			return fmt.Sprintf("%s: got %.12g; want %.12g", what, got, want)
		}
		return ""
	}
	if s := near("union", result.Union, o.area(union)); s != "" {
		return s
	}
	if s := near("shared", result.Shared, o.area(func(b uint64) bool { return union(b) && b&target != 0 })); s != "" {
		return s
	}
	overlaps := map[[2]int]float64{}
	for _, p := range result.Overlaps {
		overlaps[[2]int{p.I, p.J}] = p.Area
	}
	anyArea := false
	for i := range n {
		mine := o.boundary(func(b uint64) bool { return b>>i&1 != 0 })
		if result.HasArea[i] != (len(mine) > 0) {
			return fmt.Sprintf("piece %d: has area %v; want %v", i, result.HasArea[i], len(mine) > 0)
		}
		anyArea = anyArea || result.HasArea[i]
		for j := i + 1; j < n; j++ {
			both := uint64(1)<<i | 1<<j
			want := o.area(func(b uint64) bool { return b&both == both })
			got, listed := overlaps[[2]int{i, j}]
			if s := near(fmt.Sprint("overlap of ", i, j), got, want); s != "" || listed != (want > 1e-9) {
				return fmt.Sprintf("overlap of %d and %d: got %g, %v; want %g", i, j, got, listed, want)
			}
			share, touch := false, false
			for _, s := range o.segs {
				share = share || (s.left^s.right)&both == both
			}
			yours := o.boundary(func(b uint64) bool { return b>>j&1 != 0 })
			for _, a := range mine {
				for _, b := range yours {
					touch = touch || segmentsMeet(a, b)
				}
			}
			if result.SharesEdge(i, j) != share || result.Touches(i, j) != touch {
				return fmt.Sprintf("%d and %d: got edge %v, touch %v; want %v, %v", i, j, result.SharesEdge(i, j), result.Touches(i, j), share, touch)
			}
		}
	}
	if !anyArea {
		return ""
	}
	equal := true
	for _, s := range o.segs {
		equal = equal && union(s.left) == (s.left&target != 0) && union(s.right) == (s.right&target != 0)
	}
	if !decimal && result.Equal != equal {
		return fmt.Sprintf("equal: got %v; want %v", result.Equal, equal)
	}
	const step = 0.125
	far := sampled(o.boundary(union), o.boundary(func(b uint64) bool { return b&target != 0 }), step)
	if got := result.Hausdorff(t, false); got < far-1e-7 || got > far+step/2+1e-7 {
		return fmt.Sprintf("distance: got %.9f; want %.9f to %.9f", got, far, far+step/2)
	}
	// Thickened boundaries are not farther apart than thickening moves them.
	if got := result.Hausdorff(t, true); math.IsNaN(got) || got < 0 {
		return fmt.Sprintf("thickened distance: got %v", got)
	}
	return ""
}

// randomPolygon returns a polygon on a coarse grid of Q(sqrt 2), where degenerate cases are
// frequent: touching, coinciding, self-crossing, spikes, repeated points.
func randomPolygon(pick func(n int) int, most int) []Point {
	var list []Point
	for range 3 + pick(most-2) {
		p := Point{X: field.Ratio(int64(pick(7)), 2), Y: field.Ratio(int64(pick(7)), 2)}
		if pick(4) == 0 {
			p.X = p.X.Add(field.Surd(int64(pick(3))-1, 2))
		}
		if pick(4) == 0 {
			p.Y = p.Y.Add(field.Surd(int64(pick(3))-1, 2))
		}
		if n := len(list); n > 0 && list[n-1] == p {
			continue
		}
		list = append(list, p)
	}
	for len(list) > 1 && list[0] == list[len(list)-1] {
		list = list[:len(list)-1]
	}
	if len(list) < 3 {
		return randomPolygon(pick, most)
	}
	return list
}

// TestAgainstOracle compares 10,000 random assemblies, most of them degenerate, with the
// brute-force oracle; one in four as decimals on a grid.
func TestAgainstOracle(t *testing.T) {
	rounds := 10_000
	if testing.Short() {
		rounds = 1000
	}
	r := rand.New(rand.NewPCG(6, 31))
	var e Evaluator
	kinds := map[string]int{}
	for round := range rounds {
		var outline []Point
		var target *Target
		for target == nil {
			outline = randomPolygon(r.IntN, 7)
			target, _ = NewTarget(outline)
		}
		pieces := make([][]Point, 1+r.IntN(5))
		for i := range pieces {
			pieces[i] = randomPolygon(r.IntN, 3+r.IntN(5))
		}
		if r.IntN(5) == 0 {
			pieces[0] = outline
		}
		if s := difference(pieces, outline, target, &e, round%4 == 0); s != "" {
			t.Fatalf("round %d: %s\npieces %v\noutline %v", round, s, text(pieces), text([][]Point{outline}))
		}
		for i := range pieces {
			kinds[fmt.Sprint("simple ", e.result.Simple[i])]++
			kinds[fmt.Sprint("has area ", e.result.HasArea[i])]++
		}
		kinds[fmt.Sprintf("%T", e.vertices.kernel)]++
		kinds[fmt.Sprint("equal ", e.result.Equal)]++
		kinds[fmt.Sprint("overlaps ", bits.Len(uint(len(e.result.Overlaps))))]++
	}
	for _, k := range []string{"simple true", "simple false", "has area false", "equal true", "overlaps 0"} {
		if kinds[k] < 20 {
			t.Errorf("%s: got %d cases; want more: %v", k, kinds[k], kinds)
		}
	}
}

// text formats polygons for messages.
func text(list [][]Point) (out [][]string) {
	for _, p := range list {
		var s []string
		for _, v := range p {
			s = append(s, "("+v.X.LaTeX()+","+v.Y.LaTeX()+")")
		}
		out = append(out, s)
	}
	return out
}

// TestKernelsAgree checks that all kernels give the same results, by moving assemblies far away,
// by long decimals, and by long fractions.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name    string
		x, y    field.Number
		decimal bool
		kernel  string
		within  float64
	}{
		{"int64", field.Ratio(1, 3), field.Surd(5, 7), false, "*plane.int64Kernel", 1e-11},
		{"grid", field.Ratio(123456789, 1e12), field.Ratio(1, 1e9), true, "*plane.gridKernel", 1e-9},
		{"exact", field.Ratio(123456789, 1e12), field.Surd(1, 1e9), false, "*plane.exactKernel", 1e-9},
		{"long", field.Ratio(123456789, 1<<62-57), field.Surd(1, 1<<61-1), false, "*plane.exactKernel", 1e-9},
		{"far", field.Int(999_000), field.Int(-999_000), false, "*plane.int64Kernel", 1e-8},
	} {
		for range 300 {
			outline := []Point{pt(0, 0), pt(3, 0), pt(3, 2), pt(1, 3)}
			pieces := [][]Point{randomPolygon(r.IntN, 6), randomPolygon(r.IntN, 4), randomPolygon(r.IntN, 5)}
			move := func(list []Point) (out []Point) {
				for _, p := range list {
					q := Point{X: p.X.Add(c.x), Y: p.Y.Add(c.y)}
					if c.decimal { // no square roots on a grid
						a, _, d, _ := p.X.Int64s()
						b, _, g, _ := p.Y.Int64s()
						q = Point{X: field.Ratio(a, d).Add(c.x), Y: field.Ratio(b, g).Add(c.y)}
					}
					out = append(out, q)
				}
				return out
			}
			var flat [][]Point
			var moved [][]Point
			for _, p := range pieces {
				moved = append(moved, move(p))
				if c.decimal {
					var back []Point
					for _, q := range moved[len(moved)-1] {
						back = append(back, Point{X: q.X.Sub(c.x), Y: q.Y.Sub(c.y)})
					}
					p = back
				}
				flat = append(flat, p)
			}
			var e, f Evaluator
			a := e.Evaluate(flat, newTestTarget(t, outline...), false)
			to := newTestTarget(t, move(outline)...)
			b := f.Evaluate(moved, to, c.decimal)
			if got := fmt.Sprintf("%T", f.vertices.kernel); got != c.kernel {
				t.Fatalf("%s: got kernel %s; want %s", c.name, got, c.kernel)
			}
			same := math.Abs(a.Union-b.Union) < c.within && math.Abs(a.Shared-b.Shared) < c.within && len(a.Overlaps) == len(b.Overlaps)
			for i := range pieces {
				same = same && a.Simple[i] == b.Simple[i] && a.HasArea[i] == b.HasArea[i]
				for j := range i {
					same = same && a.SharesEdge(i, j) == b.SharesEdge(i, j) && a.Touches(i, j) == b.Touches(i, j)
				}
			}
			if !same {
				t.Fatalf("%s: got %+v; want %+v\n%v", c.name, b, a, text(flat))
			}
			if a.HasArea[0] && math.Abs(a.Hausdorff(newTestTarget(t, outline...), true)-b.Hausdorff(to, true)) > 1e-8 {
				t.Fatalf("%s: got thickened distance %v; want %v\n%v", c.name, b.Hausdorff(to, true), a.Hausdorff(newTestTarget(t, outline...), true), text(flat))
			}
		}
	}
}

// TestStars bounds the work: eight stars of 64 vertices that all cross
// themselves and each other are measured, by every kernel. With -short they have 16 vertices.
func TestStars(t *testing.T) {
	vertices := 64
	if testing.Short() {
		vertices = 16
	}
	star := func(cx, cy field.Number) (list []Point) {
		for i := range vertices {
			a := 2 * math.Pi * float64(i*(vertices/2-1)%vertices) / float64(vertices)
			list = append(list, Point{X: cx.Add(field.Ratio(int64(1000*math.Cos(a)), 1000)), Y: cy.Add(field.Ratio(int64(1000*math.Sin(a)), 1000))})
		}
		return list
	}
	for _, off := range []field.Number{field.Int(0), field.Ratio(1, 1e10), field.Surd(1, 1e10)} {
		var pieces [][]Point
		for i := range 8 {
			pieces = append(pieces, star(off.Add(field.Ratio(int64(i), 10)), field.Ratio(int64(i%4), 10)))
		}
		for _, decimal := range []bool{true, false} {
			var e Evaluator
			target := newTestTarget(t, pt(0, 0), pt(1, 0), pt(0, 1))
			result := e.Evaluate(pieces, target, decimal)
			d := result.Hausdorff(target, decimal)
			if result.Simple[0] || !result.HasArea[0] || len(result.Overlaps) != 28 || result.Union < 1 || result.Union > 20 || !(d > 0.5 && d < 5) {
				t.Errorf("offset %s: got union %v, %d overlaps, distance %v", off.LaTeX(), result.Union, len(result.Overlaps), d)
			}
		}
	}
}

// TestProperties checks that the order and direction of vertices, the order of pieces, and
// duplicate pieces do not change the results.
func TestProperties(t *testing.T) {
	target := newTestTarget(t, pt(0, 0), pt(3, 0), pt(3, 2), pt(1, 3))
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "n") }
		a, b := randomPolygon(pick, 6), randomPolygon(pick, 5)
		var e, f Evaluator
		one := e.Evaluate([][]Point{a, b}, target, false)
		turned := append(append([]Point{}, a[1:]...), a[0])
		for i, j := 0, len(turned)-1; i < j; i, j = i+1, j-1 {
			turned[i], turned[j] = turned[j], turned[i]
		}
		two := f.Evaluate([][]Point{b, turned, turned}, target, false)
		if math.Abs(one.Union-two.Union) > 1e-11 || math.Abs(one.Shared-two.Shared) > 1e-11 || one.Equal != two.Equal ||
			one.Simple[0] != two.Simple[1] || one.HasArea[0] != two.HasArea[2] || one.SharesEdge(0, 1) != two.SharesEdge(1, 0) || one.Touches(0, 1) != two.Touches(2, 0) {
			rt.Fatalf("got %+v; want %+v", two, one)
		}
		if one.HasArea[0] != two.SharesEdge(1, 2) {
			rt.Fatalf("a piece shares no edge with itself")
		}
		if one.HasArea[0] || one.HasArea[1] {
			for _, decimal := range []bool{false, true} {
				if d, g := one.Hausdorff(target, decimal), two.Hausdorff(target, decimal); math.Abs(d-g) > 1e-9 {
					rt.Fatalf("decimal %v: got distance %v; want %v", decimal, g, d)
				}
			}
		}
	})
}

// TestOracleFails shows that the comparison can fail.
func TestOracleFails(t *testing.T) {
	outline := []Point{pt(0, 0), pt(2, 0), pt(2, 2), pt(0, 2)}
	pieces := [][]Point{{pt(0, 0), pt(1, 0), pt(0, 1)}}
	var e Evaluator
	if s := difference(pieces, outline, newTestTarget(t, pt(0, 0), pt(2, 0), pt(2, 2), Point{X: field.Ratio(1, 1000), Y: field.Int(2)}), &e, false); s == "" {
		t.Error("an outline that is off by 1/1000 passes")
	}
}

func FuzzEvaluate(f *testing.F) {
	f.Add([]byte{0, 0, 4, 0, 4, 4, 9, 1, 1, 5, 1, 1, 5})
	f.Add([]byte{0, 0, 4, 4, 4, 0, 0, 4, 200, 3, 3, 0, 1, 2, 2})
	target, _ := NewTarget([]Point{pt(0, 0), pt(3, 0), pt(3, 2), pt(1, 3)})
	f.Fuzz(func(t *testing.T, b []byte) {
		var pieces [][]Point
		var list []Point
		for len(b) >= 2 && len(pieces) < 8 {
			if b[0] >= 192 && len(list) >= 3 {
				pieces, list = append(pieces, list), nil
			}
			p := Point{X: field.Ratio(int64(b[0]%16), 3), Y: field.Ratio(int64(b[1]%16), 3).Add(field.Surd(int64(b[1]/64), 2))}
			b = b[2:]
			if n := len(list); n > 0 && (list[n-1] == p || list[0] == p) || len(list) == 64 {
				continue
			}
			list = append(list, p)
		}
		if len(list) >= 3 {
			pieces = append(pieces, list)
		}
		if len(pieces) == 0 {
			return
		}
		var e Evaluator
		result := e.Evaluate(pieces, target, false)
		takes := false
		for i := range result.HasArea {
			takes = takes || result.HasArea[i]
		}
		if !(result.Union >= -1e-9 && result.Shared >= -1e-9 && result.Shared <= min(result.Union, target.Area)+1e-9) || takes != (result.Union > 1e-12) {
			t.Fatalf("got union %v, shared %v, has area %v", result.Union, result.Shared, takes)
		}
		if takes {
			for _, decimal := range []bool{false, true} {
				if d := result.Hausdorff(target, decimal); !(d >= 0 && d < 100) {
					t.Fatalf("got distance %v", d)
				}
			}
		}
	})
}

// A sliver whose area is below what doubles can tell is equal to itself, whichever way round its
// vertices go.
func TestSliver(t *testing.T) {
	tip := Point{X: field.Int(200_000), Y: field.Ratio(2_000_000_001, 1_000_000_000)}
	one, other := []Point{pt(0, 0), pt(100_000, 1), tip}, []Point{tip, pt(100_000, 1), pt(0, 0)}
	beside := Point{X: field.Int(200_000), Y: field.Ratio(1_999_999_999, 1_000_000_000)}
	var e Evaluator
	for _, piece := range [][]Point{one, other} {
		for _, outline := range [][]Point{one, other} {
			result := e.Evaluate([][]Point{piece}, newTestTarget(t, outline...), false)
			if !result.Equal || !result.HasArea[0] || !result.Simple[0] {
				t.Errorf("got equal %v, area %v, simple %v; want all", result.Equal, result.HasArea[0], result.Simple[0])
			}
		}
		result := e.Evaluate([][]Point{piece, {pt(0, 0), pt(100_000, 1), beside}}, newTestTarget(t, one...), false)
		if result.Equal || len(result.Overlaps) > 0 || !result.SharesEdge(0, 1) {
			t.Errorf("with a sliver on the other side of its edge: got equal %v, overlaps %v; want neither, and a shared edge", result.Equal, result.Overlaps)
		}
	}
}

// Pieces without area, or none, are never equal to a target.
func TestNothingIsNoTarget(t *testing.T) {
	target := newTestTarget(t, pt(0, 0), pt(4, 0), pt(4, 4), pt(0, 4))
	var e Evaluator
	for _, pieces := range [][][]Point{nil, {{pt(0, 0), pt(2, 0), pt(4, 0)}}} {
		if result := e.Evaluate(pieces, target, false); result.Equal || result.Union != 0 || result.Shared != 0 {
			t.Errorf("%d pieces: got equal %v, union %v, shared %v; want nothing", len(pieces), result.Equal, result.Union, result.Shared)
		}
	}
}

// The grid kernel and the exact one agree about the order of points of an edge: of crossings with other lines, of vertices on
// the edge's line and of its ends, also where doubles cannot tell them apart.
func TestOrderOnGrids(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var grid gridKernel
	var exact exactKernel
	add := func(x, y int64) int32 {
		grid.x, grid.y = append(grid.x, x), append(grid.y, y)
		exact.x, exact.y = append(exact.x, field.Int(x)), append(exact.y, field.Int(y))
		return int32(len(grid.x) - 1)
	}
	vs := vertexSet{kernel: &grid}
	for _, size := range []int64{5, 1 << 20, 1 << 40} {
		for range 50 {
			ax, ay, ux, uy := r.Int64N(size)-size/2, r.Int64N(size)-size/2, r.Int64N(size)-size/2, r.Int64N(size)-size/2
			if ux == 0 && uy == 0 {
				continue
			}
			a, b := add(ax, ay), add(ax+2*ux, ay+2*uy)
			params := []edgeParam{start, end}
			for k := int64(-2); k < 5; k++ {
				params = append(params, edgeParam{a: a, b: b, c: add(ax+k*ux, ay+k*uy), d: -1})
			}
			for range 4 {
				c, d := add(r.Int64N(size), r.Int64N(size)), add(r.Int64N(size), r.Int64N(size))
				if exact.exactCross(a, b, c, d).Sign() != 0 {
					params = append(params, edgeParam{a: a, b: b, c: c, d: d})
				}
			}
			for _, s := range params {
				for _, u := range params {
					want := exact.order(s, u)
					if got := grid.order(s, u); got != want || want != -exact.order(u, s) {
						t.Fatalf("size %d: %+v and %+v: got %d; want %d", size, s, u, got, want)
					}
					if !s.isEnd() {
						s.maxError = 1e9 // as if doubles could tell nothing
					}
					if got := vs.before(&s, &u); !u.isEnd() && !s.isEnd() && (got != (want < 0) || vs.compare(s, u) != want) {
						t.Fatalf("size %d: %+v and %+v: got before %v, order %d; want %d", size, s, u, got, vs.compare(s, u), want)
					}
				}
			}
		}
	}
}

// The kernel for small numbers with a part in sqrt 2 agrees with the exact one about the order of points.
func TestOrderOnSurds(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	var small int64Kernel
	var exact exactKernel
	add := func(x, y surd) int32 {
		number := func(n surd) field.Number { return field.Int(n.a).Add(field.Surd(n.b, 1)) }
		small.x, small.y = append(small.x, x), append(small.y, y)
		exact.x, exact.y = append(exact.x, number(x)), append(exact.y, number(y))
		return int32(len(small.x) - 1)
	}
	for _, size := range []int64{3, 1 << 10, int64Limit / 8} {
		number := func() surd { return surd{r.Int64N(2*size) - size, r.Int64N(2*size) - size} }
		along := func(x, u surd, k int64) surd { return surd{x.a + k*u.a, x.b + k*u.b} }
		for range 50 {
			ax, ay, ux, uy := number(), number(), number(), number()
			if ux == (surd{}) && uy == (surd{}) {
				continue
			}
			a, b := add(ax, ay), add(along(ax, ux, 2), along(ay, uy, 2))
			params := []edgeParam{start, end}
			for k := int64(-1); k < 4; k++ {
				params = append(params, edgeParam{a: a, b: b, c: add(along(ax, ux, k), along(ay, uy, k)), d: -1})
			}
			for range 4 {
				c, d := add(number(), number()), add(number(), number())
				if exact.exactCross(a, b, c, d).Sign() != 0 {
					params = append(params, edgeParam{a: a, b: b, c: c, d: d})
				}
			}
			for _, s := range params {
				for _, u := range params {
					if got, want := small.order(s, u), exact.order(s, u); got != want {
						t.Fatalf("size %d: %+v and %+v: got %d; want %d", size, s, u, got, want)
					}
				}
			}
		}
	}
	// Signs of numbers beyond int64s, by their parts: a and b are these times 2^62.
	for _, c := range []struct {
		a, b int64
		want int
	}{{0, 0, 0}, {1, 0, 1}, {-1, 0, -1}, {0, 1, 1}, {0, -1, -1}, {1, 1, 1}, {-1, -1, -1}, {3, -2, 1}, {-3, 2, -1}, {7, -5, -1}, {-7, 5, 1}, {1, -1, -1}, {-1, 1, 1}} {
		big := mulBig(surd{a: c.a, b: c.b}, surd{a: 1 << 62})
		if got := big.sign(); got != c.want {
			t.Errorf("%d%+d sqrt 2: got the sign %d; want %d", c.a, c.b, got, c.want)
		}
	}
}

// The parts of a region have its area, also of a polygon that crosses itself, and are convex; its
// edges have the length of its boundary.
func TestRegions(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	outline := []Point{pt(0, 0), pt(3, 0), pt(3, 2), pt(1, 1), pt(1, 3), pt(0, 3)}
	target := newTestTarget(t, outline...)
	areaOf := func(parts [][]region.Point) (sum float64) {
		for _, part := range parts {
			area, turns := 0.0, [2]bool{}
			for i, p := range part {
				q, next := part[(i+1)%len(part)], part[(i+2)%len(part)]
				area += (p.X*q.Y - q.X*p.Y) / 2
				turn := (q.X-p.X)*(next.Y-q.Y) - (q.Y-p.Y)*(next.X-q.X)
				turns[0], turns[1] = turns[0] || turn > 1e-9, turns[1] || turn < -1e-9
			}
			if turns[0] && turns[1] {
				t.Errorf("part %v is not convex", part)
			}
			sum += math.Abs(area)
		}
		return sum
	}
	length := func(edges []region.Segment) (sum float64) {
		for _, e := range edges {
			sum += math.Hypot(e.B.X-e.A.X, e.B.Y-e.A.Y)
		}
		return sum
	}
	var e Evaluator
	crossing := 0
	for i := range 300 {
		piece := randomPolygon(r.IntN, 7)
		if i == 0 { // a star, whose turns alternate
			piece = []Point{pt(0, 0), pt(3, 1), pt(6, 0), pt(4, 2), pt(3, 6), pt(2, 2)}
		}
		result := e.Evaluate([][]Point{piece}, target, false)
		if !result.HasArea[0] {
			continue
		}
		if !result.Simple[0] {
			crossing++
		}
		union, goal := result.Regions(target, false)
		if got := areaOf(union.Parts); math.Abs(got-result.Union) > 1e-9 {
			t.Errorf("%v: got parts of %v; want %v", text([][]Point{piece}), got, result.Union)
		}
		if got := areaOf(goal.Parts); math.Abs(got-target.Area) > 1e-9 || math.Abs(length(goal.Edges)-(11+math.Sqrt(5))) > 1e-9 {
			t.Errorf("got a target of %v with edges of %v; want %v, %v", got, length(goal.Edges), target.Area, 11+math.Sqrt(5))
		}
		if result.Simple[0] {
			around := 0.0
			for i, p := range piece {
				q := piece[(i+1)%len(piece)]
				around += math.Hypot(q.X.Float()-p.X.Float(), q.Y.Float()-p.Y.Float())
			}
			if got := length(union.Edges); math.Abs(got-around) > 1e-9 {
				t.Errorf("%v: got edges of %v; want %v", text([][]Point{piece}), got, around)
			}
		}
	}
	if crossing < 50 {
		t.Errorf("%d polygons cross themselves; want 50", crossing)
	}
}

// A hull has corners of the list alone, turns left at each, and no point lies outside.
func TestConvexHull(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	var th thickener
	turn := func(a, b, c floatPoint) float64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }
	for range 500 {
		list := []floatPoint{{0, 0}, {7, 0}, {0, 7}}
		for range r.IntN(20) {
			list = append(list, floatPoint{float64(r.IntN(9)), float64(r.IntN(9))})
		}
		given := slices.Clone(list)
		hull := th.convexHull(list)
		for i, a := range hull {
			b := hull[(i+1)%len(hull)]
			if !slices.Contains(given, a) || turn(a, b, hull[(i+2)%len(hull)]) <= 0 {
				t.Fatalf("%v: got %v", given, hull)
			}
			if slices.ContainsFunc(given, func(p floatPoint) bool { return turn(a, b, p) < 0 }) {
				t.Fatalf("%v: got %v; want all points inside", given, hull)
			}
		}
	}
}

// The thickened boundaries of a target and of its two halves are the same, however small both are.
func TestSmallHalves(t *testing.T) {
	var e Evaluator
	for _, size := range []int64{1, 10, 100, 1000} { // parts of 1
		at := func(x, y int64) Point { return Point{X: field.Ratio(x, size), Y: field.Ratio(y, size)} }
		target := newTestTarget(t, at(0, 0), at(2, 0), at(2, 2), at(0, 2))
		result := e.Evaluate([][]Point{{at(0, 0), at(1, 0), at(1, 2), at(0, 2)}, {at(1, 0), at(2, 0), at(2, 2), at(1, 2)}}, target, true)
		if got := result.Hausdorff(target, true); got > 1e-12 {
			t.Errorf("parts of %d: got a distance of %g; want 0", size, got)
		}
	}
}
