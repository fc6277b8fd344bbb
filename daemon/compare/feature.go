package compare

import (
	"image"
	"math"
	"slices"

	"plumb/render/scene"
	"plumb/render/view"
)

// Part is one feature of one shape with the figures of the part of the picture where the
// shape is.
type Part struct {
	Feature                    string
	Within, Mean, ColourWithin float64 // as in Figures; ColourWithin is 1 without colours
}

// edge is how far strokes and heads may stick out of a shape's page bounds, px.
const edge = 12

// Parts returns the features of the visible shapes of a view, each with the figures of the
// part of the picture that the shape's box takes up. Shapes that overlap share their errors.
// Groups are left out.
func (l *Likeness) Parts(v view.View) []Part {
	var all []Part
	scaleX, scaleY := float64(l.Width)/v.Bounds.W, float64(l.Height)/v.Bounds.H
	for i := range v.Scene.Shapes {
		sh := &v.Scene.Shapes[i]
		if sh.Kind == scene.Group || !v.Shows(int32(i)) {
			continue
		}
		b, ok := view.PageBounds(v.Scene, int32(i))
		if !ok {
			continue
		}
		p, ok := l.Region(image.Rect(
			pixel((b.X-v.Bounds.X)*scaleX-edge), pixel((b.Y-v.Bounds.Y)*scaleY-edge),
			pixel((b.X+b.W-v.Bounds.X)*scaleX+edge)+1, pixel((b.Y+b.H-v.Bounds.Y)*scaleY+edge)+1))
		if !ok {
			continue
		}
		for _, p.Feature = range Features(v.Scene, int32(i)) {
			all = append(all, p)
		}
	}
	return all
}

// pixel rounds a coordinate down and clamps it to +-1e6, which image.Rect can hold.
func pixel(v float64) int { return int(math.Floor(min(max(v, -1e6), 1e6))) }

// Features names the properties of shape i that affect how it is drawn, each once: its kind
// first, then its styles, its text and its parents.
func Features(s *scene.Scene, i int32) []string {
	sh := &s.Shapes[i]
	list := []string{kind(sh)}
	add := func(yes bool, name string) {
		if yes {
			list = append(list, name)
		}
	}
	inked := sh.Kind == scene.Geo || sh.Kind == scene.Line || sh.Kind == scene.Draw || sh.Kind == scene.Arrow
	add(inked, "dash "+sh.Dash.String())
	add(sh.Kind == scene.Geo || sh.Kind == scene.Draw && sh.Closed, "fill "+sh.Fill.String())
	add(sh.Kind == scene.Line && sh.Cubic, "spline")
	add(sh.Pen, "pen")
	if sh.Kind == scene.Arrow {
		for _, h := range []scene.Arrowhead{sh.Arrow.HeadStart, sh.Arrow.HeadEnd} {
			add(h != scene.HeadNone, "arrowhead "+h.String())
		}
		for j := range s.Bindings {
			add(s.Bindings[j].From == i, "bound arrow")
		}
	}
	if sh.Rich != nil {
		add(sh.Kind != scene.Text, "label of "+sh.Kind.String())
		add(true, "font "+sh.Font.String())
		list = append(list, textStyles(sh.Rich)...)
	}
	opacity, turned := 1.0, false
	for p := i; p >= 0; p = s.Shapes[p].Parent {
		a := &s.Shapes[p]
		opacity *= a.Opacity
		turned = turned || math.Mod(a.Rotation, math.Pi/2) != 0
		add(p != i && a.Kind == scene.Frame, "in a frame")
		add(p != i && a.Kind == scene.Group, "in a group")
	}
	add(turned, "turned")
	add(opacity < 1, "translucent")
	add(sh.Scale != 1 && sh.Kind != scene.Frame, "scaled")
	return unique(list)
}

// kind names the kind of a shape as a feature of the comparison: "geo ellipse", "arrow arc".
func kind(sh *scene.Shape) string {
	switch {
	case sh.Kind == scene.Geo:
		return "geo " + sh.Geo.String()
	case sh.Kind == scene.Arrow && sh.Arrow.Elbow:
		return "arrow elbow"
	case sh.Kind == scene.Arrow && sh.Arrow.Bend != 0:
		return "arrow arc"
	case sh.Kind == scene.Arrow:
		return "arrow straight"
	}
	return sh.TypeName
}

// textStyles names what a text has beside plain paragraphs, such as bold or a list. Names
// may repeat.
func textStyles(t *scene.RichText) (list []string) {
	add := func(yes bool, name string) {
		if yes {
			list = append(list, name)
		}
	}
	for i := range t.Blocks {
		b := &t.Blocks[i]
		add(b.Depth > 0, "list")
		for j := range b.Spans {
			sp := &b.Spans[j]
			add(sp.Bold, "bold")
			add(sp.Italic, "italic")
			add(sp.Code, "code")
			add(sp.Link, "link")
			add(sp.Strike, "strike")
			add(sp.Underline, "underline")
			add(sp.Highlight, "marked text")
		}
	}
	return list
}

// unique drops repeated names of features; lists are short.
func unique(list []string) []string {
	out := list[:0]
	for _, f := range list {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
