package batch

import (
	"math"
	"testing"

	"plumb/render/area"
	"plumb/render/chord"
	"plumb/render/paint"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// rings is a drawing like a balance scene: eight filled ellipses, each with a
// stroke of two passes, on a page of w x h px.
func rings(w, h int) *paint.Drawing {
	d := &paint.Drawing{Width: w, Height: h}
	var f area.Filler
	canvas := chord.Rect{X1: int32(w), Y1: int32(h)}
	ellipse := func(p *vector.Path, cx, cy, rx, ry float64, turn float64) {
		const n = 50
		for i := range n {
			sin, cos := math.Sincos(turn * 2 * math.Pi * float64(i) / n)
			q := vector.Point{X: float32(cx + float64(rx*cos)), Y: float32(cy + float64(ry*sin))}
			if i == 0 {
				p.MoveTo(q)
			} else {
				p.LineTo(q)
			}
		}
		p.Close()
	}
	paint := func() {
		first, count := f.Take(&d.Coverage)
		d.Items = append(d.Items, paint.Item{FirstSpan: int32(first), SpanCount: int32(count), Opacity: shapes.Opaque, Clip: -1})
	}
	for i := range 8 {
		cx, cy, rx, ry := 100+150*float64(i), 130+60*float64(i%3), 40+5*float64(i), 60-4*float64(i)
		var fill, first, second vector.Path
		ellipse(&fill, cx, cy, rx, ry, 1)
		f.Add(&fill, canvas)
		paint()
		for _, pass := range []*vector.Path{&first, &second} {
			ellipse(pass, cx, cy, rx+1.75, ry+1.75, 1)
			ellipse(pass, cx, cy, rx-1.75, ry-1.75, -1)
			f.Add(pass, canvas)
			cx, cy = cx+0.7, cy-0.4
		}
		paint()
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
			if len(t.Masks) == 0 || len(t.Solids) == 0 {
				b.Fatal("nothing was binned")
			}
			b.ReportMetric(float64(len(d.Coverage.Spans)), "spans")
			b.ReportMetric(float64(len(t.Masks)), "rows")
			b.ReportMetric(float64(len(t.Items)), "items")
		})
	}
}
