package report

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plumb/daemon/dump"
	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
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
	over.Only, over.Other = []string{"shape:a"}, []string{"shape:b"}
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
			if len(v.Only) == 1 && v.Only[0] == "shape:b" && y < img.Rect.Dy()/2 || len(v.Only) != 1 && x < img.Rect.Dx()/2 ||
				len(v.Only) == 1 && v.Only[0] == "shape:a" && x < img.Rect.Dx()/2 {
				img.SetNRGBA(x, y, color.NRGBA{200, 20, 20, 255})
			}
		}
	}
	return img, nil
}

type sample struct{ line, result string }

func write(t *testing.T, cfg Config, samples ...sample) (index string) {
	t.Helper()
	cfg.Dir = t.TempDir()
	cfg.Items.Suites = scoring.Suites{fakeSuite}
	cfg.Title = "dump <1>"
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range samples {
		if err := w.Add(dump.Line{N: i + 1, Bytes: []byte(s.line)}, []byte(s.result)); err != nil {
			t.Fatal(err)
		}
	}
	path, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const good = `{"id":"m1","suite":"aspire","test":"maze","score":0.5,"reward":0.5,"status":"fenced",` +
	`"metrics":{"distance":21.25,"com":[12.0,30.5],"created":["shape:x","shape:y"],"chosen":null},` +
	`"notes":[{"code":"dropped_field","path":"createShapes[0].foo","message":"not <known>"}],"backend":"gl","scorer":"plumb 0.1.0"}`

func TestItemIsShownWhole(t *testing.T) {
	page := write(t, Config{Renderer: fakeRenderer{}}, sample{
		`{"id":"m1","suite":"aspire","test":"maze","model":"exact","prompt":"Draw <it>","response":"see </pre><script>alert(1)</script>"}`,
		strings.Replace(good, `"test":"maze",`, `"test":"maze","model":"exact","repeat":2,"asked":{"mode":"cot"},`, 1)})
	for _, want := range []string{
		"dump &lt;1&gt;", "Draw &lt;it&gt;", "see &lt;/pre&gt;&lt;script&gt;alert(1)", // escaped
		"<dt>distance</dt><dd>21.25</dd>", "<dd>12, 30.5</dd>", "<dd>shape:x, shape:y</dd>", "<dt>chosen</dt><dd>–</dd>",
		"dropped_field", "createShapes[0].foo", "not &lt;known&gt;",
		"&lt;centre &amp; &#34;more&#34;&gt;", "plumb 0.1.0", "backend gl", `data-model="exact · cot"`, "<dt>repeat</dt><dd>2</dd>",
		"before", "after", "overlay", "on the shape",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "never</text>") || strings.Contains(page, "NaN") {
		t.Error("a mark at no place was drawn")
	}
	for _, ref := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(ref[1], "data:") && !strings.HasPrefix(ref[1], "#") {
			t.Errorf("the page refers to %q; want nothing outside it", ref[1])
		}
	}
	if n := strings.Count(page, "<image "); n != 2 { // before and after are the same
		t.Errorf("%d pictures; want 2", n)
	}
}

// The pictures in the page show what was rendered, on paper, and how the sets
// cover each other.
func TestPictures(t *testing.T) {
	page := write(t, Config{Renderer: fakeRenderer{}}, sample{`{"id":"m1","suite":"aspire","test":"maze","response":""}`, good})
	at := func(n, x, y int) [3]uint8 {
		data := regexp.MustCompile(`base64,([^"]*)"`).FindAllStringSubmatch(page, -1)[n][1]
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
		what    string
		n, x, y int
		want    [3]uint8
	}{
		{"ink", 0, 10, 30, [3]uint8{200, 20, 20}}, {"paper", 0, 90, 30, [3]uint8{249, 250, 251}},
		{"label on shape", 1, 10, 10, [3]uint8{9, 120, 86}}, {"label beside shape", 1, 10, 50, [3]uint8{214, 31, 62}},
		{"shape alone", 1, 90, 10, [3]uint8{196, 208, 224}}, {"nothing", 1, 90, 50, [3]uint8{249, 250, 251}},
	} {
		if got := at(c.n, c.x, c.y); got != c.want {
			t.Errorf("%s is %v; want %v", c.what, got, c.want)
		}
	}
}

