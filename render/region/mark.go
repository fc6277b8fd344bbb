package region

import "math/bits"

// Bits is a bitmap of pixels, 32 in a word, the lowest bit leftmost; row 0 first.
type Bits struct {
	Width, Height int // px
	Words         int // per row
	W             []uint32
}

// Reset gives the bitmap a size and clears it.
func (b *Bits) Reset(width, height int) {
	b.Width, b.Height, b.Words = width, height, (width+31)/32
	n := b.Words * height
	if cap(b.W) < n {
		b.W = make([]uint32, n)
	}
	b.W = b.W[:n]
	clear(b.W)
}

// mark makes b a bitmap of size x size px and sets the pixels whose closed squares the segments of a boundary
// meet. size is a power of two.
func (b *Bits) mark(size int, list []Edge) {
	b.Reset(size, size)
	shift := 16 - bits.TrailingZeros(uint(size)) // a coordinate >> shift is a pixel
	for i := range list {
		e := &list[i]
		y0, y1 := int32(e.A>>16), int32(e.B>>16)
		for row := y0 >> shift; row <= y1>>shift; row++ {
			low, high := e.cells(row<<shift, (row+1)<<shift)
			for x := low >> shift; x <= high>>shift; x++ {
				b.W[int(row)*b.Words+int(x>>5)] |= 1 << (x & 31)
			}
		}
	}
}

// cells returns the range of x, in units of the grid, that an edge crosses between two heights.
func (e *Edge) cells(low, high int32) (x0, x1 int32) {
	y0, y1 := int32(e.A>>16), int32(e.B>>16)
	a, b := int32(e.A&0xffff), int32(e.B&0xffff)
	if low > y0 {
		a = e.at(low)
	}
	if high < y1 {
		b = e.at(high)
	}
	return min(a, b), max(a, b)
}
