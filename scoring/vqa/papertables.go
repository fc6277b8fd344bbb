package vqa

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/paper"
)

// papers hold the numbers that the papers print: counts of correct items where the printed
// numbers give them.
//
//go:embed papers/*.json
var papers embed.FS

// embeddedPaper returns the program's own document of a paper's tables.
func embeddedPaper(name string) []byte {
	b, err := papers.ReadFile("papers/" + name + ".json")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return b
}

// addPapers reads the published rows: those of the documents that a user gave, else the
// embedded ones. given is as in scoring.TableOptions. See docs/spec/runs.md#r49.
func (t *tables) addPapers(s *suite, given [][]byte) {
	for _, doc := range given {
		t.papers = append(t.papers, s.paper(doc)...)
	}
	if len(t.papers) > 0 || given != nil && len(given) == 0 {
		return
	}
	name := "spatialab"
	if t.kind == spaceeval {
		name = "spaceeval"
	}
	t.embedded, t.papers = true, s.paper(embeddedPaper(name))
	if t.kind == spatialab {
		p, err := paper.Read(embeddedPaper("methods"))
		if err != nil {
			panic("BUG: " + err.Error())
		}
		t.methods = p
	}
}

// compared returns the published rows for tables that have a column or statistics of each
// of their models: only those that a user asked for.
func (t *tables) compared(rows []*row) []*row {
	if t.embedded {
		return nil
	}
	return rows
}

// overall returns the accuracy over all items, in per cent; ok is false where the row has
// none, or is of a subset.
func (at *row) overall() (x float64, ok bool) {
	switch {
	case at.printed != nil:
		return at.printed.overall, at.note == ""
	case at.total.n == 0:
		return 0, false
	}
	return 100 * float64(at.total.correct) / float64(at.total.n), at.note == ""
}

// place returns the rank of a row among the published ones of its format, and the distance to the
// nearest one, as cells of the table.
func (t *tables) place(at *row) []string {
	var list []paper.Published
	published, _ := t.beside(at.format)
	for _, p := range published {
		if x, ok := p.overall(); ok {
			list = append(list, paper.Published{Name: p.model, Value: x})
		}
	}
	x, ok := at.overall()
	if !ok {
		return []string{"-", "-"}
	}
	rank, nearest := paper.Place(x, list, 2)
	return []string{rank, nearest}
}

// byCategory are Tables 6 to 10 and 12 to 16: one for each category, with the accuracies of its
// subcategories, the user's models above the published ones. See docs/spec/runs.md#r54.
func (t *tables) byCategory(f string, own []*row) (out []scoring.TextTable) {
	published, _ := t.beside(f)
	for c := range t.categories {
		one := t.ofCategory(f, c, own, published)
		if len(one.Rows) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// ofCategory returns the table of one category. It has no rows where the user's models have no
// items of it.
func (t *tables) ofCategory(f string, c int, own, published []*row) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + " accuracy in " + t.categories[c].name + ", %", Text: 1, Columns: []string{"model"}}
	for _, sub := range t.categories[c].subs {
		out.Columns = append(out.Columns, sub.name)
	}
	out.Columns = append(out.Columns, "all", "n", "rank", "nearest")
	any := false
	var list []paper.Published
	for _, at := range published {
		if n := at.inCategory(c); n.n > 0 {
			list = append(list, paper.Published{Name: at.model, Value: 100 * float64(n.correct) / float64(n.n)})
		}
	}
	for i, at := range slices.Concat(own, published) {
		all := at.inCategory(c)
		if all.n == 0 {
			continue
		}
		any = any || i < len(own)
		line := []string{at.name()}
		for _, n := range at.subs[c] {
			line = append(line, percent(n.correct, n.n))
		}
		rank, nearest := "-", "-"
		if i < len(own) && len(list) > 0 {
			rank, nearest = paper.Place(100*float64(all.correct)/float64(all.n), list, 2)
		}
		out.Rows = append(out.Rows, append(line, percent(all.correct, all.n), strconv.Itoa(all.n), rank, nearest))
	}
	if !any {
		out.Rows = nil
	}
	return out
}

// inCategory sums up the subcategories of a category.
func (at *row) inCategory(c int) (sum counts) {
	for _, n := range at.subs[c] {
		sum.add(n)
	}
	return sum
}

// methodPairs are the methods that the paper compares: its Tables 19, 20 and 25.
var methodPairs = [][2]string{{Direct, CoT}, {CoT, Reflect}, {Direct, Xolver}}