func TestForeignShapesAreNamed(t *testing.T) {
	page := write(t, Config{Renderer: fakeRenderer{}}, sample{`{"id":"m1","suite":"aspire","test":"maze","response":"x","foreign":1}`, good})
	for _, want := range []string{"not drawn: embed far", "an embed", `points="30,10 80,10 80,40 30,40"`, "<image "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestNoRenderer(t *testing.T) {
	page := write(t, Config{}, sample{`{"id":"m1","suite":"aspire","test":"maze","response":"x"}`, good})
	if !strings.Contains(page, "no renderer") || strings.Contains(page, "<image ") {
		t.Error("want boxes that say that nothing was drawn")
	}
}

func TestWhatWentWrong(t *testing.T) {
	page := write(t, Config{Renderer: fakeRenderer{}},
		sample{`{"id":"a","suite":"aspire","test":"maze","response":null}`,
			`{"id":"a","suite":"aspire","test":"maze","score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"no_response","message":"the response is missing"}}`},
		sample{`{"id":"b","suite":"aspire",`,
			`{"id":"line:2","line":2,"score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"bad_line","message":"not JSON"}}`},
		sample{`{"id":"c","suite":"aspire","test":"maze","response":"","broken":1}`, good})
	for _, want := range []string{"no_response", "none: the response is missing", "bad_line", "not JSON", "{&#34;id&#34;:&#34;b&#34;",
		"broken on purpose", "an empty text", `data-score=""`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestTables(t *testing.T) {
	n := 0
	item := func(model, test string, score any) sample {
		n++
		b, _ := json.Marshal(map[string]any{"id": fmt.Sprint("x", n), "suite": "aspire", "test": test, "model": model, "score": score, "metrics": map[string]any{}})
		return sample{`{"suite":"aspire","test":"maze","response":"x"}`, string(b)}
	}
	w, err := New(Config{Dir: t.TempDir(), Items: dump.ItemConfig{Suites: scoring.Suites{fakeSuite}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []sample{
		item("a", "label", 1), item("a", "maze", 0.5), item("a", "maze", 1),
		item("a", "maze", nil), item("b", "maze", -3), {`{}`, `{"id":"y","score":null}`},
	} {
		if err := w.Add(dump.Line{Bytes: []byte(s.line)}, []byte(s.result)); err != nil {
			t.Fatal(err)
		}
	}
	type cell struct{ name, kind, model, mean, se, count string }
	models := []string{"a", "b"}
	want := []cell{
		{"maze", "test", "a", "0.750", "0.250", "2 of 3 scored"}, {"maze", "test", "b", "-3.000", "", "1"},
		{"label", "test", "a", "1.000", "", "1"}, {"label", "test", "b", "–", "", "0"},
		{"structured", "group", "a", "0.750", "", "1 of 2 tests"}, {"structured", "group", "b", "-3.000", "", "1 of 2 tests"},
		{"average", "total", "a", "0.875", "", "2 of 3 tests"}, {"average", "total", "b", "-3.000", "", "1 of 3 tests"},
	}
	var got []cell
	for _, r := range means(w.table, nil)[0].Rows {
		for i, c := range r.Cells {
			got = append(got, cell{r.Name, r.Kind, models[i], c.Mean, c.Error, c.Count})
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("cell %d: got %v; want %v", i, got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
	}
	if n := w.table.Other(); n != 1 {
		t.Errorf("%d results in no table; want 1", n)
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

func pageOf(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A report shows the worst of each test and model, as many of each as fit, says how
// many there are, and each mean leads to the page with its items.
func TestLongDumpsHavePages(t *testing.T) {
	dir := long(t, 475, 1201)
	index := pageOf(t, dir, "index.html")
	for _, want := range []string{"1901 answers, 1201 shown", "show 1201 of 1901 answers: the worst of each test and model"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %q", want)
		}
	}
	cards := 0
	for i := 1; i <= 4; i++ {
		name := fmt.Sprintf("items-%03d.html", i)
		if !strings.Contains(index, `href="`+name+`"`) {
			t.Errorf("the index does not link page %d", i)
		}
		cards += strings.Count(pageOf(t, dir, name), "<details ")
	}
	if cards != 1201 {
		t.Errorf("%d items on the pages; want 1201", cards)
	}
	links := regexp.MustCompile(`<a href="(items-\d+\.html)#(group-\d+)" title="show these items"><span class="mean">([^<]*)`).FindAllStringSubmatch(index, -1)
	if len(links) != 4 {
		t.Fatalf("got links %v; want one for each test and model", links)
	}
	for i, want := range []string{"maze · A", "maze · B", "graph · A", "graph · B"} {
		page := pageOf(t, dir, links[i][1])
		_, section, ok := strings.Cut(page, `id="`+links[i][2]+`"`)
		section, _, _ = strings.Cut(section, "</section>")
		if n := strings.Count(section, "<details "); !ok || n != 300 || !strings.Contains(section, `<h2>`+want+` <span class="n"><span class="here">300</span> of 475, the worst</span>`) {
			t.Errorf("%s leads to %d items of %s; want the worst 300 of 475", want, n, links[i][0])
		}
		first, last := strings.Index(section, `id="n0`), strings.Index(section, `id="n299`)
		if first < 0 || last < first || strings.Contains(section, `id="n300`) {
			t.Errorf("%s: the items are not the worst, worst first", want)
		}
	}
}

// A report that fits on one page has links within it, and none where no item is shown.
func TestShortReport(t *testing.T) {
	index := pageOf(t, long(t, 3, 0), "index.html")
	if n := strings.Count(index, "<details "); n != 13 || !strings.Contains(index, "13 answers ") && !strings.Contains(index, "13 answers<") {
		t.Errorf("got %d items; want 13, and the page to say so", n)
	}
	for _, m := range regexp.MustCompile(`<a href="#(group-\d+)"`).FindAllStringSubmatch(index, -1) {
		if !strings.Contains(index, `<section class="group" id="`+m[1]+`"`) {
			t.Errorf("nothing is at %s", m[1])
		}
	}
	if strings.Count(index, `id="n0"`) != 1 || strings.Count(index, `id="n0~4"`) != 1 {
		t.Error("cards of one item have the same anchor")
	}
	index = pageOf(t, long(t, 3, NoItems), "index.html")
	if strings.Contains(index, "<details ") || strings.Contains(index, `<a href="#`) || !strings.Contains(index, "No items are shown") || !strings.Contains(index, "13 answers") {
		t.Error("want tables alone, no links, and a word on it")
	}
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
			s.add(dump.Line{N: i, Bytes: []byte{byte(k)}}, nil, r)
		}
		got := map[string]int{}
		for _, g := range s.sorted() {
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
		if got["small"] != 2 || got["middle"] != 9 || got["big"] != 9 || s.n != 20 || s.order != 100 {
			t.Errorf("got %v of %d; want 2, 9 and 9 of 100", got, s.order)
		}
	}
	s := newSampler(20)
	s.bytes = 100
	for i := range 10 {
		s.add(dump.Line{Bytes: make([]byte, 30)}, nil, &scoring.Result{Test: "t", Scored: true, Score: float64(i)})
	}
	if s.n != 3 || s.size != 90 {
		t.Errorf("got %d items of %d bytes; want 3 within 100 bytes", s.n, s.size)
	}
}

func TestBrokenResultIsAnError(t *testing.T) {
	w, _ := New(Config{Dir: t.TempDir()})
	for _, bad := range []string{``, `{`, `[]`, `"x"`, `{"id":"a"}`, `{"id":"a","score":1,"response":"x"}`, `{"id":"a","actions":[]}`, `{"id":"a","score":1.0,"model":7}`} {
		if err := w.Add(dump.Line{N: 1}, []byte(bad)); err == nil {
			t.Errorf("result %q was taken", bad)
		}
	}
}

func TestShrinkAndEncode(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 5, 3))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.SetRGBA(0, 0, color.RGBA{3, 255, 255, 255})
	img.SetRGBA(4, 2, color.RGBA{0, 0, 0, 255})
	s := shrink(img, 2)
	if s.Bounds() != image.Rect(0, 0, 3, 2) || s.RGBAAt(0, 0).R != 192 || s.RGBAAt(2, 1) != (color.RGBA{0, 0, 0, 255}) {
		t.Errorf("shrunk to %v with %v and %v", s.Bounds(), s.RGBAAt(0, 0), s.RGBAAt(2, 1))
	}
	many := image.NewRGBA(image.Rect(0, 0, 64, 64)) // 4096 colours
	for i := range 4096 {
		many.SetRGBA(i%64, i/64, color.RGBA{uint8(i % 64 * 4), uint8(i / 64 * 4), 100, 255})
	}
	b, err := encode(many)
	if err != nil {
		t.Fatal(err)
	}
	back, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4096 {
		c := color.RGBAModel.Convert(back.At(i%64, i/64)).(color.RGBA)
		if d := max(math.Abs(float64(c.R)-float64(i%64*4)), math.Abs(float64(c.G)-float64(i/64*4))); d > 8 {
			t.Fatalf("colour %d is off by %g; want at most half a bucket of 16", i, d)
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
		err = w.Add(dump.Line{N: 1, Bytes: []byte(`{"id":"a"}`)}, []byte(`{"id":"a","score":null,"error":{"code":"x","message":"y"}}`))
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
