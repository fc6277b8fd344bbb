package aspire

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/testdata"
)

// The scenes and tasks of the tests below.
const (
	mazeTask = `{"target":[175,475],"grid_width":600,"cell_width":150}`
	node     = `{"id":"shape:node-%","type":"geo","x":0,"y":0,"props":{"geo":"ellipse","w":60,"h":60,"color":"black"}}`
	ends     = `{"a":"shape:a","b":"shape:b","a_centre":[0,0],"b_centre":[300,400]}`
	twoBoxes = `[{"id":"shape:a","type":"geo","x":-50,"y":-50,"props":{}},{"id":"shape:b","type":"geo","x":250,"y":350,"props":{}}]`
	arrow90  = `[{"id":"shape:green-circle","type":"geo","x":450,"y":50,"props":{"geo":"ellipse"}},
	  {"id":"shape:blue-arrow","type":"geo","x":50,"y":50,"props":{"geo":"arrow-up"}}]` // the circle lies to the right, the arrow points up
	arrowTask = `{"arrow":"shape:blue-arrow","target":"shape:green-circle"}`
	// Turned by a quarter about (50, 50), this arrow's centre is (0, 100), as high as that of low.
	aligned = `[{"id":"shape:low","type":"geo","x":450,"y":50,"props":{}},
	  {"id":"shape:blue-arrow","type":"geo","x":50,"y":50,"rotation":1.5707963267948966,"props":{"geo":"arrow-up"}}]`
	alignedTask = `{"arrow":"shape:blue-arrow","target":"shape:low"}`
	stack       = `[{"id":"shape:r0","type":"geo","x":0,"y":0,"props":{}},{"id":"shape:r1","type":"geo","x":50,"y":50,"props":{}},
	  {"id":"shape:r2","type":"geo","x":120,"y":120,"props":{}},{"id":"shape:r3","type":"geo","x":190,"y":190,"props":{}},{"id":"shape:r4","type":"geo","x":220,"y":0,"props":{}}]`
	// The boxes of cross share an edge with r, those of corners a corner; all are 100 by 100.
	cross = `[{"id":"shape:left","type":"geo","x":0,"y":100,"props":{}},{"id":"shape:right","type":"geo","x":200,"y":100,"props":{}},
	  {"id":"shape:above","type":"geo","x":100,"y":0,"props":{}},{"id":"shape:below","type":"geo","x":100,"y":200,"props":{}},
	  {"id":"shape:r","type":"geo","x":100,"y":100,"props":{}}]`
	corners     = `[{"id":"shape:a","type":"geo","x":0,"y":0,"props":{}},{"id":"shape:b","type":"geo","x":200,"y":200,"props":{}},{"id":"shape:r","type":"geo","x":100,"y":100,"props":{}}]`
	threeShapes = `[{"id":"shape:s0","type":"geo","props":{}},{"id":"shape:s1","type":"geo","props":{}},{"id":"shape:s2","type":"geo","props":{}}]`
)

