package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"image"
	"math"
	"strings"
	"sync"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// atlas holds the pictures of a report page, each once, because items share their initial
// scenes. It is safe for concurrent use.
type atlas struct {
	renderer Renderer
	mu       sync.Mutex
	pictures map[[32]byte]*picture // by identity of their views
}

// picture is drawn once, by the first caller.
type picture struct {
	once  sync.Once
	image *embedded // nil when it could not be drawn
	lost  []lost
	err   error
}

// embedded is a picture in the page.
type embedded struct {
	ID  string        // "i" and a hash of its bytes and size
	Tag template.HTML // the image element; the template would escape its data once more
}

func newAtlas(r Renderer) *atlas {
	return &atlas{renderer: r, pictures: map[[32]byte]*picture{}}
}

// panel draws a panel of a card. What cannot be drawn is named on the panel.
func (a *atlas) panel(p scoring.Panel) *panel {
	var own *picture
	if p.Image != nil {
		own, p.View = painted(p.Image)
	}
	b := p.View.Bounds
	out := &panel{Title: p.Title, Cover: p.View.Other != nil}
	if !(b.W > 0 && b.H > 0 && b.W < 1e6 && b.H < 1e6) {
		out.Lost = []string{fmt.Sprintf("the picture is %g x %g px and is not shown", b.W, b.H)}
		return out
	}
	pic := own
	if pic == nil {
		pic = a.picture(p.View)
	}
	out.image = pic.image
	out.Box = fmt.Sprintf("%s %s %s %s", num(b.X), num(b.Y), num(b.W), num(b.H))
	out.Wide = b.W / b.H
	s := newSketch(b)
	if pic.image != nil {
		s.use(pic.image.ID, b)
	}
	if pic.err != nil {
		out.Lost = append(out.Lost, pic.err.Error())
		s.note(b, "not drawn")
	}
	for _, l := range pic.lost {
		out.Lost = append(out.Lost, l.why)
		s.placeholder(l)
	}
	for _, m := range p.Marks {
		s.mark(m)
	}
	for _, m := range p.Marks { // labels lie above all marks
		s.label(m)
	}
	out.SVG = template.HTML(s.String())
	return out
}

// picture returns the picture of a view, and draws it at the first call.
func (a *atlas) picture(v view.View) *picture {
	key, ok := identity(v)
	p := new(picture)
	if ok {
		a.mu.Lock()
		if q := a.pictures[key]; q != nil {
			p = q
		} else {
			a.pictures[key] = p
		}
		a.mu.Unlock()
	}
	p.once.Do(func() { a.draw(p, v) })
	return p
}

// identity returns a hash that is equal for views that look the same. ok is false where a
// number of the view is not finite, and so has no JSON.
func identity(v view.View) (key [32]byte, ok bool) {
	b, err := json.Marshal([]any{v.Scene.Shapes, v.Scene.Bindings, v.Bounds, v.Only, v.Only == nil, v.Other, v.Other == nil})
	return sha256.Sum256(b), err == nil
}

// draw draws the picture of a view for the report, and lists the shapes that could not be drawn.
func (a *atlas) draw(p *picture, v view.View) {
	img, lost, err := drawNative(a.renderer, v, maxWide, maxHigh)
	p.lost = lost
	if err != nil {
		p.err = err
		return
	}
	p.embed(img, v.Bounds)
}

// drawNative draws a view as draw does. Where it has shapes that are not native, it draws the others
// and returns those as lost.
func drawNative(r Renderer, v view.View, wide, high int) (img *image.RGBA, missing []lost, err error) {
	img, err = draw(r, v, wide, high)
	if errors.Is(err, view.ErrForeign) && v.Other == nil {
		v.Only, missing = native(r, v)
		img, err = draw(r, v, wide, high)
	}
	return img, missing, err
}

