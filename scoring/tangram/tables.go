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

// newTables implements scoring.Suite.Tables.
func newTables(o scoring.TableOptions) scoring.Tables {
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
	single     [columns]columnMeans // answers that name no repeat
	items      []itemTallies        // of the others, in order of appearance
	itemIndex  map[string]int       // indices in items by the item's key
	answers    int                  // counted in items
}

// itemTallies adds up the repeats of one item for each row of Table 2; Task 1 only uses the first.
type itemTallies [columns]tally

// tally counts answers and adds up their measures.
type tally struct {
	n, tse, rge, pe, vpr, success      int32
	evaluable, syntaxOK                int32 // whole: without a syntax error and evaluable
	iou, hausdorff, iouOK, hausdorffOK float64
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

// merge adds the counts of o to t.
func (t *tally) merge(o *tally) {
	t.n += o.n
	t.tse += o.tse
	t.rge += o.rge
	t.pe += o.pe
	t.vpr += o.vpr
	t.success += o.success
	t.evaluable += o.evaluable
	t.syntaxOK += o.syntaxOK
	t.iou += o.iou
	t.hausdorff += o.hausdorff
	t.iouOK += o.iouOK
	t.hausdorffOK += o.hausdorffOK
}

// columnMeans is a row of Table 2: means over items of the means over their repeats.
type columnMeans struct {
	evaluable, syntaxOK                        int // answers
	tse, rge, pe, vpr, success, evaluated      mean
	iou, hausdorff, iouOK, hausdorffOK, iouAll mean
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
	c.evaluable += int(t.evaluable)
	c.syntaxOK += int(t.syntaxOK)
	share := func(m *mean, k int32) { m.add(float64(k) / float64(t.n)) }
	share(&c.tse, t.tse)
	share(&c.rge, t.rge)
	share(&c.pe, t.pe)
	share(&c.vpr, t.vpr)
	share(&c.success, t.success)
	share(&c.evaluated, t.evaluable)
	c.iouAll.add(t.iou / float64(t.n))
	if t.evaluable > 0 {
		c.iou.add(t.iou / float64(t.evaluable))
		c.hausdorff.add(t.hausdorff / float64(t.evaluable))
	}
	if t.syntaxOK > 0 {
		c.iouOK.add(t.iouOK / float64(t.syntaxOK))
		c.hausdorffOK.add(t.hausdorffOK / float64(t.syntaxOK))
	}
}

// mean is a mean with a compensated sum (Neumaier).
type mean struct {
	sum, lost float64
	n         int
}

// add adds a value.
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
func (m *mean) percent() string { return formatFixed(100*(m.sum+m.lost)/float64(m.n), 2) }

// sample is the part of one answer's result that tables use.
type sample struct {
	tse, rge, pe, matches bool
	iou, hausdorff        float64
	evaluable             bool
}

// add counts an answer.
func (c *tally) add(s sample) {
	count := func(n *int32, b bool) {
		if b {
			*n++
		}
	}
	c.n++
	vpr := !s.tse && !s.rge && !s.pe
	count(&c.tse, s.tse)
	count(&c.rge, s.rge)
	count(&c.pe, s.pe)
	count(&c.vpr, vpr)
	count(&c.success, vpr && s.matches)
	if !s.evaluable {
		return
	}
	c.evaluable++
	c.iou += s.iou
	c.hausdorff += s.hausdorff
	if !s.tse {
		c.syntaxOK++
		c.iouOK += s.iou
		c.hausdorffOK += s.hausdorff
	}
}

// Add implements scoring.Tables.
func (t *tables) Add(r *scoring.Result) {
	missing := !r.Scored && r.Err != nil && r.Err.Code == "no_response"
	if !r.Scored && !missing {
		return
	}
	if r.Test == Outline {
		t.addChoice(r, missing)
		return
	}
	name := ""
	if s := r.Strings("setting"); len(s) == 1 {
		name = s[0]
	}
	g := t.groups[name]
	if g == nil {
		g = &group{}
		t.groups[name], t.order = g, append(t.order, name)
	}
	if missing {
		g.missing++
		if !t.missing {
			return
		}
	}
	var it itemTallies
	if missing { // a failed request has the syntax error json, docs/spec/tangram.md#r49
		for c := range it {
			it[c].add(sample{tse: true})
		}
	} else {
		it.read(r)
	}
	g.add(r, &it)
}

// read counts a scored answer in all rows.
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

// sampleOf reads a sample from the metrics whose names have the prefix.
func sampleOf(r *scoring.Result, prefix string) (s sample) {
	s.tse, _ = r.Bool(prefix + "tse")
	s.rge, _ = r.Bool(prefix + "rge")
	s.pe, _ = r.Bool(prefix + "pe")
	s.matches, _ = r.Bool(prefix + "matches")
	s.iou, s.evaluable = r.Float(prefix + "iou")
	s.hausdorff, _ = r.Float(prefix + "hausdorff")
	return s
}

// addChoice counts an answer of Task 1: an invalid one as a syntax error.
func (t *tables) addChoice(r *scoring.Result, missing bool) {
	g := &t.choices
	if missing {
		g.missing++
		if !t.missing {
			return
		}
	}
	var it itemTallies
	at := &it[mainColumn]
	at.n = 1
	if invalid, _ := r.Bool("invalid"); invalid || missing {
		at.tse = 1
	} else if r.Score == 1 {
		at.success = 1
	}
	g.add(r, &it)
}

// Tables implements scoring.Tables.
func (t *tables) Tables() (out []scoring.TextTable) {
	if g := &t.choices; g.n > 0 {
		c := g.column(mainColumn)
		out = append(out, scoring.TextTable{Title: "TangramPuzzle Table 1: outline prediction", Text: 1, Note: g.footnote(t.missing),
			Columns: []string{"", "N", "Invalid", "Acc"}, Rows: [][]string{{"Task 1", strconv.Itoa(g.n), c.tse.percent(), c.success.percent()}}})
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

// title returns the title of a setting's table.
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
		out.Rows = append(out.Rows, []string{name, strconv.Itoa(g.n), c.tse.percent(), c.rge.percent(), c.pe.percent(), c.vpr.percent(),
			formatFixed(c.iou.times(100), 2), formatFixed(c.hausdorff.times(1), 4), c.success.percent()})
	}
	return out
}

// detailTable returns the figures that the paper's table does not have.
func (g *group) detailTable(name string) scoring.TextTable {
	c := g.column(mainColumn)
	return scoring.TextTable{Title: title(name) + ", beside it", Text: 1, Columns: []string{"", "count", "value"}, Rows: [][]string{
		{"evaluable, %", strconv.Itoa(c.evaluable), c.evaluated.percent()},
		{"iou_all, missing as 0", strconv.Itoa(g.n), formatFixed(c.iouAll.times(100), 2)},
		{"iou_syntax_ok", strconv.Itoa(c.syntaxOK), formatFixed(c.iouOK.times(100), 2)},
		{"hausdorff_syntax_ok", strconv.Itoa(c.syntaxOK), formatFixed(c.hausdorffOK.times(1), 4)},
	}}
}

// formatFixed formats x with n decimals, or a dash for the mean of nothing.
func formatFixed(x float64, n int) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', n, 64)
}
