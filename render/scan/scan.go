// Package scan fills paths as the reference browser does, byte for byte
// (docs/spec/raster.md#r4). In: a path in device px, the clip, the fill rule. Out: the 8-bit
// coverage of every pixel that the path touches, as spans. It has no colours and refuses
// nothing: a path with a point that is not finite, or farther than 1e15 px away, covers
// nothing.
package scan

import (
	"math"

	"plumb/render/chord"
	"plumb/render/vector"
)

// Rule says how a path is filled. The zero value is the non-zero rule and an
// opaque colour that is not black.
type Rule struct {
	EvenOdd bool
	// Plain turns off the two-pixel rule, by which the browser blends pixels that it draws in pairs. It does
	// not follow it for black and for translucent colours. See docs/spec/raster.md#r22.
	Plain bool
	// Clip fills as antialiased clips and what they clip are filled: Plain, not through the
	// small mask, and without direct spans where the path is concave. Convex paths keep theirs.
	// See docs/spec/raster.md#r29.
	Clip bool
	// Cells makes spans begin and end at multiples of Cell px, as tiles do, with zeros where
	// nothing is; they may then end up to Cell-1 px right of the clip. Small rectangles
	// (docs/spec/raster.md#r23) are not affected.
	Cells bool
}

// maxPx bounds the pixels that are filled, in both directions: q16 coordinates
// of the reference end there. What lies beyond is cut off.
const maxPx = 1 << 15

// Scanner is the scan converter. It holds no result, only scratch memory: one Scanner serves
// any number of paths, one goroutine at a time. The zero value is ready for use.
type Scanner struct {
	// OnPairPixel, if set, is called for every pixel that the two-pixel rule draws, with its alpha
	// before the rule. Coverage holds what the rule makes of an empty pixel; what it makes of another one
	// depends on the colour there, so that whoever blends the coverage must know these pixels.
	OnPairPixel func(x, y int32, a byte)

	// Stop, if set, is called every few rows of a path of many edges. Once it returns true,
	// Append ends and its output is incomplete.
	Stop func() bool

	without quirk // rules that a test leaves out

	cutter      chord.Cutter
	edges       chord.Edges
	keys        []uint64
	spareKeys   []uint64
	runs        []int
	order       []orderedEdge
	active      []activeEdge // the edges that cross the current strip, by x
	steadySpans []steadySpan
	spareActive []activeEdge // scratch of sortByX and insertEdges
	row         row
}

// Append adds the coverage of the path to dst and returns the range of its
// spans. Every subpath counts as closed. The clip is what can be painted: the
// canvas, or in a layer the layer's painted box. Path and clip are in px from
// the same corner. With chord.NoClip, for glyphs, nothing is cut off.
func (scanner *Scanner) Append(dst *Coverage, path *vector.Path, clip chord.Rect, rule Rule) (first, count int) {
	first = len(dst.Spans)
	lo, hi, ok := chord.Bounds(path)
	if !ok {
		return first, 0
	}
	filled := pathFill{rule: rule, lo: lo, hi: hi}
	filled.setClip(clip)
	if filled.inner.X0 >= filled.inner.X1 || filled.inner.Y0 >= filled.inner.Y1 {
		return first, 0
	}
	// Small paths are added up in a mask, as the browser does; tests can turn that off.
	filled.inSmallMask = !rule.Clip && chord.FitsSmallMask(lo, hi) && !scanner.testOmits(smallMask)
	if !filled.inSmallMask || !chord.Rectangle(path) || !fillSmallRect(dst, &filled) {
		scanner.fillPath(dst, path, &filled)
	}
	return first, len(dst.Spans) - first
}

// pathFill describes one path to the walkers, which draw it row by row.
type pathFill struct {
	rule        Rule
	lo, hi      vector.Point // bounds of all points
	clip        chord.Rect
	inner       chord.Rect // the bounds, rounded outwards, within the clip
	inside      bool       // nothing is cut off
	inSmallMask bool       // drawn through the small mask (docs/spec/raster.md#r20)
	points      int        // of the path
}

// setClip sets fill.clip to the part of clip that can be filled, which for chord.NoClip is the path's
// own bounds; fill.inner to the pixels that the path can touch; and fill.inside to whether the clip cuts nothing off.
func (fill *pathFill) setClip(clip chord.Rect) {
	whole := chord.Rect{X0: -maxPx, Y0: -maxPx, X1: maxPx, Y1: maxPx}
	own := chord.Rect{
		X0: clampPx(math.Floor(float64(fill.lo.X))), Y0: clampPx(math.Floor(float64(fill.lo.Y))),
		X1: clampPx(math.Ceil(float64(fill.hi.X))), Y1: clampPx(math.Ceil(float64(fill.hi.Y))),
	}
	if clip == chord.NoClip {
		clip = own
	}
	fill.clip = intersect(clip, whole)
	fill.inner = intersect(own, fill.clip)
	fill.inside = fill.lo.X >= float32(fill.clip.X0) && fill.lo.Y >= float32(fill.clip.Y0) &&
		fill.hi.X <= float32(fill.clip.X1) && fill.hi.Y <= float32(fill.clip.Y1)
}

// clampPx converts a coordinate to a pixel and clamps it to what can be filled.
func clampPx(v float64) int32 { return int32(min(max(v, -maxPx), maxPx)) }

// intersect returns the common part of two rectangles.
func intersect(a, b chord.Rect) chord.Rect {
	return chord.Rect{X0: max(a.X0, b.X0), Y0: max(a.Y0, b.Y0), X1: min(a.X1, b.X1), Y1: min(a.Y1, b.Y1)}
}

// fillPath cuts the path into edges, scan-converts them and appends the coverage to dst: convex paths
// by pairs of edges, others with a list of active edges. A path without edges covers nothing.
func (scanner *Scanner) fillPath(dst *Coverage, path *vector.Path, fill *pathFill) {
	convex := isConvex(path) && !scanner.testOmits(convexRule)
	fill.points = len(path.Points)
	scanner.cutter.Edges(&scanner.edges, path, fill.clip, fill.inside, convex)
	if len(scanner.edges.List) == 0 {
		return
	}
	scanner.sortEdges()
	scanner.row.onPairPixel, scanner.row.noEndSnap = scanner.OnPairPixel, scanner.testOmits(endSnap)
	scanner.row.beginPath(dst, fill)
	if convex && len(scanner.edges.List) >= 2 {
		scanner.fillConvex(fill)
	} else {
		scanner.fillGeneral(fill)
	}
	scanner.row.finishRow()
	scanner.row.dst = nil // the scanner keeps no result
}

// bounds returns the range that x is clamped to while edges are walked, in q16: the clip,
// or the small mask's own columns.
func (fill *pathFill) bounds() (left, right int64) {
	if fill.inSmallMask {
		return int64(fill.inner.X0) << 16, int64(fill.inner.X1) << 16
	}
	return int64(fill.clip.X0) << 16, int64(fill.clip.X1) << 16
}
