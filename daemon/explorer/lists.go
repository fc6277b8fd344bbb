package explorer

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"plumb/daemon/index"
	"plumb/scoring"
)

// maxValues is how many values of a facet an answer lists.
const maxValues = 200

// selected answers GET select: how many results a filter selects, their mean, and the counts
// of the values of each facet, at most maxValues of each.
func (opened *opened) selected(filter index.Filter) *Selected {
	s := opened.set.Select(filter)
	out := &Selected{Rows: s.Rows, Scored: s.Scored, Mean: scoring.Finite(s.Mean), Counts: map[string][]index.Count{}, More: map[string]int{}, Histogram: s.Histogram}
	for facet, list := range s.Counts {
		if n := len(list) - maxValues; n > 0 {
			list, out.More[facet] = list[:maxValues], n
		}
		out.Counts[facet] = list
	}
	out.Remark = opened.texts.remark(filter)
	if filter.Rule != "" {
		out.Remark = strings.TrimSpace(out.Remark + " " + opened.rules.remark(filter.Rule))
	}
	return out
}

// maxRows is how many rows one answer has.
const maxRows = 500

// rows answers GET rows: at most n, and at most maxRows, results of the list from place `from` on.
func (opened *opened) rows(filter index.Filter, sort index.Sort, from, n int) *Rows {
	order := opened.set.Order(filter, sort)
	from = max(0, min(from, len(order)))
	out := &Rows{Total: len(order), From: from, Rows: []Row{}}
	for _, row := range order[from:min(len(order), from+min(n, maxRows))] {
		out.Rows = append(out.Rows, opened.row(int(row), sort.By))
	}
	return out
}

// row describes a row of the set for lists. If sortKey, the key of the list's order, is a metric, Value is that
// metric. Columns with texts hold numbers of words; the words of a file are beside its columns.
func (opened *opened) row(row int, sortKey string) Row {
	i, pos, _ := opened.set.Find(row) // found: callers pass rows of the set only
	file := opened.set.Files[i]
	test, series := file.Tests[file.Test[pos]], file.SeriesOf[file.Series[pos]]
	out := Row{Row: row, ID: file.ID(pos), Suite: test[0], Test: test[1],
		Series: seriesID(i, int(file.Series[pos])), Model: series[0], Arm: arm(series),
		Repeat: int(file.Repeat[pos]), Turn: int(file.Turn[pos]),
		Score: scoring.Finite(file.Score[pos]), Status: file.Statuses[file.Status[pos]][0], Error: file.Codes[file.Code[pos]][0],
		Notes: file.NoteSets[file.Notes[pos]], Time: scoring.Finite(float64(file.Time[pos])), Cost: scoring.Finite(float64(file.Cost[pos]))}
	if out.Notes == nil {
		out.Notes = []string{}
	}
	if len(opened.set.Files) > 1 && out.Model == "" {
		out.Model = short(file.Path)
	}
	if name, ok := strings.CutPrefix(sortKey, "metric:"); ok {
		if n := slices.Index(file.Metrics, name); n >= 0 {
			if x, ok := file.Metric(pos, uint16(n)); ok {
				out.Value = scoring.Finite(float64(x))
			}
		}
	}
	return out
}

// smallBars is the number of bars in the histogram of a cell.
const smallBars = 20

// maxCells bounds the cells of an overview, because names of tests and models come from files.
const maxCells = 4000

// cellSum adds up the rows of a cell.
type cellSum struct {
	rows, scored, timed, priced int
	scores, squares             float64 // sums of scores and of their squares
	seconds, cost               float64
	bars                        [smallBars]int
}

// overview answers GET overview: means of the selected results by test and series, failures by number, and the
// papers' tables. At most maxCells cells and maxValues failures are listed.
func (opened *opened) overview(filter index.Filter) *Overview {
	selection := opened.set.Select(filter)
	out := &Overview{Suites: []SuiteTable{}, Failures: []Failure{}, Papers: opened.papers}
	if out.Papers == nil {
		out.Papers = []TextTable{}
	}
	out.Low, out.High = opened.set.Range()
	sums := map[testKey]map[string]*cellSum{} // the inner one by series
	cells := 0
	failures := map[Failure]int{}
	for i, file := range opened.set.Files {
		cells += opened.addFile(file, i, selection, sums, failures, maxCells-cells)
	}
	if cells >= maxCells {
		out.Remark = "there are more tests and series than the overview lists; choose some on the left"
	}
	opened.listSuites(out, sums)
	for k, n := range failures {
		k.N = n
		out.Failures = append(out.Failures, k)
	}
	slices.SortFunc(out.Failures, func(a, b Failure) int {
		return cmp.Or(b.N-a.N, strings.Compare(a.Kind, b.Kind), strings.Compare(a.Value, b.Value), strings.Compare(a.Suite, b.Suite))
	})
	out.Failures = out.Failures[:min(len(out.Failures), maxValues)]
	return out
}

// duplicate is the note on results that tables leave out.
const duplicate = "duplicate_id"

