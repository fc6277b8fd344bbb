package scene

import (
	"cmp"
	"math"
	"strconv"

	"github.com/valyala/fastjson"
)

// The flags that raise the limits, as the messages name them.
const (
	FlagLine       = "--max-line"
	FlagDepth      = "--max-depth"
	FlagValues     = "--max-values"
	FlagShapes     = "--max-shapes"
	FlagPoints     = "--max-points"
	FlagCoverage   = "--max-coverage"
	FlagPixels     = "--max-pixels"
	FlagSide       = "--max-side"
	FlagText       = "--max-text"
	FlagCoordinate = "--max-coordinate"
)

// Limits bounds what one scene may cost. A field that is zero means its default. See
// docs/spec/cli.md#r33.
type Limits struct {
	Line       int     // bytes of one line or file
	Depth      int     // nesting of JSON values, and of groups and frames; the parser stops at 300
	Values     int     // JSON values in one line: each takes 90 to 130 bytes while it is read
	Shapes     int     // shapes of a scene
	Points     int     // points of one shape; while it is outlined each takes up to 2 kB
	Pixels     int     // px of a canvas, width x height
	Side       int     // px of a canvas along one side
	Text       int     // bytes of one shape's text, and of each of its names and ids
	Coordinate float64 // largest magnitude of a position or length, px
}

// DefaultLimits returns the default limits on whiteboards and other JSON input, which the flags of
// the program change.
func DefaultLimits() Limits {
	return Limits{
		Line:       64 << 20,
		Depth:      fastjson.MaxDepth,
		Values:     4_000_000,
		Shapes:     100_000,
		Points:     65_536,
		Pixels:     64 << 20,
		Side:       32_768,
		Text:       64 << 10,
		Coordinate: 1e9,
	}
}

// withDefaults returns the limits with each field that is 0 replaced by its default.
func (limits Limits) withDefaults() Limits {
	d := DefaultLimits()
	limits.Line, limits.Depth, limits.Values = cmp.Or(limits.Line, d.Line), cmp.Or(limits.Depth, d.Depth), cmp.Or(limits.Values, d.Values)
	limits.Shapes, limits.Points, limits.Text = cmp.Or(limits.Shapes, d.Shapes), cmp.Or(limits.Points, d.Points), cmp.Or(limits.Text, d.Text)
	limits.Pixels, limits.Side = cmp.Or(limits.Pixels, d.Pixels), cmp.Or(limits.Side, d.Side)
	limits.Coordinate = cmp.Or(limits.Coordinate, d.Coordinate)
	return limits
}

// CheckCanvas refuses a picture of w x h px that is empty, not finite or too large. Sizes are
// rounded down first, as an export does. See docs/spec/drawing.md#r16.
func (limits Limits) CheckCanvas(w, h float64) error {
	limits = limits.withDefaults()
	got := func() string { return formatNumber(w) + " x " + formatNumber(h) + " px" }
	if !(w >= 1 && h >= 1) || math.IsInf(w, 1) || math.IsInf(h, 1) {
		return invalid("bounds", "", got(), "a finite size of at least 1 x 1 px")
	}
	width, height := math.Floor(w), math.Floor(h)
	if width > float64(limits.Side) || height > float64(limits.Side) {
		return overLimit("bounds", "", got(), "at most "+strconv.Itoa(limits.Side)+" px a side", FlagSide)
	}
	if width*height > float64(limits.Pixels) {
		return overLimit("bounds", "", got(), "at most "+strconv.Itoa(limits.Pixels)+" px in all", FlagPixels)
	}
	return nil
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
