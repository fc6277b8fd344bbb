package construction

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// seven returns an answer with one piece of each given type.
func seven(types ...string) string {
	var pieces []string
	for i, kind := range types {
		pieces = append(pieces, fmt.Sprintf(`{"id":"T%d","type":%q,"V":%s}`, i, kind, triangle))
	}
	return state("[" + strings.Join(pieces, ",") + "]")
}

func TestInventory(t *testing.T) {
	whole := []string{"large_triangle", "Large Triangle", "medium_triangle", "small_triangle", "SMALL-TRIANGLE", "square", "parallelogram"}
	other := func(i int, kind string) []string {
		list := slices.Clone(whole)
		list[i] = kind
		return list
	}
	for _, c := range []struct {
		name  string
		types []string
		want  string
	}{
		{"whole", whole, ""},
		{"letters a and z with other marks", other(5, "1square!"), ""},
		{"a square too many", other(6, "square"), "inventory"},
		{"a large triangle too few", other(0, "small_triangle"), "inventory"},
		{"a name with a letter too many", other(5, "squarez"), "type"},
		{"a name with letters around", other(5, "asquare"), "type"},
		{"six", whole[:6], "count"},
	} {
		var r Reader
		p := r.Read(seven(c.types...), false)
		if got := strings.Join(p.Reasons, " "); got != c.want || len(p.Pieces) != len(c.types) {
			t.Errorf("%s: got %q; want %q", c.name, got, c.want)
		}
	}
	var r Reader
	p := r.Read(seven(whole...), false)
	for i, want := range []Kind{Large, Large, Medium, Small, Small, Square, Parallelogram} {
		if p.Pieces[i].Kind != want || p.Pieces[i].ID != fmt.Sprintf("T%d", i) {
			t.Errorf("piece %d: got %+v; want the type %s", i, p.Pieces[i], want)
		}
	}
}

func TestIDs(t *testing.T) {
	var r Reader
	p := r.Read(state(`[{"id":"a"},{"id":3},{"id":1.50},{"id":null},{"id":[1]},{"id":true},{}]`), false)
	for i, want := range []string{"a", "3", "1.50", "", "", "", ""} {
		if p.Pieces[i].ID != want || p.Pieces[i].HasID != (want != "") {
			t.Errorf("piece %d: got the id %q, %v; want %q", i, p.Pieces[i].ID, p.Pieces[i].HasID, want)
		}
	}
	p = r.Read(state(`{"a":{"id":"b"},"c":{"id":null}}`), false)
	if p.Pieces[0].ID != "b" || p.Pieces[1].ID != "c" {
		t.Errorf("pieces by key: got %+v; want the ids b and c", p.Pieces)
	}
}

