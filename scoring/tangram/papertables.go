package tangram

import (
	_ "embed"
	"slices"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/paper"
)

// printedTables are the numbers of the paper's Tables 1 to 5.
//
//go:embed paper.json
var printedTables []byte

const paperTitle = "TangramPuzzle"

// besidePaper is in the titles of tables with published rows: the paper's 668 instances
// are not published.
const besidePaper = ", beside the paper (other tasks)"

// newTables implements scoring.Suite.Tables.
func newTables(o scoring.TableOptions) scoring.Tables {
	p := paper.Choose(paperTitle, printedTables, o.Papers)
	return scoring.NewPerSeries(func() *tables { return newSeriesTables(o) }, func(names []string, all []*tables) []scoring.TextTable {
		return paperTables(p, names, all)
	}, "setting")
}

// paperTables returns the paper's tables with a row for each series above the published
// ones; none without published ones. See docs/spec/runs.md#r52.
func paperTables(p *paper.Paper, names []string, all []*tables) (out []scoring.TextTable) {
	if t := outlineTable(p.Tables["outline"], names, all); len(t.Rows) > 0 {
		out = append(out, t)
	}
	asked := false
	for _, setting := range settings {
		if t := settingTable(setting, p.Tables[setting], names, all); len(t.Rows) > 0 {
			out = append(out, t)
			asked = true
		}
	}
	if asked {
		for _, t := range []struct{ name, title string }{{"humans", "TangramPuzzle Table 4: people (published only)"}, {"ratings", "TangramPuzzle Table 5: people's ratings of models (published only)"}} {
			if printed := p.Tables[t.name]; len(printed.Rows) > 0 {
				out = append(out, publishedOnly(t.title, printed))
			}
		}
	}
	return out
}

// publishedOnly returns a table that results cannot reproduce.
func publishedOnly(title string, printed paper.Table) scoring.TextTable {
	t := scoring.TextTable{Title: title, Columns: printed.Columns, Text: 1}
	for _, r := range printed.Rows {
		row := []string{r.Text(0) + paper.Mark}
		for i := 1; i < len(r); i++ {
			row = append(row, r.Cell(i, 1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// published lists the numbers of one column of a table that the TangramPuzzle paper prints.
func published(t paper.Table, column int) (list []paper.Published) {
	for _, r := range t.Rows {
		list = append(list, paper.Published{Name: r.Text(0), Value: r.Number(column)})
	}
	return list
}

// outlineTable returns Table 1 of the TangramPuzzle paper: accuracy in Task 1.
func outlineTable(printed paper.Table, names []string, all []*tables) scoring.TextTable {
	out := scoring.TextTable{Title: "TangramPuzzle Table 1: outline prediction" + besidePaper, Text: 1,
		Columns: append([]string{"model", "Invalid", "Acc", "rank", "nearest"}, scoring.TallyColumns()...)}
	for i, t := range all {
		if g := &t.choices; g.n > 0 && len(printed.Rows) > 0 {
			c := g.column(mainColumn)
			rank, nearest := paper.Place(c.share[shareSuccess].times(100), published(printed, 2), 2)
			out.Rows = append(out.Rows, append([]string{names[i], c.share[shareTSE].percent(), c.share[shareSuccess].percent(), rank, nearest}, g.tally.Cells()...))
		}
	}
	if len(out.Rows) > 0 {
		for _, r := range printed.Rows {
			out.Rows = append(out.Rows, []string{r.Text(0) + paper.Mark, r.Cell(1, 2), r.Cell(2, 2), "-", "-", strconv.Itoa(printedTasks), "-", "-", "-", "-"})
		}
	}
	return out
}

// printedTasks is the number of the paper's configurations.
const printedTasks = 668

// settingTable returns the paper's Table 2 or a part of Table 3.
func settingTable(setting string, printed paper.Table, names []string, all []*tables) scoring.TextTable {
	out := scoring.TextTable{Title: title(setting) + besidePaper, Text: 1,
		Columns: append([]string{"model", "TSE", "RGE", "PE", "VPR", "IoU", "Hausdorff", "Success", "rank", "nearest"}, scoring.TallyColumns()...),
		Note:    "Rank and nearest are of Success."}
	if len(printed.Rows) == 0 {
		return out
	}
	for i, t := range all {
		g := t.groups[setting]
		if g == nil || g.n == 0 {
			continue
		}
		c := g.column(mainColumn)
		rank, nearest := paper.Place(c.share[shareSuccess].times(100), published(printed, 7), 2)
		out.Rows = append(out.Rows, slices.Concat([]string{names[i]}, c.cells(), []string{rank, nearest}, g.tally.Cells()))
	}
	if len(out.Rows) > 0 {
		for _, r := range printed.Rows {
			row := []string{r.Text(0) + paper.Mark}
			for i := 1; i < len(r); i++ {
				digits := 2
				if i == 6 {
					digits = 4
				}
				row = append(row, r.Cell(i, digits))
			}
			out.Rows = append(out.Rows, append(row, "-", "-", strconv.Itoa(printedTasks), "-", "-", "-", "-"))
		}
	}
	return out
}

// cells returns the columns of Table 2.
func (c *columnMeans) cells() []string {
	return []string{c.share[shareTSE].percent(), c.share[shareRGE].percent(), c.share[sharePE].percent(), c.share[shareVPR].percent(),
		scoring.FormatCell(c.iou[0].times(100), 2), scoring.FormatCell(c.hausdorff[0].times(1), 4), c.share[shareSuccess].percent()}
}
