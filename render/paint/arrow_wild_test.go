package paint

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"plumb/render/arrows"
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/tree"
	"plumb/render/view"
)

// wildArrow returns a scene of two random targets and an arrow between them.
func wildArrow(r *rand.Rand, size float64) *scene.Scene {
	pick := func(n int) int { return r.IntN(n) }
	at := func() float64 { return (r.Float64() - 0.3) * 400 * size }
	s := &scene.Scene{}
	for i := range 2 {
		sh := scene.Shape{
			ID: fmt.Sprintf("shape:t%d", i), TypeName: "target", Parent: -1, Opacity: 1, Scale: []float64{1, 0.5, 2}[pick(3)],
			X: at(), Y: at(), W: math.Abs(at()), H: math.Abs(at()), Size: scene.Size(pick(4)), Dash: scene.Dash(pick(4)),
		}
		if pick(3) == 0 {
			sh.Rotation = r.Float64() * 7
		}
		switch pick(6) {
		case 0:
			sh.Kind = scene.Frame
		case 1:
			sh.Kind = scene.Note
		case 2:
			sh.Kind, sh.Points = scene.Line, []scene.Point{{X: at(), Y: at()}, {X: at(), Y: at()}}
		default:
			sh.Geo = scene.GeoKind(pick(int(scene.Cloud) + 1))
		}
		s.Shapes = append(s.Shapes, sh)
	}
	s.Shapes = append(s.Shapes, scene.Shape{
		ID: "shape:r", Kind: scene.Arrow, TypeName: "arrow", Parent: -1, Opacity: 1, Scale: []float64{1, 0.3, 3}[pick(3)],
		X: at(), Y: at(), Size: scene.Size(pick(4)), Dash: scene.Dash(pick(4)), Fill: scene.Fill(pick(6)),
		Points: []scene.Point{{X: at(), Y: at()}, {X: at(), Y: at()}},
		Arrow: &scene.ArrowProps{
			Elbow: pick(2) == 0, Bend: []float64{0, 20, -300 * size, 5000}[pick(4)], ElbowMidPoint: r.Float64(), LabelPosition: r.Float64(),
			HeadStart: scene.Arrowhead(pick(9)), HeadEnd: scene.Arrowhead(pick(9)),
		},
	})
	for k := range 2 {
		if pick(4) > 0 {
			s.Bindings = append(s.Bindings, scene.Binding{
				From: 2, To: int32(pick(2)), IsEnd: k == 1, IsExact: pick(5) == 0, IsPrecise: pick(2) == 0,
				Anchor: scene.Point{X: r.Float64(), Y: r.Float64()}, Snap: scene.Snap(pick(4)),
			})
		}
	}
	return s
}

// moved returns the scene moved on the page.
func moved(s *scene.Scene, dx, dy float64) *scene.Scene {
	out := &scene.Scene{Shapes: append([]scene.Shape{}, s.Shapes...), Bindings: s.Bindings}
	for i := range out.Shapes {
		out.Shapes[i].X += dx
		out.Shapes[i].Y += dy
	}
	return out
}