func nodes(ids string) string {
	var list []string
	for _, c := range ids {
		list = append(list, strings.ReplaceAll(node, "%", string(c)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// star is a created star whose centre is (x, y).
func star(x, y, more string) string {
	return `{"createShapes":[{"type":"star","x":` + x + `-50,"y":` + y + `-50,"color":"red"` + more + `}]}`
}

// TestScores checks the tests that need no pixels beyond the reference cases:
// each rule of docs/spec/aspire.md that they leave open.
func TestScores(t *testing.T) {
	red := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, `{"id":"`+id+`","color":"red"}`)
		}
		return `{"updateShapes":[` + strings.Join(list, ",") + `]}`
	}
	neighbours := `{"neighbours":["shape:node-1","shape:node-2"],"nodes":["shape:node-0","shape:node-1","shape:node-2"]}`
	line := func(props string) string {
		return `{"createShapes":[{"type":"line","x":0,"y":0,"props":` + props + `}]}`
	}
	perfect := line(`{"points":[[0,0],[300,400]]}`)
	cases := []struct {
		name, test, shapes, task, answer string
		variants                         string
		score                            float64
		status                           string
		metrics                          map[string]any
	}{
		// docs/spec/aspire.md#r28 to docs/spec/aspire.md#r30
		{"exact", "maze", "[]", mazeTask, star("175", "475", ""), "", 1, "object", map[string]any{"distance": 0.0}},
		{"one square off", "maze", "[]", mazeTask, star("325", "475", ""), "", 0.5, "object", map[string]any{"score_cell": -1.0}},
		{"one square off, cell", "maze", "[]", mazeTask, star("325", "475", ""), "cell", -1, "object", nil},
		{"defaults of the grid", "maze", "[]", `{"target":[175,475]}`, star("325", "475", ""), "", 0.5, "object", map[string]any{"score_cell": -1.0}},
		{"below zero", "maze", "[]", mazeTask, star("775", "475", ""), "", -1, "object", nil},
		{"below zero, clamped", "maze", "[]", mazeTask, star("775", "475", ""), "maze.clamp01", 0, "object", nil},
		{"no red star", "maze", "[]", mazeTask, `{"createShapes":[{"type":"ellipse","x":125,"y":425}]}`, "", 1, "object", map[string]any{"chosen": "shape:new-0"}},
		{"no red star, strict", "maze", "[]", mazeTask, `{"createShapes":[{"type":"ellipse","x":125,"y":425}]}`, "maze.strict", 0, "object", map[string]any{"chosen": nil}},
		{"light red is not red", "maze", "[]", mazeTask, star("175", "475", `,"props":{"color":"light-red"}`), "maze.strict", 0, "object", nil},
		{"centre of a line", "maze", "[]", mazeTask, `{"createShapes":[{"type":"line","x":100,"y":400,"points":[[0,0],[150,150]]}]}`, "", 1, "object", nil},
		{"centre of an arrow", "maze", "[]", mazeTask, `{"createShapes":[{"type":"arrow","x":174,"y":475}]}`, "", 1, "object", nil},
		{"centre of a frame", "maze", "[]", mazeTask, `{"createShapes":[{"type":"frame","x":15,"y":385}]}`, "", 1, "object", nil},
		{"centre of a freehand line", "maze", "[]", mazeTask, `{"createShapes":[{"type":"draw","x":125,"y":425,"isComplete":true,"segments":[{"type":"straight","points":[[0,0],[100,100]]}]}]}`, "", 1, "object", nil},
		// The editor stops short of the end of a line that is not complete.
		{"centre of an incomplete one", "maze", "[]", mazeTask, `{"createShapes":[{"type":"draw","x":125,"y":425,"segments":[{"type":"straight","points":[[0,0],[100,100]]}]}]}`, "", 0.9666854882909468, "object", nil},
		{"nothing to see", "maze", "[]", mazeTask, `{"createShapes":[{"type":"group","x":175,"y":475}]}`, "", 1, "object", nil},
		{"centre of page bounds", "maze", "[]", `{"target":[225.00000,472.7]}`, `{"createShapes":[{"type":"star","x":175,"y":425,"w":100,"h":100,"color":"red"}]}`, "page_bounds",
			1 - math.Hypot(0, 425+99.0881/2-472.7)/300, "object", nil},
		{"as far as numbers go", "maze", "[]", mazeTask, star("1e308", "-1e308", `,"w":1e308`), "", -math.MaxFloat64 / 300, "object", map[string]any{"distance": math.MaxFloat64}},
		// docs/spec/aspire.md#r33, docs/spec/aspire.md#r34
		{"all neighbours", "graph", nodes("012"), neighbours, red("node-2", "node-1"), "", 1, "object", map[string]any{"selected": []string{"shape:node-1", "shape:node-2"}}},
		{"itself too", "graph", nodes("012"), neighbours, red("node-0", "node-2", "node-1"), "", 0.8, "object", nil},
		{"nothing chosen", "graph", nodes("012"), neighbours, `{"updateShapes":[]}`, "", 0, "object", map[string]any{"selected": []string{}}},
		{"nothing meant, nothing chosen", "graph", nodes("012"), `{"neighbours":[]}`, `{"updateShapes":[]}`, "", 1, "object", nil},
		{"nothing meant", "graph", nodes("012"), `{"neighbours":[]}`, red("node-1"), "", 0, "object", nil},
		{"no list of nodes", "graph", nodes("012"), `{"neighbours":["shape:node-1"]}`, red("node-1"), "", 1, "object", nil},
		{"neighbour twice in the task", "graph", nodes("012"), `{"neighbours":["shape:node-1","shape:node-1"]}`, red("node-1"), "", 1, "object", nil},
		// docs/spec/aspire.md#r38
		{"outlier", "pattern", threeShapes, `{"outlier":"shape:s1"}`, `{"deleteShapes":["s1"]}`, "", 1, "object", map[string]any{"score_contains": 1.0}},
		{"outlier and another", "pattern", threeShapes, `{"outlier":"shape:s1"}`, `{"deleteShapes":["s1","s2"]}`, "", 0, "object", map[string]any{"score_contains": 1.0}},
		{"outlier and another, contains", "pattern", threeShapes, `{"outlier":"shape:s1"}`, `{"deleteShapes":["s1","s2"]}`, "contains", 1, "object", nil},
		{"another, contains", "pattern", threeShapes, `{"outlier":"shape:s1"}`, `{"deleteShapes":["s2"]}`, "contains", 0, "object", nil},
		// docs/spec/aspire.md#r47 to docs/spec/aspire.md#r49
		{"perfect", "line", twoBoxes, ends, perfect, "", 1, "object", map[string]any{"score_ordered": 1.0}},
		{"centres of the shapes", "line", twoBoxes, `{"a":"shape:a","b":"shape:b"}`, perfect, "", 1, "object", nil},
		{"centres of page bounds", "line", twoBoxes, ends, perfect, "page_bounds", 1, "object", nil},
		{"swapped", "line", twoBoxes, ends, line(`{"points":[[300,400],[0,0]]}`), "", 1, "object", map[string]any{"score_ordered": 0.0}},
		{"swapped, ordered", "line", twoBoxes, ends, line(`{"points":[[300,400],[0,0]]}`), "ordered", 0, "object", nil},
		{"half", "line", twoBoxes, ends, line(`{"points":[[0,0],[150,200]]}`), "", 0.75, "object", nil},
		{"default points", "line", twoBoxes, ends, line(`{}`), "", 1 - math.Hypot(299.9, 399.9)/1000, "object", map[string]any{"ends": [][]float64{{0, 0}, {0.1, 0.1}}}},
		{"default arrow", "line", twoBoxes, ends, `{"createShapes":[{"type":"arrow","x":300,"y":400}]}`, "", 1 - math.Hypot(302, 400)/1000, "object", map[string]any{"ends": [][]float64{{300, 400}, {302, 400}}}},
		{"a draw without segments is none", "line", twoBoxes, ends, `{"createShapes":[{"type":"draw"},{"type":"line","points":[[0,0],[300,400]]}]}`, "", 1, "object", map[string]any{"chosen": "shape:new-1"}},
		{"freehand over two segments", "line", twoBoxes, ends, `{"createShapes":[{"type":"draw","segments":[{"points":[[0,0],[9,9]]},{"points":[[7,7],[300,400]]}]}]}`, "", 1, "object", nil},
		{"highlight is no line", "line", twoBoxes, ends, `{"createShapes":[{"type":"highlight","segments":[{"points":[[0,0],[300,400]]}]}]}`, "", 0, "object", map[string]any{"chosen": nil}},
		{"not clamped", "line", twoBoxes, ends, line(`{"points":[[0,-5000],[0,-5000]]}`), "", 1 - (5000+math.Hypot(300, 5400))/1000, "object", nil},
		// docs/spec/aspire.md#r51, docs/spec/aspire.md#r53, docs/spec/aspire.md#r54
		{"to the target", "arrow", arrow90, arrowTask, `{"rotation":"pi/2"}`, "", 1, "object", map[string]any{"theta_i": math.Pi / 2, "theta_f": 0.0, "rotation": math.Pi / 2}},
		{"full turns", "arrow", arrow90, arrowTask, `{"rotation":2*pi*1000+pi/2}`, "", 1, "fenced", nil},
		{"away", "arrow", arrow90, arrowTask, `{"rotation":"-pi/2"}`, "", -1, "object", nil},
		{"shape is null", "arrow", arrow90, arrowTask, `{"rotation":0,"shape":null}`, "", 0, "object", nil},
		{"shape is an object", "arrow", arrow90, arrowTask, `{"rotation":"pi/2","shape":{"id":"blue-arrow"}}`, "", 1, "object", nil},
		{"another shape", "arrow", arrow90, arrowTask, `{"rotation":"pi/2","shape":"green-circle"}`, "", 0, "other_shape", map[string]any{"theta_f": math.Pi / 2, "rotation": math.Pi / 2}},
		{"no rotation", "arrow", arrow90, arrowTask, `{"rotation":null}`, "", 0, "no_answer", map[string]any{"rotation": nil}},
		{"not finite", "arrow", arrow90, arrowTask, `{"rotation":1/0}`, "", 0, "no_answer", nil},
		{"update", "arrow", arrow90, arrowTask, `{"updateShapes":[{"id":"blue-arrow","rotation":1.5}]}`, "", 0, "no_answer", nil},
		// The arrow turns about its corner (50, 50): its centre comes to (0, 100), as high as the circle's.
		{"update, accepted", "arrow", arrow90, arrowTask, `{"updateShapes":[{"id":"blue-arrow","rotation":"pi/2"}]}`, "accept_update", 1, "object", map[string]any{"rotation": math.Pi / 2}},
		{"update of another, accepted", "arrow", arrow90, arrowTask, `{"updateShapes":[{"id":"green-circle","rotation":"pi/2"}]}`, "accept_update", 0, "no_answer", nil},
		{"rotation before update", "arrow", arrow90, arrowTask, `{"rotation":"pi/2","updateShapes":[{"id":"blue-arrow","rotation":0}]}`, "accept_update", 1, "object", nil},
		{"no initial angle, none left", "arrow", aligned, alignedTask, `{"rotation":0}`, "", 0, "object", map[string]any{"theta_i": 0.0}},
		{"no initial angle, some left", "arrow", aligned, alignedTask, `{"rotation":1}`, "", -1 / math.Pi, "object", nil},
		// docs/spec/aspire.md#r57, docs/spec/aspire.md#r59
		{"in front of", "overlap", stack, `{"reference":"shape:r2","direction":"in front of"}`, `{"deleteShapes":["r3","r4"]}`, "", 1, "object", nil},
		{"behind", "overlap", stack, `{"reference":"shape:r2","direction":"behind"}`, `{"deleteShapes":["r0","r1"]}`, "", 1, "object", nil},
		{"behind, one of two", "overlap", stack, `{"reference":"shape:r2","direction":"behind"}`, `{"deleteShapes":["r1"]}`, "", 2.0 / 3, "object", nil},
		{"behind, touching", "overlap", stack, `{"reference":"shape:r2","direction":"behind"}`, `{"deleteShapes":["r1"]}`, "touching", 1, "object", nil},
		{"in front of, touching", "overlap", stack, `{"reference":"shape:r2","direction":"in front of"}`, `{"deleteShapes":["r3","r4"]}`, "touching", 2.0 / 3, "object", nil},
		{"boxes that share an edge touch", "overlap", cross, `{"reference":"shape:r","direction":"behind"}`, `{"deleteShapes":["left","right","above","below"]}`, "touching", 1, "object", nil},
		{"boxes that share a corner touch", "overlap", corners, `{"reference":"shape:r","direction":"behind"}`, `{"deleteShapes":["a","b"]}`, "touching", 1, "object", nil},
		{"the reference too", "overlap", stack, `{"reference":"shape:r2","direction":"behind"}`, `{"deleteShapes":["r0","r1","r2"]}`, "", 0.8, "object", nil},
		{"moved away", "overlap", stack, `{"reference":"shape:r2","direction":"behind"}`, `{"updateShapes":[{"id":"r0","x":9999},{"id":"r1","x":9999}]}`, "", 0, "object", nil},
		{"replaced", "overlap", stack, `{"reference":"shape:r2","direction":"behind"}`, `{"createShapes":[{"id":"r0","type":"geo"}],"deleteShapes":["r1"]}`, "", 2.0 / 3, "object", map[string]any{"deleted": []string{"shape:r1"}, "created": []string{"shape:r0"}}},
		// docs/spec/aspire.md#r11, the status
		{"fenced", "pattern", threeShapes, `{"outlier":"shape:s1"}`, "~```json\n{\"deleteShapes\":[\"s1\"]}\n```", "", 1, "fenced", nil},
		{"bare", "pattern", threeShapes, `{"outlier":"shape:s1"}`, `~so {"deleteShapes":["s1"]}`, "", 1, "bare", nil},
		{"empty", "pattern", threeShapes, `{"outlier":"shape:s1"}`, `~`, "", 0, "no_json", nil},
		{"object without a key", "pattern", threeShapes, `{"outlier":"shape:s1"}`, `{"delete":["s1"]}`, "", 0, "no_json", nil},
	}
	s := New(Config{})
	for _, c := range cases {
		response := c.answer
		if text, isText := strings.CutPrefix(c.answer, "~"); isText {
			response = string(scoring.AppendString(nil, text))
		} else if !json.Valid([]byte(c.answer)) { // arithmetic stands in text only
			response = string(scoring.AppendString(nil, "```\n"+c.answer+"\n```"))
			if c.status == "object" {
				c.status = "fenced"
			}
		}
		item := `{"id":"i","test":"` + c.test + `","shapes":` + c.shapes + `,"task":` + c.task + `,"response":` + response + `}`
		var names []string
		if c.variants != "" {
			names = strings.Fields(c.variants)
		}
		v, err := scoring.ParseVariants(names, s.Variants)
		if err != nil {
			t.Fatal(c.name, err)
		}
		j, err := s.Prepare(itemOf(t, []byte(item)), v)
		if err != nil {
			t.Errorf("%s %s: %v", c.test, c.name, err)
			continue
		}
		if n := len(j.Views()); n != 0 {
			t.Errorf("%s %s: asks for %d pictures", c.test, c.name, n)
		}
		r := j.Score(nil)
		if !r.Scored || !same(r.Score, c.score) || r.Status != c.status {
			t.Errorf("%s %s: got %v %s (%v); want %v %s", c.test, c.name, r.Score, r.Status, r.Err, c.score, c.status)
		}
		for name, want := range c.metrics {
			var plain any
			b, _ := json.Marshal(want)
			json.Unmarshal(b, &plain)
			if got, ok := metricOf(&r, name); !ok || !same(got, plain) {
				t.Errorf("%s %s: %s is %v; want %v", c.test, c.name, name, got, want)
			}
		}
	}
}

// TestUnusable checks what is an error of the item and not of the answer.
func TestUnusable(t *testing.T) {
	item := func(test, shapes, task, response string) string {
		return `{"id":"i","test":"` + test + `","shapes":` + shapes + `,"task":` + task + response + `}`
	}
	const yes = `,"response":"x"`
	cases := []struct{ name, item, code, says string }{
		{"test", item("mazes", "[]", mazeTask, yes), "unknown_test", "mazes"},
		{"no response", item("maze", "[]", mazeTask, ""), "no_response", ""},
		{"null response", item("maze", "[]", mazeTask, `,"response":null`), "no_response", ""},
		{"number", item("maze", "[]", mazeTask, `,"response":5`), "bad_item", "number"},
		{"no shapes", `{"test":"maze","task":` + mazeTask + yes + `}`, "bad_scene", "shapes"},
		{"shapes are no list", item("maze", "{}", mazeTask, yes), "bad_scene", "shapes"},
		{"bad shape", item("maze", `[{"id":"shape:a","type":"geo","props":{"w":-1}}]`, mazeTask, yes), "bad_scene", "shapes[0].props.w"},
		{"shape without id", item("maze", `[{"type":"geo"}]`, mazeTask, yes), "bad_scene", "shapes[0].id"},
		{"id twice", item("maze", `[{"id":"shape:a","type":"geo"},{"id":"shape:a","type":"geo"}]`, mazeTask, yes), "bad_scene", "shapes[1].id"},
		{"too far", item("maze", `[{"id":"shape:a","type":"geo","x":1e300}]`, mazeTask, yes), "limit", "shapes[0].x"},
		{"no task", `{"test":"maze","shapes":[]` + yes + `}`, "bad_task", "task"},
		{"task is a list", item("maze", "[]", "[]", yes), "bad_task", "task"},
		{"target", item("maze", "[]", `{}`, yes), "bad_task", "task.target"},
		{"target of one number", item("maze", "[]", `{"target":[1]}`, yes), "bad_task", "task.target"},
		{"target of strings", item("maze", "[]", `{"target":["1","2"]}`, yes), "bad_task", "task.target"},
		{"grid", item("maze", "[]", `{"target":[1,2],"grid_width":0}`, yes), "bad_task", "task.grid_width"},
		{"cell", item("maze", "[]", `{"target":[1,2],"cell_width":"1"}`, yes), "bad_task", "task.cell_width"},
		{"neighbours", item("graph", "[]", `{"neighbours":[1]}`, yes), "bad_task", "task.neighbours"},
		{"outlier", item("pattern", "[]", `{"outlier":"shape:x"}`, yes), "bad_task", "task.outlier"},
		{"label shape", item("label", "[]", `{"shape":"shape:x"}`, yes), "bad_task", "task.shape"},
		{"line a", item("line", "[]", `{}`, yes), "bad_task", "task.a"},
		{"line without length", item("line", "[]", `{"a_centre":[1,1],"b_centre":[1,1]}`, yes), "bad_task", "task.a_centre"},
		{"arrow", item("arrow", "[]", `{}`, yes), "bad_task", "task.arrow"},
		{"arrow target", item("arrow", arrow90, `{"arrow":"shape:blue-arrow"}`, yes), "bad_task", "task.target"},
		{"reference", item("overlap", "[]", `{}`, yes), "bad_task", "task.reference"},
		{"direction", item("overlap", stack, `{"reference":"shape:r1","direction":"above"}`, yes), "bad_task", "task.direction"},
		{"frame", item("balance", "[]", `{"frame":[0,0,1400]}`, yes), "bad_task", "task.frame"},
		{"frame too large", item("balance", "[]", `{"frame":[0,0,1e9,800]}`, yes), "bad_task", "task.frame"},
		{"response too long", item("maze", "[]", mazeTask, `,"response":"`+strings.Repeat("x", scoring.DefaultResponse+1)+`"`), "limit", "--max-response"},
	}
	s := New(Config{})
	for _, c := range cases {
		_, err := s.Prepare(itemOf(t, []byte(c.item)), nil)
		var e *scoring.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: got %v; want %s naming %q", c.name, err, c.code, c.says)
		}
	}
	if _, err := New(Config{MaxResponse: 3}).Prepare(itemOf(t, []byte(item("maze", "[]", mazeTask, `,"response":"abcd"`))), nil); err == nil {
		t.Error("MaxResponse has no effect")
	}
}

