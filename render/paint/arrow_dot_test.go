package paint

import (
	"errors"
	"fmt"
	"testing"

	"plumb/render/arrows"
	"plumb/render/geom"
	"plumb/render/shapes"
	"plumb/render/tree"
)

// TestArrowsAtDots holds arrows that are bound to dots, freehand lines of one point or hardly larger than
// their stroke, to what the editor says of them (tldraw 4.2.0, read from its arrows in the browser): they
// cross a polygon, but are moved to the circle around it where they end beside it, and a dot has an inside.
func TestArrowsAtDots(t *testing.T) {
	const small = `{"x":0,"y":0,"z":0.5},{"x":5,"y":3,"z":0.5},{"x":2,"y":7,"z":0.5}`
	const point = `{"x":0,"y":0,"z":0.5}`
	dot := func(at, size, points string) string {
		return `{"id":"shape:a","type":"draw",` + at + `,"props":{` + size + `,"segments":[{"type":"free","points":[` + points + `]}]}},`
	}
	bind := func(end, to, props string) string {
		return `{"type":"arrow","fromId":"shape:r","toId":"shape:` + to + `","props":{"terminal":"` + end + `"` + props + `}}`
	}
	precise := func(x, y float64) string {
		return fmt.Sprintf(`,"isPrecise":true,"normalizedAnchor":{"x":%g,"y":%g}`, x, y)
	}
	const turned = `"x":200,"y":50,"rotation":0.3`
	const plain = `"x":200,"y":50`
	for _, tc := range []struct {
		name, targets, place, arrow, bindings string
		start, end                            geom.Point
	}{
		{"a side of the polygon is crossed", dot(turned, `"size":"xl"`, small), "", "", bind("end", "a", ""),
			geom.Pt(0, 0), geom.Pt(163.09642335012853, 25.752066844757135)},
		{"the circle itself is near", dot(turned, `"size":"xl"`, small), "", "", bind("end", "a", precise(0.07, 0.24)),
			geom.Pt(0, 0), geom.Pt(199.32156483088926, 23.763796452393983)},
		{"a bend without a head stops beside its circle", dot(plain, `"size":"xl"`, small), `"rotation":0.5,`, `,"bend":-40,"arrowheadEnd":"none"`, bind("end", "a", precise(0.06, 0.24)),
			geom.Pt(170.12970165759953, -65.13409537221474), geom.Pt(0, 0)},
		{"both ends at one dot", dot(plain, `"size":"xl","scale":2`, point), "", `,"bend":30,"arrowheadStart":"arrow"`, bind("start", "a", precise(0.1, 0.5)) + "," + bind("end", "a", precise(0.9, 0.6)),
			geom.Pt(170.64383338223746, 50.85435017603045), geom.Pt(205.06458168721156, 53.919810537636515)},
		{"a dot has an inside", dot(plain, `"size":"xl","scale":2`, point) + `{"id":"shape:b","type":"geo","x":195,"y":45,"props":{"w":60,"h":20}},`, "", `,"arrowheadStart":"arrow"`, bind("end", "a", "") + "," + bind("start", "b", precise(0.2, 0.4)),
			geom.Pt(184.59154209475622, 27.682089469181236), geom.Pt(175.40009179457564, 23.742896483389558)},
		{"a dot in a group", `{"id":"shape:g","type":"group","x":100,"y":60,"rotation":0.2},` +
			dot(`"parentId":"shape:g","x":50,"y":0`, `"size":"l"`, small) + `{"id":"shape:b","type":"geo","parentId":"shape:g","x":0,"y":40,"props":{"w":30,"h":20}},`, "", "", bind("end", "g", precise(0.9, 0.1)),
			geom.Pt(0, 0), geom.Pt(122.28267521152804, 44.42700578252518)},
		{"elbows", dot(`"x":200,"y":150`, `"size":"xl"`, small), "", `,"kind":"elbow"`, bind("end", "a", ""),
			geom.Pt(0, 0), geom.Pt(162.25, 130)},
	} {
		s := storedScene(t, `{"shapes":[`+tc.targets+`{"id":"shape:r","type":"arrow","x":10,"y":20,`+tc.place+`"props":{"end":{"x":1,"y":1}`+tc.arrow+`}}],"bindings":[`+tc.bindings+`]}`)
		v, _ := solved(t, s, "shape:r")
		if !v.Valid || !geom.Near(v.Start, tc.start, 1e-9) || !geom.Near(v.End, tc.end, 1e-9) {
			t.Errorf("%s: got %v to %v, shown %v; want %v to %v", tc.name, v.Start, v.End, v.Valid, tc.start, tc.end)
		}
	}
	// At the centre of a dot with a radius of 0.75 px rounding errors decide where on the circle.
	for size, lost := range map[string]bool{`"size":"s","scale":0.25`: true, `"size":"s","scale":0.5`: false} {
		s := sceneOf(t, []byte(`{"shapes":[`+dot(plain, size, point)+`{"id":"shape:r","type":"arrow","x":0,"y":0,"props":{"start":{"x":200.2,"y":50.3},"end":{"x":1,"y":1}}}],"bindings":[`+bind("end", "a", "")+`]}`))
		var nodes tree.Tree
		if err := nodes.Build(s); err != nil {
			t.Fatal(err)
		}
		err := new(arrows.Solver).Solve(s, &nodes, s.Find("shape:r"))
		if errors.Is(err, shapes.ErrForeign) != lost || (err != nil) != lost {
			t.Errorf("at the centre, %s: %v; want a refusal: %v", size, err, lost)
		}
	}
}
