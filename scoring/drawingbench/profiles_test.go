package drawingbench

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// action lists for the worked examples: a black pen drag over most of the canvas.
const (
	penTool  = `{"action":"click","x":35,"y":45}`
	circle   = `{"action":"click","x":35,"y":445}`
	black    = `{"action":"click","x":405,"y":25}`
	drag     = `{"action":"moveTo","x":150,"y":150},{"action":"mouseDown"},{"action":"moveTo","x":900,"y":700},{"action":"mouseUp"}`
	stray    = `{"action":"moveTo","x":150,"y":150},{"action":"mouseDown"},{"action":"moveTo","x":900,"y":700},{"action":"moveTo","x":1501,"y":700},{"action":"mouseUp","x":900,"y":700}`
	disc     = `{"action":"moveTo","x":500,"y":400},{"action":"mouseDown"},{"action":"moveTo","x":500,"y":650},{"action":"mouseUp"}`
	usual    = `{"required_tools":["pen"],"required_colors":["#000000"],"min_segments":1,"min_coverage":0.05}`
	twoInks  = `{"required_tools":["pen"],"required_colors":["#000000","#FF0000"],"min_segments":1,"min_coverage":0.05}`
	noColour = `{"required_tools":["pen"],"min_segments":1,"min_coverage":0.05}`
)

func metricOf(r *scoring.Result, name string) any {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	return "missing"
}

// TestPaperProfile has the examples of docs/spec/drawingbench.md#r78 and
// others.
func TestPaperProfile(t *testing.T) {
	for _, c := range []struct {
		name, criteria string
		actions        []string
		more           scoring.Variants
		want           float64
	}{
		{"nothing wrong", usual, []string{penTool, black, drag}, nil, 1},
		{"circle for pen", usual, []string{circle, black, disc}, nil, 0.8},
		{"one colour of two", twoInks, []string{penTool, black, drag}, nil, 0.8},
		{"off the screen", usual, []string{penTool, stray}, nil, 0.75},
		{"off the screen, no penalties", usual, []string{penTool, stray}, scoring.Variants{Penalties: "off"}, 0.95},
		{"unmatched press", usual, []string{penTool, drag, `{"action":"mouseDown"}`}, nil, 0.9},
		{"empty answer", usual, nil, nil, 0.35},
		{"empty answer, renormalised", usual, nil, scoring.Variants{Renormalise: ""}, 10.0 / 75},
		{"bonus", twoInks, []string{penTool, drag}, scoring.Variants{CoverageBonus: "0.05"}, 0.85},
		{"too many actions", `{"required_tools":["pen"],"max_actions":4}`, []string{penTool, drag}, nil, 0.95},
		{"above, but below", `{"position_constraint":{"type":"above"}}`, []string{penTool, `{"action":"click","x":500,"y":600}`}, nil, 0.85},
		{"above", `{"position_constraint":{"type":"above"}}`, []string{penTool, `{"action":"click","x":500,"y":300}`}, nil, 1},
		{"quadrant by limits", `{"position_constraint":{"x_max":590,"y_max":420}}`, []string{penTool, `{"action":"click","x":500,"y":300}`}, nil, 1},
		{"beyond limits", `{"position_constraint":{"x_max":590,"y_max":420}}`, []string{penTool, `{"action":"click","x":700,"y":300}`}, nil, 0.85},
		{"corners", `{"corner_placement":true}`, []string{penTool, drag}, nil, 0.85},
		{"size", `{"size_constraint":{"width":500,"height":500,"tolerance":10}}`, []string{circle, disc}, nil, 1},
		{"another size", `{"size_constraint":{"width":470,"height":500,"tolerance":10}}`, []string{circle, disc}, nil, 0.9},
		{"not drawn with", `{"required_colors":["#FF0000"]}`, []string{`{"action":"click","x":429,"y":25}`}, nil, 0.8},
	} {
		v := scoring.Variants{Profile: "paper"}
		for k, x := range c.more {
			v[k] = x
		}
		r := result(t, fmt.Sprintf(`{"criteria":%s,"actions":[%s]}`, c.criteria, strings.Join(c.actions, ",")), v)
		if r.Score != c.want || metricOf(&r, "profile") != "paper" || metricOf(&r, "definition") != "project" {
			t.Errorf("%s: got %v, %v; want %v", c.name, r.Score, r.Metrics[len(r.Metrics)-11:], c.want)
		}
	}
}

