package scan

import "encoding/binary"

// Eight pixels at a time: the bytes of a word, the lowest first, as they lie in
// memory.

// each times a byte is that byte eight times.
const each = 0x0101010101010101

func load(b []byte) uint64     { return binary.LittleEndian.Uint64(b) }
func store(b []byte, w uint64) { binary.LittleEndian.PutUint64(b, w) }

// addWord is add for eight bytes.
func addWord(x, y uint64) uint64 {
	const high = each << 7
	s := x&^high + y&^high
	carry := (x&y | (x|y)&s) & high
	return s ^ (x^y)&high | carry | (carry - carry>>7)
}

// snapWord is snapped for eight bytes: on their upper five bits.
func snapWord(w uint64) uint64 {
	u := w >> 3 & (each * 31)
	some := (u + each*31) >> 5 & each
	all := (u + each) >> 5 & each
	return w&(some<<8-some) | (all<<8 - all)
}

// overWord is Over for eight bytes.
func overWord(d, a uint64) (w uint64) {
	if a == 0 {
		return d
	}
	for i := 0; i < 64; i += 8 {
		w |= uint64(Over(byte(d>>i), byte(a>>i))) << i
	}
	return w
}

// leftNarrow is the left wedge as one column before j, and as two. Which it is
// comes by chance, so both are made and no branch is taken.
func leftNarrow(ul, ll int64, j int32, dy int64, full int32) (single, pair uint64) {
	end := int64(j) << 16
	a, b := leftPair(ul, ll, j, dy, full)
	return uint64(area(end-ul, end-ll)), uint64(a) | uint64(b)<<8
}

// rightNarrow is the right wedge as one column from k on, and as two.
func rightNarrow(ur, lr int64, k int32, dy int64, full int32) (single, pair uint64) {
	start := int64(k) << 16
	a, b := rightPair(ur, lr, k, dy, full)
	return uint64(area(ur-start, lr-start)), uint64(a) | uint64(b)<<8
}

// leftWord is leftWedge for at most eight columns [x0, j).
func leftWord(ul, ll int64, x0, j int32, dy int64, full int32) uint64 {
	z := ll - int64(j-1)<<16
	w := uint64(less(byte(full), tip(z, dy)))
	a := (z*dy)>>16 + dy>>1
	for range j - x0 - 2 {
		w = w<<8 | uint64(less(byte(full), byte(a>>8)))
		a += dy
	}
	return w<<8 | uint64(less(byte(full), byte(full)-corner(int64(x0+1)<<16-ul, dy)))
}

// rightWord is leftWord for the columns [k, x1) left of an edge.
func rightWord(ur, lr int64, k, x1 int32, dy int64, full int32) uint64 {
	f := int64(k+1)<<16 - ur
	w := uint64(less(byte(full), tip(f, dy)))
	a := (f*dy)>>16 + dy>>1
	shift := uint(8)
	for range x1 - k - 2 {
		w |= uint64(less(byte(full), byte(a>>8))) << (shift & 63)
		a += dy
		shift += 8
	}
	last := lr - int64(x1-1)<<16
	return w | uint64(less(byte(full), byte(full)-corner(last, dy)))<<(shift&63)
}

// lowest[n] is n pixels of 255.
var lowest = func() (t [16]uint64) {
	for n := range 9 {
		t[n] = 1<<(8*n) - 1
	}
	return t
}()

// pixels returns the columns [x0, x0+8) of a wedge up to j, a level of bytes up
// to k, and another wedge.
func pixels(x0, j, k int32, level, left, right uint64) uint64 {
	w := left | level&(lowest[min(k-x0, 8)&15]&^lowest[(j-x0)&15])
	if k-x0 < 8 {
		w |= right << (8 * (k - x0) & 63)
	}
	return w
}

// more returns the columns [x, x+8) of what pixels begins, for x >= j.
func more(x, k int32, level, right uint64) uint64 {
	switch n := k - x; {
	case n >= 8:
		return level
	case n >= 0:
		return level&lowest[n&15] | right<<(8*n&63)
	default:
		return right >> (-8 * n & 63)
	}
}
