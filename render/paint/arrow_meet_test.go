package paint

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"plumb/render/arrows"
	"plumb/render/geom"
	"plumb/render/shapes"
	"plumb/render/tree"
)

// TestArrowsWhoseEndsMeet holds straight arrows, both of whose ends stop at the same crossing of the outline of
// their only target, to what the editor says of them (tldraw 4.2.0, read from its arrows in the browser): nothing
// where both ends are equal to the last bit, else 10 px in the direction of the last bits that they differ in.
func TestArrowsWhoseEndsMeet(t *testing.T) {
	geo := func(kind string) string { return `"type":"geo","props":{"geo":"` + kind + `","w":90,"h":70}` }
	const line = `"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":0,"y":0},"a2":{"id":"a2","index":"a2","x":60,"y":10},"a3":{"id":"a3","index":"a3","x":90,"y":70}}}`
	const draw = `"type":"draw","props":{"segments":[{"type":"free","points":[{"x":0,"y":0,"z":0.5},{"x":80,"y":-30,"z":0.5},{"x":95,"y":60,"z":0.5},{"x":20,"y":40,"z":0.5}]}]}`
	solve := func(target string, rotation, turned, from float64, arrow string) (*arrows.Solver, error) {
		y, to := 0.1, [2]float64{0.5, 0.55}
		if target == line || target == draw {
			y, to = 0.7, [2]float64{0.8, 0.25}
		}
		bind := func(end string, x, y float64) string {
			return fmt.Sprintf(`{"type":"arrow","fromId":"shape:r","toId":"shape:a","props":{"terminal":%q,"isPrecise":true,"normalizedAnchor":{"x":%g,"y":%g}}}`, end, x, y)
		}
		s := sceneOf(t, fmt.Appendf(nil, `{"shapes":[{"id":"shape:a","x":200,"y":50,"rotation":%g,%s},{"id":"shape:r","type":"arrow","x":10,"y":20,"rotation":%g,"props":{"arrowheadStart":"arrow"%s}}],"bindings":[%s,%s]}`,
			rotation, target, turned, arrow, bind("start", from, y), bind("end", to[0], to[1])))
		var nodes tree.Tree
		if err := nodes.Build(s); err != nil {
			t.Fatal(err)
		}
		v := new(arrows.Solver)
		return v, v.Solve(s, &nodes, s.Find("shape:r"))
	}
	for _, tc := range []struct {
		name, target           string
		rotation, turned, from float64
		start, way             geom.Point // way 0: paints nothing
	}{
		{"triangle", geo("triangle"), 0, 0, 0.1, geom.Pt(219.16, 54.64), geom.Pt(0, 0)},
		{"turned triangle", geo("triangle"), 0.3, 0, 0.1, geom.Pt(210.57599413076727, 62.15686031829959), geom.Pt(0, 10)},
		{"turned triangle and arrow", geo("triangle"), 2.2, 0.7, 0.1, geom.Pt(142.1309665318899, -68.62617649816022), geom.Pt(0, 0)},
		{"the same, elsewhere", geo("triangle"), 2.2, 0.7, 0.4, geom.Pt(155.47455020683577, -61.32716476074999), geom.Pt(0, -10)},
		{"star", geo("star"), 0.3, 0, 0.3, geom.Pt(216.7375018625384, 57.69240568435468), geom.Pt(0, -10)},
		{"star and turned arrow", geo("star"), 0, 1.5, 0.2, geom.Pt(67.91691689882333, -217.13783776312616), geom.Pt(-4.47213595499958, 8.94427190999916)},
		{"star, elsewhere", geo("star"), 0, 1.5, 0.3, geom.Pt(64.25828515398278, -219.73195682774977), geom.Pt(0, 0)},
		{"octagon", geo("octagon"), 0, 0, 0.2, geom.Pt(209.1408163785896, 38.33095244168787), geom.Pt(0, 10)},
		{"turned octagon", geo("octagon"), 0.3, 0, 0.1, geom.Pt(199.3390959942477, 43.90963130760433), geom.Pt(-10, 0)},
		{"hexagon", geo("hexagon"), 0, 0, 0.2, geom.Pt(210.25, 39.625000000000014), geom.Pt(0, 10)},
		{"turned hexagon", geo("hexagon"), 2.2, 0.7, 0.1, geom.Pt(153.85847721488904, -84.11608868547333), geom.Pt(0, 10)},
		{"hexagon, elsewhere", geo("hexagon"), 0, 0, 0.1, geom.Pt(204.53846153846155, 41.846153846153854), geom.Pt(0, 0)},
		{"line", line, 0.3, 0, 0.1, geom.Pt(246.33218609025874, 69.1980204894642), geom.Pt(-10, 0)},
		{"line, elsewhere", line, 0.3, 0, 0.2, geom.Pt(246.40974589994585, 69.6677261352843), geom.Pt(0, 0)},
		{"turned line and arrow", line, 2.2, 0.7, 0.3, geom.Pt(147.58411766946728, -32.191759558507336), geom.Pt(0, -10)},
		{"freehand line", draw, 0, 0, 0.2, geom.Pt(237.37846000120942, 30.041779441030577), geom.Pt(0, 10)},
		{"freehand line, elsewhere", draw, 0, 0, 0.3, geom.Pt(237.56281344522438, 30.27389088592161), geom.Pt(0, 0)},
		{"turned freehand line and arrow", draw, 2.2, 0.7, 0.3, geom.Pt(167.73780174215838, -51.993052721399046), geom.Pt(-8.94427190999916, 4.47213595499958)},
	} {
		v, err := solve(tc.target, tc.rotation, tc.turned, tc.from, "")
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		shown, way := tc.way != geom.Pt(0, 0), geom.Sub(v.End, v.Start)
		if v.Valid != shown || v.Start != tc.start || !geom.Near(way, tc.way, 1e-9) {
			t.Errorf("%s: got %v, then %v, shown %v; want %v, then %v, shown %v", tc.name, v.Start, way, v.Valid, tc.start, tc.way, shown)
		}
	}
	// Where the outline is not known to the last bit, or the editor places no label, it draws itself.
	for _, tc := range []struct {
		name, target string
		from         float64
		arrow        string
		refused      bool
	}{
		{"ellipse", geo("ellipse"), 0.1, "", true},
		{"nothing, with a label", geo("triangle"), 0.1, `,"text":"a"`, true},
		{"a direction, with a label", geo("octagon"), 0.2, `,"text":"a"`, false},
	} {
		if _, err := solve(tc.target, 0, 0, tc.from, tc.arrow); errors.Is(err, shapes.ErrForeign) != tc.refused || (err != nil) != tc.refused {
			t.Errorf("%s: %v; want a refusal: %v", tc.name, err, tc.refused)
		}
	}
}

