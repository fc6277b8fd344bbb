package assembly

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"plumb/scoring/tangram/field"
)

// randomNumber returns a + b√2 of some thousand, with a small denominator.
func randomNumber(r *rand.Rand) field.Number {
	n := func() int64 { return r.Int64N(4001) - 2000 }
	return field.Ratio(n(), 1+r.Int64N(3)).Add(field.Surd(n(), 1+r.Int64N(3)))
}

func randomPoint(r *rand.Rand) Point { return Point{X: randomNumber(r), Y: randomNumber(r)} }

// scaled returns p times k.
func scaled(p Point, k field.Number) Point { return Point{X: p.X.Mul(k), Y: p.Y.Mul(k)} }

// TestSigns compares the signs with those of exact arithmetic. The coordinates are so large that doubles
// are wrong about points on a line, and the smallest distance from it is below what they resolve.
func TestSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tiny := field.Int(1)
	for range 24 { // (√2 - 1)^24 is 6.5e-10
		tiny = tiny.Mul(field.Surd(1, 1).Sub(field.Int(1)))
	}
	for range 3000 {
		a, d := randomPoint(r), randomPoint(r)
		b := a.Add(d)
		across := Point{X: d.Y.Neg(), Y: d.X}
		along := field.Ratio(r.Int64N(41)-20, 20)
		for sign := -1; sign <= 1; sign++ {
			by := tiny.Mul(field.Int(int64(sign)))
			c := a.Add(scaled(d, along)).Add(scaled(across, by))
			if got := side(vertexOf(a), vertexOf(b), vertexOf(c)); got != sign {
				t.Fatalf("side of a point %d tiny steps left of the line: got %d", sign, got)
			}
			q := c.Add(scaled(across, along)).Add(scaled(d, by))
			if got := compareAlong(vertexOf(a), vertexOf(b), vertexOf(c), vertexOf(q)); got != -sign {
				t.Fatalf("order of a point and one %d tiny steps behind it: got %d", sign, got)
			}
			if got := samePoint(vertexOf(c), vertexOf(c.Add(scaled(d, by)))); got != (sign == 0) {
				t.Fatalf("a point and one %d tiny steps away: got same %v", sign, got)
			}
		}
	}
	// Plain numbers, in all four directions.
	for _, c := range []struct{ a, b, p, q Point }{
		{At(0, 0), At(1, 0), At(3, 5), At(4, -7)}, {At(0, 0), At(-1, 0), At(4, -7), At(3, 5)},
		{At(2, 1), At(2, 4), At(5, 3), At(-7, 4)}, {At(2, 4), At(2, 1), At(-7, 4), At(5, 3)},
		{At(1, 1), At(3, 4), At(0, 0), At(1, 1)}, {At(1, 1), At(4, -1), At(0, 0), At(2, 2)},
	} {
		a, b, p, q := vertexOf(c.a), vertexOf(c.b), vertexOf(c.p), vertexOf(c.q)
		if compareAlong(a, b, p, q) != -1 || compareAlong(a, b, q, p) != 1 {
			t.Errorf("%v: got %d and %d; want -1 and 1", c, compareAlong(a, b, p, q), compareAlong(a, b, q, p))
		}
	}
}

func TestStrictlyInside(t *testing.T) {
	a, b := vertexOf(At(1, 1)), vertexOf(At(5, 3))
	for _, c := range []struct {
		p    Point
		want bool
	}{{At(3, 2), true}, {At(1, 1), false}, {At(5, 3), false}, {At(-1, 0), false}, {At(7, 4), false}, {At(3, 3), false}} {
		if got := strictlyInside(a, b, vertexOf(c.p)); got != c.want {
			t.Errorf("(%s, %s): got %v; want %v", c.p.X.LaTeX(), c.p.Y.LaTeX(), got, c.want)
		}
	}
}

