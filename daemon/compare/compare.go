// Package compare measures how far a native picture is from the editor's picture of the
// same scene. In: the native picture and the editor's, of one size. Out: figures, per
// scene and per feature of its shapes. It refuses pictures of different sizes, judges
// nothing and draws nothing.
package compare

import (
	"fmt"
	"image"
	"math"
)

// Figures say how far a picture is from the reference. Alpha and colours are in 1/255, colours
// premultiplied: those of an almost clear pixel mean nothing. See docs/spec/raster.md#r36.
type Figures struct {
	Width, Height int
	Box           image.Rectangle // of alpha > 0 in the reference
	Within        float64         // share of the pixels in Box whose alpha is within 2
	Mean          float64         // mean absolute error of alpha in Box
	Worst         int             // largest error of alpha in Box
	Mass          float64         // relative error of the sum of alpha
	Centre        float64         // distance of the centres of mass, px
	Covered       float64         // relative error of the number of pixels with alpha > 0
	Outside       int             // px with alpha > 0 that lie outside Box

	Colours      bool    // the reference has colours
	ColourWithin float64 // share of the pixels in Box all of whose colours are within 2
	ColourMean   float64 // mean absolute error of a colour in Box
}

// Bars are the thresholds of a good picture; Severity measures errors in their units.
var Bars = struct{ Within, Mean, Mass, Centre float64 }{0.97, 0.80, 0.01, 0.3}

// Severity is the largest error in units of its bar: above 1 a bar is missed.
func (f *Figures) Severity() float64 {
	s := max((1-f.Within)/(1-Bars.Within), f.Mean/Bars.Mean, math.Abs(f.Mass)/Bars.Mass, f.Centre/Bars.Centre)
	if f.Colours {
		s = max(s, (1-f.ColourWithin)/(1-Bars.Within), f.ColourMean/Bars.Mean)
	}
	return s
}

// Likeness is the comparison of two pictures.
type Likeness struct {
	Figures
	// Summed-area tables of (w+1) x (h+1): pixels whose alpha and whose colours
	// are not within 2, errors of alpha.
	errors, tone []uint32
	sum          []uint64
}

// Pictures compares a picture with the reference, neither of them premultiplied. With
// colours false only alpha counts. If the reference is empty, so is Box: an empty picture is
// then equal, and any other is entirely wrong.
func Pictures(got, ref *image.NRGBA, colours bool) (*Likeness, error) {
	if got.Rect.Size() != ref.Rect.Size() {
		return nil, fmt.Errorf("cannot compare pictures: got %v px; want %v", got.Rect.Size(), ref.Rect.Size())
	}
	likeness := &Likeness{Figures: Figures{Width: ref.Rect.Dx(), Height: ref.Rect.Dy(), Colours: colours}}
	g, r := weigh(got), weigh(ref)
	likeness.Box = r.box
	likeness.compareMass(&g, &r)
	likeness.tables(got, ref)
	b := likeness.Box
	if b.Empty() {
		likeness.Within, likeness.ColourWithin = 1, 1
		if g.covered > 0 {
			likeness.Within, likeness.ColourWithin, likeness.Mean, likeness.Mass = 0, 0, 255, 1
		}
		likeness.Outside = g.covered
		return likeness, nil
	}
	likeness.Within, likeness.Mean = likeness.region(b)
	likeness.Outside = g.covered - covered(got, b)
	if colours {
		likeness.ColourWithin, likeness.ColourMean = likeness.colours(b), likeness.ColourMean/float64(b.Dx()*b.Dy())
	}
	return likeness, nil
}

// weight holds the sums of a picture's alpha: in all and times x and y, in 1/255 and px, with
// the number and the box of pixels with alpha > 0.
type weight struct {
	sum, x, y float64
	covered   int
	box       image.Rectangle
}

// weigh returns the alpha statistics of a picture: the sum of alpha, its first moments (for
// the centre of mass), and the number and box of pixels with alpha > 0.
func weigh(img *image.NRGBA) (weight weight) {
	lo, hi := img.Rect.Size(), image.Point{}
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride:]
		for x := range img.Rect.Dx() {
			a := float64(row[4*x+3])
			if a == 0 {
				continue
			}
			weight.sum += a
			weight.x += a * (float64(x) + 0.5)
			weight.y += a * (float64(y) + 0.5)
			weight.covered++
			lo.X, hi.X = min(lo.X, x), max(hi.X, x+1)
			lo.Y, hi.Y = min(lo.Y, y), max(hi.Y, y+1)
		}
	}
	if weight.covered > 0 {
		weight.box = image.Rectangle{Min: lo, Max: hi}
	}
	return weight
}

