// Package figure is the arithmetic of measurements: medians, confidence intervals
// and fits. In: plain numbers. Out: plain numbers, never NaN. It has no notion of
// where they come from.
package figure

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Median returns the middle value of v, the mean of the middle two for an even number, or 0 for no
// values. v keeps its order.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	n := len(s) / 2
	if len(s)%2 == 1 {
		return s[n]
	}
	return (s[n-1] + s[n]) / 2
}

// Interval is a value with the bounds within which it lies with the confidence
// that was asked for.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Apart reports whether v lies outside of the interval.
func (i Interval) Apart(v float64) bool { return v < i.Low || v > i.High }

// Resamples is how many samples Bootstrap draws.
const Resamples = 4000

// Bootstrap returns f of the samples with its percentile bootstrap interval: each
// group is drawn from with repetition, as many values as it has. The draws are
// always the same. Groups may not be empty.
func Bootstrap(confidence float64, f func(groups ...[]float64) float64, groups ...[]float64) (Interval, error) {
	for _, g := range groups {
		if len(g) == 0 {
			return Interval{}, errors.New("cannot bound a value without samples: want one or more in each group")
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	drawn := make([][]float64, len(groups))
	for i, g := range groups {
		drawn[i] = make([]float64, len(g))
	}
	values := make([]float64, 0, Resamples)
	for range Resamples {
		for i, g := range groups {
			for k := range drawn[i] {
				drawn[i][k] = g[random.IntN(len(g))]
			}
		}
		values = append(values, f(drawn...))
	}
	slices.Sort(values)
	at := func(q float64) float64 { return values[min(len(values)-1, int(q*float64(len(values))))] }
	tail := (1 - confidence) / 2
	return Interval{Value: f(groups...), Low: at(tail), High: at(1 - tail)}, nil
}

// RatioOf returns the ratio of the second group's median to the first's, for Bootstrap; 0 where
// the first is 0.
func RatioOf(groups ...[]float64) float64 {
	if m := Median(groups[0]); m != 0 {
		return Median(groups[1]) / m
	}
	return 0
}

// Ratio returns the geometric mean of positive ratios with its interval by
// Student's t distribution of their logarithms. Few ratios, or ratios far from
// each other, make it wide. It wants two or more.
func Ratio(confidence float64, ratios []float64) (Interval, error) {
	n := float64(len(ratios))
	if n < 2 {
		return Interval{}, fmt.Errorf("cannot bound the mean of %d ratios: want 2 or more", len(ratios))
	}
	logs := make([]float64, len(ratios))
	for i, r := range ratios {
		if !(r > 0) || math.IsInf(r, 1) {
			return Interval{}, fmt.Errorf("cannot bound the mean of ratios: got %g; want finite values above 0", r)
		}
		logs[i] = math.Log(r)
	}
	mean, deviation := stat.MeanStdDev(logs, nil)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1+confidence)/2) * deviation / math.Sqrt(n)
	return Interval{Value: math.Exp(mean), Low: math.Exp(mean - half), High: math.Exp(mean + half)}, nil
}

// Fit is y = Terms[0]*x[0] + Terms[1]*x[1] + ...
type Fit struct {
	Terms []float64 `json:"terms"`
	R2    float64   `json:"r2"` // 1 - residual / variance about the mean
	N     int       `json:"n"`  // observations
}

// At returns the value of a fitted linear model for the given variables: the sum of each fitted term
// times its variable.
func (f Fit) At(x ...float64) (y float64) {
	for i, t := range f.Terms {
		y += float64(t * x[i])
	}
	return y
}

// Least fits by least squares with relative weights, so that small values count
// as much as large ones: residuals are divided by y. A constant is a column of 1.
// R2 is that of the values themselves. It refuses fewer rows than terms, y <= 0
// and columns that depend on each other.
func Least(rows [][]float64, y []float64) (Fit, error) {
	if len(rows) == 0 || len(rows) != len(y) || len(rows) < len(rows[0]) {
		return Fit{}, errors.New("cannot fit: want at least as many observations as terms")
	}
	n := len(rows[0])
	m := make([][]float64, n) // normal equations with the right side as the last column
	for i := range m {
		m[i] = make([]float64, n+1)
	}
	for k, row := range rows {
		if !(y[k] > 0) {
			return Fit{}, errors.New("cannot fit: want values above 0")
		}
		w := 1 / y[k] / y[k]
		for i := range n {
			for j := range n {
				m[i][j] += float64(w * row[i] * row[j])
			}
			m[i][n] += float64(w * row[i] * y[k])
		}
	}
	terms, ok := solve(m)
	if !ok {
		return Fit{}, errors.New("cannot fit: terms depend on each other")
	}
	fit := Fit{Terms: terms, N: len(rows)}
	mean := 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	var residual, all float64
	for k, row := range rows {
		residual += math.Pow(y[k]-fit.At(row...), 2)
		all += math.Pow(y[k]-mean, 2)
	}
	fit.R2 = 1
	if all > 0 {
		fit.R2 = 1 - residual/all
	}
	return fit, nil
}

// solve solves n linear equations of a least-squares fit. Row i of m is the symmetric matrix's row
// and, as its last element, the right side. It scales the unknowns to like size and then eliminates
// with row pivots. ok is false if the equations have no single solution. m is overwritten.
func solve(m [][]float64) ([]float64, bool) {
	n := len(m)
	scale := make([]float64, n)
	for i := range m {
		scale[i] = math.Sqrt(m[i][i])
		if scale[i] == 0 {
			return nil, false
		}
	}
	for i := range m {
		for j := range n {
			m[i][j] /= scale[i] * scale[j]
		}
		m[i][n] /= scale[i]
	}
	for c := range n {
		p := c
		for r := c + 1; r < n; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[p][c]) {
				p = r
			}
		}
		if math.Abs(m[p][c]) < 1e-9 {
			return nil, false
		}
		m[c], m[p] = m[p], m[c]
		for r := range n {
			if r == c {
				continue
			}
			f := m[r][c] / m[c][c]
			for k := c; k <= n; k++ {
				m[r][k] -= float64(f * m[c][k])
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = m[i][n] / m[i][i] / scale[i]
	}
	return x, true
}
