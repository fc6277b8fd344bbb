// Package sheet draws the pictures that people and models look at beside scenes: polygons,
// strokes and lines of text on an opaque ground. In: loops in px, y down. Out: 8-bit pixels,
// the same on every machine; coverage is the exact area, in doubles. It refuses text where
// the fonts are missing.
package sheet

import (
	"image"
	"image/color"
	"math"
)

// Point is a place in a picture or a plane, in doubles.
type Point struct{ X, Y float64 }

// Pt returns the point (x, y).
func Pt(x, y float64) Point { return Point{x, y} }

// Loop is a closed polygon.
type Loop []Point

// Cover holds, per pixel, which part of its area lies inside loops: exactly, up
// to the rounding of doubles. Loops are in px, y down.
type Cover struct {
	w, h int // px
	// cells has w+1 numbers for each row: by how much the winding, averaged over a pixel, differs from that of
	// the pixel on its left. The winding of a point is how often the loops run around it.
	cells []float64
	box   image.Rectangle // of the cells that may not be 0
}

// NewCover returns a cover of w x h px without loops.
func NewCover(w, h int) *Cover { return &Cover{w: w, h: h, cells: make([]float64, (w+1)*h)} }

// Reset empties the cover, so that the next polygons of the picture are covered by themselves.
func (cover *Cover) Reset() {
	for y := cover.box.Min.Y; y < cover.box.Max.Y; y++ {
		clear(cover.cells[y*(cover.w+1):][cover.box.Min.X:cover.box.Max.X])
	}
	cover.box = image.Rectangle{}
}

// Add adds a loop to the cover. Each edge adds to the pixels on its right, row by row, the winding that
// it gives them: its height within the row, times the part of the pixel that lies right of it.
func (cover *Cover) Add(l Loop) {
	for i, p := range l {
		cover.addEdge(p, l[(i+1)%len(l)])
	}
}

// addEdge adds the coverage to the right of the polygon's edge from p to q, row by row, and extends
// the box of what is changed. Edges down count positive, edges up negative, level ones and those
// outside of all rows nothing.
func (cover *Cover) addEdge(p, q Point) {
	sign := 1.0
	if p.Y > q.Y {
		p, q, sign = q, p, -1
	}
	if p.Y == q.Y || q.Y <= 0 || p.Y >= float64(cover.h) {
		return
	}
	slope := (q.X - p.X) / (q.Y - p.Y)
	// float64 keeps the product from being fused with the sum: equal on every machine.
	at := func(y float64) float64 { return p.X + float64(slope*(y-p.Y)) }
	top, bottom := max(p.Y, 0), min(q.Y, float64(cover.h))
	first, last := int(top), min(int(math.Ceil(bottom)), cover.h)
	for row := first; row < last; row++ {
		y0, y1 := max(top, float64(row)), min(bottom, float64(row+1))
		cover.addPiece(row, at(y0), at(y1), sign*(y1-y0))
	}
	left, right := cover.columns(at(top), at(bottom))
	cover.box = cover.box.Union(image.Rect(left, first, right, last))
}

// columns returns the range [left, right) of a pixel row's cells that a polygon's edge between x0
// and x1 may change: up to the one after its last column or, if the edge leaves the picture on the
// right, up to the end of the row.
func (cover *Cover) columns(x0, x1 float64) (left, right int) {
	if x := min(x0, x1); x > 0 {
		left = int(min(x, float64(cover.w)))
	}
	right = cover.w + 1
	if x := max(x0, x1); x < float64(cover.w) {
		right = int(max(x, 0)) + 2
	}
	return left, min(right, cover.w+1)
}

// addPiece adds to a row of cells a straight piece of a polygon's edge within that pixel row, from x0 to
// x1, whose height in px, with its sign, is height. A pixel that the piece crosses gets the part of it that
// lies right of the piece; the next one gets the rest, because cells hold changes.
func (cover *Cover) addPiece(row int, x0, x1, height float64) {
	const narrow = 1e-12 // px; dividing by so little would leave no correct digits
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	if height == 0 || x0 >= float64(cover.w) {
		return
	}
	cells := cover.cells[row*(cover.w+1) : (row+1)*(cover.w+1)]
	if x1 <= 0 { // left of the picture
		cells[0] += height
		return
	}
	if x1-x0 < narrow { // vertical
		x := min(max(x0, 0), float64(cover.w))
		k := min(int(x), cover.w-1)
		right := float64(k+1) - x
		cells[k] += height * right
		cells[k+1] += height * (1 - right)
		return
	}
	// Where it leaves the picture it counts as vertical, at the border.
	rate := height / (x1 - x0)
	if x0 < 0 {
		cells[0] += rate * -x0
		x0 = 0
	}
	end := min(x1, float64(cover.w))
	for k := int(x0); float64(k) < end && k < cover.w; k++ {
		a, b := max(x0, float64(k)), min(end, float64(k+1))
		right := float64(k+1) - (a+b)/2
		cells[k] += rate * (b - a) * right
		cells[k+1] += rate * (b - a) * (1 - right)
	}
}

