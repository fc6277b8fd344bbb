package area

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"plumb/render/chord"
	"plumb/render/scan"
	"plumb/render/vector"
)

func polygon(points ...vector.Point) *vector.Path {
	p := new(vector.Path)
	for i, q := range points {
		if i == 0 {
			p.MoveTo(q)
		} else {
			p.LineTo(q)
		}
	}
	p.Close()
	return p
}

// picture draws spans into rows of w pixels, and fails where they are out of
// order or overlap.
func picture(t *testing.T, c *scan.Coverage, first, count, w, h int) []byte {
	t.Helper()
	out := make([]byte, w*h)
	end := -1
	for _, s := range c.Spans[first : first+count] {
		at := int(s.Y)*w + int(s.X)
		if s.Width < 1 || s.X < 0 || int(s.X+s.Width) > w || s.Y < 0 || int(s.Y) >= h || at < end {
			t.Fatalf("span %+v is empty, outside or out of order", s)
		}
		end = at + int(s.Width)
		for i := range s.Width {
			out[at+int(i)] = 255
			if s.FirstByte != scan.Full {
				out[at+int(i)] = c.Bytes[s.FirstByte+i]
			}
		}
	}
	return out
}

// slow integrates every segment over every pixel, in doubles.
func slow(p *vector.Path, clip chord.Rect) []float64 {
	w, h := int(clip.X1), int(clip.Y1)
	sum := make([]float64, w*h)
	var c chord.Cutter
	for _, s := range c.Append(nil, p, clip, chord.Exact) {
		x0, y0 := float64(s.X0)/unit, float64(s.Y0)/unit
		x1, y1 := float64(s.X1)/unit, float64(s.Y1)/unit
		for y := max(0, int(math.Floor(min(y0, y1)))); y < min(h, int(math.Ceil(max(y0, y1)))); y++ {
			a, b := min(max(y0, float64(y)), float64(y+1)), min(max(y1, float64(y)), float64(y+1))
			xa, xb := x0+(a-y0)*(x1-x0)/(y1-y0), x0+(b-y0)*(x1-x0)/(y1-y0)
			lo, hi := min(xa, xb), max(xa, xb)
			right := func(v float64) float64 {
				q, g := min(max(v-lo, 0), hi-lo), max(0, v-hi)
				if hi > lo {
					g += q * q / (2 * (hi - lo))
				}
				return g
			}
			for x := range w {
				sum[y*w+x] += (b - a) * (right(float64(x+1)) - right(float64(x)))
			}
		}
	}
	for i, v := range sum {
		sum[i] = min(math.Abs(v), 1)
	}
	return sum
}

// TestAgainstIntegral: random polygons, on the grid and off it, partly outside,
// crossing themselves, alone and united. Places are rounded to 1/1024 px where
// edges cross rows and columns.
func TestAgainstIntegral(t *testing.T) {
	var f Filler
	var c scan.Coverage
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 5))
		w, h := 1+r.IntN(70), 1+r.IntN(50)
		clip := chord.Rect{X1: int32(w), Y1: int32(h)}
		place := func(n int) float32 {
			v := r.Float64()*float64(n)*1.6 - 0.3*float64(n)
			switch r.IntN(4) {
			case 0:
				return float32(math.Round(v))
			case 1:
				return float32(math.Round(v/8) * 8)
			}
			return float32(v)
		}
		want := make([]float64, w*h)
		for range 1 + r.IntN(3) {
			var points []vector.Point
			for range 3 + r.IntN(8) {
				points = append(points, vector.Point{X: place(w), Y: place(h)})
			}
			p := polygon(points...)
			f.Add(p, clip)
			for i, v := range slow(p, clip) {
				want[i] = max(want[i], v)
			}
		}
		first, count := f.Take(&c)
		for i, a := range picture(t, &c, first, count, w, h) {
			if math.Abs(float64(a)-255*want[i]) > 1.3 {
				t.Fatalf("seed %d: pixel (%d, %d) is %d; want %.2f", seed, i%w, i/w, a, 255*want[i])
			}
		}
	}
}

