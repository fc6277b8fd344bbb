package tangram

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/plural"
)

const (
	zeroShot      = "zero-shot"
	inContext     = "in-context"
	visualCentric = "visual-centric"
)

// settings are the settings of Task 2, in the paper's order. See docs/spec/tangram.md#r51.
var settings = []string{zeroShot, inContext, visualCentric}

// tables aggregates results as Tables 1 to 3 of the paper do. Repeats of an item are averaged
// first. Sums are compensated and follow the order of the input. See docs/spec/tangram.md#r50.
type tables struct {
	countMissing bool
	groups       map[string]*group // by setting
	settingNames []string
	choices      group
}

// newSeriesTables returns the tables of one series.
func newSeriesTables(options scoring.TableOptions) *tables {
	return &tables{countMissing: options.Missing, groups: map[string]*group{}}
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
	// answers is how many answers count. missing ones are among them only with tables.countMissing.
	answers, missing int
	allAnswers       scoring.Tally   // of all answers
	singleAnswers    [readings]means // means over answers that name no repeat, each an item of its own
	items            []itemTallies   // of the others, in order of appearance
	itemIndex        map[string]int  // indices in items by the item's key
	repeats          int             // answers counted in items
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

// The answers over which IoU and Hausdorff distance are averaged: those with a measurable union, and
// those of them without a syntax error.
const (
	overEvaluable = iota
	overSyntaxOK
	averages
)

// answerTally counts answers and adds up their measures.
type answerTally struct {
	answers        int32
	counts         [shares]int32     // answers of each share, shareSyntaxErrors to shareSyntaxOK
	iou, hausdorff [averages]float64 // sums
}

// maxItems bounds the items of a group that are remembered. Beyond it each answer counts as an
// item of its own.
const maxItems = 1 << 18

// addItem counts an answer together with the other repeats of its item, so that an item counts once
// in the means. answer holds the tallies of this one answer. They are merged with those of the item's
// other repeats, and the item is averaged in the end. An answer without a repeat number, without a name
// of its item, or of a new item beyond maxItems, is added to the means at once, as an item of its own.
func (group *group) addItem(result *scoring.Result, answer *itemTallies) {
	group.answers++
	item := -1                 // for an item of its own
	if result.Who.Repeat > 0 { // repeats count from 1, 0 is none
		item = group.itemOf(result)
	}
	if item < 0 {
		for reading := range answer {
			group.singleAnswers[reading].addItem(&answer[reading])
		}
		return
	}
	group.repeats++
	for reading := range answer {
		group.items[item][reading].merge(&answer[reading])
	}
}

// itemOf returns the index of the answer's item in group.items, which it adds if it is new. It
// returns -1 for an item without a name, and for new ones beyond maxItems.
func (group *group) itemOf(result *scoring.Result) int {
	key, named := result.Item(nil)
	if i, known := group.itemIndex[string(key)]; known {
		return i
	}
	if !named || len(group.itemIndex) >= maxItems {
		return -1
	}
	if group.itemIndex == nil {
		group.itemIndex = map[string]int{}
	}
	group.itemIndex[string(key)] = len(group.items)
	group.items = append(group.items, itemTallies{})
	return len(group.items) - 1
}

// merge adds the counts and sums of other answers of TangramPuzzle to the tally.
func (tally *answerTally) merge(other *answerTally) {
	tally.answers += other.answers
	for i, count := range other.counts {
		tally.counts[i] += count
	}
	for i := range other.iou {
		tally.iou[i] += other.iou[i]
		tally.hausdorff[i] += other.hausdorff[i]
	}
}

// means is a row of Table 2: means over items of the means over their repeats.
type means struct {
	answers        [shares]int             // number of answers, not of items
	share          [shares]compensatedMean // from 0 to 1
	iou, hausdorff [averages]compensatedMean
	iouAll         compensatedMean // with 0 for answers that are not evaluable
}

// meansOf returns the means over all tangram items of a group for one way of reading their answers.
// group.singleAnswers are means already; the items with repeats are added to a copy of them.
func (group *group) meansOf(reading int) means {
	means := group.singleAnswers[reading]
	for i := range group.items {
		means.addItem(&group.items[i][reading])
	}
	return means
}

// addItem counts one tangram item by the means over its answers. It ignores a tally without answers;
// items of Task 1 have such tallies in all ways of reading but the first.
func (means *means) addItem(tally *answerTally) {
	if tally.answers == 0 {
		return
	}
	for i, count := range tally.counts {
		means.answers[i] += int(count)
		means.share[i].add(float64(count) / float64(tally.answers))
	}
	means.iouAll.add(tally.iou[overEvaluable] / float64(tally.answers))
	// Each average is over the answers of one share only.
	for average, share := range [averages]int{overEvaluable: shareEvaluable, overSyntaxOK: shareSyntaxOK} {
		if count := float64(tally.counts[share]); count > 0 {
			means.iou[average].add(tally.iou[average] / count)
			means.hausdorff[average].add(tally.hausdorff[average] / count)
		}
	}
}

// compensatedMean is a mean with a compensated sum (Neumaier), so that many small values are
// not lost.
type compensatedMean struct {
	sum, lost float64
	count     int
}

// add adds a value to the sum of a mean in a tangram table. What rounding lost of it is added to
// mean.lost, which is added back in the end (Neumaier's summation).
func (mean *compensatedMean) add(value float64) {
	sum := mean.sum + value
	if math.Abs(mean.sum) >= math.Abs(value) { // the smaller of the two lost digits
		mean.lost += (mean.sum - sum) + value
	} else {
		mean.lost += (value - sum) + mean.sum
	}
	mean.sum = sum
	mean.count++
}

// scaled returns the mean times a factor, or NaN if nothing was added.
func (mean *compensatedMean) scaled(factor float64) float64 {
	return factor * ((mean.sum + mean.lost) / float64(mean.count))
}

// percent formats the mean of shares as a percentage.
func (mean *compensatedMean) percent() string {
	return scoring.FormatCell(100*(mean.sum+mean.lost)/float64(mean.count), 2)
}

// outcome is the part of one answer's result that tables use.
type outcome struct {
	syntaxError, rigidError, physicsError, matches bool
	iou, hausdorff                                 float64
	evaluable                                      bool
}

// add counts one tangram answer in the shares that hold for it. Its IoU and Hausdorff distance are
// added to one sum if it is evaluable, and to a second one if it has no syntax error either.
func (tally *answerTally) add(outcome outcome) {
	tally.answers++
	valid := !outcome.syntaxError && !outcome.rigidError && !outcome.physicsError
	for share, holds := range [shares]bool{
		shareSyntaxErrors:  outcome.syntaxError,
		shareRigidErrors:   outcome.rigidError,
		sharePhysicsErrors: outcome.physicsError,
		shareValid:         valid,
		shareSuccess:       valid && outcome.matches,
		shareEvaluable:     outcome.evaluable,
		shareSyntaxOK:      outcome.evaluable && !outcome.syntaxError,
	} {
		if holds {
			tally.counts[share]++
		}
	}
	for average, includes := range [averages]bool{
		overEvaluable: outcome.evaluable,
		overSyntaxOK:  outcome.evaluable && !outcome.syntaxError,
	} {
		if includes {
			tally.iou[average] += outcome.iou
			tally.hausdorff[average] += outcome.hausdorff
		}
	}
}

// Add counts a TangramPuzzle result in its table, once for every way of reading the answer. A
// missing answer counts as a syntax error with countMissing; without it, it is only tallied. Other
// results without a score are only tallied. It implements scoring.Tables.
func (tables *tables) Add(result *scoring.Result) {
	missing := !result.Scored && result.Err != nil && result.Err.Code == "no_response"
	group := tables.groupOf(result)
	group.allAnswers.Add(result) // every result; group.addItem below gets those that count in the paper's tables
	if !result.Scored && !missing {
		return
	}
	if missing {
		group.missing++
		if !tables.countMissing {
			return
		}
	}
	var tallies itemTallies
	switch {
	case result.Test == Outline:
		tallies.addChoice(result, missing)
	case missing: // a syntax error for every way of reading, docs/spec/tangram.md#r49
		for reading := range tallies {
			tallies[reading].add(outcome{syntaxError: true})
		}
	default:
		tallies.addSolution(result)
	}
	group.addItem(result, &tallies)
}

// groupOf returns the group of tangram answers in which a result is counted: that of Task 1, or
// that of the setting of Task 2, which it creates if it is new. The setting is in the metrics, or
// else in the model's identity.
func (tables *tables) groupOf(result *scoring.Result) *group {
	if result.Test == Outline {
		return &tables.choices
	}
	name := ""
	if inMetrics := result.Strings("setting"); len(inMetrics) == 1 {
		name = inMetrics[0]
	} else {
		name = result.Who.Setting() // "" where it is unknown
	}
	g := tables.groups[name]
	if g == nil {
		g = &group{}
		tables.groups[name], tables.settingNames = g, append(tables.settingNames, name)
	}
	return g
}

// addSolution counts a scored answer to Task 2 of TangramPuzzle for every way of reading it: as it is,
// with repaired backslashes, rigid by congruence, and connected by points. If the result has no repair
// metrics, repairing backslashes changed nothing.
func (tallies *itemTallies) addSolution(result *scoring.Result) {
	main := outcomeOf(result, "")
	tallies[mainReading].add(main)
	repaired := main
	if _, ok := result.Bool("repair_tse"); ok {
		repaired = outcomeOf(result, "repair_")
	}
	tallies[repairReading].add(repaired)
	byCongruence := main
	byCongruence.rigidError, _ = result.Bool("rge_congruent")
	tallies[congruentReading].add(byCongruence)
	byPoints := main
	overlap, _ := result.Bool("pe_overlap")
	apart, _ := result.Bool("pe_disconnected_point")
	byPoints.physicsError = overlap || apart
	tallies[pointsReading].add(byPoints)
}

// outcomeOf returns what the tangram tables use of a result, from the metrics whose names begin
// with prefix: "" for the answer as it is, "repair_" for the repaired one.
func outcomeOf(result *scoring.Result, prefix string) (outcome outcome) {
	outcome.syntaxError, _ = result.Bool(prefix + "tse")
	outcome.rigidError, _ = result.Bool(prefix + "rge")
	outcome.physicsError, _ = result.Bool(prefix + "pe")
	outcome.matches, _ = result.Bool(prefix + "matches")
	outcome.iou, outcome.evaluable = result.Float(prefix + "iou")
	outcome.hausdorff, _ = result.Float(prefix + "hausdorff")
	return outcome
}

// addChoice counts an answer to Task 1 of TangramPuzzle, the multiple-choice test. An invalid or
// missing answer counts as a syntax error. tallies must be empty: afterwards they hold this one answer.
// Task 1 has only one way of reading an answer, the main one; the tallies of the others stay empty.
func (tallies *itemTallies) addChoice(result *scoring.Result, missing bool) {
	main := &tallies[mainReading]
	main.answers = 1
	if invalid, _ := result.Bool("invalid"); invalid || missing {
		main.counts[shareSyntaxErrors] = 1
	} else if result.Score == 1 {
		main.counts[shareSuccess] = 1
	}
}

// Tables returns the tables of one series of TangramPuzzle results: that of Task 1, then two for
// each setting of Task 2, with the paper's settings first. Groups without answers have none. It
// implements scoring.Tables.
func (tables *tables) Tables() (out []scoring.TextTable) {
	if group := &tables.choices; group.answers > 0 {
		means := group.meansOf(mainReading)
		out = append(out, scoring.TextTable{Title: "TangramPuzzle Table 1: outline prediction", TextColumns: 1,
			Note:    group.footnote(tables.countMissing),
			Columns: []string{"", "N", "Invalid", "Acc"},
			Rows: [][]string{{"Task 1", strconv.Itoa(group.answers), means.share[shareSyntaxErrors].percent(),
				means.share[shareSuccess].percent()}}})
	}
	slices.SortStableFunc(tables.settingNames, func(a, b string) int { return settingOrder(a) - settingOrder(b) })
	for _, name := range tables.settingNames {
		if g := tables.groups[name]; g.answers > 0 {
			out = append(out, g.table(name, tables.countMissing), g.detailTable(name))
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

// footnote returns the note under a tangram table on how missing answers and repeats count.
// countMissing says that missing answers are in group.answers.
func (group *group) footnote(countMissing bool) string {
	var parts []string
	switch {
	case group.missing == 0:
	case countMissing:
		parts = append(parts, fmt.Sprintf("%d without a response are counted as failed.", group.missing))
	default:
		parts = append(parts, fmt.Sprintf("%d without a response are left out.", group.missing))
	}
	if items := len(group.items); items < group.repeats { // an item has several answers
		items += group.answers - group.repeats // each other answer is an item of its own
		parts = append(parts, plural.Of(items, "item; its repeats", "items; the repeats of each")+" are averaged first.")
	}
	return strings.Join(parts, " ")
}

// tableTitle returns the title of the table of a TangramPuzzle setting, "" where answers state no setting. The
// paper has zero-shot in its Table 2, in-context and visual-centric in its Table 3.
func tableTitle(setting string) string {
	switch setting {
	case "":
		return "TangramPuzzle Table 2"
	case zeroShot:
		return "TangramPuzzle Table 2: zero-shot"
	case inContext, visualCentric:
		return "TangramPuzzle Table 3: " + setting
	}
	return "TangramPuzzle: " + setting
}

// table returns the table of one setting in the form of the TangramPuzzle paper's Table 2, with a row
// for each way of reading an answer. countMissing says that missing answers count as failed. Columns:
// way of reading, number of answers, those of tableCells.
func (group *group) table(setting string, countMissing bool) scoring.TextTable {
	out := scoring.TextTable{Title: tableTitle(setting), TextColumns: 1,
		Columns: []string{"", "N", "TSE", "RGE", "PE", "VPR", "IoU", "Hausdorff", "Success"},
		Note:    group.footnote(countMissing)}
	for reading, name := range [readings]string{"main", "repaired backslashes", "rigid by congruence",
		"connected by points"} {
		means := group.meansOf(reading)
		out.Rows = append(out.Rows, append([]string{name, strconv.Itoa(group.answers)}, means.tableCells()...))
	}
	return out
}

// detailTable returns figures of a tangram setting that the paper's table does not have: the share
// of evaluable answers, the mean IoU with 0 for others, and IoU and Hausdorff distance over answers
// without a syntax error.
func (group *group) detailTable(name string) scoring.TextTable {
	means := group.meansOf(mainReading)
	return scoring.TextTable{Title: tableTitle(name) + ", beside it", TextColumns: 1,
		Columns: []string{"", "count", "value"}, Rows: [][]string{
			{"evaluable, %", strconv.Itoa(means.answers[shareEvaluable]), means.share[shareEvaluable].percent()},
			{"iou_all, missing as 0", strconv.Itoa(group.answers), scoring.FormatCell(means.iouAll.scaled(100), 2)},
			{"iou_syntax_ok", strconv.Itoa(means.answers[shareSyntaxOK]), scoring.FormatCell(means.iou[overSyntaxOK].scaled(100), 2)},
			{"hausdorff_syntax_ok", strconv.Itoa(means.answers[shareSyntaxOK]),
				scoring.FormatCell(means.hausdorff[overSyntaxOK].scaled(1), 4)},
		}}
}
