package batch

import (
	"math"
	"testing"

	"plumb/render/outline"
)

// rings is a drawing like a balance scene: eight filled ellipses, each with a
// stroke of two passes, 2,000 segments in all, on a page of w x h px.
func rings(w, h int) *outline.Drawing {
	d := &outline.Drawing{Width: w, Height: h}
	ring := func(it outline.Item, cx, cy, rx, ry float64, n int, radii ...float64) {
		it.First = int32(len(d.Segments))
		for k, by := range radii {
			at := func(i int) (int32, int32) {
				a := 2 * math.Pi * float64(i) / float64(n)
				if k == 1 {
					a = -a
				}
				return int32(math.Round((cx + (rx+by)*math.Cos(a)) * outline.Unit)), int32(math.Round((cy + (ry+by)*math.Sin(a)) * outline.Unit))
			}
			for i := range n {
				x0, y0 := at(i)
				x1, y1 := at(i + 1)
				if y0 != y1 {
					d.Segments = append(d.Segments, outline.Segment{X0: x0, Y0: y0, X1: x1, Y1: y1})
				}
			}
		}
		it.Count = int32(len(d.Segments)) - it.First
		d.Items = append(d.Items, it)
	}
	paint := outline.Item{Opacity: outline.Opaque, Clip: -1}
	unite := paint
	unite.Op = outline.OpUnite
	for i := range 8 {
		cx, cy, rx, ry := 100+150*float64(i), 130+60*float64(i%3), 40+5*float64(i), 60-4*float64(i)
		ring(paint, cx, cy, rx, ry, 50, 0)
		ring(unite, cx, cy, rx, ry, 50, 1.75, -1.75)
		ring(paint, cx+0.7, cy-0.4, rx, ry, 50, 1.75, -1.75)
	}
	return d
}

func BenchmarkBin(b *testing.B) {
	for _, c := range []struct {
		name string
		w, h int
	}{{"page=1400x800px", 1400, 800}, {"page=14000x8000px", 14000, 8000}} {
		b.Run(c.name, func(b *testing.B) {
			d := rings(c.w, c.h)
			var bin Binner
			var t Tiled
			bin.Bin(d, &t)
			b.ReportAllocs()
			for b.Loop() {
				bin.Bin(d, &t)
			}
			if len(t.Segments) == 0 || len(t.Solids) == 0 {
				b.Fatal("nothing was binned")
			}
			b.ReportMetric(float64(len(d.Segments)), "segments")
			b.ReportMetric(float64(len(t.Segments)), "pieces")
			b.ReportMetric(float64(len(t.Items)), "items")
		})
	}
}
