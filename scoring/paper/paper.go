// Package paper reads the numbers that benchmarks' papers print, and places a model among
// them. In: a document with tables of rows, which a suite embeds or a user gives. Out: its
// rows, ranks and distances. It refuses documents in another form, by the member that is
// wrong. See docs/spec/runs.md#r49.
package paper

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring/plural"
)

// Paper holds the tables of one benchmark.
type Paper struct {
	Benchmark string           `json:"benchmark"`
	Source    string           `json:"source"`
	Tables    map[string]Table `json:"tables"`
}

// Table is one printed table. Cells are strings, numbers, or null for what is not printed.
type Table struct {
	Columns []string `json:"columns"`
	Rows    []Row    `json:"rows"`
}

// Row is as long as the columns of its table.
type Row []any

// Read reads the tables of a benchmark's paper from their JSON document. The error names a
// table whose rows have another length than its columns, a cell of another type, or a
// missing name or table.
func Read(doc []byte) (*Paper, error) {
	paper := new(Paper)
	if err := json.Unmarshal(doc, paper); err != nil {
		return nil, fmt.Errorf("cannot read paper: %w", err)
	}
	if paper.Benchmark == "" || len(paper.Tables) == 0 {
		return nil, fmt.Errorf("cannot read paper: got the benchmark %.40q with %d tables; want the name of a benchmark and one table or more", paper.Benchmark, len(paper.Tables))
	}
	for _, name := range slices.Sorted(maps.Keys(paper.Tables)) { // in order, so that the same fault is named each time
		table := paper.Tables[name]
		for i, row := range table.Rows {
			if len(row) != len(table.Columns) {
				return nil, fmt.Errorf("cannot read paper: cannot use tables.%s.rows[%d]: it has %s; want %d as columns has", name, i, plural.Of(len(row), "cell"), len(table.Columns))
			}
			for column, cell := range row {
				switch cell.(type) {
				case nil, float64, string:
				default:
					return nil, fmt.Errorf("cannot read paper: cannot use tables.%s.rows[%d][%d]: want a number, a string or null", name, i, column)
				}
			}
		}
	}
	return paper, nil
}

// Choose returns the paper of a benchmark: the last one of the user's documents that is
// about it, else the embedded one. given is nil where the user gave no list; an empty list
// means no paper, and gives one without tables. It never returns nil.
func Choose(benchmark string, embedded []byte, given [][]byte) *Paper {
	for i := len(given) - 1; i >= 0; i-- {
		if p, err := Read(given[i]); err == nil && p.Benchmark == benchmark {
			return p
		}
	}
	if given != nil && len(given) == 0 {
		return &Paper{}
	}
	paper, err := Read(embedded)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return paper
}

// Mark is added to the names of published rows.
const Mark = " (paper)"

// Text returns a cell as a word, "" where it is none.
func (row Row) Text(i int) string {
	s, _ := row[i].(string)
	return s
}

// Number returns a cell of a table in a paper as a number, or NaN where it is not a number.
func (row Row) Number(i int) float64 {
	if x, ok := row[i].(float64); ok {
		return x
	}
	return math.NaN()
}

// Cell returns a cell of a table in a paper as text: a number with that many decimals, a word as it
// is, and "-" for null.
func (row Row) Cell(i, digits int) string {
	switch c := row[i].(type) {
	case float64:
		return strconv.FormatFloat(c, 'f', digits, 64)
	case string:
		return c
	}
	return "-"
}

// Find returns the first row of a paper's table whose first cells are the given words, or nil if
// there is none.
func (table Table) Find(words ...string) Row {
	for _, row := range table.Rows {
		equal := len(row) >= len(words)
		for i := 0; equal && i < len(words); i++ {
			equal = row.Text(i) == words[i]
		}
		if equal {
			return row
		}
	}
	return nil
}

// Published is one number of a paper.
type Published struct {
	Name  string
	Value float64
}

// Place returns the rank of a value among published numbers, the larger the better, and the
// nearest published one with the distance to it: "3 of 13" and "+0.020 Claude-Opus-4-5".
// Equal numbers share the better rank, and the value itself is counted in the 13. Both are
// "-" where the value or all published ones are not finite numbers.
func Place(value float64, published []Published, digits int) (rank, nearest string) {
	better, count := 0, 0
	var nearestPublished Published
	for _, candidate := range published {
		if math.IsNaN(candidate.Value) {
			continue
		}
		count++
		if candidate.Value > value {
			better++
		}
		if count == 1 || math.Abs(value-candidate.Value) < math.Abs(value-nearestPublished.Value) {
			nearestPublished = candidate
		}
	}
	if math.IsNaN(value) || math.IsInf(value, 0) || count == 0 {
		return "-", "-"
	}
	distance := strconv.FormatFloat(value-nearestPublished.Value, 'f', digits, 64)
	if !strings.HasPrefix(distance, "-") {
		distance = "+" + distance
	}
	return fmt.Sprintf("%d of %d", better+1, count+1), distance + " " + nearestPublished.Name
}