// What the profile release scores 1.0 and shows nothing is 0.
func TestPixelsProfile(t *testing.T) {
	white := `{"action":"click","x":573,"y":25}`
	for _, c := range []struct {
		name, criteria, actions string
		release, want           float64
	}{
		{"drawn", usual, strings.Join([]string{penTool, black, drag}, ","), 0.886, 1},
		{"white on white", `{"required_tools":["pen"],"required_colors":["#FFFFFF"],"min_segments":1}`,
			strings.Join([]string{penTool, white, drag}, ","), 1, 0},
		{"rolled back", `{"required_tools":["pen"],"min_segments":1}`, penTool + "," + drag + `,{"action":"undo"}`, 0.92, 0},
		{"colour only clicked", `{"required_colors":["#000000","#FF0000"],"min_segments":1}`,
			`{"action":"click","x":429,"y":25},` + black + "," + drag, 1, 0.95},
		{"tool only touched", `{"required_tools":["pen","circle"],"min_segments":1}`, circle + `,{"action":"mouseDown","x":300,"y":300},` + penTool + "," + drag, 0.98, 0.83},
		{"corners", `{"corner_placement":true}`, penTool + "," + drag, 1, 0.85},
		{"nothing demanded", `{"max_actions":10}`, ``, 1, 1},
	} {
		r := result(t, fmt.Sprintf(`{"criteria":%s,"actions":[%s]}`, c.criteria, c.actions), scoring.Variants{Profile: "pixels"})
		if r.Score != c.want || metricOf(&r, "release_score") != c.release {
			t.Errorf("%s: got %v (release %v); want %v (%v)", c.name, r.Score, metricOf(&r, "release_score"), c.want, c.release)
		}
	}
}

// TestActionBounds checks the bounds of the bonus for 10 to 500 actions, and that profile pixels gives it
// from 0.2 on (docs/spec/drawingbench.md#r77, docs/spec/drawingbench.md#r79).
func TestActionBounds(t *testing.T) {
	clicks := func(n int) string {
		return strings.Join(slices.Repeat([]string{`{"action":"click","x":500,"y":300}`}, n), ",")
	}
	const corners = `{"corner_placement":true}`
	bonus := scoring.Variants{Profile: "paper", EfficiencyBonus: "0.05"}
	for _, c := range []struct {
		actions  int
		criteria string
		variants scoring.Variants
		want     float64
	}{
		{9, corners, scoring.Variants{Profile: "pixels"}, 0.85}, {10, corners, scoring.Variants{Profile: "pixels"}, 0.9},
		{500, corners, scoring.Variants{Profile: "pixels"}, 0.9}, {501, corners, scoring.Variants{Profile: "pixels"}, 0.85},
		{9, corners, bonus, 0.85}, {10, corners, bonus, 0.9}, {500, corners, bonus, 0.9}, {501, corners, bonus, 0.85},
	} {
		if r := result(t, fmt.Sprintf(`{"criteria":%s,"actions":[%s]}`, c.criteria, clicks(c.actions)), c.variants); r.Score != c.want {
			t.Errorf("%d actions, %v: got %v; want %v", c.actions, c.variants, r.Score, c.want)
		}
	}
	// Three tools and seven colours that are not there leave 0.2 in doubles, one colour more 0.15.
	const seven = `"#FF0000","#00FF00","#0000FF","#FFFF00","#FF00FF","#00FFFF","#FFA500"`
	for colours, want := range map[string]float64{seven: 0.25, seven + `,"#808080"`: 0.15} {
		criteria := `{"required_tools":["rectangle","circle","line"],"required_colors":[` + colours + `]}`
		r := result(t, fmt.Sprintf(`{"criteria":%s,"actions":[%s,%s,%s]}`, criteria, penTool, drag, clicks(10)), scoring.Variants{Profile: "pixels"})
		if r.Score != want {
			t.Errorf("%s: got %v; want %v", colours, r.Score, want)
		}
	}
}

