package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"plumb/scoring"
)

// two is a suite with three tests, two of them in one category.
var two = &scoring.Suite{Name: "two", Tests: []string{"a", "b", "c"},
	Groups: []scoring.Group{{Name: "first", Tests: []string{"a", "b"}}, {Name: "last", Tests: []string{"c"}}}}

func scored(test string, x float64) *scoring.Result {
	return &scoring.Result{Suite: "two", Test: test, Scored: true, Score: x}
}

func failed(test, code string) *scoring.Result {
	return &scoring.Result{Suite: "two", Test: test, Err: &scoring.Error{Code: code}}
}

func row(t *testing.T, tab *Table, name string) Row {
	t.Helper()
	for _, l := range tab.Lines() {
		if l.Name == name {
			return l.Cells[0]
		}
	}
	t.Fatalf("there is no row %s", name)
	return Row{}
}

func is(x *float64, want float64) bool {
	if x == nil {
		return math.IsNaN(want)
	}
	return math.Abs(*x-want) <= 1e-12
}

func TestRows(t *testing.T) {
	none := math.NaN()
	type want struct {
		name                       string
		n, scored, missing, failed int
		mean, se                   float64
	}
	results := []*scoring.Result{
		scored("a", 1), scored("a", -2), scored("a", 4), failed("a", "no_response"), failed("a", "not_native"),
		scored("b", 0.5), failed("b", "no_response"),
		failed("c", "undefined"),
	}
	cases := []struct {
		name string
		o    Options
		rows []want
	}{
		{"default", Options{}, []want{
			{"a", 5, 3, 1, 1, 1, math.Sqrt(3)}, {"b", 2, 1, 1, 0, 0.5, none}, {"c", 1, 0, 0, 1, none, none},
			{"first", 7, 4, 2, 1, 0.75, none}, {"last", 1, 0, 0, 1, none, none}, {"average", 8, 4, 2, 2, 0.75, none},
		}},
		{"zero", Options{Missing: Zero}, []want{
			{"a", 5, 3, 1, 1, 0.75, 1.25}, {"b", 2, 1, 1, 0, 0.25, 0.25}, {"average", 8, 4, 2, 2, 0.5, none},
		}},
	}
	for _, c := range cases {
		c.o.Suites = scoring.Suites{two}
		tab := New(c.o)
		for _, r := range results {
			tab.Add(r)
		}
		for _, w := range c.rows {
			r := row(t, tab, w.name)
			if r.N != w.n || r.Scored != w.scored || r.Missing != w.missing || r.Failed != w.failed || !is(r.Mean, w.mean) || !is(r.SE, w.se) {
				t.Errorf("%s: row %s is %+v; want %+v", c.name, w.name, r, w)
			}
		}
	}
}

func TestClamp(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}, Clamp: true})
	for _, r := range []*scoring.Result{scored("a", -3), scored("b", 0.5), scored("c", 9)} {
		tab.Add(r)
	}
	if r := row(t, tab, "a"); !is(r.Mean, -3) {
		t.Errorf("the mean of a test is %v; want -3: only means of means are of limited tests", *r.Mean)
	}
	if r := row(t, tab, "first"); !is(r.Mean, 0.25) {
		t.Errorf("the category is %v; want 0.25", *r.Mean)
	}
	if r := row(t, tab, "average"); !is(r.Mean, 0.5) {
		t.Errorf("the average is %v; want 0.5", *r.Mean)
	}
}

// TestPartialAverage: an average over fewer tests than the suite has says so.
func TestPartialAverage(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	tab.Add(scored("a", 0.6))
	if r := row(t, tab, "average"); r.Tests != 1 || r.AllTests != 3 || !is(r.Mean, 0.6) || r.SE != nil {
		t.Errorf("the average of one test of three is %+v", r)
	}
}

