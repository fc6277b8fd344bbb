package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plumb/daemon/dump"
	"plumb/daemon/explorer"
	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/table"
)

// fakeSuite shows one rectangle per item, or an arrow that cannot be drawn.
var fakeSuite = &scoring.Suite{Name: "aspire", Tests: []string{"maze", "graph", "label"}, Prepare: prepare,
	Groups: []scoring.Group{{Name: "structured", Tests: []string{"maze", "graph"}}}}

func prepare(it *scoring.Item, _ scoring.Variants) (scoring.Job, error) {
	if it.Fields.Exists("broken") {
		return nil, &scoring.Error{Code: "bad_item", Message: "broken on purpose"}
	}
	s := &scene.Scene{Shapes: []scene.Shape{
		{ID: "shape:a", TypeName: "geo", Parent: -1, W: 40, H: 20, Opacity: 1},
	}}
	if it.Fields.Exists("foreign") {
		s.Shapes = append(s.Shapes, scene.Shape{ID: "shape:far", TypeName: "embed", Kind: scene.Embed, Parent: -1, X: 30, Y: 10, W: 50, H: 30, Opacity: 1})
	}
	return fakeJob{s}, nil
}

type fakeJob struct{ s *scene.Scene }

func (fakeJob) Views() []view.View                  { return nil }
func (fakeJob) Score([]metric.Tally) scoring.Result { return scoring.Result{} }
func (fakeJob) Fail(scoring.Error) scoring.Result   { return scoring.Result{} }
func (j fakeJob) Show(r *scoring.Result) scoring.Exhibit {
	v := view.View{Scene: j.s, Bounds: view.Box{W: 100, H: 60}}
	over := v
	over.FirstIDs, over.SecondIDs = []string{"shape:a"}, []string{"shape:b"}
	at, _ := r.Point("com")
	return scoring.Exhibit{Panels: []scoring.Panel{
		{Title: "before", View: v},
		{Title: "after", View: v, Marks: []scoring.Mark{
			{Form: scoring.Cross, Tone: scoring.Goal, A: at, Text: `<centre & "more">`},
			{Form: scoring.Span, A: scene.Point{X: math.NaN()}, Text: "never"},
		}},
		{Title: "overlay", View: over},
	}}
}

// fakeRenderer fills the left half, or for shape:b the top half.
type fakeRenderer struct{}

func (fakeRenderer) Picture(v view.View) (*image.NRGBA, error) {
	img := image.NewNRGBA(image.Rect(0, 0, int(v.Bounds.W), int(v.Bounds.H)))
	for i := range v.Scene.Shapes {
		if sh := &v.Scene.Shapes[i]; sh.Kind == scene.Embed && v.Shows(int32(i)) {
			return nil, fmt.Errorf("cannot draw shape %q: %w: an embed", sh.ID, view.ErrForeign)
		}
	}
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if len(v.FirstIDs) == 1 && v.FirstIDs[0] == "shape:b" && y < img.Rect.Dy()/2 || len(v.FirstIDs) != 1 && x < img.Rect.Dx()/2 ||
				len(v.FirstIDs) == 1 && v.FirstIDs[0] == "shape:a" && x < img.Rect.Dx()/2 {
				img.SetNRGBA(x, y, color.NRGBA{200, 20, 20, 255})
			}
		}
	}
	return img, nil
}

type sample struct{ line, result string }

// shown is what a page holds.
type shown struct {
	explorer.Saved
	pictures map[string]string // data URLs
	text     string            // of the whole page
}

