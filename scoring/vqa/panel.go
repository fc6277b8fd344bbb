package vqa

import (
	"fmt"
	"strconv"

	"plumb/scoring"
)

// maxPanel is how many models the table of solved items compares at most, because each adds a
// column.
const maxPanel = 100

// solvedBy returns the table of how many items of each subcategory were solved by exactly 0, 1, 2,
// ... of the models: Tables 11 and 17 of SPATIALAB with all their columns. Of a model with several
// runs the lowest one counts; runs without the picture do not. See docs/spec/vqa.md#r50.
func (t *tables) solvedBy(f string, own []*row) scoring.TextTable {
	var panel []*row
	for _, runs := range byModel(own) {
		at := runs[0]
		for _, r := range runs {
			if r.run < at.run {
				at = r
			}
		}
		if !at.blind && len(panel) < maxPanel {
			panel = append(panel, at)
		}
	}
	if len(panel) < 2 {
		return scoring.TextTable{}
	}
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + ": items by how many models solved them", Text: 2,
		Columns: []string{"category", "subcategory", "n"}}
	for k := range len(panel) + 1 {
		out.Columns = append(out.Columns, strconv.Itoa(k))
	}
	ids, others := shared(panel)
	groups := map[place][]int{}
	all := make([]int, len(panel)+1)
	for _, id := range ids {
		k := 0
		for _, at := range panel {
			if at.findings[id].right {
				k++
			}
		}
		all[k]++
		at := panel[0].findings[id].place
		if groups[at] == nil {
			groups[at] = make([]int, len(panel)+1)
		}
		groups[at][k]++
	}
	for c := range t.categories {
		for s, sub := range t.categories[c].subs {
			if g := groups[place{c, s}]; g != nil {
				out.Rows = append(out.Rows, solved(t.categories[c].name, sub.name, g))
			}
		}
	}
	out.Rows = append(out.Rows, solved("all", "", all))
	out.Note = fmt.Sprintf("%d models", len(panel))
	if others > 0 {
		out.Note += fmt.Sprintf("; %d items are left out that not all of them answered or that were not judged", others)
	}
	out.Note += "."
	return out
}

// solved returns a row of that table; by[k] is how many items k models solved.
func solved(category, sub string, by []int) []string {
	n, cells := 0, []string{category, sub, ""}
	for _, k := range by {
		n += k
		cells = append(cells, strconv.Itoa(k))
	}
	cells[2] = strconv.Itoa(n)
	return cells
}

// unseen returns the table of accuracy with the picture minus accuracy without, in points. As in
// the table of gaps, both runs must cover the same items, all of them judged. See
// docs/spec/vqa.md#r49.
func (t *tables) unseen(f string, own []*row) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + ": accuracy with the picture minus without, points", Text: 1, Columns: []string{"model"},
		Note: "Groups whose two runs cover different items, or with unjudged items, have a dash."}
	for _, c := range t.categories {
		out.Columns = append(out.Columns, c.name)
	}
	out.Columns = append(out.Columns, "Overall")
	for _, a := range own {
		for _, b := range own {
			if a.blind || !b.blind || a.model != b.model || a.run != b.run {
				continue
			}
			line := []string{a.name()}
			for c := range len(t.categories) + 1 {
				x, y := a.at(c), b.at(c)
				if sameItems(x, y) {
					line = append(line, decimals(points(x, y)))
				} else {
					line = append(line, "-")
				}
			}
			out.Rows = append(out.Rows, line)
		}
	}
	return out
}

// sameItems reports whether two groups have the same items, all of them judged.
func sameItems(a, b counts) bool {
	return a.n > 0 && a.n == b.n && a.ids == b.ids && a.unjudged+b.unjudged == 0
}

// errorClasses are the classes that people give to wrong answers. See docs/spec/vqa.md#r51.
var errorClasses = []string{"mislocalization", "perspective_scale", "occlusion_order", "attribute_confusion", "ungrounded_rationalization"}

var errorValues = boxed(errorClasses)

// errors returns the table of error classes: their shares of the wrong answers that have one.
func (t *tables) errors(f string, own []*row) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + ": classes of wrong answers, % of those tagged", Text: 1,
		Columns: append(append([]string{"model", "wrong", "tagged", "untagged"}, errorClasses...), "others"),
		Note:    "Wrong answers that were judged; tags of right answers do not count."}
	for _, at := range own {
		tagged, others := 0, 0
		for _, n := range at.tags {
			tagged += n
		}
		if tagged == 0 {
			continue
		}
		others = tagged
		line := []string{at.name(), strconv.Itoa(at.wrong), strconv.Itoa(tagged), strconv.Itoa(at.wrong - tagged)}
		for _, name := range errorClasses {
			line = append(line, percent(at.tags[name], tagged))
			others -= at.tags[name]
		}
		out.Rows = append(out.Rows, append(line, percent(others, tagged)))
	}
	return out
}

// countTag counts an answer that was scored by the tag that says why it is wrong.
func (at *row) countTag(r *scoring.Result) {
	if !r.Scored || r.Score == 1 {
		return
	}
	at.wrong++
	name := wordOf(r, "error_class")
	if _, known := at.tags[name]; name != "" && (known || len(at.tags) < maxRows) {
		at.tags[name]++
	}
}
