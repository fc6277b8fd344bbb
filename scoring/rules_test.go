package scoring

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/render/scene"
)

// Pairs of numbers are points; lists of another length are not.
func TestPoints(t *testing.T) {
	r := Result{Metrics: []Metric{{"p", []float64{1, 2}}, {"one", []float64{1}}, {"three", []float64{1, 2, 3}},
		{"list", [][]float64{{1, 2}, {3}, {4, 5, 6}, {7, 8}}}}}
	if p, ok := r.Point("p"); !ok || p != (scene.Point{X: 1, Y: 2}) {
		t.Errorf("got %v, %v; want 1, 2", p, ok)
	}
	for _, name := range []string{"one", "three", "none"} {
		if p, ok := r.Point(name); ok {
			t.Errorf("%s: got %v; want no point", name, p)
		}
	}
	if got := r.Points("list"); !slices.Equal(got, []scene.Point{{X: 1, Y: 2}, {X: 7, Y: 8}}) {
		t.Errorf("got %v; want the two pairs", got)
	}
}

// One error names all members that an item lacks, with the code of the first. The answer is
// named among them, and its absence alone is none.
func TestLacking(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{`{}`, "c1: cannot score item: it lacks a (first), b (second), response (the model's answer); from tasks"},
		{`{"a":null,"b":1,"response":"x"}`, "c1: cannot score item: it lacks a (first); from tasks"},
		{`{"a":1,"b":null,"response":null}`, "c2: cannot score item: it lacks b (second), response (the model's answer); from tasks"},
		{`{"a":1,"actions":null}`, "c2: cannot score item: it lacks b (second); from tasks"},
		{`{"a":0,"b":""}`, ""},
	} {
		l := LackingIn(&Item{Fields: fastjson.MustParse(c.item)})
		l.AddIfAbsent("a", "first", "c1")
		l.AddIfAbsent("b", "second", "c2")
		got := ""
		if err := l.Err("from tasks"); err != nil {
			var e *Error
			errors.As(err, &e)
			got = e.Code + ": " + e.Message
		}
		if got != c.want {
			t.Errorf("%s: got %q; want %q", c.item, got, c.want)
		}
	}
}

// counted is a table that counts its results.
type counted struct{ n int }

func (c *counted) Add(*Result)         { c.n++ }
func (c *counted) Tables() []TextTable { return []TextTable{{Title: fmt.Sprint("n=", c.n)}} }

// tableless counts nothing and has no table.
type tableless struct{}

func (tableless) Add(*Result)         {}
func (tableless) Tables() []TextTable { return nil }

// Where no series has a table, results that are left out have no note to stand in.
func TestPerSeriesWithoutTables(t *testing.T) {
	p := NewPerSeries(func() tableless { return tableless{} }, func([]string, []tableless) []TextTable { return nil })
	for i := range maxSeries + 1 {
		p.Add(&Result{Who: Identity{Model: fmt.Sprint("m", i)}})
	}
	if list := p.Tables(); len(list) > 0 {
		t.Errorf("got %d tables; want none", len(list))
	}
}

// Each series has tables of its own, named after it where there are several, behind those
// that cover all. Results of series beyond the limit are in no table, and a note counts them.
func TestPerSeries(t *testing.T) {
	titles := func(models ...string) (joined, note string) {
		p := NewPerSeries(func() *counted { return &counted{} }, func(names []string, all []*counted) []TextTable {
			return []TextTable{{Title: strings.Join(names, "+") + fmt.Sprint("/", len(all))}}
		})
		for _, m := range models {
			p.Add(&Result{Who: Identity{Model: m}})
		}
		var list []string
		for _, t := range p.Tables() {
			list = append(list, t.Title)
			note += t.Note
		}
		return strings.Join(list, ", "), note
	}
	for want, models := range map[string][]string{
		"": nil, "A/1, n=2": {"A", "A"}, "no model/1, n=1": {""}, "A+B/2, n=2 · A, n=1 · B": {"A", "B", "A"},
	} {
		if got, note := titles(models...); got != want || note != "" {
			t.Errorf("%q: got %q with the note %q; want %q without", models, got, note, want)
		}
	}
	var many []string
	for i := range maxSeries + 1 {
		many = append(many, fmt.Sprint("m", i))
	}
	got, note := titles(append(many, "m0")...)
	if !strings.Contains(got, fmt.Sprintf("/%d, n=2 · m0", maxSeries)) || strings.Contains(got, fmt.Sprint("m", maxSeries)) {
		t.Errorf("got %.90q...; want %d series, and the results of the first", got, maxSeries)
	}
	if !strings.HasPrefix(note, "1 result of further series is in no table") || strings.Contains(note, "\n") {
		t.Errorf("got the note %q; want one line that counts the result of the last series", note)
	}
}

