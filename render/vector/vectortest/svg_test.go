package vectortest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"plumb/render/vector"
)

// testString writes the path as absolute commands for comparison.
func testString(p *vector.Path) string {
	var b strings.Builder
	names, count := "MLQCKZ", [...]int{1, 1, 2, 3, 2, 0}
	i := 0
	for _, v := range p.Verbs {
		b.WriteByte(names[v])
		for range count[v] {
			fmt.Fprintf(&b, " %g %g", p.Points[i].X, p.Points[i].Y)
			i++
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"M1 2", "M 1 2"},
		{"M1,2 3,4", "M 1 2 L 3 4"},
		{"m1 2 3 4", "M 1 2 L 4 6"},
		{"M1-2L-3.5.5", "M 1 -2 L -3.5 0.5"},
		{"M0 0H5V6h-1v-1", "M 0 0 L 5 0 L 5 6 L 4 6 L 4 5"},
		{"M0 0Q1 2 3 4T6 4t1 1", "M 0 0 Q 1 2 3 4 Q 5 6 6 4 Q 7 2 7 5"},
		{"M0 0L1 1T6 4", "M 0 0 L 1 1 Q 1 1 6 4"},
		{"M0 0c1 0 2 1 2 2s1 3 2 2", "M 0 0 C 1 0 2 1 2 2 C 2 3 3 5 4 4"},
		{"M1 1l2 0 0 2zl1 1", "M 1 1 L 3 1 L 3 3 Z M 1 1 L 2 2"},
		{"M1e1 2E-1L1e+1 0", "M 10 0.2 L 10 0"},
		{"M0 0A0 5 0 0 1 9 9", "M 0 0 L 9 9"},
		{"M3 3A5 5 0 0 1 3 3L1 1", "M 3 3 L 1 1"},
	} {
		p, err := Parse(c.in)
		if err != nil {
			t.Errorf("%q: got error %v; want %q", c.in, err, c.want)
		} else if got := testString(p); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{"L1 1", "M1", "M1 x", "M0 0X", "M0 0A1 1 0 2 0 1 1", "M0 0 L1e99 0", "7", "M0 0 !", "Z"} {
		if p, err := Parse(in); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: got path %v, error %v; want ErrSyntax", in, p, err)
		}
	}
}

// Points of an arc lie on its ellipse, and the flags choose the right one of the
// four arcs.
func TestParseArc(t *testing.T) {
	for _, c := range []struct {
		in         string
		n          int
		cx, cy     float64
		midX, midY float64 // a point that the arc passes
	}{
		{"M0 0A5 5 0 0 1 10 0", 2, 5, 0, 5, -5},
		{"M0 0A5 5 0 0 0 10 0", 2, 5, 0, 5, 5},
		{"M0 0A1 1 0 0 1 10 0", 2, 5, 0, 5, -5},           // radius scaled up
		{"M0 5A5 5 0 015 0", 1, 5, 5, 1.464466, 1.464466}, // flags run together
		{"M5 0A5 5 0 1 1 0 5", 3, 5, 5, 5, 10},
		{"M5 0A5 5 0 0 0 0 5", 1, 5, 5, 1.464466, 1.464466},
	} {
		p, err := Parse(c.in)
		if err != nil {
			t.Fatalf("%q: %v", c.in, err)
		}
		if got := len(p.Verbs) - 1; got != c.n {
			t.Errorf("%q: got %d conics; want %d", c.in, got, c.n)
		}
		best := math.Inf(1)
		for k := 0; k+2 < len(p.Points); k += 2 {
			for i := range 101 {
				x, y := conic(float64(i)/100, p.Points[k], p.Points[k+1], p.Points[k+2], float64(p.Weights[k/2]))
				if r := math.Hypot(x-c.cx, y-c.cy); math.Abs(r-5) > 1e-5 {
					t.Errorf("%q: (%g, %g) is %g from the centre; want 5", c.in, x, y, r)
				}
				best = min(best, math.Hypot(x-c.midX, y-c.midY))
			}
		}
		if best > 0.1 {
			t.Errorf("%q: passes (%g, %g) at a distance of %g; want 0", c.in, c.midX, c.midY, best)
		}
	}
}

// conic returns the point of a conic at t.
func conic(t float64, a, b, c vector.Point, w float64) (x, y float64) {
	u := 1 - t
	p, q, r := u*u, 2*u*t*w, t*t
	sum := p + q + r
	return (p*float64(a.X) + q*float64(b.X) + r*float64(c.X)) / sum, (p*float64(a.Y) + q*float64(b.Y) + r*float64(c.Y)) / sum
}
