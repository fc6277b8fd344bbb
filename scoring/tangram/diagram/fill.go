package diagram

import (
	"image"
	"image/color"
	"math"
)

// Point is a place in a picture or a plane, in doubles.
type Point struct{ X, Y float64 }

// Loop is a closed polygon.
type Loop []Point

// cover holds, per pixel, which part of its area lies inside loops: exactly, up
// to the rounding of doubles. Loops are in px, y down.
type cover struct {
	w, h  int
	cells []float64 // by row: change of the winding from pixel to pixel
	box   image.Rectangle
}

func newCover(w, h int) *cover { return &cover{w: w, h: h, cells: make([]float64, (w+1)*h)} }

// reset forgets all loops.
func (c *cover) reset() {
	for y := c.box.Min.Y; y < c.box.Max.Y; y++ {
		clear(c.cells[y*(c.w+1) : (y+1)*(c.w+1)])
	}
	c.box = image.Rectangle{}
}

// add puts a loop in. Each edge adds, to the pixels right of it, the winding that
// it gives them: height within the row, times the part of the pixel that lies
// right of it.
func (c *cover) add(l Loop) {
	for i, p := range l {
		c.edge(p, l[(i+1)%len(l)])
	}
}

func (c *cover) edge(p, q Point) {
	sign := 1.0
	if p.Y > q.Y {
		p, q, sign = q, p, -1
	}
	if p.Y == q.Y || q.Y <= 0 || p.Y >= float64(c.h) {
		return
	}
	slope := (q.X - p.X) / (q.Y - p.Y)
	at := func(y float64) float64 { return p.X + float64(slope*(y-p.Y)) }
	top, bottom := max(p.Y, 0), min(q.Y, float64(c.h))
	first, last := int(top), min(int(math.Ceil(bottom)), c.h)
	for row := first; row < last; row++ {
		y0, y1 := max(top, float64(row)), min(bottom, float64(row+1))
		c.slice(row, at(y0), at(y1), sign*(y1-y0))
	}
	c.box = c.box.Union(image.Rect(0, first, c.w, last))
}

// slice adds a straight piece of an edge within one row, from x0 to x1, with the
// winding d.
func (c *cover) slice(row int, x0, x1, d float64) {
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	if d == 0 || x0 >= float64(c.w) {
		return
	}
	cells := c.cells[row*(c.w+1) : (row+1)*(c.w+1)]
	if x1 <= 0 {
		cells[0] += d
		return
	}
	if x1-x0 < 1e-12 {
		x := min(max(x0, 0), float64(c.w))
		k := min(int(x), c.w-1)
		right := float64(k+1) - x
		cells[k] += d * right
		cells[k+1] += d * (1 - right)
		return
	}
	// Where it leaves the picture it counts as vertical, at the border.
	rate := d / (x1 - x0)
	if x0 < 0 {
		cells[0] += rate * -x0
		x0 = 0
	}
	end := min(x1, float64(c.w))
	for k := int(x0); float64(k) < end && k < c.w; k++ {
		a, b := max(x0, float64(k)), min(end, float64(k+1))
		right := float64(k+1) - (a+b)/2
		cells[k] += rate * (b - a) * right
		cells[k+1] += rate * (b - a) * (1 - right)
	}
}

// each calls f with the winding of every pixel that has any, averaged over its
// area.
func (c *cover) each(f func(x, y int, winding float64)) {
	for y := c.box.Min.Y; y < c.box.Max.Y; y++ {
		sum := 0.0
		for x, d := range c.cells[y*(c.w+1) : (y+1)*(c.w+1)-1] {
			sum += d
			if math.Abs(sum) > 1e-9 {
				f(x, y, sum)
			}
		}
	}
}

// solid is the coverage by the non-zero rule, for loops that do not overlap.
func solid(winding float64) float64 { return min(math.Abs(winding), 1) }

// evenOdd is the coverage by the even-odd rule.
func evenOdd(winding float64) float64 {
	w := math.Mod(math.Abs(winding), 2)
	return min(w, 2-w)
}

// sheet is an opaque picture that is being drawn.
type sheet struct {
	*image.NRGBA
	cover *cover
}

func newSheet(w, h int) *sheet {
	s := &sheet{image.NewNRGBA(image.Rect(0, 0, w, h)), newCover(w, h)}
	for i := range s.Pix {
		s.Pix[i] = 255
	}
	return s
}

// blend puts a colour over a pixel with a coverage of 0 to 1.
func (s *sheet) blend(x, y int, c color.NRGBA, a float64) {
	a *= float64(c.A) / 255
	p := s.Pix[s.PixOffset(x, y):][:3]
	for i, v := range [3]uint8{c.R, c.G, c.B} {
		p[i] = uint8(math.Floor(float64(float64(p[i])*(1-a)) + float64(float64(v)*a) + 0.5))
	}
}

// fill paints loops by the non-zero rule.
func (s *sheet) fill(c color.NRGBA, loops ...Loop) {
	s.cover.reset()
	for _, l := range loops {
		s.cover.add(l)
	}
	s.cover.each(func(x, y int, w float64) { s.blend(x, y, c, solid(w)) })
}

// stroke paints the outline of a loop, width px wide, with round corners.
func (s *sheet) stroke(c color.NRGBA, width float64, l Loop) {
	var loops []Loop
	for i, p := range l {
		loops = append(loops, bar(p, l[(i+1)%len(l)], width), circle(p, width/2))
	}
	s.fill(c, loops...)
}

// bar is the rectangle about a line; its winding is that of circle.
func bar(p, q Point, width float64) Loop {
	dx, dy := q.X-p.X, q.Y-p.Y
	n := math.Hypot(dx, dy)
	if n == 0 {
		return nil
	}
	dx, dy = dx*width/2/n, dy*width/2/n
	return Loop{{p.X + dy, p.Y - dx}, {q.X + dy, q.Y - dx}, {q.X - dy, q.Y + dx}, {p.X - dy, p.Y + dx}}
}

// circle is a polygon of 64 sides with the area of the circle.
func circle(p Point, r float64) Loop {
	const n = 64
	r *= math.Sqrt(2 * math.Pi / n / math.Sin(2*math.Pi/n))
	l := make(Loop, n)
	for i := range l {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		l[i] = Point{p.X + float64(r*cos), p.Y + float64(r*sin)}
	}
	return l
}
