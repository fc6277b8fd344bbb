// Package layout says where the canvas and the buttons of DrawingBench's drawing app lie on
// its screen. Positions are in screen px, x to the right and y down. See
// docs/spec/drawingbench.md#r6 and docs/spec/drawingbench.md#r7.
package layout

// The canvas: its upper left corner on the screen, and its size.
const (
	Left, Top     = 90, 70
	Width, Height = 1000, 700
)

// Tool is the button of a drawing tool, given by its centre.
type Tool struct {
	Name string
	X, Y float64
}

// Tools are in the order in which the published evaluator tests them.
var Tools = []Tool{{"pen", 35, 45}, {"eraser", 35, 125}, {"fill", 35, 205}, {"line", 35, 285},
	{"rectangle", 35, 365}, {"circle", 35, 445}}

// Colour is a button of the palette; the centres of all are at PaletteY.
type Colour struct {
	Name, Hex string // "Red", "#FF0000"
	X         float64
}

// PaletteY is the y of the centres of all buttons of the palette.
const PaletteY = 25

// Palette lists the colours from left to right.
var Palette = []Colour{{"Black", "#000000", 405}, {"Red", "#FF0000", 429}, {"Green", "#00FF00", 453},
	{"Blue", "#0000FF", 477},
	{"Yellow", "#FFFF00", 501}, {"Magenta", "#FF00FF", 525}, {"Cyan", "#00FFFF", 549}, {"White", "#FFFFFF", 573}}

// Stroke is the button of a stroke width, given by its centre.
type Stroke struct {
	Width int // px
	X, Y  float64
}

// Strokes are the stroke widths that the app offers.
var Strokes = []Stroke{{2, 35, 525}, {5, 35, 605}, {10, 35, 685}}
