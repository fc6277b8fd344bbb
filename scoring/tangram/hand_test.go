package tangram

import (
	"math"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/construction"
)

func abs(x float64) float64 { return math.Abs(x) }

// byHand computes from the definitions, in doubles, whether a polygon is simple, its area and
// perimeter, and the largest difference of its corner distances from those of its type for the
// best vertex order; that difference is infinite for another number of corners.
func byHand(list []construction.Point, kind construction.Kind) (simple bool, area, around, off float64) {
	var p [][2]float64
	for _, v := range list {
		p = append(p, [2]float64{v.X.Float() - list[0].X.Float(), v.Y.Float() - list[0].Y.Float()})
	}
	n := len(p)
	cross := func(a, b, c [2]float64) float64 {
		return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
	}
	dist := func(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }
	simple = true
	for i := range n {
		a, b := p[i], p[(i+1)%n]
		area += cross([2]float64{}, a, b) / 2
		around += dist(a, b)
		for j := range n {
			c, d := p[j], p[(j+1)%n]
			switch {
			case i == j:
			case (j+1)%n == i || (i+1)%n == j:
				if (i+1)%n == j && dist(a, d)+dist(b, d) < dist(a, b)+1e-9 || (i+1)%n == j && dist(a, d)+dist(a, b) < dist(b, d)+1e-9 {
					simple = false
				}
			case segments(a, b, c, d) < 1e-9:
				simple = false
			}
		}
	}
	var q [][2]float64 // without collinear vertices
	for i := range n {
		if abs(cross(p[(i+n-1)%n], p[i], p[(i+1)%n])) > 1e-9 {
			q = append(q, p[i])
		}
	}
	var w [][2]float64
	for k, name := range []construction.Kind{construction.Large, construction.Medium, construction.Small, construction.Square, construction.Parallelogram} {
		if name == kind {
			for _, v := range assembly.Turned(assembly.Kind(k), 0) {
				w = append(w, [2]float64{v.X.Float(), v.Y.Float()})
			}
		}
	}
	off = math.Inf(1)
	if len(q) != len(w) {
		return simple, abs(area), around, off
	}
	m := len(q)
	for shift := range m {
		for _, step := range []int{1, m - 1} {
			worst := 0.0
			for i := range m {
				for j := range i {
					worst = max(worst, abs(dist(q[(shift+i*step)%m], q[(shift+j*step)%m])-dist(w[i], w[j])))
				}
			}
			off = min(off, worst)
		}
	}
	return simple, abs(area), around, off
}

// segments is the distance of two segments.
func segments(a, b, c, d [2]float64) float64 {
	to := func(p, a, b [2]float64) float64 {
		dx, dy := b[0]-a[0], b[1]-a[1]
		t := ((p[0]-a[0])*dx + (p[1]-a[1])*dy) / (dx*dx + dy*dy)
		t = max(0, min(1, t))
		return math.Hypot(p[0]-a[0]-t*dx, p[1]-a[1]-t*dy)
	}
	s := func(a, b, c [2]float64) float64 { return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0]) }
	if s(a, b, c)*s(a, b, d) < 0 && s(c, d, a)*s(c, d, b) < 0 {
		return 0
	}
	return min(to(a, c, d), to(b, c, d), to(c, a, b), to(d, a, b))
}
