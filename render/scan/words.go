package scan

import "encoding/binary"

// The functions here work on eight pixels at a time: the bytes of a word in little-endian order.

// everyByte times a byte is that byte eight times.
const everyByte = 0x0101010101010101

func loadWord(b []byte) uint64     { return binary.LittleEndian.Uint64(b) }
func storeWord(b []byte, w uint64) { binary.LittleEndian.PutUint64(b, w) }

// addWord adds eight coverage bytes to eight others at once. Sums above 255 become 255, as in
// addSaturated.
func addWord(x, y uint64) uint64 {
	const high = everyByte << 7                        // the highest bit of every byte
	s := x&^high + y&^high                             // the lower seven bits of every byte, with their carry
	carry := (x&y | (x|y)&s) & high                    // the bytes that overflow
	return s ^ (x^y)&high | carry | (carry - carry>>7) // these become 255
}

// snapWord applies the table snapped to eight bytes. Their upper five bits tell which values change: 0 is below
// snapZero, and 31 above 247. Adding 31 or 1 to these bits carries into the sixth just if they are at least 1, or 31.
func snapWord(w uint64) uint64 {
	u := w >> 3 & (everyByte * 31)              // the upper five bits of every byte
	some := (u + everyByte*31) >> 5 & everyByte // 1 in bytes of at least snapZero
	all := (u + everyByte) >> 5 & everyByte     // 1 in bytes above 247
	return w&(some<<8-some) | (all<<8 - all)    // v<<8-v is 255 in bytes where v is 1
}

// overWord blends eight coverage bytes over eight others at once, as Over does for one.
func overWord(d, a uint64) (w uint64) {
	if a == 0 {
		return d
	}
	for i := 0; i < 64; i += 8 {
		w |= uint64(Over(byte(d>>i), byte(a>>i))) << i
	}
	return w
}

// leftNarrow returns the alphas of a left border of one or two columns, which end at innerFrom: single is right if
// the border has one column, pair if it has two, the first in the lowest byte. Which of them it is, the processor
// could not predict, so both are computed without a branch.
func leftNarrow(upperLeft, lowerLeft int64, innerFrom int32, dy int64, stripAlpha int32) (single, pair uint64) {
	end := int64(innerFrom) << 16
	a, b := leftPair(upperLeft, lowerLeft, innerFrom, dy, stripAlpha)
	return uint64(columnAlpha(end-upperLeft, end-lowerLeft)), uint64(a) | uint64(b)<<8
}

// rightNarrow is leftNarrow for the right border, whose columns begin at innerTo.
func rightNarrow(upperRight, lowerRight int64, innerTo int32, dy int64, stripAlpha int32) (single, pair uint64) {
	start := int64(innerTo) << 16
	a, b := rightPair(upperRight, lowerRight, innerTo, dy, stripAlpha)
	return uint64(columnAlpha(upperRight-start, lowerRight-start)), uint64(a) | uint64(b)<<8
}

// leftWord returns the coverage of the left border of a trapezoid of three to eight columns [x0, innerFrom) as the
// bytes of a word, the first column in the lowest byte. It computes what leftWedge does for borders of any width,
// from the last column to the first.
func leftWord(upperLeft, lowerLeft int64, x0, innerFrom int32, dy int64, stripAlpha int32) uint64 {
	last := lowerLeft - int64(innerFrom-1)<<16 // width of the corner in the last column
	w := uint64(subSaturated(byte(stripAlpha), preciseCornerAlpha(last, dy)))
	area := (last*dy)>>16 + dy>>1 // area left of the edge in the next column, as in areaLeftOf
	for range innerFrom - x0 - 2 {
		w = w<<8 | uint64(subSaturated(byte(stripAlpha), byte(area>>8)))
		area += dy
	}
	return w<<8 | uint64(subSaturated(byte(stripAlpha), byte(stripAlpha)-cornerAlpha(int64(x0+1)<<16-upperLeft, dy)))
}

// rightWord returns the coverage of the right border of a trapezoid of three to eight columns [innerTo, x1) as the
// bytes of a word, the first column in the lowest byte. It computes what rightWedge does for borders of any width.
func rightWord(upperRight, lowerRight int64, innerTo, x1 int32, dy int64, stripAlpha int32) uint64 {
	first := int64(innerTo+1)<<16 - upperRight // width of the corner in the first column
	w := uint64(subSaturated(byte(stripAlpha), preciseCornerAlpha(first, dy)))
	area := (first*dy)>>16 + dy>>1 // area right of the edge in the next column, as in areaRightOf
	shift := uint(8)
	for range x1 - innerTo - 2 {
		// & 63 spares the compiler the case of a shift beyond the word.
		w |= uint64(subSaturated(byte(stripAlpha), byte(area>>8))) << (shift & 63)
		area += dy
		shift += 8
	}
	last := lowerRight - int64(x1-1)<<16 // width of the corner in the last column
	return w | uint64(subSaturated(byte(stripAlpha), byte(stripAlpha)-cornerAlpha(last, dy)))<<(shift&63)
}

// opaqueWord[n] has 255 in its lowest n bytes.
var opaqueWord = func() (t [16]uint64) {
	for n := range 9 {
		t[n] = 1<<(8*n) - 1
	}
	return t
}()

// firstPixels returns the columns [x0, x0+8) of a span as the bytes of a word: up to column innerFrom the bytes of
// left, up to innerTo those of level, and then those of right, whose lowest byte is column innerTo. innerFrom-x0 is
// 0 to 8. opaqueWord[n] has 255 in its n lowest bytes; masks of indices and shifts only spare Go's checks.
func firstPixels(x0, innerFrom, innerTo int32, level, left, right uint64) uint64 {
	w := left | level&(opaqueWord[min(innerTo-x0, 8)&15]&^opaqueWord[(innerFrom-x0)&15])
	if innerTo-x0 < 8 {
		w |= right << (8 * (innerTo - x0) & 63)
	}
	return w
}

// morePixels returns the eight columns of a span from x on, right of those of firstPixels, as the bytes of a word:
// up to column innerTo the bytes of level, then those of right, whose lowest byte is column innerTo. If innerTo
// lies left of x, the bytes of right before x are shifted out. Masks are as in firstPixels.
func morePixels(x, innerTo int32, level, right uint64) uint64 {
	switch n := innerTo - x; {
	case n >= 8:
		return level
	case n >= 0:
		return level&opaqueWord[n&15] | right<<(8*n&63)
	default:
		return right >> (-8 * n & 63)
	}
}
