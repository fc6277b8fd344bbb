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

// Median returns the middle one of some values, for an even number the mean of the middle two, or 0 for no
// values. The values keep their order.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Interval is a value with the bounds within which it lies with the confidence
// that was asked for.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Resamples is how many samples Bootstrap draws.
const Resamples = 4000

// Bootstrap returns a statistic of groups of samples, such as the ratio of their medians, with an interval
// in which it lies with a confidence from 0 to 1, such as 0.95. The interval is that of percentiles of the
// bootstrap: the statistic is computed Resamples times of groups whose values are drawn with repetition
// from the given ones, as many as there are. The draws are always the same. No group may be empty.
func Bootstrap(confidence float64, statistic func(groups ...[]float64) float64, groups ...[]float64) (Interval, error) {
	for _, group := range groups {
		if len(group) == 0 {
			return Interval{}, errors.New("cannot bound a value without samples: want one or more in each group")
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	drawn := make([][]float64, len(groups))
	for i, group := range groups {
		drawn[i] = make([]float64, len(group))
	}
	values := make([]float64, 0, Resamples)
	for range Resamples {
		for i, group := range groups {
			for k := range drawn[i] {
				drawn[i][k] = group[random.IntN(len(group))]
			}
		}
		values = append(values, statistic(drawn...))
	}
	slices.Sort(values)
	quantile := func(share float64) float64 { return values[min(len(values)-1, int(share*float64(len(values))))] }
	tail := (1 - confidence) / 2
	return Interval{Value: statistic(groups...), Low: quantile(tail), High: quantile(1 - tail)}, nil
}

// RatioOf returns the ratio of the median of the second group to that of the first, or 0 where that of the
// first is 0. It is a statistic for Bootstrap.
func RatioOf(groups ...[]float64) float64 {
	if m := Median(groups[0]); m != 0 {
		return Median(groups[1]) / m
	}
	return 0
}

// Ratio returns the geometric mean of ratios, with an interval in which it lies with a confidence from 0 to
// 1, such as 0.95. The interval follows from Student's t distribution of the logarithms: it is wide for few
// ratios, or ratios far from each other. There must be two ratios or more, all above 0 and finite.
func Ratio(confidence float64, ratios []float64) (Interval, error) {
	n := float64(len(ratios))
	if n < 2 {
		return Interval{}, fmt.Errorf("cannot bound the mean of %d ratios: want 2 or more", len(ratios))
	}
	logs := make([]float64, len(ratios))
	for i, ratio := range ratios {
		if !(ratio > 0) || math.IsInf(ratio, 1) { // the first is true for NaN too
			return Interval{}, fmt.Errorf("cannot bound the mean of ratios: got %g; want finite values above 0", ratio)
		}
		logs[i] = math.Log(ratio)
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
// times its variable. The conversion forbids fused multiply-adds, so that all machines compute the same.
func (f Fit) At(variables ...float64) (value float64) {
	for i, term := range f.Terms {
		value += float64(term * variables[i])
	}
	return value
}

// LeastSquares fits a linear model to observations by least squares: it finds the terms with which the columns of
// a row add up to about the observed value y of that row. Differences are taken relative to y, so that
// small values count as much as large ones. A constant term is a column of 1. R2 of the fit is that of the
// values themselves. It refuses fewer rows than terms, values that are not above 0, and columns that depend
// on each other.
func LeastSquares(rows [][]float64, y []float64) (Fit, error) {
	if len(rows) == 0 || len(rows) != len(y) || len(rows) < len(rows[0]) {
		return Fit{}, errors.New("cannot fit: want at least as many observations as terms")
	}
	// Set up the normal equations, with the right side as the last column. The conversions forbid fused
	// multiply-adds, so that all machines compute the same.
	n := len(rows[0])
	equations := make([][]float64, n)
	for i := range equations {
		equations[i] = make([]float64, n+1)
	}
	for k, row := range rows {
		if !(y[k] > 0) { // true for NaN too
			return Fit{}, errors.New("cannot fit: want values above 0")
		}
		weight := 1 / y[k] / y[k] // makes squared differences relative to y
		for i := range n {
			for j := range n {
				equations[i][j] += float64(weight * row[i] * row[j])
			}
			equations[i][n] += float64(weight * row[i] * y[k])
		}
	}
	terms, ok := solve(equations)
	if !ok {
		return Fit{}, errors.New("cannot fit: terms depend on each other")
	}
	// How much of the values' variance the fit explains.
	fit := Fit{Terms: terms, N: len(rows)}
	mean := 0.0
	for _, value := range y {
		mean += value / float64(len(y))
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

// solve solves the n linear equations of a least-squares fit and returns the n unknowns. Row i of m is a row
// of the symmetric matrix, with the right side as a last element; m is overwritten. It scales the unknowns
// to like size, so that one limit can tell whether a pivot is zero but for rounding. Then it eliminates one
// unknown after another (Gauss and Jordan), each time by the row with the largest coefficient. ok is false
// if the equations have no single solution.
func solve(m [][]float64) (unknowns []float64, ok bool) {
	const smallestPivot = 1e-9
	n := len(m)
	// Scale the unknowns, so that the diagonal becomes 1.
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
	// Eliminate one unknown after another from all other rows.
	for column := range n {
		pivot := column
		for row := column + 1; row < n; row++ {
			if math.Abs(m[row][column]) > math.Abs(m[pivot][column]) {
				pivot = row
			}
		}
		if math.Abs(m[pivot][column]) < smallestPivot {
			return nil, false
		}
		m[column], m[pivot] = m[pivot], m[column]
		for row := range n {
			if row == column {
				continue
			}
			factor := m[row][column] / m[column][column]
			for k := column; k <= n; k++ {
				m[row][k] -= float64(factor * m[column][k])
			}
		}
	}
	// Read the unknowns off the diagonal, and undo the scaling.
	unknowns = make([]float64, n)
	for i := range unknowns {
		unknowns[i] = m[i][n] / m[i][i] / scale[i]
	}
	return unknowns, true
}
