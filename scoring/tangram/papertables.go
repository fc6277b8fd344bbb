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

// paperSuffix is in the titles of tables with published rows: the paper's 668 instances
// are not published.
const paperSuffix = ", beside the paper (other tasks)"

// newTables returns the tables of a TangramPuzzle report: for each series of results its own, then
// the paper's tables with all series. It implements scoring.Suite.Tables.
func newTables(options scoring.TableOptions) scoring.Tables {
	published := paper.Choose(paperTitle, printedTables, options.Papers)
	// Results of a model that differ only in this member are of one series: the paper has a table for each
	// setting, in which the model has a row.
	const ignoredMember = "setting"
	return scoring.NewPerSeries(func() *tables { return newSeriesTables(options) },
		func(names []string, all []*tables) []scoring.TextTable {
			return paperTables(published, names, all)
		}, ignoredMember)
}

// paperTables returns the paper's Tables 1 to 3 with a row for each series (names[i] has the
// results all[i]) above the published ones. Tables 4 and 5, which results cannot reproduce,
// follow where Table 2 or 3 has rows. Without published rows there are no tables. See
// docs/spec/runs.md#r52.
func paperTables(published *paper.Paper, names []string, all []*tables) (out []scoring.TextTable) {
	if t := outlineTable(published.Tables["outline"], names, all); len(t.Rows) > 0 {
		out = append(out, t)
	}
	hasSolutions := false
	for _, setting := range settings {
		if t := settingTable(setting, published.Tables[setting], names, all); len(t.Rows) > 0 {
			out = append(out, t)
			hasSolutions = true
		}
	}
	if hasSolutions {
		for _, t := range []struct{ name, title string }{
			{"humans", "TangramPuzzle Table 4: people (published only)"},
			{"ratings", "TangramPuzzle Table 5: people's ratings of models (published only)"}} {
			if printed := published.Tables[t.name]; len(printed.Rows) > 0 {
				out = append(out, publishedOnly(t.title, printed))
			}
		}
	}
	return out
}

// publishedOnly returns a table of the TangramPuzzle paper as it is printed, with one decimal.
func publishedOnly(title string, printed paper.Table) scoring.TextTable {
	table := scoring.TextTable{Title: title, Columns: printed.Columns, TextColumns: 1}
	for _, r := range printed.Rows {
		row := []string{r.Text(0) + paper.Mark}
		for i := 1; i < len(r); i++ {
			row = append(row, r.Cell(i, 1))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// publishedColumn returns the numbers of one column of a table in the TangramPuzzle paper, with the
// names of their rows.
func publishedColumn(t paper.Table, column int) (list []paper.Published) {
	for _, r := range t.Rows {
		list = append(list, paper.Published{Name: r.Text(0), Value: r.Number(column)})
	}
	return list
}

// The columns of the published tables from which ranks are taken: accuracy in Table 1, and success in
// Tables 2 and 3.
const (
	accuracyColumn = 2
	successColumn  = 7
)

// outlineTable returns Table 1 of the TangramPuzzle paper, accuracy in Task 1, with a row for each
// series of results. Its columns are model, invalid answers and accuracy in per cent, rank and
// nearest among the published accuracies, then those of scoring.TallyColumns. Series without
// answers have no row.
func outlineTable(printed paper.Table, names []string, all []*tables) scoring.TextTable {
	out := scoring.TextTable{Title: "TangramPuzzle Table 1: outline prediction" + paperSuffix, TextColumns: 1,
		Columns: append([]string{"model", "Invalid", "Acc", "rank", "nearest"}, scoring.TallyColumns()...)}
	for i, series := range all {
		if choices := &series.choices; choices.answers > 0 && len(printed.Rows) > 0 {
			means := choices.meansOf(mainReading)
			rank, nearest := paper.Place(means.share[shareSuccess].scaled(100), publishedColumn(printed, accuracyColumn), 2)
			out.Rows = append(out.Rows, append([]string{names[i], means.share[shareSyntaxErrors].percent(),
				means.share[shareSuccess].percent(), rank, nearest}, choices.allAnswers.Cells()...))
		}
	}
	if len(out.Rows) > 0 {
		for _, r := range printed.Rows {
			// model, invalid, accuracy, rank, nearest, number of tasks, the rest of TallyColumns
			out.Rows = append(out.Rows, []string{r.Text(0) + paper.Mark, r.Cell(1, 2), r.Cell(2, 2), "-", "-",
				strconv.Itoa(printedTasks), "-", "-", "-", "-"})
		}
	}
	return out
}

// printedTasks is the number of the paper's configurations.
const printedTasks = 668

// settingTable returns the paper's table of one setting of Task 2: Table 2 or a part of
// Table 3. Columns: model, those of tableCells, rank and nearest among the published
// successes, then those of scoring.TallyColumns. It has no rows where no series has answers.
func settingTable(setting string, printed paper.Table, names []string, all []*tables) scoring.TextTable {
	out := scoring.TextTable{Title: tableTitle(setting) + paperSuffix, TextColumns: 1,
		Columns: append([]string{"model", "TSE", "RGE", "PE", "VPR", "IoU", "Hausdorff", "Success", "rank",
			"nearest"}, scoring.TallyColumns()...),
		Note: "Rank and nearest are of Success."}
	if len(printed.Rows) == 0 {
		return out
	}
	for i, series := range all {
		group := series.groups[setting]
		if group == nil || group.answers == 0 {
			continue
		}
		means := group.meansOf(mainReading)
		rank, nearest := paper.Place(means.share[shareSuccess].scaled(100), publishedColumn(printed, successColumn), 2)
		out.Rows = append(out.Rows, slices.Concat([]string{names[i]}, means.tableCells(), []string{rank, nearest},
			group.allAnswers.Cells()))
	}
	if len(out.Rows) > 0 {
		for _, r := range printed.Rows {
			row := []string{r.Text(0) + paper.Mark}
			for column := 1; column < len(r); column++ {
				digits := 2
				if out.Columns[column] == "Hausdorff" {
					digits = 4
				}
				row = append(row, r.Cell(column, digits))
			}
			out.Rows = append(out.Rows, append(row, "-", "-", strconv.Itoa(printedTasks), "-", "-", "-", "-"))
		}
	}
	return out
}

// tableCells returns the columns of Table 2 of the TangramPuzzle paper: the shares in per cent of
// answers with syntax errors, with rigid-geometry errors, with physics errors, and valid ones; mean
// IoU, mean Hausdorff distance; and the share of successes.
func (means *means) tableCells() []string {
	return []string{means.share[shareSyntaxErrors].percent(), means.share[shareRigidErrors].percent(),
		means.share[sharePhysicsErrors].percent(), means.share[shareValid].percent(),
		scoring.FormatCell(means.iou[overEvaluable].scaled(100), 2),
		scoring.FormatCell(means.hausdorff[overEvaluable].scaled(1), 4),
		means.share[shareSuccess].percent()}
}
