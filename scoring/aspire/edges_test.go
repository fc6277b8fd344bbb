package aspire

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// TestRulesAtTheirEdges has the cases in which a rule of docs/spec/aspire.md just holds, or just does not.
func TestRulesAtTheirEdges(t *testing.T) {
	const turned = `[{"id":"shape:green-circle","type":"geo","x":450,"y":50,"props":{"geo":"ellipse"}},
	  {"id":"shape:blue-arrow","type":"geo","x":50,"y":50,"rotation":0.5,"props":{"geo":"arrow-up"}}]`
	const others = `[{"id":"shape:node-1","type":"geo","x":0,"y":0,"props":{}},{"id":"shape:other","type":"geo","x":9,"y":9,"props":{}}]`
	const redden = `{"updateShapes":[{"id":"node-1","color":"red"},{"id":"other","color":"red"}]}`
	ends := func(kind, props string) string {
		return `{"createShapes":[{"type":"` + kind + `","x":0,"y":0,"props":` + props + `}]}`
	}
	created := func(entry string) string { return `{"createShapes":[` + entry + `]}` }
	const stroke = `{"id":"shape:d","type":"draw","x":0,"y":0,"props":{"segments":[{"type":"%","points":[{"x":0,"y":0,"z":0.5},{"x":9,"y":9,"z":0.5}]}]}}`
	for _, c := range []struct {
		name, test, shapes, task, answer, variants string
		metric                                     string
		want                                       any
	}{
		{"a rotation by update is what was added", "arrow", turned, arrowTask, `{"updateShapes":[{"id":"blue-arrow","rotation":1.5}]}`, ArrowAcceptUpdate, "rotation", 1.0},
		{"the one red star is the chosen shape", "maze", "[]", mazeTask, star("175", "475", ""), MazeStrict, "chosen", "shape:new-0"},
		{"without a list only ids of nodes are nodes", "graph", others, `{"neighbours":[]}`, redden, "", "selected", []any{"shape:node-1"}},
		{"with a list only its ids are nodes", "graph", others, `{"neighbours":[],"nodes":["shape:other"]}`, redden, "", "selected", []any{"shape:other"}},
		{"a task names a shape without the prefix", "pattern", threeShapes, `{"outlier":"s1"}`, `{"deleteShapes":["s1"]}`, "", "score_contains", 1.0},
		// Both ends of an arrow are kept, in either order; the ends of a line may come in three forms.
		{"an arrow from start to end", "line", twoBoxes, `{"a_centre":[0,0],"b_centre":[300,400]}`, ends("arrow", `{"start":{"x":5,"y":6},"end":{"x":7,"y":8}}`), "", "ends", []any{[]any{5.0, 6.0}, []any{7.0, 8.0}}},
		{"an arrow from end to start", "line", twoBoxes, `{"a_centre":[0,0],"b_centre":[300,400]}`, ends("arrow", `{"end":{"x":7,"y":8},"start":{"x":5,"y":6}}`), "", "ends", []any{[]any{5.0, 6.0}, []any{7.0, 8.0}}},
		{"ends win over handles", "line", twoBoxes, `{"a_centre":[0,0],"b_centre":[300,400]}`, ends("line", `{"start":[1,2],"end":[3,4],"handles":{"start":[5,6],"end":[7,8]}}`), "", "ends", []any{[]any{1.0, 2.0}, []any{3.0, 4.0}}},
		{"ends win over handles, the end first", "line", twoBoxes, `{"a_centre":[0,0],"b_centre":[300,400]}`, ends("line", `{"end":[3,4],"start":[1,2],"handles":{"start":[5,6],"end":[7,8]}}`), "", "ends", []any{[]any{1.0, 2.0}, []any{3.0, 4.0}}},
		{"a start alone loses against handles", "line", twoBoxes, `{"a_centre":[0,0],"b_centre":[300,400]}`, ends("line", `{"start":[1,2],"handles":{"start":[5,6],"end":[7,8]}}`), "", "ends", []any{[]any{5.0, 6.0}, []any{7.0, 8.0}}},
		{"an end alone loses against handles", "line", twoBoxes, `{"a_centre":[0,0],"b_centre":[300,400]}`, ends("line", `{"end":[1,2],"handles":{"start":[5,6],"end":[7,8]}}`), "", "ends", []any{[]any{5.0, 6.0}, []any{7.0, 8.0}}},
		// Under strict one fault voids the list.
		{"strict: a group", "graph", threeShapes, `{"neighbours":[]}`, created(`{"id":"shape:g","type":"group","x":0,"y":0}`), Strict, "created", []any{"shape:g"}},
		{"strict: the opacity 0", "graph", threeShapes, `{"neighbours":[]}`, created(`{"id":"shape:g","type":"geo","opacity":0}`), Strict, "created", []any{"shape:g"}},
		{"strict: the opacity 1", "graph", threeShapes, `{"neighbours":[]}`, created(`{"id":"shape:g","type":"geo","opacity":1}`), Strict, "created", []any{"shape:g"}},
		{"strict: an opacity below 0", "graph", threeShapes, `{"neighbours":[]}`, created(`{"id":"shape:g","type":"geo","opacity":-0.1}`), Strict, "created", []any{}},
		{"strict: an opacity above 1", "graph", threeShapes, `{"neighbours":[]}`, created(`{"id":"shape:g","type":"geo","opacity":1.1}`), Strict, "created", []any{}},
		{"strict: an end of an arrow", "graph", threeShapes, `{"neighbours":[]}`, created(`{"id":"shape:g","type":"arrow","props":{"end":{"x":1,"y":2}}}`), Strict, "created", []any{"shape:g"}},
		{"strict: an end with another member", "graph", threeShapes, `{"neighbours":[]}`, created(`{"id":"shape:g","type":"arrow","props":{"end":{"x":1,"y":2,"z":3}}}`), Strict, "created", []any{}},
		{"strict: a free stroke", "graph", threeShapes, `{"neighbours":[]}`, created(strings.ReplaceAll(stroke, "%", "free")), Strict, "created", []any{"shape:d"}},
		{"strict: a straight stroke", "graph", threeShapes, `{"neighbours":[]}`, created(strings.ReplaceAll(stroke, "%", "straight")), Strict, "created", []any{"shape:d"}},
		{"strict: a stroke of another type", "graph", threeShapes, `{"neighbours":[]}`, created(strings.ReplaceAll(stroke, "%", "Free")), Strict, "created", []any{}},
	} {
		r := jobOf(t, New(Config{}), c.test, c.shapes, c.task, c.answer, c.variants).Score(nil)
		if got, ok := metricOf(&r, c.metric); !ok || !same(got, c.want) {
			t.Errorf("%s: got the %s %v; want %v", c.name, c.metric, got, c.want)
		}
	}
	// The swapped assignment of ends, each off by half of the line's length.
	r := jobOf(t, New(Config{}), "line", twoBoxes, `{"a_centre":[0,0],"b_centre":[100,0]}`, ends("line", `{"points":[[100,50],[0,50]]}`), "").Score(nil)
	if r.Score != 0.5 {
		t.Errorf("a swapped line 50 px beside one of 100: got %v; want 0.5", r.Score)
	}
}

