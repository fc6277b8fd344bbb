package report

import (
	"crypto/sha256"
	"fmt"
	"image"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

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
func Key(p *scoring.Panel) (key [sha256.Size]byte, ok bool) {
	if p.Image != nil || p.View.Scene == nil {
		return key, false
	}
	return identity(p.View)
}

// Show draws a panel without its marks, shrunk by a whole factor to at most wide x high px. What
// cannot be drawn natively is left out and listed. It refuses pictures of more than 1e6 px a side.
func Show(r Renderer, p *scoring.Panel, wide, high int) (out Shown, err error) {
	var img *image.RGBA
	if p.Image != nil {
		made, err := p.Image()
		if err != nil {
			return out, err
		}
		w, h := made.Rect.Dx(), made.Rect.Dy()
		out.Box = view.Box{W: float64(w), H: float64(h)}
		img = shrink(onPaper(made, white), max(1, (w+wide-1)/wide, (h+high-1)/high))
	} else {
		out.Box = p.View.Bounds
		if b := out.Box; !(b.W > 0 && b.H > 0 && b.W < 1e6 && b.H < 1e6) {
			return out, fmt.Errorf("the picture is %g x %g px and is not shown", b.W, b.H)
		}
		var missing []lost
		if img, missing, err = drawNative(r, p.View, wide, high); err != nil {
			return out, err
		}
		for _, l := range missing {
			out.Lost = append(out.Lost, Lost{l.name, l.why, l.corners})
		}
	}
	out.PNG, err = encode(img)
	return out, err
}
