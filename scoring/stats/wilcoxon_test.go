package stats

import (
	"math"
	"testing"
)

// TestWilcoxon compares with values by hand; the first are Darwin's maize: W = 96, z = 35.5 / sqrt(310).
func TestWilcoxon(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}, 0.0437723},
		{[]float64{1, 1, 1, -1, 2, 2, -2, 3}, math.NaN()},
		{[]float64{1, 2, 3}, math.NaN()},
		{[]float64{1, 2, 3, 4, 5}, math.NaN()},
		{[]float64{1, 2, 3, 4, 5, 6, 0}, math.Erfc(10 / math.Sqrt(22.75) / math.Sqrt2)}, // W = 21, mean 10.5, variance 6*7*13/24
		{[]float64{0, 0, 0, 0, 0, 0, 0, 0}, math.NaN()},
		{[]float64{1, -1, 2, -2, 3, -3, 4, -4}, 1},
	} {
		got := Wilcoxon(c.x)
		if len(c.x) == 8 && c.x[3] == -1 {
			// By hand: sizes 1 x4 (rank 2.5), 2 x3 (rank 6), 3 (rank 8); above: 3*2.5 + 2*6 + 8 = 27.5, mean 18;
			// variance 8*9*17/24 - ((64-4)+(27-3))/48 = 51 - 1.75.
			c.want = math.Erfc((27.5 - 18 - 0.5) / math.Sqrt(49.25) / math.Sqrt2)
		}
		if math.IsNaN(got) != math.IsNaN(c.want) || math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v: got %v, want %v", c.x, got, c.want)
		}
	}
}
