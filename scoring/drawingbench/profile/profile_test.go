package profile

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"plumb/render/canvas"
	"plumb/scoring"
	"plumb/scoring/drawingbench/published"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
)

// parsed reads one JSON value.
func parsed(t *testing.T, text string) *pyjson.Value {
	t.Helper()
	var r pyjson.Reader
	r.Reset(text)
	v, err := r.All()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return &v
}

// demandOf reads the criteria of a task.
func demandOf(t *testing.T, text string) Demand {
	t.Helper()
	c, err := published.ReadCriteria(parsed(t, text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	d, err := Read(parsed(t, text), c)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

// blank is a picture on which nothing was painted.
func blank() replay.Picture {
	return replay.Picture{Canvas: canvas.New(), Stats: canvas.Stats{Colours: make([]int, 8), Other: 0}}
}

// TestRead has the criteria that the published evaluator ignores, and errors that name the one that
// cannot be used (docs/spec/drawingbench.md#r3).
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		`null`: "", `[]`: "", `{}`: "",
		`{"max_actions":7}`: "actions 7", `{"max_actions":2.5}`: "actions 2.5", `{"max_actions":null}`: "",
		`{"max_actions":"7"}`: "!criteria.max_actions", `{"max_actions":NaN}`: "!criteria.max_actions", `{"max_actions":-Infinity}`: "!criteria.max_actions", `{"max_actions":true}`: "!criteria.max_actions",
		`{"corner_placement":true}`: "corners", `{"corner_placement":false}`: "", `{"corner_placement":null}`: "", `{"corner_placement":"x"}`: "corners",
		`{"position_constraint":null}`: "", `{"position_constraint":{"type":"top-left","x_max":5}}`: "at top-left",
		`{"position_constraint":{"x_max":5}}`: "x 5", `{"position_constraint":{"y_max":6.5}}`: "y 6.5", `{"position_constraint":{"x_max":0,"y_max":6}}`: "x 0 y 6",
		`{"position_constraint":[]}`: "!criteria.position_constraint:", `{"position_constraint":{}}`: "!criteria.position_constraint:", `{"position_constraint":{"type":"middle"}}`: "!criteria.position_constraint.type",
		`{"position_constraint":{"type":1}}`: "!criteria.position_constraint.type", `{"position_constraint":{"x_max":"a"}}`: "!criteria.position_constraint.x_max",
		`{"position_constraint":{"x_max":1,"y_max":Infinity}}`: "!criteria.position_constraint.y_max",
		`{"size_constraint":null}`:                             "", `{"size_constraint":{"width":1,"height":2}}`: "size 1 2 0", `{"size_constraint":{"width":1,"height":2,"tolerance":3}}`: "size 1 2 3",
		`{"size_constraint":1}`: "!criteria.size_constraint:", `{"size_constraint":{"width":1}}`: "!criteria.size_constraint:", `{"size_constraint":{"height":1,"tolerance":1}}`: "!criteria.size_constraint:",
		`{"size_constraint":{"width":1,"height":[]}}`: "!criteria.size_constraint.height",
	} {
		d, err := Read(parsed(t, text), nil)
		var got []string
		if err != nil {
			if after, ok := strings.CutPrefix(want, "!"); !ok || !strings.Contains(err.Error(), after) {
				t.Errorf("%s: got %v; want %s", text, err, want)
			}
			continue
		}
		if d.Criteria == nil {
			t.Fatalf("%s: no criteria", text)
		}
		if d.MaxActions != 0 {
			got = append(got, fmt.Sprint("actions ", d.MaxActions))
		}
		if d.Corners {
			got = append(got, "corners")
		}
		if p := d.Position; p != nil {
			if p.Where != "" {
				got = append(got, "at "+p.Where)
			}
			if p.XMax != nil {
				got = append(got, fmt.Sprint("x ", *p.XMax))
			}
			if p.YMax != nil {
				got = append(got, fmt.Sprint("y ", *p.YMax))
			}
		}
		if s := d.Size; s != nil {
			got = append(got, fmt.Sprint("size ", s.Width, " ", s.Height, " ", s.Tolerance))
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%s: got %q; want %q", text, all, want)
		}
	}
	c := &published.Criteria{Prompt: "p"}
	if d, err := Read(nil, c); err != nil || d.Criteria != c {
		t.Errorf("no object: got %+v, %v; want the criteria as they are", d, err)
	}
}

// TestMetrics has each metric of a rectangle, of numbers given by hand, and of a blank picture
// (docs/spec/drawingbench.md#r69, docs/spec/drawingbench.md#r70).
func TestMetrics(t *testing.T) {
	check := func(name string, p *replay.Picture, prompt string, want map[string]string) {
		t.Helper()
		got := map[string]any{}
		for _, m := range Metrics(p, prompt) {
			got[m.Name] = m.Value
		}
		for metric, w := range want {
			x := got[metric]
			if j, ok := x.(scoring.JSON); ok {
				x = string(j)
			}
			if fmt.Sprint(x) != w {
				t.Errorf("%s, %s: got %v; want %s", name, metric, x, w)
			}
		}
	}
	p := replay.New().Draw(parsed(t, `[{"action":"click","x":35,"y":605},{"action":"click","x":453,"y":25},{"action":"click","x":35,"y":365},`+
		`{"action":"mouseDown","x":190,"y":170},{"action":"mouseUp","x":290,"y":270}]`))
	// A bar 5 px wide about a square of 100: 106² pixels with the half rows on either side.
	check("rectangle", &p, "", map[string]string{"enclosed_coverage": fmt.Sprint(106. * 106 / 700_000), "bbox_coverage": fmt.Sprint(106. * 106 / 700_000)})

	p.Stats = canvas.Stats{NonWhite: 70, Solid: 35, Transparent: 1, Partial: 2, InkSum: 255 * 14, InkX: 255 * 14 * 500, InkY: 255 * 14 * 350, SumX: 140, SumY: 210,
		Box: image.Rect(10, 20, 31, 42), SolidBox: image.Rect(11, 21, 30, 41), Quadrants: [4]int{1, 2, 3, 4}, Corners: [4]int{5, 6, 7, 8}, Colours: []int{9, 0, 3, 0, 0, 0, 0, 1}, Other: 5}
	p.State = replay.State{Tool: "line", Colour: "#123456", Size: 10, Drawing: true}
	p.Fills, p.Writes, p.Inks = []int{3, canvas.MaxFill}, 105, []replay.Ink{{Kind: "pen", Colour: "#FFFFFF", Changed: true}}
	p.Elements = []replay.Element{{Kind: "pen", Colour: "#000000", Painted: canvas.Mark{Box: image.Rect(1, 2, 4, 6), Changed: 1}, Box: [4]float64{1, 2.5, 3, 4}}, {Kind: replay.Dot, Colour: "#FF0000"}}
	check("numbers", &p, "a dot in the center", map[string]string{
		"nonwhite": "70", "transparent": "1", "partial_alpha": "2", "colors": `{"black":9,"red":0,"green":3,"blue":0,"yellow":0,"magenta":0,"cyan":0,"white":1,"other":5}`,
		"bbox": "[10,20,30,41]", "centroid": "[2 3]", "quadrants": `{"top-left":1,"top-right":2,"bottom-left":3,"bottom-right":4}`, "ink": "14", "ink_centroid": "[500 350]",
		"solid": "35", "solid_bbox": "[11,21,29,40]", "fill_pixels": fmt.Sprintf("[3,%d]", canvas.MaxFill), "capped_fill": "true",
		"final_state":      `{"tool":"line","color":"#123456","size":10,"drawing":true}`,
		"painted_coverage": "0.0001", "solid_coverage": "5e-05", "ink_coverage": "2e-05", "bbox_coverage": fmt.Sprint(21. * 22 / 700_000),
		"visible_colors": "[#000000 #00FF00 #FFFFFF]", "region_accuracy": "1", "corners": "true", "elements": "2", "visible_segments": "1", "overdraw": "1.5",
		"element_sizes": `[{"kind":"pen","color":"#000000","changed":[1,2,3,5],"box":[1.0,2.5,3.0,4.0]},{"kind":"dot","color":"#FF0000","changed":null,"box":[0.0,0.0,0.0,0.0]}]`,
	})
	check("no region", &p, "a dot", map[string]string{"region_accuracy": "<nil>"})
	p.Stats.Corners[2] = 0
	check("a corner without ink", &p, "", map[string]string{"corners": "false"})
	p.Elements = make([]replay.Element, maxElements+1)
	list := ""
	for _, m := range Metrics(&p, "") {
		if m.Name == "element_sizes" {
			list = string(m.Value.(scoring.JSON))
		}
	}
	if n := strings.Count(list, `"kind"`); n != maxElements {
		t.Errorf("got the sizes of %d elements; want %d", n, maxElements)
	}
	empty := blank()
	check("blank", &empty, "a dot in the center", map[string]string{"bbox": "null", "centroid": "<nil>", "ink_centroid": "<nil>", "overdraw": "<nil>", "region_accuracy": "0", "fill_pixels": "[]",
		"visible_colors": "[]", "enclosed_coverage": "0", "element_sizes": "[]", "capped_fill": "false", "corners": "false"})
}

// TestPosition has both sides of each bound of a position constraint (docs/spec/drawingbench.md#r73).
func TestPosition(t *testing.T) {
	box := func(x0, y0, x1, y1 int) image.Rectangle { return image.Rect(x0, y0, x1, y1) }
	for _, c := range []struct {
		constraint string
		box        image.Rectangle // of the first visible element
		x, y       float64         // centroid of the ink
		want       bool
	}{
		{`"type":"above"`, box(0, 300, 10, 399), 0, 0, true}, {`"type":"above"`, box(0, 300, 10, 400), 0, 0, false}, {`"type":"above"`, box(0, 300, 10, 401), 0, 0, false},
		{`"type":"below"`, box(0, 300, 10, 401), 0, 0, true}, {`"type":"below"`, box(0, 300, 10, 400), 0, 0, false},
		{`"type":"left"`, box(400, 0, 599, 10), 0, 0, true}, {`"type":"left"`, box(400, 0, 600, 10), 0, 0, false},
		{`"type":"right"`, box(400, 0, 601, 10), 0, 0, true}, {`"type":"right"`, box(400, 0, 600, 10), 0, 0, false},
		{`"type":"center"`, box(0, 0, 1, 1), 400, 280, true}, {`"type":"center"`, box(0, 0, 1, 1), 600, 420, true},
		{`"type":"center"`, box(0, 0, 1, 1), 399, 350, false}, {`"type":"center"`, box(0, 0, 1, 1), 601, 350, false},
		{`"type":"center"`, box(0, 0, 1, 1), 500, 279, false}, {`"type":"center"`, box(0, 0, 1, 1), 500, 421, false},
		{`"type":"top-left"`, box(0, 0, 1, 1), 499, 349, true}, {`"type":"top-left"`, box(0, 0, 1, 1), 500, 349, false}, {`"type":"top-left"`, box(0, 0, 1, 1), 499, 350, false},
		{`"type":"top-right"`, box(0, 0, 1, 1), 500, 349, true}, {`"type":"bottom-left"`, box(0, 0, 1, 1), 499, 350, true}, {`"type":"bottom-right"`, box(0, 0, 1, 1), 500, 350, true},
		{`"x_max":190`, box(0, 0, 100, 50), 0, 0, true}, {`"x_max":189`, box(0, 0, 100, 50), 0, 0, false}, // the canvas begins at 90, 70
		{`"y_max":120`, box(0, 0, 100, 50), 0, 0, true}, {`"y_max":119`, box(0, 0, 100, 50), 0, 0, false},
		{`"x_max":190,"y_max":119`, box(0, 0, 100, 50), 0, 0, false}, {`"x_max":190,"y_max":120`, box(0, 0, 100, 50), 0, 0, true},
	} {
		p := blank()
		p.Stats.InkSum, p.Stats.InkX, p.Stats.InkY = 2, int64(2*c.x), int64(2*c.y)
		p.Elements = []replay.Element{{}, {Painted: canvas.Mark{Box: c.box, Changed: 1}}}
		a := Answer{Picture: &p, Demand: demandOf(t, `{"position_constraint":{`+c.constraint+`}}`)}
		if got := a.positionMet(); got != c.want {
			t.Errorf("%s, %v, ink at %v, %v: got %v; want %v", c.constraint, c.box, c.x, c.y, got, c.want)
		}
		p.Elements = p.Elements[:1]
		if a.positionMet() {
			t.Errorf("%s: met by a drawing that changed no pixel", c.constraint)
		}
	}
	p := blank()
	p.Elements = []replay.Element{{Painted: canvas.Mark{Box: box(0, 0, 1, 1), Changed: 1}}, {Painted: canvas.Mark{Box: box(0, 0, 200, 1), Changed: 1}}}
	if a := (Answer{Picture: &p, Demand: demandOf(t, `{"position_constraint":{"x_max":190}}`)}); a.positionMet() {
		t.Error("limits hold although the second element is beyond them")
	}
	p.Stats.InkSum = 0
	for _, where := range []string{"center", "top-left"} { // white was painted on something and covers all of it
		if a := (Answer{Picture: &p, Demand: demandOf(t, `{"position_constraint":{"type":"`+where+`"}}`)}); a.positionMet() {
			t.Errorf("%s: met without ink", where)
		}
	}
	a := Answer{Picture: &p, Demand: demandOf(t, `{"position_constraint":{"type":"corners"}}`)}
	p.Stats.Quadrants = [4]int{1, 1, 1, 1}
	if !a.positionMet() {
		t.Error("corners: not met by ink in all quadrants")
	}
	for i := range 4 {
		p.Stats.Quadrants = [4]int{1, 1, 1, 1}
		p.Stats.Quadrants[i] = 0
		if a.positionMet() {
			t.Errorf("corners: met without ink in quadrant %d", i)
		}
	}
}

// TestSize has both sides of the tolerance of a size constraint (docs/spec/drawingbench.md#r74).
func TestSize(t *testing.T) {
	for _, c := range []struct {
		box  [4]float64
		want bool
	}{
		{[4]float64{10, 20, 110, 70}, true}, {[4]float64{10, 20, 112, 72}, true}, {[4]float64{10, 20, 108, 68}, true},
		{[4]float64{10, 20, 113, 70}, false}, {[4]float64{10, 20, 107, 70}, false}, {[4]float64{10, 20, 110, 73}, false}, {[4]float64{10, 20, 110, 67}, false},
	} {
		p := blank()
		p.Elements = []replay.Element{{Painted: canvas.Mark{Changed: 1}}, {Painted: canvas.Mark{Changed: 1}, Box: c.box}}
		a := Answer{Picture: &p, Demand: demandOf(t, `{"size_constraint":{"width":100,"height":50,"tolerance":2}}`)}
		if got := a.sizeMet(); got != c.want {
			t.Errorf("%v: got %v; want %v", c.box, got, c.want)
		}
		p.Elements[1].Painted.Changed = 0
		if a.sizeMet() {
			t.Errorf("%v: met by an element that changed no pixel", c.box)
		}
	}
}

// drawn is an answer to criteria that meets the tools, colours, segments, coverage and corners below.
func drawn(t *testing.T, criteria string, change func(*Answer)) *Answer {
	t.Helper()
	p := blank()
	p.Selected = []string{"pen", "line"}
	p.Inks = []replay.Ink{{Kind: "pen", Colour: "#000000", Changed: true}, {Kind: "eraser", Colour: "#FF0000", Changed: true}, {Kind: "line", Colour: "#0000FF"}}
	p.Drags = 2
	p.Elements = []replay.Element{{Painted: canvas.Mark{Changed: 1}}, {Painted: canvas.Mark{Changed: 1}}}
	p.Stats.NonWhite, p.Stats.Box = 1, image.Rect(0, 0, 100, 70) // 0.01 of the canvas
	p.Stats.Quadrants, p.Stats.Corners, p.Stats.Colours = [4]int{1, 1, 1, 1}, [4]int{1, 1, 1, 1}, []int{1, 0, 0, 1, 0, 0, 0, 0}
	a := &Answer{Evaluation: &published.Evaluation{}, Picture: &p, Demand: demandOf(t, criteria)}
	if change != nil {
		change(a)
	}
	return a
}

func faults(kind string, n int) func(*Answer) {
	return func(a *Answer) { a.Evaluation.Faults = slices.Repeat([]published.Fault{{Type: kind}}, n) }
}

func warnings(kind, text string, n int) func(*Answer) {
	return func(a *Answer) {
		a.Evaluation.Warnings = slices.Repeat([]published.Finding{{Type: kind, Message: text}}, n)
	}
}

func actions(n int) func(*Answer) { return func(a *Answer) { a.Evaluation.Actions = n } }

const moves = "Multiple consecutive moveTo actions"

// TestPaper has weights, penalties and bonuses of the profile paper with both sides of their bounds
// (docs/spec/drawingbench.md#r72 to docs/spec/drawingbench.md#r78).
func TestPaper(t *testing.T) {
	bonus := Options{CoverageBonus: 7, EfficiencyBonus: 3}
	for _, c := range []struct {
		name, criteria string
		change         func(*Answer)
		options        Options
		want           float64
	}{
		{"nothing demanded", `{}`, nil, Options{}, 1},
		{"tools", `{"required_tools":["pen","line"]}`, nil, Options{}, 1},
		{"one tool of two", `{"required_tools":["pen","fill"]}`, nil, Options{}, 0.8},
		{"the first tool of two", `{"required_tools":["fill","pen"]}`, nil, Options{}, 0.8},
		{"colours", `{"required_colors":["#000000","#0000FF"]}`, nil, Options{}, 1},
		{"a colour that only the eraser had", `{"required_colors":["#FF0000","#000000"]}`, nil, Options{}, 0.8},
		{"as many segments", `{"min_segments":2}`, nil, Options{}, 1},
		{"a segment less", `{"min_segments":3}`, nil, Options{}, 0.85},
		{"as much coverage", `{"min_coverage":0.01}`, nil, Options{}, 1},
		{"less coverage", `{"min_coverage":0.0101}`, nil, Options{}, 0.9},
		{"no position", `{"position_constraint":{"type":"above"}}`, func(a *Answer) { a.Picture.Elements = nil }, Options{}, 0.85},
		{"corners", `{"corner_placement":true}`, nil, Options{}, 1},
		{"a corner less", `{"corner_placement":true}`, func(a *Answer) { a.Picture.Stats.Quadrants[3] = 0 }, Options{}, 0.85},
		{"no size", `{"size_constraint":{"width":1,"height":1}}`, nil, Options{}, 0.9},
		{"a fault", `{}`, faults("SYNTAX_ERROR", 1), Options{}, 0.65},
		{"two faults", `{}`, faults("SYNTAX_ERROR", 2), Options{}, 0.35},
		{"a fault without penalty", `{}`, faults("SYNTAX_ERROR", 1), Options{NoPenalties: true}, 0.95},
		{"off the screen twice", `{}`, faults("COORDINATE_ERROR", 2), Options{}, 0.55},
		{"a drag off the canvas", `{}`, func(a *Answer) { a.Picture.StrayPoints = 1 }, Options{}, 0.95},
		{"presses without release", `{}`, warnings("LOGIC_ERROR", "", 2), Options{}, 0.8},
		{"three moves", `{}`, warnings("EFFICIENCY_WARNING", moves, 1), Options{}, 0.95},
		{"another warning", `{}`, warnings("EFFICIENCY_WARNING", "many actions", 1), Options{}, 1},
		{"as many actions as allowed", `{"max_actions":5}`, actions(5), Options{}, 1},
		{"more actions", `{"max_actions":5}`, actions(6), Options{}, 0.95},
		{"1,000 actions", `{}`, actions(1000), Options{}, 1},
		{"1,001 actions", `{}`, actions(1001), Options{}, 0.95},
		{"more actions and three moves", `{"max_actions":5}`, func(a *Answer) { actions(6)(a); warnings("EFFICIENCY_WARNING", moves, 1)(a) }, Options{}, 0.9},
		{"below 0", `{}`, faults("SYNTAX_ERROR", 9), Options{}, 0},
		{"renormalised", `{"required_tools":["fill"],"min_segments":2}`, nil, Options{Renormalise: true}, 25. / 45},
		{"renormalised, all met", `{"required_colors":["#000000"]}`, nil, Options{Renormalise: true}, 1},
		{"renormalised, coverage", `{"min_coverage":0.5}`, nil, Options{Renormalise: true}, 0.5},
		{"renormalised, position", `{"position_constraint":{"x_max":5}}`, nil, Options{Renormalise: true}, 0.4},
		{"renormalised, corners", `{"corner_placement":true}`, func(a *Answer) { a.Picture.Stats.Quadrants[0] = 0 }, Options{Renormalise: true}, 0.4},
		{"renormalised, size", `{"size_constraint":{"width":1,"height":1}}`, nil, Options{Renormalise: true}, 0.5},
		{"renormalised, bonus and penalty", `{"required_tools":["fill"],"min_coverage":0.01}`, warnings("LOGIC_ERROR", "", 1), Options{Renormalise: true, CoverageBonus: 25}, 0.5 + 0.15},
		{"bonus of coverage", `{"required_tools":["fill"],"min_coverage":0.01}`, nil, bonus, 0.87},
		{"no bonus of coverage", `{"required_tools":["fill"],"min_coverage":0.5}`, nil, bonus, 0.7},
		{"no coverage stated", `{"required_tools":["fill"]}`, nil, bonus, 0.8},
		{"9 actions", `{"required_tools":["fill"]}`, actions(9), bonus, 0.8},
		{"10 actions", `{"required_tools":["fill"]}`, actions(10), bonus, 0.83},
		{"500 actions", `{"required_tools":["fill"]}`, actions(500), bonus, 0.83},
		{"501 actions", `{"required_tools":["fill"]}`, actions(501), bonus, 0.8},
		{"10 actions of 9", `{"required_tools":["fill"],"max_actions":9}`, actions(10), bonus, 0.75},
	} {
		s := Paper(drawn(t, c.criteria, c.change), c.options)
		if s.Value != c.want && !(c.options.Renormalise && math.Abs(s.Value-c.want) < 1e-12) {
			t.Errorf("%s: got %v, %v; want %v", c.name, s.Value, s.Metrics, c.want)
		}
	}
	s := Paper(drawn(t, `{"required_tools":["fill"],"min_coverage":0.01}`, faults("COORDINATE_ERROR", 1)), bonus)
	if got := fmt.Sprint(s.Metrics[:4]); got != "[{weighted 0.75} {penalties 0.2} {bonus 0.07} {criterion_required_tools false}]" {
		t.Errorf("metrics: got %s", got)
	}
}

// TestPixels has the deductions of the profile pixels with both sides of their bounds
// (docs/spec/drawingbench.md#r79, docs/spec/drawingbench.md#r80, docs/spec/drawingbench.md#r71).
func TestPixels(t *testing.T) {
	unpainted := func(a *Answer) { a.Picture.Stats.NonWhite = 0 }
	const many = `{"required_tools":["rectangle","circle","fill"],"required_colors":["#FF0000","#00FF00","#FFFF00","#FF00FF","#00FFFF","#FFA500","#FFA501"`
	for _, c := range []struct {
		name, criteria string
		change         func(*Answer)
		want           float64
	}{
		{"nothing demanded", `{}`, nil, 1},
		{"a tool", `{"required_tools":["pen"]}`, nil, 1},
		{"a tool that changed nothing", `{"required_tools":["line","pen"]}`, nil, 0.85},
		{"a tool twice", `{"required_tools":["line","line","pen","pen"]}`, nil, 0.85},
		{"colours", `{"required_colors":["#000000","#0000FF"]}`, nil, 1},
		{"colours that cannot be seen", `{"required_colors":["#000000","#FF0000","#00FF00"]}`, nil, 0.9},
		{"a colour that the palette lacks", `{"required_colors":["#123456"]}`, nil, 0.95},
		{"white", `{"required_colors":["#FFFFFF"]}`, nil, 0.95},
		{"white that changed a pixel", `{"required_colors":["#FFFFFF"]}`, func(a *Answer) {
			a.Picture.Inks = append(a.Picture.Inks, replay.Ink{Kind: "pen", Colour: "#FFFFFF", Changed: true})
		}, 1},
		{"white that changed none", `{"required_colors":["#FFFFFF"]}`, func(a *Answer) {
			a.Picture.Inks = append(a.Picture.Inks, replay.Ink{Kind: "pen", Colour: "#FFFFFF"}, replay.Ink{Kind: "eraser", Colour: "#FFFFFF", Changed: true})
		}, 0.95},
		{"as many segments", `{"min_segments":2}`, nil, 1},
		{"a segment less", `{"min_segments":3}`, nil, 0.85},
		{"a segment that changed nothing", `{"min_segments":2}`, func(a *Answer) { a.Picture.Elements[0].Painted.Changed = 0 }, 0.85},
		{"as much coverage", `{"min_coverage":0.01}`, nil, 1},
		{"a quarter of the coverage", `{"min_coverage":0.04}`, nil, 0.91},
		{"no coverage", `{"min_coverage":0}`, nil, 1},
		{"position", `{"position_constraint":{"x_max":5}}`, nil, 0.85},
		{"size", `{"size_constraint":{"width":1,"height":1}}`, nil, 0.9},
		{"corners", `{"corner_placement":true}`, nil, 1},
		{"a corner less", `{"corner_placement":true}`, func(a *Answer) { a.Picture.Stats.Corners[1] = 0 }, 0.85},
		{"faults", `{}`, faults("SYNTAX_ERROR", 3), 0.76},
		{"warnings", `{}`, warnings("LOGIC_ERROR", "", 3), 0.94},
		{"below 0", `{}`, faults("SYNTAX_ERROR", 13), 0},
		{"9 actions", `{"required_tools":["fill"]}`, actions(9), 0.85},
		{"10 actions", `{"required_tools":["fill"]}`, actions(10), 0.9},
		{"500 actions", `{"required_tools":["fill"]}`, actions(500), 0.9},
		{"501 actions", `{"required_tools":["fill"]}`, actions(501), 0.85},
		{"at most 1", `{}`, actions(10), 1},
		{"0.2 is left", many + `]}`, actions(10), 0.25},
		{"less than 0.2 is left", many + `,"#FFA502"]}`, actions(10), 0.15},
		{"blank, nothing demanded", `{"max_actions":3}`, unpainted, 1},
		{"blank, no segments or coverage", `{"min_segments":0,"min_coverage":0}`, unpainted, 1},
		{"blank, a tool", `{"required_tools":["pen"]}`, unpainted, 0},
		{"blank, a colour", `{"required_colors":["#000000"]}`, unpainted, 0},
		{"blank, a segment", `{"min_segments":1}`, unpainted, 0},
		{"blank, coverage", `{"min_coverage":0.001}`, unpainted, 0},
		{"blank, a position", `{"position_constraint":{"x_max":5000}}`, unpainted, 0},
		{"blank, a size", `{"size_constraint":{"width":1,"height":1}}`, unpainted, 0},
		{"blank, corners", `{"corner_placement":true}`, unpainted, 0},
		{"three decimals", `{"min_coverage":0.03}`, nil, 0.92},
		{"rounded to three decimals", `{"min_coverage":0.07}`, nil, 0.897}, // 1 - 0.12 * 6/7
	} {
		if s := Pixels(drawn(t, c.criteria, c.change)); s.Value != c.want {
			t.Errorf("%s: got %v, %v; want %v", c.name, s.Value, s.Metrics, c.want)
		}
	}
	s := Pixels(drawn(t, `{"required_tools":["pen","line"],"required_colors":["#000000","#FF0000"],"min_segments":3,"min_coverage":0.01,"corner_placement":true}`, nil))
	want := "[{painted_required_tools [pen]} {visible_required_colors [#000000]} {pixels_min_segments false} {pixels_min_coverage true} {pixels_corner_placement true} {blank false}]"
	if got := fmt.Sprint(s.Metrics); got != want {
		t.Errorf("metrics: got %s; want %s", got, want)
	}
}
