// Package replay draws the canvas of an answer and measures it. In: actions. Out:
// the picture that the drawing app shows, the app's state at the end, and numbers
// of the picture, which the published evaluator does not use. It has one
// implementation, on the CPU: the order of paint operations and of the flood fill
// matters.
package replay

import (
	"slices"

	"plumb/render/canvas"
	"plumb/scoring/drawingbench/session"
	"plumb/scoring/pyjson"
)

// Palette names the app's colours, in the order of canvas counts. See
// docs/spec/drawingbench.md#r7.
var Palette = []struct {
	Name, Hex string
	Colour    canvas.Colour
}{
	{"black", "#000000", canvas.Colour{}}, {"red", "#FF0000", canvas.Colour{R: 255}}, {"green", "#00FF00", canvas.Colour{G: 255}},
	{"blue", "#0000FF", canvas.Colour{B: 255}}, {"yellow", "#FFFF00", canvas.Colour{R: 255, G: 255}},
	{"magenta", "#FF00FF", canvas.Colour{R: 255, B: 255}}, {"cyan", "#00FFFF", canvas.Colour{G: 255, B: 255}},
	{"white", "#FFFFFF", canvas.Colour{R: 255, G: 255, B: 255}},
}

// colours is Palette for counting.
var colours = func() (p canvas.Palette) {
	for _, c := range Palette {
		p = append(p, c.Colour)
	}
	return p
}()

func colour(hex string) canvas.Colour {
	for i := range Palette {
		if Palette[i].Hex == hex {
			return Palette[i].Colour
		}
	}
	return canvas.Colour{} // the app offers no other
}

// MaxWork is the default limit of what drawing an answer may cost, in writes to a
// pixel: about two seconds. See docs/spec/drawingbench.md#r56.
const MaxWork = 300_000_000

// Capped reports whether one of the fills was stopped by the app's limit.
func Capped(fills []int) bool { return slices.Contains(fills, canvas.MaxFill) }

// Drawer draws pictures, one after another, in memory that it keeps. One
// goroutine uses it at a time.
type Drawer struct {
	app app
	// Most is what an answer may cost, in writes to a pixel; 0 means MaxWork.
	Most int
}

// New returns a drawer.
func New() *Drawer { return &Drawer{app: app{canvas.New()}} }

// Picture is a drawn answer. Its canvas is valid until the drawer's next Draw.
type Picture struct {
	session.Result
	Canvas *canvas.Canvas
	Stats  canvas.Stats
}

// Draw plays the actions and measures what they leave. Where Limited is set, the
// picture is not whole.
func (d *Drawer) Draw(actions *pyjson.Value) Picture {
	most := d.Most
	if most <= 0 {
		most = MaxWork
	}
	d.app.Reset()
	p := Picture{Result: session.Run[*canvas.Snapshot](actions, &d.app, most), Canvas: d.app.Canvas}
	p.Stats = d.app.Measure(colours)
	return p
}

// app lets a session paint on a canvas.
type app struct{ *canvas.Canvas }

func (a *app) Segment(x0, y0, x1, y1, size float64, hex string, erase bool) {
	a.Canvas.Segment(x0, y0, x1, y1, size, colour(hex), erase)
}

func (a *app) Disc(x, y, size float64, hex string, erase bool) {
	a.Canvas.Disc(x, y, size, colour(hex), erase)
}

func (a *app) Rectangle(x0, y0, x1, y1, size float64, round bool, hex string) {
	a.Canvas.Rectangle(x0, y0, x1, y1, size, round, colour(hex))
}

func (a *app) Circle(x, y, r, size float64, hex string) {
	a.Canvas.Circle(x, y, r, size, colour(hex))
}

func (a *app) Fill(x, y int, hex string) int { return a.Canvas.Fill(x, y, colour(hex)) }

func (a *app) Keep() *canvas.Snapshot { return a.Snapshot() }

func (a *app) Bring(s *canvas.Snapshot) { a.Restore(s) }

func (a *app) Take() session.Painted {
	m := a.Canvas.Take()
	return session.Painted{Box: m.Box, Changed: m.Changed, Writes: m.Writes}
}
