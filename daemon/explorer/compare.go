package explorer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"plumb/daemon/index"
	"plumb/scoring"
	"plumb/scoring/stats"
)

// pairCache keeps the last comparison, because its list is read in parts.
type pairCache struct {
	mu       sync.Mutex
	key      string
	pairs    []scoredPair
	unpaired int
}

// scoredPair is a question that both sides have a score for.
type scoredPair struct {
	rowA, rowB     uint32 // the first row of each side
	scoreA, scoreB float64
}

// questionScore is what one series has of a question: the sum of the scores of its repeats.
type questionScore struct {
	question uint64  // its hash
	sum      float64 // of `scores` scores
	scores   uint32
	row      uint32 // the first of its rows
}

// pairsOf pairs the selected rows of two series by question and returns the pairs, the largest loss of b first,
// and the number of questions that only one series has a score for (unpaired). Repeats are averaged. Duplicates
// and rows without a score are left out. The result is kept until the filter or the series change.
func (opened *opened) pairsOf(filter index.Filter, a, b string) (pairs []scoredPair, unpaired int, err error) {
	for _, id := range []string{a, b} {
		if _, ok := opened.byID[id]; !ok {
			return nil, 0, fmt.Errorf("cannot compare: there is no series %.40q", id)
		}
	}
	key := fmt.Sprintf("%s|%s|%s", a, b, filter.Key())
	opened.lastPairs.mu.Lock()
	defer opened.lastPairs.mu.Unlock()
	if opened.lastPairs.key == key {
		return opened.lastPairs.pairs, opened.lastPairs.unpaired, nil
	}
	selection := opened.set.Select(filter)
	pairs, unpaired = pairUp(opened.scoresOf(selection, a), opened.scoresOf(selection, b))
	opened.lastPairs.key, opened.lastPairs.pairs, opened.lastPairs.unpaired = key, pairs, unpaired
	return pairs, unpaired, nil
}

// pairUp merges the scores of two series, both in the order of question hashes, into pairs for the
// questions that both have. The pair with the largest loss of the right series comes first. unpaired is how
// many questions only one series has.
func pairUp(left, right []questionScore) (pairs []scoredPair, unpaired int) {
	for i, j := 0, 0; i < len(left) || j < len(right); {
		switch {
		case j == len(right) || i < len(left) && left[i].question < right[j].question:
			unpaired++
			i++
		case i == len(left) || right[j].question < left[i].question:
			unpaired++
			j++
		default:
			x, y := &left[i], &right[j]
			pairs = append(pairs, scoredPair{rowA: x.row, rowB: y.row, scoreA: x.sum / float64(x.scores), scoreB: y.sum / float64(y.scores)})
			i++
			j++
		}
	}
	slices.SortFunc(pairs, func(x, y scoredPair) int {
		return cmp.Or(cmp.Compare(x.scoreB-x.scoreA, y.scoreB-y.scoreA), cmp.Compare(x.rowA, y.rowA))
	})
	return pairs, unpaired
}

// againstTime bounds how long series are compared with one.
const againstTime = 4 * time.Second

// against answers GET against: how each other series differs from one on the questions that both share, the
// best first. Series that share no question are left out, and those that are not reached within againstTime.
func (opened *opened) against(filter index.Filter, seriesID string) (*Against, error) {
	if _, ok := opened.byID[seriesID]; !ok {
		return nil, fmt.Errorf("cannot compare: there is no series %.40q", seriesID)
	}
	begin := time.Now()
	out := &Against{Lines: []Rival{}}
	selection := opened.set.Select(filter)
	ownScores := opened.scoresOf(selection, seriesID)
	for i, series := range opened.series {
		if series.ID == seriesID {
			continue
		}
		if time.Since(begin) > againstTime {
			out.Remark = fmt.Sprintf("the first %d of %d series were compared; choose tests on the left for more", i, len(opened.series))
			break
		}
		if pairs, unpaired := pairUp(ownScores, opened.scoresOf(selection, series.ID)); len(pairs) > 0 {
			out.Lines = append(out.Lines, Rival{Paired: opened.comparePairs(allTests, pairs), ID: series.ID, Name: series.Name, Unpaired: unpaired})
		}
	}
	slices.SortStableFunc(out.Lines, func(x, y Rival) int { return cmp.Compare(y.Difference, x.Difference) })
	return out, nil
}

// scoresOf returns the selected scores of the series with this id, one element for each question, in the
// order of the questions' hashes. The scores of repeats are added up. Duplicates and rows without a score
// are left out.
func (opened *opened) scoresOf(selection *index.Selection, id string) []questionScore {
	var number, code int                    // of the file, and of the series among those of the file
	fmt.Sscanf(id, "%d.%d", &number, &code) // cannot fail: id is of seriesID
	file, first := opened.set.Files[number], opened.set.First(number)
	isDuplicate := make([]bool, len(file.NoteSets))
	for i, w := range file.NoteSets {
		isDuplicate[i] = slices.Contains(w, duplicate)
	}
	// The rows of the series that count.
	var list []questionScore
	for row := range file.Rows() {
		score := file.Score[row]
		if int(file.Series[row]) != code || math.IsNaN(score) || !selection.Has(number, row) || isDuplicate[file.Notes[row]] {
			continue
		}
		list = append(list, questionScore{question: file.Item[row], sum: score, scores: 1, row: uint32(first + row)})
	}
	// Join rows of the same question.
	slices.SortFunc(list, func(a, b questionScore) int {
		return cmp.Or(cmp.Compare(a.question, b.question), cmp.Compare(a.row, b.row))
	})
	out := list[:0]
	for _, x := range list {
		if n := len(out); n > 0 && out[n-1].question == x.question {
			out[n-1].sum += x.sum
			out[n-1].scores++
			continue
		}
		out = append(out, x)
	}
	return out
}