// addFile adds the selected rows of file `number` to sums, by test and series, and counts
// their failures. Duplicates are left out. It makes at most limit cells and returns how
// many; rows of further cells count only as failures.
func (opened *opened) addFile(file *index.File, number int, selection *index.Selection, sums map[testKey]map[string]*cellSum, failures map[Failure]int, limit int) (made int) {
	tests, series := len(file.Tests), len(file.SeriesOf)
	grid := map[int]*cellSum{}                      // by test*series + series
	type ending struct{ test, code, status uint16 } // the numbers of a row's test, error code and status
	counts := map[ending]int{}                      // of rows
	low, high := opened.set.Range()
	barsPerUnit := smallBars / (high - low)
	isDuplicate := make([]bool, len(file.NoteSets))
	for i, w := range file.NoteSets {
		isDuplicate[i] = slices.Contains(w, duplicate)
	}
	// Add the rows to their cells, and count how each ended.
	lastKey, cell := -1, (*cellSum)(nil)
	for row := range file.Rows() {
		if !selection.Has(number, row) || isDuplicate[file.Notes[row]] {
			continue
		}
		if key := int(file.Test[row])*series + int(file.Series[row]); key != lastKey { // rows of one cell often stand together
			if cell = grid[key]; cell == nil && len(grid) < limit {
				cell = &cellSum{}
				grid[key] = cell
			}
			lastKey = key
		}
		counts[ending{test: file.Test[row], code: file.Code[row], status: file.Status[row]}]++
		if cell != nil {
			cell.add(file, row, low, barsPerUnit)
		}
	}
	// Give the cells to the sums of all files.
	for test := range tests {
		for s := range series {
			if cell := grid[test*series+s]; cell != nil {
				key := testKeyOf(file.Tests[test])
				if sums[key] == nil {
					sums[key] = map[string]*cellSum{}
				}
				sums[key][seriesID(number, s)] = cell
			}
		}
	}
	// Count the failures, or else the statuses, by suite.
	for ending, n := range counts {
		suite := file.Tests[ending.test][0]
		if code := file.Codes[ending.code][0]; code != "" {
			failures[Failure{Kind: "failure", Value: code, Suite: suite}] += n
		} else if status := file.Statuses[ending.status][0]; status != "" {
			failures[Failure{Kind: "status", Value: status, Suite: suite}] += n
		}
	}
	return len(grid)
}

// add adds the score, time and cost of a row to its cell. Missing ones are NaN and not counted. low is the
// lower end of the histogram, and barsPerUnit how many bars there are for one unit of score.
func (sum *cellSum) add(file *index.File, row int, low, barsPerUnit float64) {
	sum.rows++
	if seconds := float64(file.Time[row]); !math.IsNaN(seconds) {
		sum.timed++
		sum.seconds += seconds
	}
	if cost := float64(file.Cost[row]); !math.IsNaN(cost) {
		sum.priced++
		sum.cost += cost
	}
	if score := file.Score[row]; !math.IsNaN(score) {
		sum.scored++
		sum.scores += score
		sum.squares += float64(score * score)
		sum.bars[min(smallBars-1, max(0, int((score-low)*barsPerUnit)))]++
	}
}

// listSuites makes the tables of the suites from sums, with tests in the order of their
// papers and series in the order of opened.series. A cell without results is empty.
func (opened *opened) listSuites(out *Overview, sums map[testKey]map[string]*cellSum) {
	for _, test := range slices.SortedFunc(maps.Keys(sums), opened.compareTests) {
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Suite != test.suite {
			out.Suites = append(out.Suites, SuiteTable{Suite: test.suite})
		}
		table := &out.Suites[len(out.Suites)-1]
		table.Tests = append(table.Tests, TestOf{Test: test.name, Kind: "test"})
		for id := range sums[test] {
			if !slices.Contains(table.Series, id) {
				table.Series = append(table.Series, id)
			}
		}
	}
	for i := range out.Suites {
		table := &out.Suites[i]
		slices.SortFunc(table.Series, func(a, b string) int { return opened.byID[a] - opened.byID[b] })
		for k := range table.Tests {
			for _, id := range table.Series {
				table.Tests[k].Cells = append(table.Tests[k].Cells, sums[testKey{table.Suite, table.Tests[k].Test}][id].cell())
			}
		}
	}
}

// compareTests orders tests by suite, then as their papers do, then by name.
func (opened *opened) compareTests(a, b testKey) int {
	return cmp.Or(strings.Compare(a.suite, b.suite), opened.testOrder(a)-opened.testOrder(b), strings.Compare(a.name, b.name))
}

// testKey names a test of a suite.
type testKey struct{ suite, name string }

// allTests stands for all tests together.
var allTests = testKey{}

// testKeyOf returns the key of a test in a file's column of tests.
func testKeyOf(word index.Word) testKey { return testKey{suite: word[0], name: word[1]} }

// testOrder returns the place of a test among those of its suite. Unknown tests come after all others.
func (opened *opened) testOrder(test testKey) int {
	const last = 1 << 20 // more than any suite has
	suites := opened.rules.explorer.cfg.Items.Suites
	if suite := suites.Find(test.suite); suite != nil {
		if i := slices.Index(suite.Tests, test.name); i >= 0 {
			return i
		}
	}
	return last
}

// cell returns the sums as figures: mean, standard error, mean seconds and total cost. sum may
// be nil, for a cell without results.
func (sum *cellSum) cell() Cell {
	out := Cell{Histogram: []int{}}
	if sum == nil {
		return out
	}
	out.N, out.Scored, out.Histogram = sum.rows, sum.scored, sum.bars[:]
	if n := float64(sum.scored); n > 0 {
		mean := sum.scores / n
		out.Mean = &mean
		if sum.scored > 1 {
			variance := max(0, sum.squares-float64(n*mean*mean)) / (n - 1) // rounding may make the difference negative
			out.Error = scoring.Finite(math.Sqrt(variance / n))
		}
	}
	if sum.timed > 0 {
		out.Seconds = scoring.Finite(sum.seconds / float64(sum.timed))
	}
	if sum.priced > 0 {
		out.Cost = scoring.Finite(sum.cost)
	}
	return out
}
