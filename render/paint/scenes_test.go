package paint

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plumb/render/arrows"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/tree"
	"plumb/render/vector"
	"plumb/render/view"
	"plumb/testdata"
)

// exported is a scene that the real editor exported.
type exported struct {
	ID, Kind string
	Records  json.RawMessage
	Export   struct{ Bounds [4]float64 }
	Geometry map[string]struct {
		PageBounds [4]float64
	}
	PageBounds [4]float64 `json:"page_bounds"`
	Images     map[string]struct{ File string }
	Added      []struct{ ID string }
}

func (e *exported) bounds() view.Box {
	b := e.Export.Bounds
	return view.Box{X: b[0], Y: b[1], W: b[2], H: b[3]}
}

// scene decodes the final state of the exported scene.
func (e *exported) scene(t testing.TB) *scene.Scene {
	t.Helper()
	s, err := scene.Decode([]byte(`{"records":`+string(e.Records)+`}`), scene.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", e.ID, err)
	}
	return s
}

// exportedScenes calls f with every scene of tldraw/scenes.jsonl.
func exportedScenes(t testing.TB, f func(*exported)) {
	t.Helper()
	testdata.Each(t, "tldraw/scenes.jsonl", f)
}

// element is a node of an exported SVG.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Kids    []element  `xml:",any"`
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// painted is a path of the export with the attributes that it inherits.
type painted struct {
	d, fill, stroke, width, dash, offset string
	rect                                 *vector.Path
}

// flatten appends the paths and rectangles below e in paint order.
func (e *element) flatten(from painted, to []painted) []painted {
	for _, a := range []struct {
		name string
		to   *string
	}{{"fill", &from.fill}, {"stroke", &from.stroke}, {"stroke-width", &from.width},
		{"stroke-dasharray", &from.dash}, {"stroke-dashoffset", &from.offset}, {"d", &from.d}} {
		if v := e.attr(a.name); v != "" {
			*a.to = v
		}
	}
	if e.attr("opacity") == "0" {
		return to // it makes the clip of an arrow's body large enough
	}
	switch e.XMLName.Local {
	case "path":
		painted := func(v string) bool { return v != "" && v != "none" }
		if painted(from.fill) && painted(from.stroke) {
			inside := from
			inside.stroke = ""
			from.fill = ""
			return append(to, inside, from)
		}
		return append(to, from)
	case "rect":
		n := numbers(strings.Join([]string{"0" + e.attr("x"), "0" + e.attr("y"), e.attr("width"), e.attr("height"), e.attr("rx")}, " "))
		var p vector.Path
		vector.RoundRect(&p, float32(n[0]), float32(n[1]), float32(n[2]), float32(n[3]), float32(n[4]))
		from.rect = &p
		return append(to, from)
	}
	for i := range e.Kids {
		to = e.Kids[i].flatten(from, to)
	}
	return to
}

