package drawingbench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// Any text has a score, or an error that says why, within bounded time, by every
// profile; its line is JSON.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{pen, "", "[]", "[1]", "```\n" + pen + "\n```", `[{"action":"moveTo","x":NaN,"y":1e308},{"action":"mouseDown"}]`,
		`{"actions":[{"action":"click","x":35,"y":445},{"action":"mouseDown","x":1e200,"y":-1e200},{"action":"mouseUp","x":Infinity,"y":3}]}`,
		`[{"action":"click","x":35,"y":205},{"action":"click","x":500,"y":500},{"action":"undo"},{"action":"redo"}]`,
		`[{"action":["x"]},{"x":"a","y":[]},{"action":null,"x":10000000000000000000000,"y":true}]`, "[[[[[[[{{{{", "\ufeff[{}]"} {
		f.Add(s)
	}
	suite := New(Config{MaxPaint: 5_000_000})
	f.Fuzz(func(t *testing.T, text string) {
		item := string(scoring.AppendString([]byte(`{"response":`), text)) + `,"prompt":"a dot in the center","criteria":{"required_tools":["pen","circle","fly\"\n"],` +
			`"required_colors":["#000000","#FFFFFF"],"min_segments":2,"min_coverage":0.1,"position_constraint":{"type":"above"},"size_constraint":{"width":1,"height":1}}}`
		start := time.Now()
		for _, v := range []scoring.Variants{{}, {Input: "strict", WithPrompt: ""}, {Profile: "paper", PixelMetrics: ""}, {Profile: "pixels"}} {
			it := scoring.Item{ID: "f", Suite: suiteName, Fields: fastjson.MustParse(item)}
			j, err := suite.Prepare(&it, v)
			if err != nil {
				if _, ok := err.(*scoring.Error); !ok {
					t.Fatalf("%v: %v", v, err)
				}
				continue
			}
			r := j.Score(nil)
			if !r.Scored || r.Score < 0 || r.Score > 1 {
				t.Fatalf("%v: got %+v", v, r)
			}
			if line := r.AppendJSON(nil, scoring.Clamp01, ""); !json.Valid(line) {
				t.Fatalf("%v: no JSON: %s", v, line)
			}
			j.(scoring.Shower).Show(&r)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("took %v for %d bytes", took, len(text))
		}
	})
}

// hostile are numbers as an answer may write them.
var hostile = []string{"0", "35", "45", "445", "90", "70", "1090", "770", "89.5", "1e3", "1e9", "-1e9", "1e308", "-1e308", "NaN", "Infinity", "-Infinity",
	"123456789012345678901234567890", "0.1", "500", "350", "\"7\"", "null", "true", "1e-300", "205", "365", "285", "125", "525", "405", "25", "429"}

// The same for lists of actions, made of the fuzzer's bytes, which reach deeper.
func FuzzActions(f *testing.F) {
	f.Add([]byte{1, 1, 3, 0, 19, 20, 2, 9, 10, 3, 13, 14})
	f.Add([]byte{1, 1, 26, 2, 19, 20, 3, 15, 16, 4, 0, 0, 5, 0, 0})
	suite := New(Config{MaxPaint: 5_000_000})
	names := []string{"moveTo", "click", "mouseDown", "mouseUp", "undo", "redo", "other"}
	f.Fuzz(func(t *testing.T, b []byte) {
		actions := []byte("[")
		for i := 0; i+2 < len(b) && i < 3000; i += 3 {
			if i > 0 {
				actions = append(actions, ',')
			}
			actions = fmt.Appendf(actions, `{"action":%q`, names[int(b[i])%len(names)])
			if b[i] < 128 {
				actions = fmt.Appendf(actions, `,"x":%s`, hostile[int(b[i+1])%len(hostile)])
			}
			if b[i] < 192 {
				actions = fmt.Appendf(actions, `,"y":%s`, hostile[int(b[i+2])%len(hostile)])
			}
			actions = append(actions, '}')
		}
		item := scoring.AppendString([]byte(`{"response":`), string(append(actions, ']')))
		it := scoring.Item{ID: "f", Suite: suiteName, Fields: fastjson.MustParse(string(item) + `}`)}
		j, err := suite.Prepare(&it, scoring.Variants{Profile: "pixels", PixelMetrics: ""})
		if err != nil {
			return // the limit, which is tested by itself
		}
		if r := j.Score(nil); !r.Scored || !json.Valid(r.AppendJSON(nil, scoring.Clamp01, "")) {
			t.Fatalf("got %+v for %s", r, actions)
		}
	})
}

// The largest answers cost bounded time: a search through nothing but openings, a
// hundred thousand errors, lines across the universe.
func TestLargeAnswers(t *testing.T) {
	repeat := func(s string, n int) string {
		b := make([]byte, 0, n*len(s))
		for range n {
			b = append(b, s...)
		}
		return string(b)
	}
	wide := `{"action":"click","x":35,"y":285},` + repeat(`{"action":"mouseDown","x":-1e15,"y":-1e15},{"action":"mouseUp","x":1e15,"y":1e15},`, 20_000)
	for name, text := range map[string]string{
		"openings": repeat("[", 1<<20), "objects": repeat(`[{"a":`, 1<<18), "fences": repeat("```\n[\n```\n", 1<<17),
		"errors": "[" + repeat(`{"x":-1,"y":-1},`, 99_999) + `{}]`, "lines": "[" + wide[:len(wide)-1] + "]",
	} {
		it := scoring.Item{Fields: fastjson.MustParse(string(scoring.AppendString([]byte(`{"response":`), text)) + "}")}
		j, err := New(Config{}).Prepare(&it, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r := j.Score(nil); !r.Scored || r.Score != 0 && name != "lines" {
			t.Errorf("%s: got %v, %s", name, r.Score, r.Status)
		}
	}
	it := scoring.Item{Fields: fastjson.MustParse(`{"actions":[` + repeat(`{},`, 100_000) + `{}]}`)}
	j, err := New(Config{}).Prepare(&it, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := j.Score(nil); !r.Scored || r.Score != 0 || r.Status != "limit" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Message, scoring.FlagActions) {
		t.Errorf("more actions than the limit: got %v %v %s %v; want 0 with a note", r.Scored, r.Score, r.Status, r.Notes)
	}
}
