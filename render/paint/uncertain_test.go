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
	box := func(kind string, w float64, dash string, opacity float64, label string) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"geo","x":0,"y":0,"opacity":%g,"props":{"geo":%q,"w":%g,"h":40,"size":"xl","dash":%q,"text":%q}}`,
			opacity, kind, w, dash, label)
	}
	cloud := func(w, h, rotation float64, dash string) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"geo","x":0,"y":0,"rotation":%g,"props":{"geo":"cloud","w":%g,"h":%g,"size":"s","dash":%q}}`,
			rotation, w, h, dash)
	}
	// A curve of two points that are far px apart, with a stroke of 0.5 px at the scale 0.25, 2 px at 1.
	curve := func(dash, spline string, far, scale float64) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"line","x":0,"y":0,"props":{"dash":%q,"size":"s","spline":%q,"scale":%g,"points":{
			"a":{"id":"a","index":"a1","x":0,"y":0},"b":{"id":"b","index":"a2","x":%g,"y":0}}}}`, dash, spline, scale, far)
	}
	bullet := func(paragraph string) string {
		return fmt.Sprintf(`{"id":"shape:a","type":"text","x":0,"y":0,"props":{"richText":{"type":"doc","content":[{"type":"bulletList",
			"content":[{"type":"listItem","content":[%s]}]}]}}}`, paragraph)
	}
	for _, c := range []struct {
		name, shape string
		refused     bool
	}{
		{"a label at the edge, translucent", box("rectangle", 15, "solid", 0.5, "one"), true},
		{"a label at the edge", box("rectangle", 15, "solid", 1, "one"), false},
		{"a label beyond the edge, translucent", box("rectangle", 11, "solid", 0.5, "one"), false},
		{"a label at the edge, translucent and small", `{"id":"shape:a","type":"geo","x":0,"y":0,"opacity":0.5,"props":{"w":3.7,"h":40,"dash":"solid","text":"one","scale":0.25}}`, false},
		{"a halo at the edge, small", `{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"w":4,"h":40,"dash":"solid","text":"one","scale":0.25}}`, true},
		{"a halo within, small", `{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"w":4.1,"h":40,"dash":"solid","text":"one","scale":0.25}}`, false},
		{"a short curve in thin dots", curve("dotted", "cubic", 1.9, 0.25), true},
		{"a short curve in thin dashes", curve("dashed", "cubic", 1.9, 0.25), true},
		{"a longer curve in thin dots", curve("dotted", "cubic", 2.1, 0.25), false},
		{"a short thin curve", curve("solid", "cubic", 1.9, 0.25), false},
		{"a short line in thin dots", curve("dotted", "line", 1.9, 0.25), false},
		{"a short curve in dots", curve("dotted", "cubic", 1.9, 1), false},
		{"a bullet alone", bullet(`{"type":"paragraph"}`), true},
		{"a bullet with a letter", bullet(`{"type":"paragraph","content":[{"type":"text","text":"a"}]}`), false},
		{"a label within, translucent", box("rectangle", 16, "solid", 0.5, "one"), false},
		{"a thin cloud", cloud(1.1, 400, 0, "draw"), false},
		{"a cloud of one unit", cloud(23, 1, 0, "draw"), true},
		{"a tall cloud of less than one unit", cloud(0.5, 23, 0, "draw"), true},
		{"a cloud of one unit, solid", cloud(23, 1, 0, "solid"), false},
		{"a cloud of one unit, turned", cloud(23, 1, 0.3, "draw"), false},
		{"a short cloud of one unit", cloud(22, 1, 0, "draw"), false},
		{"a cloud of two units", cloud(23, 2, 0, "draw"), false},
	} {
		var b Builder
		err := b.Build(view.View{Scene: board(t, "["+c.shape+"]"), Bounds: view.Box{W: 60, H: 60}}, Reference, new(Drawing))
		if errors.Is(err, shapes.ErrForeign) != c.refused || err != nil && !c.refused {
			t.Errorf("%s: got %v; want refused: %t", c.name, err, c.refused)
		}
	}
}
