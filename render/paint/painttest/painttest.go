// Package painttest builds drawings by hand, for the tests of what comes after
// render/paint. In: points in px. Out: items of a drawing. It refuses nothing.
package painttest

import (
	"math/rand/v2"

	"plumb/render/area"
	"plumb/render/chord"
	"plumb/render/paint"
	"plumb/render/scan"
	"plumb/render/vector"
)

// Polygon adds an item that covers a closed outline through points in px, by the
// non-zero rule; it may leave the picture.
func Polygon(drawing *paint.Drawing, item paint.Item, pts ...[2]float64) {
	var path vector.Path
	for i, q := range pts {
		v := vector.Point{X: float32(q[0]), Y: float32(q[1])}
		if i == 0 {
			path.MoveTo(v)
		} else {
			path.LineTo(v)
		}
	}
	var f area.Filler
	f.Add(&path, chord.Rect{X1: int32(drawing.Width), Y1: int32(drawing.Height)})
	first, count := f.Take(&drawing.Coverage)
	item.FirstSpan, item.SpanCount = int32(first), int32(count)
	drawing.Items = append(drawing.Items, item)
}

// Pairs marks random pixels of the last item of drawing as drawn by the two-pixel rule
// (docs/spec/raster.md#r22), some of them outside of the picture.
func Pairs(r *rand.Rand, drawing *paint.Drawing) {
	item := &drawing.Items[len(drawing.Items)-1]
	item.FirstPairPixel = int32(len(drawing.PairPixels))
	spans := drawing.Coverage.Spans[item.FirstSpan : item.FirstSpan+item.SpanCount]
	for _, span := range spans[:r.IntN(len(spans)+1)] { // often none in the lower tiles
		for i := range span.Width {
			if span.FirstByte != scan.Full && r.IntN(2) == 0 {
				drawing.PairPixels = append(drawing.PairPixels, paint.Pixel{X: span.X + i, Y: span.Y})
			}
		}
	}
	item.PairPixelCount = int32(len(drawing.PairPixels)) - item.FirstPairPixel
}
