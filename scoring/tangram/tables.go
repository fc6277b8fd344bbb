package tangram

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring"
)

// settings are those of Task 2, in the order of the paper. See
// docs/spec/tangram.md#r51.
var settings = []string{"zero-shot", "in-context", "visual-centric"}

// tables aggregates results as the paper's Tables 1 to 3 do. Repeats of an item are
// averaged first. Sums are compensated and follow the order of the input. See
// docs/spec/tangram.md#r50.
type tables struct {
	missing bool
	groups  map[string]*group // by setting
	order   []string
	choices group
}

func newTables(o scoring.TableOptions) scoring.Tables {
	return &tables{missing: o.Missing, groups: map[string]*group{}}
}

// The ways to read an answer that have a row of their own.
const (
	mainColumn      = iota
	repairColumn    // with repaired backslashes
	congruentColumn // with pieces rigid by congruence
	pointsColumn    // with pieces connected by points
	columns
)

// group is what one setting adds up to.
type group struct {
	n, missing int
	alone      [columns]column // answers that name no repeat
	items      []item          // of the others, in order of appearance
	at         map[string]int  // places in items
	answers    int             // in items
}

// item adds up the repeats of one item, for each column; Task 1 has the first alone.
type item [columns]tally

// tally counts answers, and sums over those of which there is something.
type tally struct {
	n, tse, rge, pe, vpr, success int32
	evaluable, whole              int32 // whole: without a syntax error and evaluable
	iou, far, iouOK, farOK        float64
}

// maxItems is how many items of a group are remembered. Beyond it each answer counts
// as an item.
const maxItems = 1 << 18

// add counts an answer: in its item, or alone where it names no repeat.
func (g *group) add(r *scoring.Result, answer *item) {
	g.n++
	i := -1
	if r.Who.Repeat > 0 {
		i = g.place(r)
	}
	if i < 0 {
		for c := range answer {
			g.alone[c].add(&answer[c])
		}
		return
	}
	g.answers++
	for c := range answer {
		g.items[i][c].join(&answer[c])
	}
}

// place returns the index of the item of an answer, -1 where it is not remembered.
func (g *group) place(r *scoring.Result) int {
	key, named := r.Item(nil)
	i, ok := g.at[string(key)]
	switch {
	case ok:
		return i
	case !named || len(g.at) >= maxItems:
		return -1
	case g.at == nil:
		g.at = map[string]int{}
	}
	g.at[string(key)] = len(g.items)
	g.items = append(g.items, item{})
	return len(g.items) - 1
}

func (t *tally) join(o *tally) {
	t.n += o.n
	t.tse += o.tse
	t.rge += o.rge
	t.pe += o.pe
	t.vpr += o.vpr
	t.success += o.success
	t.evaluable += o.evaluable
	t.whole += o.whole
	t.iou += o.iou
	t.far += o.far
	t.iouOK += o.iouOK
	t.farOK += o.farOK
}

// column is a row of Table 2: means over items of the means over their repeats.
type column struct {
	evaluable, whole                      int // answers
	tse, rge, pe, vpr, success, evaluated mean
	iou, far, iouOK, farOK, iouAll        mean
}

// column adds up the items.
func (g *group) column(which int) column {
	c := g.alone[which]
	for i := range g.items {
		c.add(&g.items[i][which])
	}
	return c
}

// add counts an item. It ignores a column without answers, as Task 1 leaves them.
func (c *column) add(t *tally) {
	if t.n == 0 {
		return
	}
	c.evaluable += int(t.evaluable)
	c.whole += int(t.whole)
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
		c.far.add(t.far / float64(t.evaluable))
	}
	if t.whole > 0 {
		c.iouOK.add(t.iouOK / float64(t.whole))
		c.farOK.add(t.farOK / float64(t.whole))
	}
}

// mean is a mean with a compensated sum.
type mean struct {
	sum sum
	n   int
}

func (m *mean) add(x float64) {
	m.sum.add(x)
	m.n++
}

// times is k times the mean, NaN for a mean of nothing.
func (m *mean) times(k float64) float64 { return k * m.sum.over(m.n) }

// percent prints the mean of shares.
func (m *mean) percent() string { return digits(100*(m.sum.s+m.sum.c)/float64(m.n), 2) }

// sum is a compensated sum (Neumaier).
type sum struct{ s, c float64 }

