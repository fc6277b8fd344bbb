package drawingbench

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

func result(t *testing.T, item string, v scoring.Variants) scoring.Result {
	t.Helper()
	fields := fastjson.MustParse(item)
	who, err := scoring.ReadIdentity(fields, "")
	if err != nil {
		t.Fatal(err)
	}
	it := scoring.Item{ID: "i", Suite: suiteName, Who: who, Fields: fields}
	j, err := New(Config{}).Prepare(&it, v)
	if err != nil {
		t.Fatal(err)
	}
	return j.Score(nil)
}

const pen = `[{"action":"click","x":35,"y":45},{"action":"moveTo","x":200,"y":200},{"action":"mouseDown"},{"action":"moveTo","x":900,"y":600},{"action":"mouseUp"}]`

func TestReadings(t *testing.T) {
	quote := func(s string) string { return string(scoring.AppendString(nil, s)) }
	for _, c := range []struct {
		name, item string
		strict     bool
		status     string
		score      float64
		note       string
	}{
		{"actions", `{"actions":` + pen + `}`, false, "direct", 1, ""},
		{"text", `{"response":` + quote(pen) + `}`, false, "direct", 1, ""},
		{"object", `{"response":{"actions":` + pen + `}}`, false, "direct", 1, ""},
		{"fence", `{"response":` + quote("Here:\n```json\n"+pen+"\n```") + `}`, false, "fence", 1, ""},
		{"fence, strict", `{"response":` + quote("Here:\n```json\n"+pen+"\n```") + `}`, true, "crash", 0, "JSONDecodeError"},
		{"prose", `{"response":` + quote("I draw "+pen+" now") + `}`, false, "scan", 1, ""},
		{"nothing", `{"response":"no"}`, false, "none", 0, ""},
		{"empty", `{"response":""}`, false, "none", 0, ""},
		{"crash", `{"response":"[1]"}`, false, "crash", 0, "AttributeError"},
		{"tool", `{"actions":` + pen + `,"criteria":{"required_tools":["circle"]}}`, false, "direct", 0.85, ""},
	} {
		v := scoring.Variants{}
		if c.strict {
			v[Input] = "strict"
		}
		r := result(t, c.item, v)
		if !r.Scored || r.Status != c.status || r.Score != c.score {
			t.Errorf("%s: got %v %s %v; want %s %v", c.name, r.Scored, r.Status, r.Score, c.status, c.score)
		}
		if note := c.note; note != "" && (len(r.Notes) != 1 || r.Notes[0].Code != "release_crash" || !strings.HasPrefix(r.Notes[0].Message, note+":")) {
			t.Errorf("%s: got notes %v; want %s", c.name, r.Notes, note)
		}
	}
}

func TestNeverHeard(t *testing.T) {
	for _, item := range []string{`{}`, `{"response":null}`, `{"actions":null}`} {
		if r := result(t, item, nil); r.Scored || r.Err == nil || r.Err.Code != "no_response" {
			t.Errorf("%s: got %+v; want no_response", item, r)
		}
	}
}

func TestBadItems(t *testing.T) {
	for _, item := range []string{`{"response":"","criteria":[]}`, `{"response":"","criteria":{"required_tools":"pen"}}`,
		`{"response":"","criteria":{"required_colors":["` + strings.Repeat(`","`, 1000) + `"]}}`, `{"response":"","criteria":{"min_segments":"3"}}`, `{"response":"","criteria":{"prompt":1}}`} {
		it := scoring.Item{Fields: fastjson.MustParse(item)}
		if _, err := New(Config{}).Prepare(&it, nil); err == nil || !strings.Contains(err.Error(), "criteria") {
			t.Errorf("%s: got %v; want an error about criteria", item, err)
		}
	}
}

// An inline prompt is not part of the criteria, unless that is asked for.
func TestPrompt(t *testing.T) {
	item := `{"actions":` + pen + `,"prompt":"a dot in the center","criteria":{"min_segments":1}}`
	evaluation := func(v scoring.Variants) string { return string(result(t, item, v).Fields[0].Value.(scoring.JSON)) }
	if got := evaluation(nil); !strings.Contains(got, `"spatial_accuracy":null`) {
		t.Errorf("got %s; want no spatial accuracy", got)
	}
	if got := evaluation(scoring.Variants{WithPrompt: ""}); !strings.Contains(got, `"region":"center"`) {
		t.Errorf("got %s; want the region center", got)
	}
}

func TestPublishedLines(t *testing.T) {
	element := fastjson.MustParse(`{"id":"a_1","category":"c","difficulty":"easy","results":[{"turn":1,"actions":[{"action":"x"}],"evaluation":{"score":1}},{"turn":2,"actions":[]}]}`)
	lines, ok := New(Config{}).Lines(element, 7)
	if !ok || len(lines) != 2 {
		t.Fatalf("got %d lines, %v; want 2", len(lines), ok)
	}
	want := `{"id":"a_1#7/1","suite":"drawingbench","task_id":"a_1","index":7,"turn":1,"category":"c","difficulty":"easy","actions":[{"action":"x"}]}`
	if string(lines[0]) != want {
		t.Errorf("got %s; want %s", lines[0], want)
	}
	if _, ok := New(Config{}).Lines(fastjson.MustParse(`{"id":"i","response":"x"}`), -1); ok {
		t.Error("an item is no element of a published list")
	}
}

func TestRefer(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{`{"task_id":"a","index":3}`, "a#3"}, {`{"index":3}`, "#3"}, {`{"task_id":"a"}`, "a"}, {`{}`, "line:1"},
	} {
		if got := taskReference(fastjson.MustParse(c.item), "line:1"); got != c.want {
			t.Errorf("%s: got %q; want %q", c.item, got, c.want)
		}
	}
}

// TestTurn: the turn is that of the identity, which may stand in the member asked alone.
func TestTurn(t *testing.T) {
	for item, want := range map[string]float64{`{"actions":[]}`: 1, `{"actions":[],"turn":2}`: 2, `{"actions":[],"asked":{"turn":2}}`: 2} {
		r := result(t, item, nil)
		if got, _ := r.Float("turn"); got != want {
			t.Errorf("%s: got turn %g; want %g", item, got, want)
		}
	}
}