// TestArrowsAnywhere solves random arrows: each is solved or refused by name. A used solver, and
// the same scene elsewhere on the page, give the same result.
func TestArrowsAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	used := new(arrows.Solver)
	solve := func(v *arrows.Solver, s *scene.Scene) error {
		var tr tree.Tree
		if err := tr.Build(s); err != nil {
			t.Fatal(err)
		}
		return v.Solve(s, &tr, 2)
	}
	kinds, refused, torn := map[arrows.ArrowKind]int{}, 0, 0
	for i := range 4000 {
		s := wildArrow(r, []float64{1, 1, 1, 1e-6, 1e6}[i%5])
		fresh := new(arrows.Solver)
		err := solve(fresh, s)
		if err != nil {
			if refused++; !errors.Is(err, shapes.ErrForeign) && !strings.Contains(err.Error(), "want at most") {
				t.Fatalf("case %d: %v", i, err)
			}
			continue
		}
		if !fresh.Valid {
			continue
		}
		kinds[fresh.Kind]++
		if err := solve(used, s); err != nil || used.Start != fresh.Start || used.End != fresh.End || len(used.Route) != len(fresh.Route) {
			t.Fatalf("case %d: got %v to %v, %v in used memory; want %v to %v", i, used.Start, used.End, err, fresh.Start, fresh.End)
		}
		// Ends that meet in one point may turn either way.
		if i%5 < 3 && geom.Distance(fresh.Start, fresh.End) > 11*s.Shapes[2].Scale {
			if err := solve(used, moved(s, 1024, -512)); err != nil || !geom.Near(used.Start, fresh.Start, 1e-4) || !geom.Near(used.End, fresh.End, 1e-4) {
				// Which of two crossings is taken may hang on the last bit.
				if torn++; torn > 2 {
					t.Errorf("case %d: got %v to %v, %v elsewhere; want %v to %v (%+v)", i, used.Start, used.End, err, fresh.Start, fresh.End, s.Shapes[2].Arrow)
				}
			}
		}
	}
	t.Logf("%v worked out, %d refused", kinds, refused)
	for k := range arrows.ElbowArrow + 1 {
		if kinds[k] < 100 {
			t.Errorf("only %d arrows of kind %d", kinds[k], k)
		}
	}
}

// TestArrowsDraw draws solved arrows in both modes, also in a frame.
func TestArrowsDraw(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	var b Builder
	d := new(Drawing)
	for i := range 600 {
		s := wildArrow(r, []float64{1, 1, 1e-6, 1e5}[i%4])
		if i%3 == 0 {
			f := scene.Shape{ID: "shape:f", Kind: scene.Frame, TypeName: "frame", Parent: -1, Opacity: 1, Scale: 1, X: 20, Y: 20, W: 150, H: 120, Rotation: float64(i % 2)}
			s.Shapes = append(s.Shapes[:2:2], f, s.Shapes[2])
			s.Shapes[3].Parent = 2
			for k := range s.Bindings {
				s.Bindings[k].From = 3
			}
		}
		for _, mode := range []Raster{Reference, Exact} {
			err := b.Build(view.View{Scene: s, Bounds: view.Box{X: -50, Y: -50, W: 300, H: 300}}, mode, d)
			if err != nil {
				if !errors.Is(err, shapes.ErrForeign) && !strings.Contains(err.Error(), "want at most") {
					t.Fatalf("case %d: %v", i, err)
				}
				continue
			}
			for k := range d.Items {
				if c := d.Items[k].Clip; c >= int32(k) || c >= 0 && d.Items[c].Op != OpClip {
					t.Fatalf("case %d: item %d is clipped by %d", i, k, c)
				}
			}
		}
	}
}