// embed encodes a picture as an SVG element of the size of box.
func (p *picture) embed(img *image.RGBA, box view.Box) {
	b, err := encode(img)
	if err != nil {
		p.err = err
		return
	}
	h := sha256.Sum256(fmt.Appendf(b[:len(b):len(b)], "%g %g", box.W, box.H))
	id := "i" + hex.EncodeToString(h[:8])
	p.image = &embedded{ID: id, Tag: template.HTML(fmt.Sprintf(
		`<image id="%s" width="%s" height="%s" preserveAspectRatio="none" href="data:image/png;base64,%s"/>`,
		id, num(box.W), num(box.H), base64.StdEncoding.EncodeToString(b)))}
}

// painted returns a picture that the suite draws itself, with a view of its size.
func painted(make func() (*image.NRGBA, error)) (*picture, view.View) {
	p := new(picture)
	img, err := make()
	if err != nil {
		p.err = err
		return p, view.View{Bounds: view.Box{W: maxWide, H: maxHigh}}
	}
	b := view.Box{W: float64(img.Rect.Dx()), H: float64(img.Rect.Dy())}
	n := max(1, (img.Rect.Dx()+maxPaintedWide-1)/maxPaintedWide, (img.Rect.Dy()+maxPaintedHigh-1)/maxPaintedHigh)
	p.embed(shrink(onPaper(img, white), n), b)
	return p, view.View{Bounds: b}
}

// lost is a shape that is not drawn natively.
type lost struct {
	name    string
	why     string
	corners [4]scene.Point // its box on the page
}

// native draws every shape of the view alone. It returns the ids of those that can be drawn
// natively, and the others.
func native(r Renderer, v view.View) (only []string, missing []lost) {
	only = []string{} // nil would mean everything
	for i := range v.Scene.Shapes {
		sh := &v.Scene.Shapes[i]
		if !v.Shows(int32(i)) || sh.Kind == scene.Group {
			continue
		}
		probe := view.View{Scene: v.Scene, Only: []string{sh.ID}, Bounds: view.Box{X: v.Bounds.X, Y: v.Bounds.Y, W: 1, H: 1}}
		if _, err := r.Picture(probe); err != nil {
			missing = append(missing, lost{name: sh.TypeName + " " + strings.TrimPrefix(sh.ID, "shape:"), why: err.Error(), corners: corners(v.Scene, int32(i))})
			continue
		}
		only = append(only, sh.ID)
	}
	return only, missing
}

// corners returns the corners of a shape's box on the page, by the transforms of its parents.
// Very small boxes are enlarged to hold a name.
func corners(s *scene.Scene, i int32) [4]scene.Point {
	sh := &s.Shapes[i]
	lo, hi := scene.Point{}, scene.Point{X: sh.W, Y: sh.H + sh.GrowY}
	stretch := func(x, y float64) {
		lo = scene.Point{X: min(lo.X, x), Y: min(lo.Y, y)}
		hi = scene.Point{X: max(hi.X, x), Y: max(hi.Y, y)}
	}
	for _, p := range sh.Points {
		stretch(p.X, p.Y)
	}
	for _, g := range sh.Segments {
		for _, p := range g.Points {
			stretch(p.X, p.Y)
		}
	}
	if hi.X-lo.X < 20 && hi.Y-lo.Y < 20 { // too small to carry a name
		stretch(lo.X+80, lo.Y+40)
	}
	box := [4]scene.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}}
	for ; i >= 0; i = s.Shapes[i].Parent {
		p := &s.Shapes[i]
		sin, cos := math.Sincos(p.Rotation)
		for k, c := range box {
			box[k] = scene.Point{X: p.X + cos*c.X - sin*c.Y, Y: p.Y + sin*c.X + cos*c.Y}
		}
	}
	return box
}

// used lists the pictures that the cards show, in order and each once.
func (a *atlas) used(cards []*card) []embedded {
	var list []embedded
	seen := map[string]bool{}
	for _, c := range cards {
		for _, p := range c.Panels {
			if p.image != nil && !seen[p.image.ID] {
				seen[p.image.ID] = true
				list = append(list, *p.image)
			}
		}
	}
	return list
}