// TestOverflow: figures beyond the range of doubles are none, and a mean of tests leaves such a test out.
func TestOverflow(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	for _, r := range []*scoring.Result{scored("a", 1e200), scored("a", -1e200), scored("b", 1.7e308), scored("b", -1.7e308), scored("c", 3)} {
		tab.Add(r)
	}
	if r := row(t, tab, "a"); r.Mean == nil || r.Tests != 1 || r.SE != nil {
		t.Errorf("a test whose squares overflow is %+v; want a mean and no standard error", r)
	}
	if r := row(t, tab, "b"); r.Mean != nil || r.Tests != 0 || r.SE != nil || r.Scored != 2 {
		t.Errorf("a test whose sum overflows is %+v; want neither a mean nor a standard error", r)
	}
	if r := row(t, tab, "average"); r.Tests != 2 || r.Mean == nil {
		t.Errorf("the average is %+v; want that of two tests", r)
	}
	var text bytes.Buffer
	if _, err := tab.WriteTo(&text); err != nil || strings.Contains(text.String(), "Inf") || strings.Contains(text.String(), "NaN") {
		t.Errorf("got %v and\n%s\nwant no NaN and no Inf", err, text.String())
	}
}

// TestAgainstTwoPasses: the running figures equal those of the textbook formula,
// also where the mean is large against the spread.
func TestAgainstTwoPasses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, offset := range []float64{0, 1e6} {
		tab := New(Options{Suites: scoring.Suites{two}})
		var xs []float64
		var sum float64
		for range 1000 {
			x := offset + rnd.NormFloat64()
			xs, sum = append(xs, x), sum+x
			tab.Add(scored("a", x))
		}
		mean, squares := sum/1000, 0.0
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
		se := math.Sqrt(squares/999) / math.Sqrt(1000)
		if r := row(t, tab, "a"); math.Abs(*r.Mean-mean) > 1e-9 || math.Abs(*r.SE-se) > 1e-9 {
			t.Errorf("offset %g: got %v ± %v; want %v ± %v", offset, *r.Mean, *r.SE, mean, se)
		}
	}
}

func TestOther(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	for i := range 3 * maxSeen {
		tab.Add(&scoring.Result{Suite: "strange", Test: fmt.Sprint("t", i), Scored: true})
	}
	tab.Add(&scoring.Result{Line: 7, Err: &scoring.Error{Code: "bad_line"}})
	tab.Add(failed("nonsense", "unknown_test"))
	want := "2 lines could not be read or name no test of their suite; the tables leave them out\n" +
		"2000 lines are left out: a table has 1000 series (models and ways to ask), and as many tests of unknown suites, at most\n"
	if got := len(tab.Lines()); got != maxSeen || tab.RowlessText() != want {
		t.Errorf("got %d rows and %q; want %d and %q", got, tab.RowlessText(), maxSeen, want)
	}
}

func TestWriteTo(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	var empty bytes.Buffer
	if n, err := tab.WriteTo(&empty); n != 0 || err != nil || empty.Len() != 0 {
		t.Errorf("an empty table writes %q, %v", &empty, err)
	}
	tab.Add(scored("b", 0.25))
	tab.Add(scored("b", 0.75))
	long := scored("a", -12)
	long.Metrics = []scoring.Metric{{Name: "tokens", Value: 210.0}}
	tab.Add(long)
	tab.Add(&scoring.Result{})
	tab.Add(&scoring.Result{Suite: "x\x1b[2J", Test: strings.Repeat("y", 99), Err: &scoring.Error{Code: "no_response"}})
	want := strings.Join([]string{
		"suite  test                                      n  scored  missing  failed      mean      se  tokens",
		"two    a                                         1       1        0       0  -12.0000       -   210.0",
		"two    b                                         2       2        0       0    0.5000  0.2500       -",
		"two    first                                     3       3        0       0   -5.7500           210.0",
		"two    average (2 of 3 tests)                    3       3        0       0   -5.7500           210.0",
		"x?[2J  yyyyyyyyyyyyyyyyyyyyy...yyyyyyyyyyyyyyyy  1       0        1       0         -       -       -",
		"1 line could not be read or names no test of its suite; the tables leave it out", ""}, "\n")
	var got bytes.Buffer
	if n, err := tab.WriteTo(&got); err != nil || int(n) != got.Len() || got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestParseMissing(t *testing.T) {
	for s, want := range map[string]Missing{"skip": Skip, "zero": Zero} {
		if got, err := ParseMissing(s); got != want || err != nil {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
	if _, err := ParseMissing("none"); err == nil {
		t.Error("an unknown value is accepted")
	}
}

// tabled is a suite with a table of its own that counts by colour.
var tabled = &scoring.Suite{Name: two.Name, Tests: two.Tests, Groups: two.Groups,
	Tables: func(o scoring.TableOptions) scoring.Tables {
		return &colours{missing: o.Missing, n: map[string]int{}}
	}}

type colours struct {
	missing bool
	order   []string
	n       map[string]int
}

func (c *colours) Add(r *scoring.Result) {
	for _, s := range r.Strings("colour") {
		if c.n[s] == 0 {
			c.order = append(c.order, s)
		}
		c.n[s]++
	}
}

func (c *colours) Tables() []scoring.TextTable {
	t := scoring.TextTable{Title: "Table 1: colours", Note: fmt.Sprint("missing counts: ", c.missing), Columns: []string{"colour", "items"}, TextColumns: 1}
	for _, s := range c.order {
		t.Rows = append(t.Rows, []string{s, fmt.Sprint(c.n[s])})
	}
	return []scoring.TextTable{t}
}

func TestTablesOfTheirOwn(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{tabled}, Missing: Zero})
	for _, c := range []string{"red", "blue", "red"} {
		tab.Add(&scoring.Result{Suite: tabled.Name, Test: tabled.Tests[0], Scored: true, Metrics: []scoring.Metric{{Name: "colour", Value: c}}})
	}
	var b strings.Builder
	tab.WriteTo(&b)
	want := "\nTable 1: colours\ncolour  items\nred         2\nblue        1\nmissing counts: true\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got:\n%s\nwant at its end:\n%s", b.String(), want)
	}
}

