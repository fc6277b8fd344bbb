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
		near(t, fmt.Sprint(c), Smallest(c.Tasks, c.SD), c.Difference)
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
