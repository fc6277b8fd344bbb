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
func (o *opened) selected(f index.Filter) *Selected {
	s := o.set.Select(f)
	out := &Selected{Rows: s.Rows, Scored: s.Scored, Mean: finite(s.Mean), Counts: map[string][]index.Count{}, More: map[string]int{}, Histogram: s.Histogram}
	for facet, list := range s.Counts {
		if n := len(list) - maxValues; n > 0 {
			list, out.More[facet] = list[:maxValues], n
		}
		out.Counts[facet] = list
	}
	out.Remark = o.texts.remark(f)
	if f.Rule != "" {
		out.Remark = strings.TrimSpace(out.Remark + " " + o.rules.remark(f.Rule))
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
func (o *opened) rows(f index.Filter, sort index.Sort, from, n int) *Rows {
	order := o.set.Order(f, sort)
	from = max(0, min(from, len(order)))
	out := &Rows{Total: len(order), From: from, Rows: []Row{}}
	for _, row := range order[from:min(len(order), from+min(n, maxRows))] {
		out.Rows = append(out.Rows, o.row(int(row), sort.By))
	}
	return out
}

// row describes a row of the set for lists. If sortKey, the key of the list's order, is a metric,
// Value is that metric. Columns with texts hold numbers of words; the words of a file are
// beside its columns.
func (o *opened) row(row int, sortKey string) Row {
	i, at, _ := o.set.Find(row) // found: callers pass rows of the set only
	file := o.set.Files[i]
	test, series := file.Tests[file.Test[at]], file.SeriesOf[file.Series[at]]
	r := Row{Row: row, ID: file.ID(at), Suite: test[0], Test: test[1],
		Series: seriesID(i, int(file.Series[at])), Model: series[0], Arm: arm(series),
		Repeat: int(file.Repeat[at]), Turn: int(file.Turn[at]),
		Score: finite(file.Score[at]), Status: file.Statuses[file.Status[at]][0], Error: file.Codes[file.Code[at]][0],
		Notes: file.NoteSets[file.Notes[at]], Time: finite(float64(file.Time[at]))}
	if r.Notes == nil {
		r.Notes = []string{}
	}
	if len(o.set.Files) > 1 && r.Model == "" {
		r.Model = short(file.Path)
	}
	if name, ok := strings.CutPrefix(sortKey, "metric:"); ok {
		if n := slices.Index(file.Metrics, name); n >= 0 {
			if x, ok := file.Metric(at, uint16(n)); ok {
				r.Value = finite(float64(x))
			}
		}
	}
	return r
}

// smallBars is the number of bars in the histogram of a cell.
const smallBars = 20

// maxCells bounds the cells of an overview, because names of tests and models come from files.
const maxCells = 4000

// cellSum adds up the rows of a cell.
type cellSum struct {
	n, scored, timed, priced  int
	sum, squares, time, money float64
	bars                      [smallBars]int
}

// overview answers GET overview: means of the selected results by test and series, failures
// by number, and the papers' tables. At most maxCells cells and maxValues failures are
// listed.
func (o *opened) overview(f index.Filter) *Overview {
	sel := o.set.Select(f)
	out := &Overview{Suites: []SuiteTable{}, Failures: []Failure{}, Papers: o.papers}
	if out.Papers == nil {
		out.Papers = []TextTable{}
	}
	out.Low, out.High = o.set.Range()
	sums := map[[2]string]map[string]*cellSum{} // by suite and test, then series
	cells := 0
	failures := map[Failure]int{}
	for i, file := range o.set.Files {
		cells += o.addFile(file, i, sel, sums, failures, maxCells-cells)
	}
	if cells >= maxCells {
		out.Remark = "there are more tests and series than the overview lists; choose some on the left"
	}
	o.listSuites(out, sums)
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
func (o *opened) addFile(file *index.File, number int, sel *index.Selection, sums map[[2]string]map[string]*cellSum, failures map[Failure]int, limit int) (made int) {
	tests, series := len(file.Tests), len(file.SeriesOf)
	grid := map[int]*cellSum{} // by test*series + series
	counts := map[[3]uint16]int{}
	low, high := o.set.Range()
	scale := smallBars / (high - low)
	isDuplicate := make([]bool, len(file.NoteSets))
	for i, w := range file.NoteSets {
		isDuplicate[i] = slices.Contains(w, duplicate)
	}
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
func (c *cellSum) add(f *index.File, row int, low, scale float64) {
	c.n++
	if t := float64(f.Time[row]); t == t { // not NaN, as below
		c.timed++
		c.time += t
	}
	if m := float64(f.Cost[row]); m == m {
		c.priced++
		c.money += m
	}
	if x := f.Score[row]; x == x {
		c.scored++
		c.sum += x
		c.squares += x * x
		c.bars[min(smallBars-1, max(0, int((x-low)*scale)))]++
	}
}

// listSuites makes the tables of the suites from sums, with tests in the order of their
// papers and series in the order of o.series. A cell without results is empty.
func (o *opened) listSuites(out *Overview, sums map[[2]string]map[string]*cellSum) {
	names := slices.SortedFunc(maps.Keys(sums), o.compareTests)
	for _, name := range names {
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Suite != name[0] {
			out.Suites = append(out.Suites, SuiteTable{Suite: name[0]})
		}
		t := &out.Suites[len(out.Suites)-1]
		t.Tests = append(t.Tests, TestOf{Test: name[1], Kind: "test"})
		for id := range sums[name] {
			if !slices.Contains(t.Series, id) {
				t.Series = append(t.Series, id)
			}
		}
	}
	for i := range out.Suites {
		t := &out.Suites[i]
		slices.SortFunc(t.Series, func(a, b string) int { return o.byID[a] - o.byID[b] })
		for k := range t.Tests {
			for _, id := range t.Series {
				t.Tests[k].Cells = append(t.Tests[k].Cells, sums[[2]string{t.Suite, t.Tests[k].Test}][id].cell())
			}
		}
	}
}

// compareTests orders tests by suite, then as their papers do, then by name.
func (o *opened) compareTests(a, b [2]string) int {
	return cmp.Or(strings.Compare(a[0], b[0]), o.testOrder(a)-o.testOrder(b), strings.Compare(a[1], b[1]))
}

// testOrder is the place of a test in its suite, large for an unknown one.
func (o *opened) testOrder(name [2]string) int {
	if s := o.rules.explorer.cfg.Items.Suites.Find(name[0]); s != nil {
		if i := slices.Index(s.Tests, name[1]); i >= 0 {
			return i
		}
	}
	return 1 << 20
}

// cell returns the sums as figures: mean, standard error, mean seconds and total cost. c may
// be nil, for a cell without results.
func (c *cellSum) cell() Cell {
	out := Cell{Histogram: []int{}}
	if c == nil {
		return out
	}
	out.N, out.Scored, out.Histogram = c.n, c.scored, c.bars[:]
	if n := float64(c.scored); n > 0 {
		mean := c.sum / n
		out.Mean = &mean
		if c.scored > 1 {
			out.Error = finite(math.Sqrt(max(0, c.squares-n*mean*mean) / (n - 1) / n))
		}
	}
	if c.timed > 0 {
		out.Seconds = finite(c.time / float64(c.timed))
	}
	if c.priced > 0 {
		out.Cost = finite(c.money)
	}
	return out
}
