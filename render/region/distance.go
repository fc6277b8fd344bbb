package region

import (
	"context"
	"math"
	"math/bits"
	"plumb/render/metric"
)

// Farthest returns the square of the Hausdorff distance of two pixel sets in px: the largest
// distance from a pixel of either set to the nearest of the other. Both must have pixels and the
// same size. It searches, and computes a distance transform if the search takes too long, so the
// time is bounded by the number of pixels.
func Farthest(a, b *Bits) uint32 { return farthest(a, b, wordsPerPixel*(a.Width+1)*(a.Height+1)) }

// farthest returns the greatest distance of a pixel of one bitmap to the nearest pixel of the other,
// squared, as Farthest does, but searches for it only while that reads at most `words` words. Beyond
// that the distance transform computes the same number.
func farthest(a, b *Bits, words int) uint32 {
	s := search{left: words}
	s.farthest(a, b)
	s.farthest(b, a)
	if s.left >= 0 {
		return s.largest
	}
	comparison, err := metric.Oracle{}.Compare(context.Background(), a.mask(), b.mask(), metric.Options{Hausdorff: true})
	if err != nil {
		panic("BUG: " + err.Error()) // sizes are equal and the context does not end
	}
	return uint32(comparison.Far2)
}

// wordsPerPixel is the number of words that a search may read for each pixel of the masks.
const wordsPerPixel = 8

// search is the state of a search for the farthest pixel: the largest squared distance so far,
// and the words that it may still read.
type search struct {
	largest uint32
	left    int
}

// mask returns the bitmap with one byte a pixel, the form that the distance transform reads.
func (bits *Bits) mask() metric.Mask {
	pix := make([]byte, bits.Width*bits.Height)
	for i := range pix {
		x := i % bits.Width
		pix[i] = byte(bits.W[i/bits.Width*bits.Words+x>>5] >> (x & 31) & 1)
	}
	return metric.Alpha(pix, bits.Width, bits.Height)
}

// nearPixel is a pixel, and the square of its distance from another.
type nearPixel struct {
	d    uint32
	x, y int
}

// farthest raises search.largest to the largest squared distance from a pixel of b to the nearest pixel
// of other, if that is greater. Pixels that are in both are skipped. The nearest pixel of the last
// one is also near the next one: if it is no farther than search.largest, no search is needed. It ends
// early when search.left gets negative.
func (search *search) farthest(b, other *Bits) {
	low, high := other.rows()
	near := nearPixel{d: math.MaxUint32}
	known := false
	for y := range b.Height {
		for w := range b.Words {
			index := y*b.Words + w
			for m := b.W[index] &^ other.W[index]; m != 0; m &= m - 1 { // drops the lowest bit
				x := 32*w + bits.TrailingZeros32(m)
				near.d = math.MaxUint32
				if known { // the distance of the last nearest pixel from this one
					near.d = uint32((x-near.x)*(x-near.x) + (y-near.y)*(y-near.y))
				}
				if near.d <= search.largest {
					continue
				}
				near, known = search.nearest(other, x, y, near, low, high), true
				if search.left < 0 {
					return
				}
				search.largest = max(search.largest, near.d)
			}
		}
	}
}

// rows returns the first and the last row of the bitmap that have a pixel set; low > high if none is.
func (bits *Bits) rows() (low, high int) {
	empty := func(y int) bool {
		for _, w := range bits.W[y*bits.Words:][:bits.Words] {
			if w != 0 {
				return false
			}
		}
		return true
	}
	for low < bits.Height && empty(low) {
		low++
	}
	high = bits.Height - 1
	for high > low && empty(high) {
		high--
	}
	return low, high
}

// nearest returns the pixel of bits, in its rows low to high, that is nearest to (x, y), or best if
// none is nearer. It goes outwards row by row, and stops at the first pixel that is not farther
// than search.far: it cannot raise that.
func (search *search) nearest(bits *Bits, x, y int, best nearPixel, low, high int) nearPixel {
	for d := max(0, low-y, y-high); d < bits.Height && uint32(d*d) < best.d && best.d > search.largest && search.left >= 0; d++ {
		if y-d >= low && y-d <= high {
			best = search.nearestInRow(bits, x, y-d, uint32(d*d), best)
		}
		if d > 0 && y+d >= low && y+d <= high {
			best = search.nearestInRow(bits, x, y+d, uint32(d*d), best)
		}
	}
	return best
}

// nearestInRow returns the pixel of b's row y that is nearest to column x, or best if none is nearer. up is the
// square of the distance to that row. It goes outwards word by word, and counts the words that it reads.
func (search *search) nearestInRow(b *Bits, x, y int, up uint32, best nearPixel) nearPixel {
	row := b.W[y*b.Words:][:b.Words]
	try := func(column int) {
		if d := uint32((column-x)*(column-x)) + up; d < best.d {
			best = nearPixel{d, column, y}
		}
	}
	for d, w := 0, x>>5; ; d++ {
		left, right := w-d, w+d
		search.left -= 2
		// The nearest px of words d away lies at least 32 d - 31 px off.
		if gap := uint32(max(0, 32*d-31)); left < 0 && right >= b.Words || gap*gap+up >= best.d {
			return best
		}
		if right < b.Words {
			m := row[right]
			if d == 0 { // only x and what is right of it
				m &= ^uint32(0) << (x & 31)
			}
			if m != 0 {
				try(32*right + bits.TrailingZeros32(m))
			}
		}
		if left >= 0 {
			m := row[left]
			if d == 0 { // only x and what is left of it
				m &= ^uint32(0) >> (31 - x&31)
			}
			if m != 0 {
				try(32*left + 31 - bits.LeadingZeros32(m))
			}
		}
	}
}