// answer is a result of item id by a model.
func answer(id, model string, repeat int, x float64) *scoring.Result {
	r := scored("a", x)
	r.ID, r.Who = id, scoring.Identity{Model: model, Repeat: repeat}
	return r
}

// TestSeries: models are kept apart, repeats are averaged within their item, and the
// standard error is that of items.
func TestSeries(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{tabled}})
	for _, r := range []*scoring.Result{
		answer("i", "M", 1, 0), answer("i", "N", 1, 1), answer("i", "M", 2, 1), answer("k", "M", 1, 1), answer("k", "M", 2, 1), answer("k", "M", 3, 1),
	} {
		r.Metrics = []scoring.Metric{{Name: "colour", Value: r.Who.Model}}
		if !tab.Add(r) {
			t.Errorf("%s of %s is left out", r.ID, r.Who.Model)
		}
	}
	if tab.Add(answer("i", "M", 2, 0)) || tab.duplicates != 1 {
		t.Error("the same answer is counted twice")
	}
	var b strings.Builder
	tab.WriteTo(&b)
	want := strings.Join([]string{
		"suite  test                    model  n  scored  missing  failed    mean      se",
		"two    a                       M      5       5        0       0  0.7500  0.2500",
		"two    first (1 of 2 tests)    M      5       5        0       0  0.7500",
		"two    average (1 of 3 tests)  M      5       5        0       0  0.7500",
		"two    a                       N      1       1        0       0  1.0000       -",
		"two    first (1 of 2 tests)    N      1       1        0       0  1.0000",
		"two    average (1 of 3 tests)  N      1       1        0       0  1.0000",
		"1 more line is left out: an earlier line has the same id, test, model, repeat and turn (note duplicate_id)",
		"", "pass@k, %", "suite  test  model  items  answers  k = 1   k = 2   k = 3", "two    a     M          2        5  75.00  100.00  100.00",
		"Success: a score of 1, of 0.9 in DrawingBench, and what success says in TangramPuzzle. Items with fewer than k answers are left out.",
		"", "Table 1: colours · M", "colour  items", "M           5", "missing counts: false",
		"", "Table 1: colours · N", "colour  items", "N           1", "missing counts: false", ""}, "\n")
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestNamelessLines: lines without an id are no repeats of each other, though two
// dumps have the same numbers.
func TestNamelessLines(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	for range 2 {
		for i, x := range []float64{0, 1} {
			tab.Add(answer(fmt.Sprint("line:", i+1), "", i, x))
		}
	}
	if r := row(t, tab, "a"); r.N != 4 || tab.duplicates != 0 || tab.DuplicatesText() != "" || !is(r.Mean, 0.5) || !is(r.SE, math.Sqrt(1.0/3)/2) {
		t.Errorf("got %+v, %d left out; want 4 items", r, tab.duplicates)
	}
}

