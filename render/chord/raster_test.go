package chord

import (
	"math"
	"sort"

	"plumb/render/vector"
)

// The rasteriser of the tests: exact spans on fine scanlines, in float64. It
// shares no code and no method with what it judges.

// edge is a directed line in px.
type edge struct{ x0, y0, x1, y1 float64 }

// scan is how many scanlines a px row has.
const scan = 256

// picture is coverage 0..1 per pixel.
type picture struct {
	w, h int
	a    []float64
}

func newPicture(w, h int) *picture { return &picture{w, h, make([]float64, w*h)} }

// fill returns the non-zero coverage of the edges with n scanlines per row.
func fill(edges []edge, w, h, n int) *picture {
	p := newPicture(w, h)
	type event struct {
		x float64
		w int
	}
	var on []event
	byTop := append([]edge(nil), edges...)
	sort.Slice(byTop, func(i, j int) bool { return byTop[i].top() < byTop[j].top() })
	var active []edge
	next := 0
	for s := range h * n {
		y := (float64(s) + 0.5) / float64(n)
		for ; next < len(byTop) && byTop[next].top() <= y; next++ {
			active = append(active, byTop[next])
		}
		on = on[:0]
		kept := active[:0]
		for _, e := range active {
			if max(e.y0, e.y1) <= y {
				continue
			}
			kept = append(kept, e)
			dir := 1
			if e.y1 < e.y0 {
				dir = -1
			}
			on = append(on, event{e.x0 + (y-e.y0)/(e.y1-e.y0)*(e.x1-e.x0), dir})
		}
		active = kept
		sort.Slice(on, func(i, j int) bool { return on[i].x < on[j].x })
		winding, from := 0, 0.0
		for _, v := range on {
			if winding == 0 {
				from = v.x
			}
			if winding += v.w; winding == 0 {
				p.span(s/n, from, v.x, 1/float64(n))
			}
		}
		if winding != 0 {
			p.span(s/n, from, float64(w), 1/float64(n))
		}
	}
	return p
}

func (e edge) top() float64 { return min(e.y0, e.y1) }

// span adds height to the part [x0, x1] of a row.
func (p *picture) span(row int, x0, x1, height float64) {
	x0, x1 = min(max(x0, 0), float64(p.w)), min(max(x1, 0), float64(p.w))
	for c := int(x0); c < p.w && float64(c) < x1; c++ {
		p.a[row*p.w+c] += height * (min(x1, float64(c+1)) - max(x0, float64(c)))
	}
}

// over composites coverage q times opacity on p.
func (p *picture) over(q *picture, opacity float64) {
	for i, c := range q.a {
		p.a[i] += (1 - p.a[i]) * c * opacity
	}
}

// sums returns the mass in px and its centre.
func (p *picture) sums() (mass, x, y float64) {
	for i, c := range p.a {
		mass += c
		x += c * (float64(i%p.w) + 0.5)
		y += c * (float64(i/p.w) + 0.5)
	}
	return mass, x / mass, y / mass
}

func segmentEdges(segs []Segment) []edge {
	out := make([]edge, len(segs))
	for i, s := range segs {
		out[i] = edge{float64(s.X0) / Unit, float64(s.Y0) / Unit, float64(s.X1) / Unit, float64(s.Y1) / Unit}
	}
	return out
}

// polygon returns the path as fine lines, closed subpaths, in float64.
func polygon(p *vector.Path, closed bool) []edge {
	const n = 256
	var out []edge
	var cur, first [2]float64
	pts, w := p.Points, p.Weights
	to := func(q [2]float64) {
		out = append(out, edge{cur[0], cur[1], q[0], q[1]})
		cur = q
	}
	pt := func(i int) [2]float64 { return [2]float64{float64(pts[i].X), float64(pts[i].Y)} }
	for _, v := range p.Verbs {
		a := cur
		k := [...]int{1, 1, 2, 3, 2, 0}[v]
		switch v {
		case vector.Move:
			if closed && cur != first {
				to(first)
			}
			cur, first = pt(0), pt(0)
		case vector.Line:
			to(pt(0))
		case vector.Close:
			to(first)
		default:
			for i := 1; i <= n; i++ {
				t := float64(i) / n
				u := 1 - t
				var q [2]float64
				for j := range 2 {
					switch b := pt(0)[j]; v {
					case vector.Quad:
						q[j] = u*u*a[j] + 2*u*t*b + t*t*pt(1)[j]
					case vector.Cubic:
						q[j] = u*u*u*a[j] + 3*u*u*t*b + 3*u*t*t*pt(1)[j] + t*t*t*pt(2)[j]
					case vector.Conic:
						g := float64(w[0])
						q[j] = (u*u*a[j] + 2*u*t*g*b + t*t*pt(1)[j]) / (u*u + 2*u*t*g + t*t)
					}
				}
				to(q)
			}
		}
		pts = pts[k:]
		if v == vector.Conic {
			w = w[1:]
		}
	}
	if closed && cur != first {
		to(first)
	}
	return out
}

// pen returns the true coverage of a round stroke of the given radius along
// the lines: the union of their capsules.
func pen(lines []edge, r float64, w, h, n int) *picture {
	p := newPicture(w, h)
	type span struct{ a, b float64 }
	rows := make([][]span, h*n)
	for _, e := range lines {
		lo := max(0, int(math.Floor((e.top()-r)*float64(n))))
		hi := min(h*n-1, int(math.Ceil((max(e.y0, e.y1)+r)*float64(n))))
		for s := lo; s <= hi; s++ {
			if a, b, ok := capsule(e, r, (float64(s)+0.5)/float64(n)); ok {
				rows[s] = append(rows[s], span{a, b})
			}
		}
	}
	for s, spans := range rows {
		sort.Slice(spans, func(i, j int) bool { return spans[i].a < spans[j].a })
		for i := 0; i < len(spans); {
			u := spans[i]
			for i++; i < len(spans) && spans[i].a <= u.b; i++ {
				u.b = max(u.b, spans[i].b)
			}
			p.span(s/n, u.a, u.b, 1/float64(n))
		}
	}
	return p
}

// capsule returns where the scanline y meets the points within r of the line.
func capsule(e edge, r, y float64) (a, b float64, ok bool) {
	a, b = math.Inf(1), math.Inf(-1)
	for _, q := range [2][2]float64{{e.x0, e.y0}, {e.x1, e.y1}} {
		if d := r*r - (y-q[1])*(y-q[1]); d >= 0 {
			a, b = min(a, q[0]-math.Sqrt(d)), max(b, q[0]+math.Sqrt(d))
		}
	}
	if l := math.Hypot(e.x1-e.x0, e.y1-e.y0); l > 0 {
		nx, ny := -(e.y1-e.y0)/l*r, (e.x1-e.x0)/l*r
		c := [4][2]float64{{e.x0 + nx, e.y0 + ny}, {e.x1 + nx, e.y1 + ny}, {e.x1 - nx, e.y1 - ny}, {e.x0 - nx, e.y0 - ny}}
		for i := range c {
			p, q := c[i], c[(i+1)%4]
			if (p[1] <= y) != (q[1] <= y) {
				x := p[0] + (y-p[1])/(q[1]-p[1])*(q[0]-p[0])
				a, b = min(a, x), max(b, x)
			}
		}
	}
	return a, b, a <= b
}
