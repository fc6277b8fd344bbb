// Package table adds results up by series, which are a model and the way it was asked. In:
// results, one by one, in the order of the dump. Out: for each suite, test and series the number
// of results and of scored ones, the mean and its standard error, and the means of categories and
// of the whole suite. Of duplicate answers only the first counts; repeats of an item are averaged
// first. Memory grows with the number of items, up to a bound. A result without a score never
// counts as 0, except missing answers under Zero.
package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"plumb/scoring"
)

// Missing selects how an answer without a response counts.
type Missing uint8

// The ways to count answers without a response.
const (
	Skip Missing = iota // it does not count
	Zero                // as the score 0
)

// ParseMissing reads the value of --missing, which says how a table counts missing answers: "skip"
// or "zero".
func ParseMissing(text string) (Missing, error) {
	switch text {
	case "skip":
		return Skip, nil
	case "zero":
		return Zero, nil
	}
	return Skip, fmt.Errorf("cannot use missing %q: want skip or zero", text)
}

// Clamp is the variant that limits the mean of every test to 0..1 before means
// of tests are taken. See docs/spec/aspire.md#r67.
const Clamp = "table.clamp01"

// Variants lists the variants that tables support.
func Variants() []scoring.Variant {
	return []scoring.Variant{{Name: Clamp, Source: "decided",
		Doc: "means of tests are limited to 0..1 before they are averaged"}}
}

// Options of a table.
type Options struct {
	Suites  scoring.Suites // their tests make rows, in their order
	Missing Missing
	Clamp   bool // variant Clamp
	// Variants are the selected variants, for the suites' own tables.
	Variants scoring.Variants
	// Remark is added to the titles of the suites' own tables: phrases with ", " between them, such as
	// "subset, temperature 0.2"; "" for nothing.
	Remark string
	// Cluster returns what an item shares with others, "" for nothing; nil where only results say
	// it (scoring.Result.Cluster).
	Cluster func(suite, id string) string
	// Success is the score from which an answer succeeds in tests without a rule of their own;
	// nil for 1.
	Success *float64
	// Papers are documents with published tables for them (scoring.TableOptions).
	Papers [][]byte
}

// Table holds the running sums of all results. One goroutine uses it at a time.
type Table struct {
	options       Options
	series        []*seriesCells // in order of appearance
	bySeries      map[scoring.Series]*seriesCells
	joinedTables  map[string]scoring.Tables // by suite: tables that cover all series
	unlistedTests []testName                // suites and tests that no suite of the options lists, in order of appearance
	isUnlisted    map[testName]bool         // those in unlistedTests
	inNoRow       int                       // results that belong to no row: undecodable lines, tests that their suite lacks, and those beyond maxSeen
	beyondLimit   int                       // those of them whose test or series is beyond maxSeen
	duplicates    int                       // duplicate answers
	hasTokens     bool                      // a result has the metric tokens
	ledger        ledger
}

// seriesCells holds the cells of one series.
type seriesCells struct {
	series    scoring.Series
	byTest    map[testName]*cell
	ownTables map[string]scoring.Tables // by suite: tables of this series alone
	tallies   map[string]*scoring.Tally // by suite
}

// testName identifies a test.
type testName struct{ suite, test string }

// maxSeen bounds the rows of suites that Options does not list, and the series,
// because their names come from the dump.
const maxSeen = 1000

// New returns an empty table of mean scores. Suites that build tables of their own from all series get
// one collector each.
func New(o Options) *Table {
	table := &Table{options: o, bySeries: map[scoring.Series]*seriesCells{}, joinedTables: map[string]scoring.Tables{},
		isUnlisted: map[testName]bool{}, ledger: newLedger(scoring.MaxAnswers)}
	for _, s := range o.Suites {
		if s.TablesJoinSeries {
			table.joinedTables[s.Name] = s.Tables(table.tableOptions())
		}
	}
	return table
}

