package region

import (
	"context"
	"math"
	"math/bits"
	"plumb/render/metric"
)

// Farthest is the square of the largest distance, in px, from a pixel of either
// to the nearest of the other; both must have some, and one size. It searches, and
// where that takes longer than a distance transform does, it makes one: time is
// bounded by the pixels.
func Farthest(a, b *Bits) uint32 { return farthest(a, b, patience*(a.Width+1)*(a.Height+1)) }

// farthest is Farthest with a search that may read that many words.
func farthest(a, b *Bits, words int) uint32 {
	s := search{left: words}
	s.farthest(a, b)
	s.farthest(b, a)
	if s.left >= 0 {
		return s.far
	}
	c, err := metric.Oracle{}.Compare(context.Background(), a.mask(), b.mask(), metric.Options{Hausdorff: true})
	if err != nil {
		panic("BUG: " + err.Error()) // sizes are equal and the context does not end
	}
	return uint32(c.Far2)
}

// patience is how many words a search may read for each pixel of the masks.
const patience = 8

// search is the state of one: the largest squared distance so far, and the words
// that it may still read.
type search struct {
	far  uint32
	left int
}

// mask unpacks pixels.
func (b *Bits) mask() metric.Mask {
	pix := make([]byte, b.Width*b.Height)
	for i := range pix {
		x := i % b.Width
		pix[i] = byte(b.W[i/b.Width*b.Words+x>>5] >> (x & 31) & 1)
	}
	return metric.Alpha(pix, b.Width, b.Height)
}

// spot is a pixel, and the square of its distance from another.
type spot struct {
	d    uint32
	x, y int
}

// farthest looks for pixels of b that are farther from the nearest of other. The
// nearest of the pixel before is near the next one too; where it is near enough
// nothing is searched for.
func (s *search) farthest(b, other *Bits) {
	low, high := other.rows()
	near := spot{d: math.MaxUint32}
	known := false
	for y := range b.Height {
		for w := range b.Words {
			at := y*b.Words + w
			for m := b.W[at] &^ other.W[at]; m != 0; m &= m - 1 {
				x := 32*w + bits.TrailingZeros32(m)
				if near.d = math.MaxUint32; known {
					near.d = uint32((x-near.x)*(x-near.x) + (y-near.y)*(y-near.y))
				}
				if near.d <= s.far {
					continue
				}
				if near, known = s.nearest(other, x, y, near, low, high), true; s.left < 0 {
					return
				}
				s.far = max(s.far, near.d)
			}
		}
	}
}

// rows are the first and the last row with a pixel.
func (b *Bits) rows() (low, high int) {
	empty := func(y int) bool {
		for _, w := range b.W[y*b.Words:][:b.Words] {
			if w != 0 {
				return false
			}
		}
		return true
	}
	for low < b.Height && empty(low) {
		low++
	}
	high = b.Height - 1
	for high > low && empty(high) {
		high--
	}
	return low, high
}

// nearest is best, or a nearer pixel of b's rows from low to high: the nearest, or
// any that is no farther than the farthest so far where there is one.
func (s *search) nearest(b *Bits, x, y int, best spot, low, high int) spot {
	for d := max(0, low-y, y-high); d < b.Height && uint32(d*d) < best.d && best.d > s.far && s.left >= 0; d++ {
		if y-d >= low && y-d <= high {
			best = s.along(b, x, y-d, uint32(d*d), best)
		}
		if d > 0 && y+d >= low && y+d <= high {
			best = s.along(b, x, y+d, uint32(d*d), best)
		}
	}
	return best
}

// along is best, or a nearer pixel of row y: that many rows away that up is its
// square.
func (s *search) along(b *Bits, x, y int, up uint32, best spot) spot {
	row := b.W[y*b.Words:][:b.Words]
	try := func(at int) {
		if d := uint32((at-x)*(at-x)) + up; d < best.d {
			best = spot{d, at, y}
		}
	}
	for d, w := 0, x>>5; ; d++ {
		left, right := w-d, w+d
		s.left -= 2
		// The nearest px of words d away lies at least 32 d - 31 px off.
		if gap := uint32(max(0, 32*d-31)); left < 0 && right >= b.Words || gap*gap+up >= best.d {
			return best
		}
		if right < b.Words {
			m := row[right]
			if d == 0 {
				m &= ^uint32(0) << (x & 31)
			}
			if m != 0 {
				try(32*right + bits.TrailingZeros32(m))
			}
		}
		if left >= 0 {
			m := row[left]
			if d == 0 {
				m &= ^uint32(0) >> (31 - x&31)
			}
			if m != 0 {
				try(32*left + 31 - bits.LeadingZeros32(m))
			}
		}
	}
}
