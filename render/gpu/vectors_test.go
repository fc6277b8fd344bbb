package gpu

import (
	"math"
	"testing"

	"plumb/render/batch"
	"plumb/render/chord"
	"plumb/render/paint"
	"plumb/render/rastertest"
	"plumb/render/scan"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// vectorDrawing fills and strokes the vector's paths as items.
func vectorDrawing(v *rastertest.Vector) *paint.Drawing {
	d := &paint.Drawing{Width: v.W, Height: v.H}
	var s scan.Scanner
	s.OnPairPixel = func(x, y int32, _ byte) { d.PairPixels = append(d.PairPixels, paint.Pixel{X: x, Y: y}) }
	canvas, clip := chord.Rect{X1: int32(v.W), Y1: int32(v.H)}, int32(-1)
	add := func(p *vector.Path, it paint.Item, r scan.Rule) {
		it.FirstPairPixel = int32(len(d.PairPixels))
		first, count := s.Append(&d.Coverage, p, canvas, r)
		it.FirstSpan, it.SpanCount, it.PairPixelCount = int32(first), int32(count), int32(len(d.PairPixels))-it.FirstPairPixel
		d.Items = append(d.Items, it)
	}
	if v.Clip != nil {
		add(v.Clip, paint.Item{Op: paint.OpClip, Opacity: shapes.Opaque, Clip: -1}, scan.Rule{Clip: true, Cells: true})
		clip = 0
		lo, hi, _ := chord.Bounds(v.Clip)
		canvas = chord.Rect{
			X0: int32(math.Floor(float64(lo.X))), Y0: int32(math.Floor(float64(lo.Y))),
			X1: int32(math.Ceil(float64(hi.X))), Y1: int32(math.Ceil(float64(hi.Y))),
		}
	}
	for i := range v.Draws {
		e := &v.Draws[i]
		it := paint.Item{Opacity: uint32(e.Opacity*shapes.Opaque + 0.5), Clip: clip}
		paint := func(p *vector.Path, colour string) {
			add(p, it, scan.Rule{Plain: colour == "#000000" || it.Opacity != shapes.Opaque, Clip: v.Clip != nil, Cells: true})
		}
		if e.Fill != "" {
			paint(e.Filled(), e.Fill)
		}
		if e.Stroke != "" {
			paint(e.Stroked(1), e.Stroke)
		}
	}
	return d
}

// TestRasterVectors: the device draws what the browser draws, byte for byte, and
// its sums are those of the bytes.
func TestRasterVectors(t *testing.T) {
	vectors := rastertest.Vectors(t)
	var bin batch.Binner
	var in batch.Batch
	var all []*batch.Tiled
	for i := range vectors {
		t1 := new(batch.Tiled)
		bin.Bin(vectorDrawing(&vectors[i]), t1)
		all = append(all, t1)
	}
	in.Pack(all)
	r := open(t, Config{})
	px, err := r.Pictures(&in)
	if err != nil {
		t.Fatal(err)
	}
	in.FillSolids(px)
	rows, err := r.Run(&in)
	if err != nil {
		t.Fatal(err)
	}
	sums := in.Tallies(nil, rows)
	for i, v := range vectors {
		sum, wrong, far := uint64(0), 0, 0
		for k, a := range v.Alpha {
			got := px[in.Pictures[i].Offset+k] >> 24
			sum += uint64(got)
			if d := int(got) - int(a); d != 0 {
				wrong++
				if d > 3 || d < -3 {
					far++
				}
			}
		}
		if sums[i].A.Alpha != sum {
			t.Errorf("%s: got a sum of %d; want %d", v.ID, sums[i].A.Alpha, sum)
		}
		if v.Clip == nil && wrong > 0 || far > 2 {
			t.Errorf("%s: %d pixels differ from the browser's, %d of them by more than 3", v.ID, wrong, far)
		}
	}
}
