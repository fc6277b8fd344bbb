// Package replay plays mouse actions on a copy of DrawingBench's drawing app and measures the
// picture. In: the actions of an answer as Python reads them. Out: the picture that the app
// shows, the app's state at the end, what each press painted, and counts of pixels. An action
// that fails is skipped and the run goes on, as in the app (docs/spec/drawingbench.md#r48). It
// scores nothing: the published evaluator uses no pixels and selects tools by larger
// tolerances. It runs on the CPU, because the order of strokes and flood fills matters.
package replay

import (
	"slices"
	"strconv"

	"plumb/render/canvas"
	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/pyjson"
)

// palette holds the colours of layout.Palette, in the same order.
var palette = func() (p canvas.Palette) {
	for _, c := range layout.Palette {
		rgb, _ := strconv.ParseUint(c.Hex[1:], 16, 32)
		p = append(p, canvas.Colour{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb)})
	}
	return p
}()

// paletteColour returns the palette's colour for "#RRGGBB", and black for one that is not
// there.
func paletteColour(hex string) canvas.Colour {
	i := slices.IndexFunc(layout.Palette, func(c layout.Colour) bool { return c.Hex == hex })
	return palette[max(i, 0)]
}

// MaxWork is the default limit of what drawing an answer may cost, in writes to a
// pixel: about two seconds. See docs/spec/drawingbench.md#r56.
const MaxWork = 300_000_000

// AnyFillCapped reports whether the app's limit stopped one of the flood fills. fills are the
// numbers of pixels that they painted.
func AnyFillCapped(fills []int) bool { return slices.Contains(fills, canvas.MaxFill) }

// Drawer draws the pictures of answers, one after another, in memory that it keeps. One
// goroutine uses it at a time.
type Drawer struct {
	canvas *canvas.Canvas
	// MaxWrites is what an answer may cost, in writes to a pixel; 0 or less means MaxWork.
	MaxWrites int
}

// New returns a drawer with the default limit.
func New() *Drawer { return &Drawer{canvas: canvas.New()} }

// Picture is a drawn answer. Its canvas is valid until the drawer's next Draw.
type Picture struct {
	Session
	Canvas *canvas.Canvas
	Stats  canvas.Stats
}

// Draw plays mouse actions on the drawing app's white canvas and counts the pixels that they leave.
// Where Limited is set, the picture lacks what came after the limit.
func (drawer *Drawer) Draw(actions *pyjson.Value) Picture {
	maxWork := drawer.MaxWrites
	if maxWork <= 0 {
		maxWork = MaxWork
	}
	drawer.canvas.Reset()
	s := play(actions, drawer.canvas, maxWork)
	return Picture{Session: s, Canvas: drawer.canvas, Stats: drawer.canvas.Measure(palette)}
}
