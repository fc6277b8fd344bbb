package outline

import (
	"fmt"
	"math"
	"sync"

	"plumb/render/geom"
	"plumb/render/scene"
)

// boxOf returns the extent as a box.
func boxOf(e *geom.Extent) Box { return Box{e.Lo.X, e.Lo.Y, e.Hi.X - e.Lo.X, e.Hi.Y - e.Lo.Y} }

// surveyor measures shapes on the page. It keeps its memory.
type surveyor struct {
	tree   tree
	local  local
	clip   polygons
	arrows arrows
}

var surveyors = sync.Pool{New: func() any { return new(surveyor) }}

// PageBounds returns the box of shape i of s in page units: that of its ideal outline, strokes
// not included, and of a group that of its descendants. See docs/spec/drawing.md#r14. Frames do
// not cut it. ok is false where the shape has no outline or one that is not known natively
// (text in fonts that are not there, arrows bound to such, arrows whose ends or label the last
// bits place).
func PageBounds(s *scene.Scene, i int32) (b Box, ok bool) {
	v := surveyors.Get().(*surveyor)
	defer surveyors.Put(v)
	v.arrows.visited = 0
	e := geom.NewExtent()
	if v.shape(s, i, &e) != nil || e.Empty() {
		return Box{}, false
	}
	return boxOf(&e), true
}

// ContentBounds returns the box that holds the shapes of these ids and their descendants, those
// of all shapes when ids is nil, as an export without padding takes it: what lies in a frame is
// cut by it. See docs/spec/drawing.md#r14. ok is false when there is nothing. Errors name a
// missing id, or wrap ErrForeign where a shape's size is not known natively.
func ContentBounds(s *scene.Scene, ids []string) (b Box, ok bool, err error) {
	v := surveyors.Get().(*surveyor)
	defer surveyors.Put(v)
	if err := v.tree.build(s); err != nil {
		return Box{}, false, err
	}
	if err := v.tree.choose(View{Scene: s, Only: ids}); err != nil {
		return Box{}, false, err
	}
	v.clip.reset(len(s.Shapes))
	v.arrows.visited = 0
	all := geom.NewExtent()
	for i := range s.Shapes {
		n := &v.tree.nodes[i]
		if n.set == unset || s.Shapes[i].Kind == scene.Group {
			continue
		}
		e := geom.NewExtent()
		if err := v.one(s, int32(i), n.page, &e); err != nil {
			return Box{}, false, err
		}
		if n.frame >= 0 && !e.Empty() {
			e = v.clip.cut(e, v.clip.ofFrame(&v.tree, s, n.frame))
		}
		if !e.Empty() {
			all.Join(e)
		}
	}
	return boxOf(&all), !all.Empty(), nil
}

// cut returns the box of what a convex polygon leaves of a box.
func (c *polygons) cut(e geom.Extent, by []geom.Point) geom.Extent {
	out := geom.NewExtent()
	box := [4]geom.Point{e.Lo, geom.Pt(e.Hi.X, e.Lo.Y), e.Hi, geom.Pt(e.Lo.X, e.Hi.Y)}
	for _, p := range c.intersect(by, box[:]) {
		out.Add(p)
	}
	return out
}

// shape adds a shape, or the descendants of a group.
func (v *surveyor) shape(s *scene.Scene, i int32, e *geom.Extent) error {
	if k := s.Shapes[i].Kind; k != scene.Group && k != scene.Arrow {
		m := localMatrix(&s.Shapes[i])
		for p := s.Shapes[i].Parent; p >= 0; p = s.Shapes[p].Parent {
			m = localMatrix(&s.Shapes[p]).Mul(m)
		}
		return v.one(s, i, m, e)
	}
	if err := v.tree.build(s); err != nil {
		return err
	}
	if s.Shapes[i].Kind == scene.Arrow {
		return v.one(s, i, v.tree.nodes[i].page, e)
	}
	// Descendants stand right after their ancestor, each after its parent.
	for j := i + 1; j < int32(len(s.Shapes)) && s.Shapes[j].Parent >= i; j++ {
		if s.Shapes[j].Kind == scene.Group {
			continue
		}
		if err := v.one(s, j, v.tree.nodes[j].page, e); err != nil {
			return err
		}
	}
	return nil
}

