package record

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plumb/bench/scenes"
	"plumb/bench/stage"
	"plumb/daemon/trace/tracetest"
	"plumb/render"
	"plumb/render/scene"
)

// measured is a small measurement of the CPU backend, made once.
func measured(t *testing.T) (*File, map[string][]stage.Span) {
	t.Helper()
	made, err := MakeScenes(scenes.Classes()[0], 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Engine: render.Config{Backend: render.BackendCPU}, Limits: scene.DefaultLimits(), Workers: 2, Batch: 4,
		Classes: []Scenes{made}, Sweeps: []string{"shapes", "scenes"}, Seed: 1, Quick: true}
	f := New("0", "c0ffee", []string{"--quick"})
	spans, err := p.Measure(f)
	if err != nil {
		t.Fatal(err)
	}
	return f, spans
}

// TestMeasure follows one measurement through every form that it takes.
func TestMeasure(t *testing.T) {
	f, spans := measured(t)
	if len(f.Classes) != 1 || len(f.Sweeps) != 2 || f.Mode != "quick" || f.Backend != "cpu" {
		t.Fatalf("got %d classes, %d sweeps, mode %s, backend %s", len(f.Classes), len(f.Sweeps), f.Mode, f.Backend)
	}
	c := f.Classes[0]
	if c.Digest == "" || c.Segments < 2000 || len(c.EndToEnd) != 3 || len(c.Render) != 3 || c.Lone.P50 <= 0 || c.Lone.P99 < c.Lone.P50 {
		t.Errorf("got class %+v", c)
	}
	for _, s := range f.Sweeps {
		if s.Fit == nil || len(s.Points) < 2 || s.Points[0].ProcessorTime() <= 0 {
			t.Errorf("got sweep %+v", s)
		}
	}
	dir := t.TempDir()
	t.Run("file", func(t *testing.T) { reread(t, f, filepath.Join(dir, "r.json")) })
	t.Run("trace", func(t *testing.T) { traced(t, f, spans, filepath.Join(dir, "t.json")) })
	t.Run("page", func(t *testing.T) { paged(t, f, spans, filepath.Join(dir, "p.html")) })
	t.Run("compare", func(t *testing.T) { compared(t, f) })
}

func reread(t *testing.T, f *File, path string) {
	b, err := f.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := g.JSON()
	if !bytes.Equal(again, b) {
		t.Error("a file changes by being read and written")
	}
}

func traced(t *testing.T, f *File, spans map[string][]stage.Span, path string) {
	if err := f.Trace(path, spans); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	events, err := tracetest.Events(b)
	if err != nil {
		t.Fatal(err)
	}
	rows, seen := map[int]string{}, map[string]int{}
	for _, e := range events {
		if e.Phase == "M" && e.Name == "thread_name" {
			rows[e.Row] = e.Args["name"].(string)
		}
	}
	for _, e := range events {
		if e.Phase == "X" {
			seen[e.Name]++
			if (e.Name == "device") != strings.HasPrefix(rows[e.Row], "device") || e.Name == "decode" && !strings.HasPrefix(rows[e.Row], "worker") {
				t.Fatalf("%s stands in row %q", e.Name, rows[e.Row])
			}
		}
	}
	if seen["decode"] == 0 || seen["decode"] != seen["tile"] || seen["device"] == 0 || seen["encode"] != seen["decode"] {
		t.Errorf("got events %v; want as many of each step of a scene", seen)
	}
}

func paged(t *testing.T, f *File, spans map[string][]stage.Span, path string) {
	f.Flags = []string{`--html=<script>"&'`}
	if err := f.Page(path, spans); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	page := string(b)
	if strings.Contains(page, "<script") || regexp.MustCompile(`(src|href)=|url\(|@import`).MatchString(page) {
		t.Error("the page loads something, or holds a script")
	}
	pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1)
	if len(pictures) != 4 { // stages, timeline, two sweeps; the CPU has no roofline
		t.Errorf("got %d pictures; want 4", len(pictures))
	}
	for _, p := range pictures {
		d := xml.NewDecoder(strings.NewReader(p))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in %.300s", err, p)
			}
		}
		if strings.Contains(p, "NaN") || strings.Contains(p, "Inf") {
			t.Errorf("a picture holds what is no number: %.300s", p)
		}
	}
}

