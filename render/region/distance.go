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

// farthest returns the same as Farthest. It searches for it while that reads at most mostWords words of the
// bitmaps. Beyond that the distance transform computes the same number, in a time that does not depend on
// where the pixels lie.
func farthest(a, b *Bits, mostWords int) uint32 {
	s := search{wordsLeft: mostWords}
	s.farthest(a, b)
	s.farthest(b, a)
	if s.wordsLeft >= 0 {
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

// search is the state of a search for the farthest pixel.
type search struct {
	largest   uint32 // the largest squared distance so far
	wordsLeft int    // words of the bitmaps that it may still read
}

// mask returns the bitmap with one byte a pixel, the form that the distance transform reads.
func (bits *Bits) mask() metric.Mask {
	pix := make([]byte, bits.Width*bits.Height)
	for i := range pix {
		x := i % bits.Width
		y := i / bits.Width
		pix[i] = byte(bits.W[y*bits.Words+x>>5] >> (x & 31) & 1)
	}
	return metric.Alpha(pix, bits.Width, bits.Height)
}

// nearPixel is a pixel, and the square of its distance from another.
type nearPixel struct {
	squared uint32
	x, y    int
}

// farthest raises search.largest to the largest squared distance from a pixel of b to the nearest pixel
// of other, if that is greater. Pixels that are in both have distance 0 and are skipped. A search is needed only
// for pixels that can raise the largest: the nearest pixel found last is mostly near the next one too, and
// if it is no farther than search.largest, no search is made. It ends early when search.wordsLeft gets negative.
func (search *search) farthest(b, other *Bits) {
	low, high := other.rows()
	near := nearPixel{squared: math.MaxUint32}
	known := false
	for y := range b.Height {
		for w := range b.Words {
			index := y*b.Words + w
			for left := b.W[index] &^ other.W[index]; left != 0; left &= left - 1 { // drops the lowest bit
				x := 32*w + bits.TrailingZeros32(left)
				near.squared = math.MaxUint32
				if known { // the distance of the last nearest pixel from this one
					near.squared = uint32((x-near.x)*(x-near.x) + (y-near.y)*(y-near.y))
				}
				if near.squared <= search.largest {
					continue
				}
				near, known = search.nearest(other, x, y, near, low, high), true
				if search.wordsLeft < 0 {
					return
				}
				search.largest = max(search.largest, near.squared)
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
// none is nearer. It goes outwards row by row, and stops as soon as it has a pixel that is not farther than
// search.largest: then the distance of (x, y) cannot raise that.
func (search *search) nearest(bits *Bits, x, y int, best nearPixel, low, high int) nearPixel {
	for rowsAway := max(0, low-y, y-high); rowsAway < bits.Height; rowsAway++ {
		mayBeNearer := uint32(rowsAway*rowsAway) < best.squared
		if !mayBeNearer || best.squared <= search.largest || search.wordsLeft < 0 {
			break
		}
		if y-rowsAway >= low && y-rowsAway <= high {
			best = search.nearestInRow(bits, x, y-rowsAway, uint32(rowsAway*rowsAway), best)
		}
		if rowsAway > 0 && y+rowsAway >= low && y+rowsAway <= high {
			best = search.nearestInRow(bits, x, y+rowsAway, uint32(rowsAway*rowsAway), best)
		}
	}
	return best
}

// nearestInRow returns the pixel of b's row y that is nearest to column x, or best if none is nearer. rowSquared
// is the square of the distance to that row. It goes outwards from x, word by word of 32 pixels on both sides,
// and counts the words that it reads.
func (search *search) nearestInRow(b *Bits, x, y int, rowSquared uint32, best nearPixel) nearPixel {
	row := b.W[y*b.Words:][:b.Words]
	offer := func(column int) {
		if squared := uint32((column-x)*(column-x)) + rowSquared; squared < best.squared {
			best = nearPixel{squared, column, y}
		}
	}
	const all = ^uint32(0)
	for wordsAway, w := 0, x>>5; ; wordsAway++ { // w is the word of column x
		left, right := w-wordsAway, w+wordsAway
		search.wordsLeft -= 2
		// The nearest pixel of these words is at least so far away.
		gap := uint32(max(0, 32*wordsAway-31))
		if left < 0 && right >= b.Words || gap*gap+rowSquared >= best.squared {
			return best
		}
		if right < b.Words {
			pixels := row[right]
			if wordsAway == 0 { // only x and what is right of it
				pixels &= all << (x & 31)
			}
			if pixels != 0 {
				offer(32*right + bits.TrailingZeros32(pixels))
			}
		}
		if left >= 0 {
			pixels := row[left]
			if wordsAway == 0 { // only x and what is left of it
				pixels &= all >> (31 - x&31)
			}
			if pixels != 0 {
				offer(32*left + 31 - bits.LeadingZeros32(pixels))
			}
		}
	}
}
