package write

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"
)

// Summary is a row of the summary of a run: one suite, test and model.
type Summary struct {
	Suite string `json:"suite"`
	Test  string `json:"test"`
	Model string `json:"model"`

	N       int `json:"n"` // results
	Scored  int `json:"scored"`
	Missing int `json:"missing"` // results of answers without a response
	Cut     int `json:"cut"`     // results of answers that a limit cut

	Mean          *float64 `json:"mean"` // nil where there is none
	StandardError *float64 `json:"standard_error"`
}

// summaryHeader names the columns of summaries.
var summaryHeader = []string{"suite", "test", "model", "n", "scored", "missing", "cut", "mean", "standard_error"}

// cells returns the values of a row of the table of a run, in the order of summaryHeader. An undefined
// mean or standard error is nil.
func (s *Summary) cells() []any {
	cells := []any{s.Suite, s.Test, s.Model, s.N, s.Scored, s.Missing, s.Cut}
	for _, f := range []*float64{s.Mean, s.StandardError} {
		if f != nil {
			cells = append(cells, *f)
		} else {
			cells = append(cells, nil)
		}
	}
	return cells
}

// SummaryJSON writes the table of a run as a JSON list of objects, with null for an undefined mean.
func SummaryJSON(w io.Writer, all []Summary) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(append([]Summary{}, all...)) // nil is written as [], not as null
}

// SummaryCSV writes the table of a run, the mean scores of its tests, as CSV. An undefined mean is an
// empty field.
func SummaryCSV(w io.Writer, all []Summary) error {
	out := csv.NewWriter(w)
	out.Write(summaryHeader)
	for i := range all {
		var fields []string
		for _, c := range all[i].cells() {
			switch c := c.(type) {
			case nil:
				fields = append(fields, "")
			case float64:
				fields = append(fields, strconv.FormatFloat(c, 'g', -1, 64))
			default:
				fields = append(fields, fmt.Sprint(c))
			}
		}
		out.Write(fields)
	}
	out.Flush()
	return out.Error()
}

// SummaryXLSX writes the table of a run, the mean scores of its tests, as a spreadsheet. Names are
// texts even if they begin with =, so that no spreadsheet program takes them for formulas: SetRow writes
// every string as a text.
func SummaryXLSX(w io.Writer, all []Summary) error {
	f := excelize.NewFile()
	defer f.Close()
	if err := fillSummary(f, all); err != nil {
		return fmt.Errorf("cannot write a spreadsheet: %w", err)
	}
	if err := f.Write(w); err != nil {
		return fmt.Errorf("cannot write a spreadsheet: %w", err)
	}
	return nil
}

// fillSummary writes the header and the rows of the table of a run into the first sheet of a new spreadsheet.
func fillSummary(f *excelize.File, all []Summary) error {
	s, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	var header []any
	for _, name := range summaryHeader {
		header = append(header, name)
	}
	if err := s.SetRow("A1", header); err != nil {
		return err
	}
	for i := range all {
		if err := s.SetRow("A"+strconv.Itoa(i+2), all[i].cells()); err != nil { // row 1 is the header
			return err
		}
	}
	return s.Flush()
}
