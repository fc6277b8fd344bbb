package tangram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/plane"
)

// TestContacts checks both tolerances of contact from both sides (docs/spec/tangram.md#r36,
// docs/spec/tangram.md#r37): a distance of 1/300, and 0.05 of an edge within it. An edge also
// counts as near 1/300 beyond the other one's ends. Each case is also moved and turned, either edge may
// have enough near the other, and edges have no direction.
func TestContacts(t *testing.T) {
	side := segment{0, 0, 1, 0}
	for _, c := range []struct {
		name        string
		a, b        segment
		edge, point bool
	}{
		{"parallel and near", side, segment{0, 0.00333, 1, 0.00333}, true, true},
		{"parallel and too far", side, segment{0, 0.0034, 1, 0.0034}, false, false},
		{"an end near", side, segment{0.5, 0.00333, 0.5, 1}, false, true},
		{"an end too far", side, segment{0.5, 0.00334, 0.5, 1}, false, false},
		{"enough of two edges", side, segment{1 - 0.0468, 0, 2, 0}, true, true},
		{"too little of two edges", side, segment{1 - 0.0465, 0, 2, 0}, false, true},
		{"all of a short edge, of which the long one has more near", side, segment{0.5, 0, 0.549, 0}, true, true},
		{"too short an edge", side, segment{0.5, 0, 0.543, 0}, false, true},
		{"across", side, segment{0.5, -1, 0.5, 1}, false, true},
		{"slanted, near enough for long enough", side, segment{0.5, 0, 0.55, 0.003}, true, true},
		{"slanted, near for too short", side, segment{0.5, 0, 0.55, 0.004}, false, true},
		{"beyond the end, near", side, segment{1.0033, 0, 2, 0}, false, true},
		{"beyond the end, too far", side, segment{1.0034, 0, 2, 0}, false, false},
		{"beyond the corner, near", side, segment{1.0023, 0.0023, 2, 0.0023}, false, true},
		{"beyond the corner, too far", side, segment{1.0025, 0.0025, 2, 0.0025}, false, false},
		{"a point", side, segment{0.5, 0.001, 0.5, 0.001}, false, true},
		{"far away", side, segment{5, 5, 6, 6}, false, false},
	} {
		for _, degrees := range []float64{0, 30, 90, 135, 200} {
			sin, cos := math.Sincos(degrees * math.Pi / 180)
			moved := func(s segment) segment {
				turn := func(x, y float64) (float64, float64) { return 3 + cos*x - sin*y, -5 + sin*x + cos*y }
				s.x0, s.y0 = turn(s.x0, s.y0)
				s.x1, s.y1 = turn(s.x1, s.y1)
				return s
			}
			back := func(s segment) segment { return segment{s.x1, s.y1, s.x0, s.y0} }
			a, b := moved(c.a), moved(c.b)
			for _, both := range [][2]segment{{a, b}, {b, a}, {back(a), b}, {b, back(a)}} {
				if edge, point := touching(both[:1], both[1:]); edge != c.edge || point != c.point {
					t.Errorf("%s, turned by %g degrees: got edge %v, point %v; want %v, %v", c.name, degrees, edge, point, c.edge, c.point)
				}
			}
		}
	}
}

// TestSuccessDistance checks the largest distance with which a decimal answer fills the target
// (docs/spec/tangram.md#r44). A corner of the square sticks out
// along its diagonal, sqrt(2) times as far as in x.
func TestSuccessDistance(t *testing.T) {
	side, zero := field.Surd(2, 1), field.Int(0)
	target, ok := plane.NewTarget([]plane.Point{{X: zero, Y: zero}, {X: side, Y: zero}, {X: side, Y: side}, {X: zero, Y: side}})
	if !ok {
		t.Fatal("the square is no target")
	}
	var r construction.Reader
	for off, want := range map[string]bool{"0.0": true, "0.0113": true, "0.0141": true, "0.0142": false, "0.0198": false} {
		p := r.Read(strings.Replace(whole(), `["0","0"]`, `["-`+off+`","-`+off+`"]`, 1), false)
		s := Evaluate(&p, target)
		if !s.Evaluable || s.Class != "decimal" || s.IoU < successIoU || s.Matches != want {
			t.Errorf("off by %s: got matches %v, IoU %v, distance %v, class %q; want %v", off, s.Matches, s.IoU, s.Hausdorff, s.Class, want)
		}
	}
}

