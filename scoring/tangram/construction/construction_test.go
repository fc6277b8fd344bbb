package construction

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const triangle = `[[0,0],[1,0],[0,1]]`

func state(members string) string { return `{"final_state":` + members + `}` }

func TestRead(t *testing.T) {
	piece := func(v string) string { return state(`[{"type":"square","vertices":` + v + `}]`) }
	for _, c := range []struct {
		name, text string
		reasons    string
		n, parsed  int
		decimal    bool
	}{
		{"list", state(`[]`), "count", 0, 0, false},
		{"object of pieces", state(`{"T1":{"type":"square","V":` + triangle + `}}`), "count", 1, 1, false},
		{"pieces keyed by id", state(`{"pieces":{"T1":{"type":"square","V_world":` + triangle + `}}}`), "count", 1, 1, false},
		{"text", state(`"x"`), "pieces", 0, 0, false},
		{"pieces that are no list", state(`{"pieces":3}`), "pieces", 0, 0, false},
		{"null", state(`null`), "pieces", 0, 0, false},
		{"no object", state(`[1,null,"a"]`), "count type vertices", 3, 0, false},
		{"tce", `{"tce":` + state(`[]`) + `}`, "count", 0, 0, false},
		{"TCE", `{"a":1,"TCE":` + state(`[]`) + `}`, "count", 0, 0, false},
		{"tce that is none", `{"tce":[]}`, "json", 0, 0, false},
		{"inner object of prose", `{ {` + `"final_state":[]}`, "count", 0, 0, false},
		{"last one counts", state(`[1]`) + ` then ` + state(`[]`), "count", 0, 0, false},
		{"trailing comma", `{"final_state":[],}`, "json", 0, 0, false},
		{"NaN", `{"final_state":[],"a":NaN}`, "json", 0, 0, false},
		{"control character", "{\"final_state\":[],\"a\":\"\n\"}", "json", 0, 0, false},
		{"unknown escape", `{"final_state":[],"a":"\sqrt"}`, "json", 0, 0, false},
		{"long integer", `{"a":` + strings.Repeat("7", 5000) + `,"final_state":[]}`, "count", 0, 0, false},
		{"last key counts", `{"final_state":3,"final_state":[]}`, "count", 0, 0, false},
		{"type by other names", state(`[{"piece_type":"Big-Triangle!","V":` + triangle + `}]`), "count", 1, 1, false},
		{"type that is no text", state(`[{"type":3,"V":` + triangle + `}]`), "count type", 1, 1, false},
		{"decimal", piece(`[[0,0],[1,0],[0,1.0]]`), "count", 1, 1, true},
		{"exponent", piece(`[[0,0],[1,0],[0,1e0]]`), "count", 1, 1, true},
		{"decimal that is refused", piece(`[[0,0],[1.0,0]]`), "count vertices", 1, 0, false},
		{"objects", piece(`[{"x":0,"y":0},{"x":"1","y":"0","z":3},{"y":1,"x":0}]`), "count", 1, 1, false},
		{"texts", piece(`["(0,0)","$(1, 0)$","\\left(0,\\frac{1}{2}\\right)"]`), "count", 1, 1, false},
		{"delimiters", piece(`["\\((0,0)\\)","\\[1\\,,\\,0\\]","($0$, $1$)"]`), "count", 1, 1, false},
		{"delimiters of each", piece(`["$0$, $0$","1,0","\\(0\\), \\(1\\)"]`), "count", 1, 1, false},
		{"brackets of each", piece(`["(0), (0)","(1),(0)","((0),(1))"]`), "count", 1, 1, false},
		{"two commas", piece(`["0,0,0","1,0","0,1"]`), "count vertices", 1, 0, false},
		{"comma inside", piece(`["(0,(0,1))","1,0","0,1"]`), "count vertices", 1, 0, false},
		{"closed", piece(`[[0,0],[0,0],[1,0],[0,1],[0,1],[0,0],[0,0]]`), "count", 1, 1, false},
		{"two different", piece(`[[0,0],[1,0],[0,0]]`), "count vertices", 1, 0, false},
		{"three numbers", piece(`[[0,0,0],[1,0],[0,1]]`), "count vertices", 1, 0, false},
		{"largest", piece(`[[0,0],[1000000,0],[0,-1000000]]`), "count", 1, 1, false},
		{"too large", piece(`[[0,0],[1000000.0001,0],[0,1]]`), "count vertices", 1, 0, false},
		{"equal by value", piece(`[[0,0],["\\sqrt{4}",0],[2,0],["1+1","0"],[0,1]]`), "count", 1, 1, false},
		{"512 characters", piece(`[["` + strings.Repeat(" ", 511) + `0",0],[1,0],[0,1]]`), "count", 1, 1, false},
		{"513 characters", piece(`[["` + strings.Repeat(" ", 512) + `0",0],[1,0],[0,1]]`), "count vertices", 1, 0, false},
		{"form feed", piece(`[["\frac{1}{2}",0],[1,0],[0,1]]`), "count vertices", 1, 0, false},
	} {
		var r Reader
		p := r.Read(c.text, false)
		if got := strings.Join(p.Reasons, " "); got != c.reasons || len(p.Pieces) != c.n || p.Parsed != c.parsed || p.Decimal != c.decimal {
			t.Errorf("%s: got %q, %d pieces, %d parsed, decimal %v; want %+v", c.name, got, len(p.Pieces), p.Parsed, p.Decimal, c)
		}
	}
}

