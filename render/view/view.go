// Package view describes pictures: a scene, a part of the page, and one or two sets of
// shapes. It also computes bounds of shapes and of the content of a page. In: a *scene.Scene. Out:
// a View for the renderer, and boxes. Suites import it instead of the renderer.
package view

import (
	"errors"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/text"
	"slices"
)

// ErrStopped marks a view whose preparation was cancelled.
var ErrStopped = errors.New("the picture is not wanted any more")

// ErrLarge marks a view with more bytes of coverage than View.LargeBeyond.
var ErrLarge = errors.New("the view is a large one")

// Stopped reports whether the view is not wanted any more.
func (view *View) Stopped() bool { return view.Stop != nil && view.Stop() }

// Box is a rectangle in page units: x to the right, y down.
type Box struct{ X, Y, W, H float64 }

// View is one picture of a scene: what is drawn, and over which part of the page.
type View struct {
	Scene *scene.Scene
	// Bounds is the part of the page that becomes the picture. The picture is floor(W) x
	// floor(H) px; a box that is not whole is stretched to it. See docs/spec/drawing.md#r16.
	Bounds Box
	// FirstIDs lists the ids of the shapes to draw, which are drawn with their descendants; nil
	// draws everything, an empty list nothing.
	FirstIDs []string
	// SecondIDs lists those of a second set of shapes, composited by itself over the same
	// pixels; nil for none. A shape in both lists belongs to FirstIDs.
	SecondIDs []string
	// Details asks for details that metrics do not need and that take time: the hatch of
	// pattern fills stroke by stroke, instead of the mean colour inside
	// (docs/spec/drawing.md#r38), and the two-pixel rule of the reference, which moves a
	// channel by 1/255 at some edges that lie on others (docs/spec/raster.md#r22).
	Details bool
	// Unmeasured says that only the picture is wanted: its tally is empty, which
	// saves a run over its pixels.
	Unmeasured bool

	// TallyOnly says that only the tally is wanted, never the picture. The renderer may take it
	// from a view with equal content.
	TallyOnly bool
	// Before, if set, is a view that this one was made of by an edit of the scene: the renderer may
	// measure only what differs. It has TallyOnly and Edited.
	Before *View
	// DrawBefore says that Before is not among the views to measure: the renderer draws it where it
	// is not known, for this view and later ones.
	DrawBefore bool
	// Edited says that other views have this one as Before.
	Edited bool

	// Stop, if set, is called regularly, also in the middle of a shape. Once it returns true,
	// Build ends with ErrStopped.
	Stop func() bool

	// LargeBeyond, if above 0, is the most bytes of coverage: beyond them Build ends with ErrLarge, so
	// that the caller can prepare large views separately.
	LargeBeyond int

	// Foreign, which wraps ErrForeign, says why the view cannot be drawn natively, if that is known
	// already; Build returns it. The fields below are for the editor, which draws the view instead.
	Foreign error
	// Content replaces Bounds if these follow from sizes that are not known natively; else nil.
	// Foreign is set then.
	Content *Content
	// Source is the document that Scene was read from, nil where there is none.
	// It holds what a Scene does not (assets, records of other versions). Scene
	// may be nil where Source and Foreign are set.
	Source []byte
}

// Shows reports whether shape i is drawn in the view's first set: FirstIDs lists it or one of its
// ancestors.
func (view *View) Shows(i int32) bool {
	if view.FirstIDs == nil {
		return true
	}
	for ; i >= 0; i = view.Scene.Shapes[i].Parent {
		if slices.Contains(view.FirstIDs, view.Scene.Shapes[i].ID) {
			return true
		}
	}
	return false
}

// Content says how the bounds of a view follow from the bounds of its shapes.
type Content struct {
	// Padding is added on all sides of the content of View.FirstIDs as the editor's
	// export does, page units. It counts only where the function Bounds is nil.
	Padding float64
	// Bounds computes View.Bounds of the box that holds the shapes of IDs with
	// their descendants, of all shapes where IDs is nil; ok is false when there
	// is nothing. It is called once, by any goroutine, before the view is drawn.
	Bounds func(content Box, ok bool) (Box, error)
	IDs    []string
}

// ErrFonts marks a view with text on a machine without the fonts: nothing is wrong with the
// scene, and another machine can draw it.
var ErrFonts = text.ErrFonts

// ErrForeign marks a view that holds something that plumb does not draw natively. The text
// names the shape and the part.
var ErrForeign = shapes.ErrForeign