// covered counts the pixels with alpha > 0 in a part of a picture.
func covered(img *image.NRGBA, b image.Rectangle) (n int) {
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := img.Pix[y*img.Stride:]
		for x := b.Min.X; x < b.Max.X; x++ {
			if row[4*x+3] > 0 {
				n++
			}
		}
	}
	return n
}

// compareMass sets the errors of mass, centre and covered pixels of the picture g against
// the reference r. They stay 0 if the reference is empty.
func (l *Likeness) compareMass(g, r *weight) {
	if r.sum == 0 {
		return
	}
	l.Mass = g.sum/r.sum - 1
	l.Covered = float64(g.covered)/float64(r.covered) - 1
	if g.sum > 0 {
		l.Centre = math.Hypot(g.x/g.sum-r.x/r.sum, g.y/g.sum-r.y/r.sum)
	}
}

// tables builds the summed-area tables of errors, with which Region measures any part of the
// picture. It also sets Worst, and in ColourMean the sum of colour errors in Box, which the
// caller divides.
func (l *Likeness) tables(got, ref *image.NRGBA) {
	w := l.Width + 1
	n := w * (l.Height + 1)
	l.errors, l.sum = make([]uint32, n), make([]uint64, n)
	if l.Colours {
		l.tone = make([]uint32, n)
	}
	for y := range l.Height {
		p, q := got.Pix[y*got.Stride:], ref.Pix[y*ref.Stride:]
		var bad, tone uint32 // of the row so far
		var sum uint64
		for x := range l.Width {
			d := int(p[4*x+3]) - int(q[4*x+3])
			d = max(d, -d)
			sum += uint64(d)
			if d > 2 {
				bad++
			}
			inside := image.Pt(x, y).In(l.Box)
			if inside {
				l.Worst = max(l.Worst, d)
			}
			at := (y+1)*w + x + 1
			l.errors[at], l.sum[at] = l.errors[at-w]+bad, l.sum[at-w]+sum
			if !l.Colours {
				continue
			}
			worst, all := colourError(p[4*x:4*x+4], q[4*x:4*x+4])
			if worst > 2.5 { // pictures that are not premultiplied carry half a step more
				tone++
			}
			if inside {
				l.ColourMean += all
			}
			l.tone[at] = l.tone[at-w] + tone
		}
	}
}

// colourError returns how much a pixel p of plumb's picture differs in colour from q, the
// editor's: the largest error of a channel and the mean of the three, premultiplied, in
// 1/255. Two clear pixels do not differ.
func colourError(p, q []byte) (worst, mean float64) {
	if p[3]|q[3] == 0 {
		return 0, 0
	}
	for c := range 3 {
		d := math.Abs(float64(int(p[c])*int(p[3])-int(q[c])*int(q[3]))) / 255
		worst = max(worst, d)
		mean += d / 3
	}
	return worst, mean
}

// region returns the share of pixels within 2 and the mean error of a part of
// the picture, which is not empty.
func (l *Likeness) region(b image.Rectangle) (within, mean float64) {
	area := float64(b.Dx() * b.Dy())
	return 1 - float64(rectangleSum(l.errors, b, l.Width+1))/area, float64(rectangleSum(l.sum, b, l.Width+1)) / area
}

// colours returns the share of pixels of a part, which is not empty, all of whose
// colours are within 2; 1 where there are none.
func (l *Likeness) colours(b image.Rectangle) float64 {
	if !l.Colours {
		return 1
	}
	return 1 - float64(rectangleSum(l.tone, b, l.Width+1))/float64(b.Dx()*b.Dy())
}

// rectangleSum returns the sum over a rectangle from a summed-area table with rows of w
// elements. Overflow of the unsigned differences cancels out.
func rectangleSum[T uint32 | uint64](t []T, b image.Rectangle, w int) T {
	return t[b.Max.Y*w+b.Max.X] - t[b.Min.Y*w+b.Max.X] - t[b.Max.Y*w+b.Min.X] + t[b.Min.Y*w+b.Min.X]
}

// Region measures the part of the picture in a rectangle; ok is false where that
// lies outside.
func (l *Likeness) Region(b image.Rectangle) (p Part, ok bool) {
	b = b.Intersect(image.Rect(0, 0, l.Width, l.Height))
	if b.Empty() {
		return p, false
	}
	p.Within, p.Mean = l.region(b)
	p.ColourWithin = l.colours(b)
	return p, true
}