// TestArrowEdgeCases covers arrows without length, targets without size, one target
// for both ends, one inside the other.
func TestArrowEdgeCases(t *testing.T) {
	const box = `{"id":"shape:%s","type":"geo","x":%d,"y":%d,"props":{"w":%d,"h":%d}}`
	bind := func(end, to, props string) string {
		return `{"type":"arrow","fromId":"shape:r","toId":"shape:` + to + `","props":{"terminal":"` + end + `"` + props + `}}`
	}
	tests := []struct {
		name, targets, arrow, bindings string
		shown                          bool
	}{
		{"no length", "", `"start":{"x":5,"y":5},"end":{"x":5,"y":5}`, "", false},
		{"elbow without length", "", `"kind":"elbow","start":{"x":5,"y":5},"end":{"x":5,"y":5}`, "", true}, // a dot
		{"same centre", fmt.Sprintf(box, "a", 0, 0, 50, 50) + ",", `"bend":0`, bind("start", "a", "") + "," + bind("end", "a", ""), false},
		{"one target", fmt.Sprintf(box, "a", 0, 0, 50, 50) + ",", `"bend":40`, bind("start", "a", `,"normalizedAnchor":{"x":0.1,"y":0.5}`) + "," + bind("end", "a", `,"normalizedAnchor":{"x":0.9,"y":0.5}`), true},
		{"no size", fmt.Sprintf(box, "a", 80, 80, 1, 1) + ",", `"kind":"elbow"`, bind("end", "a", ""), true},
		{"one in the other", fmt.Sprintf(box, "a", 0, 0, 90, 90) + "," + fmt.Sprintf(box, "b", 20, 20, 20, 20) + ",", `"bend":0`, bind("start", "a", "") + "," + bind("end", "b", ""), true},
	}
	for _, tc := range tests {
		s := sceneOf(t, []byte(`{"shapes":[`+tc.targets+`{"id":"shape:r","type":"arrow","x":0,"y":0,"props":{`+tc.arrow+`}}],"bindings":[`+tc.bindings+`]}`))
		v, i := solved(t, s, "shape:r")
		if v.Valid != tc.shown {
			t.Errorf("%s: shown is %v; want %v (%v to %v)", tc.name, v.Valid, tc.shown, v.Start, v.End)
		}
		_, d := alphaOf(t, view.View{Scene: s, Bounds: view.Box{X: -100, Y: -100, W: 300, H: 300}, FirstIDs: []string{"shape:r"}}, Reference)
		if got := len(d.Items) > 0; got != tc.shown {
			t.Errorf("%s: %d items", tc.name, len(d.Items))
		}
		if _, ok := view.PageBounds(s, i); !ok {
			t.Errorf("%s: no bounds", tc.name)
		}
	}
}

// TestAmbiguousArrows covers ends of bent arrows on open lines. The editor maps such an end to the
// line's space and back, and rounding errors decide whether ends that are too near are moved. Only
// those arrows are left to the editor.
func TestAmbiguousArrows(t *testing.T) {
	line := func(at, to string) string {
		return `{"id":"shape:a","type":"draw",` + at + `,"props":{"segments":[{"type":"free","points":[{"x":0,"y":0,"z":0.5},` + to + `]}],"isComplete":true}}`
	}
	bind := func(end string, x float64) string {
		return fmt.Sprintf(`{"type":"arrow","fromId":"shape:r","toId":"shape:a","props":{"terminal":%q,"isPrecise":true,"normalizedAnchor":{"x":%g,"y":0.75}}}`, end, x)
	}
	const far = `"x":10,"y":70,"rotation":1.5,"props":{"bend":%g,"scale":2,"start":{"x":-10,"y":147},"end":{"x":8,"y":98},"arrowheadStart":"inverted","arrowheadEnd":"dot"}`
	const near = `"x":0,"y":0,"props":{"bend":%g,"size":"s","start":{"x":0,"y":0},"end":{"x":7,"y":5},"arrowheadEnd":"none"}`
	both := bind("start", 0.52) + "," + bind("end", 0.79)
	for _, c := range []struct {
		line, arrow string
		bend        float64
		bindings    string
		refused     bool
	}{
		{line(`"x":258,"y":247.28,"rotation":3`, `{"x":-40.25,"y":1.38,"z":0.34}`), far, 26, both, true},
		{line(`"x":258,"y":247.28,"rotation":3`, `{"x":-40.25,"y":1.38,"z":0.34}`), far, -26, both, true},
		{line(`"x":258,"y":247.28,"rotation":3`, `{"x":-40.25,"y":1.38,"z":0.34}`), far, 60, both, false},
		{line(`"x":258,"y":247.28,"rotation":3`, `{"x":-40.25,"y":1.38,"z":0.34}`), far, 0, both, false},
		{line(`"x":0,"y":0`, `{"x":14,"y":0,"z":0.5}`), near, -9, bind("start", 0.3), true}, // without a head too
		{line(`"x":0,"y":0`, `{"x":14,"y":0,"z":0.5}`), near, 9, bind("start", 0.3), true},
	} {
		s := sceneOf(t, []byte(`{"shapes":[`+c.line+`,{"id":"shape:r","type":"arrow",`+fmt.Sprintf(c.arrow, c.bend)+`}],"bindings":[`+c.bindings+`]}`))
		var b Builder
		err := b.Build(view.View{Scene: s, Bounds: view.Box{X: 0, Y: 0, W: 300, H: 300}}, Reference, new(Drawing))
		if errors.Is(err, shapes.ErrForeign) != c.refused || err != nil && !c.refused {
			t.Errorf("bend %g, %s: got %v; want it refused: %v", c.bend, c.bindings, err, c.refused)
		}
	}
}

