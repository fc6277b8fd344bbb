package tangram

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/construction"
)

// rows is an assembly of our own: the seven pieces in one valid shape of area 8
// (docs/spec/tangram.md#r10), and its outline.
const (
	bigSquare = `[["0","0"],["2\\sqrt{2}","0"],["2\\sqrt{2}","2\\sqrt{2}"],["0","2\\sqrt{2}"]]`
	target    = `"target_outline":{"vertices":` + bigSquare + `}`
)

// square7 is the classical square of side 2 sqrt 2.
var square7 = []struct {
	id   string
	kind construction.Kind
	list string
}{
	{"T1", construction.Large, `["0","0"],["2\\sqrt{2}","0"],["\\sqrt{2}","\\sqrt{2}"]`},
	{"T2", construction.Large, `["0","0"],["\\sqrt{2}","\\sqrt{2}"],["0","2\\sqrt{2}"]`},
	{"T3", construction.Medium, `["2\\sqrt{2}","2\\sqrt{2}"],["\\sqrt{2}","2\\sqrt{2}"],["2\\sqrt{2}","\\sqrt{2}"]`},
	{"T4", construction.Small, `["2\\sqrt{2}","0"],["2\\sqrt{2}","\\sqrt{2}"],["\\frac{3\\sqrt{2}}{2}","\\frac{\\sqrt{2}}{2}"]`},
	{"T5", construction.Small, `["\\sqrt{2}","\\sqrt{2}"],["\\frac{3\\sqrt{2}}{2}","\\frac{3\\sqrt{2}}{2}"],["\\frac{\\sqrt{2}}{2}","\\frac{3\\sqrt{2}}{2}"]`},
	{"S1", construction.Square, `["\\sqrt{2}","\\sqrt{2}"],["\\frac{3\\sqrt{2}}{2}","\\frac{\\sqrt{2}}{2}"],["2\\sqrt{2}","\\sqrt{2}"],["\\frac{3\\sqrt{2}}{2}","\\frac{3\\sqrt{2}}{2}"]`},
	{"P1", construction.Parallelogram, `["0","2\\sqrt{2}"],["\\frac{\\sqrt{2}}{2}","\\frac{3\\sqrt{2}}{2}"],["\\frac{3\\sqrt{2}}{2}","\\frac{3\\sqrt{2}}{2}"],["\\sqrt{2}","2\\sqrt{2}"]`},
}

func whole() string {
	var list []string
	for _, p := range square7 {
		list = append(list, `{"id":"`+p.id+`","type":"`+string(p.kind)+`","vertices":[`+p.list+`]}`)
	}
	return `{"final_state":{"pieces":[` + strings.Join(list, ",") + `]}}`
}

func score(t *testing.T, item string, v scoring.Variants) scoring.Result {
	t.Helper()
	it := scoring.Item{ID: "i", Suite: suiteName, Fields: fastjson.MustParse(item)}
	it.Test = string(it.Fields.GetStringBytes("test"))
	j, err := New().Prepare(&it, v)
	if err != nil {
		t.Fatal(err)
	}
	return j.Score(nil)
}

func quoted(s string) string { return string(scoring.AppendString(nil, s)) }

func TestSolutions(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		variants     scoring.Variants
		score        float64
		status       string
		notes        string
	}{
		{"whole", whole(), nil, 1, "tce", ""},
		{"prose", "Sure:\n```json\n" + whole() + "\n```\nDone.", nil, 1, "tce", ""},
		{"decimals", strings.ReplaceAll(whole(), `"0"`, `"0.0"`), nil, 1, "tce", ""},
		{"nothing", "I cannot", nil, 0, "no_json", ""},
		{"six", strings.Replace(whole(), `{"id":"S1","type":"square",`, `{"id":"S1","type":"squares",`, 1), nil, 0, "malformed", "S1 has no known type"},
		{"moved", strings.Replace(whole(), `["0","0"],["2\\sqrt{2}","0"]`, `["0","-1"],["2\\sqrt{2}","0"]`, 1), nil, 0, "tce", "T1 is no large triangle"},
		{"iou", "I cannot", scoring.Variants{ScoreVariant: "iou"}, 0, "no_json", ""},
		{"unescaped", strings.ReplaceAll(whole(), `\\`, `\`), nil, 0, "no_json", ""},
		{"repaired", strings.ReplaceAll(whole(), `\\`, `\`), scoring.Variants{Repair: ""}, 1, "tce", ""},
	} {
		r := score(t, `{`+target+`,"response":`+quoted(c.answer)+`}`, c.variants)
		if !r.Scored || r.Score != c.score || r.Status != c.status {
			t.Errorf("%s: got %v %v %s; want %v %s", c.name, r.Scored, r.Score, r.Status, c.score, c.status)
		}
		found := c.notes == ""
		for _, n := range r.Notes {
			found = found || strings.HasPrefix(n.Message, c.notes)
		}
		if !found {
			t.Errorf("%s: got notes %v; want one that begins with %q", c.name, r.Notes, c.notes)
		}
	}
}

func TestOutlines(t *testing.T) {
	for _, c := range []struct {
		answer string
		score  float64
		status string
	}{{"Answer: B", 1, "letter"}, {"C", 0, "letter"}, {"no idea", 0, "invalid"}} {
		r := score(t, `{"test":"outline","answer":"B","response":`+quoted(c.answer)+`}`, nil)
		if !r.Scored || r.Score != c.score || r.Status != c.status {
			t.Errorf("%q: got %+v", c.answer, r)
		}
	}
}

func TestBadItems(t *testing.T) {
	for _, item := range []string{`{"response":""}`, `{"target_outline":{"vertices":[["0","0"]]},"response":""}`,
		`{"target_outline":{"vertices":[["0","0"],["1","1"],["1","0"],["0","1"]]},"response":""}`,
		`{"target_outline":{"vertices":[["0","0"],["x","1"],["1","0"]]},"response":""}`, `{"test":"outline","answer":"E","response":""}`, `{"test":"other"}`} {
		it := scoring.Item{Fields: fastjson.MustParse(item)}
		it.Test = string(it.Fields.GetStringBytes("test"))
		if _, err := New().Prepare(&it, nil); err == nil {
			t.Errorf("%s: got no error", item)
		}
	}
	if r := score(t, `{`+target+`}`, nil); r.Scored || r.Err.Code != "no_response" {
		t.Errorf("got %+v; want no_response", r)
	}
}