// TestSegments compares distances of edges, and how much of one is near another, with sampled points of
// random edges: some are far, some within a few contact distances, and some parallel.
func TestSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	toPoint := func(x, y float64, s segment) float64 { // by thirds: the distance has one minimum along an edge
		lo, hi := 0.0, 1.0
		at := func(p float64) float64 { return math.Hypot(s.x0+p*(s.x1-s.x0)-x, s.y0+p*(s.y1-s.y0)-y) }
		for range 50 {
			a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
			if at(a) < at(b) {
				hi = b
			} else {
				lo = a
			}
		}
		return at(lo)
	}
	const samples = 400
	for round := range 150 {
		scale := []float64{1, 0.02, 0.008}[round%3]
		point := func() float64 { return scale * (2*r.Float64() - 1) }
		a, b := segment{point(), point(), point(), point()}, segment{point(), point(), point(), point()}
		if round%4 == 0 { // parallel
			d := scale * r.Float64()
			b.x1, b.y1 = b.x0+d*(a.x1-a.x0), b.y0+d*(a.y1-a.y0)
		}
		near, least := 0, math.Inf(1)
		for i := range samples {
			p := (float64(i) + 0.5) / samples
			d := toPoint(a.x0+p*(a.x1-a.x0), a.y0+p*(a.y1-a.y0), b)
			least = min(least, d)
			if d <= contactDistance {
				near++
			}
		}
		step := a.length() / samples
		if got, want := a.lengthNear(&b), float64(near)*step; math.Abs(got-want) > 1.01*step {
			t.Fatalf("round %d: %v of %v is near: %v; want %v", round, got, a, b, want)
		}
		if got := a.distance(&b); got > least+1e-9 || got < least-step {
			t.Fatalf("round %d: %v and %v: got the distance %v; want about %v", round, a, b, got, least)
		}
		if x, y := point(), point(); math.Abs(math.Sqrt(a.squaredTo(x, y))-toPoint(x, y, a)) > 1e-6*scale {
			t.Fatalf("round %d: %v, %v is %v from %v; want %v", round, x, y, math.Sqrt(a.squaredTo(x, y)), a, toPoint(x, y, a))
		}
	}
}

// TestUnionFind checks the sets of pieces that hang together; pieces without area are in none.
func TestUnionFind(t *testing.T) {
	var g unionFind
	all := []bool{true, true, true, true, true}
	index := []int{10, 11, 12, 13, 14}
	g.reset(5)
	for _, c := range []struct {
		join    [2]int
		hasArea []bool
		apart   bool
		want    string
	}{
		{[2]int{0, 0}, all, true, "[[10] [11] [12] [13] [14]]"}, {[2]int{3, 1}, all, true, "[[10] [11 13] [12] [14]]"}, {[2]int{4, 3}, all, true, "[[10] [11 13 14] [12]]"},
		{[2]int{4, 1}, all, true, "[[10] [11 13 14] [12]]"}, {[2]int{4, 1}, []bool{false, true, false, true, true}, false, "[[11 13 14]]"}, {[2]int{0, 2}, all, true, "[[10 12] [11 13 14]]"}, {[2]int{2, 4}, all, false, "[[10 11 12 13 14]]"},
		{[2]int{0, 1}, make([]bool, 5), false, "[]"},
	} {
		g.join(c.join[0], c.join[1])
		if got := fmt.Sprint(g.components(c.hasArea, index)); got != c.want || g.disconnected(c.hasArea) != c.apart {
			t.Errorf("%v joined: got %s, apart %v; want %s, %v", c.join, got, g.disconnected(c.hasArea), c.want, c.apart)
		}
	}
}

