package chord

import (
	"math"
	"testing"

	"plumb/render/vector"
	"plumb/render/vector/vectortest"
)

// TestWorkedExamples checks the vertices that the chords of one curve pass, in px, from the
// top. See docs/spec/raster.md#r14 and docs/spec/raster.md#r15.
func TestWorkedExamples(t *testing.T) {
	for _, c := range []struct {
		name, d  string
		from     int // chords before those of the curve
		vertices [][2]float64
		whole    bool // the list is complete
	}{
		{"quadratic", "M 2 12 Q 2 2 20 2.5 L 20 12 Z", 0, [][2]float64{{18.324, 2.5}, {14.498, 2.75}, {11.182, 3},
			{8.377, 3.75}, {6.081, 5}, {4.296, 6.25}, {3.020, 7.75}, {2.255, 9.75}, {2, 12}}, true},
		{"cubic", "M 5 20 C 5 11.7 18 5 30 5 Z", 0, [][2]float64{{27.742, 5}, {25.480, 5.25}, {23.237, 5.75},
			{21.031, 6.25}, {18.884, 6.75}, {16.816, 7.5}, {14.848, 8.5}}, false},
	} {
		p, err := vectortest.Parse(c.d)
		if err != nil {
			t.Fatal(err)
		}
		var cut Cutter
		segs := cut.Append(nil, p, Rect{0, 0, 40, 40}, Reference)
		// The curves run upwards and their chords are listed from the top: each
		// chord ends where the one before began.
		var got [][2]float64
		for i, s := range segs {
			if i == 0 {
				got = append(got, [2]float64{float64(s.X1) / Unit, float64(s.Y1) / Unit})
			} else if s.X1 != segs[i-1].X0 || s.Y1 != segs[i-1].Y0 {
				break
			}
			got = append(got, [2]float64{float64(s.X0) / Unit, float64(s.Y0) / Unit})
		}
		if len(got) < len(c.vertices) || c.whole && len(got) != len(c.vertices) {
			t.Errorf("%s: got vertices %v; want %v", c.name, got, c.vertices)
			continue
		}
		for i, w := range c.vertices {
			// The examples give 3 decimals.
			if math.Abs(got[i][0]-w[0]) > 1.5e-3 || math.Abs(got[i][1]-w[1]) > 1e-9 {
				t.Errorf("%s: vertex %d is %v; want %v", c.name, i, got[i], w)
			}
		}
	}
}

func TestEdgeCases(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name string
		d    string
		clip Rect
		add  *vector.Point // a last point that SVG cannot write
		want []Segment
	}{
		{"nothing", "", Rect{0, 0, 10, 10}, nil, nil},
		{"one point", "M 3 3", Rect{0, 0, 10, 10}, nil, nil},
		{"horizontal", "M 1 3 L 9 3", Rect{0, 0, 10, 10}, nil, nil},
		{"flat after snapping", "M 1 3.01 L 9 2.99", Rect{0, 0, 10, 10}, nil, nil},
		{"closed for the filling", "M 2 1 L 2 5 L 4 5", Rect{0, 0, 10, 10}, nil,
			[]Segment{{2048, 1024, 2048, 5120}, {4096, 5120, 2048, 1024}}},
		{"not finite", "M 2 1 L 2 5 L 4 5", Rect{0, 0, 10, 10}, &vector.Point{X: inf, Y: 1}, nil},
		{"all above", "M 2 -9 L 2 -1 L 4 -1 Z", Rect{0, 0, 10, 10}, nil, nil},
		{"all right of it", "M 12 1 L 12 5 L 14 5 Z", Rect{0, 0, 10, 10}, nil, nil},
		{"all left of it", "M -4 1 L -4 5 L -2 5 Z", Rect{0, 0, 10, 10}, nil,
			[]Segment{{0, 1024, 0, 5120}, {0, 5120, 0, 1024}}},
		{"half left", "M -4 0 L 4 8", Rect{0, 0, 10, 10}, nil,
			[]Segment{{0, 0, 0, 4096}, {0, 4096, 4096, 8192}, {0, 4096, 0, 0}, {4096, 8192, 0, 4096}}},
		{"through and out right", "M 8 0 L 16 8 L 8 8 Z", Rect{0, 0, 10, 10}, nil,
			[]Segment{{8192, 0, 10240, 2048}, {8192, 8192, 8192, 0}}},
		{"empty clip", "M 2 1 L 2 5 L 4 5", Rect{5, 5, 5, 5}, nil, nil},
		{"small rectangle on no grid", "M 1.1 1.1 H 6.1 V 4.1 H 1.1 Z", Rect{0, 0, 10, 10}, nil,
			[]Segment{{6246, 1126, 6246, 4198}, {1126, 4198, 1126, 1126}}},
		{"large rectangle on quarter rows", "M 1.1 1.1 H 51.1 V 4.1 H 1.1 Z", Rect{0, 0, 60, 10}, nil,
			[]Segment{{52324, 1024, 52324, 4096}, {1124, 4096, 1124, 1024}}},
	} {
		p, err := vectortest.Parse(c.d)
		if err != nil {
			t.Fatal(err)
		}
		if c.add != nil {
			p.LineTo(*c.add)
		}
		var cut Cutter
		got := cut.Append(nil, p, c.clip, Reference)
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			same = got[i] == c.want[i]
		}
		if !same {
			t.Errorf("%s (%q, clip %v):\n got %v\nwant %v", c.name, c.d, c.clip, got, c.want)
		}
	}
}

// Append keeps what dst held and needs no memory once it has some.
func TestAppendKeeps(t *testing.T) {
	p, err := vectortest.Parse("M 2 12 Q 2 2 20 2.5 C 30 5 20 9 20 12 Z")
	if err != nil {
		t.Fatal(err)
	}
	var cut Cutter
	first := Segment{1, 2, 3, 4}
	dst := cut.Append([]Segment{first}, p, Rect{0, 0, 15, 40}, Reference)
	if dst[0] != first || len(dst) < 6 {
		t.Errorf("got %v; want %v first and the path behind it", dst, first)
	}
	if n := testing.AllocsPerRun(100, func() {
		dst = cut.Append(dst[:0], p, Rect{0, 0, 15, 40}, Reference)
		dst = cut.Append(dst[:0], p, Rect{0, 0, 40, 40}, Exact)
	}); n != 0 {
		t.Errorf("got %g allocations per path; want 0", n)
	}
}