// TestKnown: areas that are whole numbers of 1/255, and which pixels are spans.
func TestKnown(t *testing.T) {
	var f Filler
	clip := chord.Rect{X1: 40, Y1: 4}
	box := func(x0, y0, x1, y1 float32) *vector.Path {
		return polygon(vector.Point{X: x0, Y: y0}, vector.Point{X: x1, Y: y0}, vector.Point{X: x1, Y: y1}, vector.Point{X: x0, Y: y1})
	}
	for name, c := range map[string]struct {
		paths []*vector.Path
		spans []scan.Span
		bytes []byte
	}{
		"nothing":    {},
		"whole px":   {[]*vector.Path{box(2, 1, 38, 2)}, []scan.Span{{X: 2, Y: 1, Width: 36, FirstByte: scan.Full}}, nil},
		"short":      {[]*vector.Path{box(2, 1, 5, 2)}, []scan.Span{{X: 2, Y: 1, Width: 3}}, []byte{255, 255, 255}},
		"sides":      {[]*vector.Path{box(1.2, 1, 38.4, 2)}, []scan.Span{{X: 1, Y: 1, Width: 1}, {X: 2, Y: 1, Width: 36, FirstByte: scan.Full}, {X: 38, Y: 1, Width: 1, FirstByte: 1}}, []byte{204, 102}},
		"cut right":  {[]*vector.Path{box(20, 3, 90, 9)}, []scan.Span{{X: 20, Y: 3, Width: 20, FirstByte: scan.Full}}, nil},
		"cut left":   {[]*vector.Path{box(-20, -3, 17, 1)}, []scan.Span{{X: 0, Y: 0, Width: 17, FirstByte: scan.Full}}, nil},
		"all around": {[]*vector.Path{box(-9, -9, 99, 1)}, []scan.Span{{X: 0, Y: 0, Width: 40, FirstByte: scan.Full}}, nil},
		"united":     {[]*vector.Path{box(0, 0, 1.6, 1), box(0.4, 0, 2, 1)}, []scan.Span{{X: 0, Y: 0, Width: 2}}, []byte{255, 255}},
		"apart":      {[]*vector.Path{box(0, 0, 1, 1), box(5, 0, 6, 1)}, []scan.Span{{X: 0, Y: 0, Width: 1}, {X: 5, Y: 0, Width: 1, FirstByte: 1}}, []byte{255, 255}},
		"beyond":     {[]*vector.Path{box(50, 0, 60, 4), box(-9, 0, -1, 4), box(0, 9, 40, 12)}, nil, nil},
		"overlap":    {[]*vector.Path{twice(box(0, 0, 4, 1), box(1, 0, 3, 1))}, []scan.Span{{X: 0, Y: 0, Width: 4}}, []byte{255, 255, 255, 255}},
		"hole":       {[]*vector.Path{twice(box(0, 0, 4, 1), box(3, 0, 1, 1))}, []scan.Span{{X: 0, Y: 0, Width: 1}, {X: 3, Y: 0, Width: 1, FirstByte: 1}}, []byte{255, 255}},
	} {
		var got scan.Coverage
		for _, p := range c.paths {
			f.Add(p, clip)
		}
		f.Take(&got)
		if !slices.Equal(got.Spans, c.spans) || !slices.Equal(got.Bytes, c.bytes) {
			t.Errorf("%s: got %v %v; want %v %v", name, got.Spans, got.Bytes, c.spans, c.bytes)
		}
	}
}

func twice(a, b *vector.Path) *vector.Path {
	a.Append(b)
	return a
}

// TestAllocations: a filler that has seen a path keeps its memory.
func TestAllocations(t *testing.T) {
	var f Filler
	var c scan.Coverage
	p := polygon(vector.Point{X: 3, Y: 2}, vector.Point{X: 90.3, Y: 40}, vector.Point{X: 10, Y: 77.7})
	run := func() {
		c.Reset()
		f.Add(p, chord.Rect{X1: 100, Y1: 100})
		f.Take(&c)
	}
	run()
	if n := testing.AllocsPerRun(10, run); n > 0 {
		t.Errorf("got %v allocations; want none", n)
	}
}