func (a *sum) add(x float64) {
	t := a.s + x
	if math.Abs(a.s) >= math.Abs(x) {
		a.c += (a.s - t) + x
	} else {
		a.c += (x - t) + a.s
	}
	a.s = t
}

func (a *sum) over(n int) float64 { return (a.s + a.c) / float64(n) }

// sample is what a column needs of one answer.
type sample struct {
	tse, rge, pe, matches bool
	iou, far              float64
	evaluable             bool
}

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
	c.far += s.far
	if !s.tse {
		c.whole++
		c.iouOK += s.iou
		c.farOK += s.far
	}
}

// Add implements scoring.Tables.
func (t *tables) Add(r *scoring.Result) {
	missing := !r.Scored && r.Err != nil && r.Err.Code == "no_response"
	if !r.Scored && !missing {
		return
	}
	if r.Test == Outline {
		t.choose(r, missing)
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
	var it item
	if missing { // a failed request has the syntax error json, docs/spec/tangram.md#r49
		for c := range it {
			it[c].add(sample{tse: true})
		}
	} else {
		it.read(r)
	}
	g.add(r, &it)
}

// read fills in an answer that was scored.
func (it *item) read(r *scoring.Result) {
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

func sampleOf(r *scoring.Result, prefix string) (s sample) {
	s.tse, _ = r.Bool(prefix + "tse")
	s.rge, _ = r.Bool(prefix + "rge")
	s.pe, _ = r.Bool(prefix + "pe")
	s.matches, _ = r.Bool(prefix + "matches")
	s.iou, s.evaluable = r.Float(prefix + "iou")
	s.far, _ = r.Float(prefix + "hausdorff")
	return s
}

// choose counts an answer of Task 1: an invalid one as a syntax error.
func (t *tables) choose(r *scoring.Result, missing bool) {
	g := &t.choices
	if missing {
		g.missing++
		if !t.missing {
			return
		}
	}
	var it item
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
		out = append(out, scoring.TextTable{Title: "TangramPuzzle Table 1: outline prediction", Text: 1, Note: g.note(t.missing),
			Columns: []string{"", "N", "Invalid", "Acc"}, Rows: [][]string{{"Task 1", strconv.Itoa(g.n), c.tse.percent(), c.success.percent()}}})
	}
	slices.SortStableFunc(t.order, func(a, b string) int { return place(a) - place(b) })
	for _, name := range t.order {
		if g := t.groups[name]; g.n > 0 {
			out = append(out, g.table(name, t.missing), g.beside(name))
		}
	}
	return out
}

func place(setting string) int {
	if i := slices.Index(settings, setting); i >= 0 {
		return i
	}
	return len(settings)
}

// note returns a text on how missing answers and repeats count.
func (g *group) note(counted bool) string {
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

// title names the paper's table of a setting.
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

func (g *group) table(name string, missing bool) scoring.TextTable {
	out := scoring.TextTable{Title: title(name), Text: 1, Columns: []string{"", "N", "TSE", "RGE", "PE", "VPR", "IoU", "Hausdorff", "Success"},
		Note: g.note(missing)}
	for which, name := range [columns]string{"main", "repaired backslashes", "rigid by congruence", "connected by points"} {
		c := g.column(which)
		out.Rows = append(out.Rows, []string{name, strconv.Itoa(g.n), c.tse.percent(), c.rge.percent(), c.pe.percent(), c.vpr.percent(),
			digits(c.iou.times(100), 2), digits(c.far.times(1), 4), c.success.percent()})
	}
	return out
}

func (g *group) beside(name string) scoring.TextTable {
	c := g.column(mainColumn)
	return scoring.TextTable{Title: title(name) + ", beside it", Text: 1, Columns: []string{"", "count", "value"}, Rows: [][]string{
		{"evaluable, %", strconv.Itoa(c.evaluable), c.evaluated.percent()},
		{"iou_all, missing as 0", strconv.Itoa(g.n), digits(c.iouAll.times(100), 2)},
		{"iou_syntax_ok", strconv.Itoa(c.whole), digits(c.iouOK.times(100), 2)},
		{"hausdorff_syntax_ok", strconv.Itoa(c.whole), digits(c.farOK.times(1), 4)},
	}}
}

// digits prints a number; a dash stands for a mean of nothing.
func digits(x float64, n int) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', n, 64)
}
