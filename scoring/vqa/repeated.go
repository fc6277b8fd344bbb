package vqa

import (
	"math"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/stats"
)

// Reliability describes repeated runs over the same items. Numbers that are
// undefined, for lack of runs or of any difference, are NaN. See
// docs/spec/vqa.md#r54.
type Reliability struct {
	Runs, Items int
	Mean, SD    float64 // of the runs' accuracies, per cent; SD is that of a sample
	PairwiseR   float64 // mean correlation of two runs, -1 to 1
	Alpha       float64 // Cronbach's alpha, at most 1
	ICC         float64 // ICC(3,k), two-way layout without interaction, at most 1
}

// Reliable computes the reliability of runs. Bit i%64 of word i/64 of columns[r] is set where run
// r has item i right; no bit is set past the last item. Items times runs must be at most 2^31, so
// that all sums are exact integers.
func Reliable(columns [][]uint64, items int) Reliability {
	nan := math.NaN()
	out := Reliability{Runs: len(columns), Items: items, Mean: nan, SD: nan, PairwiseR: nan, Alpha: nan, ICC: nan}
	if items == 0 || len(columns) == 0 {
		return out
	}
	n, runs := int64(items), int64(len(columns))
	accuracies := make([]float64, runs)
	var total, runSquares, within int64
	for r, c := range columns {
		k := int64(countCommon(c, c))
		accuracies[r] = 100 * float64(k) / float64(n)
		total += k
		runSquares += k * k
		within += n*k - k*k // n^2 times the variance of a run
	}
	s := stats.Summarise(accuracies)
	out.Mean, out.SD = 100*float64(total)/float64(n*runs), s.SampleSD
	if runs < 2 {
		return out
	}
	out.PairwiseR = pairwise(columns, n)
	rowSquares := total // the sum of the squares of the items' sums
	for a := range columns {
		for b := range a {
			rowSquares += 2 * int64(countCommon(columns[a], columns[b]))
		}
	}
	between := n*rowSquares - total*total // n^2 times the variance of the items' sums
	if between == 0 {
		return out
	}
	out.Alpha = float64(runs) / float64(runs-1) * (1 - float64(within)/float64(between))
	// Sums of squares times n*runs: all, items, runs. Degrees of freedom are n-1
	// and (n-1)(runs-1).
	all, byRun := n*runs*total-total*total, runs*runSquares-total*total
	residual := float64(all-between-byRun) / float64(runs-1)
	out.ICC = (float64(between) - residual) / float64(between)
	return out
}

// pairwise returns the mean of Pearson's r over all pairs of runs; NaN where a run has every item
// right or none, because it has no correlation then.
func pairwise(columns [][]uint64, n int64) float64 {
	var sum float64
	pairs := 0
	for a := range columns {
		x := int64(countCommon(columns[a], columns[a]))
		for b := range a {
			y := int64(countCommon(columns[b], columns[b]))
			vx, vy := n*x-x*x, n*y-y*y
			if vx == 0 || vy == 0 {
				return math.NaN()
			}
			sum += float64(n*int64(countCommon(columns[a], columns[b]))-x*y) / (math.Sqrt(float64(vx)) * math.Sqrt(float64(vy)))
			pairs++
		}
	}
	return sum / float64(pairs)
}

// repeated returns the table of models with several runs: Tables 26 to 29 of SPATIALAB.
func (t *tables) repeated(f string, own []*row) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + ": repeated runs", Text: 1,
		Columns: []string{"model", "runs", "items", "left out", "mean, %", "sd (sample)", "mean pairwise r", "Cronbach's alpha", "ICC(3,k)"},
		Note: "Over the items that every run of a model answered and that were judged; the others are left out. " +
			"A dash stands for a coefficient that is undefined."}
	var again []string
	for _, runs := range byModel(own) {
		if len(runs) < 2 {
			continue
		}
		ids, others := shared(runs)
		columns, twice := make([][]uint64, len(runs)), 0
		for i, at := range runs {
			columns[i] = at.bitsOf(ids)
			twice += at.repeated
		}
		s := Reliable(columns, len(ids))
		out.Rows = append(out.Rows, []string{runs[0].modelName(), strconv.Itoa(s.Runs), strconv.Itoa(s.Items), strconv.Itoa(others),
			scoring.FormatCell(s.Mean, 2), scoring.FormatCell(s.SD, 2), thousandths(s.PairwiseR), thousandths(s.Alpha), thousandths(s.ICC)})
		if twice > 0 {
			again = append(again, runs[0].modelName())
		}
	}
	if len(out.Rows) > 0 {
		out.Rows = append(out.Rows, t.publishedRuns(f)...)
	}
	if len(again) > 0 {
		out.Note += "\nItems that were answered more than once in one run count with their first answer: " + strings.Join(again, ", ") + "."
	}
	return out
}

// byModel groups rows by model, in order of appearance: its runs are those of a group. Runs
// without the picture are a group of their own.
func byModel(own []*row) (list [][]*row) {
	type key struct {
		model string
		blind bool
	}
	at := map[key]int{}
	for _, r := range own {
		k := key{r.model, r.blind}
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], r)
	}
	return list
}

// thousandths writes a coefficient with three decimals, "-" for NaN.
func thousandths(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x+0, 'f', 3, 64)
}
