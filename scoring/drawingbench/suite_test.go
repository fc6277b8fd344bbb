package drawingbench

import (
	"errors"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
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
	// The index of the element counts before the given one, and a line without any has none; turns count from 1.
	for text, want := range map[string]string{`{"id":"a","index":0,"results":[{}]}`: `{"id":"a#0/1","suite":"drawingbench","task_id":"a","index":0,"turn":1}`,
		`{"id":"a","results":[{},{}]}`: `{"id":"a/2","suite":"drawingbench","task_id":"a","turn":2}`, `{"id":"a","results":[{"turn":3},{"turn":0}]}`: `{"id":"a/2","suite":"drawingbench","task_id":"a","turn":2}`,
		`{"id":"a","results":[{"turn":3,"response":"x"}]}`: `{"id":"a/3","suite":"drawingbench","task_id":"a","turn":3,"response":"x"}`} {
		if lines, ok := New(Config{}).Lines(fastjson.MustParse(text), -1); !ok || string(lines[len(lines)-1]) != want {
			t.Errorf("%s: got %s, %v; want %s", text, lines, ok, want)
		}
	}
	if lines, _ := New(Config{}).Lines(fastjson.MustParse(`{"id":"a","results":[{}]}`), 0); len(lines) != 1 || !strings.Contains(string(lines[0]), `"a#0/1"`) {
		t.Errorf("the first task: got %s; want its index 0 in the id", lines)
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

// TestOwnAnswerLists checks which values are a list of actions (docs/spec/drawingbench.md#r14).
func TestOwnAnswerLists(t *testing.T) {
	for _, c := range []struct {
		member, value string
		want          bool
	}{
		{"actions", `[1]`, true}, {"response", `[1]`, false}, {"response", `[]`, true}, {"response", `[1,{"action":"x"}]`, true}, {"response", `[{"role":"user"}]`, false},
		{"response", `{"actions":[]}`, true}, {"response", `{"actions":{}}`, false}, {"actions", `{"x":[]}`, false}, {"actions", `"[]"`, false}, {"response", `null`, false},
	} {
		if got := New(Config{}).OwnAnswer(nil, c.member, fastjson.MustParse(c.value)); got != c.want {
			t.Errorf("%s %s: got %v; want %v", c.member, c.value, got, c.want)
		}
	}
}

// TestNames checks by which names lines refer to a task and an element names its own
// (docs/spec/drawingbench.md#r1), and what a line must have.
func TestNames(t *testing.T) {
	if keys, err := taskKeys(fastjson.MustParse(`{"id":"a"}`), 3); err != nil || strings.Join(keys, " ") != "a#3 #3 a" {
		t.Errorf("got the keys %q, %v", keys, err)
	}
	if _, err := taskKeys(fastjson.MustParse(`{"id":""}`), 3); err == nil {
		t.Error("a task without an id is taken")
	}
	for text, want := range map[string]string{`{"id":"a"}`: "a", `{"id":"a","index":3}`: "", `{"id":"a","index":"3"}`: "a"} {
		if got := elementKey(fastjson.MustParse(text)); got != want {
			t.Errorf("%s: got the key %q; want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{`{"response":"","criteria":null}`: true, `{"response":"","criteria":{}}`: true, `{"response":""}`: false} {
		it := scoring.Item{ID: "a", Suite: suiteName, Fields: fastjson.MustParse(text)}
		if err := New(Config{}).MissingMembers(&it); (err == nil) != want {
			t.Errorf("%s: got %v; want it complete: %v", text, err, want)
		}
	}
}

// TestReadingPlace checks which part of a response is marked as read: all of it where strict.
func TestReadingPlace(t *testing.T) {
	it := scoring.Item{Fields: fastjson.MustParse(`{"response":"so [{}] it is"}`)}
	for _, c := range []struct {
		v        scoring.Variants
		from, to int
	}{{nil, 3, 7}, {scoring.Variants{Input: "strict"}, 0, 13}, {scoring.Variants{Input: "extract"}, 3, 7}} {
		if from, to, ok := New(Config{}).Reading(&it, c.v); from != c.from || to != c.to || !ok {
			t.Errorf("%v: got %d to %d, %v; want %d to %d", c.v, from, to, ok, c.from, c.to)
		}
	}
}

// TestManyActions has both sides of the limit of actions (docs/spec/drawingbench.md#r15), and of what a
// report lists of them and marks in the picture.
func TestManyActions(t *testing.T) {
	for n, want := range map[int]string{5: "direct", 6: "limit"} {
		it := scoring.Item{Fields: fastjson.MustParse(`{"actions":[` + strings.TrimSuffix(strings.Repeat(`{"action":"moveTo","x":1,"y":1},`, n), ",") + `]}`)}
		j, err := New(Config{MaxActions: 5}).Prepare(&it, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := j.Score(nil); r.Status != want {
			t.Errorf("%d actions of 5: got %s; want %s", n, r.Status, want)
		}
	}
	for n, want := range map[int]string{maxListed: "", maxListed + 1: "and 1 more", maxListed + 7: "and 7 more"} {
		var r pyjson.Reader
		r.Reset("[" + strings.TrimSuffix(strings.Repeat(`{"action":"click"},`, n), ",") + "]")
		v, _ := r.All()
		text := listActions(&v)
		last := text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
		if strings.Count(text, "click") != min(n, maxListed) || strings.HasPrefix(last, "and") != (want != "") || want != "" && last != want {
			t.Errorf("%d actions: got %d listed and %q; want %q", n, strings.Count(text, "click"), last, want)
		}
	}
	for n, want := range map[int]int{maxMarked: maxMarked, maxMarked + 1: maxMarked} {
		list := make([]replay.Element, n)
		list[n-1].Painted.Changed = 1
		if marks, changed := markElements(list); len(marks) != want || changed != 1 || marks[0].Tone != scoring.Bad {
			t.Errorf("%d elements: got %d marks, %d changed; want %d, 1", n, len(marks), changed, want)
		}
	}
}

// TestCanvasTurns checks that the actions of answers add up, and what an answer without a list does
// to the canvas.
func TestCanvasTurns(t *testing.T) {
	for _, c := range []struct {
		variants scoring.Variants
		items    []string
		want     string // the answer in the end
		last     string // status, note and error of the last answer
	}{
		{nil, []string{`{"response":"so [{\"action\":\"undo\"}]"}`, `{"actions":[{"x":1},{"y":2}]}`}, `[{"action":"undo"},{"x":1},{"y":2}]`, "direct  "},
		{nil, []string{`{"response":"[{\"x\":1}]"}`, `{"response":"no"}`}, `[{"x":1}]`, "none no_actions "},
		{nil, []string{`{"response":null}`}, `[]`, "  no_response"},
		{scoring.Variants{Input: "strict"}, []string{`{"response":"so [{}]"}`}, `[]`, "crash release_crash "},
		{scoring.Variants{Input: "strict"}, []string{`{"response":"[{}]"}`}, `[{}]`, "strict  "},
		{nil, []string{`{"response":7}`}, `[]`, "direct no_actions "},
	} {
		canvas, err := New(Config{}).Canvas(nil, c.variants)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, text := range c.items {
			status, notes, err := canvas.Apply(&scoring.Item{Fields: fastjson.MustParse(text)})
			code, note := "", ""
			var e *scoring.Error
			if errors.As(err, &e) {
				code = e.Code
			}
			if len(notes) > 0 {
				note = notes[0].Code
			}
			got = status + " " + note + " " + code
		}
		if answer := string(canvas.AppendAnswer(nil)); answer != c.want || got != c.last {
			t.Errorf("%q: got %s, %q; want %s, %q", c.items, answer, got, c.want, c.last)
		}
	}
}
