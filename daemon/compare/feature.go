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

// strokeRoom is how far strokes and heads may stick out of a shape's page bounds, px.
const strokeRoom = 12

// Parts returns the features of the visible shapes of a view, each with the figures of the
// part of the picture that the shape's box takes up. Shapes that overlap share their errors.
// Groups are left out.
func (likeness *Likeness) Parts(wanted view.View) []Part {
	var all []Part
	scaleX, scaleY := float64(likeness.Width)/wanted.Bounds.W, float64(likeness.Height)/wanted.Bounds.H
	for i := range wanted.Scene.Shapes {
		sh := &wanted.Scene.Shapes[i]
		if sh.Kind == scene.Group || !wanted.Shows(int32(i)) {
			continue
		}
		box, ok := view.PageBounds(wanted.Scene, int32(i))
		if !ok {
			continue
		}
		// The shape's box in px, with room for strokes.
		part, ok := likeness.Region(image.Rect(
			pixel((box.X-wanted.Bounds.X)*scaleX-strokeRoom), pixel((box.Y-wanted.Bounds.Y)*scaleY-strokeRoom),
			pixel((box.X+box.W-wanted.Bounds.X)*scaleX+strokeRoom)+1, pixel((box.Y+box.H-wanted.Bounds.Y)*scaleY+strokeRoom)+1))
		if !ok {
			continue
		}
		for _, part.Feature = range Features(wanted.Scene, int32(i)) {
			all = append(all, part)
		}
	}
	return all
}

// pixel rounds a coordinate down to a whole pixel. It clamps it to a range that an int surely holds and no
// picture exceeds.
func pixel(v float64) int {
	const most = 1e6 // px
	return int(math.Floor(min(max(v, -most), most)))
}

// Features names the properties of shape i that affect how it is drawn, each once: its kind
// first, then its styles, its text and its parents.
func Features(sc *scene.Scene, i int32) []string {
	sh := &sc.Shapes[i]
	// Its kind and its styles.
	list := []string{kindName(sh)}
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
	// Its ends.
	if sh.Kind == scene.Arrow {
		for _, h := range []scene.Arrowhead{sh.Arrow.HeadStart, sh.Arrow.HeadEnd} {
			add(h != scene.HeadNone, "arrowhead "+h.String())
		}
		for j := range sc.Bindings {
			add(sc.Bindings[j].From == i, "bound arrow")
		}
	}
	// Its text.
	if sh.Rich != nil {
		add(sh.Kind != scene.Text, "label of "+sh.Kind.String())
		add(true, "font "+sh.Font.String())
		list = append(list, textStyles(sh.Rich)...)
	}
	// What it inherits from its parents.
	opacity, turned := 1.0, false
	for p := i; p >= 0; p = sc.Shapes[p].Parent {
		a := &sc.Shapes[p]
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

// kindName names the kind of a shape as a feature of the comparison: "geo ellipse", "arrow arc".
func kindName(shape *scene.Shape) string {
	switch {
	case shape.Kind == scene.Geo:
		return "geo " + shape.Geo.String()
	case shape.Kind == scene.Arrow && shape.Arrow.Elbow:
		return "arrow elbow"
	case shape.Kind == scene.Arrow && shape.Arrow.Bend != 0:
		return "arrow arc"
	case shape.Kind == scene.Arrow:
		return "arrow straight"
	}
	return shape.TypeName
}

// textStyles returns what a text has that plain paragraphs lack, such as bold or a list, as names of
// features. Names may repeat.
func textStyles(text *scene.RichText) (list []string) {
	add := func(yes bool, name string) {
		if yes {
			list = append(list, name)
		}
	}
	for i := range text.Blocks {
		b := &text.Blocks[i]
		add(b.Depth > 0, "list")
		for j := range b.Spans {
			span := &b.Spans[j]
			add(span.Bold, "bold")
			add(span.Italic, "italic")
			add(span.Code, "code")
			add(span.Link, "link")
			add(span.Strike, "strike")
			add(span.Underline, "underline")
			add(span.Highlight, "marked text")
		}
	}
	return list
}

// unique removes repeats from a list of features' names and overwrites the list with what is left. It
// compares each name with all before it, because lists are short.
func unique(list []string) []string {
	out := list[:0]
	for _, f := range list {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