// tableOptions returns the options that suites' own tables get.
func (table *Table) tableOptions() scoring.TableOptions {
	return scoring.TableOptions{Variants: table.options.Variants, Missing: table.options.Missing == Zero,
		Papers: table.options.Papers, Cluster: table.options.Cluster}
}

// Add counts a result and returns true. A duplicate of an earlier answer is skipped, and Add
// returns false. The last digits of sums depend on the order of results, so the caller must
// add them in the order of the dump. Add keeps no reference to result.
func (table *Table) Add(result *scoring.Result) (first bool) {
	if !table.ledger.answers.First(result) {
		table.duplicates++
		return false
	}
	series, cell := table.cellOf(result)
	if cell == nil {
		table.inNoRow++
		return true
	}
	// Count it in its cell, and in the tables of its suite.
	cell.results++
	if result.Who.Cut != "" {
		cell.cutAnswers++
	}
	series.addToTally(result)
	suiteTables := table.joinedTables[result.Suite] // a suite has tables of all series, of each series, or none
	if suiteTables == nil {
		suiteTables = series.ownTables[result.Suite]
	}
	if suiteTables != nil {
		suiteTables.Add(result)
	}
	// Add its score, or say why it has none.
	switch {
	case result.Scored:
		table.ledger.addScore(cell, result, result.Score, &table.options)
	case result.Err != nil && result.Err.Code == "no_response":
		cell.missing++
		if table.options.Missing == Zero {
			table.ledger.addScore(cell, result, 0, &table.options)
		}
	default:
		cell.failed++
	}
	tokens, known := result.Float("tokens")
	if known {
		cell.tokens.add(tokens)
		table.hasTokens = true
	}
	return true
}

// cellOf returns the series and the cell of the table (one test in one series) that a result belongs
// to, and creates them if they are new. It returns nil for a line without suite or test, a test that
// its suite lacks, or a name beyond maxSeen.
func (table *Table) cellOf(result *scoring.Result) (*seriesCells, *cell) {
	test, series := testName{result.Suite, result.Test}, result.Series()
	if cells := table.bySeries[series]; cells != nil && cells.byTest[test] != nil { // as for most results
		return cells, cells.byTest[test]
	}
	// A test of a suite that Options does not list gets a row too.
	isNewUnlisted := !table.isListed(test) && !table.isUnlisted[test]
	if isNewUnlisted {
		if result.Suite == "" || result.Test == "" || table.options.Suites.Find(result.Suite) != nil {
			return nil, nil
		}
		if len(table.unlistedTests) >= maxSeen {
			table.beyondLimit++
			return nil, nil
		}
	}
	cells := table.seriesOf(series)
	if cells == nil {
		table.beyondLimit++
		return nil, nil
	}
	if isNewUnlisted { // only now, because a row without any result must not appear
		table.isUnlisted[test] = true
		table.unlistedTests = append(table.unlistedTests, test)
	}
	made := new(cell)
	cells.byTest[test] = made
	table.makeOwnTables(cells, result.Suite)
	return cells, made
}

// makeOwnTables makes the collector of the tables that a suite has for each series alone. It does nothing
// where there is one, for a suite without such tables, and for one whose tables cover all series.
func (table *Table) makeOwnTables(cells *seriesCells, suiteName string) {
	suite := table.options.Suites.Find(suiteName)
	if suite == nil || suite.Tables == nil || table.joinedTables[suiteName] != nil || cells.ownTables[suiteName] != nil {
		return
	}
	cells.ownTables[suiteName] = suite.Tables(table.tableOptions())
}

// seriesOf returns the cells of a series of results, which it creates if it is new; nil for new
// ones beyond maxSeen.
func (table *Table) seriesOf(series scoring.Series) *seriesCells {
	cells := table.bySeries[series]
	if cells == nil && len(table.series) < maxSeen {
		cells = &seriesCells{series: series, byTest: map[testName]*cell{}, ownTables: map[string]scoring.Tables{},
			tallies: map[string]*scoring.Tally{}}
		table.bySeries[series] = cells
		table.series = append(table.series, cells)
	}
	return cells
}