// read reads a page.
func read(t *testing.T, path string) (p shown) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p.text = string(b)
	for id, to := range map[string]any{"saved": &p.Saved, "pictures": &p.pictures} {
		m := regexp.MustCompile(`<script type="application/json" id="` + id + `">([^<]*)</script>`).FindStringSubmatch(p.text)
		if m == nil {
			t.Fatalf("%s: the page has no %s", path, id)
		}
		if err := json.Unmarshal([]byte(m[1]), to); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func write(t *testing.T, cfg Config, samples ...sample) shown {
	t.Helper()
	cfg.Dir = t.TempDir()
	cfg.Items.Suites = scoring.Suites{fakeSuite}
	cfg.Title = "dump <1>"
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range samples {
		if err := w.Add(dump.Line{Number: i + 1, Bytes: []byte(s.line)}, []byte(s.result)); err != nil {
			t.Fatal(err)
		}
	}
	w.From("dump.jsonl")
	path, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return read(t, path)
}

const good = `{"id":"m1","suite":"aspire","test":"maze","score":0.5,"reward":0.5,"status":"fenced",` +
	`"metrics":{"distance":21.25,"com":[12.0,30.5],"created":["shape:x","shape:y"],"chosen":null},` +
	`"notes":[{"code":"dropped_field","path":"createShapes[0].foo","message":"not <known>"}],"backend":"gl","scorer":"plumb 0.1.0"}`

// TestItemIsShownWhole demands all that is known of an item, in a page that needs nothing else.
func TestItemIsShownWhole(t *testing.T) {
	page := write(t, Config{Renderer: fakeRenderer{}}, sample{
		`{"id":"m1","suite":"aspire","test":"maze","model":"exact","prompt":"Draw <it>","response":"see </pre><script>alert(1)</script>"}`,
		strings.Replace(good, `"test":"maze",`, `"test":"maze","model":"exact","repeat":2,"asked":{"mode":"cot"},`, 1)})
	if len(page.Items) != 1 || len(page.Rows.Rows) != 1 || page.Info.Title != "dump <1>" || len(page.Info.Series) != 1 || page.Info.Series[0].Name != "exact · cot" {
		t.Fatalf("got %+v", page.Saved)
	}
	it := page.Items[0]
	values := map[string]string{}
	for _, m := range it.Metrics {
		values[m.Name] = string(m.Value)
	}
	if want := map[string]string{"distance": "21.25", "com": "[12.0,30.5]", "created": `["shape:x","shape:y"]`, "chosen": "null"}; !maps.Equal(values, want) {
		t.Errorf("got the metrics %v; want %v", values, want)
	}
	if it.Prompt != "Draw <it>" || len(it.Answer) != 1 || it.Answer[0].Text != "see </pre><script>alert(1)</script>" || it.Repeat != 2 || it.Arm != "cot" {
		t.Errorf("got %+v", it)
	}
	if len(it.NoteList) != 1 || it.NoteList[0] != (explorer.Note{Code: "dropped_field", Path: "createShapes[0].foo", Message: "not <known>"}) {
		t.Errorf("got the notes %v", it.NoteList)
	}
	if it.Command != "sed -n 1p dump.jsonl | plumb score -" || !strings.Contains(page.Remark, "plumb 0.1.0") || !strings.Contains(page.Remark, "backend gl") {
		t.Errorf("got the command %q and the remark %q", it.Command, page.Remark)
	}
	if len(it.Panels) != 3 || it.Panels[0].Title != "before" || !it.Panels[2].Cover || len(it.Panels[1].Marks) != 1 || it.Panels[1].Marks[0].Text != `<centre & "more">` {
		t.Errorf("got the panels %+v; want no mark at no place", it.Panels)
	}
	if len(page.pictures) != 2 || it.Panels[0].Picture != it.Panels[1].Picture { // before and after are the same
		t.Errorf("got %d pictures; want 2", len(page.pictures))
	}
	if m := regexp.MustCompile(`<[^>]* (?:src|href)="(?:[^d]|d[^a])[^>]*>`).FindString(page.text); m != "" || !strings.Contains(page.text, "default-src 'none'") {
		t.Errorf("the page refers to %s; want nothing outside it, and a policy", m)
	}
	if strings.Contains(page.text, "<script>alert") || strings.Contains(page.text, "<title>dump <1>") {
		t.Error("an answer or the title is markup")
	}
}

// The pictures in the page show what was rendered, on paper, and how the sets
// cover each other.
func TestPictures(t *testing.T) {
	page := write(t, Config{Renderer: fakeRenderer{}}, sample{`{"id":"m1","suite":"aspire","test":"maze","response":""}`, good})
	at := func(panel, x, y int) [3]uint8 {
		data, _ := strings.CutPrefix(page.pictures[page.Items[0].Panels[panel].Picture], "data:image/png;base64,")
		b, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
		return [3]uint8{c.R, c.G, c.B}
	}
	for _, c := range []struct {
		what        string
		panel, x, y int
		want        [3]uint8
	}{
		{"ink", 0, 10, 30, [3]uint8{200, 20, 20}}, {"paper", 0, 90, 30, [3]uint8{249, 250, 251}},
		{"label on shape", 2, 10, 10, [3]uint8{9, 120, 86}}, {"label beside shape", 2, 10, 50, [3]uint8{214, 31, 62}},
		{"shape alone", 2, 90, 10, [3]uint8{196, 208, 224}}, {"nothing", 2, 90, 50, [3]uint8{249, 250, 251}},
	} {
		if got := at(c.panel, c.x, c.y); got != c.want {
			t.Errorf("%s is %v; want %v", c.what, got, c.want)
		}
	}
}

func TestForeignShapesAreNamed(t *testing.T) {
	p := write(t, Config{Renderer: fakeRenderer{}}, sample{`{"id":"m1","suite":"aspire","test":"maze","response":"x","foreign":1}`, good}).Items[0].Panels[0]
	if len(p.Lost) != 1 || p.Lost[0].Name != "embed far" || !strings.Contains(p.Lost[0].Why, "an embed") || fmt.Sprint(p.Lost[0].Corners) != "[30 10 80 10 80 40 30 40]" || p.Picture == "" {
		t.Errorf("got %+v; want a picture of the rest, and the shape that is not in it", p)
	}
}

func TestNoRenderer(t *testing.T) {
	page := write(t, Config{}, sample{`{"id":"m1","suite":"aspire","test":"maze","response":"x"}`, good})
	if p := page.Items[0].Panels[0]; !strings.Contains(p.Error, "no renderer") || len(p.Box) != 4 || len(page.pictures) != 0 {
		t.Errorf("got %+v; want a box that says that nothing was drawn", p)
	}
}

func TestWhatWentWrong(t *testing.T) {
	page := write(t, Config{Renderer: fakeRenderer{}},
		sample{`{"id":"a","suite":"aspire","test":"maze","response":null}`,
			`{"id":"a","suite":"aspire","test":"maze","score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"no_response","message":"the response is missing"}}`},
		sample{`{"id":"b","suite":"aspire",`,
			`{"id":"line:2","line":2,"score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"bad_line","message":"not JSON"}}`},
		sample{`{"id":"c","suite":"aspire","test":"maze","response":"","broken":1}`, good})
	for id, want := range map[string]struct{ code, message, answer, reading, problem string }{
		"a":      {code: "no_response", message: "the response is missing", reading: "the response is missing"},
		"line:2": {code: "bad_line", message: "not JSON", answer: `{"id":"b","suite":"aspire",`, problem: "cannot be read"},
		"m1":     {problem: "broken on purpose"},
	} {
		i := slices.IndexFunc(page.Items, func(it explorer.Item) bool { return it.ID == id })
		if i < 0 {
			t.Fatalf("there is no item %s", id)
		}
		it, answer := page.Items[i], ""
		for _, s := range it.Answer {
			answer += s.Text
		}
		if it.Error != want.code || it.Message != want.message || answer != want.answer || !strings.Contains(it.Reading, want.reading) || !strings.Contains(it.Problem, want.problem) {
			t.Errorf("%s: got %+v; want %+v", id, it, want)
		}
	}
	if len(page.Info.Remarks) != 1 || !strings.HasPrefix(page.Info.Remarks[0], "1 line could not be read or names no test of its suite") {
		t.Errorf("got the remarks %v", page.Info.Remarks)
	}
}

func TestTables(t *testing.T) {
	n := 0
	item := func(model, test string, score any) sample {
		n++
		b, _ := json.Marshal(map[string]any{"id": fmt.Sprint("x", n), "suite": "aspire", "test": test, "model": model, "score": score, "metrics": map[string]any{}})
		return sample{`{"suite":"aspire","test":"maze","response":"x"}`, string(b)}
	}
	page := write(t, Config{}, item("a", "label", 1), item("a", "maze", 0.5), item("a", "maze", 1),
		item("a", "maze", nil), item("b", "maze", -3), sample{`{}`, `{"id":"y","score":null}`})
	type cell struct {
		name, kind, model, mean, se string
		scored, n                   int
		tests                       string
	}
	want := []cell{
		{"maze", "test", "a", "0.750", "0.250", 2, 3, ""}, {"maze", "test", "b", "-3.000", "", 1, 1, ""},
		{"label", "test", "a", "1.000", "", 1, 1, ""}, {"label", "test", "b", "–", "", 0, 0, ""},
		{"structured", "group", "a", "0.750", "", 1, 1, "1 of 2 tests"}, {"structured", "group", "b", "-3.000", "", 1, 1, "1 of 2 tests"},
		{"average", "total", "a", "0.875", "", 2, 2, "2 of 3 tests"}, {"average", "total", "b", "-3.000", "", 1, 1, "1 of 3 tests"},
	}
	number := func(x *float64) string {
		if x == nil {
			return "–"
		}
		return table.Number(*x, 3)
	}
	var got []cell
	names := map[string]string{}
	for _, s := range page.Info.Series {
		names[s.ID] = s.Name
	}
	for _, r := range page.Overview.Suites[0].Tests {
		for i, c := range r.Cells {
			got = append(got, cell{r.Test, r.Kind, names[page.Overview.Suites[0].Series[i]], number(c.Mean), strings.Trim(number(c.Error), "–"), c.Scored, c.N, c.Tests})
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%v; want\n%v", got, want)
	}
	if h := page.Overview.Suites[0].Tests[0].Cells[0].Histogram; len(h) != 20 || h[19] != 1 {
		t.Errorf("got the distribution %v; want two scores, the higher one at the end", h)
	}
}

// long is a report of n answers to each of two tests by two models, with scores from
// 0 up in the order of the dump, and of one line that cannot be read.
func long(t *testing.T, n, most int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	w, err := New(Config{Dir: dir, Max: most, Items: dump.ItemConfig{Suites: scoring.Suites{fakeSuite}}})
	if err != nil {
		t.Fatal(err)
	}
	add := func(line, result string) {
		if err := w.Add(dump.Line{Bytes: []byte(line)}, []byte(result)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		for _, test := range []string{"maze", "graph"} {
			for _, model := range []string{"A", "B"} {
				who := fmt.Sprintf(`{"id":"n%d","suite":"aspire","test":%q,"model":%q,`, i, test, model)
				add(who+`"response":"x"}`, who+fmt.Sprintf(`"score":%g,"metrics":{},"notes":[]}`, float64(i)/float64(n)))
			}
		}
	}
	add(`{`, `{"id":"line:9","line":9,"score":null,"metrics":{},"notes":[],"error":{"code":"bad_line","message":"no"}}`)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return dir
}

// A report shows the worst of each test and model, as many of each as fit, and says how
// many there are. Its filters are those of its rows, and tables count all.
func TestLongReport(t *testing.T) {
	page := read(t, filepath.Join(long(t, 475, 1201), "index.html"))
	if !strings.HasPrefix(page.Remark, "1901 answers, 1201 shown: the worst of each test and model") || len(page.Rows.Rows) != 1201 || len(page.Items) != 1201 || page.Info.Rows != 1901 {
		t.Errorf("got %q, %d rows, %d items of %d; want 1201 of 1901", page.Remark, len(page.Rows.Rows), len(page.Items), page.Info.Rows)
	}
	n := map[string]int{}
	last := math.Inf(-1)
	for i, r := range page.Rows.Rows {
		if n[r.Test+r.Model]++; r.Score != nil && (*r.Score < last || *r.Score > 0.632) || page.Items[i].Row.Row != r.Row {
			t.Fatalf("row %d: got %+v after %g; want the worst, from the lowest score on, each with its item", i, r, last)
		}
		if r.Score != nil {
			last = *r.Score
		}
	}
	if want := map[string]int{"mazeA": 300, "mazeB": 300, "graphA": 300, "graphB": 300, "": 1}; !maps.Equal(n, want) {
		t.Errorf("got %v; want %v", n, want)
	}
	for _, r := range page.Overview.Suites[0].Tests[:2] {
		if r.Cells[0].N != 475 || r.Cells[1].N != 475 {
			t.Errorf("%s: got %+v; want all 475 answers", r.Test, r.Cells)
		}
	}
	if len(page.Compared) != 3 || page.Compared[0].Comparison.Pairs != 950 || len(page.Compared[0].Comparison.Points) != 950 || len(page.Compared[0].Pairs.Pairs) != 200 {
		t.Errorf("got %d comparisons; want each two of A, B and the line without a model, and 950 questions of the first", len(page.Compared))
	}
}

// A report may have tables alone.
func TestNoItems(t *testing.T) {
	page := read(t, filepath.Join(long(t, 3, NoItems), "index.html"))
	if len(page.Items) != 0 || len(page.Rows.Rows) != 0 || !strings.HasPrefix(page.Remark, "13 answers. No items are shown") || page.Overview.Suites[0].Tests[0].Cells[0].N != 3 {
		t.Errorf("got %q, %d items; want tables of 13 answers alone", page.Remark, len(page.Items))
	}
}

// A report is refused at once where the pages that it is made of are not there.
func TestNoPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	if _, err := New(Config{Dir: dir, Pages: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "scripts/explorer.sh") {
		t.Errorf("got %v; want an error that names the script", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made")
	}
}

// sortedGroups returns the groups by suite and test, in order of appearance within a suite,
// each with its worst item first.
func sortedGroups(s *sampler) []*group {
	list := slices.Clone(s.groups)
	slices.SortFunc(list, func(a, b *group) int { return a.first - b.first })
	tests := map[[2]string]int{} // order of the first series
	for _, g := range list {
		k := [2]string{g.suite, g.test}
		if _, ok := tests[k]; !ok {
			tests[k] = g.first
		}
		slices.SortFunc(g.items, func(a, b keptItem) int { return rank(&a, &b) })
	}
	slices.SortStableFunc(list, func(a, b *group) int {
		if (a.suite == "") != (b.suite == "") { // lines that could not be read come last
			return len(b.suite) - len(a.suite)
		}
		return cmp.Or(strings.Compare(a.suite, b.suite), tests[[2]string{a.suite, a.test}]-tests[[2]string{b.suite, b.test}])
	})
	return list
}

// Of each group the worst are kept whatever the order: what could not be scored,
// then by score, and last missing answers. Small groups are kept whole.
func TestSampler(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		s := newSampler(20)
		for i, k := range rnd.Perm(100) {
			r := &scoring.Result{ID: fmt.Sprint(k), Suite: "s", Test: "big", Scored: true, Score: float64(k)}
			switch {
			case k >= 98:
				r.Scored, r.Err = false, &scoring.Error{Code: "no_response"}
			case k >= 95:
				r.Scored, r.Err = false, &scoring.Error{Code: "deadline"}
			case k >= 70:
				r.Test = "middle"
			case k >= 68:
				r.Test = "small"
			}
			s.keepIfWorst(dump.Line{Number: i, Bytes: []byte{byte(k)}}, nil, r)
		}
		got := map[string]int{}
		for _, g := range sortedGroups(s) {
			var ids []int
			for _, p := range g.items {
				ids = append(ids, int(p.line.Bytes[0]))
			}
			switch n := len(ids); {
			case g.test == "small" && fmt.Sprint(ids) != "[68 69]":
				t.Errorf("small: got %v", ids)
			case g.test == "middle" && (ids[0] != 70 || ids[n-1] != 70+n-1):
				t.Errorf("middle: got %v", ids)
			case g.test == "big" && (slices.Min(ids[:3]) != 95 || ids[3] != 0 || ids[n-1] != n-4):
				t.Errorf("big: got %v", ids)
			}
			got[g.test] = len(ids)
		}
		if got["small"] != 2 || got["middle"] != 9 || got["big"] != 9 || s.kept != 20 || s.added != 100 {
			t.Errorf("got %v of %d; want 2, 9 and 9 of 100", got, s.added)
		}
	}
	s := newSampler(20)
	s.maxBytes = 100
	for i := range 10 {
		s.keepIfWorst(dump.Line{Bytes: make([]byte, 30)}, nil, &scoring.Result{Test: "t", Scored: true, Score: float64(i)})
	}
	if s.kept != 3 || s.keptBytes != 90 {
		t.Errorf("got %d items of %d bytes; want 3 within 100 bytes", s.kept, s.keptBytes)
	}
}

func TestBrokenResultIsAnError(t *testing.T) {
	w, _ := New(Config{Dir: t.TempDir()})
	defer w.Discard()
	for _, bad := range []string{``, `{`, `[]`, `"x"`, `{"id":"a"}`, `{"id":"a","score":1,"response":"x"}`, `{"id":"a","actions":[]}`, `{"id":"a","score":1.0,"model":7}`} {
		if err := w.Add(dump.Line{Number: 1}, []byte(bad)); err == nil {
			t.Errorf("result %q was taken", bad)
		}
	}
}

// The remark names every scorer and backend of the results that the tables count, and not only those of the
// first or the last one. One answer is no plural.
func TestRemarkNamesScorers(t *testing.T) {
	result := func(id int, backend, scorer string) sample {
		return sample{"", fmt.Sprintf(`{"id":"%d","suite":"s","test":"t","score":1,"backend":%q,"scorer":%q}`, id, backend, scorer)}
	}
	many := []sample{}
	for i := range maxNames + 2 {
		many = append(many, result(i, "gl", fmt.Sprint("p", i)))
	}
	for _, c := range []struct {
		results []sample
		want    string
	}{
		{[]sample{result(1, "gl", "p 1")}, "1 answer. Scored by p 1, backend gl."},
		{[]sample{result(1, "gl", "p 1"), result(2, "chrome", "p 1"), result(3, "gl", "p 2"), result(3, "cpu", "p 3")},
			"3 answers. Scored by p 1, p 2, backends gl, chrome."}, // the second answer of item 3 is a duplicate
		{[]sample{result(1, "", "")}, "1 answer."},
		{many, "10 answers. Scored by p0, p1, p2, p3, p4, p5, p6, p7 and others, backend gl."},
	} {
		if got := write(t, Config{}, c.results...).Remark; got != c.want {
			t.Errorf("got %q; want %q", got, c.want)
		}
	}
}

// A report whose drawing is interrupted says so, and does not replace a former one.
func TestInterruptedDrawing(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "index.html")
	if err := os.WriteFile(page, []byte("complete"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w, err := New(Config{Dir: dir, Title: "dump", Context: ctx})
	if err == nil {
		err = w.Add(dump.Line{Number: 1, Bytes: []byte(`{"id":"a"}`)}, []byte(`{"id":"a","score":null,"error":{"code":"x","message":"y"}}`))
	}
	cancel()
	path, closing := w.Close()
	if err != nil || closing != nil || path == page {
		t.Fatalf("got %v, %v, %s; want a page of its own", err, closing, path)
	}
	b, _ := os.ReadFile(path)
	if former, _ := os.ReadFile(page); string(former) != "complete" || !strings.Contains(string(b), "interrupted while pictures were drawn") {
		t.Errorf("the former report holds %.80q; the new one says that it is partial: %v", former, strings.Contains(string(b), "This report is partial"))
	}
}
