package program

import (
	"math"

	"plumb/scoring/aspire/scenario"
)

// point is a point on the page, px.
type point struct{ x, y float64 }

// halfStroke is half the default stroke width: ink extends that far beyond an outline.
const halfStroke = 1.75

// outlinePoints returns the outline of a geo shape, accurate enough to plan with: curves as
// chords, a cloud as the stadium inside its bumps.
func outlinePoints(s *scenario.Shape) []point {
	w, h := s.Props.W, s.Props.H
	var out []point
	switch s.Props.Geo {
	case "triangle":
		out = []point{{.5, 0}, {1, 1}, {0, 1}}
	case "diamond":
		out = []point{{.5, 0}, {1, .5}, {.5, 1}, {0, .5}}
	case "pentagon":
		out = regularPolygon(5)
	case "hexagon":
		out = regularPolygon(6)
	case "octagon":
		out = regularPolygon(8)
	case "star":
		out = starPoints()
	case "ellipse":
		out = circlePoints(48)
	case "heart":
		out = heartPoints()
	case "trapezoid":
		o := 0.38 * min(w, h)
		return scaledTo(s, []point{{o, 0}, {w - o, 0}, {w, h}, {0, h}}, 1, 1)
	case "oval":
		return scaledTo(s, stadiumPoints(w, h, 0), 1, 1)
	case "cloud":
		return scaledTo(s, stadiumPoints(w, h, 0.07*min(w, h)), 1, 1)
	default:
		out = []point{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	}
	return scaledTo(s, out, w, h)
}

// scaledTo scales the points and moves them to the shape's origin on the page.
func scaledTo(s *scenario.Shape, p []point, w, h float64) []point {
	out := make([]point, len(p))
	for i, q := range p {
		out[i] = point{s.X + q.x*w, s.Y + q.y*h}
	}
	return out
}

// regularPolygon returns a regular polygon whose bounding box is the unit square.
func regularPolygon(n int) []point {
	p := make([]point, n)
	for i := range p {
		sin, cos := math.Sincos(-math.Pi/2 + 2*math.Pi*float64(i)/float64(n))
		p[i] = point{cos, sin}
	}
	lo, hi := box(p)
	for i := range p {
		p[i] = point{(p[i].x - lo.x) / (hi.x - lo.x), (p[i].y - lo.y) / (hi.y - lo.y)}
	}
	return p
}

// starPoints returns the editor's five-pointed star over the unit square. Its inner radius is half
// the outer one. See docs/spec/drawing.md#r22.
func starPoints() []point {
	p := make([]point, 10)
	for i := range p {
		sin, cos := math.Sincos(-math.Pi/2 + math.Pi/5*float64(i))
		rx, ry := 0.5245, 0.5477
		if i%2 == 1 {
			rx, ry = rx/2, ry/2
		}
		p[i] = point{0.5 + rx*cos, 0.5477 + ry*sin}
	}
	return p
}

// circlePoints returns a circle over the unit square as n points.
func circlePoints(n int) []point {
	p := make([]point, n)
	for i := range p {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		p[i] = point{0.5 + cos/2, 0.5 + sin/2}
	}
	return p
}

// heartPoints returns the editor's heart over the unit square.
func heartPoints() []point {
	curves := [][4]point{
		{{.5, 1}, {.375, .75}, {0, .625}, {0, .3}},
		{{0, .3}, {0, -.08}, {.4625, -.08}, {.5, .225}},
		{{.5, .225}, {.5375, -.08}, {1, -.08}, {1, .3}},
		{{1, .3}, {1, .625}, {.625, .75}, {.5, 1}},
	}
	var p []point
	for _, c := range curves {
		for i := range 12 {
			t := float64(i) / 12
			u := 1 - t
			k := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
			var q point
			for j := range c {
				q.x += float64(k[j] * c[j].x)
				q.y += float64(k[j] * c[j].y)
			}
			p = append(p, q)
		}
	}
	return p
}

// stadiumPoints returns a rectangle with half discs at its short sides, inset from the box.
func stadiumPoints(w, h, inset float64) []point {
	r := min(w, h)/2 - inset
	dx, dy := max(0, (w-h)/2), max(0, (h-w)/2)
	p := make([]point, 48)
	for i := range p {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(len(p)))
		p[i] = point{w/2 + r*cos + math.Copysign(dx, cos), h/2 + r*sin + math.Copysign(dy, sin)}
	}
	return p
}

// box returns the corners of the bounding box of a shape's outline points.
func box(p []point) (lo, hi point) {
	lo, hi = p[0], p[0]
	for _, q := range p {
		lo = point{min(lo.x, q.x), min(lo.y, q.y)}
		hi = point{max(hi.x, q.x), max(hi.y, q.y)}
	}
	return lo, hi
}

// inside reports whether a point lies in the outline of a shape, by the even-odd rule.
func inside(p []point, at point) bool {
	in := false
	for i, a := range p {
		b := p[(i+1)%len(p)]
		if (a.y > at.y) != (b.y > at.y) && at.x < a.x+(at.y-a.y)/(b.y-a.y)*(b.x-a.x) {
			in = !in
		}
	}
	return in
}

// expanded scales the outline of a shape about its centre so that its bounding box grows by d on
// every side: approximately the outline with its stroke.
func expanded(p []point, d float64) []point {
	lo, hi := box(p)
	c, s := point{(lo.x + hi.x) / 2, (lo.y + hi.y) / 2}, point{(hi.x - lo.x) / 2, (hi.y - lo.y) / 2}
	out := make([]point, len(p))
	for i, q := range p {
		out[i] = point{c.x + (q.x-c.x)*(s.x+d)/s.x, c.y + (q.y-c.y)*(s.y+d)/s.y}
	}
	return out
}

// inkGrid is a coarse raster of the frame of the balance test: which cells are covered.
type inkGrid struct {
	covered [frameW / cell][frameH / cell]bool
}

// The frame of the balance test and the side of an ink cell, px.
const (
	frameW = 1400
	frameH = 800
	cell   = 2
)

// add marks the cells inside the frame of the balance test that a shape's outline covers.
func (k *inkGrid) add(p []point) {
	lo, hi := box(p)
	for i := max(0, int(lo.x)/cell); i < min(len(k.covered), int(hi.x)/cell+1); i++ {
		column := k.covered[i][:]
		for j := max(0, int(lo.y)/cell); j < min(len(column), int(hi.y)/cell+1); j++ {
			if !column[j] {
				column[j] = inside(p, point{float64(i*cell) + cell/2, float64(j*cell) + cell/2})
			}
		}
	}
}

// mass returns the covered area in px and its centre, or zero if nothing is covered.
func (k *inkGrid) mass() (area float64, centre point) { return k.massOutside(point{}, -1, -1) }

// massOutside is mass without the rectangle with this centre and these half sides.
func (k *inkGrid) massOutside(c point, halfW, halfH float64) (area float64, centre point) {
	for i := range k.covered {
		x := float64(i*cell) + cell/2
		for j, on := range k.covered[i] {
			y := float64(j*cell) + cell/2
			if on && (math.Abs(x-c.x) > halfW || math.Abs(y-c.y) > halfH) {
				area++
				centre.x += x
				centre.y += y
			}
		}
	}
	if area == 0 {
		return 0, point{}
	}
	return area * cell * cell, point{centre.x / area, centre.y / area}
}
