package metric

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
)

// draw makes a mask of text: '.' is 0, '#' 255, a digit d is d+1.
func draw(rows ...string) Mask {
	var pix []byte
	for _, r := range rows {
		for _, c := range r {
			switch c {
			case '.':
				pix = append(pix, 0)
			case '#':
				pix = append(pix, 255)
			default:
				pix = append(pix, byte(c-'0'+1))
			}
		}
	}
	if len(rows) == 0 {
		return Alpha(nil, 0, 0)
	}
	return Alpha(pix, len(rows[0]), len(rows))
}

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		name      string
		m         Mask
		threshold uint8
		want      Stats
		x, y      float64
		ok        bool
	}{
		{"no pixels", draw(), 1, Stats{}, 0, 0, false},
		{"empty", draw("...", "..."), 1, Stats{}, 0, 0, false},
		{"one pixel", draw("#"), 1, Stats{Sums: Sums{Alpha: 255, Covered: 1}, Opaque: 1, Box: image.Rect(0, 0, 1, 1)}, 0.5, 0.5, true},
		{"two by hand", draw("....", ".0.1"), 1, Stats{Sums: Sums{Alpha: 3, AlphaX: 1 + 6, AlphaY: 3, Covered: 2}, Box: image.Rect(1, 1, 4, 2)}, 7.0/3 + 0.5, 1.5, true},
		{"threshold", draw("....", ".0.1"), 2, Stats{Sums: Sums{Alpha: 3, AlphaX: 7, AlphaY: 3, Covered: 1}, Box: image.Rect(3, 1, 4, 2)}, 7.0/3 + 0.5, 1.5, true},
		{"threshold above all", draw("02"), 255, Stats{Sums: Sums{Alpha: 4, AlphaX: 3}}, 1.25, 0.5, true},
	} {
		got := Measure(c.m, c.threshold)
		x, y, ok := got.CentreOfMass()
		if got != c.want || x != c.x || y != c.y || ok != c.ok {
			t.Errorf("%s: got %+v, centre %v %v %v; want %+v, %v %v %v", c.name, got, x, y, ok, c.want, c.x, c.y, c.ok)
		}
	}
}

