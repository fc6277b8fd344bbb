// Package chord turns paths in px into directed line segments, as the reference
// browser's filler does before it walks its rows (reference-raster.md 4 and 5),
// or, on request, as close to the true curves as the grid of segments allows.
// In: a path in device space and the clip. Out: segments in 1/Unit px. It
// refuses nothing: a path with a point that is not finite gives no segments, as
// in the browser, and the number of segments is bounded by the number of verbs.
package chord

import "plumb/render/path"

// Unit is the number of steps per px in which Segments are given.
const Unit = 1024

// Segment is a directed line in 1/Unit px from the picture's top left corner.
// Its winding is +1 where it runs downwards (Y1 > Y0), -1 where upwards.
// Horizontal segments carry nothing and are never stored.
type Segment struct{ X0, Y0, X1, Y1 int32 }

// Mode says which chords stand for a curve.
type Mode uint8

const (
	// Reference cuts as the browser does: y on quarter rows, x from a 1/256 px
	// grid, few chords per curve. Pixels then agree with the browser's.
	Reference Mode = iota
	// Exact keeps to the path within 1/64 px and keeps its area: the truer
	// picture, and about twice the segments.
	Exact
)

// Rect is a clip in whole px; X1 and Y1 are the first column and row outside.
type Rect struct{ X0, Y0, X1, Y1 int32 }

// NoClip cuts nothing that a picture could show: it only keeps segments within
// 32 bits. It is for outlines that are placed later (glyphs).
var NoClip = Rect{-maxPx, -maxPx, maxPx, maxPx}

// maxPx bounds every coordinate: 2^20 px are 2^30 steps.
const maxPx = 1 << 20

// Cutter cuts paths. It holds no result, only memory that is used again: one
// Cutter serves any number of paths, one goroutine at a time. The zero value is
// ready for use.
type Cutter struct {
}

// Append adds the segments of the path to dst, in the path's order and
// direction, and returns the longer slice. Every subpath counts as closed. What
// lies left of the clip becomes vertical lines at its left edge, what lies right
// of it, above or below vanishes: windings inside stay what they are. In a
// layer the browser's clip is the layer's painted box, else the canvas
// (reference-raster.md 11).
func (c *Cutter) Append(dst []Segment, p *path.Path, clip Rect, mode Mode) []Segment {
	return dst
}
