package vqa

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/paper"
	"plumb/scoring/stats"
)

// tables add results up as the papers do.
type tables struct {
	*kind
	names    map[string]place
	missing  bool // a missing answer is wrong
	rows     map[rowKey]*row
	order    []*row
	papers   []*row
	embedded bool         // the papers are the program's own
	methods  *paper.Paper // published rows of methods and runs
	held     int          // findings that are remembered
	full     bool         // there were more
	cluster  func(suite, id string) string
}

// rowKey is a row: one run of one model in one format, with the picture or, blind,
// without it.
type rowKey struct {
	model, format string // of the series, with the way it was asked
	run           int
	blind         bool
}

// row is what is known of one run of one model. A row of a paper without counts
// has the printed numbers instead.
type row struct {
	rowKey
	base, method string // the series without the method, and the method
	total        counts
	pictures     map[string]counts // by pictures of items
	shared       bool              // items share pictures
	cats         []counts
	subs         [][]counts
	scales       map[string]*counts
	kinds        map[string]*counts
	sources      map[string]int
	options      [9]int // items by number of options
	inferred     int
	findings     map[uint64]finding // by the hash of the item's id
	repeated     int                // answers to items that already had one
	wrong        int                // answers that were scored
	tags         map[string]int     // of the wrong ones
	printed      *human
	note         string
}

// row returns a row of the tables without results.
func (k *kind) row(key rowKey) *row {
	r := &row{rowKey: key, pictures: map[string]counts{}, cats: make([]counts, len(k.categories)), subs: make([][]counts, len(k.categories)),
		scales: map[string]*counts{}, kinds: map[string]*counts{}, sources: map[string]int{},
		findings: map[uint64]finding{}, tags: map[string]int{}}
	for c := range k.categories {
		r.subs[c] = make([]counts, len(k.categories[c].subs))
	}
	return r
}

// newTables implements scoring.Suite.Tables.
func (s *suite) newTables(o scoring.TableOptions) scoring.Tables {
	t := &tables{kind: s.kind, names: s.names, missing: o.Missing, cluster: o.Cluster, rows: map[rowKey]*row{}}
	t.addPapers(s, o.Papers)
	return t
}

// maxRows is how many models and runs have rows of their own: names come from
// outside.
const maxRows = 1000

// Add implements scoring.Tables.
func (t *tables) Add(r *scoring.Result) {
	never := r.Err != nil && r.Err.Code == "no_response"
	unjudged := r.Err != nil && r.Err.Code == "unjudged"
	if !r.Scored && !never && !unjudged {
		return
	}
	key := rowKey{model: r.Who.Series("format").String(), format: r.Test, run: max(1, r.Who.Repeat)}
	key.blind, _ = r.Bool("blind")
	at := t.rows[key]
	if at == nil {
		if len(t.order) >= maxRows {
			return
		}
		at = t.row(key)
		at.base, at.method = r.Who.Series("format", "method").String(), r.Who.Arm()[4]
		t.rows[key] = at
		t.order = append(t.order, at)
	}
	one := counts{n: 1}
	h := fnv.New64a()
	h.Write([]byte(r.ID))
	one.ids = h.Sum64()
	source := wordOf(r, "source")
	switch {
	case never && !t.missing:
		one = counts{missing: 1}
	case never:
		one.missing = 1
	case unjudged:
		one.unjudged = 1
	case r.Score == 1:
		one.correct = 1
	}
	if source == "invalid" {
		one.invalid = 1
	}
	at.countPicture(t, r, one)
	at.sources[source]++
	at.add(t, r, one)
	at.countTag(r)
	t.remember(at, r, h.Sum64(), one)
}

// countPicture counts a question under its picture, over which standard errors are clustered.
func (at *row) countPicture(t *tables, r *scoring.Result, one counts) {
	name := r.Cluster
	if name == "" && t.cluster != nil {
		name = t.cluster(r.Suite, r.ID)
	}
	if name == "" || one.n == 0 || len(at.pictures) > maxFindings {
		return
	}
	c := at.pictures[name]
	at.shared = at.shared || c.n > 0
	c.n, c.correct = c.n+1, c.correct+one.correct
	at.pictures[name] = c
}

