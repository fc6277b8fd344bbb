package paint

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
	"plumb/render/vector/vectortest"
	"plumb/render/view"
	"plumb/testdata"
)

// testVector is one case of tldraw/vectors.json, which the real library produced.
type testVector struct {
	ID, Kind  string
	Input     json.RawMessage
	Expect    json.RawMessage
	Tolerance json.RawMessage
}

// vectorsOf returns the vectors of the given kinds, all when there are none.
func vectorsOf(t *testing.T, kinds ...string) []testVector {
	t.Helper()
	var file struct{ Vectors []testVector }
	testdata.JSON(t, "tldraw/vectors.json", &file)
	var out []testVector
	for _, v := range file.Vectors {
		if len(kinds) == 0 || slices.Contains(kinds, v.Kind) {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no vectors of kind %v", kinds)
	}
	return out
}

// TestVectorKinds checks that every kind of test vector has a test, here or in the package of its
// name.
func TestVectorKinds(t *testing.T) {
	elsewhere := []string{"text_size", "geo_label_growth", "note_fit"} // render/text, TestBoxes
	tested := append(elsewhere, "prng", "geo_outline", "geo_draw_paths", "geo_draw_paths_scaled", "dash_fit", "geo_dashed_paths",
		"arrow_info", "arrow_export_paths", "draw_stroke_5x", "line_export_paths", "freehand", "highlight", "raster_alpha")
	for _, v := range vectorsOf(t) {
		if !slices.Contains(tested, v.Kind) {
			t.Errorf("%s: vectors of kind %q are not tested", v.ID, v.Kind)
		}
	}
}

// decode decodes one JSON value of a test vector.
func decode[T any](t *testing.T, raw json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// position returns the index of name in names.
func position(t *testing.T, names, name string) uint8 {
	t.Helper()
	i := slices.Index(strings.Fields(names), name)
	if i < 0 {
		t.Fatalf("unknown name %q; want one of %s", name, names)
	}
	return uint8(i)
}

const (
	geoNames = "rectangle ellipse triangle diamond pentagon hexagon octagon star rhombus rhombus-2 oval trapezoid " +
		"arrow-right arrow-left arrow-up arrow-down x-box check-box heart cloud"
	sizeNames = "s m l xl"
	dashNames = "draw solid dashed dotted none"
	fillNames = "none semi solid pattern fill lined-fill"
)

// spec holds the inputs that vectors of outlines share.
type spec struct {
	ID, Geo, Size, Dash, Fill, Spline string
	W, H, Scale                       float64
	Points                            [][2]float64
	Segments                          []struct {
		Type   string
		Points []scene.Pressed
	}
	Props struct {
		Size, Dash, Fill            string
		IsComplete, IsClosed, IsPen bool
	}
}

// shape makes the shape of a vector with tldraw's defaults.
func (s spec) shape(t *testing.T) *scene.Shape {
	or := func(v, d string) string {
		if v == "" {
			return d
		}
		return v
	}
	sh := &scene.Shape{
		ID: s.ID, Parent: -1, Opacity: 1, Scale: max(s.Scale, 0), W: s.W, H: s.H,
		Geo:   scene.GeoKind(position(t, geoNames, or(s.Geo, "rectangle"))),
		Size:  scene.Size(position(t, sizeNames, or(s.Size+s.Props.Size, "m"))),
		Dash:  scene.Dash(position(t, dashNames, or(s.Dash+s.Props.Dash, "draw"))),
		Fill:  scene.Fill(position(t, fillNames, or(s.Fill+s.Props.Fill, "none"))),
		Cubic: s.Spline == "cubic", Closed: s.Props.IsClosed, Complete: s.Props.IsComplete, Pen: s.Props.IsPen,
	}
	if sh.Scale == 0 {
		sh.Scale = 1
	}
	for _, p := range s.Points {
		sh.Points = append(sh.Points, scene.Point{X: p[0], Y: p[1]})
	}
	for _, g := range s.Segments {
		sh.Segments = append(sh.Segments, scene.Segment{Straight: g.Type == "straight", Points: g.Points})
	}
	switch {
	case len(sh.Points) > 0:
		sh.Kind = scene.Line
	case len(sh.Segments) > 0:
		sh.Kind = scene.Draw
	}
	return sh
}

// draws returns what the export paints for the shape.
func (s spec) draws(t *testing.T) []shapes.Draw {
	t.Helper()
	var l shapes.Maker
	l.Reset()
	if err := l.Shape(s.shape(t), 0, false); err != nil {
		t.Fatal(err)
	}
	return l.Draws
}

// samePathData compares a path with exported path data: verbs equal, numbers
// within tol. It returns the first difference, or "".
func samePathData(t *testing.T, got *vector.Path, d string, tol float64) string {
	t.Helper()
	want, err := vectortest.Parse(d)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Verbs, want.Verbs) {
		return "verbs " + verbNames(got) + "; want " + verbNames(want)
	}
	for i, p := range got.Points {
		q := want.Points[i]
		if e := max(math.Abs(float64(p.X)-float64(q.X)), math.Abs(float64(p.Y)-float64(q.Y))); !(e <= tol+2e-7*math.Abs(float64(q.X)+float64(q.Y))) {
			b, _ := json.Marshal([]any{"point", i, "got", p, "want", q, "off", e})
			return string(b)
		}
	}
	return ""
}

// verbNames returns the verbs of a path as letters.
func verbNames(p *vector.Path) string {
	var b strings.Builder
	for _, v := range p.Verbs {
		b.WriteByte("MLQCKZ"[v])
	}
	return b.String()
}

func TestPRNGVectors(t *testing.T) {
	for _, v := range vectorsOf(t, "prng") {
		in := decode[struct {
			Seed  string
			Count int
		}](t, v.Input)
		want := decode[struct{ Values []float64 }](t, v.Expect).Values
		var g shapes.Random
		g.Seed(in.Seed, "")
		for i, w := range want {
			if got := g.Next(); got != w {
				t.Errorf("seed %q, output %d: got %v; want %v", in.Seed, i, got, w)
			}
		}
	}
}

func TestGeoOutlineVectors(t *testing.T) {
	for _, v := range vectorsOf(t, "geo_outline") {
		s := decode[spec](t, v.Input)
		want := decode[struct {
			D      string `json:"d"`
			FillD  string `json:"fill_d"`
			Bounds struct{ X, Y, W, H float64 }
		}](t, v.Expect)
		tol := decode[float64](t, v.Tolerance)
		sh := s.shape(t)
		sh.Fill = scene.FillSolid
		var l shapes.Maker
		l.Reset()
		if err := l.Shape(sh, 0, false); err != nil {
			t.Fatal(err)
		}
		if diff := samePathData(t, l.Draws[0].Path, want.FillD, tol); diff != "" {
			t.Errorf("%s: fill: %s", v.ID, diff)
		}
		if diff := samePathData(t, l.Draws[1].Path, want.D, tol); diff != "" {
			t.Errorf("%s: stroke: %s", v.ID, diff)
		}
		got, ok := view.PageBounds(&scene.Scene{Shapes: []scene.Shape{*sh}}, 0)
		if b := view.Box(want.Bounds); !ok || !sameBox(got, b, 1e-6) {
			t.Errorf("%s: bounds: got %v, %v; want %v", v.ID, got, ok, b)
		}
	}
}

// sameBox reports whether two boxes differ by at most tol.
func sameBox(a, b view.Box, tol float64) bool {
	return math.Abs(a.X-b.X) <= tol && math.Abs(a.Y-b.Y) <= tol && math.Abs(a.W-b.W) <= tol && math.Abs(a.H-b.H) <= tol
}

// sameView demands that the size of the shape's page bounds is the one that its
// vector was exported at, where it has one: without padding they are the same.
func sameView(t *testing.T, v testVector, sh *scene.Shape) {
	t.Helper()
	want := decode[struct{ View *[2]float64 }](t, v.Expect).View
	if want == nil {
		return
	}
	got, ok := view.PageBounds(&scene.Scene{Shapes: []scene.Shape{*sh}}, 0)
	if !ok || math.Abs(got.W-want[0]) > 1e-5 || math.Abs(got.H-want[1]) > 1e-5 {
		t.Errorf("%s: got bounds %v, %v; want %v", v.ID, got, ok, *want)
	}
}

// dashing is how a vector says dashes: a list, or attributes of a path as text.
type dashing struct{ Dasharray, Offset any }

// same compares fitted dashes with the expected ones.
func (w dashing) same(t *testing.T, what string, got shapes.Dashes) {
	t.Helper()
	text := strings.Trim(fmt.Sprint(w.Dasharray), "[]")
	if w.Dasharray == nil || text == "" {
		text = "0 0"
	}
	var want shapes.Dashes
	if _, err := fmt.Sscan(text, &want.Dash, &want.Gap); err != nil {
		t.Fatalf("%s: dash array %q: %v", what, text, err)
	}
	if w.Offset != nil {
		if _, err := fmt.Sscan(fmt.Sprint(w.Offset), &want.Offset); err != nil {
			t.Fatalf("%s: offset %v: %v", what, w.Offset, err)
		}
	}
	if d := max(math.Abs(got.Dash-want.Dash), math.Abs(got.Gap-want.Gap), math.Abs(got.Offset-want.Offset)); !(d <= 1e-9) {
		t.Errorf("%s: got %+v; want %+v", what, got, want)
	}
}

func TestDrawPathVectors(t *testing.T) {
	for _, v := range vectorsOf(t, "geo_draw_paths", "geo_draw_paths_scaled") {
		s := decode[spec](t, v.Input)
		want := decode[struct {
			FillD   string  `json:"fill_d"`
			StrokeD string  `json:"stroke_d"`
			Width   float64 `json:"stroke_width"`
		}](t, v.Expect)
		tol := decode[float64](t, v.Tolerance)
		d := s.draws(t)
		if diff := samePathData(t, d[0].Path, want.FillD, tol); diff != "" {
			t.Errorf("%s: fill: %s", v.ID, diff)
		}
		if diff := samePathData(t, d[1].Path, want.StrokeD, tol); diff != "" {
			t.Errorf("%s: stroke: %s", v.ID, diff)
		}
		if d[1].Width != want.Width {
			t.Errorf("%s: stroke width: got %g; want %g", v.ID, d[1].Width, want.Width)
		}
		sameView(t, v, s.shape(t))
	}
}

func TestDashFitVectors(t *testing.T) {
	ends := map[string]shapes.Ending{"none": shapes.Exact, "outset": shapes.Outset, "skip": shapes.Skip}
	for _, v := range vectorsOf(t, "dash_fit") {
		in := decode[struct {
			Length      float64
			StrokeWidth float64 `json:"stroke_width"`
			Style       string
			Start, End  string
		}](t, v.Input)
		want := decode[struct{ Dash, Gap, Offset float64 }](t, v.Expect)
		tol := decode[float64](t, v.Tolerance)
		f := shapes.FitDashes(in.Length, in.StrokeWidth, in.Style == "dotted", ends[in.Start], ends[in.End])
		if math.Abs(f.Dash-want.Dash) > tol || math.Abs(f.Gap-want.Gap) > tol || math.Abs(f.Offset-want.Offset) > tol {
			t.Errorf("%s: got %+v; want %+v", v.ID, f, want)
		}
	}
}

func TestDashedPathVectors(t *testing.T) {
	for _, v := range vectorsOf(t, "geo_dashed_paths") {
		d := decode[spec](t, v.Input).draws(t)
		want := decode[struct {
			Paths []struct {
				D string `json:"d"`
				dashing
			}
		}](t, v.Expect).Paths
		tol := decode[float64](t, v.Tolerance)
		if len(d) != len(want) {
			t.Fatalf("%s: got %d runs; want %d", v.ID, len(d), len(want))
		}
		for i, w := range want {
			if diff := samePathData(t, d[i].Path, w.D, tol); diff != "" {
				t.Errorf("%s: run %d: %s", v.ID, i, diff)
			}
			w.same(t, fmt.Sprintf("%s: run %d", v.ID, i), d[i].Dashes)
		}
	}
}

func TestLineVectors(t *testing.T) {
	for _, v := range vectorsOf(t, "line_export_paths") {
		s := decode[spec](t, v.Input)
		d := s.draws(t)
		want := decode[struct {
			Paths []struct {
				D string
				dashing
			}
		}](t, v.Expect).Paths
		tol := decode[float64](t, v.Tolerance)
		sameView(t, v, s.shape(t))
		if len(d) != len(want) {
			t.Fatalf("%s: got %d paths; want %d", v.ID, len(d), len(want))
		}
		for i, w := range want {
			if diff := samePathData(t, d[i].Path, w.D, tol); diff != "" {
				t.Errorf("%s: path %d: %s", v.ID, i, diff)
			}
			w.same(t, fmt.Sprintf("%s: path %d", v.ID, i), d[i].Dashes)
		}
	}
}

func TestFreehandVectors(t *testing.T) {
	for _, v := range vectorsOf(t, "freehand") {
		s := decode[spec](t, v.Input)
		want := decode[struct {
			StrokeSize   float64      `json:"stroke_size"`
			StrokePoints [][5]float64 `json:"stroke_points"`
			Paths        []struct {
				D            string
				Fill, Stroke string
				Width        float64 `json:"stroke_width"`
				dashing
			}
		}](t, v.Expect)
		tol := decode[float64](t, v.Tolerance)
		sameView(t, v, s.shape(t))
		var l shapes.Maker
		l.Reset()
		if err := l.Shape(s.shape(t), 0, false); err != nil {
			t.Fatal(err)
		}
		if len(l.Freehand.Points) != len(want.StrokePoints) {
			t.Errorf("%s: got %d points; want %d", v.ID, len(l.Freehand.Points), len(want.StrokePoints))
			continue
		}
		for i, w := range want.StrokePoints {
			m := l.Freehand.Points[i]
			for k, got := range [5]float64{m.At.X, m.At.Y, m.Pressure, m.RunLength, m.Radius} {
				if math.Abs(got-w[k]) > tol {
					t.Errorf("%s: point %d, number %d: got %g; want %g", v.ID, i, k, got, w[k])
				}
			}
		}
		if len(l.Draws) != len(want.Paths) {
			t.Fatalf("%s: got %d paths; want %d", v.ID, len(l.Draws), len(want.Paths))
		}
		for i, w := range want.Paths {
			if diff := samePathData(t, l.Draws[i].Path, w.D, tol); diff != "" {
				t.Errorf("%s: path %d: %s", v.ID, i, diff)
			}
			if l.Draws[i].Width != w.Width {
				t.Errorf("%s: path %d: stroke width: got %g; want %g", v.ID, i, l.Draws[i].Width, w.Width)
			}
			color := w.Fill
			if w.Stroke != "" {
				color = w.Stroke
			}
			if got := hexOf(l.Draws[i].Color); got != color {
				t.Errorf("%s: path %d: got colour %s; want %s", v.ID, i, got, color)
			}
			w.same(t, fmt.Sprintf("%s: path %d", v.ID, i), l.Draws[i].Dashes)
		}
	}
}

func TestHighlightVectors(t *testing.T) {
	for _, v := range vectorsOf(t, "highlight") {
		s := decode[spec](t, v.Input)
		want := decode[struct {
			Paths []struct {
				D       string
				Stroke  string
				Width   float64 `json:"stroke_width"`
				Opacity float64
			}
		}](t, v.Expect).Paths
		sh := s.shape(t)
		sh.Kind, sh.Color = scene.Highlight, scene.Yellow
		sh.Complete = true // the vectors leave it out, and end on their last point
		sameView(t, v, sh)
		for i, w := range want {
			var l shapes.Maker
			l.Reset()
			if err := l.Shape(sh, 0, i == 0); err != nil {
				t.Fatal(err)
			}
			d := &l.Draws[0]
			if diff := samePathData(t, d.Path, w.D, 1e-3); diff != "" {
				t.Errorf("%s: layer %d: %s", v.ID, i, diff)
			}
			if d.Width != w.Width || hexOf(d.Color) != w.Stroke || math.Abs(float64(d.Opacity)/shapes.Opaque-w.Opacity) > 0.5/255 {
				t.Errorf("%s: layer %d: got %+v; want %+v", v.ID, i, d, w)
			}
		}
	}
}
