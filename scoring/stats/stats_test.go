package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"plumb/testdata"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s: got %v; want %v", what, got, want)
	}
}

// The cases of the reference data, made by another implementation.
func TestVectors(t *testing.T) {
	var v struct {
		PassAtK []struct {
			N, C, K int
			Value   float64
		} `json:"pass_at_k"`
		Clustered struct {
			Tasks  map[string][]float64
			Mean   float64
			SE     float64
			Within float64 `json:"within_variance"`
		}
		Unequal struct {
			Items    [][2]any
			Mean, SE float64
		} `json:"clustered_unequal"`
		Paired struct {
			A, B           []float64
			Difference, SD float64
			SE             float64
			P              float64 `json:"sign_flip_exact_p"`
		}
		McNemar []struct {
			B, C int
			P    float64
		} `json:"mcnemar_exact"`
		Holm   struct{ P, Adjusted []float64 }
		Wilson []struct {
			C, N     int
			Interval [2]float64
		} `json:"wilson_95"`
		Power struct {
			Z     [2]float64
			Cases []struct {
				Omega2     float64
				A          float64 `json:"within_a"`
				B          float64 `json:"within_b"`
				Repeats    int
				Difference float64
				Tasks      int
			}
			Smallest []struct {
				Tasks      int
				SD         float64 `json:"sd_of_differences"`
				Difference float64
			} `json:"smallest_difference"`
		}
	}
	testdata.JSON(t, "runs/vectors.json", &v)
	for _, c := range v.PassAtK {
		near(t, fmt.Sprint(c), PassAtK(c.N, c.C, c.K), c.Value)
	}
	var list []Value
	within := 0.0
	for task, scores := range v.Clustered.Tasks {
		list = append(list, Value{task, Mean(scores)})
		within += Variance(scores) / float64(len(v.Clustered.Tasks))
	}
	mean, se := Clustered(list)
	near(t, "mean", mean, v.Clustered.Mean)
	near(t, "standard error", se, v.Clustered.SE)
	near(t, "variance within", within, v.Clustered.Within)
	list = nil
	for _, i := range v.Unequal.Items {
		list = append(list, Value{i[0].(string), i[1].(float64)})
	}
	mean, se = Clustered(list)
	near(t, "mean of unequal clusters", mean, v.Unequal.Mean)
	near(t, "standard error of unequal clusters", se, v.Unequal.SE)
	var a, b []Value
	for i := range v.Paired.A {
		a, b = append(a, Value{fmt.Sprint(i), v.Paired.A[i]}), append(b, Value{fmt.Sprint(i), v.Paired.B[i]})
	}
	p := Compare(a, b, false, 1)
	near(t, "difference", p.Difference, v.Paired.Difference)
	near(t, "its error", p.SE, v.Paired.SE)
	near(t, "sign flip", p.P, v.Paired.P)
	if !(p.Low < p.Difference && p.Difference < p.High) || !math.IsNaN(p.McNemar) {
		t.Errorf("got %+v", p)
	}
	for _, c := range v.McNemar {
		near(t, fmt.Sprint(c), McNemar(c.B, c.C), c.P)
	}
	for i, x := range Holm(v.Holm.P) {
		near(t, "Holm", x, v.Holm.Adjusted[i])
	}
	for _, c := range v.Wilson {
		low, high := Wilson(c.C, c.N)
		near(t, fmt.Sprint(c), low, c.Interval[0])
		near(t, fmt.Sprint(c), high, c.Interval[1])
	}
	near(t, "z", Z(0.975), v.Power.Z[0])
	near(t, "z", Z(0.8), v.Power.Z[1])
	for _, c := range v.Power.Cases {
		if got := TasksFor(c.Difference, c.Omega2, c.A, c.B, c.Repeats); got != c.Tasks {
			t.Errorf("%+v: got %d tasks", c, got)
		}
	}
	for _, c := range v.Power.Smallest {
		near(t, fmt.Sprint(c), SmallestDifference(c.Tasks, c.SD), c.Difference)
	}
	if b, err := json.Marshal(v.Holm); err != nil || len(b) < 10 {
		t.Errorf("the reference data is empty: %s", b)
	}
}

