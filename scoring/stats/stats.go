// Package stats says how sure a difference between two models is: standard errors by
// cluster, intervals, paired tests, power. In: scores of tasks, of which some share a
// scene. Out: means with standard errors, intervals, tests, and how many tasks a difference
// needs. Repeats of a task are averaged first and never count as tasks. It reads no files,
// and refuses nothing: what is not defined is NaN. See docs/spec/runs.md#r44.
package stats

import (
	"math"
	"slices"
)

// Normal95 is how many standard errors lie between a mean and the ends of its 95 % interval:
// Z(0.975).
const Normal95 = 1.959963984540054

// Z returns the quantile of the standard normal distribution.
func Z(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// Value is the mean score of a task over its repeats. Tasks with the same Cluster share something, such as a
// scene, so their scores depend on each other.
type Value struct {
	Cluster string
	Mean    float64
}

// valuesByCluster returns the tasks' values grouped by cluster, in the order in which clusters
// appear.
func valuesByCluster(list []Value) [][]float64 {
	indexOf := map[string]int{}
	var out [][]float64
	for _, value := range list {
		i, ok := indexOf[value.Cluster]
		if !ok {
			i = len(out)
			indexOf[value.Cluster] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], value.Mean)
	}
	return out
}

// Clustered returns the mean score over tasks, and its standard error with tasks of a cluster taken as
// dependent: deviations from the mean are added up within each cluster before they are squared. The
// error is NaN for fewer than two clusters. See docs/spec/runs.md#r45.
func Clustered(list []Value) (mean, se float64) {
	for _, v := range list {
		mean += v.Mean
	}
	mean /= float64(len(list))
	clusters := valuesByCluster(list)
	squares := 0.0
	for _, c := range clusters {
		deviation := 0.0
		for _, value := range c {
			deviation += value - mean
		}
		squares += float64(deviation * deviation) // the conversion forbids a fused multiply-add, so that all machines agree
	}
	if len(clusters) < 2 {
		return mean, math.NaN()
	}
	clusterCount := float64(len(clusters))
	return mean, math.Sqrt(clusterCount/(clusterCount-1)*squares) / float64(len(list))
}

// Wilson returns Wilson's 95 % confidence interval of the share right/n, within 0..1. n must
// be positive. See docs/spec/runs.md#r45.
func Wilson(right, n int) (low, high float64) {
	const z = Normal95
	share, total := float64(right)/float64(n), float64(n)
	centre := share + z*z/(2*total)
	half := z * math.Sqrt(share*(1-share)/total+z*z/(4*total*total))
	denominator := 1 + z*z/total
	return max(0, (centre-half)/denominator), min(1, (centre+half)/denominator)
}

// PassAtK returns pass@k: the chance that at least one of k answers is right, drawn from n answers
// of which `right` are. See docs/spec/runs.md#r47.
func PassAtK(n, right, k int) float64 {
	if n-right < k {
		return 1
	}
	allWrong := 1.0
	for i := n - right + 1; i <= n; i++ { // 1 - C(n-right, k)/C(n, k) as a product, without overflow
		allWrong *= 1 - float64(k)/float64(i)
	}
	return 1 - allWrong
}

// McNemar returns the exact two-sided p of McNemar's test for two models on the same tasks: onlyA tasks
// are right for one model alone and onlyB for the other alone. It is twice the chance that a fair coin
// shows its rarer side so few times or fewer.
func McNemar(onlyA, onlyB int) float64 {
	n := onlyA + onlyB
	p := 0.0
	for i := range min(onlyA, onlyB) + 1 {
		p += math.Exp(logChoose(n, i) - float64(n)*math.Ln2) // logarithms, because the factors overflow
	}
	return min(1, 2*p)
}

// logChoose returns the natural logarithm of the binomial coefficient n over k, which McNemar sums.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n) + 1)
	b, _ := math.Lgamma(float64(k) + 1)
	c, _ := math.Lgamma(float64(n-k) + 1)
	return a - b - c
}

// Holm returns the p values of several tests, adjusted for their number by Holm's method, in the order
// of p: the smallest is multiplied by the number of tests, the next by one less, and so on. None is
// above 1 or below the one before it in size.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(p))
	largest := 0.0 // so far, which no later one may be below
	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = largest
	}
	return adjusted
}

// The significance level and the power that plans of comparisons usually have.
const (
	Alpha = 0.05 // the chance to find a difference where there is none
	Power = 0.8  // the chance to find a difference that is there
)

// detectableErrors returns how many standard errors large a difference must be to be found at the
// significance level Alpha with the chance Power.
func detectableErrors() float64 { return Z(1-Alpha/2) + Z(Power) }

// TasksFor returns how many tasks are needed to show a difference between the mean scores of two models.
// trueVariance is the variance over tasks of their true differences, repeatVarianceA and repeatVarianceB
// are the variances of repeats within a task, and repeats says how often each task is answered. See
// docs/spec/runs.md#r48.
func TasksFor(difference, trueVariance, repeatVarianceA, repeatVarianceB float64, repeats int) int {
	z := detectableErrors()
	variance := trueVariance + (repeatVarianceA+repeatVarianceB)/float64(repeats)
	return int(math.Ceil(z*z*variance/(difference*difference) - 1e-9)) // less 1e-9, so that rounding adds no task
}

// SmallestDifference returns the smallest difference that so many tasks show, for differences with
// this standard deviation.
func SmallestDifference(tasks int, sd float64) float64 {
	return detectableErrors() * sd / math.Sqrt(float64(tasks))
}
