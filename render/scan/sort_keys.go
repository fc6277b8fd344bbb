package scan

import (
	"math/bits"
	"slices"
)

// shortRun is the length up to which insertion sort extends a run.
const shortRun = 6

// sortKeys sorts distinct keys by merging the runs that are sorted already: an outline goes down and up
// again, so that its edges come in runs that rise or fall. Each round merges pairs of neighbouring runs. spare
// must have the same length and is overwritten; runs is memory for a list. The sorted keys are in the memory of
// keys or of spare; other is the other of the two. All three results are to be passed to the next call.
func sortKeys(keys, spare []uint64, runs []int) (sorted, other []uint64, starts []int) {
	runs = findRuns(keys, append(runs[:0], 0)) // run i is keys[runs[i]:runs[i+1]]
	for len(runs) > 2 {
		n := 0 // runs after this round
		for i := 0; i+1 < len(runs); i += 2 {
			if i+2 < len(runs) {
				merge(spare, keys, runs[i], runs[i+1], runs[i+2])
			} else { // the last one has no partner
				copy(spare[runs[i]:], keys[runs[i]:])
			}
			runs[n], n = runs[i], n+1
		}
		runs[n] = len(keys)
		runs = runs[:n+1]
		keys, spare = spare, keys
	}
	return keys, spare, runs
}

// findRuns cuts the keys into sorted runs and appends the end of each to runs. It takes runs that
// rise, reverses those that fall, and extends short ones to shortRun keys by insertion sort.
func findRuns(keys []uint64, runs []int) []int {
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to-1] < keys[to] {
			to++
		}
		// Not rising: take a falling run and reverse it.
		if to == from+1 {
			for to < len(keys) && keys[to-1] > keys[to] {
				to++
			}
			slices.Reverse(keys[from:to])
		}
		// Insertion sort extends a short run, because merging many short runs is slow.
		for ; to < len(keys) && to-from < shortRun; to++ {
			v, k := keys[to], to
			for ; k > from && keys[k-1] > v; k-- {
				keys[k] = keys[k-1]
			}
			keys[k] = v
		}
		runs = append(runs, to)
		from = to
	}
	return runs
}

// merge merges the sorted runs [from, mid) and [mid, to) of src into dst[from:to]. Neither may be
// empty. Its inner loop compares without branches, which would be mispredicted.
func merge(dst, src []uint64, from, mid, to int) {
	i, k := from, mid
	for pos := from; pos < to; pos++ {
		if i == mid || k == to { // one run is used up: one of these copies has nothing to do
			copy(dst[pos:to], src[k:to])
			copy(dst[pos:to], src[i:mid])
			return
		}
		x, y := src[i], src[k]
		dst[pos] = min(x, y)
		_, less := bits.Sub64(y, x, 0) // 1 if y < x, else 0
		i, k = i+1-int(less), k+int(less)
	}
}
