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

// Figures say how far a picture is from the reference. Alpha and colours are in 1/255. Colours are compared
// premultiplied, because the colour of an almost clear pixel cannot be seen. See docs/spec/raster.md#r36.
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

// tolerance is the largest error of alpha or of a colour, in 1/255, of a pixel that counts as equal
// ("within 2"). Colours that were stored without being premultiplied carry half a step more.
const (
	tolerance       = 2
	colourTolerance = tolerance + 0.5
)

// Bars are the thresholds of a good picture: shares of equal pixels, mean errors in 1/255, relative errors
// of mass, px. Severity measures errors in their units.
var Bars = struct{ Within, Mean, Mass, Centre float64 }{0.97, 0.80, 0.01, 0.3}

// Severity returns the largest error of a picture as a multiple of what Bars allow. Above 1 the picture is
// not good enough.
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
	// Summed-area tables of (w+1) x (h+1) elements. Each element is the sum over all pixels above and to the
	// left, so that the sum over any rectangle takes four looks.
	unequalAlphas, unequalColours []uint32 // numbers of pixels whose alpha, or any of whose colours, is not equal
	alphaErrors                   []uint64 // sums of the errors of alpha
}

// Pictures compares the native picture got with the editor's picture ref, neither of them premultiplied.
// With colours false only alpha counts. If the reference is empty, so is Box: an empty picture is then
// equal, and any other is entirely wrong. Pictures of different sizes are an error.
func Pictures(got, ref *image.NRGBA, colours bool) (*Likeness, error) {
	if got.Rect.Size() != ref.Rect.Size() {
		return nil, fmt.Errorf("cannot compare pictures: got %v px; want %v", got.Rect.Size(), ref.Rect.Size())
	}
	likeness := &Likeness{Figures: Figures{Width: ref.Rect.Dx(), Height: ref.Rect.Dy(), Colours: colours}}
	native, reference := weigh(got), weigh(ref)
	likeness.Box = reference.box
	likeness.compareMass(&native, &reference)
	likeness.sumErrors(got, ref)
	bounds := likeness.Box
	if bounds.Empty() { // the reference is an empty picture
		likeness.Within, likeness.ColourWithin = 1, 1
		if native.covered > 0 {
			likeness.Within, likeness.ColourWithin, likeness.Mean, likeness.Mass = 0, 0, 255, 1
		}
		likeness.Outside = native.covered
		return likeness, nil
	}
	likeness.Within, likeness.Mean = likeness.alphaFigures(bounds)
	likeness.Outside = native.covered - countCovered(got, bounds)
	if colours {
		likeness.ColourWithin = likeness.equalColours(bounds)
		likeness.ColourMean /= float64(bounds.Dx() * bounds.Dy()) // so far a sum, see sumErrors
	}
	return likeness, nil
}

// alphaMass says how much of a picture is covered, and where. Alpha is in 1/255, places are in px.
type alphaMass struct {
	sum, x, y float64         // sums of alpha, and of alpha times the x and y of a pixel's centre
	covered   int             // pixels with alpha > 0
	box       image.Rectangle // of these
}