// Pixel metrics without a value are null, and the reason is told where it is asked for.
func TestAppendStats(t *testing.T) {
	full := metric.Stats{Sums: metric.Sums{Alpha: 510, AlphaX: 510, AlphaY: 0, Covered: 2}, Opaque: 2, Box: image.Rect(0, 0, 3, 1)}
	faint := metric.Stats{Sums: metric.Sums{Alpha: 4}}
	for _, c := range []struct {
		s           metric.Stats
		want, nulls string
	}{
		{full, `"alpha_sum":510.0,"covered_pixels":2,"opaque_pixels":2,"center_of_mass":[1.5,0.5],"bbox":[0,0,3,1]`, ""},
		{faint, `"alpha_sum":4.0,"covered_pixels":0,"opaque_pixels":0,"center_of_mass":[0.5,0.5],"bbox":null`, "bbox covers no pixel;"},
		{metric.Stats{}, `"alpha_sum":0.0,"covered_pixels":0,"opaque_pixels":0,"center_of_mass":null,"bbox":null`, "center_of_mass has no alpha;bbox covers no pixel;"},
	} {
		nulls := ""
		got := string(AppendStats(nil, c.s, func(name, why string) { nulls += name + " " + why + ";" }))
		if got != c.want || nulls != c.nulls || string(AppendStats(nil, c.s, nil)) != c.want {
			t.Errorf("got %s and %q; want %s and %q", got, nulls, c.want, c.nulls)
		}
	}
}

// Only a line that plumb score wrote is a result line; the error says what another one is.
func TestCheckResult(t *testing.T) {
	for line, want := range map[string]string{
		`[]`:                         "got array; want an object",
		`{"score":1,"response":"x"}`: "it has the member response, so it is a line of a dump",
		`{"score":1,"actions":[]}`:   "it has the member actions",
		`{"id":"a"}`:                 "it has no member score",
		`{"score":"1"}`:              `cannot use score: got "1"`,
		`{"score":true}`:             "cannot use score: got true",
		`{"score":1,"id":7}`:         "cannot use id: got 7; want a string",
		`{"score":1,"status":{}}`:    "cannot use status: got {}",
		`{"score":1,"model":7}`:      "cannot read result line: cannot use model",
		`{"score":1}`:                "",
		`{"score":null,"id":null}`:   "",
		`{"score":0.5,"id":"a","test":"t","suite":"s","status":"ok"}`: "",
	} {
		r, err := CheckResult(fastjson.MustParse(line))
		if want == "" && (err != nil || r == nil) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, %v; want %q", line, r, err, want)
		}
	}
}

// Suites are sorted and found by name; a variant that several share is listed once.
func TestSuites(t *testing.T) {
	shared := Variant{Name: "x.shared"}
	l := NewSuites(&Suite{Name: "b", Variants: []Variant{shared, {Name: "b.own"}}}, &Suite{Name: "a", Variants: []Variant{shared}}, &Suite{Name: "c"})
	if got := l.Names(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %q; want them sorted", got)
	}
	for _, name := range l.Names() {
		if s := l.Find(name); s == nil || s.Name != name {
			t.Errorf("%s: got %v", name, s)
		}
	}
	if s := l.Find("d"); s != nil {
		t.Errorf("got %v; want nil for a name that no suite has", s.Name)
	}
	var names []string
	for _, v := range l.Variants() {
		names = append(names, v.Name)
	}
	if !slices.Equal(names, []string{"x.shared", "b.own"}) {
		t.Errorf("got %q; want each variant once", names)
	}
}

func TestFormatCell(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		want     string
	}{{1.25, 1, "1.2"}, {1.5, 3, "1.500"}, {-2, 0, "-2"}, {math.Copysign(0, -1), 1, "0.0"}, {math.NaN(), 1, "-"}, {math.Inf(1), 1, "-"}, {math.Inf(-1), 1, "-"}} {
		if got := FormatCell(c.x, c.decimals); got != c.want {
			t.Errorf("%v with %d decimals: got %s; want %s", c.x, c.decimals, got, c.want)
		}
	}
}