// wordOf returns a metric of a result that is one string, "" for any other.
func wordOf(r *scoring.Result, name string) string {
	if s := r.Strings(name); len(s) == 1 {
		return s[0]
	}
	return ""
}

// add counts an answered question in all its groups: category, kind of options, scale and so on.
func (at *row) add(t *tables, r *scoring.Result, one counts) {
	at.total.add(one)
	if p, ok := t.names[wordOf(r, "category")]; ok && p.sub < 0 {
		at.cats[p.category].add(one)
	}
	if p, ok := t.names[wordOf(r, "subcategory")]; ok && p.sub >= 0 {
		at.subs[p.category][p.sub].add(one)
	}
	for name, groups := range map[string]map[string]*counts{"scale": at.scales, "option_kind": at.kinds} {
		v := wordOf(r, name)
		if v == "" {
			continue
		}
		if groups[v] == nil && len(groups) < maxRows {
			groups[v] = &counts{}
		}
		if g := groups[v]; g != nil {
			g.add(one)
		}
	}
	if k, ok := r.Float("options"); ok && one.n > 0 && k >= 2 && k < float64(len(at.options)) {
		at.options[int(k)]++
	}
	if v, ok := r.Bool("option_kind_inferred"); ok && v {
		at.inferred++
	}
}

// add adds the counts of another group of questions.
func (c *counts) add(o counts) {
	c.n += o.n
	c.correct += o.correct
	c.invalid += o.invalid
	c.missing += o.missing
	c.unjudged += o.unjudged
	c.ids += o.ids
}

// modelName returns the name of the row's model; a row without the picture says so.
func (at *row) modelName() string {
	name := cmp.Or(at.model, "model")
	if at.blind {
		name += " (blind)"
	}
	return name
}

// name returns the name of the row in tables.
func (at *row) name() string {
	name := at.modelName()
	if at.run != 1 {
		name += fmt.Sprintf(" (run %d)", at.run)
	}
	return name
}

// chance returns the mean of 1/k over the items, in hundredths of a per cent. ok is
// false without items whose options are known. See docs/spec/vqa.md#r47.
func (at *row) chance() (h int64, ok bool) {
	n, sum := int64(0), int64(0)
	const common = 840 // of 2 to 8
	for k, c := range at.options {
		if k >= 2 {
			n += int64(c)
			sum += int64(c) * (common / int64(k))
		}
	}
	if n == 0 {
		return 0, false
	}
	return hundredths(sum, n*common), true
}

// macro returns the mean of the accuracies of the categories that have items.
func (at *row) macro() float64 {
	var list []float64
	for _, c := range at.cats {
		if c.n > 0 {
			list = append(list, 100*float64(c.correct)/float64(c.n))
		}
	}
	return stats.Summarise(list).Mean
}

// Tables implements scoring.Tables.
func (t *tables) Tables() (out []scoring.TextTable) {
	for _, f := range t.formats {
		var own []*row
		for _, at := range t.order {
			if at.format == f && at.total.n+at.total.missing > 0 {
				own = append(own, at)
			}
		}
		if len(own) == 0 {
			continue
		}
		out = append(out, t.accuracy(f, own))
		switch {
		case t.kind == spatialab && t.embedded:
			out = append(out, t.byCategory(f, own)...)
		case t.kind == spatialab:
			out = append(out, t.subcategories(f, own))
		}
		out = append(out, t.toHumans(f, own))
		if t.kind == spaceeval {
			out = append(out, t.byGroup("option kind", own, func(r *row) map[string]*counts { return r.kinds }, []string{"text", "visual"}),
				t.byGroup("scale", own, func(r *row) map[string]*counts { return r.scales }, scales))
		}
		out = append(out, t.read(f, own))
		more := []scoring.TextTable{t.unseen(f, own), t.errors(f, own)}
		if !t.full {
			more = append(more, t.byMethod(f, own), t.solvedBy(f, own), t.publishedSolved(f, own), t.repeated(f, own))
		}
		for _, one := range more {
			if len(one.Rows) > 0 {
				out = append(out, one)
			}
		}
	}
	if gap := t.gap(); len(gap.Rows) > 0 {
		out = append(out, gap)
	}
	return out
}