// A 40 x 20 rectangle has 800 px and its centre by hand, in every layout.
func TestLayouts(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 100, 50))
	grey := make([]byte, 100*50)
	for y := 10; y < 30; y++ {
		for x := 30; x < 70; x++ {
			img.SetNRGBA(x, y, color.NRGBA{R: 9, A: 255})
			grey[y*100+x] = 255
		}
	}
	want := Stats{Sums: Sums{Alpha: 800 * 255, AlphaX: 255 * 20 * (30 + 69) * 20, AlphaY: 255 * 40 * (10 + 29) * 10, Covered: 800}, Opaque: 800, Box: image.Rect(30, 10, 70, 30)}
	for name, m := range map[string]Mask{"alpha": Alpha(grey, 100, 50), "rgba": RGBA(img.Pix, 100, 50), "image": OfImage(img),
		"part": OfImage(img.SubImage(image.Rect(0, 0, 100, 50)).(*image.NRGBA))} {
		got := Measure(m, CoveredFrom)
		if got != want {
			t.Errorf("%s: got %+v; want %+v", name, got, want)
		}
		if x, y, _ := got.CentreOfMass(); x != 50 || y != 20 {
			t.Errorf("%s: got centre %v, %v; want 50, 20", name, x, y)
		}
	}
	part := OfImage(img.SubImage(image.Rect(0, 0, 50, 50)).(*image.NRGBA))
	if got := Measure(part, CoveredFrom); got.Covered != 400 || got.Box != image.Rect(30, 10, 50, 30) {
		t.Errorf("got %+v; want the left half", got)
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name          string
		a, b          Mask
		both          uint64
		cover, iou, h float64 // NaN: undefined
	}{
		{"nothing", draw("..."), draw("..."), 0, math.NaN(), math.NaN(), math.NaN()},
		{"a nothing", draw("..."), draw("#.."), 0, math.NaN(), 0, math.NaN()},
		{"b nothing", draw("..#"), draw("..."), 0, 0, 0, math.NaN()},
		{"equal", draw("##.", ".#."), draw("##.", ".#."), 3, 1, 1, 0},
		{"half", draw("##.."), draw(".##."), 1, 0.5, 1.0 / 3, 1},
		{"apart", draw("#....", ".....", ".....", "....."), draw(".....", ".....", ".....", "....#"), 0, 0, 0, 5},
		{"inside", draw("#####"), draw("..#.."), 1, 0.2, 0.2, 2},
		{"other way", draw("..#.."), draw("#####"), 1, 1, 0.2, 2},
	} {
		got, err := Oracle{}.Compare(t.Context(), c.a, c.b, Options{Hausdorff: true})
		if err != nil || got.Both != c.both {
			t.Errorf("%s: got %+v, %v; want both %d", c.name, got, err, c.both)
		}
		for name, pair := range map[string][2]float64{"coverage": {value(got.Coverage()), c.cover}, "iou": {value(got.IoU()), c.iou}, "hausdorff": {value(got.Hausdorff()), c.h}} {
			if pair[0] != pair[1] && !(math.IsNaN(pair[0]) && math.IsNaN(pair[1])) {
				t.Errorf("%s: got %s %v; want %v", c.name, name, pair[0], pair[1])
			}
		}
	}
	if _, err := (Oracle{}).Compare(t.Context(), draw("#"), draw("##"), Options{}); !errors.Is(err, ErrSize) {
		t.Errorf("got %v; want ErrSize", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Oracle{}).Compare(ctx, draw("#"), draw("#"), Options{Hausdorff: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want context.Canceled", err)
	}
}

func value(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// brute finds the distance by looking at every pair.
func brute(a, b Mask, threshold uint8) (far int64) {
	at := func(m Mask) (ps []image.Point) {
		for y := range m.Height {
			for x := range m.Width {
				if m.Pix[y*m.Stride+x*m.Step+m.First] >= threshold {
					ps = append(ps, image.Pt(x, y))
				}
			}
		}
		return ps
	}
	pa, pb := at(a), at(b)
	directed := func(from, to []image.Point) {
		for _, p := range from {
			near := int64(math.MaxInt64)
			for _, q := range to {
				d := p.Sub(q)
				near = min(near, int64(d.X*d.X+d.Y*d.Y))
			}
			far = max(far, near)
		}
	}
	directed(pa, pb)
	directed(pb, pa)
	return far
}

// The two passes find what a search over all pairs finds, on sparse and dense
// noise and blobs of odd sizes.
func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(w, h int, density float64) Mask {
		pix := make([]byte, w*h)
		for i := range pix {
			if r.Float64() < density {
				pix[i] = byte(1 + r.IntN(255))
			}
		}
		return Alpha(pix, w, h)
	}
	for i := range 400 {
		w, h := 1+r.IntN(40), 1+r.IntN(40)
		a, b := noise(w, h, math.Pow(r.Float64(), 4)), noise(w, h, math.Pow(r.Float64(), 4))
		threshold := uint8(1 + r.IntN(200))
		got, err := Oracle{}.Compare(t.Context(), a, b, Options{Hausdorff: true, Threshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Measured {
			if got.A.Covered > 0 && got.B.Covered > 0 {
				t.Fatalf("case %d: nothing measured of %+v", i, got)
			}
			continue
		}
		if want := brute(a, b, threshold); got.Far2 != want {
			t.Fatalf("case %d, %d x %d px: got %d; want %d", i, w, h, got.Far2, want)
		}
	}
}

// The far ends of the largest canvas: no sum overflows.
func TestDistanceFar(t *testing.T) {
	const side = 32768
	pix := make([]byte, 2*side)
	other := make([]byte, 2*side)
	pix[0], other[2*side-1] = 255, 255
	for _, m := range []struct{ w, h int }{{side, 2}, {2, side}} {
		got, err := Oracle{}.Compare(t.Context(), Alpha(pix, m.w, m.h), Alpha(other, m.w, m.h), Options{Hausdorff: true})
		if want := int64(side-1)*(side-1) + 1; err != nil || got.Far2 != want {
			t.Errorf("%v: got %d, %v; want %d", m, got.Far2, err, want)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, side := range []int{256, 1024} {
		b.Run(fmt.Sprintf("side=%dpx", side), func(b *testing.B) {
			x, y := make([]byte, side*side), make([]byte, side*side)
			for i := range side {
				x[i*side+i], y[i*side+side-1-i] = 255, 255
			}
			b.SetBytes(int64(2 * side * side))
			for b.Loop() {
				c, err := Oracle{}.Compare(b.Context(), Alpha(x, side, side), Alpha(y, side, side), Options{Hausdorff: true})
				if err != nil || !c.Measured {
					b.Fatal(c, err)
				}
			}
		})
	}
}
