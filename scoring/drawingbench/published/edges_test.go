package published

import (
	"fmt"
	"strings"
	"testing"
)

// evaluated evaluates actions written as JSON by criteria, "" for none.
func evaluated(t *testing.T, actions, demand string) Evaluation {
	t.Helper()
	var c *Criteria
	if demand != "" {
		c = criteria(t, []byte(demand))
	}
	return new(Evaluator).Evaluate(parsed(t, []byte(actions)), c)
}

// do is an action at a place.
func do(name string, x, y any) string { return fmt.Sprintf(`{"action":%q,"x":%v,"y":%v}`, name, x, y) }

// TestNoList: an answer that is no list has one error, at no action.
func TestNoList(t *testing.T) {
	if e := evaluated(t, `{}`, ""); len(e.Faults) != 1 || e.Faults[0].Index != -1 || e.IsList {
		t.Errorf("got %+v", e)
	}
}

// TestWarningBounds: more than 1000 actions are many, and three moves in a row are too many
// wherever they stand (docs/spec/drawingbench.md#r27).
func TestWarningBounds(t *testing.T) {
	many := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(do("click", 500, 500)+",", n), ",") + "]"
	}
	move := do("moveTo", 500, 500)
	for _, c := range []struct {
		name, actions, want string
		three               bool
	}{
		{"1000", many(1000), "", false}, {"1001", many(1001), "Very high action count: 1001 actions", false},
		{"two moves", "[" + move + "," + move + "]", "", false}, {"three moves", "[" + move + "," + move + "," + move + "]", threeMoves + " at index 0", true},
		{"at the end", "[" + do("click", 1, 1) + "," + move + "," + move + "]", "", false},
	} {
		e := evaluated(t, c.actions, "")
		got := ""
		for _, w := range e.Warnings {
			got += w.Message
		}
		if got != c.want || e.ThreeMoves() != c.three {
			t.Errorf("%s: got %q, three moves: %v; want %q, %v", c.name, got, e.ThreeMoves(), c.want, c.three)
		}
	}
}

// TestFloatsOfText: a coordinate in quotes is a number where Python's float() takes it, also with digits
// of other scripts and with a sign before nan (docs/spec/drawingbench.md#r24).
func TestFloatsOfText(t *testing.T) {
	for text, want := range map[string]string{
		"500": "", "\u0665\u0660\u0660": "", "-nan": "", "+nan": "", "5_0_0": "", "\u0669\u0669\u0669\u0669": "x=9999.0 exceeds",
		"500px": "Invalid coordinate types", "\u00b2": "Invalid coordinate types", "--nan": "Invalid coordinate types",
	} {
		e := evaluated(t, "["+do("mouseUp", `"`+text+`"`, 500)+"]", "")
		got := ""
		for _, fault := range e.Faults {
			got += fault.Message
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("x = %q: got %q; want %q", text, got, want)
		}
	}
}

// TestEdgesOfCanvas: its border belongs to the canvas, 90..1090 and 70..770, and the screen goes
// from 0 to 1500 and 900. A message tells of the coordinate that is beyond alone.
func TestEdgesOfCanvas(t *testing.T) {
	for _, c := range []struct {
		name   string
		x, y   any
		faults int
		has    string
		not    string
	}{
		{"mouseDown", 90, 70, 0, "", ""}, {"mouseDown", 1090, 770, 0, "", ""}, {"mouseDown", 90, 69, 1, "y=69.0 is above", "x=90.0 is"},
		{"mouseDown", 89, 70, 1, "x=89.0 is left of", "y=70.0 is"}, {"mouseDown", 1090, 771, 1, "y=771.0 is below", "x=1090.0 is"},
		{"moveTo", 0, 0, 0, "", ""}, {"moveTo", 0, -1, 1, "y=-1.0 is negative", "x=0.0 is"}, {"moveTo", -1, 0, 1, "x=-1.0 is negative", "y=0.0 is"},
		{"moveTo", 1500, 900, 0, "", ""}, {"moveTo", 1500, 901, 1, "y=901.0 exceeds", "x=1500.0 exceeds"},
	} {
		e := evaluated(t, "["+do(c.name, c.x, c.y)+"]", "")
		text := ""
		for _, f := range e.Faults {
			text += f.Message
		}
		if len(e.Faults) != c.faults || !strings.Contains(text, c.has) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s at %v, %v: got %q; want %d faults with %q and without %q", c.name, c.x, c.y, text, c.faults, c.has, c.not)
		}
	}
}

