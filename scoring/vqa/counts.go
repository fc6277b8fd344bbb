package vqa

import (
	"strconv"
)

// counts are sums over a group of answers: answers counts those of the accuracy, the others are parts
// of it. missing is a part of answers only where a missing answer counts as wrong.
type counts struct {
	answers, correct, invalid, missing, unjudged int
	idHashes                                     uint64 // sum of the hashes of the items' ids, to compare sets of items
}

// hundredths returns the accuracy part/whole as a percentage in hundredths, rounded half up from the
// exact fraction: 2415 for 24.15 %. whole must be positive. See docs/spec/vqa.md#r44.
func hundredths(part, whole int64) int64 {
	x := 2*part*10000 + whole // floor(10000 part/whole + 1/2) = floor(x/(2 whole))
	quotient := x / (2 * whole)
	if x%(2*whole) < 0 { // Go rounds towards zero, not down
		quotient--
	}
	return quotient
}

// percent writes the accuracy of a group of questions in per cent with two decimals, "-" for a
// group without items.
func percent(correct, n int) string {
	if n == 0 {
		return "-"
	}
	return decimals(hundredths(int64(correct), int64(n)))
}

// decimals writes an accuracy in hundredths of a per cent with its two decimals: 2415 is "24.15".
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

// pointsBetween returns accuracy a minus accuracy b in hundredths of a point, from exact
// fractions. Both groups must have items.
func pointsBetween(a, b counts) int64 {
	nA, nB := int64(a.answers), int64(b.answers)
	return hundredths(int64(a.correct)*nB-int64(b.correct)*nA, nA*nB)
}