// accuracy returns the papers' main table: Tables 2 and 3 of SPATIALAB, and Table 2 of SpaCE-Eval,
// which has columns for subcategories too.
func (t *tables) accuracy(f string, own []*row) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + " accuracy, %", Text: 1, Columns: []string{"model"}}
	if t.kind == spaceeval {
		out.Columns = append(out.Columns, "Overall")
	}
	for _, c := range t.categories {
		if t.kind == spaceeval {
			out.Columns = append(out.Columns, c.abbr)
			for _, s := range c.subs {
				out.Columns = append(out.Columns, s.abbr)
			}
			continue
		}
		out.Columns = append(out.Columns, c.name)
	}
	if t.kind == spatialab {
		out.Columns = append(out.Columns, "Overall")
	}
	if n := t.items(); !slices.ContainsFunc(own, func(at *row) bool { return at.total.n+at.total.missing >= n }) {
		out.Title += ", subset"
	}
	out.Columns = append(out.Columns, "rank", "nearest", "95% CI", "macro", "n", "invalid", "missing", "unjudged", "if right")
	for _, at := range own {
		if h, ok := at.chance(); ok && f == formatChoice {
			out.Rows = append(out.Rows, t.line("chance", func(counts, float64) string { return decimals(h) }, at))
			break
		}
	}
	papers, human := t.beside(f)
	for _, at := range slices.Concat(own, []*row{human}, papers) {
		out.Rows = append(out.Rows, t.cells(at))
	}
	ci := "Wilson"
	if slices.ContainsFunc(own, func(at *row) bool { _, ok := at.pictureError(); return ok }) {
		ci = "normal, with the standard error over pictures, where items share some; else Wilson"
	}
	out.Note = "Overall is over all items (micro). CI: " + ci + ", 95 %. Invalid answers are wrong; missing ones count " +
		map[bool]string{true: "as wrong.", false: "nothing."}[t.missing]
	for _, at := range own {
		if at.total.unjudged > 0 {
			out.Note += "\nINCOMPLETE: unjudged items count as wrong; \"if right\" is the accuracy if all of them were right."
			break
		}
	}
	for _, at := range papers {
		if at.note != "" {
			out.Note += "\n" + at.model + ": " + at.note
		}
	}
	return out
}

var formatNames = map[string]string{formatChoice: "multiple-choice", formatOpen: "open-ended"}

// beside returns the rows of the papers, and the human baseline: the paper's counts where a file
// has them, else the printed numbers.
func (t *tables) beside(f string) (papers []*row, human *row) {
	h := t.human[f]
	human = &row{rowKey: rowKey{model: "human", format: f, run: 1}, printed: &h, total: counts{}}
	for _, at := range t.papers {
		switch {
		case at.format != f:
		case at.model == humanName:
			human = at
		default:
			papers = append(papers, at)
		}
	}
	return papers, human
}

// cells returns a row of the main table of accuracies.
func (t *tables) cells(at *row) []string {
	return t.line(at.name(), func(c counts, printed float64) string {
		if at.printed != nil {
			return scoring.FormatCell(printed, 2)
		}
		return percent(c.correct, c.n)
	}, at)
}