// byMethod compares the methods of each model on the same items. See docs/spec/runs.md#r54.
func (t *tables) byMethod(f string, own []*row) scoring.TextTable {
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + ": methods on the same items, %", Text: 3,
		Columns: []string{"model", "methods", "category", "n", "without", "with", "gain"},
		Note:    "Items that both methods answered and that were judged. The paper's rows are of 150 items, 5 of each subcategory by a draw that it does not give."}
	for _, pair := range methodPairs {
		rows := 0
		for _, a := range own {
			for _, b := range own {
				if a.method == pair[0] && b.method == pair[1] && a.base == b.base && a.run == b.run && a.blind == b.blind {
					list := t.gains(a, b, pair)
					out.Rows = append(out.Rows, list...)
					rows += len(list)
				}
			}
		}
		if rows == 0 || t.methods == nil {
			continue
		}
		for _, r := range t.methods.Tables["methods"].Rows {
			if r.Text(1) == pairName(pair) && r.Text(2) == f {
				out.Rows = append(out.Rows, []string{r.Text(0) + paper.Mark, r.Text(1), r.Text(3), "-", r.Cell(4, 2), r.Cell(5, 2), r.Cell(6, 2)})
			}
		}
	}
	return out
}

func pairName(pair [2]string) string { return pair[0] + " -> " + pair[1] }

// gains returns the rows of one model and pair of methods: one for each category, then one for all
// items.
func (t *tables) gains(a, b *row, pair [2]string) (list [][]string) {
	n := make([]int, len(t.categories)+1)
	right := [2][]int{make([]int, len(n)), make([]int, len(n))}
	ids, _ := shared([]*row{a, b})
	for _, id := range ids {
		groups := []int{len(t.categories)}
		if c := a.findings[id].place.category; c >= 0 {
			groups = append(groups, c)
		}
		for _, g := range groups {
			n[g]++
			for i, at := range []*row{a, b} {
				if at.findings[id].right {
					right[i][g]++
				}
			}
		}
	}
	name := a.base
	if name == "" {
		name = "model"
	}
	if a.run != 1 {
		name += fmt.Sprintf(" (run %d)", a.run)
	}
	for g, k := range n {
		if k == 0 {
			continue
		}
		what := "overall"
		if g < len(t.categories) {
			what = t.categories[g].id
		}
		x, y := counts{n: k, correct: right[0][g]}, counts{n: k, correct: right[1][g]}
		list = append(list, []string{name, pairName(pair), what, strconv.Itoa(k), percent(x.correct, k), percent(y.correct, k), decimals(points(y, x))})
	}
	return list
}

// publishedRuns returns the rows that the paper's table of repeated runs prints.
func (t *tables) publishedRuns(f string) (rows [][]string) {
	if t.methods == nil {
		return nil
	}
	for _, r := range t.methods.Tables["runs"].Rows {
		if r.Text(1) == f {
			rows = append(rows, []string{r.Text(0) + paper.Mark, "3", "-", "-", r.Cell(2, 2), r.Cell(3, 2), r.Cell(4, 3), r.Cell(5, 3), r.Cell(6, 3)})
		}
	}
	return rows
}

// publishedGaps returns the rows that the paper's Table 18 prints.
func (t *tables) publishedGaps() (rows [][]string) {
	if t.methods == nil {
		return nil
	}
	for _, r := range t.methods.Tables["gap"].Rows {
		line := []string{r.Text(0) + paper.Mark}
		for i := range len(t.categories) + 1 {
			line = append(line, r.Cell(1+i, 2))
		}
		rows = append(rows, line)
	}
	return rows
}

// publishedSolved are the paper's Tables 11 and 17, beside those of the user's models. It has no
// rows where there are none of these.
func (t *tables) publishedSolved(f string, own []*row) scoring.TextTable {
	if t.methods == nil || len(t.solvedBy(f, own).Rows) == 0 {
		return scoring.TextTable{}
	}
	out := scoring.TextTable{Title: t.title + " " + formatNames[f] + ": items by how many of the paper's five models solved them", Text: 2,
		Columns: []string{"category", "subcategory", "n", "0", "1", "2", "3", "4", "5"}, Note: "A dash stands for a number that the paper does not print."}
	for _, r := range t.methods.Tables["solved"].Rows {
		at, ok := t.names[r.Text(0)]
		if !ok || r.Text(1) != f {
			continue
		}
		n, line := 0.0, []string{t.categories[at.category].name, t.categories[at.category].subs[at.sub].name, "-"}
		for k := range 6 {
			n += r.Number(2 + k)
			line = append(line, r.Cell(2+k, 0))
		}
		if !math.IsNaN(n) {
			line[2] = strconv.Itoa(int(n))
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// items returns the number of items of the benchmark.
func (t *tables) items() (n int) {
	for i := range t.categories {
		n += t.categories[i].size
	}
	return n
}
