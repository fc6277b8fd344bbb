package assembly

import (
	"errors"
	"strings"
	"testing"

	"plumb/scoring/tangram/field"
)

// TestTurns holds the turned polygons against areas and lengths.
func TestTurns(t *testing.T) {
	areas := [...]field.Number{field.Int(2), field.Int(1), field.Ratio(1, 2), field.Int(1), field.Int(1)}
	for k := Large; k <= Parallelogram; k++ {
		for i, turn := range Turns {
			p := Turned(k, i)
			want := areas[k]
			if turn.Mirror {
				want = want.Neg()
			}
			if a := field.Area(p); !a.Equal(want) {
				t.Errorf("%s, turn %v: area %s; want %s", k, turn, a.LaTeX(), want.LaTeX())
			}
			if at, ok := Locate(k, p); !ok || at.Turn != turn {
				t.Errorf("%s, turn %v: located at %v, %v", k, turn, at.Turn, ok)
			}
		}
	}
	if p := (Turn{Eighths: 2}).Apply(At(1, 0)); !p.Equal(At(0, 1)) {
		t.Errorf("90 degrees take (1, 0) to (%s, %s); want (0, 1)", p.X.LaTeX(), p.Y.LaTeX())
	}
}

// poly reads "x,y x,y ..." with the coordinates in LaTeX.
func poly(t *testing.T, s string) (p []Point) {
	t.Helper()
	for _, v := range strings.Fields(s) {
		x, y, _ := strings.Cut(v, ",")
		a, _, err1 := field.Parse(x)
		b, _, err2 := field.Parse(y)
		if err1 != nil || err2 != nil {
			t.Fatalf("cannot read vertex %q", v)
		}
		p = append(p, Point{X: a, Y: b})
	}
	return p
}

// base is a valid configuration: a strip of squares and triangles on the x axis.
var base = [Count]string{
	"0,0 2,0 0,2",                 // T1
	"2,2 0,2 2,0",                 // T2: with T1 the square from 0 to 2
	`2,0 2+\sqrt{2},0 2,\sqrt{2}`, // T3: at its right
	"0,2 1,2 0,3",                 // T4: on top
	"1,3 0,3 1,2",                 // T5: with T4 a unit square
	"1,2 2,2 2,3 1,3",             // S1: beside it
	"0,0 0,1 -1,2 -1,1",           // P1: at the left; mirrored and turned
}

func figure(t *testing.T, change map[int]string) (*Figure, error) {
	t.Helper()
	var polys [Count][]Point
	for i, s := range base {
		if c, ok := change[i]; ok {
			s = c
		}
		polys[i] = poly(t, s)
	}
	return FromPolygons(polys)
}

func TestBuild(t *testing.T) {
	f, err := figure(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := poly(t, `1,0 3+\sqrt{2},0 3,\sqrt{2} 3,3 1,3 1,1 0,2 0,1`)
	if !samePolygon(f.Outline, want) {
		t.Errorf("outline %v; want %v", texts(f.Outline), texts(want))
	}
	pairs := ""
	for _, p := range f.Adjacent {
		pairs += IDs[p[0]] + "-" + IDs[p[1]] + " "
	}
	if pairs != "T1-T2 T1-P1 T2-T3 T2-T4 T2-S1 T4-T5 T5-S1 " {
		t.Errorf("adjacent: %s", pairs)
	}
	for i, l := range []string{`2+\sqrt{2}`, "2", `3-\sqrt{2}`, "2", "2", `\sqrt{2}`, "1", `\sqrt{2}`} {
		if got := f.Lengths[i].LaTeX(); got != l {
			t.Errorf("edge %d: length %s; want %s", i, got, l)
		}
	}
}

func texts(ps []Point) (s []string) {
	for _, p := range ps {
		s = append(s, p.X.LaTeX()+","+p.Y.LaTeX())
	}
	return s
}

// TestBuildRefuses has one fault per case.
func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change map[int]string
		want   error
		names  string
	}{
		{"overlap by a hair", map[int]string{5: `1,\frac{1999999999}{1000000000} 2,\frac{1999999999}{1000000000} 2,\frac{2999999999}{1000000000} 1,\frac{2999999999}{1000000000}`}, ErrOverlap, "T2 and S1"},
		{"contained", map[int]string{3: `\frac{1}{4},\frac{1}{4} \frac{5}{4},\frac{1}{4} \frac{1}{4},\frac{5}{4}`}, ErrOverlap, "T1 and T4"},
		{"same place", map[int]string{4: "0,2 1,2 0,3"}, ErrOverlap, "T4 and T5"},
		{"gap of a hair", map[int]string{2: `2+\frac{1}{1000000000},0 2+\frac{1}{1000000000}+\sqrt{2},0 2+\frac{1}{1000000000},\sqrt{2}`}, ErrDisconnected, "T3"},
		{"touches in a point", map[int]string{6: "0,0 -1,0 -2,-1 -1,-1"}, ErrDisconnected, "P1"},
		{"touches itself in a point", map[int]string{
			0: "0,3 2,3 0,5", 1: "2,2 0,2 2,0", 2: "-1,3 0,2 0,4", 3: "2,0 3,0 2,1",
			4: "2,1 3,1 2,2", 5: "1,2 2,2 2,3 1,3", 6: "0,4 0,5 -1,6 -1,5",
		}, ErrPinched, "(0, 2)"},
		{"touches itself in the first vertex of the first piece", map[int]string{
			0: "2,2 2,0 0,2", 1: "0,3 2,3 0,5", 2: "-1,3 0,2 0,4", 3: "2,0 3,0 2,1",
			4: "2,1 3,1 2,2", 5: "1,2 2,2 2,3 1,3", 6: "0,4 0,5 -1,6 -1,5",
		}, ErrPinched, "(0, 2)"},
		{"hole", map[int]string{
			0: `-\frac12,3 \frac32,3 -\frac12,5`, 1: `\sqrt2-\frac12,2-\sqrt2 2\sqrt2-\frac12,2 -\frac12,2`, 2: "-2,3 -1,2 -1,4",
			3: "1,2 2,2 1,3", 4: "2,3 1,3 2,2", 5: "-1,2 0,2 0,3 -1,3", 6: "2,2 2,3 3,4 3,3",
		}, ErrHole, ": 4 edges of its boundary"},
		{"other angle", map[int]string{5: `1,2 \frac{8}{5},\frac{14}{5} \frac{4}{5},\frac{17}{5} \frac{1}{5},\frac{13}{5}`}, ErrInventory, "S1"},
		{"other size", map[int]string{5: "1,2 3,2 3,4 1,4"}, ErrInventory, "S1"},
		{"other start", map[int]string{5: "2,2 1,2 2,3 1,3"}, ErrInventory, "S1"},
		{"too few vertices", map[int]string{5: "1,2 2,2 2,3"}, ErrInventory, "S1"},
	} {
		_, err := figure(t, c.change)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: got %v; want %v with %q", c.name, err, c.want, c.names)
		}
	}
}

