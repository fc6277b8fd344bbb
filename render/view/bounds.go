package view

import (
	"sync"

	"plumb/render/arrows"
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/tree"
)

// BoxOf returns the extent as a box.
func BoxOf(e *geom.Extent) Box { return Box{e.Lo.X, e.Lo.Y, e.Hi.X - e.Lo.X, e.Hi.Y - e.Lo.Y} }

// boundsFinder computes bounds on the page and keeps its memory.
type boundsFinder struct {
	tree   tree.Tree     // places of the shapes on the page
	maker  shapes.Maker  // outlines in the shapes' own space
	clip   tree.Clips    // visible parts of frames
	arrows arrows.Solver // bodies and labels of arrows
}

var boundsFinders = sync.Pool{New: func() any { return new(boundsFinder) }}

// PageBounds returns the box of shape i of scene in page units: that of its ideal outline, strokes not
// included, and of a group that of its descendants. See docs/spec/drawing.md#r14. Frames do not
// clip it. ok is false if the shape has no outline, or one that plumb does not compute as the editor does:
// text in missing fonts, arrows bound to such text, arrows whose ends or label depend on rounding errors.
func PageBounds(scene *scene.Scene, i int32) (b Box, ok bool) {
	finder := boundsFinders.Get().(*boundsFinder)
	defer boundsFinders.Put(finder)
	finder.arrows.Visited = 0 // the limit on work counts from here
	extent := geom.NewExtent()
	if finder.addWithDescendants(scene, i, &extent) != nil || extent.Empty() {
		return Box{}, false
	}
	return BoxOf(&extent), true
}

// ContentBounds returns the box that holds the shapes of these ids and their descendants, those
// of all shapes when ids is nil: the page box of an export without padding. Frames clip their
// content. See docs/spec/drawing.md#r14. ok is false when there is nothing. Errors name a
// missing id, or wrap ErrForeign where a shape's size is not known natively.
func ContentBounds(sc *scene.Scene, ids []string) (b Box, ok bool, err error) {
	finder := boundsFinders.Get().(*boundsFinder)
	defer boundsFinders.Put(finder)
	if err := finder.tree.Build(sc); err != nil {
		return Box{}, false, err
	}
	if err := finder.tree.Select(sc, ids, nil); err != nil {
		return Box{}, false, err
	}
	finder.clip.Reset(len(sc.Shapes))
	finder.arrows.Visited = 0 // the limit on work counts from here
	// The boxes of the selected shapes, each cut by its frame.
	all := geom.NewExtent()
	for i := range sc.Shapes {
		n := &finder.tree.Nodes[i]
		if n.Set == tree.Unset || sc.Shapes[i].Kind == scene.Group {
			continue
		}
		extent := geom.NewExtent()
		if err := finder.addShape(sc, int32(i), n.Page, &extent); err != nil {
			return Box{}, false, err
		}
		if n.Frame >= 0 && !extent.Empty() {
			extent = finder.clip.ClipBox(extent, finder.clip.OfFrame(&finder.tree, sc, n.Frame))
		}
		if !extent.Empty() {
			all.Join(extent)
		}
	}
	return BoxOf(&all), !all.Empty(), nil
}

// addWithDescendants adds the page bounds of shape i, or of the descendants if it is a group, to
// the extent. Only groups and arrows need the tree of the whole scene, which takes time to build.
func (finder *boundsFinder) addWithDescendants(sc *scene.Scene, i int32, extent *geom.Extent) error {
	if k := sc.Shapes[i].Kind; k != scene.Group && k != scene.Arrow {
		toPage := sc.Shapes[i].LocalMatrix()
		for p := sc.Shapes[i].Parent; p >= 0; p = sc.Shapes[p].Parent {
			toPage = sc.Shapes[p].LocalMatrix().Mul(toPage)
		}
		return finder.addShape(sc, i, toPage, extent)
	}
	if err := finder.tree.Build(sc); err != nil {
		return err
	}
	if sc.Shapes[i].Kind == scene.Arrow {
		return finder.addShape(sc, i, finder.tree.Nodes[i].Page, extent)
	}
	// Descendants stand right after their ancestor, each after its parent.
	for j := i + 1; j < int32(len(sc.Shapes)) && sc.Shapes[j].Parent >= i; j++ {
		if sc.Shapes[j].Kind == scene.Group {
			continue
		}
		if err := finder.addShape(sc, j, finder.tree.Nodes[j].Page, extent); err != nil {
			return err
		}
	}
	return nil
}

// addShape adds to the extent the points that stand for shape i when bounds are computed; toPage maps
// the shape's space to the page. For an arrow finder.tree must be built.
func (finder *boundsFinder) addShape(sc *scene.Scene, i int32, toPage geom.Matrix, extent *geom.Extent) error {
	shape := &sc.Shapes[i]
	if err := shapes.Check(shape); err != nil {
		return err
	}
	add := func(p geom.Point) { extent.Add(toPage.Apply(p)) }
	if shape.Kind == scene.Arrow {
		return finder.addArrow(sc, i, add)
	}
	return finder.maker.Contours(shape, shapes.Contours{Begin: func(shapes.Contour) {}, Point: add})
}

// addArrow calls add with the points that represent arrow i in bounds: those of its body and the corners of its
// label's box, but not its heads.
func (finder *boundsFinder) addArrow(scene *scene.Scene, i int32, add func(geom.Point)) error {
	solver := &finder.arrows
	if err := solver.Solve(scene, &finder.tree, i); err != nil {
		return err
	}
	label, err := solver.Label(&scene.Shapes[i])
	if err != nil {
		return err
	}
	points, _ := solver.Samples()
	for _, p := range points {
		add(p)
	}
	if label.Shown {
		add(label.Box.Lo)
		add(geom.Pt(label.Box.Hi.X, label.Box.Lo.Y))
		add(label.Box.Hi)
		add(geom.Pt(label.Box.Lo.X, label.Box.Hi.Y))
	}
	return nil
}
