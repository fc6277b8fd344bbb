package explorer

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"plumb/daemon/index"
)

// maxValues is how many values of a facet an answer lists.
const maxValues = 200

// selected answers GET select: how many results a filter selects, their mean, and the counts
// of the values of each facet, at most maxValues of each.
func (opened *opened) selected(filter index.Filter) *Selected {
	s := opened.set.Select(filter)
	out := &Selected{Rows: s.Rows, Scored: s.Scored, Mean: finite(s.Mean), Counts: map[string][]index.Count{}, More: map[string]int{}, Histogram: s.Histogram}
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

// finite returns a number for JSON, or nil for an infinity or NaN, which JSON does not have.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// maxRows is how many rows one answer has.
const maxRows = 500

// rows answers GET rows: at most n, and at most maxRows, results of the list from place
// `from` on.
func (opened *opened) rows(f index.Filter, sort index.Sort, from, n int) *Rows {
	order := opened.set.Order(f, sort)
	from = max(0, min(from, len(order)))
	out := &Rows{Total: len(order), From: from, Rows: []Row{}}
	for _, row := range order[from:min(len(order), from+min(n, maxRows))] {
		out.Rows = append(out.Rows, opened.row(int(row), sort.By))
	}
	return out
}

// row describes a row of the set for lists. If sortKey, the key of the list's order, is a metric,
// Value is that metric. Columns with texts hold numbers of words; the words of a file are
// beside its columns.
func (opened *opened) row(row int, sortKey string) Row {
	i, pos, _ := opened.set.Find(row) // found: callers pass rows of the set only
	file := opened.set.Files[i]
	test, series := file.Tests[file.Test[pos]], file.SeriesOf[file.Series[pos]]
	out := Row{Row: row, ID: file.ID(pos), Suite: test[0], Test: test[1],
		Series: seriesID(i, int(file.Series[pos])), Model: series[0], Arm: arm(series),
		Repeat: int(file.Repeat[pos]), Turn: int(file.Turn[pos]),
		Score: finite(file.Score[pos]), Status: file.Statuses[file.Status[pos]][0], Error: file.Codes[file.Code[pos]][0],
		Notes: file.NoteSets[file.Notes[pos]], Time: finite(float64(file.Time[pos]))}
	if out.Notes == nil {
		out.Notes = []string{}
	}
	if len(opened.set.Files) > 1 && out.Model == "" {
		out.Model = short(file.Path)
	}
	if name, ok := strings.CutPrefix(sortKey, "metric:"); ok {
		if n := slices.Index(file.Metrics, name); n >= 0 {
			if x, ok := file.Metric(pos, uint16(n)); ok {
				out.Value = finite(float64(x))
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
	sum, squares, time, money   float64
	bars                        [smallBars]int
}

// overview answers GET overview: means of the selected results by test and series, failures
// by number, and the papers' tables. At most maxCells cells and maxValues failures are
// listed.
func (opened *opened) overview(f index.Filter) *Overview {
	sel := opened.set.Select(f)
	out := &Overview{Suites: []SuiteTable{}, Failures: []Failure{}, Papers: opened.papers}
	if out.Papers == nil {
		out.Papers = []TextTable{}
	}
	out.Low, out.High = opened.set.Range()
	sums := map[[2]string]map[string]*cellSum{} // by suite and test, then series
	cells := 0
	failures := map[Failure]int{}
	for i, file := range opened.set.Files {
		cells += opened.addFile(file, i, sel, sums, failures, maxCells-cells)
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
func (opened *opened) addFile(file *index.File, number int, sel *index.Selection, sums map[[2]string]map[string]*cellSum, failures map[Failure]int, limit int) (made int) {
	tests, series := len(file.Tests), len(file.SeriesOf)
	grid := map[int]*cellSum{}    // by test*series + series
	counts := map[[3]uint16]int{} // rows by the numbers of test, error code and status
	low, high := opened.set.Range()
	scale := smallBars / (high - low)
	isDuplicate := make([]bool, len(file.NoteSets))
	for i, w := range file.NoteSets {
		isDuplicate[i] = slices.Contains(w, duplicate)
	}
	// Add the rows to their cells, and count how each ended.
	lastKey, cell := -1, (*cellSum)(nil)
	for row := range file.Rows() {
		if !sel.Has(number, row) || isDuplicate[file.Notes[row]] {
			continue
		}
		if key := int(file.Test[row])*series + int(file.Series[row]); key != lastKey { // rows of one cell often stand together
			if cell = grid[key]; cell == nil && len(grid) < limit {
				cell = &cellSum{}
				grid[key] = cell
			}
			lastKey = key
		}
		counts[[3]uint16{file.Test[row], file.Code[row], file.Status[row]}]++
		if cell != nil {
			cell.add(file, row, low, scale)
		}
	}
	// Give the cells to the sums of all files.
	for test := range tests {
		for s := range series {
			if cell := grid[test*series+s]; cell != nil {
				name := [2]string(file.Tests[test])
				if sums[name] == nil {
					sums[name] = map[string]*cellSum{}
				}
				sums[name][seriesID(number, s)] = cell
			}
		}
	}
	// Count the failures, or else the statuses, by suite.
	for k, n := range counts {
		suite := file.Tests[k[0]][0]
		if code := file.Codes[k[1]][0]; code != "" {
			failures[Failure{Kind: "failure", Value: code, Suite: suite}] += n
		} else if status := file.Statuses[k[2]][0]; status != "" {
			failures[Failure{Kind: "status", Value: status, Suite: suite}] += n
		}
	}
	return len(grid)
}

// add adds the score, time and cost of a row to its cell. Missing ones are NaN and not
// counted. low is the lower end of the histogram and scale its bars per unit of score.
func (sum *cellSum) add(file *index.File, row int, low, scale float64) {
	sum.rows++
	if t := float64(file.Time[row]); t == t { // not NaN, as below
		sum.timed++
		sum.time += t
	}
	if m := float64(file.Cost[row]); m == m {
		sum.priced++
		sum.money += m
	}
	if x := file.Score[row]; x == x {
		sum.scored++
		sum.sum += x
		sum.squares += float64(x * x)
		sum.bars[min(smallBars-1, max(0, int((x-low)*scale)))]++
	}
}

// listSuites makes the tables of the suites from sums, with tests in the order of their
// papers and series in the order of opened.series. A cell without results is empty.
func (opened *opened) listSuites(out *Overview, sums map[[2]string]map[string]*cellSum) {
	names := slices.SortedFunc(maps.Keys(sums), opened.compareTests)
	for _, name := range names {
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Suite != name[0] {
			out.Suites = append(out.Suites, SuiteTable{Suite: name[0]})
		}
		table := &out.Suites[len(out.Suites)-1]
		table.Tests = append(table.Tests, TestOf{Test: name[1], Kind: "test"})
		for id := range sums[name] {
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
				table.Tests[k].Cells = append(table.Tests[k].Cells, sums[[2]string{table.Suite, table.Tests[k].Test}][id].cell())
			}
		}
	}
}

// compareTests orders tests by suite, then as their papers do, then by name.
func (opened *opened) compareTests(a, b [2]string) int {
	return cmp.Or(strings.Compare(a[0], b[0]), opened.testOrder(a)-opened.testOrder(b), strings.Compare(a[1], b[1]))
}

// testOrder returns the place of a test, given by suite and name, among those of its suite. Unknown tests
// come after all others.
func (opened *opened) testOrder(name [2]string) int {
	const last = 1 << 20
	if s := opened.rules.explorer.cfg.Items.Suites.Find(name[0]); s != nil {
		if i := slices.Index(s.Tests, name[1]); i >= 0 {
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
		mean := sum.sum / n
		out.Mean = &mean
		if sum.scored > 1 {
			variance := max(0, sum.squares-float64(n*mean*mean)) / (n - 1) // rounding may make the difference negative
			out.Error = finite(math.Sqrt(variance / n))
		}
	}
	if sum.timed > 0 {
		out.Seconds = finite(sum.time / float64(sum.timed))
	}
	if sum.priced > 0 {
		out.Cost = finite(sum.money)
	}
	return out
}
