package plane

import (
	"math"
)

// oracle computes docs/spec/tangram.md#r40 slowly in doubles: it cuts all edges at all others and
// casts a ray on either side of each elementary segment's middle to find the polygons there.
// Crossings must be at least about 1e-5 apart.
type oracle struct {
	polys [][][2]float64
	segs  []elementary
}

// elementary is a piece of an edge with the polygons on its sides, as bits.
type elementary struct {
	a, b        [2]float64
	left, right uint64
}

const aside = 1e-7

func newOracle(polys [][][2]float64) *oracle {
	o := &oracle{polys: polys}
	seen := map[[4]int64]bool{}
	for i, p := range polys {
		for k, a := range p {
			b := p[(k+1)%len(p)]
			at := o.cuts(i, a, b)
			for n := 0; n+1 < len(at); n++ {
				if at[n+1]-at[n] < 1e-8 {
					continue
				}
				o.add(along(a, b, at[n]), along(a, b, at[n+1]), seen)
			}
		}
	}
	return o
}

func along(a, b [2]float64, t float64) [2]float64 {
	return [2]float64{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1])}
}

// cuts are the sorted places where a segment meets others.
func (o *oracle) cuts(_ int, a, b [2]float64) []float64 {
	at := []float64{0, 1}
	ux, uy := b[0]-a[0], b[1]-a[1]
	put := func(t float64) {
		if t > 0 && t < 1 {
			at = append(at, t)
		}
	}
	for _, p := range o.polys {
		for k, c := range p {
			d := p[(k+1)%len(p)]
			vx, vy := d[0]-c[0], d[1]-c[1]
			wx, wy := c[0]-a[0], c[1]-a[1]
			den := ux*vy - uy*vx
			if math.Abs(den) > 1e-12 {
				t, s := (wx*vy-wy*vx)/den, (wx*uy-wy*ux)/den
				if s > -1e-9 && s < 1+1e-9 {
					put(t)
				}
				continue
			}
			l := ux*ux + uy*uy
			put((wx*ux + wy*uy) / l)
			put(((d[0]-a[0])*ux + (d[1]-a[1])*uy) / l)
		}
	}
	for i := range at {
		for j := i; j > 0 && at[j] < at[j-1]; j-- {
			at[j], at[j-1] = at[j-1], at[j]
		}
	}
	return at
}

func (o *oracle) add(a, b [2]float64, seen map[[4]int64]bool) {
	q := func(x float64) int64 { return int64(math.Round(x * 1e6)) }
	if q(a[0]) > q(b[0]) || q(a[0]) == q(b[0]) && q(a[1]) > q(b[1]) {
		a, b = b, a
	}
	key := [4]int64{q(a[0]), q(a[1]), q(b[0]), q(b[1])}
	if seen[key] || key[0] == key[2] && key[1] == key[3] {
		return
	}
	seen[key] = true
	mx, my := (a[0]+b[0])/2, (a[1]+b[1])/2
	l := math.Hypot(b[0]-a[0], b[1]-a[1])
	nx, ny := -(b[1]-a[1])/l*aside, (b[0]-a[0])/l*aside
	o.segs = append(o.segs, elementary{a, b, o.at(mx+nx, my+ny), o.at(mx-nx, my-ny)})
}

// at tells by rays which polygons hold a point.
func (o *oracle) at(x, y float64) (bits uint64) {
	for i, p := range o.polys {
		in := false
		for k, a := range p {
			b := p[(k+1)%len(p)]
			if (a[1] > y) != (b[1] > y) && x < a[0]+(y-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
				in = !in
			}
		}
		if in {
			bits |= 1 << i
		}
	}
	return bits
}

// area is that of the region that a rule on bits describes.
func (o *oracle) area(in func(uint64) bool) (sum float64) {
	for _, s := range o.segs {
		l, r := in(s.left), in(s.right)
		if l == r {
			continue
		}
		c := (s.a[0]*s.b[1] - s.a[1]*s.b[0]) / 2
		if r {
			c = -c
		}
		sum += c
	}
	return sum
}

// boundary is that of such a region.
func (o *oracle) boundary(in func(uint64) bool) (out []elementary) {
	for _, s := range o.segs {
		if in(s.left) != in(s.right) {
			out = append(out, s)
		}
	}
	return out
}

// sampled is the Hausdorff distance of the ends of steps along the boundaries: the
// true one is larger by half a step at most.
func sampled(a, b []elementary, step float64) float64 {
	worst := 0.0
	for range 2 {
		for _, s := range a {
			n := int(math.Ceil(math.Hypot(s.b[0]-s.a[0], s.b[1]-s.a[1]) / step))
			for i := 0; i <= n; i++ {
				p := along(s.a, s.b, float64(i)/float64(n))
				best := math.Inf(1)
				for _, e := range b {
					best = math.Min(best, pointTo(p, e.a, e.b))
				}
				worst = math.Max(worst, best)
			}
		}
		a, b = b, a
	}
	return worst
}

func pointTo(p, a, b [2]float64) float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	t := ((p[0]-a[0])*dx + (p[1]-a[1])*dy) / (dx*dx + dy*dy)
	t = math.Max(0, math.Min(1, t))
	return math.Hypot(p[0]-a[0]-t*dx, p[1]-a[1]-t*dy)
}

func segmentsMeet(a, b elementary) bool {
	return math.Min(math.Min(pointTo(a.a, b.a, b.b), pointTo(a.b, b.a, b.b)), math.Min(pointTo(b.a, a.a, a.b), pointTo(b.b, a.a, a.b))) < 1e-9
}
