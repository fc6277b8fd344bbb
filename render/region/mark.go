package region

import "math/bits"

// Bits is a bitmap of pixels, 32 in a word, the lowest bit leftmost; row 0 first.
type Bits struct {
	Width, Height int // px
	Words         int // per row
	W             []uint32
}

// Reset gives the bitmap a size and clears it.
func (bits *Bits) Reset(width, height int) {
	bits.Width, bits.Height, bits.Words = width, height, (width+31)/32
	n := bits.Words * height
	if cap(bits.W) < n {
		bits.W = make([]uint32, n)
	}
	bits.W = bits.W[:n]
	clear(bits.W)
}

// mark makes b a bitmap of size x size px and sets the pixels that the segments of a boundary touch, be it only
// at the border of the pixel's square. size is a power of two.
func (b *Bits) mark(size int, list []Edge) {
	b.Reset(size, size)
	shift := 16 - bits.TrailingZeros(uint(size)) // a coordinate >> shift is a pixel
	for i := range list {
		e := &list[i]
		y0, y1 := e.lowY(), e.highY()
		for row := y0 >> shift; row <= y1>>shift; row++ {
			low, high := e.cells(row<<shift, (row+1)<<shift)
			for x := low >> shift; x <= high>>shift; x++ {
				b.W[int(row)*b.Words+int(x>>5)] |= 1 << (x & 31)
			}
		}
	}
}

// cells returns the range of x, in units of the grid, that an edge crosses between the heights low and high.
func (edge *Edge) cells(low, high int32) (x0, x1 int32) {
	a, b := edge.lowX(), edge.highX() // where it enters and leaves that range of heights
	if low > edge.lowY() {
		a = edge.at(low)
	}
	if high < edge.highY() {
		b = edge.at(high)
	}
	return min(a, b), max(a, b)
}