// TestGridEdges: a point on the right or lower border belongs to the last cell of 20, and a
// rectangle up to the border marks no cell of the next row.
func TestGridEdges(t *testing.T) {
	drag := func(tool int, x0, y0, x1, y1 int) string {
		return "[" + do("click", 35, tool) + "," + do("mouseDown", x0, y0) + "," + do("mouseUp", x1, y1) + "]"
	}
	pen := func(x, y int) string {
		return "[" + do("mouseDown", x, y) + "," + do("mouseUp", x, y) + "]"
	}
	for _, c := range []struct {
		name, actions string
		cells         int
	}{
		{"upper left", pen(90, 70), 1}, {"lower right", pen(1090, 770), 1}, {"beyond", pen(90, 69), 0},
		{"half a row", drag(365, 590, 70, 1090, 100), 10}, {"half a column", drag(365, 1080, 420, 1090, 770), 10}, {"backwards", drag(365, 1090, 100, 590, 70), 10},
		{"all", drag(365, 90, 70, 1090, 770), 400},
	} {
		if e := evaluated(t, c.actions, ""); e.GridCoverage != float64(c.cells)/400 {
			t.Errorf("%s: got %v cells; want %d", c.name, e.GridCoverage*400, c.cells)
		}
	}
}

// TestToolAtTheEnd: a move onto a tool's button selects it only where a click follows.
func TestToolAtTheEnd(t *testing.T) {
	const demand = `{"required_tools":["line"]}`
	on := do("moveTo", 35, 285)
	for actions, used := range map[string]bool{"[" + on + "]": false, "[" + on + `,{"action":"click"}]`: true, "[" + on + "," + on + "]": false} {
		if e := evaluated(t, actions, demand); e.Tools[0].Used != used {
			t.Errorf("%s: got used %v", actions, e.Tools[0].Used)
		}
	}
}

// TestPressesOfRegion: presses on the upper and left border of the canvas count for the region,
// those on the lower and right border do not (docs/spec/drawingbench.md#r42).
func TestPressesOfRegion(t *testing.T) {
	for _, c := range []struct {
		x, y  int
		count bool
	}{{90, 70, true}, {89, 70, false}, {90, 69, false}, {1089, 769, true}, {1090, 400, false}, {500, 770, false}} {
		e := evaluated(t, "["+do("moveTo", c.x, c.y)+`,{"action":"mouseDown"}]`, `{"prompt":"in the middle"}`)
		if (e.SpatialAccuracy > 0) != c.count {
			t.Errorf("a press at %d, %d: got an accuracy of %v; want it counted: %v", c.x, c.y, e.SpatialAccuracy, c.count)
		}
	}
	if a, ok := RegionAccuracy("draw it in the middle", 500, 350); a != 1 || !ok {
		t.Errorf("got %v, %v for the middle; want 1", a, ok)
	}
	if a, ok := RegionAccuracy("draw it", 500, 350); ok {
		t.Errorf("got %v for a prompt without a region", a)
	}
}

// TestFeedbackBounds: 50 errors are told, others counted; a box of 5 % is large enough and an
// accuracy of 0.7 good enough.
func TestFeedbackBounds(t *testing.T) {
	for n, want := range map[int]int{49: 49, 50: 50, 51: 51, 52: 51} {
		e := Evaluation{IsList: true, Faults: make([]Fault, n), Segments: 1, BoxCoverage: 0.05}
		f := e.Feedback()
		last := f.Errors[len(f.Errors)-1].Message
		if len(f.Errors) != want || (last != "") != (n > 50) || n > 50 && last != fmt.Sprintf("And %d more errors of this kind.", n-50) || len(f.Suggestions) != 0 {
			t.Errorf("%d errors: got %d, the last one %q, and %q", n, len(f.Errors), last, f.Suggestions)
		}
	}
	small := Evaluation{Segments: 1, BoxCoverage: 0.0499}
	if f := small.Feedback(); len(f.Suggestions) != 1 {
		t.Errorf("got %q for a box of less than 5 %%; want a suggestion", f.Suggestions)
	}
	for accuracy, want := range map[float64]bool{0.7: false, 0.6999: true} {
		e := Evaluation{IsList: true, Criteria: &Criteria{}, Region: "top", SpatialAccuracy: accuracy}
		if got := strings.Contains(string(e.AppendJSON(nil)), "incorrect_spatial_placement"); got != want {
			t.Errorf("an accuracy of %v: got an error %v", accuracy, got)
		}
	}
}

// TestRequiredBounds: a task may require 1000 tools.
func TestRequiredBounds(t *testing.T) {
	for n, ok := range map[int]bool{1000: true, 1001: false} {
		text := `{"required_tools":[` + strings.TrimSuffix(strings.Repeat(`"pen",`, n), ",") + `]}`
		if _, err := ReadCriteria(parsed(t, []byte(text))); (err == nil) != ok {
			t.Errorf("%d tools: got %v", n, err)
		}
	}
}
