package paint

import (
	"errors"
	"fmt"
	"testing"

	"plumb/render/shapes"
	"plumb/render/view"
)

// What differs from the editor by chance is refused, and its neighbours are drawn.
func TestUncertain(t *testing.T) {
	geo := func(dash, fill string, scale, opacity float64) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"geo","x":0,"y":0,"opacity":%g,"props":{"geo":"ellipse","w":40,"h":20,"size":"s","dash":%q,"fill":%q,"scale":%g}}`,
			opacity, dash, fill, scale)
	}
	arrow := func(dash string, bend, scale float64) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"arrow","x":0,"y":0,"props":{"start":{"x":0,"y":0},"end":{"x":40,"y":9},"bend":%g,"size":"s","dash":%q,"scale":%g}}`,
			bend, dash, scale)
	}
	box := func(kind string, w float64, dash string, opacity float64, label string) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"geo","x":0,"y":0,"opacity":%g,"props":{"geo":%q,"w":%g,"h":40,"size":"xl","dash":%q,"text":%q}}`,
			opacity, kind, w, dash, label)
	}
	cloud := func(w, h, rotation float64, dash string) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"geo","x":0,"y":0,"rotation":%g,"props":{"geo":"cloud","w":%g,"h":%g,"size":"s","dash":%q}}`,
			rotation, w, h, dash)
	}
	flat := func(kind string, w, h float64, dash string) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"geo":%q,"w":%g,"h":%g,"size":"xl","dash":%q}}`, kind, w, h, dash)
	}
	tinyDot := func(opacity, scale float64) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"draw","x":9,"y":9,"opacity":%g,"props":{"dash":"draw","fill":"fill","isClosed":true,"isPen":true,
			"scale":%g,"segments":[{"type":"free","points":[{"x":0,"y":0,"z":0.5}]}],"isComplete":true}}`, opacity, scale)
	}
	line := func(dash string, x, y float64) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"line","x":0,"y":0,"props":{"dash":%q,"size":"xl","spline":"line","points":{
			"a":{"id":"a","index":"a1","x":-60,"y":-20},"b":{"id":"b","index":"a2","x":%g,"y":%g}}}}`, dash, x, y)
	}
	bullet := func(paragraph string) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"text","x":0,"y":0,"props":{"richText":{"type":"doc","content":[{"type":"bulletList",
			"content":[{"type":"listItem","content":[%s]}]}]}}}`, paragraph)
	}
	const longCross = `{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"geo":"x-box","w":5,"h":100,"size":"xl","dash":"dashed"}}`
	for _, c := range []struct {
		name, shape string
		refused     bool
	}{
		{"thin dashes along a translucent ellipse with a pattern", geo("dashed", "pattern", 0.25, 0.9), true},
		{"thin dashes along an ellipse with a pattern", geo("dashed", "pattern", 0.25, 1), false},
		{"thin dashes along a translucent ellipse", geo("dashed", "solid", 0.25, 0.9), false},
		{"thin dots along an ellipse", geo("dotted", "none", 0.25, 1), false},
		{"wider dashes along an ellipse", geo("dashed", "pattern", 1, 0.9), false},
		{"thin line along an ellipse", geo("solid", "pattern", 0.25, 0.9), false},
		{"thin dots along an arc", arrow("dotted", 20, 0.25), false},
		{"dashes in a narrow cross", box("x-box", 9.9, "dashed", 1, ""), true},
		{"dots in a narrow cross", box("x-box", 9.9, "dotted", 1, ""), true},
		{"dashes in a wider cross", box("x-box", 10, "dashed", 1, ""), false},
		{"dashes in a long cross", longCross, false},
		{"a narrow cross", box("x-box", 4.9, "solid", 1, ""), false},
		{"a label at the edge, translucent", box("rectangle", 15, "solid", 0.5, "one"), true},
		{"a label at the edge", box("rectangle", 15, "solid", 1, "one"), false},
		{"a label beyond the edge, translucent", box("rectangle", 11, "solid", 0.5, "one"), false},
		{"a label at the edge, translucent and small", `{"id":"shape:a","type":"geo","x":0,"y":0,"opacity":0.5,"props":{"w":3.7,"h":40,"dash":"solid","text":"one","scale":0.25}}`, false},
		{"a halo at the edge, small", `{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"w":4,"h":40,"dash":"solid","text":"one","scale":0.25}}`, true},
		{"a halo within, small", `{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"w":4.1,"h":40,"dash":"solid","text":"one","scale":0.25}}`, false},
		{"dots in a flat heart", flat("heart", 151, 24.9, "dotted"), true},
		{"dots in a heart", flat("heart", 410, 25, "dotted"), false},
		{"dots in a short heart", flat("heart", 150, 24.9, "dotted"), false},
		{"a flat heart", flat("heart", 100, 3, "solid"), false},
		{"dashes in a flat cloud", flat("cloud", 410, 9.9, "dashed"), true},
		{"dots in a tiny ellipse", flat("ellipse", 49, 12, "dotted"), true},
		{"dots in a speck of an ellipse", flat("ellipse", 30, 12, "dotted"), false},
		{"dots in a narrow heart", flat("heart", 19.9, 410, "dotted"), false},
		{"dots in a narrow ellipse", flat("ellipse", 50, 12, "dotted"), false},
		{"thin dots in a narrow box", `{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"geo":"x-box","w":3.9,"h":40,"dash":"dotted","size":"s","scale":0.25}}`, true},
		{"thin dots in a box", `{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"geo":"x-box","w":4,"h":40,"dash":"dotted","size":"s","scale":0.25}}`, false},
		{"a tiny dot with a fill", tinyDot(0.5, 0.25), true},
		{"a tiny opaque dot with a fill", tinyDot(1, 0.25), false},
		{"a dot with a fill", tinyDot(0.5, 1), false},
		{"a bullet alone", bullet(`{"type":"paragraph"}`), true},
		{"a bullet with a letter", bullet(`{"type":"paragraph","content":[{"type":"text","text":"a"}]}`), false},
		{"a label within, translucent", box("rectangle", 16, "solid", 0.5, "one"), false},
		{"a short dashed line, longer when printed", line("dashed", -59.292234, -17.857490), true},
		{"a short dashed line, shorter when printed", line("dashed", -59, -20), false},
		{"a short solid line, longer when printed", line("solid", -59.292234, -17.857490), false},
		{"a dotted line of one period, longer when printed", line("dotted", -39.292234, -2.857490), true},
		{"a thin cloud", cloud(1.1, 400, 0, "draw"), false},
		{"a cloud of one unit", cloud(23, 1, 0, "draw"), true},
		{"a tall cloud of less than one unit", cloud(0.5, 23, 0, "draw"), true},
		{"a cloud of one unit, solid", cloud(23, 1, 0, "solid"), false},
		{"a cloud of one unit, turned", cloud(23, 1, 0.3, "draw"), false},
		{"a short cloud of one unit", cloud(22, 1, 0, "draw"), false},
		{"a cloud of two units", cloud(23, 2, 0, "draw"), false},
		{"dots in a heart of one px", flat("heart", 30, 1, "dotted"), true},
		{"a heart of one px", flat("heart", 30, 1, "solid"), false},
		{"dots in a heart of two px", flat("heart", 30, 2, "dotted"), false},
	} {
		var b Builder
		err := b.Build(view.View{Scene: board(t, "["+c.shape+"]"), Bounds: view.Box{W: 60, H: 60}}, Reference, new(Drawing))
		if errors.Is(err, shapes.ErrForeign) != c.refused || err != nil && !c.refused {
			t.Errorf("%s: got %v; want refused: %t", c.name, err, c.refused)
		}
	}
}