// TestLimitsAtTheirEdges: as many shapes, bytes of an answer and bytes of a text as may be are read.
func TestLimitsAtTheirEdges(t *testing.T) {
	const answer = `{\"createShapes\":[{\"type\":\"text\",\"text\":\"0123456789\"}]}` // 57 bytes
	prepare := func(c Config) (scoring.Job, error) {
		return New(c).Prepare(itemOf(t, []byte(`{"id":"i","test":"graph","shapes":`+threeShapes+`,"task":{"neighbours":[]},"response":"`+answer+`"}`)), nil)
	}
	size := len(answer) - strings.Count(answer, `\`)
	for _, c := range []struct {
		name   string
		config Config
		want   string // in the error
	}{
		{"three shapes", Config{Limits: scene.Limits{Shapes: 3}}, ""},
		{"a shape too many", Config{Limits: scene.Limits{Shapes: 2}}, "got 3 shapes; want at most 2"},
		{"as many bytes as may be", Config{MaxResponse: size}, ""},
		{"a byte too many", Config{MaxResponse: size - 1}, fmt.Sprintf("got %d bytes; want at most %d", size, size-1)},
	} {
		if _, err := prepare(c.config); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want %q", c.name, err, c.want)
		}
	}
	for limit, want := range map[int]bool{9: true, 10: false} {
		j, err := prepare(Config{Limits: scene.Limits{Text: limit}})
		if err != nil {
			t.Fatal(err)
		}
		if r := j.Score(nil); noted(r.Notes, "dropped_field", "") != want {
			t.Errorf("a text of 10 bytes where %d may be: got %v; want it dropped: %v", limit, r.Notes, want)
		}
	}
}

// TestMissingFields: an item without a test is told which there are.
func TestMissingFields(t *testing.T) {
	for test, want := range map[string]bool{"": true, "maze": false} {
		it := itemOf(t, []byte(`{"id":"i","test":"`+test+`","shapes":[],"response":"x"}`))
		it.Test = test
		err := New(Config{}).MissingMembers(it)
		if err == nil || !strings.Contains(err.Error(), "task") || strings.Contains(err.Error(), "one of maze, graph") != want {
			t.Errorf("test %q: got %v; want the task named, and the test: %v", test, err, want)
		}
	}
}

// TestIDsOfTurns: shapes without an id that later answers create do not replace those of earlier ones.
func TestIDsOfTurns(t *testing.T) {
	const one = `{"createShapes":[{"type":"star","x":1}]}`
	c := applied(t, newSuite(Config{}), []byte(`{"test":"maze","shapes":[],"task":`+mazeTask+`}`), one, one, one)
	var ids []string
	for _, r := range c.workspace.board.final() {
		ids = append(ids, r.ID)
	}
	if want := []string{"shape:new-0", "shape:new-t2-0", "shape:new-t3-0"}; !slices.Equal(ids, want) {
		t.Errorf("got %q; want %q", ids, want)
	}
}

// TestPictureOfReports: the picture takes in what lies 8 px or more beside the canvas, and is at most
// 3000 px wide and high.
func TestPictureOfReports(t *testing.T) {
	at := func(x, y float64) *scene.Scene {
		r := scene.NewRecord("shape:a", scene.Geo)
		r.X, r.Y, r.W, r.H = x, y, 50, 50
		r.Has |= scene.HasX | scene.HasY | scene.HasW | scene.HasH
		s, err := scene.Resolve([]scene.Record{r}, nil, scene.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	content, _, err := view.ContentBounds(at(100, 100), nil)
	if err != nil {
		t.Fatal(err)
	}
	left, right := 100-content.X, content.X+content.W-100 // beyond the shape's own place
	for _, c := range []struct {
		name string
		s    *scene.Scene
		want view.Box
	}{
		{"8 px left", at(-8+left, 100), view.Box{X: -40, W: 1440, H: 800}},
		{"less", at(-7.5+left, 100), canvas},
		{"8 px above", at(100, -8+left), view.Box{Y: -40, W: 1400, H: 840}},
		{"8 px right", at(1408-right, 100), view.Box{W: 1440, H: 800}},
		{"8 px below", at(100, 808-right), view.Box{W: 1400, H: 840}},
		{"3000 px wide", at(2968-right, 100), view.Box{W: 3000, H: 800}},
		{"wider", at(2969-right, 100), canvas},
		{"3000 px high", at(100, 2968-right), view.Box{W: 1400, H: 3000}},
	} {
		if got := shownBounds(c.s, at(100, 100)); got != c.want {
			t.Errorf("%s: got %v; want %v", c.name, got, c.want)
		}
	}
	for length, want := range map[float64]string{0.5: "0 px", 0.49: "", 12: "12 px"} {
		if got := gapMark(scoring.Bad, scene.Point{}, scene.Point{X: length}).Text; got != want {
			t.Errorf("a gap of %v px: got %q; want %q", length, got, want)
		}
	}
}

// TestEvenEnds: ends of a line that are as far from the targets either way are marked in their order.
func TestEvenEnds(t *testing.T) {
	r := jobOf(t, New(Config{}), "line", twoBoxes, `{"a_centre":[0,0],"b_centre":[100,0]}`,
		`{"createShapes":[{"type":"line","x":0,"y":0,"props":{"points":[[50,30],[50,-30]]}}]}`, "").Score(nil)
	m := showLine([]scene.Point{{}, {X: 100}}, &r)
	if len(m.after) < 3 || m.after[2].A != (scene.Point{X: 50, Y: 30}) {
		t.Errorf("got %+v; want the first end at the first target", m.after)
	}
}

// TestMarksInGroups checks that marks on a shape lie where its group puts it, around all of it if it is turned.
func TestMarksInGroups(t *testing.T) {
	const shapes = `[{"id":"shape:g","type":"group","x":1000,"y":200},
	  {"id":"shape:node-1","type":"geo","parentId":"shape:g","x":10,"y":20,"rotation":1.5707963267948966,"props":{"w":40,"h":60}}]`
	for _, c := range []struct {
		test, task string
		want       scoring.Mark
	}{
		{"graph", `{"neighbours":["shape:node-1"]}`,
			scoring.Mark{Form: scoring.Ring, A: scene.Point{X: 980, Y: 240}, R: math.Hypot(40, 60) / 2}},
		{"pattern", `{"outlier":"shape:node-1"}`,
			scoring.Mark{Form: scoring.Box, A: scene.Point{X: 950, Y: 220}, B: scene.Point{X: 1010, Y: 260}}},
	} {
		j := jobOf(t, New(Config{}), c.test, shapes, c.task, `{}`, "")
		r := j.Score(nil)
		got := marksAfter(j, &r)
		if len(got) != 1 || got[0].Form != c.want.Form || distance(got[0].A, c.want.A) > 1e-9 ||
			distance(got[0].B, c.want.B) > 1e-9 || math.Abs(got[0].R-c.want.R) > 1e-9 {
			t.Errorf("%s: got the marks %+v; want %+v", c.test, got, c.want)
		}
	}
}

// TestRowsOfTables: tables have rows for what was answered alone.
func TestRowsOfTables(t *testing.T) {
	rows := func(add func(*tables)) (lines []string) {
		tab := newTables(scoring.TableOptions{Papers: [][]byte{}}).(*tables)
		add(tab)
		for _, one := range tab.Tables() {
			title, _, _ := strings.Cut(one.Title, ":")
			for _, row := range one.Rows {
				lines = append(lines, title+": "+strings.Join(row, ","))
			}
			if len(one.Rows) == 0 {
				lines = append(lines, title+": no rows")
			}
		}
		return lines
	}
	for _, c := range []struct {
		name string
		add  func(*tables)
		want []string
	}{
		{"the full input alone", func(tab *tables) { tab.Add(askedResult(t, "m0", "maze", "cot", "full", 1, 0.5)) },
			[]string{"ASPIRE Table 1: M,cot,0.500 (1 of 8 tests),100.00,-,-,1,0,0,0,0", "ASPIRE Figure 4: maze,M,cot,full,0.500,-,1", "ASPIRE Figure 5: M,0.500,-,-,cot"}},
		{"a minimal input alone", func(tab *tables) { tab.Add(askedResult(t, "m0", "maze", "cot", "minimal", 1, 0.5)) },
			[]string{"ASPIRE Table 1: no rows", "ASPIRE Table 2: maze,M,cot,-,0.500,-,0,1,0,-,-,-", "ASPIRE Figure 4: maze,M,cot,minimal,0.500,-,1"}},
		{"a scaffold alone", func(tab *tables) { tab.Add(askedResult(t, "m0", "maze", "cot", "scaffold", 1, 0.5)) },
			[]string{"ASPIRE Table 1: no rows", "ASPIRE Table 2: maze,M,cot,-,-,0.500,0,0,1,-,-,-", "ASPIRE Figure 4: maze,M,cot,scaffold,0.500,-,1"}},
		{"two modes with a test each", func(tab *tables) {
			tab.Add(askedResult(t, "m0", "maze", "cot", "full", 1, 0.5))
			tab.Add(askedResult(t, "l0", "label", "default", "full", 1, 0.25))
		}, []string{"ASPIRE Table 1: M,default,0.250 (1 of 8 tests),100.00,-,-,1,0,0,0,0", "ASPIRE Table 1: M,cot,0.500 (1 of 8 tests),100.00,-,-,1,0,0,0,0",
			"ASPIRE Figure 4: maze,M,cot,full,0.500,-,1", "ASPIRE Figure 4: label,M,default,full,0.250,-,1", "ASPIRE Figure 5: M,0.500,0.250,-,default, cot"}},
	} {
		if got := rows(c.add); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	// At most maxArms rows and maxItems tasks are remembered.
	arms := rows(func(tab *tables) {
		for i := range maxArms + 5 {
			r := askedResult(t, "m0", "maze", "cot", "full", 1, 0.5)
			r.Who.Model = fmt.Sprint("M", i)
			tab.Add(r)
		}
	})
	if n := len(slices.DeleteFunc(arms, func(s string) bool { return !strings.HasPrefix(s, "ASPIRE Table 1") })); n != maxArms {
		t.Errorf("got %d rows; want %d", n, maxArms)
	}
	tab := newTables(scoring.TableOptions{Papers: [][]byte{}}).(*tables)
	tab.items = maxItems - 1
	for i := range 3 {
		tab.Add(askedResult(t, fmt.Sprint("m", i), "maze", "cot", "full", 1, 0.5))
	}
	if list := tab.Tables()[1].Rows; len(list) != 1 || list[0][6] != "1" {
		t.Errorf("got %q; want one task", list)
	}
}
