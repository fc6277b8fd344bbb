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
	countMissing bool
	groups       map[string]*group // by setting
	settingNames []string
	choices      group
}

// newSeriesTables returns the tables of one series.
func newSeriesTables(o scoring.TableOptions) *tables {
	return &tables{countMissing: o.Missing, groups: map[string]*group{}}
}

// The rows of Table 2: ways of reading an answer.
const (
	mainReading      = iota
	repairReading    // with repaired backslashes
	congruentReading // with pieces rigid by congruence
	pointsReading    // with pieces connected by points
	readings
)

// group adds up the answers of one setting of Task 2, or of Task 1.
type group struct {
	// n answers count. missing ones are among them only with tables.countMissing.
	n, missing int
	allAnswers scoring.Tally   // of all answers
	unrepeated [readings]means // answers that name no repeat
	items      []itemTallies   // of the others, in order of appearance
	itemIndex  map[string]int  // indices in items by the item's key
	repeats    int             // counted in items
}

// itemTallies adds up the repeats of one item for each way of reading its answers. Task 1
// uses mainReading only.
type itemTallies [readings]answerTally

// The shares of answers that tables report. The last two count answers with a measurable union,
// and those of them without a syntax error.
const (
	shareSyntaxErrors = iota
	shareRigidErrors
	sharePhysicsErrors
	shareValid
	shareSuccess
	shareEvaluable
	shareSyntaxOK
	shares
)

// answerTally counts answers and adds up their measures.
type answerTally struct {
	n              int32
	counts         [shares]int32
	iou, hausdorff [2]float64 // sums over the evaluable answers, and those without a syntax error
}

// maxItems bounds the items of a group that are remembered. Beyond it each answer counts as an
// item of its own.
const maxItems = 1 << 18

// addItem counts an answer together with the other repeats of its item, so that an item counts once
// in the means. An answer without a repeat number, or of an item that is not remembered, counts as
// an item of its own.
func (g *group) addItem(r *scoring.Result, answer *itemTallies) {
	g.n++
	item := -1
	if r.Who.Repeat > 0 {
		item = g.itemOf(r)
	}
	if item < 0 {
		for reading := range answer {
			g.unrepeated[reading].add(&answer[reading])
		}
		return
	}
	g.repeats++
	for reading := range answer {
		g.items[item][reading].merge(&answer[reading])
	}
}

// itemOf returns the index of the answer's item in g.items, which it adds if it is new. It
// returns -1 for an item without a name, and for new ones beyond maxItems.
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

// merge adds the counts and sums of other tangram answers.
func (t *answerTally) merge(other *answerTally) {
	t.n += other.n
	for i, count := range other.counts {
		t.counts[i] += count
	}
	for i := range other.iou {
		t.iou[i] += other.iou[i]
		t.hausdorff[i] += other.hausdorff[i]
	}
}

// means is a row of Table 2: means over items of the means over their repeats.
type means struct {
	answers        [shares]int
	share          [shares]compensatedMean
	iou, hausdorff [2]compensatedMean // as in tally
	iouAll         compensatedMean    // with 0 for answers that are not evaluable
}

// meansOf returns the means over all tangram items of a group for one way of reading their answers.
func (g *group) meansOf(which int) means {
	c := g.unrepeated[which]
	for i := range g.items {
		c.add(&g.items[i][which])
	}
	return c
}

// add counts one tangram item by the means over its answers. It ignores a tally without answers;
// items of Task 1 have such tallies in all ways of reading but the first.
func (c *means) add(t *answerTally) {
	if t.n == 0 {
		return
	}
	for i, count := range t.counts {
		c.answers[i] += int(count)
		c.share[i].add(float64(count) / float64(t.n))
	}
	c.iouAll.add(t.iou[0] / float64(t.n))
	for i, which := range [2]int{shareEvaluable, shareSyntaxOK} {
		if count := float64(t.counts[which]); count > 0 {
			c.iou[i].add(t.iou[i] / count)
			c.hausdorff[i].add(t.hausdorff[i] / count)
		}
	}
}

// compensatedMean is a mean with a compensated sum (Neumaier), so that many small values are
// not lost.
type compensatedMean struct {
	sum, lost float64
	n         int
}

