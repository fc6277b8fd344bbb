package scoring

import (
	"math"
	"strconv"
)

// TableOptions say how answers are counted.
type TableOptions struct {
	Variants Variants
	// Missing tells that a missing answer counts as the score 0
	// (--missing zero; see docs/spec/cli.md#r17). Otherwise it counts nothing.
	Missing bool
	// Papers are documents of paper tables, valid JSON, whose rows stand beside
	// the results. A suite takes those of its benchmark, and its embedded one where
	// there is none. An empty list that is not nil means no paper at all.
	Papers [][]byte
	// Cluster returns what an item shares with others, such as a picture, "" for nothing. It
	// may be nil.
	Cluster func(suite, id string) string
}

// Tables adds results up as a suite's papers do. One goroutine uses it at a time.
type Tables interface {
	// Add counts a result of the suite, in the order of the dump. It reads
	// nothing but r, which may come from a file of results: what a table needs,
	// the category say, is one of the result's metrics, with the types that
	// ReadResult gives or those of Prepare. It keeps nothing of r.
	Add(r *Result)
	// Tables returns what the papers print, in their order; none when nothing
	// was counted.
	Tables() []TextTable
}

// TextTable is a table whose cells are written as a paper writes them.
type TextTable struct {
	Title       string     // "Table 2: zero-shot"
	Note        string     // what a reader must know, "" for nothing; more than one line is allowed
	Columns     []string   // heads
	TextColumns int        // how many of the first columns hold words and are left-aligned; the others hold numbers
	Rows        [][]string // as long as Columns; "-" for what there is not
}

// FormatCell writes a number for a cell of a report's table, with that many decimals: "-" for NaN
// and infinities, and 0 for -0.
func FormatCell(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return strconv.FormatFloat(x+0, 'f', decimals, 64) // +0 turns -0 into 0
}

// Finite returns a pointer to x, or nil for NaN and infinities, which JSON and tables do not have. Sums of very
// large scores, or of their squares, may be none.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