func TestWhere(t *testing.T) {
	// With repair another object may be the last one that can be read; its bytes are those of the text as it is.
	stray := state(`[{"type":"square","vertices":[["\sqrt{2}","\frac{1}{2}"]]}]`)
	two := `{"final_state":{"pieces":[]}} \a \\\\ then ` + stray + ` end`
	for repair, want := range map[bool]string{false: `{"final_state":{"pieces":[]}}`, true: stray} {
		var r Reader
		from, to, ok := r.Where(two, repair)
		if !ok || two[from:to] != want {
			t.Errorf("repair %v: got %d..%d, %v; want those of %s", repair, from, to, ok, want)
		}
	}
	const text = `so {"final_state":[1]} and {"a":1} or {"final_state":[]}!`
	var r Reader
	from, to, ok := r.Where(text, false)
	if !ok || text[from:to] != `{"final_state":[]}` {
		t.Errorf("got %d to %d, %v", from, to, ok)
	}
	if _, _, ok := r.Where("none", false); ok {
		t.Error("found an answer in none")
	}
}

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		name, text string
		repair     bool
		want       string // id=JSON of each entry; "none" where nothing is found
	}{
		{"a list", state(`[{"id":"a","V":[1]},{"V":2,"id":"b"},{"id":7},{"id":1.5},{"id":null,"x":1},{"id":[1]}]`), false,
			`a={"id":"a","V":[1]} b={"id":"b","V":2} 7={"id":"7"} 1.5={"id":"1.5"} ={"id":"","x":1} ={"id":""}`},
		{"vertices that are null or not", state(`[{"id":"a","vertices":null},{"id":"b","vertices":[]},null,3,"x"]`), false,
			`a= b={"id":"b","vertices":[]} = =3 ="x"`},
		{"pieces by key", state(`{"a":{"x":1},"b":{"id":"c"},"d":null}`), false, `a={"id":"a","x":1} c={"id":"c"} d=`},
		{"the member pieces", state(`{"pieces":[{"id":"a"}],"id":"b"}`), false, `a={"id":"a"}`},
		{"a list with no member", state(`[]`), false, ``},
		{"stray backslashes", state(`[{"id":"a","x":"\sqrt"}]`), true, `a={"id":"a","x":"\\sqrt"}`},
		{"stray backslashes that stay", state(`[{"id":"a","x":"\sqrt"}]`), false, "none"},
		{"a text", state(`"x"`), false, "none"},
		{"pieces that are a number", state(`{"pieces":3}`), false, "none"},
		{"nothing", "none", false, "none"},
	} {
		var r Reader
		all, found := r.Entries(c.text, c.repair)
		var list []string
		for _, e := range all {
			list = append(list, e.ID+"="+string(e.JSON))
		}
		got := strings.Join(list, " ")
		if !found {
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// Characters beside the ranges of digits and letters end an escape.
func TestRepairBoundaries(t *testing.T) {
	for _, c := range [][2]string{
		{`\u0123`, `\u0123`}, {`\u9999`, `\u9999`}, {`\uaaff`, `\uaaff`}, {`\uAAFF`, `\uAAFF`}, {`\u000:`, `\\u000:`}, {`\u000/`, `\\u000/`},
		{`\u000`, `\\u000`}, {`\u000g`, `\\u000g`}, {`\u000G`, `\\u000G`}, {"\\u000`", "\\\\u000`"}, {`\u0000 \q`, `\u0000 \\q`},
		{`\na`, `\\na`}, {`\nz`, `\\nz`}, {`\nA`, `\\nA`}, {`\nZ`, `\\nZ`}, {"\\n`", "\\n`"}, {`\n{`, `\n{`}, {`\n[`, `\n[`}, {`\n@`, `\n@`},
	} {
		if got := Repair(c[0]); got != c[1] {
			t.Errorf("%s: got %s; want %s", c[0], got, c[1])
		}
	}
}

func TestPairBoundaries(t *testing.T) {
	for in, want := range map[string]string{
		"$,$": ",", "$$1,2$$": "1,2", "$": "none", "$$$": "none", ",": ",", "1,": "1,", ",(2)": ",(2)", "()": "none", "(": "none", "(,)": ",", "1,2,": "none", ",1,2": "none",
	} {
		x, y, ok := splitPair(in)
		got := x + "," + y
		if !ok {
			got = "none"
		}
		if got != want {
			t.Errorf("%s: got %s; want %s", in, got, want)
		}
	}
}

func TestMoved(t *testing.T) {
	const square = `[["0","0"],[1,0],{"x":1,"y":"1"},"(0,1)"]`
	for _, c := range []struct {
		name, text string
		repair     bool
		dx, dy     float64
		moves      string // indices of the pieces to move
		want       string // "" where nothing is found
	}{
		{"a list, one piece moves", state(`[{"id":"a","V":` + square + `,"x":[1]},{"id":"b","V":` + square + `}]`), false, 1, -0.5, "1",
			state(`[{"id":"a","V":` + square + `,"x":[1]},{"id":"b","V":[["1","-\\frac{1}{2}"],["2","-\\frac{1}{2}"],["2","\\frac{1}{2}"],["1","\\frac{1}{2}"]]}]`)},
		{"one direction", state(`[{"V":` + square + `}]`), false, 0, 2, "0", state(`[{"V":[["0","2"],["1","2"],["1","3"],["0","3"]]}]`)},
		{"pieces by key, in an object with more", state(`{"n":1,"pieces":{"a":{"V":` + square + `},"b":{"V":` + square + `}},"m":2}`), false, 1, 0, "0",
			state(`{"n":1,"pieces":{"a":{"V":[["1","0"],["2","0"],["2","1"],["1","1"]]},"b":{"V":` + square + `}},"m":2}`)},
		{"an object of pieces, the second moves", state(`{"a":{"V":` + square + `},"b":{"V":` + square + `}}`), false, 1, 0, "1",
			state(`{"a":{"V":` + square + `},"b":{"V":[["1","0"],["2","0"],["2","1"],["1","1"]]}}`)},
		{"decimal", state(`[{"V":[[0.25,0],[1.25,0],[0,1.5]]}]`), false, 1e-9, 4e-10, "0",
			state(`[{"V":[["0.250000001000","0"],["1.250000001000","0"],["\\frac{1}{1000000000}","1.5"]]}]`)},
		{"vertices that cannot be read, and no piece", state(`[{"V":[[0,0]]},3,null]`), false, 1, 1, "012", state(`[{"V":[[0,0]]},3,null]`)},
		{"stray backslashes", state(`[{"V":[["\sqrt{2}",0],[0,0],[0,1]]}]`), true, 1, 0, "0", state(`[{"V":[["1+\\sqrt{2}","0"],["1","0"],["1","1"]]}]`)},
		{"a state that is no list", state(`"x"`), false, 1, 0, "0", state(`"x"`)},
		{"no length", state(`[{"V":` + square + `}]`), false, math.NaN(), math.Inf(1), "0", state(`[{"V":[["0","0"],["1","0"],["1","1"],["0","1"]]}]`)},
		{"nothing", "none", false, 1, 1, "0", ""},
	} {
		var r Reader
		got, ok := r.Moved(c.text, c.repair, func(i int) bool { return strings.Contains(c.moves, fmt.Sprint(i)) }, c.dx, c.dy)
		if ok != (c.want != "") || string(got) != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.name, got, ok, c.want)
		}
	}
}

// The search ends before an object once it has read more than 16 times the text and 1 MiB, not when it
// has read exactly as much: here of objects that break off one inside another.
func TestBoundOfSearch(t *testing.T) {
	const answer = `{"final_state":[]}`
	for open, limited := range map[int]bool{96: false, 97: true} {
		text := strings.Repeat(`{"a":`, open)
		text += strings.Repeat(" ", 13_391-len(answer)-len(text)) + answer
		var r Reader
		if p := r.Read(text, false); p.Found == limited || p.Limited != limited {
			t.Errorf("%d objects that break off: got found %v, limited %v; want limited %v", open, p.Found, p.Limited, limited)
		}
	}
	// A long text is read to its end.
	var r Reader
	if p := r.Read(`{"thoughts":"`+strings.Repeat("a", 1<<20+1000)+`"} `+answer, false); !p.Found || p.Limited {
		t.Errorf("an answer behind a megabyte: got found %v, limited %v", p.Found, p.Limited)
	}
}

// A piece all of whose vertices are one point is said to have one.
func TestOneVertex(t *testing.T) {
	var r Reader
	p := r.Read(state(`[{"id":"T1","V":[[1,2],[1,2],[1,2]]}]`), false)
	if got, want := p.Pieces[0].Problem, "it has 1 different vertices; want at least 3"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}