// add adds a value to the sum of a mean in a tangram table, and what rounding lost of it to m.lost
// (Neumaier's summation).
func (m *compensatedMean) add(value float64) {
	sum := m.sum + value
	if math.Abs(m.sum) >= math.Abs(value) {
		m.lost += (m.sum - sum) + value
	} else {
		m.lost += (value - sum) + m.sum
	}
	m.sum = sum
	m.n++
}

// scaled returns the mean times a factor, or NaN if nothing was added.
func (m *compensatedMean) scaled(factor float64) float64 {
	return factor * ((m.sum + m.lost) / float64(m.n))
}

// percent formats the mean of shares as a percentage.
func (m *compensatedMean) percent() string {
	return scoring.FormatCell(100*(m.sum+m.lost)/float64(m.n), 2)
}

// outcome is the part of one answer's result that tables use.
type outcome struct {
	syntaxError, rigidError, physicsError, matches bool
	iou, hausdorff                                 float64
	evaluable                                      bool
}

// add counts one tangram answer. Its IoU and Hausdorff distance are added if it is evaluable, and
// in a second sum if it has no syntax error either.
func (t *answerTally) add(s outcome) {
	t.n++
	vpr := !s.syntaxError && !s.rigidError && !s.physicsError
	// in the order of shareSyntaxErrors to shareSyntaxOK
	for i, holds := range [shares]bool{s.syntaxError, s.rigidError, s.physicsError, vpr, vpr &&
		s.matches, s.evaluable, s.evaluable && !s.syntaxError} {
		if holds {
			t.counts[i]++
		}
	}
	for i := range t.iou {
		if s.evaluable && (i == 0 || !s.syntaxError) {
			t.iou[i] += s.iou
			t.hausdorff[i] += s.hausdorff
		}
	}
}

// Add counts a TangramPuzzle result in its table, once for every way of reading the answer. A
// missing answer counts as a syntax error with countMissing; without it, it is only tallied. Other
// results without a score are only tallied. It implements scoring.Tables.
func (t *tables) Add(r *scoring.Result) {
	missing := !r.Scored && r.Err != nil && r.Err.Code == "no_response"
	g := t.groupOf(r)
	g.allAnswers.Add(r) // every result; g.addItem below gets those that count in Table 2
	if !r.Scored && !missing {
		return
	}
	if missing {
		g.missing++
		if !t.countMissing {
			return
		}
	}
	var tallies itemTallies
	switch {
	case r.Test == Outline:
		tallies.addChoice(r, missing)
	case missing: // a syntax error for every way of reading, docs/spec/tangram.md#r49
		for reading := range tallies {
			tallies[reading].add(outcome{syntaxError: true})
		}
	default:
		tallies.addSolution(r)
	}
	g.addItem(r, &tallies)
}

// groupOf returns the group of tangram answers in which a result is counted: that of Task 1, or
// that of the setting of Task 2, which it creates if it is new. The setting is in the metrics, or
// else in the model's identity.
func (t *tables) groupOf(r *scoring.Result) *group {
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
		t.groups[name], t.settingNames = g, append(t.settingNames, name)
	}
	return g
}

// addSolution counts a scored answer to Task 2 of TangramPuzzle for every way of reading it. If the
// result has no repair metrics, repairing backslashes changed nothing.
func (it *itemTallies) addSolution(r *scoring.Result) {
	main := outcomeOf(r, "")
	it[mainReading].add(main)
	repaired := main
	if _, ok := r.Bool("repair_tse"); ok {
		repaired = outcomeOf(r, "repair_")
	}
	it[repairReading].add(repaired)
	changed := main
	changed.rigidError, _ = r.Bool("rge_congruent")
	it[congruentReading].add(changed)
	changed = main
	overlap, _ := r.Bool("pe_overlap")
	apart, _ := r.Bool("pe_disconnected_point")
	changed.physicsError = overlap || apart
	it[pointsReading].add(changed)
}

// outcomeOf returns what the tangram tables use of a result, from the metrics whose names begin
// with prefix: "" for the answer as it is, "repair_" for the repaired one.
func outcomeOf(r *scoring.Result, prefix string) (s outcome) {
	s.syntaxError, _ = r.Bool(prefix + "tse")
	s.rigidError, _ = r.Bool(prefix + "rge")
	s.physicsError, _ = r.Bool(prefix + "pe")
	s.matches, _ = r.Bool(prefix + "matches")
	s.iou, s.evaluable = r.Float(prefix + "iou")
	s.hausdorff, _ = r.Float(prefix + "hausdorff")
	return s
}

