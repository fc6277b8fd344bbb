// Package metric holds what plumb measures of pictures: sums of pixels, tallies, comparisons of
// two masks. In: integer sums that a backend took over the pixels, or the pixels of a client
// (8-bit alpha, as one byte per pixel or as every fourth byte of RGBA). Out: the numbers that
// scoring rules use: sums, boxes, coverage, IoU and Hausdorff distance. All sums are integers,
// and "nothing there" is never a number.
package metric

// One is full alpha in the unit of all sums. Alpha is counted in 1/255, because a PNG holds no
// more of it, so sums are exact integers. See docs/spec/raster.md#r31.
const One = 255

// CoveredFrom is the pixel rule: a pixel is covered when its alpha in a PNG is above 0
// (docs/spec/aspire.md#r42). See docs/spec/raster.md#r32.
const CoveredFrom = 1

// Sums are taken over all pixels of one set of shapes, composited alone.
type Sums struct {
	Alpha   uint64 // sum of alpha, 1/255 per pixel
	AlphaX  uint64 // sum of alpha * column, columns counted from 0 at the left edge
	AlphaY  uint64 // sum of alpha * row, rows counted from 0 at the top edge
	Covered uint64 // pixels with alpha >= CoveredFrom
}

// Tally is everything measured of one view. A is the drawing, or the first of two sets; B is
// the second set and zero where a view names only one. The two sets are composited
// independently of each other over the same pixels. See docs/spec/raster.md#r34.
type Tally struct {
	A, B Sums
	Both uint64 // pixels covered in A and in B
}

// Add adds the sums of other pixels of the same picture.
func (s *Sums) Add(sums Sums) {
	s.Alpha += sums.Alpha
	s.AlphaX += sums.AlphaX
	s.AlphaY += sums.AlphaY
	s.Covered += sums.Covered
}

// Subtract takes the sums of some pixels away from those of a picture.
func (s *Sums) Subtract(sums Sums) {
	s.Alpha -= sums.Alpha
	s.AlphaX -= sums.AlphaX
	s.AlphaY -= sums.AlphaY
	s.Covered -= sums.Covered
}

// Add adds the tally of other pixels.
func (t *Tally) Add(o Tally) {
	t.A.Add(o.A)
	t.B.Add(o.B)
	t.Both += o.Both
}

// Subtract takes away the tally of some of the pixels.
func (t *Tally) Subtract(o Tally) {
	t.A.Subtract(o.A)
	t.B.Subtract(o.B)
	t.Both -= o.Both
}

// CentreOfMass returns the alpha-weighted centre in px from the top left corner;
// the centre of pixel (0,0) is (0.5, 0.5) (docs/spec/aspire.md#r63). ok is false when no
// pixel has alpha: an empty picture has no centre.
// See docs/spec/raster.md#r33.
func (s Sums) CentreOfMass() (x, y float64, ok bool) {
	if s.Alpha == 0 {
		return 0, 0, false
	}
	a := float64(s.Alpha)
	return float64(s.AlphaX)/a + 0.5, float64(s.AlphaY)/a + 0.5, true
}

// Alpha255 returns the alpha sum on the scale where an opaque pixel counts 255.
func (s Sums) Alpha255() float64 { return float64(s.Alpha) }

// Coverage returns the share of A's covered pixels that B covers too, in [0, 1].
// ok is false when A covers nothing.
func (t Tally) Coverage() (share float64, ok bool) {
	if t.A.Covered == 0 {
		return 0, false
	}
	return float64(t.Both) / float64(t.A.Covered), true
}
