package published

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plumb/scoring/drawingbench/parse"
	"plumb/scoring/pyjson"
	"plumb/testdata"
)

// recorded is a turn of the published results.
type recorded struct {
	Turn         int             `json:"turn"`
	Actions      json.RawMessage `json:"actions"`
	Evaluation   json.RawMessage `json:"evaluation"`
	Feedback     json.RawMessage `json:"feedback"`
	FeedbackText string          `json:"feedback_text"`
	Release      json.RawMessage `json:"expected_release"`
	WithPrompt   json.RawMessage `json:"expected_release_with_prompt"`
	Published    string          `json:"expected_release_feedback"`
}

type task struct {
	ID      string     `json:"id"`
	Index   int        `json:"index"`
	Results []recorded `json:"results"`
}

// parsed reads JSON that stays valid.
func parsed(t testing.TB, b []byte) *pyjson.Value {
	t.Helper()
	r := new(pyjson.Reader)
	r.Reset(string(b))
	v, err := r.All()
	if err != nil {
		t.Fatalf("%.60s: %v", b, err)
	}
	return &v
}

func criteria(t testing.TB, b []byte) *Criteria {
	t.Helper()
	c, err := ReadCriteria(parsed(t, b))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tasks returns the criteria and prompts of the dataset, by index.
func tasks(t testing.TB) (with, without []*Criteria) {
	t.Helper()
	var d struct {
		Prompts []struct {
			Prompt   string                     `json:"prompt"`
			Criteria map[string]json.RawMessage `json:"criteria"`
		} `json:"prompts"`
	}
	testdata.JSON(t, "drawingbench/dataset.json", &d)
	for _, p := range d.Prompts {
		raw, _ := json.Marshal(p.Criteria)
		without = append(without, criteria(t, raw))
		p.Criteria["prompt"], _ = json.Marshal(p.Prompt)
		raw, _ = json.Marshal(p.Criteria)
		with = append(with, criteria(t, raw))
	}
	return with, without
}

func results(t testing.TB) []task {
	t.Helper()
	var all []task
	testdata.JSON(t, "drawingbench/results-dev.json", &all)
	return all
}

// same compares JSON values: sets of colours without order
// (docs/spec/drawingbench.md#r38), spatial accuracy within 1e-12
// (docs/spec/drawingbench.md#r42), all else exactly.
func same(t *testing.T, where string, got, want []byte) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Errorf("%s: not JSON: %v: %s", where, err, got)
		return
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	normal(g)
	normal(w)
	if !reflect.DeepEqual(g, w) {
		g, _ := json.MarshalIndent(g, "", " ")
		w, _ := json.MarshalIndent(w, "", " ")
		t.Errorf("%s: got\n%s\nwant\n%s", where, g, w)
	}
}

func normal(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if list, ok := x.([]any); ok && (k == "colors_exact_used" || k == "colors_missing") {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			}
			if f, ok := x.(float64); ok && (k == "spatial_accuracy" || k == "accuracy") {
				v[k] = math.Round(f*1e12) / 1e12
			}
			if s, ok := x.(string); ok && k == "message" {
				v[k] = sorted(s)
			}
			normal(x)
		}
	case []any:
		for _, x := range v {
			normal(x)
		}
	}
}

var colourLists = regexp.MustCompile(`(Colors used: |Missing colors: )([^.]*)\.`)

// sorted puts the colours of a message, which come from sets, in order.
func sorted(s string) string {
	return colourLists.ReplaceAllStringFunc(s, func(m string) string {
		p := colourLists.FindStringSubmatch(m)
		names := strings.Split(p[2], ", ")
		slices.Sort(names)
		return p[1] + strings.Join(names, ", ") + "."
	})
}

func TestRecorded(t *testing.T) {
	with, without := tasks(t)
	var e Evaluator
	turns := 0
	for _, task := range results(t) {
		for _, r := range task.Results {
			turns++
			where := task.ID + " turn " + string(rune('0'+r.Turn))
			v := parsed(t, r.Actions)
			got := e.Evaluate(v, without[task.Index])
			json := got.AppendJSON(nil)
			same(t, where+" release", json, r.Release)
			same(t, where+" recorded", json, r.Evaluation)
			f := got.Feedback()
			same(t, where+" feedback", f.AppendJSON(nil), r.Feedback)
			if g, w := sorted(f.Text()), sorted(r.FeedbackText); g != w {
				t.Errorf("%s: feedback text: got\n%s\nwant\n%s", where, g, w)
			}
			if g := got.publishedText(); g != r.Published {
				t.Errorf("%s: published text: got\n%s\nwant\n%s", where, g, r.Published)
			}
			other := e.Evaluate(v, with[task.Index])
			same(t, where+" with prompt", other.AppendJSON(nil), r.WithPrompt)
		}
	}
	if turns == 0 {
		t.Fatal("no turns")
	}
	t.Logf("%d turns", turns)
}

// outcome is an evaluation or the crash, as the files have it.
func outcome(e *Evaluation) []byte {
	if e.Crash != "" {
		return []byte(`{"crash":"` + string(e.Crash) + `"}`)
	}
	return e.AppendJSON(nil)
}

func TestFuzzCases(t *testing.T) {
	type example struct {
		ID       string          `json:"id"`
		Actions  json.RawMessage `json:"actions"`
		Criteria json.RawMessage `json:"criteria"`
		Expected json.RawMessage `json:"expected"`
	}
	var e Evaluator
	testdata.Each(t, "drawingbench/fuzz-dev.jsonl", func(c *example) {
		got := e.Evaluate(parsed(t, c.Actions), criteria(t, c.Criteria))
		same(t, c.ID, outcome(&got), c.Expected)
	})
}

func TestMessyCases(t *testing.T) {
	type example struct {
		ID         string          `json:"id"`
		Raw        string          `json:"raw"`
		Criteria   json.RawMessage `json:"criteria"`
		Strict     json.RawMessage `json:"expected_strict"`
		Extraction string          `json:"extraction"`
		Extracted  json.RawMessage `json:"expected_extracted"`
	}
	var e Evaluator
	testdata.Each(t, "drawingbench/messy-dev.jsonl", func(c *example) {
		demand := criteria(t, c.Criteria)
		var r pyjson.Reader
		v, how, _ := parse.Extract(&r, c.Raw)
		if string(how) != c.Extraction {
			t.Errorf("%s: read as %s; want %s", c.ID, how, c.Extraction)
		}
		got := e.Evaluate(&v, demand)
		same(t, c.ID+" extracted", outcome(&got), c.Extracted)
		r.Reset(c.Raw)
		v, err := r.All()
		if err != nil {
			same(t, c.ID+" strict", []byte(`{"crash":"`+string(err.(pyjson.Exception))+`"}`), c.Strict)
			return
		}
		got = e.Evaluate(&v, demand)
		same(t, c.ID+" strict", outcome(&got), c.Strict)
	})
}

func BenchmarkEvaluate(b *testing.B) {
	_, without := tasks(b)
	type turn struct {
		text string
		c    *Criteria
	}
	var turns []turn
	for _, task := range results(b) {
		for _, r := range task.Results {
			turns = append(turns, turn{string(r.Actions), without[task.Index]})
		}
	}
	var e Evaluator
	var r pyjson.Reader
	var out []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		t := turns[i%len(turns)]
		v, _, _ := parse.Extract(&r, t.text)
		got := e.Evaluate(&v, t.c)
		out = got.AppendJSON(out[:0])
	}
}
