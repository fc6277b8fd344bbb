package exhibit

import (
	"errors"
	"image"
	"math"
	"strings"

	"plumb/render/scene"
	"plumb/render/view"
)

// drawNative draws a view as draw does. If the view has shapes that the renderer cannot draw itself, it
// draws the others and returns those as missing. A view that shows how one set of shapes covers another
// fails instead, because without a shape the picture would be wrong.
func drawNative(renderer Renderer, wanted view.View, wide, high int) (img *image.RGBA, missing []Lost, err error) {
	img, err = draw(renderer, wanted, wide, high)
	if errors.Is(err, view.ErrForeign) && wanted.SecondIDs == nil {
		wanted.FirstIDs, missing = splitNative(renderer, wanted)
		img, err = draw(renderer, wanted, wide, high)
	}
	return img, missing, err
}

// splitNative tries to draw every visible shape of the view alone, in a picture of one pixel, to see which
// can be drawn natively. It returns the ids of those that can be, and the others with the reason. Groups,
// which draw nothing themselves, are in neither.
func splitNative(renderer Renderer, wanted view.View) (native []string, missing []Lost) {
	native = []string{} // nil would stand for all shapes
	for i := range wanted.Scene.Shapes {
		shape := &wanted.Scene.Shapes[i]
		if !wanted.Shows(int32(i)) || shape.Kind == scene.Group {
			continue
		}
		probe := view.View{Scene: wanted.Scene, FirstIDs: []string{shape.ID},
			Bounds: view.Box{X: wanted.Bounds.X, Y: wanted.Bounds.Y, W: 1, H: 1}}
		if _, err := renderer.Picture(probe); err != nil {
			missing = append(missing, Lost{Name: shape.TypeName + " " + strings.TrimPrefix(shape.ID, "shape:"),
				Why: err.Error(), Corners: corners(wanted.Scene, int32(i))})
			continue
		}
		native = append(native, shape.ID)
	}
	return native, missing
}

// A box below tinyShape in width and height is enlarged to tinyWidth and tinyHeight, so that a name
// fits in. All are page units.
const (
	tinyShape  = 20
	tinyWidth  = 80
	tinyHeight = 40
)

// corners returns the corners of the box of shape i on the page, in order around the box, so that a page
// can mark the place of a shape that is not drawn. The box holds the size and all points of the shape, and
// is turned and moved as the shape and its parents are. A tiny box is enlarged, so that a name fits in.
func corners(sc *scene.Scene, i int32) [4]scene.Point {
	shape := &sc.Shapes[i]
	lo, hi := scene.Point{}, scene.Point{X: shape.W, Y: shape.H + shape.GrowY}
	stretch := func(x, y float64) {
		lo = scene.Point{X: min(lo.X, x), Y: min(lo.Y, y)}
		hi = scene.Point{X: max(hi.X, x), Y: max(hi.Y, y)}
	}
	// The box in the shape's own coordinates.
	for _, p := range shape.Points {
		stretch(p.X, p.Y)
	}
	for _, segment := range shape.Segments {
		for _, p := range segment.Points {
			stretch(p.X, p.Y)
		}
	}
	if hi.X-lo.X < tinyShape && hi.Y-lo.Y < tinyShape {
		stretch(lo.X+tinyWidth, lo.Y+tinyHeight)
	}
	box := [4]scene.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}}
	// Turn and move it with the shape and each parent.
	for ; i >= 0; i = sc.Shapes[i].Parent {
		p := &sc.Shapes[i]
		sin, cos := math.Sincos(p.Rotation)
		for k, c := range box {
			box[k] = scene.Point{X: p.X + float64(cos*c.X) - float64(sin*c.Y), Y: p.Y + float64(sin*c.X) + float64(cos*c.Y)}
		}
	}
	return box
}
