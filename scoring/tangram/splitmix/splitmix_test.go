package splitmix

import (
	"slices"
	"testing"
)

// TestNext holds the stream against the published values of SplitMix64 for the
// state 1234567.
func TestNext(t *testing.T) {
	s := &Stream{1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := s.Next(); got != want {
			t.Errorf("number %d: got %d; want %d", i, got, want)
		}
	}
}

// TestNew holds the seed against the published FNV-1a hash of "a".
func TestNew(t *testing.T) {
	if got := New("a").state; got != 0xaf63dc4c8601ec8c {
		t.Errorf("state of \"a\": got %x; want af63dc4c8601ec8c", got)
	}
}

// TestDraws holds draws against the numbers of Next from the same state: the remainder, the upper 53
// bits, and exchanges from the end of a list (docs/spec/tangram.md#r53).
func TestDraws(t *testing.T) {
	next := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423}
	for n := 1; n < 9; n++ {
		if got := (&Stream{1234567}).Below(n); got != int(next[0]%uint64(n)) {
			t.Errorf("below %d: got %d; want %d", n, got, next[0]%uint64(n))
		}
	}
	if got, want := (&Stream{1234567}).Float(), float64(next[0]>>11)*0x1p-53; got != want || got >= 1 {
		t.Errorf("got %v; want %v", got, want)
	}
	// Four numbers: 3 changes with 6457827717110365317 % 4 = 1, 2 with 3203168211198807973 % 3 = 1,
	// and 1 with 9817491932198370423 % 2 = 1.
	list := []int{10, 11, 12, 13}
	s := &Stream{1234567}
	s.Shuffle(list)
	if want := []int{10, 12, 13, 11}; !slices.Equal(list, want) || s.Next() != 4593380528125082431 {
		t.Errorf("got %v; want %v after three draws", list, want)
	}
}
