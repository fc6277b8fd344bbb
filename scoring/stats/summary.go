package stats

import (
	"math"
	"slices"
)

// Sum returns the sum of a list of scores, 0 for an empty list.
func Sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}

// Mean returns the mean, NaN of nothing.
func Mean(list []float64) float64 { return Sum(list) / float64(len(list)) }

// squaredDeviations returns the sum of the squared distances of scores from their mean.
func squaredDeviations(list []float64) float64 {
	m, sum := Mean(list), 0.0
	for _, x := range list {
		sum += float64((x - m) * (x - m)) // float64: no fused multiply-add, equal on every machine
	}
	return sum
}

// Variance returns the sample variance, NaN of fewer than two values.
func Variance(list []float64) float64 { return squaredDeviations(list) / float64(len(list)-1) }

// Summary describes a list of numbers, such as the gaps of several models between two formats
// (docs/spec/vqa.md#r53). What is not defined for so few numbers is NaN.
type Summary struct {
	N                          int
	Mean, SD, SampleSD, Median float64 // SD is that of the population
	Min, Max                   float64
}

// Summarise returns mean, standard deviations, median and range of a list of numbers; NaN
// for what is not defined.
func Summarise(list []float64) Summary {
	n := len(list)
	if n == 0 {
		nan := math.NaN()
		return Summary{Mean: nan, SD: nan, SampleSD: nan, Median: nan, Min: nan, Max: nan}
	}
	ordered := slices.Sorted(slices.Values(list))
	summary := Summary{N: n, Mean: Mean(list), SD: math.Sqrt(squaredDeviations(list) / float64(n)), SampleSD: math.NaN(),
		Median: ordered[n/2], Min: ordered[0], Max: ordered[n-1]}
	if n > 1 {
		summary.SampleSD = math.Sqrt(Variance(list))
	}
	if n%2 == 0 {
		summary.Median = (ordered[n/2-1] + ordered[n/2]) / 2
	}
	return summary
}

// Pearson returns the correlation of two lists. ok is false where it is not defined: lists
// of different lengths, fewer than two pairs, or a list whose numbers are all equal.
func Pearson(x, y []float64) (r float64, ok bool) {
	if len(x) < 2 || len(x) != len(y) || slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
		return 0, false
	}
	meanX, meanY := Mean(x), Mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += float64((x[i] - meanX) * (y[i] - meanY))
		xx += float64((x[i] - meanX) * (x[i] - meanX))
		yy += float64((y[i] - meanY) * (y[i] - meanY))
	}
	return xy / math.Sqrt(xx*yy), true
}