// The interval holds the true difference in about 95 of 100 samples, and the test of equal
// models rejects in about 5.
func TestCoverage(t *testing.T) {
	const samples, tasks, shift = 400, 60, 0.1
	holds, rejects := 0, 0
	for s := range uint64(samples) {
		r := rand.New(rand.NewPCG(s, 5))
		var a, b, c []Value
		for i := range tasks {
			scene := fmt.Sprint(i / 2) // two tasks share a scene
			base, together := r.Float64(), r.NormFloat64()*0.1
			a = append(a, Value{scene, base + shift + together + r.NormFloat64()*0.1})
			b = append(b, Value{scene, base + r.NormFloat64()*0.1})
			c = append(c, Value{scene, base + r.NormFloat64()*0.1})
		}
		if p := compareFew(a, b, s); p.Low <= shift && shift <= p.High {
			holds++
		}
		if p := compareFew(b, c, s); p.Low > 0 || p.High < 0 {
			rejects++
		}
	}
	if holds < samples*90/100 || holds > samples*98/100 || rejects > samples*10/100 {
		t.Errorf("the interval held the shift in %d of %d samples and excluded none in %d; want about 95 %% and 5 %%", holds, samples, rejects)
	}
}

// compareFew compares without the sign flips, which take most of the time.
func compareFew(a, b []Value, seed uint64) (p Paired) {
	d := make([]Value, len(a))
	for i := range a {
		d[i] = Value{a[i].Cluster, a[i].Mean - b[i].Mean}
	}
	p.Low, p.High = interval(valuesByCluster(d), rand.New(rand.NewPCG(seed, 1)))
	return p
}

// Equal models differ by nothing, with p = 1.
func TestEqual(t *testing.T) {
	for _, n := range []int{5, 40} {
		var a []Value
		for i := range n {
			a = append(a, Value{fmt.Sprint(i), float64(i % 2)})
		}
		if p := Compare(a, a, true, 3); p.Difference != 0 || p.P != 1 || p.McNemar != 1 || p.Low != 0 || p.High != 0 {
			t.Errorf("%d tasks: got %+v; want no difference", n, p)
		}
	}
}

// One cluster has no standard error, whatever the rounding of its sum.
func TestOneCluster(t *testing.T) {
	for _, list := range [][]Value{nil, {{"a", 0.1}}, {{"a", 0.1}, {"a", 0.2}, {"a", 0.7}}} {
		if _, se := Clustered(list); !math.IsNaN(se) {
			t.Errorf("%v: got the standard error %g; want NaN", list, se)
		}
	}
}