// Pixel metrics stand beside a score and never change it.
func TestPixelMetrics(t *testing.T) {
	item := `{"criteria":` + usual + `,"prompt":"a dot in the center","actions":[{"action":"click","x":35,"y":605},` +
		`{"action":"click","x":453,"y":25},{"action":"click","x":35,"y":365},{"action":"mouseDown","x":190,"y":170},{"action":"mouseUp","x":290,"y":270}]}`
	plain, r := result(t, item, nil), result(t, item, scoring.Variants{PixelMetrics: ""})
	if r.Score != plain.Score || r.Backend != "cpu" || plain.Backend != "" {
		t.Errorf("got %v, backend %q; want %v as without", r.Score, r.Backend, plain.Score)
	}
	// A bar 5 px wide about a square of 100: 106² - 94² with the half rows on either side.
	for name, want := range map[string]string{"nonwhite": "2400", "bbox": "[97,97,202,202]", "enclosed_coverage": "0.01605142857142857",
		"bbox_coverage": "0.01605142857142857", "visible_segments": "1", "corners": "false", "capped_fill": "false", "overdraw": "1",
		"quadrants":   `{"top-left":2400,"top-right":0,"bottom-left":0,"bottom-right":0}`,
		"final_state": `{"tool":"rectangle","color":"#00FF00","size":5,"drawing":false}`, "fill_pixels": "[]", "centroid": "[149.5 149.5]",
		"element_sizes": `[{"kind":"rectangle","color":"#00FF00","changed":[97,97,202,202],"box":[100.0,100.0,200.0,200.0]}]`} {
		got := metricOf(&r, name)
		if j, ok := got.(scoring.JSON); ok {
			got = string(j)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got %v; want %s", name, got, want)
		}
	}
	if x, ok := metricOf(&r, "region_accuracy").(float64); !ok || x < 0.6 || x > 0.7 {
		t.Errorf("region_accuracy: got %v; want about 0.67", metricOf(&r, "region_accuracy"))
	}
}

func TestPaintLimit(t *testing.T) {
	actions := strings.Repeat(`{"action":"mouseDown","x":100,"y":100},{"action":"mouseUp","x":1000,"y":700},`, 1000)
	item := `{"actions":[` + circle + `,` + strings.TrimSuffix(actions, ",") + `]}`
	for _, v := range []scoring.Variants{{PixelMetrics: ""}, {Profile: "pixels"}, {Profile: "paper"}} {
		it := scoring.Item{Fields: fastjson.MustParse(item)}
		j, err := New(Config{MaxPaint: 1_000_000}).Prepare(&it, v)
		if err != nil {
			t.Fatal(err)
		}
		r := j.Score(nil)
		if n := len(r.Notes); !r.Scored || n == 0 || !strings.Contains(r.Notes[n-1].Message, FlagPaint) || v[Profile] != "" && r.Score != 0 {
			t.Errorf("%v: got %v %v %v; want a bad answer that names the limit %s", v, r.Scored, r.Score, r.Notes, FlagPaint)
		}
	}
	if r := result(t, item, nil); !r.Scored {
		t.Errorf("got %+v; want a score, which needs no picture", r)
	}
}

func TestBadDemands(t *testing.T) {
	for _, c := range []string{`{"position_constraint":1}`, `{"position_constraint":{"type":"up"}}`, `{"position_constraint":{}}`,
		`{"size_constraint":{"width":1}}`, `{"max_actions":"3"}`, `{"position_constraint":{"x_max":1e999}}`} {
		item := `{"actions":[],"criteria":` + c + `}`
		if r := result(t, item, scoring.Variants{Profile: "paper"}); r.Scored || r.Err == nil || !strings.Contains(r.Err.Message, "criteria.") {
			t.Errorf("%s: got %+v; want an error that names the member", c, r)
		}
		if r := result(t, item, nil); !r.Scored {
			t.Errorf("%s: got %v; want it ignored by the profile release", c, r.Err)
		}
	}
}
