package outline

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plumb/render/path"
	"plumb/render/scene"
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
		var c commands
		if name, points, ok := strings.Cut(in.Outline, " "); ok && name == "line" {
			var p []scene.Point
			for _, f := range strings.Fields(points) {
				var q scene.Point
				if _, err := fmt.Sscanf(f, "(%g,%g)", &q.X, &q.Y); err == nil {
					p = append(p, q)
				}
			}
			outlineLine(p, false, &c)
		} else if err := (geoSpec{kind: scene.GeoKind(position(t, geoNames, in.Outline)), w: in.W, h: in.H, scale: 1, id: in.ID}).outline(&c); err != nil {
			t.Fatal(err)
		}
		c.measure()
		w := wobbly{offset: in.Width / 3, round: 2 * in.Width, seed: in.ID, disc: true}
		w.plan(&c)
		var got path.Path
		w.pass(&c, passes[0], &got)
		w.pass(&c, passes[1], &got)
		if diff := samePathData(t, &got, want.StrokeD, tol); diff != "" {
			t.Errorf("%s: %s", v.ID, diff)
		}
	}
}

// TestVersion5: what is drawn natively as tldraw 5 draws it, and what is refused.
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
		v := View{Scene: s, Bounds: Box{X: -20, Y: -20, W: 300, H: 300}}
		var d Drawing
		err = (&Builder{Version: V5}).Build(v, Reference, &d)
		if errors.Is(err, ErrForeign) != c.foreign || !c.foreign && err != nil {
			t.Errorf("%s: got %v; want foreign %v", c.name, err, c.foreign)
		}
		if (V5.Differs(s) != nil) != c.foreign || V4.Differs(s) != nil {
			t.Errorf("%s: got %v, and %v in 4.2; want foreign %v in 5.4 only", c.name, V5.Differs(s), V4.Differs(s), c.foreign)
		}
		var named interface{ ShapeID() string }
		if c.foreign && (!errors.As(err, &named) || named.ShapeID() != "shape:a") {
			t.Errorf("%s: the error %v does not name the shape", c.name, err)
		}
	}
}