// TestByHand has values that follow from the formulas with a pencil, so that they are checked
// without reference data too (docs/spec/runs.md#r45 to docs/spec/runs.md#r48).
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		n, right, k int
		want        float64
	}{
		{1, 0, 1, 0}, {1, 1, 1, 1}, {5, 2, 1, 0.4}, {5, 2, 3, 0.9}, {5, 0, 5, 0}, {5, 1, 5, 1}, {4, 2, 2, 5. / 6}, {4, 3, 2, 1}, {10, 3, 5, 11. / 12},
	} {
		near(t, fmt.Sprint("pass@k ", c), PassAtK(c.n, c.right, c.k), c.want)
	}
	for _, c := range []struct {
		list     []Value
		mean, se float64
	}{
		// Deviations 1, -0.5 and -0.5 of three clusters: sqrt(3/2 * 1.5) / 6.
		{[]Value{{"a", 1}, {"b", 0}, {"c", 1}, {"c", 0}, {"a", 1}, {"c", 0}}, 0.5, 0.25},
		{[]Value{{"a", 1}, {"b", 0}}, 0.5, 0.5}, // sqrt(2 * 0.5) / 2
	} {
		mean, se := Clustered(c.list)
		near(t, "mean", mean, c.mean)
		near(t, "standard error", se, c.se)
	}
	for _, c := range [][2]int{{0, 25}, {25, 25}, {13, 25}, {1, 10}, {769, 1400}} {
		low, high := Wilson(c[0], c[1])
		share, n := float64(c[0])/float64(c[1]), float64(c[1])
		for end, x := range []float64{low, high} { // as far from the share as its own deviation allows
			near(t, fmt.Sprint("Wilson ", c, end), (share-x)*(share-x), Normal95*Normal95*x*(1-x)/n)
		}
		if low > share+1e-12 || high < share-1e-12 || high-low < 1e-3 {
			t.Errorf("Wilson of %v: got %v to %v", c, low, high)
		}
	}
	for _, c := range []struct {
		b, c int
		want float64
	}{
		{0, 0, 1}, {7, 7, 1}, {0, 3, 2. / 8}, {5, 1, 2 * 7. / 64}, {2, 10, 2 * 79. / 4096}, // sums of binomial coefficients
	} {
		near(t, fmt.Sprint("McNemar ", c), McNemar(c.b, c.c), c.want)
	}
	for i, x := range Holm([]float64{0.001, 0.02, 0.04, 0.03, 0.5, 0.02}) {
		near(t, "Holm", x, []float64{0.006, 0.1, 0.1, 0.1, 0.5, 0.1}[i])
	}
	for i, x := range Holm([]float64{0.9, 0.6, 0.01}) {
		near(t, "Holm", x, []float64{1, 1, 0.03}[i])
	}
	for p, want := range map[float64]float64{0.975: Normal95, 0.025: -Normal95, 0.5: 0, 0.8: 0.8416212335729143} {
		near(t, "z", Z(p), want)
	}
	const both = 1.959963984540054 + 0.8416212335729143 // of the two kinds of error
	near(t, "smallest difference", SmallestDifference(100, 0.5), both*0.05)
	for _, c := range []struct {
		difference, omega2, a, b float64
		repeats, want            int
	}{
		{0.1, 0.04, 0, 0, 1, 32},           // 7.849 * 4 = 31.4
		{0.1, 0.04, 0.1, 0.2, 3, 110},      // 7.849 * 14 = 109.9
		{0.1, 0.04, 0.25, 0, 1, 228},       // 7.849 * 29 = 227.6
		{both, 5, 0, 0, 1, 5},              // 5 but for rounding
		{1, 5 / (both * both), 0, 0, 1, 5}, // the same, rounded otherwise
	} {
		if got := TasksFor(c.difference, c.omega2, c.a, c.b, c.repeats); got != c.want {
			t.Errorf("%+v: got %d tasks", c, got)
		}
	}
}

// huge is where doubles have no fractions, and beyond twice of it no odd numbers.
const huge = 1 << 52

// TestSummarise has the numbers of short lists; what so few numbers do not define is NaN.
func TestSummarise(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		list []float64
		want Summary
	}{
		{nil, Summary{0, nan, nan, nan, nan, nan, nan}},
		{[]float64{3}, Summary{1, 3, 0, nan, 3, 3, 3}},
		{[]float64{huge + 1, huge + 3}, Summary{2, huge + 2, 1, math.Sqrt2, huge + 2, huge + 1, huge + 3}}, // x² - mean² would be rounded to nothing
		{[]float64{4, 1}, Summary{2, 2.5, 1.5, math.Sqrt(4.5), 2.5, 1, 4}},
		{[]float64{9, 1, 2}, Summary{3, 4, math.Sqrt(38. / 3), math.Sqrt(19), 2, 1, 9}},
		{[]float64{5, 9, 1, 2}, Summary{4, 4.25, math.Sqrt(38.75 / 4), math.Sqrt(38.75 / 3), 3.5, 1, 9}},
	} {
		got := Summarise(c.list)
		a := []float64{float64(got.N), got.Mean, got.SD, got.SampleSD, got.Median, got.Min, got.Max}
		b := []float64{float64(c.want.N), c.want.Mean, c.want.SD, c.want.SampleSD, c.want.Median, c.want.Min, c.want.Max}
		for i := range a {
			if math.IsNaN(a[i]) != math.IsNaN(b[i]) || math.Abs(a[i]-b[i]) > 1e-12 {
				t.Errorf("%v: got %+v; want %+v", c.list, got, c.want)
				break
			}
		}
	}
}