// tally is one whose centre of mass is (x, y) in px of the picture.
func tally(x, y float64) metric.Tally {
	const alpha = 1 << 20
	return metric.Tally{A: metric.Sums{Alpha: alpha, AlphaX: uint64((x - 0.5) * alpha), AlphaY: uint64((y - 0.5) * alpha)}}
}

// TestBalanceRules checks docs/spec/aspire.md#r61 to docs/spec/aspire.md#r65 with made-up tallies.
func TestBalanceRules(t *testing.T) {
	const shapes = `[{"id":"shape:s","type":"geo","x":100,"y":100,"props":{"fill":"solid"}}]`
	const one = `{"createShapes":[{"type":"geo","x":900,"y":500}]}`
	none := metric.Tally{}
	cases := []struct {
		name, answer, variants string
		tallies                []metric.Tally
		score                  float64
		code                   string // of an error
		metrics                map[string]any
	}{
		{"better", one, "", []metric.Tally{tally(200, 400), tally(600, 400)}, 0.8, "",
			map[string]any{"ci": 500.0, "cf": 100.0, "score_printed": 4.0, "com_before": []any{200.0, 400.0}, "com_after": []any{600.0, 400.0}, "violations": []any{}}},
		{"better, printed", one, "printed", []metric.Tally{tally(200, 400), tally(600, 400)}, 4, "", nil},
		{"worse", one, "", []metric.Tally{tally(600, 400), tally(200, 400)}, -4, "", nil},
		{"nothing changed", `{"createShapes":[]}`, "", []metric.Tally{tally(200, 400)}, 0, "", map[string]any{"ci": 500.0, "cf": 500.0, "violations": []any{"created_not_one"}}},
		{"in the centre", one, "", []metric.Tally{tally(200, 400), tally(700, 400)}, 1, "", map[string]any{"score_printed": nil}},
		{"in the centre, printed", one, "printed", []metric.Tally{tally(200, 400), tally(700, 400)}, 0, "undefined", map[string]any{"cf": 0.0}},
		{"from the centre", one, "", []metric.Tally{tally(700, 400), tally(200, 400)}, 0, "", map[string]any{"ci": 0.0}},
		{"nothing left", one, "", []metric.Tally{tally(200, 400), none}, 0, "", map[string]any{"cf": 500.0, "com_after": nil, "score_printed": 0.0}},
		{"nothing before", one, "", []metric.Tally{none, tally(200, 400)}, 0, "undefined", nil},
		{"rules broken", `{"createShapes":[{"type":"geo"},{"type":"geo"}],"deleteShapes":["s"],"updateShapes":[{"id":"new-0","x":1}]}`, "", []metric.Tally{tally(200, 400), tally(600, 400)}, 0.8, "",
			map[string]any{"violations": []any{"created_not_one", "deleted", "updated"}}},
		{"rules broken, strict", `{"createShapes":[{"type":"geo"},{"type":"geo"}]}`, "strict_balance", []metric.Tally{tally(200, 400), tally(600, 400)}, 0, "", nil},
		{"rules kept, strict", one, "strict_balance", []metric.Tally{tally(200, 400), tally(600, 400)}, 0.8, "", nil},
	}
	s := New(Config{})
	for _, c := range cases {
		j := jobOf(t, s, "balance", shapes, `{}`, c.answer, c.variants)
		if len(j.Views()) != len(c.tallies) {
			t.Errorf("%s: asks for %d pictures; want %d", c.name, len(j.Views()), len(c.tallies))
			continue
		}
		for range 2 { // a job may be scored again
			r := j.Score(c.tallies)
			if c.code != "" {
				if r.Scored || r.Err == nil || r.Err.Code != c.code {
					t.Errorf("%s: got %v, %v; want error %s", c.name, r.Score, r.Err, c.code)
				}
			} else if !r.Scored || math.Abs(r.Score-c.score) > 1e-5 {
				t.Errorf("%s: got %v, %v; want %v", c.name, r.Score, r.Err, c.score)
			}
			for name, want := range c.metrics {
				if got, ok := metricOf(&r, name); !ok || !near(got, want) {
					t.Errorf("%s: %s is %v; want %v", c.name, name, got, want)
				}
			}
		}
	}
}

