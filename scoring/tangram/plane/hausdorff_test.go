package plane

import (
	"math"
	"math/rand/v2"
	"testing"
)

// farthest computes the directed distance of docs/spec/tangram.md#r43 by brute force: at the ends
// of every segment and wherever two branches of two distances are equal.
func farthest(a, b []segmentDist) (best float64) {
	from := func(x, y float64) float64 {
		d := math.Inf(1)
		for i := range b {
			d = min(d, pointTo([2]float64{x, y}, [2]float64{b[i].x0, b[i].y0}, [2]float64{b[i].x1, b[i].y1}))
		}
		return d
	}
	for _, s := range a {
		try := func(t float64) {
			if t >= 0 && t <= 1 {
				best = max(best, from(s.x0+t*(s.x1-s.x0), s.y0+t*(s.y1-s.y0)))
			}
		}
		try(0)
		try(1)
		list := branches(s, b)
		for i, f := range list {
			for _, g := range list[:i] {
				p, q, r := f[0]-g[0], f[1]-g[1], f[2]-g[2]
				if math.Abs(p) < 1e-13 {
					try(-r / q)
					continue
				}
				d := math.Sqrt(max(q*q-4*p*r, 0))
				try((-q + d) / (2 * p))
				try((-q - d) / (2 * p))
			}
		}
	}
	return best
}

// branches are squared distances along s: from the ends and the lines of b.
func branches(s segmentDist, b []segmentDist) (list [][3]float64) {
	ux, uy := s.x1-s.x0, s.y1-s.y0
	for _, n := range b {
		for _, p := range [2][2]float64{{n.x0, n.y0}, {n.x1, n.y1}} {
			wx, wy := s.x0-p[0], s.y0-p[1]
			list = append(list, [3]float64{ux*ux + uy*uy, 2 * (wx*ux + wy*uy), wx*wx + wy*wy})
		}
		if l := math.Hypot(n.x1-n.x0, n.y1-n.y0); l > 0 {
			vx, vy := (n.x1-n.x0)/l, (n.y1-n.y0)/l
			p := (s.x0-n.x0)*vy - (s.y0-n.y0)*vx
			q := ux*vy - uy*vx
			list = append(list, [3]float64{q * q, 2 * p * q, p * p})
		}
	}
	return list
}

// TestFarthest compares distances of random sets of segments with brute force: chains and loose
// segments, on a coarse grid, where much is parallel or equally far away, and anywhere. With -short
// there are fewer.
func TestFarthest(t *testing.T) {
	rounds := 4000
	if testing.Short() {
		rounds = 150
	}
	r := rand.New(rand.NewPCG(3, 31))
	var e hausdorffer
	for round := range rounds {
		coordinate := func() float64 {
			if round%2 == 0 {
				return float64(r.IntN(7)) / 2
			}
			return 4*r.Float64() - 2
		}
		set := func() (out []segmentDist) {
			at := segment{x1: coordinate(), y1: coordinate()}
			for range 1 + r.IntN(9) {
				if r.IntN(4) == 0 {
					at.x1, at.y1 = coordinate(), coordinate()
				}
				at = segment{at.x1, at.y1, coordinate(), coordinate()}
				out = append(out, newSegmentDist(at))
			}
			return out
		}
		a, b := set(), set()
		want := max(farthest(a, b), farthest(b, a))
		if got := e.distance(a, b); math.Abs(got-want) > 1e-10 {
			t.Fatalf("round %d: got %.15g; want %.15g\n%v\n%v", round, got, want, a, b)
		}
	}
}

// Of the two solutions of a quadratic equation the one in the interval counts, or if rounding moved both
// out of it, the one nearer to its middle.
func TestRootBetween(t *testing.T) {
	for _, c := range []struct{ first, second, lo, hi, want float64 }{
		{2, 20, 1, 3, 2}, {2, 20, 19, 21, 20}, {-3, 4, -4, 0, -3}, {-3, 4, 0, 5, 4},
		{7, 13, 10, 11, 13}, {8, 13.5, 10, 11, 8}, {-0.001, 5, 0, 1, -0.001}, {-7, -13, -11, -10, -13}, {-8, -13.5, -11, -10, -8},
	} {
		if got := rootBetween(1, -c.first-c.second, c.first*c.second, c.lo, c.hi); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("solutions %g and %g between %g and %g: got %g; want %g", c.first, c.second, c.lo, c.hi, got, c.want)
		}
	}
	if got := rootBetween(0, 2, -3, 0, 2); got != 1.5 {
		t.Errorf("a line: got %g; want 1.5", got)
	}
}

// Numbers whose two terms nearly cancel have the right sign and value: p - q sqrt 2, where
// p^2 - 2 q^2 is 1 or -1 in turn.
func TestCancellation(t *testing.T) {
	p, q := int64(1), int64(1)
	for norm := int64(-1); p < 1<<59; norm = -norm {
		want := float64(norm) / (float64(p) + float64(q)*math.Sqrt2)
		for _, x := range []surd{{p, -q}, {-p, q}} {
			wantSign := int(norm)
			if x.a < 0 {
				wantSign = -wantSign
			}
			if got := x.sign(); got != wantSign {
				t.Errorf("%d%+d sqrt 2: got the sign %d; want %d", x.a, x.b, got, wantSign)
			}
			if got := x.float(); math.Abs(got-want*float64(x.a/p)) > 1e-13*math.Abs(want) {
				t.Errorf("%d%+d sqrt 2: got %g; want %g", x.a, x.b, got, want*float64(x.a/p))
			}
		}
		p, q = p+2*q, p+q
	}
}