// altered is a copy of a file whose core times are multiplied.
func altered(t *testing.T, f *File, core float64) *File {
	t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	g := new(File)
	if err := json.Unmarshal(b, g); err != nil {
		t.Fatal(err)
	}
	for i := range g.Classes {
		for k := range g.Classes[i].EndToEnd {
			g.Classes[i].EndToEnd[k].ProcessorTime = 100 + float64(k)
			if core != 0 {
				g.Classes[i].EndToEnd[k].ProcessorTime *= core
			}
		}
	}
	return g
}

func compared(t *testing.T, f *File) {
	for _, c := range []struct {
		times float64
		want  Verdict
	}{{0.5, Better}, {0.95, Alike}, {1, Alike}, {1.05, Alike}, {2, Worse}} {
		old, new := altered(t, f, 1), altered(t, f, c.times)
		old.Machine.Load, new.Machine.Load = "0.00", "0.00"
		got, err := CompareApart(old, new)
		if err != nil {
			t.Fatal(err)
		}
		ch := got.Changes[0]
		if ch.Figure != "core us/scene" || ch.Verdict != c.want || math.Abs(ch.Ratio.Value-c.times) > 1e-9 || *ch.Ratio.Low > *ch.Ratio.High {
			t.Errorf("core time x%g: got %+v; want %s", c.times, ch, c.want)
		}
		if r := got.Results[0]; !r.Known || !r.Equal {
			t.Errorf("equal digests: got %+v", r)
		}
		new.Classes[0].Digest, new.Machine.Cores, new.Machine.Load = "0", 99, "98.5 1 1"
		got, err = CompareApart(old, new)
		if err != nil || got.Results[0].Equal || len(got.Warnings) < 3 || got.Changes[0].Verdict != Undecided {
			t.Errorf("other results on another, busy machine: got %+v, %v, %v", got.Results, got.Warnings, err)
		}
		var text bytes.Buffer
		if err := got.Table(&text); err != nil || !strings.Contains(text.String(), "DIFFERENT") || !strings.Contains(text.String(), "load forbids") {
			t.Errorf("got table %s, %v", &text, err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, text := range map[string]string{"none": "", "other": `{"format":"plumb bench 0"}`, "list": "[]"} {
		path := filepath.Join(t.TempDir(), name)
		os.WriteFile(path, []byte(text), 0o644)
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

// TestModel holds that the model finds the costs that points were made of, and
// that terms which do not come out are left out.
func TestModel(t *testing.T) {
	var points []Point
	for _, shapes := range []float64{1, 2, 4, 8, 16} {
		for _, tiles := range []float64{10, 50, 200} {
			p := Point{Ink: 100 * shapes * (1 + tiles/40)}
			core := 20 + 3*shapes + 0.05*p.Ink + 0.5*tiles
			p.Samples = []stage.Sample{{ProcessorTime: core, Cost: stage.Cost{Shapes: shapes, Tiles: tiles}}}
			points = append(points, p)
		}
	}
	m := fitModel(points)
	if m == nil || m.Fit.R2 < 0.999 || !slices.Equal(m.Names, termNames) || math.Abs(m.Fit.Terms[2]-0.05) > 1e-5 || math.Abs(m.PredictedTime(points[3])-points[3].ProcessorTime()) > 1e-6 {
		t.Errorf("got %+v", m)
	}
	for i := range points {
		points[i].Samples[0].ProcessorTime = 5 + 2*points[i].Cost().Tiles - 0.001*points[i].Ink
	}
	if m = fitModel(points); m == nil || slices.Contains(m.Names, "point of ink") || slices.Min(m.Fit.Terms) < 0 || math.Abs(m.PredictedTime(points[3])/points[3].ProcessorTime()-1) > 0.2 {
		t.Errorf("a negative term: got %+v", m)
	}
	if fitModel(points[:3]) != nil {
		t.Error("three points were fitted")
	}
}

func TestClip(t *testing.T) {
	got := clip([]stage.Span{{Start: 0, End: 5}, {Start: 8, End: 12}, {Start: 25, End: 30}}, 4, 10*time.Nanosecond)
	if len(got) != 2 || got[0].Start != 0 || got[0].End != 1 || got[1].Start != 4 || got[1].End != 8 {
		t.Errorf("got %v", got)
	}
}

func TestOperations(t *testing.T) {
	one, two := Operations(stage.Cost{Items: 1, Tiles: 1}), Operations(stage.Cost{Items: 2, Tiles: 1})
	if one != 128*(2+5) || two != one+128*6 {
		t.Errorf("got %g and %g", one, two)
	}
}