// TestPairsAreOpen: a freehand line that is smoothed to two points encloses nothing, whatever isClosed says,
// and arrows with elbows that are bound to open lines are refused.
func TestPairsAreOpen(t *testing.T) {
	const pair = `{"id":"shape:a","type":"draw","x":200,"y":50,"props":{"isClosed":true,"isPen":true,"isComplete":true,"segments":[{"type":"free","points":[{"x":0,"y":0,"z":0.5},%s]}]}}`
	for points, refused := range map[string]bool{
		`{"x":-9.12,"y":1.2,"z":0.5}`: true, `{"x":-30,"y":1.2,"z":0.5},{"x":8,"y":70,"z":0.5}`: false,
	} {
		s := sceneOf(t, fmt.Appendf(nil, `{"shapes":[`+pair+`,{"id":"shape:r","type":"arrow","x":10,"y":20,"props":{"kind":"elbow"}}],"bindings":[{"type":"arrow","fromId":"shape:r","toId":"shape:a","props":{"terminal":"end"}}]}`, points))
		var nodes tree.Tree
		if err := nodes.Build(s); err != nil {
			t.Fatal(err)
		}
		if err := new(arrows.Solver).Solve(s, &nodes, s.Find("shape:r")); (err != nil) != refused {
			t.Errorf("%s: %v; want a refusal: %v", points, err, refused)
		}
	}
}

// TestArrowsAtGroupsWithFrames checks that of a frame in the group that an arrow is bound to, its outline alone
// counts: nothing in it does, not even what lies in a group in it (docs/spec/drawing.md#r60).
func TestArrowsAtGroupsWithFrames(t *testing.T) {
	scene := func(inFrame string) *arrows.Solver {
		s := storedScene(t, `{"shapes":[{"id":"shape:g","type":"group","x":100,"y":100},
		  {"id":"shape:a","type":"geo","parentId":"shape:g","x":0,"y":0,"props":{"w":100,"h":100}},
		  {"id":"shape:f","type":"frame","parentId":"shape:g","x":200,"y":0,"props":{"w":200,"h":200}}`+inFrame+`,
		  {"id":"shape:b","type":"geo","parentId":"shape:g","x":0,"y":180,"props":{"w":20,"h":20}},
		  {"id":"shape:r","type":"arrow","x":0,"y":0,"props":{"start":{"x":900,"y":120},"end":{"x":500,"y":200}}}],
		  "bindings":[{"type":"arrow","fromId":"shape:r","toId":"shape:g","props":{"terminal":"end","isPrecise":true}}]}`)
		v, _ := solved(t, s, "shape:r")
		return v
	}
	empty := scene("")
	if !empty.Valid || math.Abs(empty.End.X-510) > 5 {
		t.Fatalf("got the end %v; want it beside the frame, whose right side is at 500", empty.End)
	}
	for name, inFrame := range map[string]string{
		"a shape":            `,{"id":"shape:x","type":"geo","parentId":"shape:f","x":100,"y":50,"props":{"w":250,"h":100}}`,
		"a group":            `,{"id":"shape:h","type":"group","parentId":"shape:f","x":100,"y":50},{"id":"shape:x","type":"geo","parentId":"shape:h","x":0,"y":0,"props":{"w":250,"h":100}}`,
		"a frame in a frame": `,{"id":"shape:h","type":"frame","parentId":"shape:f","x":100,"y":50},{"id":"shape:x","type":"geo","parentId":"shape:h","x":0,"y":0,"props":{"w":250,"h":100}},{"id":"shape:y","type":"geo","parentId":"shape:f","x":50,"y":50,"props":{"w":900,"h":10}}`,
	} {
		if got := scene(inFrame); got.End != empty.End {
			t.Errorf("%s in the frame: got the end %v; want %v as without it", name, got.End, empty.End)
		}
	}
}
