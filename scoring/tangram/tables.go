package tangram

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring"
)

// settings are the settings of Task 2, in the paper's order. See docs/spec/tangram.md#r51.
var settings = []string{"zero-shot", "in-context", "visual-centric"}

// tables aggregates results as Tables 1 to 3 of the paper do. Repeats of an item are averaged
// first. Sums are compensated and follow the order of the input. See docs/spec/tangram.md#r50.
type tables struct {
	missing bool
	groups  map[string]*group // by setting
	order   []string
	choices group
}

// newSeriesTables returns the tables of one series.
func newSeriesTables(o scoring.TableOptions) *tables {
	return &tables{missing: o.Missing, groups: map[string]*group{}}
}

// The rows of Table 2: ways of reading an answer.
const (
	mainColumn      = iota
	repairColumn    // with repaired backslashes
	congruentColumn // with pieces rigid by congruence
	pointsColumn    // with pieces connected by points
	columns
)

// group adds up the answers of one setting.
type group struct {
	n, missing int
	tally      scoring.Tally        // of all answers
	single     [columns]columnMeans // answers that name no repeat
	items      []itemTallies        // of the others, in order of appearance
	itemIndex  map[string]int       // indices in items by the item's key
	answers    int                  // counted in items
}

// itemTallies adds up the repeats of one item for each row of Table 2; Task 1 only uses the first.
type itemTallies [columns]tally

// The shares of answers that tables report. The last two count answers with a measurable union,
// and those of them without a syntax error.
const (
	shareTSE = iota
	shareRGE
	sharePE
	shareVPR
	shareSuccess
	shareEvaluable
	shareSyntaxOK
	shares
)

// tally counts answers and adds up their measures.
type tally struct {
	n              int32
	counts         [shares]int32
	iou, hausdorff [2]float64 // sums over the evaluable answers, and those without a syntax error
}

// maxItems bounds the items of a group that are remembered. Beyond it each answer counts as an
// item of its own.
const maxItems = 1 << 18

// add counts an answer with the other repeats of its item, or by itself if it has no repeat
// number.
func (g *group) add(r *scoring.Result, answer *itemTallies) {
	g.n++
	i := -1
	if r.Who.Repeat > 0 {
		i = g.itemOf(r)
	}
	if i < 0 {
		for c := range answer {
			g.single[c].add(&answer[c])
		}
		return
	}
	g.answers++
	for c := range answer {
		g.items[i][c].merge(&answer[c])
	}
}

// itemOf returns the index of the answer's item in g.items, or -1 if it is not remembered.
func (g *group) itemOf(r *scoring.Result) int {
	key, named := r.Item(nil)
	i, ok := g.itemIndex[string(key)]
	switch {
	case ok:
		return i
	case !named || len(g.itemIndex) >= maxItems:
		return -1
	case g.itemIndex == nil:
		g.itemIndex = map[string]int{}
	}
	g.itemIndex[string(key)] = len(g.items)
	g.items = append(g.items, itemTallies{})
	return len(g.items) - 1
}

// merge adds the counts and measures of other answers to t.
func (t *tally) merge(o *tally) {
	t.n += o.n
	for i, k := range o.counts {
		t.counts[i] += k
	}
	for i := range o.iou {
		t.iou[i] += o.iou[i]
		t.hausdorff[i] += o.hausdorff[i]
	}
}

// columnMeans is a row of Table 2: means over items of the means over their repeats.
type columnMeans struct {
	answers        [shares]int
	share          [shares]mean
	iou, hausdorff [2]mean // as in tally
	iouAll         mean    // with 0 for answers that are not evaluable
}

// column returns the row of Table 2 for one way of reading answers.
func (g *group) column(which int) columnMeans {
	c := g.single[which]
	for i := range g.items {
		c.add(&g.items[i][which])
	}
	return c
}

