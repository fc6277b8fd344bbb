package stats

import (
	"cmp"
	"math"
	"slices"
)

// Wilcoxon returns the two-sided p of the signed-rank test on differences of two models' scores.
// Ranks of equal sizes are averaged, differences of 0 are left out, and the normal approximation is
// corrected for ties and continuity. It is NaN for fewer than six differences, for which the
// approximation does not hold.
func Wilcoxon(differences []float64) float64 {
	type difference struct {
		size     float64
		positive bool
	}
	var list []difference
	for _, d := range differences {
		if d != 0 && !math.IsNaN(d) {
			list = append(list, difference{math.Abs(d), d > 0})
		}
	}
	n := float64(len(list))
	if n < 6 {
		return math.NaN()
	}
	slices.SortFunc(list, func(a, b difference) int { return cmp.Compare(a.size, b.size) })
	// The sum of the ranks of positive differences, and t^3 - t for each group of t equal ones.
	rankSum, ties := 0.0, 0.0
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].size == list[from].size {
			to++
		}
		tied := float64(to - from)
		ties += tied*tied*tied - tied
		for _, d := range list[from:to] {
			if d.positive {
				rankSum += float64(from+to+1) / 2 // mean of the ranks from+1..to
			}
		}
		from = to
	}
	// The sum's mean and variance if signs are random; 0.5 is the correction for continuity.
	variance := n*(n+1)*(2*n+1)/24 - ties/48
	z := max(0, math.Abs(rankSum-n*(n+1)/4)-0.5) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}
