package paint

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
	"plumb/render/view"
)

func TestDrawStroke5Vectors(t *testing.T) {
	for _, v := range vectorsOf(t, "draw_stroke_5x") {
		in := decode[struct {
			Outline string
			W, H    float64
			Width   float64 `json:"stroke_width"`
			ID      string
		}](t, v.Input)
		want := decode[struct {
			StrokeD string `json:"stroke_d"`
		}](t, v.Expect)
		tol := decode[float64](t, v.Tolerance)
		var c shapes.Outline
		if name, points, ok := strings.Cut(in.Outline, " "); ok && name == "line" {
			var p []scene.Point
			for _, f := range strings.Fields(points) {
				var q scene.Point
				if _, err := fmt.Sscanf(f, "(%g,%g)", &q.X, &q.Y); err == nil {
					p = append(p, q)
				}
			}
			shapes.OutlineLine(p, false, &c)
		} else if err := (shapes.GeoSpec{Kind: scene.GeoKind(position(t, geoNames, in.Outline)), W: in.W, H: in.H, Scale: 1, ID: in.ID}).Outline(&c); err != nil {
			t.Fatal(err)
		}
		c.Measure()
		w := shapes.JitterPen{MaxOffset: in.Width / 3, MaxCut: 2 * in.Width, Seed: in.ID, Disc: true}
		w.Plan(&c)
		var got vector.Path
		w.Pass(&c, shapes.Passes[0], &got)
		w.Pass(&c, shapes.Passes[1], &got)
		if diff := samePathData(t, &got, want.StrokeD, tol); diff != "" {
			t.Errorf("%s: %s", v.ID, diff)
		}
	}
}

// TestVersion5 checks which shapes of tldraw 5 are drawn natively and which are refused.
func TestVersion5(t *testing.T) {
	geo := func(props string) string { return `{"id":"shape:a","type":"geo","props":{` + props + `}}` }
	for _, c := range []struct {
		name, shape string
		foreign     bool
	}{
		{"rectangle", geo(`"fill":"solid"`), false},
		{"dashes", geo(`"dash":"dashed"`), false},
		{"dots", geo(`"dash":"dotted"`), true},
		{"label", geo(`"text":"a"`), true},
		{"x-box", geo(`"geo":"x-box"`), false},
		{"scaled x-box", geo(`"geo":"x-box","scale":2`), true},
		{"line", `{"id":"shape:a","type":"line","props":{"points":{"a":{"id":"a","index":"a1","x":0,"y":0},"b":{"id":"b","index":"a2","x":50,"y":9}}}}`, false},
		{"text", `{"id":"shape:a","type":"text","props":{"text":"a"}}`, true},
		{"note", `{"id":"shape:a","type":"note","props":{}}`, true},
	} {
		s, err := scene.Decode([]byte("["+c.shape+"]"), scene.DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		v := view.View{Scene: s, Bounds: view.Box{X: -20, Y: -20, W: 300, H: 300}}
		var d Drawing
		err = (&Builder{Version: view.V5}).Build(v, Reference, &d)
		if errors.Is(err, shapes.ErrForeign) != c.foreign || !c.foreign && err != nil {
			t.Errorf("%s: got %v; want foreign %v", c.name, err, c.foreign)
		}
		if (view.V5.CheckScene(s) != nil) != c.foreign || view.V4.CheckScene(s) != nil {
			t.Errorf("%s: got %v, and %v in 4.2; want foreign %v in 5.4 only", c.name, view.V5.CheckScene(s), view.V4.CheckScene(s), c.foreign)
		}
		var named interface{ ShapeID() string }
		if c.foreign && (!errors.As(err, &named) || named.ShapeID() != "shape:a") {
			t.Errorf("%s: the error %v does not name the shape", c.name, err)
		}
	}
}

// The dash none of tldraw 5 is left to the editor as tldraw 4.2, which refuses it.
func TestDashNone(t *testing.T) {
	s, err := scene.Decode([]byte(`[{"id":"shape:a","type":"geo","props":{"dash":"none","fill":"solid"}}]`), scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	v := view.View{Scene: s, Bounds: view.Box{X: -20, Y: -20, W: 300, H: 300}}
	for version, foreign := range map[view.Version]bool{view.V4: true, view.V5: false} {
		err := (&Builder{Version: version}).Build(v, Reference, new(Drawing))
		if errors.Is(err, shapes.ErrForeign) != foreign || err != nil && !foreign {
			t.Errorf("as tldraw %v: got %v; want foreign %t", version, err, foreign)
		}
	}
}
