package annotate

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"

	"plumb/daemon/dump"
	"plumb/daemon/records/documents"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/record/recordtest"
	"plumb/daemon/records/rows"
	"plumb/daemon/records/sheets"
	"plumb/testdata"
)

// annotate copies a dump with results, and returns the copy.
func annotate(t *testing.T, path, format string, results []string) (string, error) {
	t.Helper()
	text := strings.Join(results, "\n")
	r, err := NewResults(strings.NewReader(text), int64(len(text)), path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	in, err := input.Open(path, nil, input.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	err = Copy(in, format, &out, r)
	return out.String(), err
}

// write writes a made-up dump.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made-up")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// result is a result line for a place.
func result(at string, score float64) string {
	return fmt.Sprintf(`{"id":"x","score":%g,"reward":%g,"status":"ok","metrics":{"a":1},"notes":[],"scorer":"plumb","at":%q}`, score, score, at)
}

// TestText checks copies of texts byte for byte. See docs/spec/dumps-files.md#r20.
func TestText(t *testing.T) {
	const mark = `"plumb":{"score":0.5,"reward":0.5,"status":"ok","metrics":{"a":1}}`
	failed := `{"id":"x","score":null,"reward":null,"error":{"code":"bad_line","message":"m"},"at":"line 1"}`
	for _, c := range []struct{ name, format, dump, results, want string }{
		{"lines", "openai-batch", "{\"a\":1}\r\n\n{ \"b\":[NaN] } \n{}\n{\"c\"", result("line 1", 0.5) + "\n" + result("line 3", 0.5) + "\n" + result("line 4", 0.5) + "\n" + result("line 5", 0.5),
			"{\"a\":1," + mark + "}\r\n\n{ \"b\":[NaN]," + mark + "} \n{" + mark + "}\n{\"c\""},
		{"a line without results", "lm-eval", "{\"a\":1}\n{\"b\":2}\n", result("line 2", 0.5), "{\"a\":1}\n{\"b\":2," + mark + "}\n"},
		{"several records in a line", "verifiers", "{\"a\":1}\n", result("line 1 traces[0]", 0.5) + "\n" + failed,
			`{"a":1,"plumb":[` + mark[8:] + `,{"score":null,"reward":null,"error":{"code":"bad_line","message":"m"}}]}` + "\n"},
		{"a copy of a copy", "plumb", "{\"a\":1,\"plumb\":{\"score\":1},\"b\":\"plumb\"}\n", result("line 1", 0.5), "{\"a\":1,\"b\":\"plumb\"," + mark + "}\n"},
		{"list", "vlmevalkit", "[\n {\"a\": NaN},\n {} ]", result("element 0", 0.5), "[\n{\"a\":null," + mark + "},\n{}\n]\n"},
		{"HELM", "helm", `{"x":{"y":[1]},"request_states":[{"a":1},{"b":2}],"z":0}`, result("request_states[1]", 0.5) + "\n" + result("request_states[1]", 0.5),
			"{\n\"x\": {\"y\":[1]},\n\"request_states\": [\n{\"a\":1},\n{\"b\":2,\"plumb\":[" + mark[8:] + "," + mark[8:] + "]}\n],\n\"z\": 0\n}\n"},
		{"CSV", "table", "id,response\r\n1,\"a\r\n\"\"b\"\r\n\r\n2,c\n3,\"x\"y\n4,d", result("record 1", 0.5) + "\n" + result("record 2", 1) + "\n" + result("record 4", 0),
			"id,response,plumb_score,plumb_status,plumb_error\r\n1,\"a\r\n\"\"b\",0.5,ok,\r\n\r\n2,c,1,ok,\n3,\"x\"y\n4,d,0,ok,"},
		{"TSV", "vlmevalkit", "\"index\"\t\"prediction\"\n\"1\"\t\"A\"\n", strings.Replace(failed, "line 1", "record 1", 1),
			"\"index\"\t\"prediction\"\tplumb_score\tplumb_status\tplumb_error\n\"1\"\t\"A\"\t\t\tbad_line: m\n"},
		{"a file of results for several dumps", "plumb", "{\"a\":1}\n", strings.Replace(result("line 1", 0.5), `"id"`, `"file":"other","id"`, 1), "{\"a\":1}\n"},
	} {
		got, err := annotate(t, write(t, c.dump), c.format, strings.Split(c.results, "\n"))
		if err != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %q\nwant %q", c.name, err, got, c.want)
		}
	}
}

// TestSamples copies samples, and reads the same records from the copies as from the dumps.
func TestSamples(t *testing.T) {
	table := func(read func(*input.Input, rows.Options) (record.Source, error)) func(*input.Input) (record.Source, error) {
		return func(in *input.Input) (record.Source, error) { return read(in, rows.Options{}) }
	}
	const vlm = "formats/vlmevalkit/GPT4o_HIGH/T20261120_Gabc1234/GPT4o_HIGH_SpatiaLab_MCQ"
	for _, c := range []struct {
		path, format string
		read         func(*input.Input) (record.Source, error)
	}{
		{vlm + ".xlsx", "vlmevalkit", table(sheets.XLSX)},
		{vlm + "Small.tsv", "vlmevalkit", table(sheets.CSV)},
		{vlm + "Small.json", "vlmevalkit", table(sheets.JSON)},
		{"formats/table/answers.csv", "table", table(sheets.CSV)},
		{"formats/hf-parquet/rows.parquet", "table", table(sheets.Parquet)},
		{"formats/hf-parquet/completions.parquet", "table", table(sheets.Parquet)},
		{"formats/helm/spatialab:model=org_model-7b/scenario_state.json", "helm", func(in *input.Input) (record.Source, error) { return documents.HELM(in, documents.Options{}) }},
	} {
		path := testdata.Path(t, c.path)
		before := all(t, path, c.read)
		var results []string
		for i, g := range before {
			results = append(results, result(g.At, float64(i)/64))
		}
		text, err := annotate(t, path, c.format, results)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		after := all(t, write(t, text), c.read)
		if len(after) != len(before) {
			t.Errorf("%s: %d records of %d", c.path, len(after), len(before))
			continue
		}
		for i := range after {
			a, b := after[i], before[i]
			if a.Response != b.Response || a.Key != b.Key || a.At != b.At || a.Fault != b.Fault || (a.Missing == nil) != (b.Missing == nil) {
				t.Errorf("%s: record %d: got %+v; want %+v", c.path, i, a, b)
			}
		}
		if !strings.Contains(c.path, ".xlsx") && !strings.Contains(c.path, ".parquet") && !strings.Contains(text, "0.015625") {
			t.Errorf("%s: the copy has no scores", c.path)
		}
	}
}

// all reads the records of a dump.
func all(t *testing.T, path string, read func(*input.Input) (record.Source, error)) []recordtest.Got {
	t.Helper()
	src, done, err := recordtest.Via(input.Limits{}, read)(path, nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer done()
	defer src.Close()
	got, err := recordtest.All(src)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return got
}

// TestColumns checks the columns of marks in spreadsheets and Parquet.
func TestColumns(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	for cell, v := range map[string]any{"A1": "index", "B1": "prediction", "A2": 1, "B2": "A", "A4": 3} {
		f.SetCellValue("Sheet1", cell, v)
	}
	book, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	text, err := annotate(t, write(t, book.String()), "vlmevalkit", []string{result("sheet Sheet1 row 2", 0.5), `{"score":null,"error":{"code":"empty_cell","message":"=m"},"at":"sheet Sheet1 row 4"}`})
	if err != nil {
		t.Fatal(err)
	}
	copied, err := excelize.OpenReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	rows, _ := copied.GetRows("Sheet1")
	if got := fmt.Sprintf("%q", rows); got != `[["index" "prediction" "plumb_score" "plumb_status" "plumb_error"] ["1" "A" "0.5" "ok"] [] ["3" "" "" "" "empty_cell: =m"]]` {
		t.Errorf("spreadsheet: got %s", got)
	}

	type row struct {
		Response string   `parquet:"response"`
		Tags     []string `parquet:"tags,list"`
	}
	var table bytes.Buffer
	w := parquet.NewGenericWriter[row](&table, parquet.KeyValueMetadata("who", "me"))
	w.Write([]row{{"A", []string{"x", "y"}}, {"B", nil}})
	w.Close()
	text, err = annotate(t, write(t, table.String()), "table", []string{result("row 1", 0.25)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	values := make([]any, 3)
	n, _ := parquet.NewGenericRowGroupReader[any](p.RowGroups()[0]).Read(values)
	who, _ := p.Lookup("who")
	if got := fmt.Sprint(values[:n], who); got != "[map[plumb_error:<nil> plumb_score:<nil> plumb_status:<nil> response:A tags:[x y]] map[plumb_error:<nil> plumb_score:0.25 plumb_status:ok response:B tags:[]]]me" {
		t.Errorf("Parquet: got %s", got)
	}
	if _, err := annotate(t, testdata.Path(t, "formats/inspect/aspire.eval"), "inspect", nil); err != ErrInspect {
		t.Errorf("inspect: got %v", err)
	}
}

// TestTornMember checks that the error on a document that breaks off in a long member names that member.
func TestTornMember(t *testing.T) {
	path := write(t, `{"adapter_spec":"`+strings.Repeat("x", 200_000))
	if _, err := annotate(t, path, "helm", nil); err == nil || !strings.HasPrefix(err.Error(), "adapter_spec: ") {
		t.Errorf("got %.200v; want an error at adapter_spec", err)
	}
}

// TestLineLimits checks that line ends do not count towards the limit on lines, as in the reader of dumps, and that a
// line of results beyond the limit is an error, however short the buffer makes it.
func TestLineLimits(t *testing.T) {
	results := result("line 1", 0.5) + "\n"
	for _, end := range []string{"\n", "\r\n", ""} {
		line := `{"id":"x","response":"long enough"}`
		for limit, marked := range map[int]bool{len(line) - 1: false, len(line): true} {
			path := write(t, line+end)
			r, err := NewResults(strings.NewReader(results), int64(len(results)), path, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			in, err := input.Open(path, nil, input.Limits{Limits: dump.Limits{Line: limit}})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := Copy(in, "", &out, r); err != nil {
				t.Fatal(err)
			}
			in.Close()
			if got := strings.Contains(out.String(), `"plumb"`); got != marked {
				t.Errorf("limit %d, line of %d bytes and %q: got %s; want the result in it: %v", limit, len(line), end, out.String(), marked)
			}
		}
	}
	for limit, good := range map[int]bool{len(results) - 2: false, len(results) - 1: true} {
		if _, err := NewResults(strings.NewReader(results), int64(len(results)), "path", limit); (err == nil) != good {
			t.Errorf("a line of results of %d bytes, limit %d: got %v; want it to be read: %v", len(results)-1, limit, err, good)
		}
	}
}