// TestWorstEdge checks that a note names the same edge of a distorted piece whatever its first vertex and
// direction, and what it says where vertices or angles are wrong.
func TestWorstEdge(t *testing.T) {
	corners := canonicalPieces[construction.Parallelogram].corners
	list := make([]construction.Point, len(corners))
	for i, c := range corners {
		list[i] = construction.Point(c)
	}
	list[1].X = list[1].X.Add(field.Ratio(1, 8))
	_, want, _ := strings.Cut(worstEdge(list, construction.Parallelogram), "has length")
	for first := range list {
		for _, back := range []bool{false, true} {
			turned := append(slices.Clone(list[first:]), list[:first]...)
			if back {
				slices.Reverse(turned)
			}
			text := worstEdge(turned, construction.Parallelogram)
			_, got, _ := strings.Cut(text, "has length")
			var a, b int
			if _, err := fmt.Sscanf(text, "; edge %d-%d", &a, &b); err != nil || b != (a+1)%4 || got != want {
				t.Errorf("from vertex %d, back %v: got %q; want the edge of%s", first, back, text, want)
				continue
			}
			length := math.Hypot(turned[b].X.Sub(turned[a].X).Float(), turned[b].Y.Sub(turned[a].Y).Float())
			if !strings.HasPrefix(got, " "+formatShort(length)+",") {
				t.Errorf("from vertex %d, back %v: edge %d-%d has length %v; got%s", first, back, a, b, length, got)
			}
		}
	}
	if got := worstEdge(list[:3], construction.Parallelogram); got != "; it has 3 vertices, want 4" {
		t.Errorf("three vertices: got %q", got)
	}
	rhombus := []construction.Point{{X: field.Int(0), Y: field.Int(0)}, {X: field.Int(1), Y: field.Int(0)}, {X: field.Int(1).Add(field.Surd(1, 2)), Y: field.Surd(1, 2)}, {X: field.Surd(1, 2), Y: field.Surd(1, 2)}}
	if got := worstEdge(rhombus, construction.Square); !strings.Contains(got, "angles are wrong") {
		t.Errorf("a rhombus for a square: got %q", got)
	}
	for x, want := range map[float64]string{0: "right", 1e-13: "right", -0.5: "-0.5 off", 0.1234: "0.123 off"} {
		if got := deviation(x); got != want {
			t.Errorf("%v: got %s; want %s", x, got, want)
		}
	}
}

// TestAxes checks that y points up in the plane of the puzzle, and down in pixels.
func TestAxes(t *testing.T) {
	j, err := New().Prepare(paintItem(t, `,"response":"none"`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := j.(*job).picture.axes(); a.UnitX <= 0 || a.UnitY != -a.UnitX {
		t.Errorf("got %+v", a)
	}
}

// TestSquaredDistances checks the table of all distances of corners.
func TestSquaredDistances(t *testing.T) {
	list := []plane.Point{{X: field.Int(0), Y: field.Int(0)}, {X: field.Int(1), Y: field.Int(0)}, {X: field.Int(3), Y: field.Int(4)}, {X: field.Int(0), Y: field.Int(7)}}
	all := squaredDistances(list)
	for i := range list {
		for j := range list {
			if want := squaredDistance(list[i], list[j]); !all[i*4+j].Equal(want) {
				t.Errorf("%d and %d: got %s; want %s", i, j, all[i*4+j].LaTeX(), want.LaTeX())
			}
		}
	}
}

// TestNoteLimit checks how many notes an answer gets at most.
func TestNoteLimit(t *testing.T) {
	for n, want := range map[int]int{maxNotes - 1: maxNotes - 1, maxNotes: maxNotes, maxNotes + 1: maxNotes, maxNotes + 9: maxNotes} {
		score := Score{Pieces: make([]PieceScore, n)} // none could be read
		if got := len(score.notes(&construction.Prediction{Pieces: make([]construction.Piece, n)})); got != want {
			t.Errorf("%d pieces: got %d notes; want %d", n, got, want)
		}
	}
}