// A bent arrow with one target is refused if both its anchors are near sides of the target.
func TestBothEndsNearSides(t *testing.T) {
	for _, c := range []struct {
		startX, endY, bend float64 // x of the anchor at the start, y of that at the end, the others are 0.5
		refused            bool
	}{
		{0.02, 0.02, 13, true},
		{0.02, 0.95, 13, true},
		{0.02, 0.02, 0, false}, // straight
		{0.5, 0.02, 13, false},
		{0.02, 0.3, 13, false},
	} {
		s := sceneOf(t, fmt.Appendf(nil, `{"shapes":[{"id":"shape:a","type":"geo","x":50,"y":50,"props":{"w":150,"h":120}},
			{"id":"shape:r","type":"arrow","x":0,"y":0,"props":{"bend":%g}}],"bindings":[
			{"type":"arrow","fromId":"shape:r","toId":"shape:a","props":{"terminal":"start","isPrecise":true,"normalizedAnchor":{"x":%g,"y":0.5}}},
			{"type":"arrow","fromId":"shape:r","toId":"shape:a","props":{"terminal":"end","isPrecise":true,"normalizedAnchor":{"x":0.5,"y":%g}}}]}`,
			c.bend, c.startX, c.endY))
		var b Builder
		err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 300, H: 300}}, Reference, new(Drawing))
		if errors.Is(err, shapes.ErrForeign) != c.refused || err != nil && !c.refused {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

// TestArrowBodyIsClipped checks that heads without fill are empty inside, in both modes and in a
// frame.
func TestArrowBodyIsClipped(t *testing.T) {
	const arrow = `{"id":"shape:r","type":"arrow","x":20,"y":50%s,"props":{"end":{"x":150,"y":0},"dash":"solid","size":"xl","arrowheadEnd":"%s"}}`
	frame := `{"id":"shape:f","type":"frame","x":0,"y":0,"props":{"w":165,"h":90}},`
	for _, mode := range []Raster{Reference, Exact} {
		for _, framed := range []bool{false, true} {
			before, parent := "", ""
			if framed {
				before, parent = frame, `,"parentId":"shape:f"`
			}
			for head, hole := range map[string]bool{"triangle": true, "square": true, "dot": true, "arrow": false, "bar": false} {
				s := sceneOf(t, []byte("["+before+fmt.Sprintf(arrow, parent, head)+"]"))
				alpha, d := alphaOf(t, view.View{Scene: s, Bounds: view.Box{X: 0, Y: 0, W: 200, H: 100}, FirstIDs: []string{"shape:r"}}, mode)
				at := func(x, y int) float64 { return alpha[y*d.Width+x] }
				if inside := at(155, 50); hole != (inside < 0.02) {
					t.Errorf("mode %d, %s, framed %v: alpha %.2f behind the tip", mode, head, framed, inside)
				}
				if at(100, 50) != 1 {
					t.Errorf("mode %d, %s: the body is not there", mode, head)
				}
				if framed != (at(172, 50) == 0) {
					t.Errorf("mode %d, %s, framed %v: alpha %.2f beyond the frame", mode, head, framed, at(172, 50))
				}
			}
		}
	}
}

// A bar that runs downwards, and is not vertical, makes the clip of an arrow's body one that is no rectangle.
func TestBarsRunDown(t *testing.T) {
	for _, c := range []struct {
		name       string
		x, y       float64 // of the end, where the bar is
		start, end string  // heads
		want       bool
	}{
		{"to the lower right", 100, 40, "none", "bar", true},
		{"to the upper left", -100, -40, "none", "bar", false},
		{"straight to the right", 100, 0, "none", "bar", false}, // the bar is vertical
		{"straight down", 0, 100, "none", "bar", false},         // the bar is horizontal
		{"from the lower right", -100, -40, "bar", "none", true},
		{"without a bar", 100, 40, "pipe", "pipe", false},
	} {
		s := sceneOf(t, fmt.Appendf(nil, `[{"id":"shape:r","type":"arrow","x":200,"y":200,"props":{"end":{"x":%g,"y":%g},
			"dash":"solid","arrowheadStart":%q,"arrowheadEnd":%q}}]`, c.x, c.y, c.start, c.end))
		var b Builder
		if err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 400, H: 400}}, Reference, new(Drawing)); err != nil {
			t.Fatal(err)
		}
		if b.bodyClip.besideWholePx != c.want {
			t.Errorf("%s: got %t; want %t", c.name, b.bodyClip.besideWholePx, c.want)
		}
	}
}