func list(n int) string {
	b := []byte{'['}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "[%d,%d]", i, i*i)
	}
	return string(append(b, ']'))
}

func TestLimits(t *testing.T) {
	var r Reader
	for n, want := range map[int]int{64: 1, 65: 0} {
		if p := r.Read(state(`[{"V":`+list(n)+`}]`), false); p.Parsed != want {
			t.Errorf("%d vertices: got %d parsed; want %d", n, p.Parsed, want)
		}
	}
	many := state(`[` + strings.TrimSuffix(strings.Repeat(`{"type":"square","V":`+list(64)+`},`, 5000), ",") + `]`)
	p := r.Read(many, false)
	if len(p.Pieces) != 5000 || p.Parsed != MaxVertices/64 || !slices.Equal(p.Reasons, []string{ReasonCount}) {
		t.Errorf("many pieces: got %d, %d parsed, %v", len(p.Pieces), p.Parsed, p.Reasons)
	}
	// Every bracket opens an object that does not end: the search is given up.
	if p := r.Read(strings.Repeat(`{"a":`, 200_000), false); p.Found {
		t.Error("found an answer in nothing")
	}
}

func TestRepair(t *testing.T) {
	for _, c := range [][2]string{{`\frac`, `\\frac`}, {`\f1`, `\f1`}, {`\\frac`, `\\frac`}, {`\u00e9`, `\u00e9`}, {`\u00g9`, `\\u00g9`}, {`\"\/`, `\"\/`},
		{`\sqrt`, `\\sqrt`}, {`\`, `\\`}, {`\,`, `\\,`}, {`\n`, `\n`}, {`\nu`, `\\nu`}, {`a`, `a`}} {
		if got := Repair(c[0]); got != c[1] {
			t.Errorf("%s: got %s; want %s", c[0], got, c[1])
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{state(`[{"type":"square","vertices":` + triangle + `}]`), state(`{"pieces":[{"V":["(0,1)"]}]}`), "```{\\sqrt{2}", "{{{"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var r Reader
		p, again := r.Read(s, false), r.Read(s, false)
		if p.Found == slices.Contains(p.Reasons, ReasonJSON) || len(p.Pieces) != len(again.Pieces) || p.Parsed != again.Parsed || !slices.Equal(p.Reasons, again.Reasons) {
			t.Fatalf("%+v, then %+v", p, again)
		}
		for _, q := range p.Pieces {
			if q.Vertices != nil && (len(q.Vertices) < 3 || len(q.Vertices) > maxVertices) {
				t.Fatalf("%d vertices", len(q.Vertices))
			}
		}
		r.Read(s, true)
	})
}