// maxPoints is how many points a scatter plot has.
const maxPoints = 4000

// maxResampled is the largest number of pairs for which intervals are resampled. For more the normal
// approximation is used.
const maxResampled = 2000

// compare answers GET compare: how two series differ on the questions that both have a score for. There is a
// line for each test, at most maxValues, and with several tests one for all pairs before them. The scatter plot
// gets at most maxPoints pairs, evenly chosen from their order.
func (opened *opened) compare(filter index.Filter, a, b string) (*Comparison, error) {
	pairs, unpaired, err := opened.pairsOf(filter, a, b)
	if err != nil {
		return nil, err
	}
	out := &Comparison{Names: []string{opened.series[opened.byID[a]].Name, opened.series[opened.byID[b]].Name}, Lines: []Paired{}, Points: []Point{}, Unpaired: unpaired, Pairs: len(pairs)}
	groups := map[testKey][]scoredPair{}
	for _, pair := range pairs {
		i, at, _ := opened.set.Find(int(pair.rowA))
		file := opened.set.Files[i]
		test := testKeyOf(file.Tests[file.Test[at]])
		groups[test] = append(groups[test], pair)
	}
	tests := slices.SortedFunc(maps.Keys(groups), opened.compareTests)
	for _, test := range tests[:min(len(tests), maxValues)] {
		out.Lines = append(out.Lines, opened.comparePairs(test, groups[test]))
	}
	if len(tests) > 1 {
		out.Lines = append([]Paired{opened.comparePairs(allTests, pairs)}, out.Lines...)
	}
	if len(pairs) > maxResampled {
		out.Remark = fmt.Sprintf("intervals of more than %d pairs are normal approximations, others are resampled", maxResampled)
	}
	if len(pairs) == 0 {
		out.Remark = "no question has a score on both sides; questions are the same where suite, test, id and turn are"
	}
	spacing := max(1, float64(len(pairs))/maxPoints) // of the chosen pairs; a fraction, so that they are even
	for place := 0.0; int(place) < len(pairs); place += spacing {
		pair := pairs[int(place)]
		out.Points = append(out.Points, Point{pair.scoreA, pair.scoreB, int(place)})
	}
	return out, nil
}

// normal95 is the number of standard errors on either side of a mean in a 95 % interval.
const normal95 = 1.96

// comparePairs compares the scores of two series on the pairs of one test: means, difference B - A
// with its 95 % interval, and the p-values of the sign test and the signed-rank test. The interval
// is resampled for up to maxResampled pairs, else it is that of a normal distribution.
func (opened *opened) comparePairs(test testKey, pairs []scoredPair) Paired {
	out := Paired{Suite: test.suite, Test: test.name, N: len(pairs)}
	differences := make([]float64, len(pairs))
	scoresB, scoresA := make([]stats.Value, len(pairs)), make([]stats.Value, len(pairs))
	cluster := make([]byte, 0, 8)
	for i, pair := range pairs {
		differences[i] = pair.scoreB - pair.scoreA
		out.A += pair.scoreA / float64(len(pairs))
		out.B += pair.scoreB / float64(len(pairs))
		if pair.scoreB > pair.scoreA {
			out.Better++
		} else if pair.scoreB < pair.scoreA {
			out.Worse++
		}
		if len(pairs) <= maxResampled { // each pair is a cluster of its own, which is drawn as one
			cluster = fmt.Appendf(cluster[:0], "%d", i)
			scoresB[i] = stats.Value{Cluster: string(cluster), Mean: pair.scoreB}
			scoresA[i] = stats.Value{Cluster: string(cluster), Mean: pair.scoreA}
		}
	}
	out.Difference = out.B - out.A
	if n := float64(len(pairs)); len(pairs) <= maxResampled {
		c := stats.Compare(scoresB, scoresA, false, 1) // false: means of repeats, not single answers; 1: seed
		out.Low, out.High = scoring.Finite(c.Low), scoring.Finite(c.High)
	} else {
		half := normal95 * math.Sqrt(stats.Variance(differences)/n)
		out.Low = scoring.Finite(out.Difference - half)
		out.High = scoring.Finite(out.Difference + half)
	}
	out.Sign = scoring.Finite(stats.McNemar(out.Better, out.Worse))
	out.Wilcoxon = scoring.Finite(stats.Wilcoxon(differences))
	return out
}

// listPairs answers GET pairs: n of the questions that both series have a score for, from place `from` of
// their list on, and at most maxRows. They are in the order of the difference B - A: the largest loss of B
// comes first, or with largestGainFirst its largest gain.
func (opened *opened) listPairs(filter index.Filter, a, b string, largestGainFirst bool, from, n int) (*Pairs, error) {
	pairs, _, err := opened.pairsOf(filter, a, b)
	if err != nil {
		return nil, err
	}
	from = max(0, min(from, len(pairs)))
	out := &Pairs{Total: len(pairs), From: from, Pairs: []Pair{}}
	for i := from; i < min(len(pairs), from+min(n, maxRows)); i++ {
		pair := pairs[i]
		if largestGainFirst {
			pair = pairs[len(pairs)-1-i]
		}
		r := opened.row(int(pair.rowA), "")
		out.Pairs = append(out.Pairs, Pair{ID: r.ID, Test: r.Test, RowA: int(pair.rowA), RowB: int(pair.rowB), A: pair.scoreA, B: pair.scoreB})
	}
	return out, nil
}