// Two segments that meet in one end share no length, whatever their directions.
func TestShareSpan(t *testing.T) {
	v := func(x int64) vertex { return vertexOf(At(x, 2*x)) }
	for _, c := range []struct {
		from, to int64
		want     bool
	}{{-2, 0, false}, {-2, 1, true}, {0, 4, true}, {1, 2, true}, {3, 9, true}, {4, 9, false}, {5, 9, false}, {-3, -1, false}, {-3, 9, true}} {
		for _, pair := range [][2]int64{{c.from, c.to}, {c.to, c.from}} {
			if got := shareSpan(v(0), v(4), v(pair[0]), v(pair[1])); got != c.want {
				t.Errorf("0 to 4 and %v: got %v; want %v", pair, got, c.want)
			}
		}
	}
}

// Edges are pairs of vertex indices that go round once.
func TestEdges(t *testing.T) {
	f, err := figure(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	type edges struct {
		Vertices [][2]string
		Edges    []json.RawMessage
	}
	var doc struct {
		Outline struct {
			Vertices [][2]string
			Edges    []struct{ V [2]int }
		} `json:"target_outline"`
		Initial struct{ Pieces []edges } `json:"initial_state"`
	}
	if err := json.Unmarshal((&Instance{ID: "a", Figure: *f}).AppendJSON(nil), &doc); err != nil {
		t.Fatal(err)
	}
	for i, e := range doc.Outline.Edges {
		if want := [2]int{i, (i + 1) % 8}; e.V != want {
			t.Errorf("edge %d of the outline: got %v; want %v", i, e.V, want)
		}
	}
	for i, p := range doc.Initial.Pieces {
		want := []string{"[0,1]", "[1,2]", "[2,0]"}
		if len(p.Vertices) == 4 {
			want = []string{"[0,1]", "[1,2]", "[2,3]", "[3,0]"}
		}
		var got []string
		for _, e := range p.Edges {
			got = append(got, string(e))
		}
		if !slices.Equal(got, want) {
			t.Errorf("piece %d: got the edges %v; want %v", i, got, want)
		}
	}
}

func TestTurnsInOrder(t *testing.T) {
	for i, turn := range Turns {
		if want := (Turn{Eighths: i % 8, Mirror: i/8 == 1}); turn != want {
			t.Errorf("turn %d: got %v; want %v", i, turn, want)
		}
	}
}

// The signs of points on a line hold for coordinates of at most 1 too.
func TestSignsOfSmallNumbers(t *testing.T) {
	slope := field.Surd(1, 1).Sub(field.Int(1)) // √2 - 1
	for k := int64(2); k < 400; k++ {
		d := Point{X: field.Int(1), Y: slope.Mul(field.Ratio(1, k-1))}
		across := Point{X: d.Y.Neg(), Y: d.X}
		a, b := vertexOf(At(0, 0)), vertexOf(d)
		c := scaled(d, slope.Mul(field.Ratio(2, k)))
		if got := side(a, b, vertexOf(c)); got != 0 {
			t.Errorf("side of a point on the line, %d: got %d", k, got)
		}
		if got := compareAlong(a, b, vertexOf(c), vertexOf(c.Add(scaled(across, field.Ratio(1, k))))); got != 0 {
			t.Errorf("order of two points across the line, %d: got %d", k, got)
		}
	}
}

// Two squares that meet in one point are no outline, also where the edge that leaves the point first
// leads to the first vertex of all.
func TestPinchBeforeTheFirstVertex(t *testing.T) {
	var shapes [Count]shape
	shapes[0] = shapeOf([]Point{At(0, 0), At(1, 0), At(1, 1), At(0, 1)})
	shapes[1] = shapeOf([]Point{At(-1, 1), At(0, 1), At(0, 2), At(-1, 2)})
	if _, err := traceBoundary(&shapes); !errors.Is(err, ErrPinched) {
		t.Errorf("got %v; want %v", err, ErrPinched)
	}
}