// line is a row of the main table whose accuracies cell writes.
func (t *tables) line(name string, cell func(c counts, printed float64) string, at *row) []string {
	overall, nan := math.NaN(), math.NaN()
	if at.printed != nil {
		overall = at.printed.overall
	}
	var out []string
	for c := range t.categories {
		printed, group := nan, counts{}
		if at.printed != nil && c < len(at.printed.categories) {
			printed = at.printed.categories[c]
		} else if at.cats != nil {
			group = at.cats[c]
		}
		out = append(out, cell(group, printed))
		if t.kind != spaceeval {
			continue
		}
		for s := range t.categories[c].subs {
			group := counts{}
			if at.subs != nil {
				group = at.subs[c][s]
			}
			printed := nan
			if at.printed != nil {
				printed = at.printed.sub(c, s)
			}
			out = append(out, cell(group, printed))
		}
	}
	if t.kind == spaceeval {
		out = append([]string{cell(at.total, overall)}, out...)
	} else {
		out = append(out, cell(at.total, overall))
	}
	out = append([]string{name}, out...)
	if at.printed != nil || name == "chance" {
		return append(out, "-", "-", "-", "-", "-", "-", "-", "-", "-")
	}
	if slices.Contains(t.papers, at) {
		return append(append(out, "-", "-"), t.tail(at)...)
	}
	return append(append(out, t.place(at)...), t.tail(at)...)
}

// tail returns the cells of a row after the accuracies.
func (t *tables) tail(at *row) []string {
	c := at.total
	ci, right := "-", "-"
	if c.n > 0 {
		low, high := stats.Wilson(c.correct, c.n) // docs/spec/vqa.md#r46
		se, ok := at.pictureError()
		if ok {
			p := float64(c.correct) / float64(c.n)
			low, high = max(0, p-stats.Normal95*se), min(1, p+stats.Normal95*se)
		}
		ci = scoring.FormatCell(100*low, 2) + "-" + scoring.FormatCell(100*high, 2)
	}
	if c.unjudged > 0 {
		right = percent(c.correct+c.unjudged, c.n)
	}
	return []string{ci, scoring.FormatCell(at.macro(), 2), strconv.Itoa(c.n), strconv.Itoa(c.invalid), strconv.Itoa(c.missing), strconv.Itoa(c.unjudged), right}
}

// pictureError returns the standard error of the accuracy over pictures; ok is false where no two
// items share one, or some name none. See docs/spec/runs.md#r45.
func (at *row) pictureError() (se float64, ok bool) {
	n := 0
	for _, c := range at.pictures {
		n += c.n
	}
	if !at.shared || n != at.total.n || len(at.pictures) < 2 {
		return 0, false
	}
	mean, squares := float64(at.total.correct)/float64(n), 0.0
	for _, name := range slices.Sorted(maps.Keys(at.pictures)) { // one order, so that sums are equal in every run
		c := at.pictures[name]
		d := float64(c.correct) - mean*float64(c.n)
		squares += float64(d * d)
	}
	clusters := float64(len(at.pictures))
	return math.Sqrt(clusters/(clusters-1)*squares) / float64(n), true
}

// subcategories returns Tables 6 to 10 and 12 to 16 in one, with models side by side.
func (t *tables) subcategories(f string, own []*row) scoring.TextTable {
	papers, _ := t.beside(f)
	all := slices.DeleteFunc(append(slices.Clone(own), papers...), func(r *row) bool { return !r.hasSubs() })
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + " accuracy by subcategory, %", Text: 2, Columns: []string{"category", "subcategory", "n"}}
	for _, at := range all {
		out.Columns = append(out.Columns, at.name())
	}
	for c := range t.categories {
		for s, sub := range t.categories[c].subs {
			n, line := 0, []string{t.categories[c].name, sub.name, ""}
			for _, at := range all {
				n = max(n, at.subs[c][s].n)
				line = append(line, percent(at.subs[c][s].correct, at.subs[c][s].n))
			}
			line[2] = strconv.Itoa(n)
			if n > 0 {
				out.Rows = append(out.Rows, line)
			}
		}
	}
	return out
}

// hasSubs reports whether the row has accuracies of subcategories.
func (at *row) hasSubs() bool {
	for _, list := range at.subs {
		for _, c := range list {
			if c.n > 0 {
				return true
			}
		}
	}
	return false
}