// Each calls f with the winding of every pixel that the polygons touch, averaged over its area, row
// by row; pixels whose winding is 0 but for rounding errors are left out.
func (cover *Cover) Each(f func(x, y int, winding float64)) {
	const roundingErrors = 1e-9
	for y := cover.box.Min.Y; y < cover.box.Max.Y; y++ {
		sum := 0.0
		for x, d := range cover.cells[y*(cover.w+1):][cover.box.Min.X:min(cover.box.Max.X, cover.w)] {
			sum += d
			if math.Abs(sum) > roundingErrors {
				f(cover.box.Min.X+x, y, sum)
			}
		}
	}
}

// NonZero returns the coverage that a winding sum stands for by the non-zero rule. It is exact for
// loops that do not overlap.
func NonZero(winding float64) float64 { return min(math.Abs(winding), 1) }

// EvenOdd returns the coverage that a winding sum stands for by the even-odd rule.
func EvenOdd(winding float64) float64 {
	w := math.Mod(math.Abs(winding), 2)
	return min(w, 2-w)
}

// Sheet is an opaque picture that is being drawn.
type Sheet struct {
	*image.NRGBA
	cover *Cover // nil until something is filled
}

// New returns a picture of w x h px in the colour of its ground, whose alpha is 255.
func New(w, h int, ground color.NRGBA) *Sheet {
	s := &Sheet{NRGBA: image.NewNRGBA(image.Rect(0, 0, w, h))}
	s.Clear(ground)
	return s
}

// Clear paints the whole sheet in the colour of its ground.
func (sheet *Sheet) Clear(ground color.NRGBA) {
	if len(sheet.Pix) == 0 {
		return
	}
	copy(sheet.Pix, []byte{ground.R, ground.G, ground.B, ground.A})
	for n := 4; n < len(sheet.Pix); n *= 2 { // double what is painted
		copy(sheet.Pix[n:], sheet.Pix[:n])
	}
}

// Cover returns the empty cover that Fill uses, for other rules of filling.
func (sheet *Sheet) Cover() *Cover {
	if sheet.cover == nil {
		sheet.cover = NewCover(sheet.Rect.Dx(), sheet.Rect.Dy())
	}
	sheet.cover.Reset()
	return sheet.cover
}

// Blend puts a colour, with its alpha, over the pixel (x, y) of the picture, of which it covers the
// part coverage, 0 to 1. The pixel stays opaque.
func (sheet *Sheet) Blend(x, y int, c color.NRGBA, coverage float64) {
	a := coverage * (float64(c.A) / 255)
	p := sheet.Pix[sheet.PixOffset(x, y):][:3]
	for i, v := range [3]uint8{c.R, c.G, c.B} {
		// float64 keeps products from being fused with sums: equal on every machine.
		p[i] = uint8(math.Floor(float64(float64(p[i])*(1-a)) + float64(float64(v)*a) + 0.5))
	}
}

// Fill paints polygons onto the picture in a colour. A point is inside if the loops wind around it
// (non-zero rule); pixels at the border are blended by how much of them is covered.
func (sheet *Sheet) Fill(c color.NRGBA, loops ...Loop) {
	cover := sheet.Cover()
	for _, l := range loops {
		cover.Add(l)
	}
	cover.Each(func(x, y int, w float64) { sheet.Blend(x, y, c, NonZero(w)) })
}

// Stroke paints the outline of a loop, width px wide, with round corners. Its bars and circles overlap on
// purpose, so that corners have no gaps. Where several of them cover parts of one pixel, at the border, the
// parts are summed up to 1 at most, which can be more than what they cover together.
func (sheet *Sheet) Stroke(c color.NRGBA, width float64, l Loop) {
	var loops []Loop
	for i, p := range l {
		loops = append(loops, Bar(p, l[(i+1)%len(l)], width), Circle(p, width/2))
	}
	sheet.Fill(c, loops...)
}

// Bar returns a polygon for a straight line of a given width on a sheet, with flat ends, or nil for a
// line without length. Its corners run in the same direction as those of Circle, so that bars and
// circles that overlap are filled together.
func Bar(p, q Point, width float64) Loop {
	dx, dy := q.X-p.X, q.Y-p.Y
	length := math.Hypot(dx, dy)
	if length == 0 {
		return nil
	}
	dx, dy = dx*width/2/length, dy*width/2/length // half the width, along the line
	return Loop{{p.X + dy, p.Y - dx}, {q.X + dy, q.Y - dx}, {q.X - dy, q.Y + dx}, {p.X - dy, p.Y + dx}}
}

// Circle returns a polygon of 64 sides for a disc of radius r on a sheet. Its corners lie a little outside of
// the circle, so that it has the area of the disc.
func Circle(point Point, r float64) Loop {
	const n = 64
	r *= math.Sqrt(2 * math.Pi / n / math.Sin(2*math.Pi/n))
	loop := make(Loop, n)
	for i := range loop {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		loop[i] = Point{point.X + float64(r*cos), point.Y + float64(r*sin)}
	}
	return loop
}
