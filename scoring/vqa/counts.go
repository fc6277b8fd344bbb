package vqa

import (
	"math"
	"strconv"
)

// counts are what is known of a group of items.
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

// percent writes an accuracy with two decimals; a dash stands for a group without
// items.
func percent(correct, n int) string {
	if n == 0 {
		return "-"
	}
	return decimals(hundredths(int64(correct), int64(n)))
}

// decimals writes hundredths.
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

// points is the difference of two accuracies in hundredths of a point, from the
// exact fractions. Both groups have items.
func points(a, b counts) int64 {
	x, y := int64(a.n), int64(b.n)
	return hundredths(int64(a.correct)*y-int64(b.correct)*x, x*y)
}

// interval returns Wilson's 95 % confidence interval of an accuracy, in per cent. n is
// positive. See docs/spec/vqa.md#r46.
func interval(correct, n int) (low, high float64) {
	const z = normal95
	p, m := float64(correct)/float64(n), float64(n)
	centre := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	scale := 100 / (1 + z*z/m)
	return math.Max(0, (centre-half)*scale), math.Min(100, (centre+half)*scale)
}

// Summary describes the gaps of several models between two formats, in points
// as docs/spec/vqa.md#r53 says. A number of too few models is NaN.
type Summary struct {
	N                          int
	Mean, SD, SampleSD, Median float64 // SD is that of the population
	Min, Max                   float64
}

// Summarise describes a list of numbers.
func Summarise(list []float64) Summary {
	s := Summary{N: len(list), Mean: math.NaN(), SD: math.NaN(), SampleSD: math.NaN(), Median: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	if len(list) == 0 {
		return s
	}
	n := float64(len(list))
	s.Mean = sum(list) / n
	squares := 0.0
	for _, x := range list {
		squares += float64((x - s.Mean) * (x - s.Mean))
	}
	s.SD = math.Sqrt(squares / n)
	if len(list) > 1 {
		s.SampleSD = math.Sqrt(squares / (n - 1))
	}
	ordered := sorted(list)
	s.Min, s.Max = ordered[0], ordered[len(list)-1]
	half := len(list) / 2
	if s.Median = ordered[half]; len(list)%2 == 0 {
		s.Median = (ordered[half-1] + ordered[half]) / 2
	}
	return s
}

// Pearson is the correlation of two lists of one length; ok is false where it is
// undefined: fewer than two pairs, or a list that is constant.
func Pearson(x, y []float64) (r float64, ok bool) {
	if len(x) < 2 || len(x) != len(y) {
		return 0, false
	}
	n := float64(len(x))
	mx, my := sum(x)/n, sum(y)/n
	var xy, xx, yy float64
	for i := range x {
		xy += float64((x[i] - mx) * (y[i] - my))
		xx += float64((x[i] - mx) * (x[i] - mx))
		yy += float64((y[i] - my) * (y[i] - my))
	}
	if constant(x) || constant(y) {
		return 0, false
	}
	return xy / math.Sqrt(xx*yy), true
}

func constant(list []float64) bool {
	for _, x := range list {
		if x != list[0] {
			return false
		}
	}
	return true
}

func sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}

func fixed(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x+0, 'f', 2, 64)
}