// TestSmallDistances checks the bounds below which nothing can be improved
// (docs/spec/aspire.md#r53, docs/spec/aspire.md#r65).
func TestSmallDistances(t *testing.T) {
	for _, c := range []struct{ before, after, want float64 }{
		{1e-4, 0, 1}, {1e-9, 0, 1}, {1e-9, 2e-9, -1}, {5e-10, 0, 0}, {5e-10, 9e-10, 0}, {0, 1e-9, -1e-9 / math.Pi}, {0, math.Pi / 2, -0.5},
	} {
		if got := improvement(c.before, c.after); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("an angle of %v that becomes %v: got %v; want %v", c.before, c.after, got, c.want)
		}
	}
	s := New(Config{})
	j := jobOf(t, s, "balance", `[{"id":"shape:s","type":"geo","props":{}}]`, `{}`, `{"createShapes":[{"type":"geo"}]}`, "")
	centre := func(off float64) metric.Tally { // 2^40 is enough for a distance of 1e-10
		const alpha = 1 << 40
		return metric.Tally{A: metric.Sums{Alpha: alpha, AlphaX: uint64(math.Round((699.5 + off) * alpha)), AlphaY: uint64(399.5 * alpha)}}
	}
	for _, c := range []struct{ off, want float64 }{{1e-4, 1}, {2e-9, 1}, {5e-10, 0}} {
		if r := j.Score([]metric.Tally{centre(c.off), centre(0)}); !r.Scored || math.Abs(r.Score-c.want) > 1e-3 {
			t.Errorf("a centre of mass off by %v: got %v; want %v", c.off, r.Score, c.want)
		}
	}
}

