// Package table aggregates results. In: results, one by one, in the order of the dump. Out: for
// each suite, test and series (a model and the way it was asked) the number of results and of
// scored ones, the mean and its standard error, and the means of categories and of the whole
// suite. Of duplicate answers only the first counts; repeats of an item are averaged first.
// Memory grows with the number of items, up to a bound. A result without a score never counts
// as 0, except missing answers under Zero.
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

// ParseMissing reads the value of --missing: "skip" or "zero".
func ParseMissing(s string) (Missing, error) {
	switch s {
	case "skip":
		return Skip, nil
	case "zero":
		return Zero, nil
	}
	return Skip, fmt.Errorf("cannot use missing %q: want skip or zero", s)
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
	// Remark is added to the titles of the suites' own tables, such as "subset"; "" for nothing.
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
	options Options
	series  []*part // in order of appearance
	of      map[scoring.Series]*part
	joined  map[string]scoring.Tables // by suite: tables that cover all series
	seen    []name                    // suites and tests that no suite of the options lists, in order of appearance
	strange map[name]bool             // those in seen
	other   int                       // results that belong to no row: undecodable lines, tests that their suite lacks, and beyond
	beyond  int                       // those of them whose test or series is beyond maxSeen
	twice   int                       // duplicate answers
	tokens  bool                      // a result has the metric tokens
	ledger  ledger
}

// part holds the cells of one series.
type part struct {
	series scoring.Series
	cells  map[name]*cell
	own    map[string]scoring.Tables // by suite: tables of this series alone
	ends   map[string]*scoring.Tally // by suite
}

// name identifies a test.
type name struct{ suite, test string }

// maxSeen bounds the rows of suites that Options does not list, and the series,
// because their names come from the dump.
const maxSeen = 1000

// New returns an empty table of means.
func New(o Options) *Table {
	t := &Table{options: o, of: map[scoring.Series]*part{}, joined: map[string]scoring.Tables{}, strange: map[name]bool{}, ledger: newLedger(scoring.MaxAnswers)}
	for _, s := range o.Suites {
		if s.JoinsSeries {
			t.joined[s.Name] = s.Tables(t.tableOptions())
		}
	}
	return t
}

// tableOptions returns the options that suites' own tables get.
func (t *Table) tableOptions() scoring.TableOptions {
	return scoring.TableOptions{Variants: t.options.Variants, Missing: t.options.Missing == Zero, Papers: t.options.Papers, Cluster: t.options.Cluster}
}

// Add counts a result and returns true. It skips a duplicate of an earlier answer and
// returns false. The last digits of sums depend on the order of results, so the caller
// adds them in the order of the dump. Add keeps no reference to r.
func (t *Table) Add(r *scoring.Result) (first bool) {
	if !t.ledger.answers.First(r) {
		t.twice++
		return false
	}
	p, c := t.cell(r)
	if c == nil {
		t.other++
		return true
	}
	c.n++
	if r.Who.Cut != "" {
		c.cut++
	}
	p.countEnd(r)
	own := t.joined[r.Suite]
	if own == nil {
		own = p.own[r.Suite]
	}
	if own != nil {
		own.Add(r)
	}
	switch {
	case r.Scored:
		t.ledger.score(c, r, r.Score, &t.options)
	case r.Err != nil && r.Err.Code == "no_response":
		c.missing++
		if t.options.Missing == Zero {
			t.ledger.score(c, r, 0, &t.options)
		}
	default:
		c.failed++
	}
	tokens, known := r.Float("tokens")
	if known {
		c.tokens.add(tokens)
		t.tokens = true
	}
	return true
}

// cell returns the series and the cell of the table that a result belongs to. It returns nil for a
// line without suite or test, a test that its suite lacks, or a name beyond maxSeen.
func (t *Table) cell(r *scoring.Result) (*part, *cell) {
	at, series := name{r.Suite, r.Test}, r.Series()
	if p := t.of[series]; p != nil && p.cells[at] != nil { // as for most results
		return p, p.cells[at]
	}
	if !t.lists(at) && !t.strange[at] {
		if r.Suite == "" || r.Test == "" || t.options.Suites.Find(r.Suite) != nil {
			return nil, nil
		}
		if len(t.seen) >= maxSeen {
			t.beyond++
			return nil, nil
		}
		t.strange[at] = true
		t.seen = append(t.seen, at)
	}
	p := t.part(series)
	if p == nil {
		t.beyond++
		return nil, nil
	}
	c := new(cell)
	p.cells[at] = c
	if s := t.options.Suites.Find(r.Suite); s != nil && s.Tables != nil && t.joined[r.Suite] == nil && p.own[r.Suite] == nil {
		p.own[r.Suite] = s.Tables(t.tableOptions())
	}
	return p, c
}

// part returns the part of a series, nil where there are more than maxSeen.
func (t *Table) part(s scoring.Series) *part {
	p := t.of[s]
	if p == nil && len(t.series) < maxSeen {
		p = &part{series: s, cells: map[name]*cell{}, own: map[string]scoring.Tables{}, ends: map[string]*scoring.Tally{}}
		t.of[s] = p
		t.series = append(t.series, p)
	}
	return p
}

// lists reports whether a suite of Options has the test.
func (t *Table) lists(at name) bool {
	s := t.options.Suites.Find(at.suite)
	return s != nil && slices.Contains(s.Tests, at.test)
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
	// Tests is the number of tests with a mean, Of that of all tests of the row.
	Tests, Of int
	Mean      *float64 // nil when there is none
	SE        *float64 // standard error over items; nil below two items, and for means of means
	Tokens    *float64 // mean of the metric tokens; nil when no result has it
}