// TestBounded: a table reports that its memory is full, and still counts.
func TestBounded(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	const most, more = 100, 3
	tab.ledger = newLedger(most)
	for i := range most + more {
		tab.Add(answer(fmt.Sprint(i), "", 1, float64(i&1)))
	}
	r := row(t, tab, "a")
	if tab.ledger.items != most {
		t.Errorf("got %d items remembered; want %d", tab.ledger.items, most)
	}
	share := 51.0 / 103
	if r.N != most+more || !is(r.Mean, share) || !is(r.SE, math.Sqrt(share*(1-share)/102)) || !strings.Contains(tab.DuplicatesText(), "past 100 answers") {
		t.Errorf("got %+v ± %v, %q", *r.Mean, *r.SE, tab.DuplicatesText())
	}
	// Without numbers of repeats nothing is lost, and nothing is said.
	tab = New(Options{Suites: scoring.Suites{two}})
	tab.ledger.unnumberedLimit = most
	for i := range most + more {
		tab.Add(answer(fmt.Sprint(i), "", 0, float64(i&1)))
	}
	if r := row(t, tab, "a"); !is(r.Mean, share) || !is(r.SE, math.Sqrt(share*(1-share)/102)) || tab.DuplicatesText() != "" || tab.ledger.items != most {
		t.Errorf("got %+v ± %v, %q", *r.Mean, *r.SE, tab.DuplicatesText())
	}
}

// TestLongNames: names of models that differ in their ends alone stay different.
func TestLongNames(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	for i, step := range []string{"1000", "2000"} {
		tab.Add(answer("a", "organisation/a-model-with-a-long-name/checkpoint-"+step, 0, float64(i)))
	}
	var b strings.Builder
	tab.WriteTo(&b)
	for _, want := range []string{".../checkpoint-1000 ", ".../checkpoint-2000 "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestLargeMeans: the score of an answer far outside the page does not tear the table.
func TestLargeMeans(t *testing.T) {
	for x, want := range map[float64]string{0: "0.000", -12.3456: "-12.346", 999999999: "999999999.000", -5e297: "-5.000e+297", math.Inf(1): "-", math.Inf(-1): "-", math.NaN(): "-"} {
		if got := Number(x, 3); got != want {
			t.Errorf("%g is written %s; want %s", x, got, want)
		}
	}
}

// TestClusters checks that the standard error is over what items share, and over items where they
// share nothing.
func TestClusters(t *testing.T) {
	shared := func(suite, id string) string { return id[:1] }
	for _, c := range []struct {
		cluster func(suite, id string) string
		want    float64
	}{
		{nil, math.Sqrt(1.0 / 12)},         // four items: sd sqrt(1/3) over 2
		{shared, math.Sqrt(2*(1+1)) / 4.0}, // two clusters with sums 1 and -1 about the mean
	} {
		tab := New(Options{Suites: scoring.Suites{two}, Cluster: c.cluster})
		for id, x := range map[string]float64{"a1": 1, "a2": 1, "b1": 0, "b2": 0} {
			r := scored("a", x)
			r.ID = id
			tab.Add(r)
		}
		if got := row(t, tab, "a"); !is(got.SE, c.want) {
			t.Errorf("got %v; want %v", *got.SE, c.want)
		}
	}
	// An item of two answers counts by its mean: the residuals of the clusters are 0.75 and -0.75.
	repeated := New(Options{Suites: scoring.Suites{two}, Cluster: shared})
	for _, a := range []struct {
		id     string
		repeat int
		x      float64
	}{{"a1", 1, 1}, {"a1", 2, 0}, {"a2", 1, 1}, {"b1", 1, 0}, {"b2", 1, 0}} {
		r := scored("a", a.x)
		r.ID, r.Who.Repeat = a.id, a.repeat
		repeated.Add(r)
	}
	if got := row(t, repeated, "a"); !is(got.SE, 0.375) {
		t.Errorf("clusters of repeated answers: got %v; want 0.375", *got.SE)
	}
	own := New(Options{Suites: scoring.Suites{two}})
	for _, x := range []float64{1, 1, 0, 0} {
		r := scored("a", x)
		r.ID, r.Cluster = fmt.Sprint(own.Lines(), x, rand.Int64()), fmt.Sprint(x)
		own.Add(r)
	}
	if got := row(t, own, "a"); !is(got.SE, math.Sqrt(2*(1+1))/4) {
		t.Errorf("clusters of results: got %v", *got.SE)
	}
}

// TestRemark checks that titles say what sets a run apart, once.
func TestRemark(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}, Remark: "subset, temperature 0.2"})
	for i := range 2 {
		r := scored("a", 1)
		r.ID, r.Who.Repeat = "x", i+1
		tab.Add(r)
	}
	if got := tab.MoreTables()[0].Title; got != "pass@k, %, subset, temperature 0.2" {
		t.Errorf("got %q", got)
	}
	if got := withRemark("people (published only)", "subset"); got != "people (published only)" {
		t.Errorf("got %q for a table without a run; want its own title", got)
	}
	if got := withRemark("accuracy, subset", "subset, top p 1"); got != "accuracy, subset, top p 1" {
		t.Errorf("got %q", got)
	}
}