// one adds the points that stand for the geometry of shape i. m maps its units
// to the page. Arrows need the tree.
func (v *surveyor) one(s *scene.Scene, i int32, m geom.Matrix, e *geom.Extent) error {
	sh := &s.Shapes[i]
	if err := degenerate(sh); err != nil {
		return err
	}
	add := func(p geom.Point) { e.Add(m.Apply(p)) }
	rect := func(w, h float64) {
		for _, p := range [4]geom.Point{geom.Pt(0, 0), geom.Pt(w, 0), geom.Pt(w, h), geom.Pt(0, h)} {
			add(p)
		}
	}
	switch sh.Kind {
	case scene.Geo:
		return v.geo(sh, add)
	case scene.Text:
		w, h, err := textSize(sh)
		if err != nil {
			return err
		}
		rect(w, h)
	case scene.Line:
		v.local.commands.reset()
		outlineLine(sh.Points, sh.Cubic, &v.local.commands)
		v.local.commands.sample(add)
	case scene.Draw, scene.Highlight:
		return v.freehand(sh, add)
	case scene.Arrow:
		return v.arrow(s, i, add)
	case scene.Note:
		growY, err := grown(sh)
		if err != nil {
			return err
		}
		rect(200*sh.Scale, (200+growY)*sh.Scale)
	case scene.Frame, scene.Image, scene.Video, scene.Bookmark, scene.Embed:
		rect(sh.W, sh.H)
	default:
		return foreign(sh, "bounds")
	}
	return nil
}

// arrow adds the body of an arrow and the box of its label, not its heads.
func (v *surveyor) arrow(s *scene.Scene, i int32, add func(geom.Point)) error {
	w := &v.arrows
	if err := w.solve(s, &v.tree, i); err != nil {
		return err
	}
	l, err := w.label(&s.Shapes[i])
	if err != nil {
		return err
	}
	points, _ := w.samples()
	for _, p := range points {
		add(p)
	}
	if l.shown {
		add(l.box.Lo)
		add(geom.Pt(l.box.Hi.X, l.box.Lo.Y))
		add(l.box.Hi)
		add(geom.Pt(l.box.Lo.X, l.box.Hi.Y))
	}
	return nil
}

// grown returns the growY of a geo shape or note.
func grown(sh *scene.Shape) (float64, error) {
	if sh.Grow {
		return labelGrowth(sh)
	}
	return sh.GrowY, nil
}

func (v *surveyor) geo(sh *scene.Shape, add func(geom.Point)) error {
	growY, err := grown(sh)
	if err != nil {
		return err
	}
	c := &v.local.commands
	c.reset()
	g := geoSpec{
		kind: sh.Geo, w: sh.W, h: sh.H + growY,
		size: sh.Size, dash: sh.Dash, scale: sh.Scale, id: sh.ID,
	}
	if err := g.outline(c); err != nil {
		return fmt.Errorf("shape %q: %w", sh.ID, err)
	}
	c.sample(add)
	return nil
}

func (v *surveyor) freehand(sh *scene.Shape, add func(geom.Point)) error {
	f := &v.local.free
	if err := f.gather(sh); err != nil || len(f.input) == 0 {
		return err
	}
	switch r := f.geometry(sh); {
	case r > 0:
		dotOutline(r, add)
		return nil
	case sh.Kind == scene.Highlight:
		f.highlightEdge(highlighter(sh), add)
		return nil
	}
	for i := range f.points {
		add(f.points[i].at)
	}
	return nil
}

// geometry smooths the gathered line into f.points as the editor does for its geometry. Where
// it hardly has any length the editor takes a disc, whose radius is returned, else 0. The disc
// lies about the shape's own origin, wherever the points are (docs/spec/drawing.md#r78): a
// highlight of one point has the width of its stroke; a draw shape is a disc where its points
// span less than two strokes both ways, or smooth to a single one.
func (f *freehand) geometry(sh *scene.Shape) (disc float64) {
	if sh.Kind == scene.Highlight {
		if len(f.input) == 1 {
			disc = highlighterWidth(sh) / 2
		}
		f.smooth(highlighter(sh))
		return disc
	}
	stroke := (strokeWidth[sh.Size] + 1) * sh.Scale
	e := geom.NewExtent()
	for _, p := range f.input {
		e.Add(geom.Pt(p.X, p.Y))
	}
	w, h := e.Hi.X-e.Lo.X, e.Hi.Y-e.Lo.Y
	if f.smooth(boundsPen(sh)); len(f.points) == 1 || w < 2*stroke && h < 2*stroke {
		return stroke
	}
	return 0
}

// dotOutline calls add with the corners that stand for a disc about the origin.
func dotOutline(r float64, add func(geom.Point)) {
	n := max(8, math.Ceil(2*math.Pi*r/20))
	for i := 0.0; i < n; i++ {
		sin, cos := math.Sincos(2 * math.Pi * i / n)
		add(geom.Pt(r*cos, r*sin))
	}
}

// boundsPen is the pen whose smoothed points stand for a draw shape's geometry.
func boundsPen(sh *scene.Shape) pen {
	p := drawPen(sh, (strokeWidth[sh.Size]+1)*sh.Scale)
	// Observed: pressure counts as real whatever the dash is, so that an incomplete
	// line too reaches for its end; and a straight end is not a complete one.
	p.simulated, p.last = false, sh.Complete
	if sh.Pen {
		// Observed: a pen smooths as in the dash draw whatever the dash is, but
		// thins out its ends like the plain stroke.
		p.streamline, p.size, p.last = penStreamline, (strokeWidth[sh.Size]+1)*sh.Scale, true
	}
	return p
}