// addChoice counts an answer to Task 1 of TangramPuzzle, the multiple-choice test. An invalid or
// missing answer counts as a syntax error.
func (it *itemTallies) addChoice(r *scoring.Result, missing bool) {
	main := &it[mainReading]
	main.n = 1
	if invalid, _ := r.Bool("invalid"); invalid || missing {
		main.counts[shareSyntaxErrors] = 1
	} else if r.Score == 1 {
		main.counts[shareSuccess] = 1
	}
}

// Tables returns the tables of one series of TangramPuzzle results: that of Task 1, then two for
// each setting of Task 2, with the paper's settings first. Groups without answers have none. It
// implements scoring.Tables.
func (t *tables) Tables() (out []scoring.TextTable) {
	if g := &t.choices; g.n > 0 {
		c := g.meansOf(mainReading)
		out = append(out, scoring.TextTable{Title: "TangramPuzzle Table 1: outline prediction", Text: 1,
			Note:    g.footnote(t.countMissing),
			Columns: []string{"", "N", "Invalid", "Acc"},
			Rows: [][]string{{"Task 1", strconv.Itoa(g.n), c.share[shareSyntaxErrors].percent(),
				c.share[shareSuccess].percent()}}})
	}
	slices.SortStableFunc(t.settingNames, func(a, b string) int { return settingOrder(a) - settingOrder(b) })
	for _, name := range t.settingNames {
		if g := t.groups[name]; g.n > 0 {
			out = append(out, g.table(name, t.countMissing), g.detailTable(name))
		}
	}
	return out
}

// settingOrder returns the position of a TangramPuzzle setting in the report: the paper's settings
// come first.
func settingOrder(setting string) int {
	if i := slices.Index(settings, setting); i >= 0 {
		return i
	}
	return len(settings)
}

// footnote returns the note under a tangram table on how missing answers and repeats count. counted
// says that missing answers are in n.
func (g *group) footnote(counted bool) string {
	var parts []string
	switch {
	case g.missing == 0:
	case counted:
		parts = append(parts, fmt.Sprintf("%d without a response are counted as failed.", g.missing))
	default:
		parts = append(parts, fmt.Sprintf("%d without a response are left out.", g.missing))
	}
	if n := len(g.items); n < g.repeats {
		parts = append(parts, fmt.Sprintf("%d items; the repeats of each are averaged first.", g.n-g.repeats+n))
	}
	return strings.Join(parts, " ")
}

// tableTitle returns the title of the table of a TangramPuzzle setting.
func tableTitle(setting string) string {
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

// table returns the table of one setting in the form of Table 2. Columns: way of reading,
// number of answers, those of tableCells.
func (g *group) table(name string, missing bool) scoring.TextTable {
	out := scoring.TextTable{Title: tableTitle(name), Text: 1,
		Columns: []string{"", "N", "TSE", "RGE", "PE", "VPR", "IoU", "Hausdorff", "Success"},
		Note:    g.footnote(missing)}
	for reading, name := range [readings]string{"main", "repaired backslashes", "rigid by congruence",
		"connected by points"} {
		c := g.meansOf(reading)
		out.Rows = append(out.Rows, append([]string{name, strconv.Itoa(g.n)}, c.tableCells()...))
	}
	return out
}

// detailTable returns figures of a tangram setting that the paper's table does not have: the share
// of evaluable answers, the mean IoU with 0 for others, and IoU and Hausdorff distance over answers
// without a syntax error.
func (g *group) detailTable(name string) scoring.TextTable {
	c := g.meansOf(mainReading)
	return scoring.TextTable{Title: tableTitle(name) + ", beside it", Text: 1,
		Columns: []string{"", "count", "value"}, Rows: [][]string{
			{"evaluable, %", strconv.Itoa(c.answers[shareEvaluable]), c.share[shareEvaluable].percent()},
			{"iou_all, missing as 0", strconv.Itoa(g.n), scoring.FormatCell(c.iouAll.scaled(100), 2)},
			{"iou_syntax_ok", strconv.Itoa(c.answers[shareSyntaxOK]), scoring.FormatCell(c.iou[1].scaled(100), 2)},
			{"hausdorff_syntax_ok", strconv.Itoa(c.answers[shareSyntaxOK]),
				scoring.FormatCell(c.hausdorff[1].scaled(1), 4)},
		}}
}
