package outline

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

	"plumb/render/path"
	"plumb/render/scene"
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

func (e *exported) bounds() Box {
	b := e.Export.Bounds
	return Box{b[0], b[1], b[2], b[3]}
}

// scene decodes the final state.
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
	rect                                 *path.Path
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
		var p path.Path
		path.RoundRect(&p, float32(n[0]), float32(n[1]), float32(n[2]), float32(n[3]), float32(n[4]))
		from.rect = &p
		return append(to, from)
	}
	for i := range e.Kids {
		to = e.Kids[i].flatten(from, to)
	}
	return to
}

// numbers returns the numbers in s, whatever stands between them.
func numbers(s string) (out []float64) {
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.-+eINaftyn", r) }) {
		if v, err := strconv.ParseFloat(f, 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}

func hexOf(c rgb) string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// sameDraw compares a draw with an exported path and returns what differs.
func sameDraw(t *testing.T, d *draw, w painted) string {
	if w.rect != nil {
		if !slices.Equal(d.path.Points, w.rect.Points) {
			return fmt.Sprintf("rectangle %v; want %v", d.path.Points, w.rect.Points)
		}
	} else if diff := samePathData(t, d.path, w.d, 1e-3); diff != "" {
		return diff
	}
	if d.width == 0 {
		if strings.HasPrefix(w.fill, "rgba(0,0,0,.1)") && d.opacity == shadowOpacity && d.color == ink {
			return ""
		}
		if want := strings.ToLower(w.fill); d.hatch != strings.HasPrefix(want, "url(") || !d.hatch && want != hexOf(d.color) {
			return "fill " + hexOf(d.color) + "; want " + want
		}
		return ""
	}
	if want := strings.ToLower(w.stroke); want != hexOf(d.color) {
		return "stroke " + hexOf(d.color) + "; want " + want
	}
	if n := numbers(w.width); len(n) != 1 || math.Abs(n[0]-d.width) > 1e-9 {
		return fmt.Sprintf("stroke width %g; want %s", d.width, w.width)
	}
	n := numbers(w.dash)
	usable := len(n) == 2 && !math.IsInf(n[0], 0) && !math.IsNaN(n[1]) && n[1] > 0
	if usable != (d.dashes.dash > 0 && !d.dashes.solid) {
		return fmt.Sprintf("dashes %+v; want %q", d.dashes, w.dash)
	}
	if usable && (math.Abs(n[0]-d.dashes.dash) > 1e-6 || math.Abs(n[1]-d.dashes.gap) > 1e-6 || math.Abs(numbers(w.offset + " 0")[0]-d.dashes.offset) > 1e-6) {
		return fmt.Sprintf("dashes %+v; want %q from %q", d.dashes, w.dash, w.offset)
	}
	return ""
}

// TestPathsEqualExports compares every path of every shape that is drawn
// natively with the editor's own vector export: order, place, opacity, path
// data, colours, widths and dashes.
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
		var tr tree
		if err := tr.build(s); err != nil {
			t.Fatal(err)
		}
		for _, y := range tr.paintOrder(s) {
			sh := &s.Shapes[y.shape]
			if sh.Kind == scene.Group {
				continue
			}
			if len(groups) == 0 {
				t.Fatalf("%s: the export has no more shapes at %q", e.ID, sh.ID)
			}
			g := groups[0]
			groups = groups[1:]
			if diff := compareShape(t, s, &tr, y, g); errors.Is(diff, ErrForeign) {
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

func compareShape(t *testing.T, s *scene.Scene, tr *tree, y layer, g *element) error {
	sh, n := &s.Shapes[y.shape], &tr.nodes[y.shape]
	m := n.page.Rounded()
	want := numbers(g.attr("transform"))
	for i, v := range []float64{m.A, m.B, m.C, m.D, m.E, m.F} {
		if math.Abs(v-want[i]) > 1e-9 {
			return fmt.Errorf("transform %v; want %v", m, want)
		}
	}
	if sh.Scale != 1 && len(want) < 8 || len(want) >= 8 && want[6] != sh.Scale {
		return fmt.Errorf("scale %g; want %v", sh.Scale, want)
	}
	if o := numbers(g.attr("opacity")); math.Abs(o[0]-n.opacity) > 1e-9 {
		return fmt.Errorf("opacity %g; want %g", n.opacity, o[0])
	}
	if (n.frame >= 0) != (g.attr("clip-path") != "") {
		return fmt.Errorf("in frame %d; clip is %q", n.frame, g.attr("clip-path"))
	}
	if sh.Kind == scene.Frame {
		return compareFrame(sh, n, g)
	}
	var l local
	l.reset()
	paths := g.flatten(painted{}, nil)
	if sh.Kind == scene.Arrow {
		clip := paths[0]
		paths = paths[1:]
		if err := compareClip(t, &l, s, tr, y.shape, clip.d); err != nil {
			return err
		}
	} else if err := l.shape(sh, sh.GrowY, y.back); err != nil {
		return err
	}
	for i := range l.draws {
		d := &l.draws[i]
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

// compareFrame compares the boxes of a frame, the place of its heading and that
// of every word.
func compareFrame(sh *scene.Shape, n *node, g *element) error {
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.giveBack()
	m, side := headingPlace(sh, n.page)
	if err := heading(k, sh, side); err != nil {
		return err
	}
	var l local
	l.reset()
	body, box := l.frame(sh, k.page.W, side)
	head := &g.Kids[1]
	for i, r := range []*element{&g.Kids[0], &head.Kids[0]} {
		d := [2][]draw{body, box}[i]
		x := [2]string{"0", r.attr("x")}[i]
		y := [2]string{"0", r.attr("y")}[i]
		want := numbers(strings.Join([]string{x, y, r.attr("width"), r.attr("height")}, " "))
		e, _ := boundsOf(d[0].path.Points, path.Identity)
		if got := []float64{float64(e[0]), float64(e[1]), float64(e[2] - e[0]), float64(e[3] - e[1])}; !slices.Equal(got, want) {
			return fmt.Errorf("box %d: got %v; want %v", i, got, want)
		}
		if hexOf(d[0].color) != r.attr("fill") || hexOf(d[1].color) != r.attr("stroke") {
			return fmt.Errorf("box %d: got colours %v, %v; want %s, %s", i, d[0].color, d[1].color, r.attr("fill"), r.attr("stroke"))
		}
	}
	want := path.Identity
	switch t := numbers(head.attr("transform")); len(t) {
	case 0:
	case 3: // translate(x, y) rotate(degrees)
		sin, cos := math.Sincos(t[2] * math.Pi / 180)
		sin, cos = math.Round(sin), math.Round(cos)
		want = path.Matrix{A: float32(cos), B: float32(sin), C: float32(-sin), D: float32(cos), E: float32(t[0]), F: float32(t[1])}
	default:
		return fmt.Errorf("heading at %v", t)
	}
	if m != want {
		return fmt.Errorf("heading at %v; want %v", m, want)
	}
	words := head.Kids[1].Kids[0].Kids
	if len(words) != len(k.page.Runs) {
		return fmt.Errorf("got %d words; want %d", len(k.page.Runs), len(words))
	}
	for i := range words {
		if got, want := k.page.Runs[i].X, numbers(words[i].attr("x"))[0]; got != want {
			return fmt.Errorf("word %d: at %v; want %v", i, got, want)
		}
	}
	return nil
}

// compareClip makes the draws of an arrow and compares what its body is seen
// through.
func compareClip(t *testing.T, l *local, s *scene.Scene, tr *tree, i int32, d string) error {
	t.Helper()
	var v arrows
	if err := v.solve(s, tr, i); err != nil {
		return err
	}
	label, err := v.label(&s.Shapes[i])
	if err != nil {
		return err
	}
	var p path.Path
	v.clipPath(&label, &p)
	if diff := samePathData(t, &p, d, 1e-3); diff != "" {
		return fmt.Errorf("clip: %s", diff)
	}
	return l.arrow(&s.Shapes[i], &v)
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
			want := Box{w.PageBounds[0], w.PageBounds[1], w.PageBounds[2], w.PageBounds[3]}
			got, ok := PageBounds(s, int32(i))
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
		got, ok, err := ContentBounds(s, nil)
		if errors.Is(err, ErrForeign) {
			return
		}
		if !ok || err != nil {
			t.Errorf("%s: got %v, %v", e.ID, ok, err)
			return
		}
		want := Box{e.PageBounds[0], e.PageBounds[1], e.PageBounds[2], e.PageBounds[3]}
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