// add counts an item. It ignores a tally without answers, which Task 1 has in all rows but the
// first.
func (c *columnMeans) add(t *tally) {
	if t.n == 0 {
		return
	}
	for i, k := range t.counts {
		c.answers[i] += int(k)
		c.share[i].add(float64(k) / float64(t.n))
	}
	c.iouAll.add(t.iou[0] / float64(t.n))
	for i, which := range [2]int{shareEvaluable, shareSyntaxOK} {
		if k := float64(t.counts[which]); k > 0 {
			c.iou[i].add(t.iou[i] / k)
			c.hausdorff[i].add(t.hausdorff[i] / k)
		}
	}
}

// mean is a mean with a compensated sum (Neumaier).
type mean struct {
	sum, lost float64
	n         int
}

// add adds a measure of an answer to the mean.
func (m *mean) add(x float64) {
	t := m.sum + x
	if math.Abs(m.sum) >= math.Abs(x) {
		m.lost += (m.sum - t) + x
	} else {
		m.lost += (x - t) + m.sum
	}
	m.sum = t
	m.n++
}

// times returns k times the mean, or NaN if nothing was added.
func (m *mean) times(k float64) float64 { return k * ((m.sum + m.lost) / float64(m.n)) }

// percent formats the mean of shares as a percentage.
func (m *mean) percent() string { return scoring.FormatCell(100*(m.sum+m.lost)/float64(m.n), 2) }

// sample is the part of one answer's result that tables use.
type sample struct {
	tse, rge, pe, matches bool
	iou, hausdorff        float64
	evaluable             bool
}

// add counts an answer to a puzzle.
func (t *tally) add(s sample) {
	t.n++
	vpr := !s.tse && !s.rge && !s.pe
	for i, b := range [shares]bool{s.tse, s.rge, s.pe, vpr, vpr && s.matches, s.evaluable, s.evaluable && !s.tse} {
		if b {
			t.counts[i]++
		}
	}
	for i := range t.iou {
		if s.evaluable && (i == 0 || !s.tse) {
			t.iou[i] += s.iou
			t.hausdorff[i] += s.hausdorff
		}
	}
}

// Add implements scoring.Tables.
func (t *tables) Add(r *scoring.Result) {
	missing := !r.Scored && r.Err != nil && r.Err.Code == "no_response"
	g := t.group(r)
	g.tally.Add(r)
	if !r.Scored && !missing {
		return
	}
	if missing {
		g.missing++
		if !t.missing {
			return
		}
	}
	var it itemTallies
	switch {
	case r.Test == Outline:
		it.readChoice(r, missing)
	case missing: // a failed request has the syntax error json, docs/spec/tangram.md#r49
		for c := range it {
			it[c].add(sample{tse: true})
		}
	default:
		it.read(r)
	}
	g.add(r, &it)
}

// group returns the group of a result: Task 1, or the setting of Task 2.
func (t *tables) group(r *scoring.Result) *group {
	if r.Test == Outline {
		return &t.choices
	}
	name := ""
	if s := r.Strings("setting"); len(s) == 1 {
		name = s[0]
	} else {
		name = r.Who.Setting()
	}
	g := t.groups[name]
	if g == nil {
		g = &group{}
		t.groups[name], t.order = g, append(t.order, name)
	}
	return g
}

// read counts a scored answer in each way of reading that the tables have.
func (it *itemTallies) read(r *scoring.Result) {
	main := sampleOf(r, "")
	it[mainColumn].add(main)
	again := main
	if _, ok := r.Bool("repair_tse"); ok {
		again = sampleOf(r, "repair_")
	}
	it[repairColumn].add(again)
	s := main
	s.rge, _ = r.Bool("rge_congruent")
	it[congruentColumn].add(s)
	s = main
	overlap, _ := r.Bool("pe_overlap")
	apart, _ := r.Bool("pe_disconnected_point")
	s.pe = overlap || apart
	it[pointsColumn].add(s)
}

// sampleOf reads what tables use of a result from the metrics whose names have the prefix.
func sampleOf(r *scoring.Result, prefix string) (s sample) {
	s.tse, _ = r.Bool(prefix + "tse")
	s.rge, _ = r.Bool(prefix + "rge")
	s.pe, _ = r.Bool(prefix + "pe")
	s.matches, _ = r.Bool(prefix + "matches")
	s.iou, s.evaluable = r.Float(prefix + "iou")
	s.hausdorff, _ = r.Float(prefix + "hausdorff")
	return s
}

