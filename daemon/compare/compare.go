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
	weight, r := weigh(got), weigh(ref)
	likeness.Box = r.box
	likeness.compareMass(&weight, &r)
	likeness.tables(got, ref)
	bounds := likeness.Box
	if bounds.Empty() {
		likeness.Within, likeness.ColourWithin = 1, 1
		if weight.covered > 0 {
			likeness.Within, likeness.ColourWithin, likeness.Mean, likeness.Mass = 0, 0, 255, 1
		}
		likeness.Outside = weight.covered
		return likeness, nil
	}
	likeness.Within, likeness.Mean = likeness.region(bounds)
	likeness.Outside = weight.covered - covered(got, bounds)
	if colours {
		likeness.ColourWithin, likeness.ColourMean = likeness.colours(bounds), likeness.ColourMean/float64(bounds.Dx()*bounds.Dy())
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
func (likeness *Likeness) compareMass(g, r *weight) {
	if r.sum == 0 {
		return
	}
	likeness.Mass = g.sum/r.sum - 1
	likeness.Covered = float64(g.covered)/float64(r.covered) - 1
	if g.sum > 0 {
		likeness.Centre = math.Hypot(g.x/g.sum-r.x/r.sum, g.y/g.sum-r.y/r.sum)
	}
}

// tables builds the summed-area tables of errors, with which Region measures any part of the
// picture. It also sets Worst, and in ColourMean the sum of colour errors in Box, which the
// caller divides.
func (likeness *Likeness) tables(got, ref *image.NRGBA) {
	w := likeness.Width + 1
	n := w * (likeness.Height + 1)
	likeness.errors, likeness.sum = make([]uint32, n), make([]uint64, n)
	if likeness.Colours {
		likeness.tone = make([]uint32, n)
	}
	for y := range likeness.Height {
		p, q := got.Pix[y*got.Stride:], ref.Pix[y*ref.Stride:]
		var bad, tone uint32 // of the row so far
		var sum uint64
		for x := range likeness.Width {
			d := int(p[4*x+3]) - int(q[4*x+3])
			d = max(d, -d)
			sum += uint64(d)
			if d > 2 {
				bad++
			}
			inside := image.Pt(x, y).In(likeness.Box)
			if inside {
				likeness.Worst = max(likeness.Worst, d)
			}
			at := (y+1)*w + x + 1
			likeness.errors[at], likeness.sum[at] = likeness.errors[at-w]+bad, likeness.sum[at-w]+sum
			if !likeness.Colours {
				continue
			}
			worst, all := colourError(p[4*x:4*x+4], q[4*x:4*x+4])
			if worst > 2.5 { // pictures that are not premultiplied carry half a step more
				tone++
			}
			if inside {
				likeness.ColourMean += all
			}
			likeness.tone[at] = likeness.tone[at-w] + tone
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
func (likeness *Likeness) region(b image.Rectangle) (within, mean float64) {
	area := float64(b.Dx() * b.Dy())
	return 1 - float64(rectangleSum(likeness.errors, b, likeness.Width+1))/area, float64(rectangleSum(likeness.sum, b, likeness.Width+1)) / area
}

// colours returns the share, 0 to 1, of the pixels of a part whose red, green and blue each differ by at most 2 of
// 255 between the two pictures; 1 for pictures without colours. The part must not be empty. likeness.tone holds
// running sums of the pixels that differ by more.
func (likeness *Likeness) colours(bounds image.Rectangle) float64 {
	if !likeness.Colours {
		return 1
	}
	return 1 - float64(rectangleSum(likeness.tone, bounds, likeness.Width+1))/float64(bounds.Dx()*bounds.Dy())
}

// rectangleSum returns the sum over a rectangle from a summed-area table with rows of w
// elements. Overflow of the unsigned differences cancels out.
func rectangleSum[T uint32 | uint64](t []T, b image.Rectangle, w int) T {
	return t[b.Max.Y*w+b.Max.X] - t[b.Min.Y*w+b.Max.X] - t[b.Max.Y*w+b.Min.X] + t[b.Min.Y*w+b.Min.X]
}

// Region measures the part of the picture in a rectangle; ok is false where that
// lies outside.
func (likeness *Likeness) Region(bounds image.Rectangle) (part Part, ok bool) {
	bounds = bounds.Intersect(image.Rect(0, 0, likeness.Width, likeness.Height))
	if bounds.Empty() {
		return part, false
	}
	part.Within, part.Mean = likeness.region(bounds)
	part.ColourWithin = likeness.colours(bounds)
	return part, true
}
