package aspire

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/scoring"
)

// fuzzItems is one item of each test, without its response.
var fuzzItems = []string{
	`"test":"maze","shapes":[],"task":` + mazeTask,
	`"test":"graph","shapes":` + nodes("012") + `,"task":{"neighbours":["shape:node-1"]}`,
	`"test":"pattern","shapes":` + threeShapes + `,"task":{"outlier":"shape:s1"}`,
	`"test":"label","shapes":` + twoBoxes + `,"task":{"shape":"shape:a"}`,
	`"test":"line","shapes":` + twoBoxes + `,"task":` + ends,
	`"test":"arrow","shapes":` + arrow90 + `,"task":` + arrowTask,
	`"test":"overlap","shapes":` + stack + `,"task":{"reference":"shape:r2","direction":"behind"}`,
	`"test":"balance","shapes":` + twoBoxes + `,"task":{}`,
}

// FuzzAnswer: whatever a model answers, every test gives a result that is JSON
// with a finite score, or says why it has none, and gives it again.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"", "```json\n{\"createShapes\":[{\"type\":\"star\",\"color\":\"red\",\"x\":1+2}]}\n```",
		`{"createShapes":[{"type":"line","points":[[0,0],[1e308,5]]},{"type":"text","text":"a\nb","scale":9}],"deleteShapes":["a"]}`,
		`{"updateShapes":[{"id":"a","text":"x","rotation":"pi"},{"id":"r1","props":{"richText":{"type":"doc","content":[]}}}]}`,
		`{"rotation":-1e300,"shape":"blue-arrow"}`, `{"createShapes":[{"type":"arrow","bend":1e300,"start":{"x":1,"y":2}},{"type":"draw","segments":[{"points":[[1,1]]}]}]}`,
		`{"createShapes":[{"type":"group"},{"type":"frame","w":1e300},{"type":"note","text":"n"},{"type":"highlight","segments":[]}]}`,
	} {
		f.Add(s, uint16(0))
		f.Add(s, uint16(0xffff))
	}
	suite := New(Config{})
	names := suite.Variants
	f.Fuzz(func(t *testing.T, response string, chosen uint16) {
		v := scoring.Variants{}
		for i, n := range names {
			if n.Refused == "" && chosen>>(i%16)&1 == 1 {
				v[n.Name] = ""
			}
		}
		for i, item := range fuzzItems {
			line := `{"id":"` + strconv.Itoa(i) + `",` + item + `,"response":` + string(scoring.AppendString(nil, response)) + `}`
			first := fuzzOnce(t, suite, line, v)
			if again := fuzzOnce(t, suite, line, v); again != first {
				t.Fatalf("two readings of %q differ:\n%s\n%s", response, first, again)
			}
		}
	})
}

// fuzzOnce scores an item and returns the result as JSON.
func fuzzOnce(t *testing.T, s *scoring.Suite, line string, v scoring.Variants) string {
	j, err := s.Prepare(itemOf(t, []byte(line)), v)
	if err != nil {
		t.Fatalf("a bad answer is an error: %v\n%s", err, line)
	}
	for _, view := range j.Views() {
		if b := view.Bounds; view.Content == nil && !(b.W >= 1 && b.H >= 1 && b.W*b.H <= 64<<20) || b.X-b.X != 0 || b.Y-b.Y != 0 {
			t.Fatalf("picture of %+v", b)
		}
	}
	r := j.Score(make([]metric.Tally, len(j.Views())))
	if r.Scored == (r.Err != nil) || r.Scored && (math.IsNaN(r.Score) || math.IsInf(r.Score, 0)) {
		t.Fatalf("score %v, scored %v, error %v", r.Score, r.Scored, r.Err)
	}
	b := r.AppendJSON(nil, scoring.Clamp01, "test")
	if !json.Valid(b) || strings.Contains(string(b), "NaN") {
		t.Fatalf("no JSON: %s", b)
	}
	if show, ok := j.(scoring.Shower); ok {
		show.Show(&r)
	}
	return string(b)
}

// TestShow: every test shows what it judges, with its marks where they belong.
func TestShow(t *testing.T) {
	cases := []struct {
		test     int
		response string
		panels   string
		marks    int // over the picture after
	}{
		{0, `{"createShapes":[{"type":"star","color":"red"}]}`, "before, after", 3},
		{0, `{"createShapes":[]}`, "before, after", 1},
		{1, `{"updateShapes":[{"id":"node-2","color":"red"}]}`, "before, after", 2},
		{2, `{"deleteShapes":["s0"]}`, "before, after", 2},
		{3, `{"createShapes":[{"type":"geo","x":0,"y":0,"w":20,"h":20}]}`, "before, after", 0},
		{4, `{"createShapes":[{"type":"line","points":[[300,400],[0,0]]}]}`, "before, after", 6},
		{5, `{"rotation":1}`, "before, after", 3},
		{6, `{"deleteShapes":["r0"]}`, "before, after", 2},
		{7, `{"createShapes":[{"type":"geo"}]}`, "before, after", 6},
	}
	s := New(Config{})
	for _, c := range cases {
		j := prepareWith(t, s, `{`+fuzzItems[c.test]+`,"response":`+c.response+`}`)
		r := j.Score([]metric.Tally{tally(5, 5), tally(700, 300)}[:len(j.Views())])
		e := j.(scoring.Shower).Show(&r)
		var titles []string
		for _, p := range e.Panels {
			titles = append(titles, p.Title)
		}
		if got := strings.Join(titles, ", "); got != c.panels {
			t.Errorf("%s: panels are %s; want %s", r.Test, got, c.panels)
			continue
		}
		if got := len(e.Panels[1].Marks); got != c.marks {
			t.Errorf("%s: %d marks after; want %d: %+v", r.Test, got, c.marks, e.Panels[1].Marks)
		}
	}
}

// TestShowArrow: the picture after shows the arrow turned about its centre.
func TestShowArrow(t *testing.T) {
	j := prepareWith(t, New(Config{}), `{`+fuzzItems[5]+`,"response":{"rotation":1.25}}`)
	r := j.Score(nil)
	v := j.(scoring.Shower).Show(&r).Panels[1].View
	a := v.Scene.Shapes[v.Scene.Find("shape:blue-arrow")]
	var b board
	rec := scene.Record{Shape: a}
	at := b.toPage(&rec, scene.Point{X: 50, Y: 50})
	if math.Abs(a.Rotation-1.25) > 1e-12 || math.Hypot(at.X-100, at.Y-100) > 1e-9 {
		t.Errorf("rotation %v, centre %v; want 1.25, (100, 100)", a.Rotation, at)
	}
}

// prepareWith prepares an item that must be valid.
func prepareWith(t *testing.T, s *scoring.Suite, line string) scoring.Job {
	t.Helper()
	v := fastjson.MustParse(line)
	j, err := s.Prepare(&scoring.Item{Test: string(v.GetStringBytes("test")), Fields: v}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}