// isListed reports whether a suite of Options has the test.
func (table *Table) isListed(test testName) bool {
	s := table.options.Suites.Find(test.suite)
	return s != nil && slices.Contains(s.Tests, test.test)
}

// Kind is the kind of a row.
type Kind uint8

// The kinds of rows.
const (
	Test  Kind = iota // one test
	Group             // mean of the means of a category's tests
	Total             // mean of the means of all tests of a suite
)

// Row holds the values of one series in one line of the table.
type Row struct {
	Kind  Kind
	Suite string
	Name  string // test or category; "average" for a Total
	// N counts results, Scored those with a score, Missing those without a
	// response, Failed those without a score for another reason. N is the sum of
	// the other three.
	N, Scored, Missing, Failed int
	Cut                        int // results of answers that a limit cut, however they count
	// Tests is the number of tests with a mean, AllTests that of all tests of the row.
	Tests, AllTests int
	Mean            *float64 // nil when there is none, also where it is beyond the range of doubles
	SE              *float64 // standard error over items; nil below two items, beyond that range, and for means of means
	Tokens          *float64 // mean of the metric tokens; nil when no result has it
}

// Line is one row of the table, with the values of each series.
type Line struct {
	Kind  Kind
	Suite string
	Name  string // test or category; "average" for a Total
	Cells []Row  // in the order of Series; N is 0 where a series has no result
}

// Series lists the series (models and arms) of the table in order of appearance.
func (table *Table) Series() []scoring.Series {
	list := make([]scoring.Series, len(table.series))
	for i, cells := range table.series {
		list[i] = cells.series
	}
	return list
}

// Lines returns the rows of the table of mean scores: for each suite its tests, categories and
// average. It leaves out rows without any result.
func (table *Table) Lines() []Line {
	var lines []Line
	for _, s := range table.options.Suites {
		lines = append(lines, table.suiteLines(s)...)
	}
	for _, test := range table.unlistedTests {
		lines = append(lines, table.lineOf(Test, test.suite, test.test, func(cells *seriesCells) Row { return cells.testRow(test) }))
	}
	return lines
}

// publishedOnly ends the titles of tables without a model of the run.
const publishedOnly = "(published only)"

// MoreTables returns the tables beside the main one: how answers ended and what they took, pass@k, and the
// tables that suites make themselves, which reproduce those of their papers, in the order of the suites. Their
// titles name the series where several have such tables.
func (table *Table) MoreTables() []scoring.TextTable {
	all := table.moreWithoutRemark()
	for i := range all {
		all[i].Title = withRemark(all[i].Title, table.options.Remark)
	}
	return all
}

// withRemark adds the phrases of a remark, which stand between commas, to the title of a suite's table.
// A suite may have ended its title with one of them, such as "subset", which is not said twice. Tables that
// hold only published numbers stay as they are, because the remark is about the run.
func withRemark(title, remark string) string {
	if strings.HasSuffix(title, publishedOnly) {
		return title
	}
	for _, phrase := range strings.Split(remark, ", ") {
		if phrase != "" && !strings.HasSuffix(title, ", "+phrase) {
			title += ", " + phrase
		}
	}
	return title
}

// moreWithoutRemark returns the tables of MoreTables, without the remark in their titles. Some suites have one
// table for all series. The others have one for each series, which the title names if there are several.
func (table *Table) moreWithoutRemark() []scoring.TextTable {
	var all []scoring.TextTable
	for _, general := range []scoring.TextTable{table.usageTable(), table.passTable()} {
		if len(general.Rows) > 0 {
			all = append(all, general)
		}
	}
	// The tables of each suite.
	for _, suite := range table.options.Suites {
		if joined := table.joinedTables[suite.Name]; joined != nil {
			all = append(all, joined.Tables()...)
			continue
		}
		var withTables []*seriesCells
		for _, cells := range table.series {
			if cells.ownTables[suite.Name] != nil {
				withTables = append(withTables, cells)
			}
		}
		for _, cells := range withTables {
			for _, own := range cells.ownTables[suite.Name].Tables() {
				if len(withTables) > 1 {
					own.Title += " · " + cmp.Or(cells.series.String(), "no model")
				}
				all = append(all, own)
			}
		}
	}
	return all
}

