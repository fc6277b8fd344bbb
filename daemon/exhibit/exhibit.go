// Package exhibit draws what explains a score, as PNG. In: the panels of a scoring.Exhibit, and a Renderer
// that draws views. Out: PNG pictures of the size that is shown, and a list of the shapes that are not in
// them. It draws no marks, which the pages do, and refuses views of 1e6 px a side or more.
package exhibit

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// Renderer draws one view as an image that is not premultiplied. It is safe for concurrent use. The error wraps
// view.ErrForeign where the view holds what is not drawn natively.
type Renderer interface {
	Picture(v view.View) (*image.NRGBA, error)
}

// Lost is a shape of a picture that is not drawn, because it is not native.
type Lost struct {
	Name, Why string
	Corners   [4]scene.Point // of its box on the page
}

// Shown is the picture of a panel.
type Shown struct {
	PNG  []byte
	Box  view.Box // the part of the page that it shows, page units; marks stand in the same units
	Lost []Lost
}

// Key returns a hash that is equal for panels that show the same picture; ok is false where that is
// not known before it is drawn.
func Key(panel *scoring.Panel) (key [sha256.Size]byte, ok bool) {
	if panel.Image != nil || panel.View.Scene == nil {
		return key, false
	}
	return identity(panel.View)
}

// maxSide is the width and height in px, before it is shrunk, from which a picture is not drawn.
const maxSide = 1e6

// Show draws a panel without its marks, shrunk by a whole factor to at most wide x high px.
// A panel with a picture of its own shows that, on white. Shapes that cannot be drawn
// natively are left out and listed. It refuses views of maxSide or more px a side.
func Show(renderer Renderer, panel *scoring.Panel, wide, high int) (out Shown, err error) {
	var img *image.RGBA
	if panel.Image != nil {
		made, err := panel.Image()
		if err != nil {
			return out, err
		}
		w, h := made.Rect.Dx(), made.Rect.Dy()
		out.Box = view.Box{W: float64(w), H: float64(h)}
		img = Shrink(onPaper(made, white), shrinkFactor(w, h, wide, high))
	} else {
		out.Box = panel.View.Bounds
		if b := out.Box; !(b.W > 0 && b.H > 0 && b.W < maxSide && b.H < maxSide) {
			return out, fmt.Errorf("the picture is %g x %g px and is not shown", b.W, b.H)
		}
		if img, out.Lost, err = drawNative(renderer, panel.View, wide, high); err != nil {
			return out, err
		}
	}
	out.PNG, err = Encode(img)
	return out, err
}

// identity returns a hash that is equal for views that look the same. ok is false where a
// number of the view is not finite, and so has no JSON.
func identity(v view.View) (key [32]byte, ok bool) {
	b, err := json.Marshal([]any{v.Scene.Shapes, v.Scene.Bindings, v.Bounds, v.FirstIDs, v.FirstIDs == nil, v.SecondIDs,
		v.SecondIDs == nil})
	return sha256.Sum256(b), err == nil
}