// numbers returns the numbers in s and ignores all other characters.
func numbers(s string) (out []float64) {
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.-+eINaftyn", r) }) {
		if v, err := strconv.ParseFloat(f, 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}

func hexOf(c shapes.RGB) string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// sameDraw compares a draw with an exported path and returns what differs.
func sameDraw(t *testing.T, d *shapes.Draw, w painted) string {
	if w.rect != nil {
		if !slices.Equal(d.Path.Points, w.rect.Points) {
			return fmt.Sprintf("rectangle %v; want %v", d.Path.Points, w.rect.Points)
		}
	} else if diff := samePathData(t, d.Path, w.d, 1e-3); diff != "" {
		return diff
	}
	if d.Width == 0 {
		if strings.HasPrefix(w.fill, "rgba(0,0,0,.1)") && d.Opacity == shapes.ShadowOpacity && d.Color == shapes.Ink {
			return ""
		}
		if want := strings.ToLower(w.fill); d.Hatch != strings.HasPrefix(want, "url(") || !d.Hatch && want != hexOf(d.Color) {
			return "fill " + hexOf(d.Color) + "; want " + want
		}
		return ""
	}
	if want := strings.ToLower(w.stroke); want != hexOf(d.Color) {
		return "stroke " + hexOf(d.Color) + "; want " + want
	}
	if n := numbers(w.width); len(n) != 1 || math.Abs(n[0]-d.Width) > 1e-9 {
		return fmt.Sprintf("stroke width %g; want %s", d.Width, w.width)
	}
	n := numbers(w.dash)
	usable := len(n) == 2 && !math.IsInf(n[0], 0) && !math.IsNaN(n[1]) && n[1] >= 0
	if usable != (d.Dashes.Dash > 0 && !d.Dashes.Solid) {
		return fmt.Sprintf("dashes %+v; want %q", d.Dashes, w.dash)
	}
	if usable && (math.Abs(n[0]-d.Dashes.Dash) > 1e-6 || math.Abs(n[1]-d.Dashes.Gap) > 1e-6 || math.Abs(numbers(w.offset + " 0")[0]-d.Dashes.Offset) > 1e-6) {
		return fmt.Sprintf("dashes %+v; want %q from %q", d.Dashes, w.dash, w.offset)
	}
	return ""
}

// TestPathsEqualExports compares every path of every shape that is drawn natively with the editor's
// own vector export: order, place, opacity, path data, colours, widths and dashes.
func TestPathsEqualExports(t *testing.T) {
	compared, left := 0, map[scene.Kind]int{}
	exportedScenes(t, func(e *exported) {
		raw, err := os.ReadFile(testdata.Path(t, "tldraw/svg/"+e.ID+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		var svg element
		if err := xml.Unmarshal(raw, &svg); err != nil {
			t.Fatal(err)
		}
		var groups []*element
		for i := range svg.Kids {
			if svg.Kids[i].XMLName.Local == "g" {
				groups = append(groups, &svg.Kids[i])
			}
		}
		s := e.scene(t)
		var tr tree.Tree
		if err := tr.Build(s); err != nil {
			t.Fatal(err)
		}
		for _, y := range tr.PaintOrder(s) {
			sh := &s.Shapes[y.Shape]
			if sh.Kind == scene.Group {
				continue
			}
			if len(groups) == 0 {
				t.Fatalf("%s: the export has no more shapes at %q", e.ID, sh.ID)
			}
			g := groups[0]
			groups = groups[1:]
			if diff := compareShape(t, s, &tr, y, g); errors.Is(diff, shapes.ErrForeign) {
				left[sh.Kind]++
			} else if diff != nil {
				t.Errorf("%s: %s (%s): %v", e.ID, sh.ID, sh.Kind, diff)
			} else {
				compared++
			}
		}
		if len(groups) > 0 {
			t.Errorf("%s: %d shapes of the export are missing", e.ID, len(groups))
		}
	})
	t.Logf("%d shapes compared, not native: %v", compared, left)
	if compared < 780 || len(left) > 0 {
		t.Errorf("only %d shapes compared", compared)
	}
}

func compareShape(t *testing.T, s *scene.Scene, tr *tree.Tree, y tree.Layer, g *element) error {
	sh, n := &s.Shapes[y.Shape], &tr.Nodes[y.Shape]
	m := n.Page.Rounded()
	want := numbers(g.attr("transform"))
	for i, v := range []float64{m.A, m.B, m.C, m.D, m.E, m.F} {
		if math.Abs(v-want[i]) > 1e-9 {
			return fmt.Errorf("transform %v; want %v", m, want)
		}
	}
	if sh.Scale != 1 && len(want) < 8 || len(want) >= 8 && want[6] != sh.Scale {
		return fmt.Errorf("scale %g; want %v", sh.Scale, want)
	}
	if o := numbers(g.attr("opacity")); math.Abs(o[0]-n.Opacity) > 1e-9 {
		return fmt.Errorf("opacity %g; want %g", n.Opacity, o[0])
	}
	if (n.Frame >= 0) != (g.attr("clip-path") != "") {
		return fmt.Errorf("in frame %d; clip is %q", n.Frame, g.attr("clip-path"))
	}
	if sh.Kind == scene.Frame {
		return compareFrame(sh, n, g)
	}
	var l shapes.Maker
	l.Reset()
	paths := g.flatten(painted{}, nil)
	if sh.Kind == scene.Arrow {
		clip := paths[0]
		paths = paths[1:]
		if err := compareClip(t, &l, s, tr, y.Shape, clip.d); err != nil {
			return err
		}
	} else if err := l.Shape(sh, sh.GrowY, y.Back); err != nil {
		return err
	}
	for i := range l.Draws {
		d := &l.Draws[i]
		if len(paths) == 0 {
			return fmt.Errorf("draw %d is not in the export", i)
		}
		if diff := sameDraw(t, d, paths[0]); diff != "" {
			return fmt.Errorf("draw %d: %s", i, diff)
		}
		paths = paths[1:]
	}
	if len(paths) > 0 {
		return fmt.Errorf("%d paths of the export are missing", len(paths))
	}
	return nil
}

// compareFrame compares the boxes of a frame, the place of its heading and that of every word.
func compareFrame(sh *scene.Shape, n *tree.Node, g *element) error {
	k, err := takeTextPainter()
	if err != nil {
		return err
	}
	defer k.GiveBack()
	m, side := shapes.HeadingPlace(sh, n.Page)
	if err := heading(k, sh, side); err != nil {
		return err
	}
	var l shapes.Maker
	l.Reset()
	body, box := l.Frame(sh, k.Page.W, side)
	head := &g.Kids[1]
	for i, r := range []*element{&g.Kids[0], &head.Kids[0]} {
		d := [2][]shapes.Draw{body, box}[i]
		x := [2]string{"0", r.attr("x")}[i]
		y := [2]string{"0", r.attr("y")}[i]
		want := numbers(strings.Join([]string{x, y, r.attr("width"), r.attr("height")}, " "))
		e, _ := boundsOf(d[0].Path.Points, vector.Identity)
		if got := []float64{float64(e[0]), float64(e[1]), float64(e[2] - e[0]), float64(e[3] - e[1])}; !slices.Equal(got, want) {
			return fmt.Errorf("box %d: got %v; want %v", i, got, want)
		}
		if hexOf(d[0].Color) != r.attr("fill") || hexOf(d[1].Color) != r.attr("stroke") {
			return fmt.Errorf("box %d: got colours %v, %v; want %s, %s", i, d[0].Color, d[1].Color, r.attr("fill"), r.attr("stroke"))
		}
	}
	want := vector.Identity
	switch t := numbers(head.attr("transform")); len(t) {
	case 0:
	case 3: // translate(x, y) rotate(degrees)
		sin, cos := math.Sincos(t[2] * math.Pi / 180)
		sin, cos = math.Round(sin), math.Round(cos)
		want = vector.Matrix{A: float32(cos), B: float32(sin), C: float32(-sin), D: float32(cos), E: float32(t[0]), F: float32(t[1])}
	default:
		return fmt.Errorf("heading at %v", t)
	}
	if m != want {
		return fmt.Errorf("heading at %v; want %v", m, want)
	}
	words := head.Kids[1].Kids[0].Kids
	if len(words) != len(k.Page.Runs) {
		return fmt.Errorf("got %d words; want %d", len(k.Page.Runs), len(words))
	}
	for i := range words {
		if got, want := k.Page.Runs[i].X, numbers(words[i].attr("x"))[0]; got != want {
			return fmt.Errorf("word %d: at %v; want %v", i, got, want)
		}
	}
	return nil
}

// compareClip makes the draws of an arrow and compares the clip path of its body.
func compareClip(t *testing.T, l *shapes.Maker, s *scene.Scene, tr *tree.Tree, i int32, d string) error {
	t.Helper()
	var v arrows.Solver
	if err := v.Solve(s, tr, i); err != nil {
		return err
	}
	label, err := v.Label(&s.Shapes[i])
	if err != nil {
		return err
	}
	var p vector.Path
	v.ClipPath(&label, &p)
	if diff := samePathData(t, &p, d, 1e-3); diff != "" {
		return fmt.Errorf("clip: %s", diff)
	}
	return v.Draws(l, &s.Shapes[i])
}

// TestPageBoundsOfExports compares the box of every shape whose outline is
// native with the editor's.
func TestPageBoundsOfExports(t *testing.T) {
	compared := 0
	exportedScenes(t, func(e *exported) {
		s := e.scene(t)
		for i := range s.Shapes {
			sh := &s.Shapes[i]
			w, ok := e.Geometry[sh.ID]
			if !ok {
				t.Fatalf("%s: no geometry of %q", e.ID, sh.ID)
			}
			want := view.Box{X: w.PageBounds[0], Y: w.PageBounds[1], W: w.PageBounds[2], H: w.PageBounds[3]}
			got, ok := view.PageBounds(s, int32(i))
			if !ok {
				t.Errorf("%s: %s: no bounds", e.ID, sh.ID)
				continue
			}
			if !sameBox(got, want, 1e-6) {
				t.Errorf("%s: %s %s %s: got %v; want %v", e.ID, sh.Kind, sh.Geo, sh.ID, got, want)
			}
			compared++
		}
	})
	t.Logf("%d boxes compared", compared)
}

// TestContentBoundsOfExports compares the box of whole scenes with the editor's.
func TestContentBoundsOfExports(t *testing.T) {
	compared := 0
	exportedScenes(t, func(e *exported) {
		s := e.scene(t)
		if slices.ContainsFunc(s.Shapes, func(sh scene.Shape) bool { return sh.Kind == scene.Frame }) {
			return // page_bounds holds what frames cut away, an export does not
		}
		got, ok, err := view.ContentBounds(s, nil)
		if errors.Is(err, shapes.ErrForeign) {
			return
		}
		if !ok || err != nil {
			t.Errorf("%s: got %v, %v", e.ID, ok, err)
			return
		}
		want := view.Box{X: e.PageBounds[0], Y: e.PageBounds[1], W: e.PageBounds[2], H: e.PageBounds[3]}
		if !sameBox(got, want, 1e-6) {
			t.Errorf("%s: got %v; want %v", e.ID, got, want)
		}
		compared++
	})
	t.Logf("%d scenes compared", compared)
	if compared < 140 {
		t.Errorf("only %d scenes compared", compared)
	}
}