// suiteLines returns the rows of one suite in the table: its tests, its groups of tests and the
// average over all tests. Rows without any result are left out.
func (table *Table) suiteLines(suite *scoring.Suite) []Line {
	var lines []Line
	addUnlessEmpty := func(line Line) {
		if slices.ContainsFunc(line.Cells, func(row Row) bool { return row.N > 0 }) {
			lines = append(lines, line)
		}
	}
	for _, test := range suite.Tests {
		addUnlessEmpty(table.lineOf(Test, suite.Name, test,
			func(cells *seriesCells) Row { return cells.testRow(testName{suite.Name, test}) }))
	}
	if len(lines) == 0 {
		return nil
	}
	for _, group := range suite.Groups {
		addUnlessEmpty(table.lineOf(Group, suite.Name, group.Name,
			func(cells *seriesCells) Row { return table.jointRow(cells, Group, suite.Name, group.Name, group.Tests) }))
	}
	if len(suite.Tests) > 1 {
		addUnlessEmpty(table.lineOf(Total, suite.Name, "average",
			func(cells *seriesCells) Row { return table.jointRow(cells, Total, suite.Name, "average", suite.Tests) }))
	}
	return lines
}

// lineOf returns a row of the table with the values that rowOf returns for each series.
func (table *Table) lineOf(kind Kind, suite, name string, rowOf func(*seriesCells) Row) Line {
	line := Line{Kind: kind, Suite: suite, Name: name}
	for _, cells := range table.series {
		line.Cells = append(line.Cells, rowOf(cells))
	}
	return line
}

// testRow returns the row of one test in this series, with N = 0 where it has no result.
func (cells *seriesCells) testRow(test testName) Row {
	row := Row{Kind: Test, Suite: test.suite, Name: test.test, AllTests: 1}
	cell := cells.byTest[test]
	if cell == nil {
		return row
	}
	row.N, row.Missing, row.Failed, row.Scored, row.Cut = cell.results, cell.missing, cell.failed,
		cell.results-cell.missing-cell.failed, cell.cutAnswers
	scores := cell.meanScore()
	if scores.n > 0 {
		row.Mean = scoring.Finite(scores.value)
	}
	if row.Mean != nil {
		row.Tests = 1
	}
	if se, ok := cell.standardError(&scores); ok {
		row.SE = scoring.Finite(se)
	}
	if cell.tokens.n > 0 {
		row.Tokens = scoring.Finite(cell.tokens.value)
	}
	return row
}

// jointRow returns the row of the table for several tests together, in one series: the sums of their counts,
// and the mean of the means of those tests that have one. Under the variant Clamp each mean is limited to 0..1
// first. It has no standard error.
func (table *Table) jointRow(cells *seriesCells, kind Kind, suite, name string, tests []string) Row {
	joint := Row{Kind: kind, Suite: suite, Name: name, AllTests: len(tests)}
	var sum float64
	var tokens runningMean
	for _, test := range tests {
		row := cells.testRow(testName{suite, test})
		joint.N += row.N
		joint.Scored += row.Scored
		joint.Missing += row.Missing
		joint.Failed += row.Failed
		joint.Cut += row.Cut
		if row.Tokens != nil {
			tokens.add(*row.Tokens)
		}
		// A test without a mean counts only its answers.
		if row.Mean == nil {
			continue
		}
		mean := *row.Mean
		if table.options.Clamp {
			mean = math.Min(math.Max(mean, 0), 1)
		}
		sum += mean
		joint.Tests++
	}
	if joint.Tests > 0 {
		mean := sum / float64(joint.Tests)
		joint.Mean = scoring.Finite(mean)
	}
	if tokens.n > 0 {
		joint.Tokens = scoring.Finite(tokens.value)
	}
	return joint
}