// An arrow's clip that lies in the picture is a rectangle for the browser only where its sides are near whole px.
func TestClipInPicture(t *testing.T) {
	for _, c := range []struct {
		name        string
		x, rotation float64 // of the arrow
		start       string  // its head
		want        bool
	}{
		{"on whole px", 500, 0, "arrow", false},
		{"near whole px", 500.12, 0, "arrow", false},
		{"between px", 500.2, 0, "arrow", true},
		{"turned", 500, 0.3, "arrow", true},
		{"with a bar, on whole px", 500, 0, "bar", false},
		{"with a bar, near whole px", 500.12, 0, "bar", true},
	} {
		s := sceneOf(t, fmt.Appendf(nil, `[{"id":"shape:r","type":"arrow","x":%g,"y":500,"rotation":%g,"props":{"end":{"x":100,"y":40},
			"dash":"solid","arrowheadStart":%q}}]`, c.x, c.rotation, c.start))
		var b Builder
		if err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 1100, H: 1100}}, Reference, new(Drawing)); err != nil {
			t.Fatal(err)
		}
		if b.bodyClip.clips() != c.want {
			t.Errorf("%s: got %t; want %t", c.name, b.bodyClip.clips(), c.want)
		}
	}
}

// TestTargetsAreBounded checks the limit on the points of arrows' targets.
func TestTargetsAreBounded(t *testing.T) {
	long := scene.Shape{ID: "shape:d", Kind: scene.Draw, TypeName: "draw", Parent: -1, Opacity: 1, Scale: 1, Size: scene.SizeM, Dash: scene.DashSolid}
	var p []scene.Pressed
	for i := range 60000 {
		p = append(p, scene.Pressed{X: float64(i * 9), Y: float64(i % 7), Z: 0.5})
	}
	long.Segments = []scene.Segment{{Points: p}}
	s := &scene.Scene{Shapes: []scene.Shape{long}}
	for i := range 400 {
		s.Shapes = append(s.Shapes, scene.Shape{
			ID: fmt.Sprint("shape:r", i), Kind: scene.Arrow, TypeName: "arrow", Parent: -1, Opacity: 1, Scale: 1, Points: []scene.Point{{X: 9, Y: 99}, {}},
			Arrow: &scene.ArrowProps{HeadEnd: scene.HeadArrow},
		})
		s.Bindings = append(s.Bindings, scene.Binding{From: int32(i + 1), To: 0, IsEnd: true, Anchor: scene.Point{X: 0.5, Y: 0.5}})
	}
	var tr tree.Tree
	if err := tr.Build(s); err != nil {
		t.Fatal(err)
	}
	v := new(arrows.Solver)
	v.Visited = arrows.MaxVisited - 100000
	for i := int32(1); ; i++ {
		if err := v.Solve(s, &tr, i); err != nil {
			if !errors.Is(err, arrows.ErrTargets) || i > 5 {
				t.Fatalf("arrow %d: got %v; want %v", i, err, arrows.ErrTargets)
			}
			return
		}
	}
}