// A tally counts how answers ended and adds up what they took. What asked says in another
// type, below 0 or from 1e15 on is not known.
func TestTally(t *testing.T) {
	asked := func(s string) *Asked { return &Asked{usage: readUsage(fastjson.MustParse(s))} }
	a := asked(`{"outcome":"filtered","finish":"length","usage":{"prompt":10,"completion":0,"reasoning":5},"cost":0,"seconds":1.5}`)
	b := asked(`{"finish":"stop","usage":{"prompt":1,"completion":2,"reasoning":"3"},"cost":0.25}`)
	c := asked(`{"usage":{"completion":-1},"cost":1e15,"seconds":"2"}`)
	d := asked(`{"usage":null,"cost":999999999999999}`)
	for name, got := range map[string]func() (float64, bool){"completion": a.CompletionTokens, "prompt": a.PromptTokens, "cost": a.Cost, "seconds": a.Seconds} {
		want := map[string]float64{"completion": 0, "prompt": 10, "cost": 0, "seconds": 1.5}[name]
		if x, ok := got(); !ok || x != want {
			t.Errorf("%s: got %v, %v; want %v", name, x, ok, want)
		}
	}
	promptAlone, completionAlone := asked(`{"usage":{"prompt":210}}`), asked(`{"usage":{"completion":60}}`)
	if x, ok := promptAlone.PromptTokens(); !ok || x != 210 {
		t.Errorf("prompt tokens alone: got %v, %v; want 210", x, ok)
	}
	for name, got := range map[string]func() (float64, bool){"prompt of completion alone": completionAlone.PromptTokens, "completion of prompt alone": promptAlone.CompletionTokens, "completion": c.CompletionTokens, "cost": c.Cost, "seconds": c.Seconds, "seconds of b": b.Seconds, "completion of d": d.CompletionTokens} {
		if x, ok := got(); ok {
			t.Errorf("%s: got %v; want it unknown", name, x)
		}
	}
	if x, ok := d.Cost(); !ok || x != 999999999999999 {
		t.Errorf("got a cost of %v, %v; want 999999999999999", x, ok)
	}
	var sum Tally
	sum.Add(&Result{Scored: true, Who: Identity{Asked: a}})
	sum.Add(&Result{Scored: true, Who: Identity{Asked: b, Cut: "answer"}})
	sum.Add(&Result{Err: &Error{Code: "no_response"}, Who: Identity{Asked: d}})
	sum.Add(&Result{Err: &Error{Code: "bad_item"}})
	sum.Add(&Result{Err: &Error{Code: "bad_line"}})
	sum.Add(&Result{Scored: true, Who: Identity{Asked: asked(`{"finish":"stop"}`)}})
	sum.Add(&Result{Scored: true, Who: Identity{Asked: asked(`{}`)}})
	sum.Add(&Result{})
	sum.Add(&Result{Scored: true, Who: Identity{Asked: c}}) // its numbers are not known, so they are not added
	want := Tally{N: 9, Missing: 1, Failed: 3, Filtered: 1, Cut: 2, Asked: 6, Prompt: 11, Completion: 2, Reasoning: 5, Cost: 0.25 + 999999999999999, Seconds: 1.5, Priced: 3}
	if sum != want {
		t.Errorf("got %+v; want %+v", sum, want)
	}
	if got := strings.Join(sum.Cells(), " "); got != "9 1 3 1 2" || len(TallyColumns()) != len(sum.Cells()) {
		t.Errorf("got the cells %s; want 9 1 3 1 2", got)
	}
}

// The largest word, count and asked that is taken.
func TestIdentityLimits(t *testing.T) {
	padded := func(n int) string { return `{"asked":{"x":"` + strings.Repeat("m", n-len(`{"x":""}`)) + `"}}` }
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{`{"model":"` + strings.Repeat("m", maxWord) + `"}`, true}, {`{"model":"` + strings.Repeat("m", maxWord+1) + `"}`, false},
		{`{"repeat":2147483648}`, true}, {`{"repeat":2147483649}`, false}, {padded(maxAsked), true}, {padded(maxAsked + 1), false},
	} {
		if _, err := whoOf(t, c.line, ""); (err == nil) != c.ok {
			t.Errorf("%.40s of %d bytes: got %v; want it taken: %v", c.line, len(c.line), err, c.ok)
		}
	}
}