// TestPearson has correlations by hand, and lists for which there is none.
func TestPearson(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
		ok   bool
	}{
		{[]float64{1, 2}, []float64{5, 7}, 1, true}, {[]float64{1, 2, 3}, []float64{3, 2, 1}, -1, true},
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 2, 6}, 7 / math.Sqrt(5*14), true},
		// Sums of products lose such small differences of large numbers.
		{[]float64{huge + 1, huge + 3}, []float64{huge + 3, huge + 1}, -1, true},
		{[]float64{1}, []float64{1}, 0, false}, {nil, nil, 0, false}, {[]float64{1, 2}, []float64{1, 2, 3}, 0, false},
		{[]float64{1, 1}, []float64{1, 2}, 0, false}, {[]float64{1, 2}, []float64{2, 2}, 0, false},
	} {
		if r, ok := Pearson(c.x, c.y); ok != c.ok || !(math.Abs(r-c.want) <= 1e-12) {
			t.Errorf("%v, %v: got %v, %v; want %v, %v", c.x, c.y, r, ok, c.want, c.ok)
		}
	}
}

// TestQuantile checks that quantiles lie between neighbours in proportion.
func TestQuantile(t *testing.T) {
	list := []float64{0, 10, 20, 40}
	for q, want := range map[float64]float64{0: 0, 1. / 3: 10, 0.5: 15, 2. / 3: 20, 5. / 6: 30, 1: 40} {
		near(t, fmt.Sprint("quantile ", q), quantile(list, q), want)
	}
	near(t, "quantile of one", quantile(list[2:3], 0.3), 20)
}

// counting is a source of random numbers that counts them.
type counting struct {
	rand.Source
	n int
}

func (c *counting) Uint64() uint64 { c.n++; return c.Source.Uint64() }

// TestSignFlip has the shares of signs that give at least the sum of the differences: all signs up to
// 20 clusters, and 100,000 random ones beyond. Sums within 1e-12 for each cluster are equal
// (docs/spec/runs.md#r46).
func TestSignFlip(t *testing.T) {
	ones := func(n int) (all [][]float64) {
		for range n {
			all = append(all, []float64{1})
		}
		return all
	}
	for _, c := range []struct {
		name     string
		all      [][]float64
		low, top float64 // of p
	}{
		{"none", nil, 1, 1},
		{"one", ones(1), 1, 1},
		{"three alike", ones(3), 2. / 8, 2. / 8},
		{"means of clusters", [][]float64{{3, 1}, {1}, {0, -2}}, 6. / 8, 6. / 8}, // 2 + 1 - 1, which only 2 - 1 - 1 is below
		{"the sum of the largest", [][]float64{{4}, {2}, {1}}, 2. / 8, 2. / 8},   // 7
		{"one against it", [][]float64{{4}, {2}, {-1}}, 4. / 8, 4. / 8},          // 5: 7 and 5 of both signs
		{"equal but for rounding", [][]float64{{0.1}, {0.2}, {-0.3}}, 1, 1},      // 0
		{"within the tolerance", [][]float64{{1}, {0.9e-12}}, 1, 1},              // 1e-12 for each of two
		{"beyond the tolerance", [][]float64{{1}, {1.2e-12}}, 0.5, 0.5},
		{"20 alike", ones(20), 2. / (1 << 20), 2. / (1 << 20)},                              // exactly
		{"21, of random signs", append(ones(20), []float64{0}), 1. / 100_001, 5. / 100_001}, // hits are rare, and one more is counted
		{"70, of random signs", append(ones(69), []float64{0}), 1. / 100_001, 1. / 100_001},
		// Of 21 alike but two against: |sum| >= 17 of 21, that is at most 2 of one sign: 2 * (1 + 21 + 210) / 2^21.
		{"21, two against", append(ones(19), []float64{-1}, []float64{-1}), 1.2e-4, 3.4e-4},
		{"22, in balance", append(ones(11), [][]float64{{-1}, {-1}, {-1}, {-1}, {-1}, {-1}, {-1}, {-1}, {-1}, {-1}, {-1}}...), 1, 1},
		// 65 alike and 8 apart: |sum| >= 57 - the chance of it is nil - so only the added hit is there.
		{"73, some against", append(ones(65), [][]float64{{-1}, {-1}, {-1}, {-1}, {-1}, {-1}, {-1}, {-1}}...), 1. / 100_001, 1. / 100_001},
	} {
		p := signFlip(c.all, rand.New(rand.NewPCG(1, 2)))
		if p < c.low-1e-15 || p > c.top+1e-15 {
			t.Errorf("%s: got p = %v; want %v to %v", c.name, p, c.low, c.top)
		}
	}
	for clusters, want := range map[int]int{20: 0, 21: 100_000, 64: 100_000, 65: 200_000} {
		c := counting{Source: rand.NewPCG(1, 2)}
		signFlip(ones(clusters), rand.New(&c))
		if c.n != want {
			t.Errorf("%d clusters took %d random numbers; want %d", clusters, c.n, want)
		}
	}
	near(t, "a sum with signs", flippedSum([]float64{1, 2, 4}, 0b101), -1+2-4)
}

