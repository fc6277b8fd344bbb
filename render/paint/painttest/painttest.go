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
func Polygon(d *paint.Drawing, it paint.Item, pts ...[2]float64) {
	var p vector.Path
	for i, q := range pts {
		v := vector.Point{X: float32(q[0]), Y: float32(q[1])}
		if i == 0 {
			p.MoveTo(v)
		} else {
			p.LineTo(v)
		}
	}
	var f area.Filler
	f.Add(&p, chord.Rect{X1: int32(d.Width), Y1: int32(d.Height)})
	first, count := f.Take(&d.Coverage)
	it.First, it.Count = int32(first), int32(count)
	d.Items = append(d.Items, it)
}

// Pairs marks random pixels of the last item of d as drawn by the two-pixel rule, some of them outside of the
// picture.
func Pairs(r *rand.Rand, d *paint.Drawing) {
	it := &d.Items[len(d.Items)-1]
	it.Pairs = int32(len(d.Pairs))
	spans := d.Coverage.Spans[it.First : it.First+it.Count]
	for _, s := range spans[:r.IntN(len(spans)+1)] { // often none in the lower tiles
		for i := range s.N {
			if s.At != scan.Full && r.IntN(2) == 0 {
				d.Pairs = append(d.Pairs, paint.Pixel{X: s.X + i, Y: s.Y})
			}
		}
	}
	it.Paired = int32(len(d.Pairs)) - it.Pairs
}
