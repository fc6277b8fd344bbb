package scoring

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

func whoOf(t *testing.T, line, repeat string) (Identity, error) {
	t.Helper()
	v := fastjson.MustParse(line)
	who, err := ReadIdentity(v, repeat)
	if err == nil {
		err = who.ReadSource(v)
	}
	return who, err
}

// TestIdentityOrder reads who made an answer and writes it after the test, in its order.
func TestIdentityOrder(t *testing.T) {
	for _, c := range []struct{ line, repeat, want string }{
		{`{}`, "", ``},
		{`{"model":null,"repeat":null,"cut":false,"asked":null}`, "run", ``},
		{`{"cut":"answer","turn":2,"repeat":3,"finish_reason":"length","model":"M"}`, "",
			`,"model":"M","repeat":3,"turn":2,"finish_reason":"length","cut":"answer"`},
		{`{"run":3,"model":"M"}`, "run", `,"model":"M","repeat":3`},
		{`{"run":3.0,"repeat":3}`, "run", `,"repeat":3`},
		{`{"run":"x"}`, "", ``}, // of another suite
		{`{"key":"k","at":7,"file":"f","model":"M"}`, "", `,"model":"M","file":"f","at":"7","key":"k"`},
		{`{"asked":{"model":"M","mode":"cot","repeat":2,"turn":1,"config":"9f","seconds":6.20}}`, "",
			`,"model":"M","repeat":2,"turn":1|,"asked":{"model":"M","mode":"cot","repeat":2,"turn":1,"config":"9f","seconds":6.20}`},
		{`{"asked":{"note":"<\u0007\udb40\udc67>"}}`, "", "|,\"asked\":{\"note\":\"<\\u0007\U000e0067>\"}"},
	} {
		who, err := whoOf(t, c.line, c.repeat)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		head, tail, _ := strings.Cut(c.want, "|")
		r := Result{ID: "i", Suite: "s", Test: "t", Who: who, Scored: true, Backend: "cpu"}
		want := `{"id":"i","suite":"s","test":"t"` + head + `,"score":0.0,"reward":0.0,"metrics":{},"notes":[],"backend":"cpu","scorer":"p"` + tail + `}`
		got := r.AppendJSON(nil, Clamp01, "p")
		if string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.line, got, want)
		}
		if back, err := ReadResult(fastjson.MustParseBytes(got)); err != nil || string(back.AppendJSON(nil, Clamp01, "p")) != want {
			t.Errorf("%s: it is read back as %+v", c.line, back.Who)
		}
	}
}

func TestIdentityRefused(t *testing.T) {
	for line, want := range map[string]string{
		`{"model":7}`:                         `cannot use model: got 7; want a string`,
		`{"repeat":0}`:                        `cannot use repeat: got 0; want an integer from 1`,
		`{"repeat":1.5}`:                      `cannot use repeat: got 1.5; want an integer from 1`,
		`{"turn":"2"}`:                        `cannot use turn: got "2"; want an integer from 1`,
		`{"run":-1}`:                          `cannot use run: got -1; want an integer from 1`,
		`{"run":2,"repeat":3}`:                `cannot use repeat: got 3, but run is 2; want the same`,
		`{"cut":"some"}`:                      `cannot use cut: got "some"; want false or one of answer, thought, limit, cell`,
		`{"asked":"M"}`:                       `cannot use asked: got "M"; want an object`,
		`{"model":"A","asked":{"model":"B"}}`: `cannot use model: got A, but asked.model is B; want the same`,
		`{"asked":{"mode":["cot"]}}`:          `cannot use asked.mode: got ["cot"]; want a string`,
		`{"key":5}`:                           `cannot use key: got 5; want a string`,
		`{"finish_reason":{"x":1}}`:           `cannot use finish_reason: got {"x":1}; want a string`,
		`{"model":"` + strings.Repeat("m", 2000) + `"}`:        `cannot use model: it has 2000 bytes; want at most 1024`,
		`{"asked":{"x":"` + strings.Repeat("m", 70000) + `"}}`: `cannot use asked: it has 70008 bytes; want at most 65536`,
	} {
		if _, err := whoOf(t, line, "run"); err == nil || err.Error() != want {
			t.Errorf("%.60s: got %v; want %s", line, err, want)
		}
	}
}