// readChoice counts an answer of Task 1: an invalid one as a syntax error.
func (it *itemTallies) readChoice(r *scoring.Result, missing bool) {
	at := &it[mainColumn]
	at.n = 1
	if invalid, _ := r.Bool("invalid"); invalid || missing {
		at.counts[shareTSE] = 1
	} else if r.Score == 1 {
		at.counts[shareSuccess] = 1
	}
}

// Tables implements scoring.Tables.
func (t *tables) Tables() (out []scoring.TextTable) {
	if g := &t.choices; g.n > 0 {
		c := g.column(mainColumn)
		out = append(out, scoring.TextTable{Title: "TangramPuzzle Table 1: outline prediction", Text: 1, Note: g.footnote(t.missing),
			Columns: []string{"", "N", "Invalid", "Acc"}, Rows: [][]string{{"Task 1", strconv.Itoa(g.n), c.share[shareTSE].percent(), c.share[shareSuccess].percent()}}})
	}
	slices.SortStableFunc(t.order, func(a, b string) int { return settingOrder(a) - settingOrder(b) })
	for _, name := range t.order {
		if g := t.groups[name]; g.n > 0 {
			out = append(out, g.table(name, t.missing), g.detailTable(name))
		}
	}
	return out
}

// settingOrder returns the position of a setting in the report: the paper's settings first.
func settingOrder(setting string) int {
	if i := slices.Index(settings, setting); i >= 0 {
		return i
	}
	return len(settings)
}

// footnote describes how missing answers and repeats count.
func (g *group) footnote(counted bool) string {
	var parts []string
	switch {
	case g.missing == 0:
	case counted:
		parts = append(parts, fmt.Sprintf("%d without a response are counted as failed.", g.missing))
	default:
		parts = append(parts, fmt.Sprintf("%d without a response are left out.", g.missing))
	}
	if n := len(g.items); n < g.answers {
		parts = append(parts, fmt.Sprintf("%d items; the repeats of each are averaged first.", g.n-g.answers+n))
	}
	return strings.Join(parts, " ")
}

// title returns the title of the table of a TangramPuzzle setting.
func title(setting string) string {
	switch setting {
	case "":
		return "TangramPuzzle Table 2"
	case settings[0]:
		return "TangramPuzzle Table 2: zero-shot"
	case settings[1], settings[2]:
		return "TangramPuzzle Table 3: " + setting
	}
	return "TangramPuzzle: " + setting
}

// table returns the setting's table in the form of Table 2, with a row for each way of reading
// answers.
func (g *group) table(name string, missing bool) scoring.TextTable {
	out := scoring.TextTable{Title: title(name), Text: 1, Columns: []string{"", "N", "TSE", "RGE", "PE", "VPR", "IoU", "Hausdorff", "Success"},
		Note: g.footnote(missing)}
	for which, name := range [columns]string{"main", "repaired backslashes", "rigid by congruence", "connected by points"} {
		c := g.column(which)
		out.Rows = append(out.Rows, append([]string{name, strconv.Itoa(g.n)}, c.cells()...))
	}
	return out
}

// detailTable returns the figures that the paper's table does not have.
func (g *group) detailTable(name string) scoring.TextTable {
	c := g.column(mainColumn)
	return scoring.TextTable{Title: title(name) + ", beside it", Text: 1, Columns: []string{"", "count", "value"}, Rows: [][]string{
		{"evaluable, %", strconv.Itoa(c.answers[shareEvaluable]), c.share[shareEvaluable].percent()},
		{"iou_all, missing as 0", strconv.Itoa(g.n), scoring.FormatCell(c.iouAll.times(100), 2)},
		{"iou_syntax_ok", strconv.Itoa(c.answers[shareSyntaxOK]), scoring.FormatCell(c.iou[1].times(100), 2)},
		{"hausdorff_syntax_ok", strconv.Itoa(c.answers[shareSyntaxOK]), scoring.FormatCell(c.hausdorff[1].times(1), 4)},
	}}
}