// TestRead has one fault per case: a member of a good line is changed.
func TestRead(t *testing.T) {
	f, err := figure(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := &Instance{ID: "a", Figure: *f}
	line := string(in.AppendJSON(nil))
	if _, err := Read([]byte(line)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`{"instance_id":"a"`, `{"id":"a"`, "instance_id"},
		{`{"instance_id":"a"`, `{"instance_id":1`, "instance_id"},
		{`"final_state"`, `"final"`, "final_state"},
		{`"final_state":{"pieces":[{"id":"T1"`, `"final_state":{"pieces":[{"id":"T2"`, "pieces[0].type|pieces[1].id"},
		{`"final_state":{"pieces":[{"id":"T1","type":"large_triangle"`, `"final_state":{"pieces":[{"id":"T1","type":"square"`, "pieces[0].type"},
		{`"final_state":{"pieces":[{"id":"T1","type":"large_triangle","vertices":[["1","0"]`, `"final_state":{"pieces":[{"id":"T1","type":"large_triangle","vertices":[["1","x"]`, "pieces[0].vertices[0][1]"},
		{`"final_state":{"pieces":[{"id":"T1","type":"large_triangle","vertices":[["1","0"]`, `"final_state":{"pieces":[{"id":"T1","type":"large_triangle","vertices":[["1"]`, "pieces[0].vertices[0]"},
		{`"final_state":{"pieces":[{"id":"T1","type":"large_triangle","vertices":[["1","0"]`, `"final_state":{"pieces":[{"id":"T1","type":"large_triangle","vertices":[["1","1"]`, "T1"},
		{`{"vertices":[["1","0"]`, `{"vertices":[["1","1"]`, "target_outline.vertices"},
		{`"adjacency_graph":[["T1","T2"],`, `"adjacency_graph":[`, "adjacency_graph"},
		{`"adjacency_graph":[["T1","T2"],`, `"adjacency_graph":[["T1","X"],`, "adjacency_graph[0]"},
		{`"adjacency_graph":[["T1","T2"],`, `"adjacency_graph":[["X","T2"],`, "adjacency_graph[0]"},
		{`"adjacency_graph":[["T1","T2"],`, `"adjacency_graph":[["T2","T1"],`, "adjacency_graph: not that of final_state"},
	} {
		if !strings.Contains(line, c.old) {
			t.Fatalf("the line has no %s", c.old)
		}
		_, err := Read([]byte(strings.Replace(line, c.old, c.new, 1)))
		named := false
		for _, w := range strings.Split(c.want, "|") {
			named = named || err != nil && strings.Contains(err.Error(), w)
		}
		if !named {
			t.Errorf("%s: got %v; want an error with %s", c.new, err, c.want)
		}
	}
}
