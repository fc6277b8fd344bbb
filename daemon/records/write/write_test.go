package write

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
)

// results are result lines as the scorer writes them.
var results = []string{
	`{"id":"maze-00","suite":"aspire","test":"maze","model":"m","repeat":2,"finish_reason":"length","cut":"answer","file":"a.eval","at":"x#2","key":"x","score":0.5,"reward":0.5,"status":"fenced","metrics":{"iou":0.25,"label_pixels":3,"list":[1,null]},"notes":[{"code":"cut_answer","path":"response","message":"the answer was cut"}],"backend":"gl","scorer":"plumb 1"}`,
	`{"id":"maze-00","suite":"aspire","test":"maze","model":"m","repeat":2,"key":"x","score":0.75,"reward":0.75,"status":"bare","metrics":{"iou":null},"scorer":"plumb 1"}`,
	`{"id":"b","line":3,"suite":"spatialab","score":null,"reward":null,"error":{"code":"no_response","message":"it failed"},"scorer":"plumb 1"}`,
	`{"id":"c","suite":"spatialab","score":1,"reward":1,"status":"letter","metrics":{"extracted":"B","tokens":40},"scorer":"plumb 1"}`,
}

// TestParquet writes results and reads them back. See docs/spec/dumps-files.md#r18.
func TestParquet(t *testing.T) {
	var out bytes.Buffer
	w, err := NewParquet(&out, ParquetOptions{Columns: []string{"metrics.iou"}, Metadata: map[string]string{"plumb.scorer": "plumb 1", "plumb.flags": "--cut score"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range results {
		if err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("PLUMB_KEEP"); path != "" {
		os.WriteFile(path, out.Bytes(), 0o600)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name())
	}
	const want = "id,key,repeat,suite,test,model,score,reward,status,finish_reason,cut,completion_tokens,metrics,notes,error_code,error_message,backend,scorer,file,at,metrics.iou"
	if got := strings.Join(names, ","); got != want {
		t.Errorf("columns: got %s; want %s", got, want)
	}
	if v, _ := f.Lookup("plumb.scorer"); v != "plumb 1" {
		t.Errorf("metadata: got %q", v)
	}
	rows := make([]any, 10)
	n, _ := parquet.NewGenericRowGroupReader[any](f.RowGroups()[0]).Read(rows)
	var got []string
	for _, r := range rows[:n] {
		m := r.(map[string]any)
		got = append(got, fmt.Sprintln(m["id"], m["key"], m["repeat"], m["score"], m["completion_tokens"], m["metrics"], m["error_code"], m["metrics.iou"]))
	}
	for i, want := range []string{
		`maze-00 x 2 0.5 <nil> map[iou:0.25 label_pixels:3 list:[1 <nil>]] <nil> 0.25`,
		`maze-00 x 2 0.75 <nil> map[iou:<nil>] <nil> <nil>`,
		`b <nil> 1 <nil> <nil> <nil> no_response <nil>`,
		`c <nil> 1 1 40 map[extracted:B tokens:40] <nil> <nil>`,
	} {
		if i >= n || got[i] != want+"\n" {
			t.Errorf("row %d: got %q; want %q", i, got, want)
		}
	}
	if _, err := NewParquet(&out, ParquetOptions{Columns: []string{"score"}}); err == nil {
		t.Error("a second column score is accepted")
	}
}

// TestParquetGroups checks the size of row groups.
func TestParquetGroups(t *testing.T) {
	var out bytes.Buffer
	w, err := NewParquet(&out, ParquetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rowGroup + 10 {
		if err := w.Write(fmt.Appendf(nil, `{"id":"%d","suite":"s","score":%d}`, i, i%2)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || len(f.RowGroups()) != 2 || f.RowGroups()[1].NumRows() != 10 {
		t.Errorf("%v: %d row groups", err, len(f.RowGroups()))
	}
}

// TestInspect checks the lines for precomputed_scores. See docs/spec/dumps-files.md#r19.
func TestInspect(t *testing.T) {
	var out bytes.Buffer
	w := NewInspect(&out)
	for _, line := range results {
		if err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"id":"x","epoch":2,"value":0.5,"answer":null,"explanation":"fenced; cut_answer: the answer was cut","metadata":{"iou":0.25,"label_pixels":3,"list":[1,null]}}
{"id":"c","epoch":1,"value":1.0,"answer":"B","explanation":"letter","metadata":{"extracted":"B","tokens":40}}
`
	if out.String() != want || w.Unscored != 1 || w.Twice != 1 {
		t.Errorf("got %d unscored, %d twice, %s", w.Unscored, w.Twice, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("invalid JSON: %s", line)
		}
	}
}

// TestSummary checks both forms of summaries.
func TestSummary(t *testing.T) {
	mean, se := 0.125, 1e-9
	all := []Summary{{"aspire", "maze", "=m\"1", 10, 8, 1, 2, &mean, &se}, {"aspire", "", "b", 1, 0, 0, 0, nil, nil}}
	var text, sheet bytes.Buffer
	if err := SummaryCSV(&text, all); err != nil {
		t.Fatal(err)
	}
	want := "suite,test,model,n,scored,missing,cut,mean,standard_error\naspire,maze,\"=m\"\"1\",10,8,1,2,0.125,1e-09\naspire,,b,1,0,0,0,,\n"
	if text.String() != want {
		t.Errorf("got %s; want %s", text.String(), want)
	}
	if err := SummaryXLSX(&sheet, all); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&sheet)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	formula, _ := f.GetCellFormula("Sheet1", "C2")
	value, _ := f.GetCellValue("Sheet1", "C2")
	number, _ := f.GetCellType("Sheet1", "H2")
	if formula != "" || value != "=m\"1" || number == excelize.CellTypeInlineString {
		t.Errorf("got formula %q, value %q, type %v", formula, value, number)
	}
}

// TestFormat checks the choice of formats.
func TestFormat(t *testing.T) {
	for _, c := range [][3]string{{"", "a.parquet", Parquet}, {"", "a.CSV", CSV}, {"", "a.xlsx", XLSX}, {"", "a", JSONL}, {"inspect", "a.csv", Inspect}} {
		if got, err := Format(c[0], c[1]); err != nil || got != c[2] {
			t.Errorf("%v: got %s, %v", c, got, err)
		}
	}
	if _, err := Format("json", "a"); err == nil {
		t.Error("json is accepted")
	}
}