// TestSuccess checks from which score an answer succeeds.
func TestSuccess(t *testing.T) {
	from := 0.5
	for _, c := range []struct {
		suite, test string
		score       float64
		from        *float64
		want        int32
	}{
		{"aspire", "maze", 0.6, nil, 0}, {"aspire", "maze", 0.6, &from, 1}, {"aspire", "maze", 0.4, &from, 0}, {"aspire", "maze", 0.5, &from, 1}, {"aspire", "pattern", 0.6, &from, 0},
		{"spatialab", "mcq", 0.6, &from, 0}, {"drawingbench", "drawing", 0.6, &from, 0}, {"drawingbench", "drawing", 0.9, &from, 1},
	} {
		r := scoring.Result{Suite: c.suite, Test: c.test, Scored: true, Score: c.score}
		if got := successCount(&r, c.from); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}

// TestWithoutTokens: groups have tokens where their tests have some, and series have lines for what
// they answered alone.
func TestWithoutTokens(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	for model, test := range map[string]string{"with": "a", "without": "c"} {
		r := scored(test, 1)
		r.Who.Model = model
		if model == "with" {
			r.Metrics = []scoring.Metric{{Name: "tokens", Value: 210.0}}
		}
		tab.Add(r)
	}
	var got bytes.Buffer
	if _, err := tab.WriteTo(&got); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for l := range strings.Lines(got.String()) {
		lines = append(lines, strings.Join(strings.Fields(l), " "))
	}
	slices.Sort(lines)
	want := []string{"suite test model n scored missing failed mean se tokens", "two a with 1 1 0 0 1.0000 - 210.0", "two average (1 of 3 tests) with 1 1 0 0 1.0000 210.0",
		"two average (1 of 3 tests) without 1 1 0 0 1.0000 -", "two c without 1 1 0 0 1.0000 - -", "two first (1 of 2 tests) with 1 1 0 0 1.0000 210.0", "two last without 1 1 0 0 1.0000 -"}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// TestManySeries: series beyond the most that a table has are counted.
func TestManySeries(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	for i := range maxSeen + 3 {
		r := scored("a", 1)
		r.Who.Model = fmt.Sprint("m", i)
		tab.Add(r)
	}
	if got := tab.RowlessText(); !strings.HasPrefix(got, "3 lines are left out: a table has 1000 series") {
		t.Errorf("got %q; want three lines left out", got)
	}
	// A test of an unknown suite gets no row from a result of a series that is left out.
	r := &scoring.Result{Suite: "strange", Test: "t", Scored: true}
	r.Who.Model = "one more"
	tab.Add(r)
	if lines := tab.Lines(); slices.ContainsFunc(lines, func(l Line) bool { return l.Suite == "strange" }) {
		t.Errorf("got a row without any result in %d rows", len(lines))
	}
}

// TestCutIsCounted: rows count the answers that a limit cut, also those of several tests.
func TestCutIsCounted(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	for _, test := range []string{"a", "a", "b", "c"} {
		r := scored(test, 1)
		r.Who.Cut = "answer"
		tab.Add(r)
	}
	tab.Add(scored("b", 1))
	for name, want := range map[string]int{"a": 2, "b": 1, "first": 3, "average": 4} {
		if got := row(t, tab, name).Cut; got != want {
			t.Errorf("%s: got %d cut answers; want %d", name, got, want)
		}
	}
}

// TestOneTest: a suite of one test has no average beside it.
func TestOneTest(t *testing.T) {
	one := &scoring.Suite{Name: "one", Tests: []string{"a"}}
	tab := New(Options{Suites: scoring.Suites{one}})
	tab.Add(&scoring.Result{Suite: "one", Test: "a", Scored: true, Score: 1})
	if lines := tab.Lines(); len(lines) != 1 || lines[0].Name != "a" {
		t.Errorf("got %+v; want the row of the test alone", lines)
	}
}
