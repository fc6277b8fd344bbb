package paint

import (
	"image"
	"math"

	"plumb/render/scan"
	"plumb/render/shapes"
)

// canvas composites drawings slowly and plainly, in real numbers. It is
// independent of the tile stage.
type canvas struct {
	w, h  int
	cover []float64 // coverage of the item
	clip  []float64
	alpha []float64
	group []float64
}

// newCanvas returns an empty picture of the drawing's size.
func newCanvas(d *Drawing) *canvas {
	n := d.Width * d.Height
	return &canvas{
		w: d.Width, h: d.Height, cover: make([]float64, n), clip: make([]float64, n),
		alpha: make([]float64, n), group: make([]float64, n),
	}
}

// rasterAlpha returns the alpha of a drawing, 0..1 per pixel.
func rasterAlpha(d *Drawing) []float64 {
	c := newCanvas(d)
	clipOf, group := int32(-1), int32(0)
	flush := func() {
		if group > 0 {
			o := float64(d.Groups[group-1]) / shapes.Opaque
			for i, a := range c.group {
				c.alpha[i] += (1 - c.alpha[i]) * a * o
				c.group[i] = 0
			}
		}
	}
	for i := range d.Items {
		it := &d.Items[i]
		if it.Group != group {
			flush()
			group = it.Group
		}
		if it.Op == OpClip {
			continue
		}
		if it.Clip >= 0 && it.Clip != clipOf {
			clear(c.clip)
			r := c.of(d, &d.Items[it.Clip])
			c.each(r, func(k int) { c.clip[k] = c.cover[k] })
			clipOf = it.Clip
		}
		r := c.of(d, it)
		to := c.alpha
		if group > 0 {
			to = c.group
		}
		o := float64(it.Opacity) / shapes.Opaque
		c.each(r, func(k int) {
			a := c.cover[k] * o
			if it.Clip >= 0 {
				a *= c.clip[k]
			}
			to[k] += (1 - to[k]) * a
		})
	}
	flush()
	return c.alpha
}

// each calls f with the index of each pixel of a rectangle.
func (c *canvas) each(r image.Rectangle, f func(k int)) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			f(y*c.w + x)
		}
	}
}

// of fills c.cover with the coverage of an item, inside the returned box.
func (c *canvas) of(d *Drawing, it *Item) image.Rectangle {
	r := image.Rectangle{}
	spans := d.Coverage.Spans[it.FirstSpan : it.FirstSpan+it.SpanCount]
	for _, s := range spans {
		r = r.Union(image.Rect(int(s.X), int(s.Y), int(s.X+s.Width), int(s.Y+1)))
	}
	r = r.Intersect(image.Rect(0, 0, c.w, c.h))
	c.each(r, func(k int) { c.cover[k] = 0 })
	for _, s := range spans {
		for i := range s.Width {
			if x, y := int(s.X+i), int(s.Y); (image.Point{x, y}).In(r) {
				c.cover[y*c.w+x] = 1
				if s.FirstByte != scan.Full {
					c.cover[y*c.w+x] = float64(d.Coverage.Bytes[s.FirstByte+i]) / 255
				}
			}
		}
	}
	return r
}

// likeness tells how near a picture is to the reference.
type likeness struct {
	name   string
	within float64 // share of the pixels in the reference's alpha box within 2/255
	mean   float64 // mean absolute error in it, of 255
	mass   float64 // relative error of the alpha sum
	centre float64 // distance of the centres of mass, px
	worst  int
}

// compareAlpha compares the alpha of a drawing with a picture of the editor.
func compareAlpha(name string, got []float64, want *image.Gray) likeness {
	w, h := want.Rect.Dx(), want.Rect.Dy()
	box := image.Rectangle{}
	for y := range h {
		for x := range w {
			if want.Pix[y*want.Stride+x] > 0 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	l := likeness{name: name}
	var sums [2][3]float64
	near, total, errSum := 0, 0, 0.0
	for y := range h {
		for x := range w {
			v := [2]float64{math.Floor(got[y*w+x]*255 + 0.5), float64(want.Pix[y*want.Stride+x])}
			for k, a := range v {
				sums[k][0] += a
				sums[k][1] += a * (float64(x) + 0.5)
				sums[k][2] += a * (float64(y) + 0.5)
			}
			if !(image.Point{x, y}).In(box) {
				continue
			}
			total++
			d := math.Abs(v[0] - v[1])
			errSum += d
			if d <= 2 {
				near++
			}
			l.worst = max(l.worst, int(d))
		}
	}
	g, r := sums[0], sums[1]
	l.within, l.mean = float64(near)/float64(total), errSum/float64(total)
	l.mass = g[0]/r[0] - 1
	l.centre = math.Hypot(g[1]/g[0]-r[1]/r[0], g[2]/g[0]-r[2]/r[0])
	return l
}
