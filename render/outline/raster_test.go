package outline

import (
	"image"
	"image/png"
	"math"
	"os"
	"testing"

	"plumb/render/scan"
	"plumb/testdata"
)

// canvas is a slow, plain rasteriser of drawings: exact signed area per item in
// binary64, maxima for united passes, alpha composited in real numbers. It is
// independent of the tile stage.
type canvas struct {
	w, h  int
	acc   []float64 // one row more than needed, and one column
	cover []float64 // coverage of the item
	kept  []float64 // coverage of the pass before
	clip  []float64
	alpha []float64
	group []float64
}

func newCanvas(d *Drawing) *canvas {
	n := d.Width * d.Height
	return &canvas{
		w: d.Width, h: d.Height, acc: make([]float64, (d.Width+2)*d.Height),
		cover: make([]float64, n), kept: make([]float64, n), clip: make([]float64, n),
		alpha: make([]float64, n), group: make([]float64, n),
	}
}

// rasterAlpha returns the alpha of a drawing, 0..1 per pixel.
func rasterAlpha(d *Drawing) []float64 {
	c := newCanvas(d)
	clipOf, group := int32(-1), int32(0)
	var kept image.Rectangle
	flush := func() {
		if group > 0 {
			o := float64(d.Groups[group-1]) / Opaque
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
		if !kept.Empty() {
			c.each(kept, func(k int) {
				if !(image.Point{k % c.w, k / c.w}).In(r) {
					c.cover[k] = 0
				}
			})
			all := r.Union(kept)
			if r.Empty() {
				all = kept
			}
			c.each(kept, func(k int) { c.cover[k] = max(c.cover[k], c.kept[k]); c.kept[k] = 0 })
			r = all
		}
		if it.Op == OpUnite {
			c.each(r, func(k int) { c.kept[k] = c.cover[k] })
			kept = r
			continue
		}
		kept = image.Rectangle{}
		to := c.alpha
		if group > 0 {
			to = c.group
		}
		o := float64(it.Opacity) / Opaque
		c.each(r, func(k int) {
			a := c.cover[k] * o
			if it.Table > 0 {
				a = float64(d.Tables[it.Table-1][int(c.cover[k]*255+0.5)]) / 255 * o
			}
			if it.Clip >= 0 {
				a *= c.clip[k]
			}
			to[k] += (1 - to[k]) * a
		})
	}
	flush()
	return c.alpha
}

func (c *canvas) each(r image.Rectangle, f func(k int)) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			f(y*c.w + x)
		}
	}
}

// of fills c.cover with the coverage of an item, inside the returned box.
func (c *canvas) of(d *Drawing, it *Item) image.Rectangle {
	if !it.Scanned {
		return c.coverage(d.Segments[it.First:it.First+it.Count], it.EvenOdd)
	}
	r := image.Rectangle{}
	spans := d.Coverage.Spans[it.First : it.First+it.Count]
	for _, s := range spans {
		r = r.Union(image.Rect(int(s.X), int(s.Y), int(s.X+s.N), int(s.Y+1)))
	}
	r = r.Intersect(image.Rect(0, 0, c.w, c.h))
	c.each(r, func(k int) { c.cover[k] = 0 })
	for _, s := range spans {
		for i := range s.N {
			if x, y := int(s.X+i), int(s.Y); (image.Point{x, y}).In(r) {
				c.cover[y*c.w+x] = 1
				if s.At != scan.Full {
					c.cover[y*c.w+x] = float64(d.Coverage.Bytes[s.At+i]) / 255
				}
			}
		}
	}
	return r
}

// coverage fills c.cover inside the returned box.
func (c *canvas) coverage(segs []Segment, evenOdd bool) image.Rectangle {
	if len(segs) == 0 {
		return image.Rectangle{}
	}
	lo, hi := [2]int32{math.MaxInt32, math.MaxInt32}, [2]int32{math.MinInt32, math.MinInt32}
	net := 0
	for _, s := range segs {
		net += int(s.Y1 - s.Y0)
		lo[0], lo[1] = min(lo[0], s.X0, s.X1), min(lo[1], s.Y0, s.Y1)
		hi[0], hi[1] = max(hi[0], s.X0, s.X1), max(hi[1], s.Y0, s.Y1)
	}
	floor := func(v int32) int { return int(math.Floor(float64(v) / Unit)) }
	r := image.Rect(floor(lo[0]), floor(lo[1]), floor(hi[0])+1, floor(hi[1])+1)
	if net != 0 {
		r.Max.X = c.w // what closes the path lies right of the picture
	}
	r = r.Intersect(image.Rect(0, 0, c.w, c.h))
	stride := c.w + 2
	for y := r.Min.Y; y < r.Max.Y; y++ {
		clear(c.acc[y*stride : (y+1)*stride])
	}
	for _, s := range segs {
		c.add(s, r)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		sum := 0.0
		for x := r.Min.X; x < r.Max.X; x++ {
			sum += c.acc[y*stride+x]
			a := math.Abs(sum)
			if evenOdd {
				a = math.Abs(a - 2*math.Floor(a/2+0.5))
			}
			c.cover[y*c.w+x] = min(a, 1)
		}
	}
	return r
}

// add spreads one segment over the rows and columns it crosses.
func (c *canvas) add(s Segment, r image.Rectangle) {
	x0, y0 := float64(s.X0)/Unit, float64(s.Y0)/Unit
	x1, y1 := float64(s.X1)/Unit, float64(s.Y1)/Unit
	sign := 1.0
	if y1 < y0 {
		x0, y0, x1, y1, sign = x1, y1, x0, y0, -1
	}
	slope := (x1 - x0) / (y1 - y0)
	for y := max(r.Min.Y, int(math.Floor(y0))); y < r.Max.Y && float64(y) < y1; y++ {
		a, b := max(y0, float64(y)), min(y1, float64(y+1))
		xa, xb := x0+(a-y0)*slope, x0+(b-y0)*slope
		lo, hi := min(xa, xb), max(xa, xb)
		right := func(v float64) float64 { // part of the strip left of v
			if w := hi - lo; w > 1e-12 {
				t := min(max(v-lo, 0), w)
				return t*t/(2*w) + max(0, v-hi)
			}
			return max(0, v-lo)
		}
		row := c.acc[y*(c.w+2):]
		first := min(max(int(math.Floor(lo)), r.Min.X), r.Max.X)
		prev := right(float64(first))
		was := 0.0
		if first == r.Min.X {
			prev = max(prev, 0)
		}
		for x := first; x <= r.Max.X; x++ {
			next := right(float64(x + 1))
			area := next - prev
			prev = next
			row[x] += sign * (b - a) * (area - was)
			was = area
			if area >= 1 {
				break
			}
		}
	}
}

// readAlpha reads a grey PNG that holds an alpha channel.
func readAlpha(t *testing.T, name string) *image.Gray {
	t.Helper()
	f, err := os.Open(testdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	g, ok := m.(*image.Gray)
	if !ok {
		t.Fatalf("%s is %T; want grey", name, m)
	}
	return g
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