// toHumans returns the table of gaps to the human baseline, in points and per category. See
// docs/spec/vqa.md#r48.
func (t *tables) toHumans(f string, own []*row) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + ": human baseline minus accuracy, points", Text: 1, Columns: []string{"model"}}
	for _, c := range t.categories {
		out.Columns = append(out.Columns, c.name)
	}
	out.Columns = append(out.Columns, "Overall")
	base := t.human[f]
	for _, at := range own {
		line := []string{at.name()}
		for c := range t.categories {
			line = append(line, below(base.categories[c], at.cats[c]))
		}
		out.Rows = append(out.Rows, append(line, below(base.overall, at.total)))
	}
	return out
}

// below returns how far c lies below a printed accuracy, exactly in hundredths of a point.
func below(base float64, c counts) string {
	if c.n == 0 {
		return "-"
	}
	h, n := int64(math.Round(base*100)), int64(c.n)
	return decimals(hundredths(h*n-10000*int64(c.correct), 10000*n))
}

// byGroup returns the table of accuracies by kind of options or by scale, with the mean over all
// items.
func (t *tables) byGroup(what string, own []*row, of func(*row) map[string]*counts, known []string) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " accuracy by " + what + ", %", Text: 1, Columns: []string{what}}
	names, inferred := slices.Clone(known), 0
	for _, at := range own {
		inferred += at.inferred
		var more []string
		for n := range of(at) {
			if !slices.Contains(names, n) {
				more = append(more, n)
			}
		}
		slices.Sort(more)
		names = append(names, more...)
		out.Columns = append(out.Columns, at.name(), "n")
	}
	line := func(name string, of func(*row) counts) {
		cells, any := []string{name}, 0
		for _, at := range own {
			c := of(at)
			any += c.n
			cells = append(cells, percent(c.correct, c.n), strconv.Itoa(c.n))
		}
		if any > 0 {
			out.Rows = append(out.Rows, cells)
		}
	}
	get := func(at *row, n string) (c counts) {
		if g := of(at)[n]; g != nil {
			c = *g
		}
		return c
	}
	for _, n := range names {
		line(n, func(at *row) counts { return get(at, n) })
	}
	line("all", func(at *row) counts { return at.total })
	if what == "option kind" {
		cells := []string{"text - visual"}
		for _, at := range own {
			a, b, d := get(at, "text"), get(at, "visual"), "-"
			if a.n > 0 && b.n > 0 {
				d = decimals(points(a, b))
			}
			cells = append(cells, d, "")
		}
		out.Rows = append(out.Rows, cells)
		out.Note = fmt.Sprintf("The kind of %d items was inferred from their options.", inferred)
	}
	return out
}

// read returns the table of how many answers each stage of reading, or a judge, decided. See
// docs/spec/vqa.md#r45.
func (t *tables) read(f string, own []*row) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + ": what decided the answers", Text: 1, Columns: []string{"model"}}
	var seen []string
	for _, s := range []string{"literal", "stage2", "stage3", "stage4", "stage5", "stage6", "shortcut", "judge", "invalid", "unjudged", "missing"} {
		if slices.ContainsFunc(own, func(at *row) bool { return at.sources[s] > 0 }) {
			seen = append(seen, s)
		}
	}
	out.Columns = append(append(out.Columns, seen...), "invalid, %", "missing, %", "unjudged, %", "accuracy on valid")
	for _, at := range own {
		line := []string{at.name()}
		for _, s := range seen {
			line = append(line, strconv.Itoa(at.sources[s]))
		}
		c := at.total
		all, valid := c.n, c.n-c.invalid
		if t.missing {
			valid -= c.missing
		} else {
			all += c.missing
		}
		out.Rows = append(out.Rows, append(line, percent(c.invalid, all), percent(c.missing, all), percent(c.unjudged, all), percent(c.correct, valid)))
	}
	if t.full {
		out.Note = fmt.Sprintf("More than %d answers: tables that compare runs or models item by item are left out.", maxFindings)
	}
	return out
}
