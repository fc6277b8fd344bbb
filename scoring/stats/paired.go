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
	exactUpTo   = 20 // clusters
	tieDistance = 1e-12
)

// Compare compares pairs of mean scores. a and b have the same tasks in the same order;
// right tells that each score is one answer, 0 or 1. seed makes the random numbers.
func Compare(a, b []Value, right bool, seed uint64) Paired {
	p := Paired{Tasks: len(a), McNemar: math.NaN()}
	d := make([]Value, len(a))
	onlyA, onlyB := 0, 0
	for i := range a {
		d[i] = Value{a[i].Cluster, a[i].Mean - b[i].Mean}
		p.A += a[i].Mean / float64(len(a))
		p.B += b[i].Mean / float64(len(b))
		switch {
		case a[i].Mean > b[i].Mean:
			onlyA++
		case a[i].Mean < b[i].Mean:
			onlyB++
		}
	}
	p.Difference, p.SE = Clustered(d)
	all := clusters(d)
	p.Clusters = len(all)
	r := rand.New(rand.NewPCG(seed, 1))
	p.Low, p.High = interval(all, r)
	p.P = signFlip(all, r)
	if right {
		p.McNemar = McNemar(onlyA, onlyB)
	}
	return p
}

// interval returns the 95 % percentile interval of the mean over resampled clusters.
func interval(all [][]float64, r *rand.Rand) (low, high float64) {
	if len(all) == 0 {
		return math.NaN(), math.NaN()
	}
	sums := make([]float64, len(all))
	for i, c := range all {
		for _, x := range c {
			sums[i] += x
		}
	}
	means := make([]float64, resamples)
	for k := range means {
		sum, n := 0.0, 0
		for range all {
			i := r.IntN(len(all))
			sum += sums[i]
			n += len(all[i])
		}
		means[k] = sum / float64(n)
	}
	slices.Sort(means)
	return quantile(means, 0.025), quantile(means, 0.975)
}

// quantile interpolates between sorted values, for the ends of a bootstrap interval.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// signFlip returns the two-sided p of the hypothesis that the signs of the clusters' mean
// differences are random.
func signFlip(all [][]float64, r *rand.Rand) float64 {
	means := make([]float64, len(all))
	seen := 0.0
	for i, c := range all {
		means[i] = Mean(c)
		seen += means[i]
	}
	seen = math.Abs(seen) - tieDistance*float64(len(all))
	hits := 0
	if len(all) <= exactUpTo {
		for signs := range 1 << len(all) {
			if math.Abs(flipped(means, uint64(signs))) >= seen {
				hits++
			}
		}
		return float64(hits) / float64(int(1)<<len(all))
	}
	for range flips {
		sum := 0.0
		for i := 0; i < len(means); i += 64 {
			sum += flipped(means[i:min(i+64, len(means))], r.Uint64())
		}
		if math.Abs(sum) >= seen {
			hits++
		}
	}
	return float64(1+hits) / float64(1+flips)
}

// flipped returns the sum of up to 64 differences of clusters, each with the sign that a bit gives
// it.
func flipped(list []float64, signs uint64) (sum float64) {
	for i, x := range list {
		if signs>>i&1 == 1 {
			x = -x
		}
		sum += x
	}
	return sum
}