// weigh sums up the alpha of a picture: as a whole, times the places of the pixels (for the centre of
// mass), and the number and the box of the pixels with alpha > 0.
func weigh(img *image.NRGBA) (weight alphaMass) {
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

// countCovered counts the pixels with alpha > 0 in a part of a picture.
func countCovered(img *image.NRGBA, b image.Rectangle) (n int) {
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

// compareMass sets the errors of mass, centre and covered pixels of the native picture against the
// reference, by the weights of both. They stay 0 if the reference is empty, and the centre also if the
// native picture is.
func (likeness *Likeness) compareMass(native, reference *alphaMass) {
	if reference.sum == 0 {
		return
	}
	likeness.Mass = native.sum/reference.sum - 1
	likeness.Covered = float64(native.covered)/float64(reference.covered) - 1
	if native.sum > 0 {
		likeness.Centre = math.Hypot(native.x/native.sum-reference.x/reference.sum, native.y/native.sum-reference.y/reference.sum)
	}
}

// sumErrors builds the summed-area tables of errors of the picture got against ref, with which Region measures
// any part of the picture. It also sets Worst, and ColourMean to the sum of the colour errors in Box, which
// the caller divides by the number of pixels.
func (likeness *Likeness) sumErrors(got, ref *image.NRGBA) {
	w := likeness.Width + 1
	n := w * (likeness.Height + 1)
	likeness.unequalAlphas, likeness.alphaErrors = make([]uint32, n), make([]uint64, n)
	if likeness.Colours {
		likeness.unequalColours = make([]uint32, n)
	}
	for y := range likeness.Height {
		gotRow, refRow := got.Pix[y*got.Stride:], ref.Pix[y*ref.Stride:]
		var alphaOff, coloursOff uint32 // of the row so far
		var sum uint64
		for x := range likeness.Width {
			alphaError := int(gotRow[4*x+3]) - int(refRow[4*x+3])
			alphaError = max(alphaError, -alphaError)
			sum += uint64(alphaError)
			if alphaError > tolerance {
				alphaOff++
			}
			inside := image.Pt(x, y).In(likeness.Box)
			if inside {
				likeness.Worst = max(likeness.Worst, alphaError)
			}
			entry := (y+1)*w + x + 1 // the sum of the row so far, and of all rows above it
			likeness.unequalAlphas[entry], likeness.alphaErrors[entry] = likeness.unequalAlphas[entry-w]+alphaOff, likeness.alphaErrors[entry-w]+sum
			if !likeness.Colours {
				continue
			}
			worst, mean := colourError(gotRow[4*x:4*x+4], refRow[4*x:4*x+4])
			if worst > colourTolerance {
				coloursOff++
			}
			if inside {
				likeness.ColourMean += mean
			}
			likeness.unequalColours[entry] = likeness.unequalColours[entry-w] + coloursOff
		}
	}
}

// colourError returns how much a pixel of the native picture, got, differs in colour from that of the
// editor's, ref: the largest error of a channel and the mean of the three, in 1/255. The pixels are RGBA and
// not premultiplied; the errors are of premultiplied colours. Two clear pixels do not differ.
func colourError(got, ref []byte) (worst, mean float64) {
	if got[3]|ref[3] == 0 { // both alphas are 0
		return 0, 0
	}
	for c := range 3 {
		d := math.Abs(float64(int(got[c])*int(got[3])-int(ref[c])*int(ref[3]))) / 255
		worst = max(worst, d)
		mean += d / 3
	}
	return worst, mean
}

// alphaFigures returns how well the alpha of a part of the picture, which must not be empty, agrees with the
// reference: the share of pixels whose error is at most tolerance, and the mean error in 1/255.
func (likeness *Likeness) alphaFigures(part image.Rectangle) (within, mean float64) {
	area, stride := float64(part.Dx()*part.Dy()), likeness.Width+1
	within = 1 - float64(rectangleSum(likeness.unequalAlphas, part, stride))/area
	return within, float64(rectangleSum(likeness.alphaErrors, part, stride)) / area
}

// equalColours returns the share, 0 to 1, of the pixels of a part of the picture whose red, green and blue each
// differ by at most colourTolerance from the reference. The part must not be empty. Pictures without colours
// have the share 1.
func (likeness *Likeness) equalColours(part image.Rectangle) float64 {
	if !likeness.Colours {
		return 1
	}
	return 1 - float64(rectangleSum(likeness.unequalColours, part, likeness.Width+1))/float64(part.Dx()*part.Dy())
}

// rectangleSum returns the sum over the pixels of a rectangle, from a summed-area table whose rows have
// stride elements. The differences of unsigned numbers may wrap around; the result is right all the same.
func rectangleSum[T uint32 | uint64](table []T, b image.Rectangle, stride int) T {
	top, bottom := b.Min.Y*stride, b.Max.Y*stride
	return table[bottom+b.Max.X] - table[top+b.Max.X] - table[bottom+b.Min.X] + table[top+b.Min.X]
}

// Region returns the figures of the part of the picture in a rectangle, in px from the picture's corner.
// What lies outside of the picture is left out; ok is false if all does.
func (likeness *Likeness) Region(bounds image.Rectangle) (part Part, ok bool) {
	bounds = bounds.Intersect(image.Rect(0, 0, likeness.Width, likeness.Height))
	if bounds.Empty() {
		return part, false
	}
	part.Within, part.Mean = likeness.alphaFigures(bounds)
	part.ColourWithin = likeness.equalColours(bounds)
	return part, true
}