// TestInterval checks that whole clusters are drawn, as many as there are, and that the mean is that
// over all tasks of them.
func TestInterval(t *testing.T) {
	random := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	if low, high := interval(nil, random()); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("of nothing: got %v to %v; want NaN", low, high)
	}
	// Of two clusters with sums 0 of 3 and 2 of 1 each quarter of samples has one alone.
	if low, high := interval([][]float64{{1, 0, -1}, {2}}, random()); low != 0 || high != 2 {
		t.Errorf("of two clusters: got %v to %v; want 0 to 2", low, high)
	}
	// Of four with one of 9 tasks, half are in 2.5 of 100 or more: 4 * 1 / (4 + 0) at the top, and
	// (1 + 3 * 0) / (1 + 3 * 9) far below.
	low, high := interval([][]float64{{1}, {1}, {1}, make([]float64, 9)}, random())
	if math.Abs(low-1./28) > 1e-12 || high != 1 {
		t.Errorf("of four clusters: got %v to %v; want 1/28 to 1", low, high)
	}
}

// TestCompareCounts checks means, clusters and McNemar's test of a comparison by hand.
func TestCompareCounts(t *testing.T) {
	value := func(clusters string, scores ...float64) (list []Value) {
		for i, s := range scores {
			list = append(list, Value{clusters[i : i+1], s})
		}
		return list
	}
	// Six right on one side alone, one on the other, two equal.
	a, b := value("abcdefghh", 1, 1, 1, 1, 1, 1, 0, 1, 0), value("abcdefghh", 0, 0, 0, 0, 0, 0, 1, 1, 0)
	p := Compare(a, b, true, 1)
	near(t, "mean of A", p.A, 7./9)
	near(t, "mean of B", p.B, 2./9)
	near(t, "difference", p.Difference, 5./9)
	near(t, "McNemar's p", p.McNemar, 2*8./128)
	// Differences 1 six times, -1, 0: sums of 5 and more of 7 signs, 2 * (1 + 7) / 128.
	near(t, "p", p.P, 2*8./128)
	if p.Tasks != 9 || p.Clusters != 8 {
		t.Errorf("got %d tasks in %d clusters; want 9 in 8", p.Tasks, p.Clusters)
	}
	if p := Compare(a, b, false, 1); !math.IsNaN(p.McNemar) {
		t.Errorf("got McNemar's p %v without scores of 0 or 1; want NaN", p.McNemar)
	}
}
