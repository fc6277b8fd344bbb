package scan

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Words are eight bytes each treated as one.
func TestWords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x, y := rapid.Uint64().Draw(rt, "x"), rapid.Uint64().Draw(rt, "y")
		var a, b, sum, snap, above, two [8]byte
		binary.LittleEndian.PutUint64(a[:], x)
		binary.LittleEndian.PutUint64(b[:], y)
		for i := range a {
			sum[i] = a[i]
			addSaturated(&sum[i], b[i])
			snap[i] = snapped[a[i]]
			above[i] = Over(a[i], b[i])
		}
		two[0], two[1] = OverTwo(0, a[0]), OverTwo(0, a[1])
		for _, c := range []struct {
			name string
			got  uint64
			want [8]byte
		}{
			{"sum", addWord(x, y), sum},
			{"snapped", snapWord(x), snap},
			{"over", overWord(x, y), above},
			{"OverTwo", overTwoWord(x), two},
		} {
			if want := binary.LittleEndian.Uint64(c.want[:]); c.got != want {
				rt.Errorf("%s of %x and %x: got %x; want %x", c.name, x, y, c.got, want)
			}
		}
	})
}

// The wedges of a word are those of any length.
func TestWedgeWords(t *testing.T) {
	var r row
	r.wedge = make([]byte, 8)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Int32Range(3, 8).Draw(rt, "columns")
		at := rapid.Int32Range(-100, 100).Draw(rt, "column")
		start := int64(at) << 16
		near := start + rapid.Int64Range(0, onePx-1).Draw(rt, "near")
		far := start + int64(n-1)<<16 + rapid.Int64Range(1, onePx).Draw(rt, "far")
		dy := rapid.OneOf(rapid.Int64Range(0, onePx), rapid.Just(int64(math.MaxInt32))).Draw(rt, "dy")
		full := rapid.SampledFrom([]int32{64, 128, 191, 255}).Draw(rt, "full")
		var want [8]byte
		copy(want[:], r.leftWedge(near, far, at, at+n, dy, full))
		if got := leftWord(near, far, at, at+n, dy, full); got != binary.LittleEndian.Uint64(want[:]) {
			rt.Errorf("left: got %x; want bytes %x", got, want)
		}
		copy(want[:], r.rightWedge(near, far, at, at+n, dy, full))
		if got := rightWord(near, far, at, at+n, dy, full); got != binary.LittleEndian.Uint64(want[:]) {
			rt.Errorf("right: got %x; want bytes %x", got, want)
		}
	})
}
