package scan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Runs of any kind end up sorted.
func TestSortKeys(t *testing.T) {
	var spare []uint64
	var runs []int
	rapid.Check(t, func(rt *rapid.T) {
		keys := rapid.SliceOfDistinct(rapid.Uint64(), rapid.ID[uint64]).Draw(rt, "keys")
		for from := 0; from < len(keys); { // outlines go down and up
			to := from + rapid.IntRange(1, len(keys)-from).Draw(rt, "run")
			slices.Sort(keys[from:to])
			if rapid.Bool().Draw(rt, "up") {
				slices.Reverse(keys[from:to])
			}
			from = to
		}
		want := slices.Sorted(slices.Values(keys))
		spare = slices.Grow(spare[:0], len(keys))[:len(keys)]
		var got []uint64
		got, spare, runs = sortKeys(keys, spare, runs)
		if !slices.Equal(got, want) {
			rt.Errorf("got %d; want %d", got, want)
		}
	})
}
