package vqa

import (
	"strconv"
)

// counts are the sums over a group of items.
type counts struct {
	n, correct, invalid, missing, unjudged int
	ids                                    uint64 // sum of the ids' hashes: equal for equal sets of items
}

// hundredths returns a/b in hundredths of a per cent, rounded half up from the exact
// fraction: 2415 for 24.15 %. b is positive. See docs/spec/vqa.md#r44.
func hundredths(a, b int64) int64 {
	x := 2*a*10000 + b
	q := x / (2 * b)
	if x%(2*b) < 0 {
		q--
	}
	return q
}

// percent writes the accuracy of a group of questions in per cent with two decimals, "-" for a
// group without items.
func percent(correct, n int) string {
	if n == 0 {
		return "-"
	}
	return decimals(hundredths(int64(correct), int64(n)))
}

// decimals writes a number of hundredths with its two decimals: 2415 is "24.15".
func decimals(h int64) string {
	sign := ""
	if h < 0 {
		sign, h = "-", -h
	}
	tail := strconv.FormatInt(h%100, 10)
	if len(tail) < 2 {
		tail = "0" + tail
	}
	return sign + strconv.FormatInt(h/100, 10) + "." + tail
}

// points returns the difference of two accuracies in hundredths of a point, from exact fractions.
// Both groups must have items.
func points(a, b counts) int64 {
	x, y := int64(a.n), int64(b.n)
	return hundredths(int64(a.correct)*y-int64(b.correct)*x, x*y)
}
