package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"

	"plumb/testdata"
)

// demoScores scores the sample dump on the Go backend into a file.
func demoScores(t *testing.T, out string, more ...string) (code int, errs string) {
	t.Helper()
	code, _, errs = plumb(t, "", append([]string{"score", "--backend", "cpu", "--paper", "none", "-o", out, demo(t)}, more...)...)
	return code, errs
}

// demo returns the path of a short sample dump.
func demo(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")[:40]
	return written(t, filepath.Join(t.TempDir(), "short.jsonl"), strings.Join(lines, "\n")) // blank lines between
}

// TestForms checks that every form of the output has the results of the JSON lines. See
// docs/spec/dumps-files.md#r21.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	lines := filepath.Join(dir, "a.jsonl")
	if code, errs := demoScores(t, lines); code != 0 {
		t.Fatal(errs)
	}
	want := jsonLines(t, fileText(t, dir, "a.jsonl"))

	t.Run("parquet", func(t *testing.T) {
		path := filepath.Join(dir, "a.parquet")
		if code, errs := demoScores(t, path, "--columns", "metrics.distance"); code != 0 {
			t.Fatal(errs)
		}
		type row struct {
			ID       string   `parquet:"id"`
			Model    *string  `parquet:"model"`
			Score    *float64 `parquet:"score"`
			Distance *float64 `parquet:"metrics.distance"`
		}
		got, err := parquet.ReadFile[row](path)
		if err != nil || len(got) != len(want) {
			t.Fatalf("got %d rows, %v; want %d", len(got), err, len(want))
		}
		for i, r := range got {
			metrics, _ := want[i]["metrics"].(map[string]any)
			if r.ID != want[i]["id"] || *r.Model != want[i]["model"] || !same(r.Score, want[i]["score"]) || !same(r.Distance, metrics["distance"]) {
				t.Errorf("row %d: got %+v; want %v", i, r, want[i])
			}
		}
	})
	t.Run("csv and xlsx", func(t *testing.T) {
		for _, name := range []string{"a.csv", "a.xlsx"} {
			if code, errs := demoScores(t, filepath.Join(dir, name)); code != 0 {
				t.Fatal(errs)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(fileText(t, dir, "a.csv"))).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("got %v, %v; want a table", rows, err)
		}
		count := 0
		for _, r := range rows[1:] {
			var n int
			fmt.Sscan(r[3], &n)
			count += n
		}
		if count != len(want) {
			t.Errorf("the rows count %d results; want %d", count, len(want))
		}
		f, err := excelize.OpenFile(filepath.Join(dir, "a.xlsx"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cells, err := f.GetRows("Sheet1")
		if err != nil || len(cells) != len(rows) || cells[1][1] != rows[1][1] || cells[1][3] != rows[1][3] {
			t.Errorf("got %v, %v; want %v", cells, err, rows)
		}
	})
	t.Run("goes on in another form", func(t *testing.T) {
		path := filepath.Join(dir, "b.parquet")
		if code, errs := demoScores(t, path, "--no-join", "--output-format", "jsonl"); code != 2 || !strings.Contains(errs, ".parquet") {
			t.Errorf("got exit %d, %s; want 2", code, errs)
		}
		other := filepath.Join(dir, "c.jsonl")
		dump := demo(t)
		args := []string{"score", "--backend", "cpu", "--paper", "none", "-o", other, dump}
		for range 2 { // the second run finds all parts
			if code, _, errs := plumb(t, "", append(args, "--no-join")...); code != 0 || !strings.Contains(errs, "c.jsonl.job") {
				t.Fatalf("got exit %d, %s; want parts", code, errs)
			}
		}
		var rows []map[string]any
		if err := json.Unmarshal([]byte(fileText(t, other+".job", "summary.json")), &rows); err != nil || len(rows) == 0 || rows[0]["suite"] != "aspire" {
			t.Errorf("got %v, %v; want a table", rows, err)
		}
		if text := fileText(t, other+".job", "part-0"); len(jsonLines(t, text)) != len(want) || fileText(t, other+".job", "_SUCCESS") != "" {
			t.Errorf("got %d bytes of part 0; want all results", len(text))
		}
		if code, _, errs := plumb(t, "", args...); code != 0 || fileText(t, dir, "c.jsonl") != fileText(t, dir, "a.jsonl") {
			t.Errorf("got exit %d, %s; want the file from its parts", code, errs)
		}
	})
}

// same reports whether a number of a row is that of a result; nil is null and no member.
func same(got *float64, want any) bool {
	if got == nil || want == nil {
		return got == nil && want == nil
	}
	return *got == want
}

// TestFormsOfLogs checks the scores of logs of inspect_ai, and copies of dumps of several formats.
func TestFormsOfLogs(t *testing.T) {
	tasks := "aspire=" + testdata.Path(t, "aspire/cases.jsonl")
	a, b := testdata.Path(t, "formats/inspect/aspire.eval"), testdata.Path(t, "formats/inspect/chunked.eval")
	answers := testdata.Path(t, "formats/table/answers.csv")
	dir := t.TempDir()
	score := func(more ...string) string {
		t.Helper()
		code, _, errs := plumb(t, "", append([]string{"score", "--backend", "cpu", "--paper", "none", "--max-failed", "100%", "--tasks", tasks}, more...)...)
		if code != 0 {
			t.Fatalf("%v: got exit %d, %s", more, code, errs)
		}
		return errs
	}
	errs := score("--output-format", "inspect", "-o", dir, "--annotate", filepath.Join(dir, "copies"), a, b, answers)
	if !strings.Contains(errs, "left out: ") {
		t.Errorf("got %s; want the number of results that are left out", errs)
	}
	all := jsonLines(t, fileText(t, dir, "results.jsonl"))
	for name, log := range map[string]string{"aspire.jsonl": a, "chunked.jsonl": b} {
		n, seen := 0, map[string]bool{}
		for _, r := range all {
			if r["file"] == log && r["score"] != nil {
				n++
			}
		}
		text := fileText(t, dir, name)
		for _, m := range jsonLines(t, text) {
			place := fmt.Sprint(m["id"], m["epoch"])
			if seen[place] || m["value"] == nil {
				t.Errorf("%s: got %v; want a value, once for a sample and epoch", name, m)
			}
			seen[place] = true
		}
		if len(seen) == 0 || len(seen) > n || fileText(t, filepath.Join(dir, "copies"), name) != text {
			t.Errorf("%s: got %d scores of %d results, or another file beside the copies", name, len(seen), n)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(fileText(t, filepath.Join(dir, "copies"), "answers.csv"))).ReadAll()
	if err != nil || len(rows) < 2 || strings.Join(rows[0][len(rows[0])-3:], " ") != "plumb_score plumb_status plumb_error" {
		t.Errorf("got %v, %v; want the columns of plumb", rows, err)
	}
	single := filepath.Join(dir, "single.jsonl")
	// A name that ends in a slash is a folder, also one that is not there and for one log.
	if score("--output-format", "inspect", "-o", filepath.Join(dir, "new")+"/", a); fileText(t, filepath.Join(dir, "new"), "aspire.jsonl") != fileText(t, dir, "aspire.jsonl") {
		t.Error("the scores in a new folder are not those in one that was there")
	}
	if score("--output-format", "inspect", "-o", single, a); fileText(t, dir, "single.jsonl") != fileText(t, dir, "aspire.jsonl") {
		t.Error("the scores of one log differ from those among several")
	}
}

// TestAnnotate checks the copy of a dump in plumb's own format, with blank lines in it: each line has its
// own score, and nothing else has changed. See docs/spec/dumps-files.md#r20.
func TestAnnotate(t *testing.T) {
	dir := t.TempDir()
	dump := demo(t)
	code, text, errs := plumb(t, "", "score", "--backend", "cpu", "--paper", "none", "--annotate", filepath.Join(dir, "copies"), dump)
	if code != 0 {
		t.Fatal(errs)
	}
	want, original := jsonLines(t, text), jsonLines(t, squeezed(fileText(t, filepath.Dir(dump), "short.jsonl")))
	for i, m := range jsonLines(t, squeezed(fileText(t, filepath.Join(dir, "copies"), "short.jsonl"))) {
		mark, _ := m["plumb"].(map[string]any)
		if mark == nil || mark["score"] != want[i]["score"] || mark["status"] != want[i]["status"] {
			t.Errorf("line %d: got %v; want the score %v", i, mark, want[i]["score"])
		}
		delete(m, "plumb")
		if fmt.Sprint(m) != fmt.Sprint(original[i]) {
			t.Errorf("line %d has changed", i)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "copies", ".plumb-*")); len(left) > 0 {
		t.Errorf("got %v; want nothing but copies", left)
	}
}

// squeezed returns a text without its blank lines.
func squeezed(s string) string { return strings.ReplaceAll(s, "\n\n", "\n") }

// TestFormRefused checks that a form that does not fit is refused before any work.
func TestFormRefused(t *testing.T) {
	dir := t.TempDir()
	dump := demo(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", filepath.Join(dir, "a.jsonl"), "--output-format", "parquet", dump}, "does not end in .jsonl"},
		{[]string{"-o", filepath.Join(dir, "a.csv"), "--output-format", "xlsx", dump}, "does not end in .csv"},
		{[]string{"-o", filepath.Join(dir, "a"), "--output-format", "yaml", dump}, "want one of jsonl, parquet"},
		{[]string{"--columns", "metrics.iou", dump}, "--columns"},
		{[]string{"-o", filepath.Join(dir, "a.parquet"), "--columns", "score", dump}, "the column is there already"},
		{[]string{"-o", filepath.Join(dir, "a.txt"), "--output-format", "inspect", dump}, "ends in .jsonl"},
		{[]string{"--annotate", filepath.Dir(dump), dump}, "would replace it"},
		{[]string{"--annotate", dir, "-"}, "standard input"},
		{[]string{"--no-join", dump}, "-o FILE"},
	} {
		if code, _, errs := plumb(t, "", append([]string{"score", "--backend", "cpu"}, c.args...)...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: got exit %d, %s; want 2 and %q", c.args, code, errs, c.want)
		}
	}
}
