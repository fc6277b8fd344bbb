package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Paired is how two models differ on the same tasks.
type Paired struct {
	Tasks, Clusters int
	A, B            float64 // means
	Difference      float64 // A - B
	SE              float64
	Low, High       float64 // 95 % interval of the difference
	P               float64 // of the sign-flip test
	McNemar         float64 // NaN unless all scores are 0 or 1
}

// The resampling and flipping. See docs/spec/runs.md#r46.
const (
	resamples   = 10_000
	flips       = 100_000
	exactUpTo   = 20    // clusters: 2^20 ways to choose the signs
	tieDistance = 1e-12 // sums that differ by less, for each cluster, count as equal
)

// Compare compares the mean scores of two models on the same tasks: a and b must have the same tasks in
// the same order. The interval and the test resample clusters of tasks, with random numbers from seed.
// singleAnswers says that each score is that of one answer and 0 or 1; McNemar's test is computed only
// then, because it counts answers.
func Compare(a, b []Value, singleAnswers bool, seed uint64) Paired {
	paired := Paired{Tasks: len(a), McNemar: math.NaN()}
	differences := make([]Value, len(a))
	onlyA, onlyB := 0, 0 // tasks that one model does better; with single answers, that it alone has right
	for i := range a {
		differences[i] = Value{a[i].Cluster, a[i].Mean - b[i].Mean}
		paired.A += a[i].Mean / float64(len(a))
		paired.B += b[i].Mean / float64(len(b))
		switch {
		case a[i].Mean > b[i].Mean:
			onlyA++
		case a[i].Mean < b[i].Mean:
			onlyB++
		}
	}
	paired.Difference, paired.SE = Clustered(differences)
	all := valuesByCluster(differences)
	paired.Clusters = len(all)
	random := rand.New(rand.NewPCG(seed, 1))
	paired.Low, paired.High = interval(all, random)
	paired.P = signFlip(all, random)
	if singleAnswers {
		paired.McNemar = McNemar(onlyA, onlyB)
	}
	return paired
}

// interval returns the 95 % percentile interval of a mean of scores: a bootstrap that resamples
// whole clusters of tasks.
func interval(all [][]float64, random *rand.Rand) (low, high float64) {
	if len(all) == 0 {
		return math.NaN(), math.NaN()
	}
	// Of each cluster only the sum of its scores is needed, and how many they are.
	sums := make([]float64, len(all))
	for i, cluster := range all {
		for _, value := range cluster {
			sums[i] += value
		}
	}
	means := make([]float64, resamples)
	for sample := range means {
		sum, n := 0.0, 0
		for range all {
			i := random.IntN(len(all))
			sum += sums[i]
			n += len(all[i])
		}
		means[sample] = sum / float64(n)
	}
	slices.Sort(means)
	return quantile(means, 0.025), quantile(means, 0.975)
}

// quantile returns the quantile q of sorted resampled means, interpolated between neighbours.
func quantile(sorted []float64, q float64) float64 {
	position := q * float64(len(sorted)-1)
	i := int(position)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (position-float64(i))*(sorted[i+1]-sorted[i])
}

// signFlip returns the two-sided p of a paired test: how likely the clusters' mean differences
// between two models are if their signs are random. Up to exactUpTo clusters all signs are tried,
// beyond that `flips` random ones.
func signFlip(all [][]float64, random *rand.Rand) float64 {
	means := make([]float64, len(all))
	observed := 0.0
	for i, c := range all {
		means[i] = Mean(c)
		observed += means[i]
	}
	// A sum that is equal but for rounding counts as one that is as large.
	threshold := math.Abs(observed) - tieDistance*float64(len(all))
	hits := 0 // signs with which the sum is as large as the observed one
	if len(all) <= exactUpTo {
		for signs := range 1 << len(all) {
			if math.Abs(flippedSum(means, uint64(signs))) >= threshold {
				hits++
			}
		}
		return float64(hits) / float64(int(1)<<len(all))
	}
	for range flips {
		sum := 0.0
		for i := 0; i < len(means); i += 64 { // each random number has 64 signs
			sum += flippedSum(means[i:min(i+64, len(means))], random.Uint64())
		}
		if math.Abs(sum) >= threshold {
			hits++
		}
	}
	return float64(1+hits) / float64(1+flips) // the observed signs are one of the draws, so p is never 0
}

// flippedSum returns the sum of up to 64 mean differences, each negated if its bit in signs is set.
func flippedSum(list []float64, signs uint64) (sum float64) {
	for i, x := range list {
		if signs>>i&1 == 1 {
			x = -x
		}
		sum += x
	}
	return sum
}