// TestSameAnswer: answers differ by the model, the repeat, the turn and the settings,
// and never by members that are absent.
func TestSameAnswer(t *testing.T) {
	key := func(line string) string {
		v := fastjson.MustParse(line)
		who, err := ReadIdentity(v, "")
		if err != nil {
			t.Fatal(err)
		}
		r := Result{ID: stringMember(v, "id"), Suite: stringMember(v, "suite"), Test: stringMember(v, "test"), Who: who}
		k, ok := r.Answer(nil)
		if !ok {
			return ""
		}
		return string(k)
	}
	first := key(`{"id":"a","test":"maze","model":"M"}`)
	for _, same := range []string{`{"id":"a","test":"maze","model":"M","repeat":1}`, `{"id":"a","test":"maze","asked":{"model":"M","cost":1}}`,
		`{"id":"a","test":"maze","model":"M","finish_reason":"stop","response":"other"}`} {
		if key(same) != first {
			t.Errorf("%s is told apart; want the same answer", same)
		}
	}
	for _, other := range []string{`{"id":"a","test":"maze","model":"N"}`, `{"id":"a","test":"maze"}`, `{"id":"b","test":"maze","model":"M"}`,
		`{"id":"a","test":"graph","model":"M"}`, `{"id":"a","test":"maze","model":"M","repeat":2}`, `{"id":"a","test":"maze","model":"M","turn":2}`,
		`{"id":"a","test":"maze","model":"M","asked":{"config":"9f"}}`, `{"id":"a","test":"maze","model":"M","asked":{"mode":"cot"}}`, `{"id":"a","suite":"tangram","test":"maze","model":"M"}`} {
		if k := key(other); k == first || k == "" {
			t.Errorf("%s is the same answer; want another", other)
		}
	}
	if key(`{"id":"line:3","test":"maze"}`) != "" {
		t.Error("a line without an id is like another; want it to be like none")
	}
	if got := (Series{"M", "cot/minimal"}).String(); got != "M · cot/minimal" {
		t.Errorf("got %q", got)
	}
}

// Results of earlier versions name the model and the run among their metrics.
func TestIdentityOfOldResults(t *testing.T) {
	r, _ := ReadResult(fastjson.MustParse(`{"id":"a","suite":"spatialab","test":"mcq","score":1.0,"reward":1.0,"metrics":{"model":"M","run":2},"notes":[]}`))
	if r.Who.Model != "M" || r.Who.Repeat != 2 || r.Series() != (Series{Model: "M"}) {
		t.Errorf("got %+v", r.Who)
	}
}

// The way to ask is a part of the series; a table that has rows for a part of it
// leaves that out.
func TestSeriesOfAsked(t *testing.T) {
	who, err := whoOf(t, `{"asked":{"model":"M","mode":"cot","input":"full","setting":null,"format":"mcq"}}`, "")
	if err != nil || who.Series().String() != "M · cot/full/mcq" || who.Series("format").String() != "M · cot/full" {
		t.Errorf("got %v, %v; want the mode, the input and the format", who.Series(), err)
	}
	for s, want := range map[Series]string{{}: "", {Model: "cot"}: "cot", {Arm: "cot"}: "no model · cot"} {
		if s.String() != want {
			t.Errorf("%+v has the name %q; want %q", s, s, want)
		}
	}
	r := Result{Who: who, Metrics: []Metric{{"blind", true}}}
	if got := r.Series().String(); got != "M · cot/full/mcq/blind" {
		t.Errorf("got %s; want the answers without the picture apart", got)
	}
}
