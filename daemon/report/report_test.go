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
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plumb/daemon/dump"
	"plumb/render/metric"
	"plumb/render/outline"
	"plumb/render/scene"
	"plumb/scoring"
)

// fakeSuite shows one rectangle per item, or an arrow that cannot be drawn.
type fakeSuite struct{}

func (fakeSuite) Name() string                { return "aspire" }
func (fakeSuite) Tests() []string             { return []string{"maze", "graph", "label"} }
func (fakeSuite) Variants() []scoring.Variant { return nil }
func (fakeSuite) Groups() []scoring.Group {
	return []scoring.Group{{Name: "structured", Tests: []string{"maze", "graph"}}}
}
func (fakeSuite) Prepare(it *scoring.Item, _ scoring.Variants) (scoring.Job, error) {
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

func (fakeJob) Views() []outline.View               { return nil }
func (fakeJob) Score([]metric.Tally) scoring.Result { return scoring.Result{} }
func (fakeJob) Fail(scoring.Error) scoring.Result   { return scoring.Result{} }
func (j fakeJob) Show(r *scoring.Result) scoring.Exhibit {
	v := outline.View{Scene: j.s, Bounds: outline.Box{W: 100, H: 60}}
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

func (fakeRenderer) Picture(v outline.View) (*image.NRGBA, error) {
	img := image.NewNRGBA(image.Rect(0, 0, int(v.Bounds.W), int(v.Bounds.H)))
	for i := range v.Scene.Shapes {
		if sh := &v.Scene.Shapes[i]; sh.Kind == scene.Embed && v.Shows(int32(i)) {
			return nil, fmt.Errorf("cannot draw shape %q: %w: an embed", sh.ID, outline.ErrForeign)
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
	cfg.Items.Suites = map[string]scoring.Suite{"aspire": fakeSuite{}}
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
		`{"id":"m1","suite":"aspire","test":"maze","model":"exact","prompt":"Draw <it>","response":"see </pre><script>alert(1)</script>"}`, good})
	for _, want := range []string{
		"dump &lt;1&gt;", "Draw &lt;it&gt;", "see &lt;/pre&gt;&lt;script&gt;alert(1)", // escaped
		"<dt>distance</dt><dd>21.25</dd>", "<dd>12, 30.5</dd>", "<dd>shape:x, shape:y</dd>", "<dt>chosen</dt><dd>–</dd>",
		"dropped_field", "createShapes[0].foo", "not &lt;known&gt;",
		"&lt;centre &amp; &#34;more&#34;&gt;", "plumb 0.1.0", "backend gl", `data-model="exact"`,
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
			`{"id":"a","suite":"aspire","test":"maze","score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"no_response","message":"the model was never heard"}}`},
		sample{`{"id":"b","suite":"aspire",`,
			`{"id":"line:2","line":2,"score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"bad_line","message":"not JSON"}}`},
		sample{`{"id":"c","suite":"aspire","test":"maze","response":"","broken":1}`, good})
	for _, want := range []string{"no_response", "none: the model was never heard", "bad_line", "not JSON", "{&#34;id&#34;:&#34;b&#34;",
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
	w, err := New(Config{Dir: t.TempDir(), Items: dump.ItemConfig{Suites: map[string]scoring.Suite{"aspire": fakeSuite{}}}})
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
	want := []cell{
		{"maze", "test", "a", "0.750", "0.250", "2 of 3 scored"}, {"maze", "test", "b", "-3.000", "", "1"},
		{"label", "test", "a", "1.000", "", "1"}, {"label", "test", "b", "–", "", "0"},
		{"structured", "group", "a", "0.750", "", "1 of 2 tests"}, {"structured", "group", "b", "-3.000", "", "1 of 2 tests"},
		{"average", "total", "a", "0.875", "", "2 of 3 tests"}, {"average", "total", "b", "-3.000", "", "1 of 3 tests"},
	}
	var got []cell
	for _, r := range means(w.table)[0].Rows {
		for _, c := range r.Cells {
			got = append(got, cell{r.Name, r.Kind, c.Model, c.Mean, c.Error, c.Count})
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

func TestLongDumpsHavePages(t *testing.T) {
	dir := t.TempDir()
	w, err := New(Config{Dir: dir, Max: 1700, Items: dump.ItemConfig{Suites: map[string]scoring.Suite{"aspire": fakeSuite{}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1900 {
		line := fmt.Sprintf(`{"id":"n%d","suite":"aspire","test":"maze","response":"x"}`, i)
		if err := w.Add(dump.Line{N: i + 1, Bytes: []byte(line)}, []byte(strings.Replace(good, "m1", fmt.Sprintf("n%d", i), 1))); err != nil {
			t.Fatal(err)
		}
	}
	path, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	index, _ := os.ReadFile(path)
	total := 0
	for i := range 4 {
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("items-%03d.html", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		total += bytes.Count(b, []byte("<details "))
		if !bytes.Contains(index, fmt.Appendf(nil, `href="items-%03d.html"`, i+1)) {
			t.Errorf("the index does not link page %d", i+1)
		}
	}
	if total != 1700 || !bytes.Contains(index, []byte("first 1700 of 1900 items")) || !bytes.Contains(index, []byte("1900 items")) {
		t.Errorf("%d items on the pages; want 1700, and the index to say so", total)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".part*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBrokenResultIsAnError(t *testing.T) {
	w, _ := New(Config{Dir: t.TempDir()})
	for _, bad := range []string{``, `{`, `[]`, `"x"`} {
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
