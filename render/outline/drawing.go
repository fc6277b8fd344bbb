// Package outline turns a scene into what its paths cover. In: a *scene.Scene
// and a View of it. Out: a *Drawing in paint order, which the batch stage cuts
// into tiles: 8-bit coverage that render/scan fills as the reference browser does,
// or render/area with its true area. It refuses by name what it cannot draw as the
// editor does (ErrForeign): never drawn wrong in silence.
package outline

import (
	"errors"
	"slices"

	"plumb/render/scan"
	"plumb/render/scene"
)

// ErrForeign marks a scene that holds something the native renderer does not
// reproduce. The text names the shape and what of it.
var ErrForeign = errors.New("not drawn natively")

// ErrStopped marks a view whose preparation was cancelled.
var ErrStopped = errors.New("nobody waits for the picture any more")

// ErrLarge marks a view with more coverage than View.Light.
var ErrLarge = errors.New("the view is a large one")

// stopped reports whether the view is not wanted any more.
func (v *View) stopped() bool { return v.Stop != nil && v.Stop() }

// Box is a rectangle in page units: x to the right, y down.
type Box struct{ X, Y, W, H float64 }

// View is one picture of a scene: what is drawn, and over which part of the page.
type View struct {
	Scene *scene.Scene
	// Bounds is the part of the page that becomes the picture. The picture is floor(W) x
	// floor(H) px; a box that is not whole is stretched to it. See docs/spec/drawing.md#r16.
	Bounds Box
	// Only lists the ids to draw, with their descendants; nil draws everything,
	// an empty list nothing.
	Only []string
	// Other lists a second set of ids, composited by itself over the same
	// pixels; nil for none. A shape in both lists belongs to Only.
	Other []string
	// Picture asks for details that metrics do not need and that take time: the hatch of
	// pattern fills stroke by stroke, instead of the mean colour inside
	// (docs/spec/drawing.md#r38), and the two-pixel rule of the reference, which moves a
	// channel by 1/255 at some edges that lie on others (docs/spec/raster.md#r22).
	Picture bool
	// Unmeasured says that only the picture is wanted: its tally is empty, which
	// saves a run over its pixels.
	Unmeasured bool

	// Stop, if set, is asked now and then, also in the middle of a shape; once it
	// says so, Build ends with ErrStopped.
	Stop func() bool

	// Light, if above 0, is how many bytes of coverage are enough: beyond them Build ends
	// with ErrLarge, so that the caller can prepare large views separately.
	Light int

	// Foreign, which wraps ErrForeign, says why the view cannot be drawn
	// natively where that was found out before; Build returns it. The fields
	// below are for who draws the view instead, and not read here.
	Foreign error
	// Content takes the place of Bounds where these follow from sizes that are
	// not known natively; nil elsewhere. Foreign is set then.
	Content *Content
	// Source is the document that Scene was read from, nil where there is none.
	// It holds what a Scene does not (assets, records of other versions). Scene
	// may be nil where Source and Foreign are set.
	Source []byte
}

// Shows reports whether shape i is drawn in the first set: Only lists it or what
// it is part of.
func (v *View) Shows(i int32) bool {
	if v.Only == nil {
		return true
	}
	for ; i >= 0; i = v.Scene.Shapes[i].Parent {
		if slices.Contains(v.Only, v.Scene.Shapes[i].ID) {
			return true
		}
	}
	return false
}

// Content says how the bounds of a view follow from what its shapes take up.
type Content struct {
	// Padding is added on all sides of the content of View.Only as the editor's
	// export does, page units. It is for a nil Bounds.
	Padding float64
	// Bounds computes View.Bounds of the box that holds the shapes of IDs with
	// their descendants, of all shapes where IDs is nil; ok is false when there
	// is nothing. It is called once, by any goroutine, before the view is drawn.
	Bounds func(content Box, ok bool) (Box, error)
	IDs    []string
}

// Opaque is full opacity of an Item.
const Opaque = 1 << 16

// Alpha is an opacity in 1/255, halves up: the browser's opacities are binary32, and
// what it computes of them ends on a tie where the decimal number does, also where
// one in steps of 1/Opaque is a little short of it.
func Alpha(opacity uint32) uint32 { return (opacity*255 + Opaque/2 + 128) / Opaque }

// opacityOf is an opacity of 0..1 in steps of 1/Opaque.
func opacityOf(v float64) uint32 { return uint32(float64(v*Opaque) + 0.5) }

// Op says what the coverage of an item is used for.
type Op uint8

const (
	// OpPaint composites the coverage in the item's colour.
	OpPaint Op = iota
	// OpClip keeps the coverage as the clip of the items that name this one.
	OpClip
)

// Item is one path with what it covers, in paint order (back to front).
type Item struct {
	First, Count  int32 // its spans in Drawing.Coverage
	Pairs, Paired int32 // its first pixel in Drawing.Pairs, and how many there are
	Op            Op
	Round         bool     // blended as an image is: products are rounded, not floored
	Second        bool     // belongs to View.Other
	Opacity       uint32   // 0..Opaque
	Color         [3]uint8 // sRGB
	Clip          int32    // position in Items of the OpClip item, -1 for none
	// Group is 0 for an item on its own. Items of one shape that are composited first and made
	// translucent together (docs/spec/drawing.md#r11) carry the same Group > 0, stand next to
	// each other, and have Opacity of their own inside the group; Groups[Group-1] is the
	// group's opacity, 0..Opaque.
	Group int32
	Shape int32 // position in Scene.Shapes
}

// Pixel is a place, px.
type Pixel struct{ X, Y int32 }

// Drawing is a view in paint order, y down.
type Drawing struct {
	Width, Height int // px, >= 1
	// Pieces is how many straight pieces the outlines consist of in Exact mode:
	// what the scene's shape alone costs, before pixels. What was recalled from the
	// drawing before counts as nothing.
	Pieces   int
	Coverage scan.Coverage
	// Pairs are the pixels of items that are blended by the two-pixel rule, in rows
	// from top to bottom, of a View with Picture. They may lie outside.
	Pairs  []Pixel
	Items  []Item
	Groups []uint32
}

// Reset empties the drawing and keeps its memory.
func (d *Drawing) Reset() {
	d.Width, d.Height, d.Pieces = 0, 0, 0
	d.Coverage.Reset()
	d.Pairs, d.Items, d.Groups = d.Pairs[:0], d.Items[:0], d.Groups[:0]
}

// Volume is about what the drawing's memory takes up, used or not, in bytes.
func (d *Drawing) Volume() int {
	return (marks{}).size(marks{cap(d.Items), cap(d.Coverage.Spans), cap(d.Coverage.Bytes)}) + 8*cap(d.Pairs)
}
