package vqa

import (
	"math"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/stats"
)

// Reliability describes repeated runs over the same items. Numbers that are undefined, for lack of runs or of
// any difference, are NaN. See docs/spec/vqa.md#r54.
type Reliability struct {
	Runs, Items int
	Mean, SD    float64 // of the runs' accuracies, per cent; SD is that of a sample
	PairwiseR   float64 // mean correlation of two runs, -1 to 1
	Alpha       float64 // Cronbach's alpha, at most 1
	ICC         float64 // ICC(3,k), two-way layout without interaction, at most 1
}

// Reliable computes how reliable repeated runs of a model are. columns[r] is a bit set: bit i%64 of
// word i/64 is set where run r has question i right, and no bit is set past the last question.
// Items times runs must be at most 2^31, so that all sums are exact integers.
func Reliable(columns [][]uint64, items int) Reliability {
	nan := math.NaN()
	out := Reliability{Runs: len(columns), Items: items, Mean: nan, SD: nan, PairwiseR: nan, Alpha: nan, ICC: nan}
	if items == 0 || len(columns) == 0 {
		return out
	}
	n, runs := int64(items), int64(len(columns))
	accuracies := make([]float64, runs)
	var total, runSquares, sumOfVariances int64
	for r, column := range columns {
		right := int64(countCommon(column, column)) // how many bits are set
		accuracies[r] = 100 * float64(right) / float64(n)
		total += right
		runSquares += right * right
		sumOfVariances += n*right - right*right // n^2 times the variance of a run
	}
	summary := stats.Summarise(accuracies)
	out.Mean, out.SD = 100*float64(total)/float64(n*runs), summary.SampleSD
	if runs < 2 {
		return out
	}
	out.PairwiseR = meanPairwiseR(columns, n)
	rowSquares := total // the sum of the squares of the items' sums
	for a := range columns {
		for b := range a {
			rowSquares += 2 * int64(countCommon(columns[a], columns[b]))
		}
	}
	varianceOfSums := n*rowSquares - total*total // n^2 times the variance of the items' sums
	if varianceOfSums == 0 {
		return out
	}
	out.Alpha = float64(runs) / float64(runs-1) * (1 - float64(sumOfVariances)/float64(varianceOfSums))
	// Two-way analysis of variance, with sums of squares times n*runs: all, items (varianceOfSums)
	// and runs. Degrees of freedom are n-1 for items and (n-1)(runs-1) for the residual.
	all, byRun := n*runs*total-total*total, runs*runSquares-total*total
	residual := float64(all-varianceOfSums-byRun) / float64(runs-1)
	out.ICC = (float64(varianceOfSums) - residual) / float64(varianceOfSums)
	return out
}

// meanPairwiseR returns the mean of Pearson's r over all pairs of runs of n items. It is NaN
// if a run has every item right or none, because such a run has no correlation.
func meanPairwiseR(columns [][]uint64, n int64) float64 {
	var sum float64
	pairs := 0
	for a := range columns {
		rightA := int64(countCommon(columns[a], columns[a]))
		for b := range a {
			rightB := int64(countCommon(columns[b], columns[b]))
			varianceA, varianceB := n*rightA-rightA*rightA, n*rightB-rightB*rightB // times n^2
			if varianceA == 0 || varianceB == 0 {
				return math.NaN()
			}
			covariance := n*int64(countCommon(columns[a], columns[b])) - rightA*rightB // times n^2, too
			sum += float64(covariance) / (math.Sqrt(float64(varianceA)) * math.Sqrt(float64(varianceB)))
			pairs++
		}
	}
	return sum / float64(pairs)
}

// repeatTable returns the table of models with several runs: Tables 26 to 29 of SPATIALAB. Columns: model,
// runs, items that all runs answered, items left out, mean accuracy, its standard deviation, pairwise
// correlation, Cronbach's alpha, ICC(3,k). Published rows follow where there are own ones.
func (tables *tables) repeatTable(format string, userRuns []*modelRun) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] + ": repeated runs", TextColumns: 1,
		Columns: []string{"model", "runs", "items", "left out", "mean, %", "sd (sample)", "mean pairwise r",
			"Cronbach's alpha", "ICC(3,k)"},
		Note: "Over the items that every run of a model answered and that were judged; the others are left out. " +
			"A dash stands for a coefficient that is undefined."}
	var answeredTwice []string
	for _, runs := range byModel(userRuns) {
		if len(runs) < 2 {
			continue
		}
		// The items that all runs of the model answered.
		ids, others := itemsOfAll(runs)
		columns, repeatedItems := make([][]uint64, len(runs)), 0
		for i, run := range runs {
			columns[i] = run.rightBits(ids)
			repeatedItems += run.repeatedItems
		}
		reliability := Reliable(columns, len(ids))
		out.Rows = append(out.Rows, []string{runs[0].modelName(), strconv.Itoa(reliability.Runs),
			strconv.Itoa(reliability.Items), strconv.Itoa(others),
			scoring.FormatCell(reliability.Mean, 2), scoring.FormatCell(reliability.SD, 2),
			thousandths(reliability.PairwiseR), thousandths(reliability.Alpha), thousandths(reliability.ICC)})
		if repeatedItems > 0 {
			answeredTwice = append(answeredTwice, runs[0].modelName())
		}
	}
	if len(out.Rows) > 0 {
		out.Rows = append(out.Rows, tables.repeatedRunRows(format)...)
	}
	if len(answeredTwice) > 0 {
		out.Note += "\nItems that were answered more than once in one run count with their first answer: " +
			strings.Join(answeredTwice, ", ") + "."
	}
	return out
}

// byModel groups runs of questions by model and by whether they are blind, in order of first appearance.
func byModel(userRuns []*modelRun) (groups [][]*modelRun) {
	type key struct {
		model string
		blind bool
	}
	indexOf := map[key]int{}
	for _, run := range userRuns {
		groupKey := key{run.model, run.blind}
		i, ok := indexOf[groupKey]
		if !ok {
			i = len(groups)
			indexOf[groupKey] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], run)
	}
	return groups
}

// thousandths writes a reliability coefficient with three decimals, "-" for NaN.
func thousandths(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x+0, 'f', 3, 64) // +0 turns -0 into 0
}