// Line is one row of the table, with the values of each series.
type Line struct {
	Kind  Kind
	Suite string
	Name  string // test or category; "average" for a Total
	Cells []Row  // in the order of Series; N is 0 where a series has no result
}

// Series lists the series in order of appearance.
func (t *Table) Series() []scoring.Series {
	list := make([]scoring.Series, len(t.series))
	for i, p := range t.series {
		list[i] = p.series
	}
	return list
}

// Lines returns the rows: for each suite its tests, categories and average. It leaves
// out rows without any result.
func (t *Table) Lines() []Line {
	var lines []Line
	for _, s := range t.options.Suites {
		lines = append(lines, t.suite(s)...)
	}
	for _, at := range t.seen {
		lines = append(lines, t.line(Test, at.suite, at.test, func(p *part) Row { return p.test(at) }))
	}
	return lines
}

// publishedOnly ends the titles of tables without a model of the run.
const publishedOnly = "(published only)"

// Own returns the tables that reproduce those of the suites' papers, in the order of
// the suites. The titles name the series where several have such tables.
func (t *Table) Own() []scoring.TextTable {
	all := t.own()
	for i := range all {
		all[i].Title = remarked(all[i].Title, t.options.Remark)
	}
	return all
}

// remarked adds a remark to a title, without the words that the title has already. Tables that hold
// published numbers alone stay as they are, because the remark is about the run.
func remarked(title, remark string) string {
	if strings.HasSuffix(title, publishedOnly) {
		return title
	}
	for _, word := range strings.Split(remark, ", ") {
		if word != "" && !strings.HasSuffix(title, ", "+word) {
			title += ", " + word
		}
	}
	return title
}

// own returns the tables of Own without the remark in their titles.
func (t *Table) own() []scoring.TextTable {
	var all []scoring.TextTable
	for _, general := range []scoring.TextTable{t.used(), t.pass()} {
		if len(general.Rows) > 0 {
			all = append(all, general)
		}
	}
	for _, s := range t.options.Suites {
		if joined := t.joined[s.Name]; joined != nil {
			all = append(all, joined.Tables()...)
			continue
		}
		var parts []*part
		for _, p := range t.series {
			if p.own[s.Name] != nil {
				parts = append(parts, p)
			}
		}
		for _, p := range parts {
			for _, own := range p.own[s.Name].Tables() {
				if len(parts) > 1 {
					own.Title += " · " + cmp.Or(p.series.String(), "no model")
				}
				all = append(all, own)
			}
		}
	}
	return all
}

// Twice returns the number of results that are left out because an earlier one has the
// same answer (scoring.Result.Answer).
func (t *Table) Twice() int { return t.twice }

// suite returns the rows of one suite: its tests, categories and average.
func (t *Table) suite(s *scoring.Suite) []Line {
	var lines []Line
	keep := func(l Line) {
		if slices.ContainsFunc(l.Cells, func(r Row) bool { return r.N > 0 }) {
			lines = append(lines, l)
		}
	}
	for _, test := range s.Tests {
		keep(t.line(Test, s.Name, test, func(p *part) Row { return p.test(name{s.Name, test}) }))
	}
	if len(lines) == 0 {
		return nil
	}
	for _, group := range s.Groups {
		keep(t.line(Group, s.Name, group.Name, func(p *part) Row { return t.joint(p, Group, s.Name, group.Name, group.Tests) }))
	}
	if len(s.Tests) > 1 {
		keep(t.line(Total, s.Name, "average", func(p *part) Row { return t.joint(p, Total, s.Name, "average", s.Tests) }))
	}
	return lines
}

// line builds a row of the table from the values that of returns for each series.
func (t *Table) line(k Kind, suite, called string, of func(*part) Row) Line {
	l := Line{Kind: k, Suite: suite, Name: called}
	for _, p := range t.series {
		l.Cells = append(l.Cells, of(p))
	}
	return l
}

// test returns the row of one test in one series.
func (p *part) test(at name) Row {
	r := Row{Kind: Test, Suite: at.suite, Name: at.test, Of: 1}
	c := p.cells[at]
	if c == nil {
		return r
	}
	r.N, r.Missing, r.Failed, r.Scored, r.Cut = c.n, c.missing, c.failed, c.n-c.missing-c.failed, c.cut
	scores := c.scores()
	if scores.n > 0 {
		r.Tests, r.Mean = 1, &scores.value
	}
	if se, ok := c.standardError(&scores); ok {
		r.SE = &se
	}
	if c.tokens.n > 0 {
		r.Tokens = &c.tokens.value
	}
	return r
}

// joint returns the row of several tests in one series: the mean of the means of those tests that
// have one.
func (t *Table) joint(p *part, k Kind, suite, called string, tests []string) Row {
	r := Row{Kind: k, Suite: suite, Name: called, Of: len(tests)}
	var sum float64
	var tokens mean
	for _, test := range tests {
		one := p.test(name{suite, test})
		r.N += one.N
		r.Scored += one.Scored
		r.Missing += one.Missing
		r.Failed += one.Failed
		if one.Tokens != nil {
			tokens.add(*one.Tokens)
		}
		if one.Mean == nil {
			continue
		}
		x := *one.Mean
		if t.options.Clamp {
			x = math.Min(math.Max(x, 0), 1)
		}
		sum += x
		r.Tests++
	}
	if r.Tests > 0 {
		x := sum / float64(r.Tests)
		r.Mean = &x
	}
	if tokens.n > 0 {
		r.Tokens = &tokens.value
	}
	return r
}
