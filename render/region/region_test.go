package region

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"plumb/render/metric"
)

func rect(x0, y0, x1, y1 float64) Region {
	p := []Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
	r := Region{Parts: [][]Point{p}}
	for i, a := range p {
		r.Edges = append(r.Edges, Segment{a, p[(i+1)%4]})
	}
	return r
}

// Areas and distances that are known by hand lie within the error bounds, at every size.
func TestByHand(t *testing.T) {
	halves := rect(0, 0, 2, 2) // the square in two halves that share a diagonal
	halves.Parts = [][]Point{{{0, 0}, {2, 0}, {2, 2}}, {{0, 0}, {2, 2}, {0, 2}}}
	cross := rect(0, 0, 2, 2) // two rectangles that overlap
	cross.Parts = append(rect(0, 0, 1.5, 2).Parts, rect(0.5, 0, 2, 2).Parts...)
	for _, c := range []struct {
		name          string
		u, t          Region
		union, shared float64
		iou, far      float64
	}{
		{"equal", rect(0, 0, 2, 2), rect(0, 0, 2, 2), 4, 4, 1, 0},
		{"halves", halves, rect(0, 0, 2, 2), 4, 4, 1, 0},
		{"overlap", cross, rect(0, 0, 2, 2), 4, 4, 1, 0},
		{"shifted", rect(0, 0, 2, 2), rect(1, 0, 3, 2), 4, 2, 1.0 / 3, 1},
		{"within", rect(0, 0, 4, 4), rect(1, 1, 2, 2), 16, 1, 1.0 / 16, 2 * math.Sqrt2},
		{"apart", rect(0, 0, 1, 1), rect(10, 0, 11, 1), 1, 0, 0, 10},
		{"far away", rect(1e6, -1e6, 1e6+1, 1-1e6), rect(0, 0, 1, 1), 1, 0, 0, 1e6 * math.Sqrt2},
		{"thin", rect(0, 0, 1e-4, 3), rect(0, 0, 3, 1e-4), 3e-4, 1e-8, 1e-8 / 6e-4, 3},
	} {
		for _, size := range Sizes {
			r, err := Oracle{}.Measure(&Scene{U: c.u, T: c.t, Size: size})
			if err != nil {
				t.Fatal(c.name, err)
			}
			if math.Abs(r.Union-c.union) > r.AreaBound || math.Abs(r.Shared-c.shared) > r.AreaBound || math.Abs(r.IoU-c.iou) > r.IoUBound || math.Abs(r.Hausdorff-c.far) > r.FarBound {
				t.Errorf("%s at %d px: got %+v; want areas %v %v, IoU %v, distance %v", c.name, size, r, c.union, c.shared, c.iou, c.far)
			}
			if c.name == "equal" && (r.IoU != 1 || r.Hausdorff != 0 || r.IoUBound > 0.01) {
				t.Errorf("equal at %d px: got %+v; want IoU 1, distance 0, a bound below 0.01", size, r)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	ok := rect(0, 0, 1, 1)
	point := rect(1, 1, 1, 1)
	for _, s := range []Scene{{}, {U: ok}, {T: ok}, {U: ok, T: ok, Size: 100}, {U: point, T: point}, {U: rect(0, 0, math.NaN(), 1), T: ok}, {U: rect(0, 0, math.Inf(1), 1), T: ok}} {
		if r, err := (Oracle{}).Measure(&s); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: got %+v, %v; want ErrInvalid", s, r, err)
		}
	}
}

// The search finds the same distance as the distance transform of render/metric.
func TestFarthest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 300 {
		w, h := 1+r.IntN(120), 1+r.IntN(60)
		var m [2]metric.Mask
		var b [2]Bits
		for k := range m {
			pix := make([]byte, w*h)
			pix[r.IntN(len(pix))] = 1
			density := math.Pow(r.Float64(), 6)
			for i := range pix {
				if r.Float64() < density {
					pix[i] = 1
				}
			}
			m[k] = metric.Alpha(pix, w, h)
			b[k].Reset(w, h)
			for i, v := range pix {
				if v > 0 {
					b[k].W[i/w*b[k].Words+i%w/32] |= 1 << (i % w % 32)
				}
			}
		}
		c, err := metric.Oracle{}.Compare(t.Context(), m[0], m[1], metric.Options{Hausdorff: true})
		if got := Farthest(&b[0], &b[1]); err != nil || int64(got) != c.Far2 {
			t.Fatalf("case %d, %d x %d px: got %d; want %d, %v", i, w, h, got, c.Far2, err)
		}
		if got := farthest(&b[0], &b[1], r.IntN(300)); int64(got) != c.Far2 {
			t.Fatalf("case %d, %d x %d px, with a search that ends early: got %d; want %d", i, w, h, got, c.Far2)
		}
	}
}

// All teeth of one comb are far from the other comb: searching for each pixel would take too long.
func TestFarthestOfCombs(t *testing.T) {
	const side = 2048
	var a, b Bits
	a.Reset(side, side)
	b.Reset(side, side)
	for y := range side {
		for w := range 28 {
			a.W[y*a.Words+w] = 0x55555555
		}
		if y%2 == 0 {
			b.W[y*b.Words+63] = 1 << 31
		}
	}
	if got, want := Farthest(&a, &b), uint32((side-1)*(side-1)+1); got != want {
		t.Errorf("got %d; want %d", got, want)
	}
	if got, want := Farthest(&b, &a), uint32((side-1)*(side-1)+1); got != want {
		t.Errorf("got %d; want %d", got, want)
	}
}

// mark sets the pixels that points along a segment lie in or touch.
func TestMark(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const size, step = 128, Grid / 128
	for range 200 {
		p := Packed{unit: 1, Size: size}
		a := Point{math.Floor(r.Float64() * (Grid - 2)), math.Floor(r.Float64() * (Grid - 2))}
		e := Point{math.Floor(r.Float64() * (Grid - 2)), math.Floor(r.Float64() * (Grid - 2))}
		switch r.IntN(4) {
		case 0:
			e.X = a.X
		case 1:
			e.Y = a.Y
		}
		var b Bits
		b.mark(size, []Edge{p.edge(a, e)})
		has := func(x, y int) bool { return b.W[y*b.Words+x/32]>>(x%32)&1 == 1 }
		const points = 3000
		seen := map[[2]int]bool{}
		for i := range points + 1 {
			f := float64(i) / points
			x, y := 1+a.X+f*(e.X-a.X), 1+a.Y+f*(e.Y-a.Y)
			for _, d := range [][2]float64{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} { // a unit of slack
				seen[[2]int{int(x+d[0]) / step, int(y+d[1]) / step}] = true
			}
			if !has(int(x)/step, int(y)/step) && !has(int(x-1)/step, int(y)/step) && !has(int(x+1)/step, int(y)/step) {
				t.Fatalf("%v to %v: (%v, %v) is in no marked pixel", a, e, x, y)
			}
		}
		for y := range size {
			for x := range size {
				if has(x, y) && !seen[[2]int{x, y}] && !touches(a, e, x*step, y*step, step) {
					t.Fatalf("%v to %v: pixel %d, %d is marked", a, e, x, y)
				}
			}
		}
	}
}

// touches reports whether the segment comes within 2 units of a square.
func touches(a, b Point, x, y, side int) bool {
	const points = 200000
	for i := range points + 1 {
		f := float64(i) / points
		px, py := 1+a.X+f*(b.X-a.X), 1+a.Y+f*(b.Y-a.Y)
		if px >= float64(x-2) && px <= float64(x+side+2) && py >= float64(y-2) && py <= float64(y+side+2) {
			return true
		}
	}
	return false
}
