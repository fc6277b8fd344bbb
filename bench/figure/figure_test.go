package figure

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{5, 1, 3}, 3}, {[]float64{4, 1, 2, 3}, 2.5}} {
		if got := Median(c.v); got != c.want {
			t.Errorf("%v: got %g; want %g", c.v, got, c.want)
		}
	}
}

func TestLeast(t *testing.T) {
	var rows [][]float64
	var y []float64
	for a := 1.0; a < 5; a++ {
		for b := 1.0; b < 5; b++ {
			rows = append(rows, []float64{1, a, b * b * 1000})
			y = append(y, 7+3*a+0.002*b*b*1000)
		}
	}
	f, err := LeastSquares(rows, y)
	if err != nil || math.Abs(f.R2-1) > 1e-9 || math.Abs(f.Terms[0]-7) > 1e-6 || math.Abs(f.Terms[1]-3) > 1e-6 || math.Abs(f.Terms[2]-0.002) > 1e-9 {
		t.Errorf("got %+v, %v; want 7, 3, 0.002", f, err)
	}
	for i := range y {
		y[i] = 1 + float64(i*7%5) // no rule
	}
	if f, err := LeastSquares(rows, y); err != nil || f.R2 > 0.5 {
		t.Errorf("values without a rule: got %+v, %v", f, err)
	}
	for _, rows := range [][][]float64{nil, {{1, 2}}, {{1, 2}, {2, 4}, {3, 6}}, {{1, 0}, {1, 0}}} {
		if _, err := LeastSquares(rows, make1(len(rows))); err == nil {
			t.Errorf("%v was fitted", rows)
		}
	}
	if _, err := LeastSquares([][]float64{{1}, {1}}, []float64{1, 0}); err == nil {
		t.Error("a value of 0 was fitted")
	}
}

func make1(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// TestBootstrapCovers draws samples with a known ratio of medians, and counts how
// often the interval holds it.
func TestBootstrapCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	held, all := 0, 30
	for range all {
		var a, b []float64
		for range 9 {
			a, b = append(a, 100+10*r.NormFloat64()), append(b, 150+15*r.NormFloat64())
		}
		i, err := Bootstrap(0.95, RatioOf, a, b)
		if err != nil || i.Low > i.Value || i.High < i.Value {
			t.Fatalf("got %+v, %v", i, err)
		}
		if i.Low <= 1.5 && 1.5 <= i.High {
			held++
		}
	}
	if held < all*8/10 {
		t.Errorf("%d of %d intervals of 95 %% hold the ratio", held, all)
	}
	if _, err := Bootstrap(0.95, medianOf, nil); err == nil {
		t.Error("no samples were bounded")
	}
}

func TestBootstrapRepeats(t *testing.T) {
	v := []float64{1, 2, 3, 4, 9}
	a, _ := Bootstrap(0.95, medianOf, v)
	b, _ := Bootstrap(0.95, medianOf, v)
	if a != b || a.Value != 3 || a.Low > 2 || a.High < 4 {
		t.Errorf("got %+v and %+v", a, b)
	}
}

// TestRatio holds the interval against one worked out by hand: the logarithms of
// the ratios are 0.1, 0.2 and 0.3, so their mean is 0.2 with a standard error of
// 0.1/sqrt(3), and t of 95 % with 2 degrees of freedom is 4.302653.
func TestRatio(t *testing.T) {
	got, err := Ratio(0.95, []float64{math.Exp(0.1), math.Exp(0.2), math.Exp(0.3)})
	half := 4.302653 * 0.1 / math.Sqrt(3)
	if err != nil || math.Abs(math.Log(got.Value)-0.2) > 1e-9 || math.Abs(math.Log(got.Low)-0.2+half) > 1e-6 || math.Abs(math.Log(got.High)-0.2-half) > 1e-6 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = Ratio(0.99, []float64{1, 1, 1}); err != nil || got != (Interval{Value: 1, Low: 1, High: 1}) {
		t.Errorf("equal ratios: got %+v, %v", got, err)
	}
	for _, bad := range [][]float64{nil, {1}, {1, 0}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if _, err := Ratio(0.95, bad); err == nil {
			t.Errorf("%v has a mean; want an error", bad)
		}
	}
}

// medianOf is Median for Bootstrap.
func medianOf(groups ...[]float64) float64 { return Median(groups[0]) }
