package tangram

import (
	"math"

	"plumb/scoring/tangram/plane"
)

// touching reports how two pieces of a decimal answer touch: edge, when enough of an
// edge lies near an edge of the other (docs/spec/tangram.md#r36), and point, when
// their boundaries come near at all (docs/spec/tangram.md#r37).
func touching(p, q []line) (edge, point bool) {
	for i := range p {
		for j := range q {
			e, g := &p[i], &q[j]
			if !e.near(g) {
				continue
			}
			edge = edge || e.beside(g) >= contactL || g.beside(e) >= contactL
			point = point || e.distance(g) <= contact
		}
	}
	return edge, point || edge
}

// line is an edge as doubles.
type line struct{ x0, y0, x1, y1 float64 }

// appendLines appends the edges of a polygon.
func appendLines(dst []line, list []plane.Point) []line {
	from := len(dst)
	for i := range list {
		x, y := list[i].X.Float(), list[i].Y.Float()
		if i > 0 {
			dst[from+i-1].x1, dst[from+i-1].y1 = x, y
		}
		dst = append(dst, line{x0: x, y0: y})
	}
	last := &dst[len(dst)-1]
	last.x1, last.y1 = dst[from].x0, dst[from].y0
	return dst
}

// near rules out what is too far apart by boxes.
func (e *line) near(g *line) bool {
	gap := func(a0, a1, b0, b1 float64) bool {
		return min(a0, a1) <= max(b0, b1)+2*contact && min(b0, b1) <= max(a0, a1)+2*contact
	}
	return gap(e.x0, e.x1, g.x0, g.x1) && gap(e.y0, e.y1, g.y0, g.y1)
}

// beside is the length of the part of e within the contact distance of g. The
// neighbourhood of a segment is convex, so the part is one interval: that of its
// two discs and its rectangle together.
func (e *line) beside(g *line) float64 {
	dx, dy := e.x1-e.x0, e.y1-e.y0
	l := math.Hypot(dx, dy)
	if l == 0 {
		return 0
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	add := func(a, b float64) {
		if a, b = max(a, 0), min(b, 1); a < b {
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	for _, c := range [2][2]float64{{g.x0, g.y0}, {g.x1, g.y1}} {
		wx, wy := e.x0-c[0], e.y0-c[1]
		b := float64(wx*dx) + float64(wy*dy)
		d := float64(b*b) - l*l*(float64(wx*wx)+float64(wy*wy)-contact*contact)
		if d > 0 {
			r := math.Sqrt(d)
			add((-b-r)/(l*l), (-b+r)/(l*l))
		}
	}
	gx, gy := g.x1-g.x0, g.y1-g.y0
	if m := math.Hypot(gx, gy); m > 0 {
		from, to := 0.0, 1.0
		wx, wy := e.x0-g.x0, e.y0-g.y0
		slab := func(at, step, low, high float64) {
			if step == 0 {
				if at < low || at > high {
					from, to = 1, 0
				}
				return
			}
			a, b := (low-at)/step, (high-at)/step
			from, to = max(from, min(a, b)), min(to, max(a, b))
		}
		slab((float64(wx*gx)+float64(wy*gy))/m, (float64(dx*gx)+float64(dy*gy))/m, 0, m)
		slab((float64(wx*gy)-float64(wy*gx))/m, (float64(dx*gy)-float64(dy*gx))/m, -contact, contact)
		add(from, to)
	}
	return max(0, hi-lo) * l
}

// distance of two segments.
func (e *line) distance(g *line) float64 {
	if e.crosses(g) {
		return 0
	}
	return math.Sqrt(min(g.square(e.x0, e.y0), g.square(e.x1, e.y1), e.square(g.x0, g.y0), e.square(g.x1, g.y1)))
}

func (e *line) crosses(g *line) bool {
	side := func(l *line, x, y float64) float64 {
		return float64((l.x1-l.x0)*(y-l.y0)) - float64((l.y1-l.y0)*(x-l.x0))
	}
	return side(e, g.x0, g.y0)*side(e, g.x1, g.y1) < 0 && side(g, e.x0, e.y0)*side(g, e.x1, e.y1) < 0
}

// square is the squared distance of a point.
func (e *line) square(x, y float64) float64 {
	dx, dy := e.x1-e.x0, e.y1-e.y0
	px, py := x-e.x0, y-e.y0
	if l := float64(dx*dx) + float64(dy*dy); l > 0 {
		if t := (float64(px*dx) + float64(py*dy)) / l; t > 0 {
			t = min(t, 1)
			px, py = px-float64(t*dx), py-float64(t*dy)
		}
	}
	return float64(px*px) + float64(py*py)
}

func (e *line) length() float64 { return math.Hypot(e.x1-e.x0, e.y1-e.y0) }
