package sheets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/dump"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/record/recordtest"
	"plumb/daemon/records/rows"
)

// plain returns an opener with default limits.
func plain(read func(*input.Input, rows.Options) (record.Source, error)) recordtest.Opener {
	return recordtest.Via(input.Limits{}, func(in *input.Input) (record.Source, error) { return read(in, rows.Options{}) })
}

// ends keeps the files with a suffix.
func ends(suffix string) func(string) bool {
	return func(file string) bool { return strings.HasSuffix(file, suffix) }
}

func TestSamples(t *testing.T) {
	recordtest.Good(t, "formats/table", ends(".csv"), plain(CSV))
	recordtest.Good(t, "formats/vlmevalkit", ends(".tsv"), plain(CSV))
	recordtest.Good(t, "formats/vlmevalkit", ends(".json"), plain(JSON))
	recordtest.Good(t, "formats/vlmevalkit", ends(".xlsx"), plain(XLSX))
	recordtest.Good(t, "formats/hf-parquet", ends(".parquet"), plain(Parquet))
}

func TestBadSamples(t *testing.T) {
	recordtest.Bad(t, "formats/table/bad", plain(CSV),
		recordtest.Fault{File: "quotes.csv", Records: 1, Faults: 2, Words: []string{
			"record 1 (line 2, column 5): a quote stands inside a quoted field",
			"record 3 (line 4): a quoted field runs to the end of the input"}},
		recordtest.Fault{File: "utf16.csv", Ends: true, Words: []string{"UTF-16", "want UTF-8"}})
	recordtest.Bad(t, "formats/vlmevalkit/bad", plain(CSV),
		recordtest.Fault{File: "quote.tsv", Records: 1, Faults: 1, Words: []string{"record 2 (lines 3 to 4): a quote stands inside a quoted field"}},
		recordtest.Fault{File: "utf16.tsv", Ends: true, Words: []string{"UTF-16", "want UTF-8"}})
}

func TestBadParquet(t *testing.T) {
	recordtest.Bad(t, "formats/hf-parquet/bad", plain(Parquet),
		recordtest.Fault{File: "truncated.parquet", Ends: true, Words: []string{"begins as Parquet but has no footer at its end (PAR1): a copy that broke off"}},
		recordtest.Fault{File: "no-response.parquet", Ends: true, Words: []string{"no column that holds answers (columns: a, b); want --response FIELD"}},
		recordtest.Fault{File: "corrupt-page.parquet", Records: 2, Faults: 1, Words: []string{"row group 0 (rows 0 to 1), column response: the page cannot be decoded"}})
}

func TestBadSpreadsheets(t *testing.T) {
	recordtest.Bad(t, "formats/vlmevalkit/bad", plain(XLSX),
		recordtest.Fault{File: "formula.xlsx", Records: 2, Words: []string{"formula_cell", "Sheet!B2"}},
		recordtest.Fault{File: "no-prediction.xlsx", Ends: true, Words: []string{`no column "prediction" in row 1 of Sheet (columns: index, pred)`}},
		recordtest.Fault{File: "pickle.pkl", Ends: true, Words: []string{"pickle", "can run code", "refused"}})
}

// temporary writes a file that the test removes.
func temporary(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made-up")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readText reads a made-up text.
func readText(t *testing.T, text string, limits input.Limits, o rows.Options, read func(*input.Input, rows.Options) (record.Source, error)) ([]recordtest.Got, error) {
	t.Helper()
	path := temporary(t, []byte(text))
	src, done, err := recordtest.Via(limits, func(in *input.Input) (record.Source, error) { return read(in, o) })(path, nil)
	defer done()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return recordtest.All(src)
}

// TestCSV reads made-up tables. See docs/spec/dumps-files.md#r8.
func TestCSV(t *testing.T) {
	small := input.Limits{Limits: dump.Limits{Line: 1 << 20}}
	for _, c := range []struct {
		text string
		opts rows.Options
		want recordtest.Fault
	}{
		{text: "id;response\n1;\"a;b\"\n2;c,d,e\n", want: recordtest.Fault{Records: 2}},
		{text: "\xef\xbb\xbf\"id\",\"response\"\r\n1,a\r\n", want: recordtest.Fault{Records: 1}},
		{text: "id,response\n1,a,b\n2\n3,c\n", want: recordtest.Fault{Records: 1, Faults: 2, Words: []string{"record 1 (line 2): it has 3 fields; want 2", "record 2 (line 3): it has 1 fields"}}},
		{text: "id,response\r\n1,\"a\r\nb\r\n", want: recordtest.Fault{Faults: 1, Words: []string{"runs to the end"}}},
		{text: "id,response\n1,\"a\nb", want: recordtest.Fault{Faults: 1, Words: []string{"runs to the end"}}},
		{text: "id,response\n1,a\"b\n2,c\n", want: recordtest.Fault{Records: 1, Faults: 1, Words: []string{"a quote stands inside a field without quotes"}}},
		{text: "id,response\n1,\"" + strings.Repeat("x", 2<<20), want: recordtest.Fault{Ends: true, Words: []string{"--max-line"}}},
		{text: "a,b\n1,2\n", want: recordtest.Fault{Ends: true, Words: []string{"no column that holds answers (columns: a, b); want --response FIELD"}}},
		{text: "a,b\n1,2\n", opts: rows.Options{AnswerColumn: "b"}, want: recordtest.Fault{Records: 1}},
		{text: "index,prediction,prediction\n1,A,B\n", want: recordtest.Fault{Ends: true, Words: []string{`the column "prediction" occurs more than once`}}},
		{text: "", want: recordtest.Fault{Ends: true, Words: []string{"no header"}}},
	} {
		all, err := readText(t, c.text, small, c.opts, CSV)
		c.want.File = c.text[:min(len(c.text), 40)]
		recordtest.CheckFault(t, c.want, all, err)
	}
}

// TestJSON reads made-up lists.
func TestJSON(t *testing.T) {
	small := input.Limits{Limits: dump.Limits{Line: 1 << 20}}
	for _, c := range []struct {
		text string
		want recordtest.Fault
	}{
		{`[{"index":1,"prediction":NaN},{"index":2,"prediction":"B"},{"index":3}]`, recordtest.Fault{Records: 3, Words: []string{"element 0 no_response", "element 2 no_response"}}},
		{`[3,{"id":1,"response":"a"},{"id":2,"output":"b"},[]]`, recordtest.Fault{Records: 2, Faults: 2, Words: []string{"element 0: got", "element 3: got"}}},
		{`[{"id":1,"response":"` + strings.Repeat("x", 2<<20) + `"},{"id":2,"response":"b"}]`, recordtest.Fault{Records: 1, Faults: 1, Words: []string{"element 0: it has", "--max-line"}}},
		{`[{"id":1,"response":"a"},{"id":2,"resp`, recordtest.Fault{Records: 1, Ends: true, Words: []string{"breaks off at byte 38 in element 1"}}},
		{`[{"id":1,"response":"a"},{"id":01e,"response":"a"},{"id":@,"response":"b"}]`, recordtest.Fault{Records: 2, Faults: 1, Words: []string{"element 2: cannot parse JSON"}}},
		{`[{"a":1}]`, recordtest.Fault{Ends: true, Words: []string{"no column that holds answers (columns: a)"}}},
	} {
		all, err := readText(t, c.text, small, rows.Options{}, JSON)
		c.want.File = c.text[:min(len(c.text), 40)]
		recordtest.CheckFault(t, c.want, all, err)
	}
}