// TestStretch checks that the picture of a box with fractional sides is measured as it is drawn,
// stretched in both directions (docs/spec/drawing.md#r16).
func TestStretch(t *testing.T) {
	got, ok := centreOfMass(view.Box{X: 10, Y: 20, W: 100.5, H: 50.25}, tally(40, 30))
	if want := (scene.Point{X: 10 + 40*1.005, Y: 20 + 30*1.005}); !ok || math.Abs(got.X-want.X) > 1e-4 || math.Abs(got.Y-want.Y) > 1e-4 {
		t.Errorf("got %v, %v; want %v", got, ok, want)
	}
}

// near is same for figures that went through the made-up tallies.
func near(got, want any) bool {
	if w, ok := want.(float64); ok {
		g, ok := got.(float64)
		return ok && math.Abs(g-w) < 1e-2
	}
	if w, ok := want.([]any); ok {
		if g, ok := got.([]float64); ok {
			for i := range w {
				if !near(g[i], w[i]) {
					return false
				}
			}
			return len(g) == len(w)
		}
	}
	return same(got, want)
}

// jobOf prepares an item of a test from its parts.
func jobOf(t testing.TB, s *scoring.Suite, test, shapes, task, answer, variants string) scoring.Job {
	t.Helper()
	v, err := scoring.ParseVariants(strings.Fields(variants), s.Variants)
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.Prepare(itemOf(t, []byte(`{"id":"i","test":"`+test+`","shapes":`+shapes+`,"task":`+task+`,"response":`+answer+`}`)), v)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestBalanceBounds: the frame, or with union what lies beside it too.
func TestBalanceBounds(t *testing.T) {
	const shapes = `[{"id":"shape:s","type":"geo","x":100.5,"y":100,"props":{}}]`
	cases := []struct {
		name, task, answer, variants string
		before, after                view.Box
	}{
		{"frame", `{}`, `{"createShapes":[{"type":"geo","x":1390,"y":-50.5}]}`, "", view.Box{W: 1400, H: 800}, view.Box{W: 1400, H: 800}},
		{"frame of the task", `{"frame":[10,20,700,400]}`, `{"createShapes":[{"type":"geo"}]}`, "", view.Box{X: 10, Y: 20, W: 700, H: 400}, view.Box{X: 10, Y: 20, W: 700, H: 400}},
		{"frame that ends within pixels", `{"frame":[10.5,20.25,700.25,400.5]}`, `{"createShapes":[{"type":"geo"}]}`, "union", view.Box{X: 10, Y: 20, W: 701, H: 401}, view.Box{X: -32, Y: -32, W: 743, H: 453}},
		{"below the frame", `{}`, `{"createShapes":[{"type":"geo","x":0,"y":750.5}]}`, "union", view.Box{W: 1400, H: 800}, view.Box{X: -32, W: 1432, H: 883}},
		{"union", `{}`, `{"createShapes":[{"type":"geo","x":1390,"y":-50.5}]}`, "union", view.Box{W: 1400, H: 800}, view.Box{Y: -83, W: 1522, H: 883}},
	}
	s := New(Config{})
	for _, c := range cases {
		v := jobOf(t, s, "balance", shapes, c.task, c.answer, c.variants).Views()
		if len(v) != 2 || v[0].Bounds != c.before || v[1].Bounds != c.after {
			t.Errorf("%s: got %+v", c.name, v)
		}
	}
	far := jobOf(t, s, "balance", shapes, `{}`, `{"createShapes":[{"type":"geo","x":1e8}]}`, "union")
	if r := far.Score(nil); len(far.Views()) != 0 || !r.Scored || r.Score != 0 || !noted(r.Notes, Unusable, "--max-side") {
		t.Errorf("a picture of 1e8 px: got %+v", r)
	}
	beyond := jobOf(t, s, "balance", shapes, `{}`, `{"createShapes":[{"type":"geo","x":-1e300,"w":2e300}]}`, "")
	if r := beyond.Score([]metric.Tally{tally(1, 1), tally(1, 1)}); !r.Scored || len(r.Notes) != 1 || r.Notes[0].Code != "limited" {
		t.Errorf("coordinates beyond the limit: got %+v", r)
	}
}

// TestLabelViews checks which shapes are the label (docs/spec/aspire.md#r43) and what is measured.
func TestLabelViews(t *testing.T) {
	const shapes = `[{"id":"shape:s","type":"geo","x":100,"y":100,"props":{"geo":"ellipse","fill":"solid","w":400,"h":300}}]`
	cases := []struct {
		name, answer, variants string
		labels, other          string // of the view; "" with no view
		views                  int
	}{
		{"text", `{"createShapes":[{"type":"text","id":"t","x":200,"y":200,"text":"abc"}]}`, "", "shape:t", "shape:s", 1},
		{"text before labelled shapes", `{"createShapes":[{"type":"geo","id":"g","text":"abc"},{"type":"text","id":"t","text":"abc"}]}`, "", "shape:t", "shape:s", 1},
		{"labelled shapes", `{"createShapes":[{"type":"geo","id":"g","text":"abc"},{"type":"geo","id":"h"},{"type":"geo","id":"i","text":""}]}`, "", "shape:g", "shape:s", 1},
		{"nothing", `{"createShapes":[{"type":"geo","id":"h"}]}`, "", "", "", 0},
		{"text in the shape", `{"updateShapes":[{"id":"s","text":"abc"}]}`, "", "", "", 0},
		{"text in the shape, own_label", `{"updateShapes":[{"id":"s","text":"abc"}]}`, "own_label", "shape:s/label", "shape:s", 1},
		{"no text, own_label", `{"updateShapes":[{"id":"s","color":"red"}]}`, "own_label", "", "", 0},
		{"the shape created anew with text", `{"createShapes":[{"type":"geo","id":"s","w":400,"h":300,"text":"abc"}]}`, "", "", "", 0},
		{"shape deleted", `{"createShapes":[{"type":"text","id":"t","text":"abc"}],"deleteShapes":["s"]}`, "", "shape:t", "", 1},
		{"everything deleted", `{"deleteShapes":["s"]}`, "", "", "", 0},
		{"far away", `{"createShapes":[{"type":"text","id":"t","x":1e7,"text":"abc"}]}`, "", "shape:t", "shape:s", 1},
	}
	s := New(Config{})
	for _, c := range cases {
		j := jobOf(t, s, "label", shapes, `{"shape":"shape:s"}`, c.answer, c.variants).(*job)
		if j.result.Err != nil && j.result.Err.Code == "not_native" {
			t.Skipf("text cannot be measured here: %s", j.result.Err.Message)
		}
		if len(j.views) != c.views {
			t.Errorf("%s: asks for %d pictures (%v); want %d", c.name, len(j.views), j.result.Err, c.views)
			continue
		}
		if c.views == 0 {
			if r := j.Score(nil); !r.Scored || r.Score != 0 {
				t.Errorf("%s: got %+v; want 0", c.name, r)
			}
			continue
		}
		v := j.views[0]
		if strings.Join(v.FirstIDs, " ") != c.labels || strings.Join(v.SecondIDs, " ") != c.other {
			t.Errorf("%s: got %v over %v; want %s over %s", c.name, v.FirstIDs, v.SecondIDs, c.labels, c.other)
		}
		if v.Bounds.W > 5000 || v.Bounds.X != math.Floor(v.Bounds.X) {
			t.Errorf("%s: bounds are %v", c.name, v.Bounds)
		}
		if r := j.Score([]metric.Tally{{A: metric.Sums{Covered: 8}, Both: 2}}); r.Score != 0.25 {
			t.Errorf("%s: 2 of 8 pixels score %v", c.name, r.Score)
		}
		if r := j.Score([]metric.Tally{{}}); !r.Scored || r.Score != 0 {
			t.Errorf("%s: no pixels score %v, %v", c.name, r.Score, r.Err)
		}
	}
}

// TestWorkedExample is the transcript of the paper's appendix (docs/spec/aspire.md#r50).
func TestWorkedExample(t *testing.T) {
	b, err := os.ReadFile(testdata.Path(t, "aspire/paper-tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	example := fastjson.MustParseBytes(b).Get("worked_example")
	s := New(Config{})
	shapes := string(example.Get("shapes_recovered").MarshalTo(nil))
	n := 0
	example.GetObject("answers").Visit(func(mode []byte, answer *fastjson.Value) {
		n++
		response := `{"shape":"shape:blue-arrow","rotation":` + string(answer.MarshalTo(nil)) + `}`
		r := jobOf(t, s, "arrow", shapes, arrowTask, response, "").Score(nil)
		if want := example.GetFloat64("scores_by_this_specification", string(mode)); math.Abs(r.Score-want) > 1e-6 {
			t.Errorf("%s: got %v; want %v", mode, r.Score, want)
		}
		if got, _ := metricOf(&r, "theta_i"); math.Abs(got.(float64)-1.136462) > 1e-6 {
			t.Errorf("theta_i is %v; want 1.136462", got)
		}
	})
	if n != 3 {
		t.Errorf("the example has %d answers; want 3", n)
	}
}

// TestFail: a scorer that could not score is not a wrong answer.
func TestFail(t *testing.T) {
	j := jobOf(t, New(Config{}), "pattern", threeShapes, `{"outlier":"shape:s1"}`, `{"deleteShapes":["s1","x"]}`, "")
	r := j.Fail(scoring.Error{Code: "internal", Message: "m"})
	if r.Scored || r.Score != 0 || r.Err == nil || r.Err.Code != "internal" || r.ID != "i" || r.Suite != "aspire" || r.Test != "pattern" || len(r.Notes) != 1 {
		t.Errorf("got %+v", r)
	}
	if again := j.Score(nil); !again.Scored || again.Score != 1 {
		t.Errorf("after Fail the job scores %+v", again)
	}
}

// TestVariantList: every variant that is listed is read somewhere, and names work without
// their test. See docs/spec/cli.md#r9.
func TestVariantList(t *testing.T) {
	s := New(Config{})
	seen := map[string]bool{}
	for _, v := range s.Variants {
		if seen[v.Name] || v.Doc == "" || v.Source == "" {
			t.Errorf("variant %+v", v)
		}
		seen[v.Name] = true
	}
	for _, short := range []string{"cell", "ordered", "printed", "touching", "contains", "page_bounds", "union", "accept_update",
		"strict_balance", "strict_align", "extended_math", "own_label", "maze.strict", "label.strict", "clamp01"} {
		if _, err := scoring.ParseVariants([]string{short}, s.Variants); err != nil {
			t.Errorf("%s: %v", short, err)
		}
	}
	for _, bad := range []string{"ink", "strict"} {
		if _, err := scoring.ParseVariants([]string{bad}, s.Variants); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestConcurrent: one suite serves many goroutines, and results repeat.
func TestConcurrent(t *testing.T) {
	s := New(Config{})
	items := []string{
		`{"id":"1","test":"pattern","shapes":` + threeShapes + `,"task":{"outlier":"shape:s1"},"response":{"deleteShapes":["s1","s9"]}}`,
		`{"id":"2","test":"arrow","shapes":` + arrow90 + `,"task":` + arrowTask + `,"response":"{\"rotation\": 1}"}`,
		`{"id":"3","test":"line","shapes":` + twoBoxes + `,"task":` + ends + `,"response":"{\"createShapes\":[{\"type\":\"line\",\"end\":{\"x\":1,\"y\":2}}]}"}`,
	}
	score := func(i int) string {
		j, err := s.Prepare(&scoring.Item{Test: string(fastjson.MustParse(items[i]).GetStringBytes("test")), Fields: fastjson.MustParse(items[i])}, nil)
		if err != nil {
			return err.Error()
		}
		r := j.Score(nil)
		return string(r.AppendJSON(nil, scoring.Raw, ""))
	}
	want := []string{score(0), score(1), score(2)}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range 200 {
				if i := (n + g) % len(items); score(i) != want[i] {
					t.Errorf("item %d: got %s; want %s", i, score(i), want[i])
					return
				}
			}
		}()
	}
	wg.Wait()
}
