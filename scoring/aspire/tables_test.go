package aspire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/testdata"
)

// askedResult returns a result of a model that was asked in an arm.
func askedResult(t *testing.T, id, test, mode, input string, repeat int, score any) *scoring.Result {
	t.Helper()
	s, err := json.Marshal(score)
	if err != nil {
		t.Fatal(err)
	}
	v, err := fastjson.Parse(fmt.Sprintf(`{"id":%q,"suite":"aspire","test":%q,"score":%s,"error":{"code":"no_response","message":""},
		"asked":{"model":"M","mode":%q,"input":%q,"repeat":%d,"finish":"stop","outcome":"answer","usage":{"prompt":800,"completion":%d},"cost":0.5,"seconds":2}}`,
		id, test, s, mode, input, repeat, 100*repeat))
	if err != nil {
		t.Fatal(err)
	}
	r, err := scoring.ReadResult(v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPaperTables: a model stands above the published rows, with its rank; repeats are
// averaged first; each mode and input has a row or column of its own.
func TestPaperTables(t *testing.T) {
	tab := newTables(scoring.TableOptions{})
	for _, name := range testNames() {
		for repeat, x := range []float64{1, 0.5} { // mean 0.75
			tab.Add(askedResult(t, name+"-0", name, "default", "full", repeat+1, x))
		}
		tab.Add(askedResult(t, name+"-1", name, "default", "full", 1, 0.85))
		tab.Add(askedResult(t, name+"-2", name, "default", "full", 1, nil))
	}
	tab.Add(askedResult(t, "arrow-0", "arrow", "default", "minimal", 1, 0.2))
	list := tab.Tables()
	if len(list) != 4 {
		t.Fatalf("got %d tables; want 4", len(list))
	}
	first := list[0]
	if want := []string{"M", "default", "0.800", "125.00", "7 of 13", "-0.010 Claude-Opus-4-5 default", "32", "8", "0", "0", "0"}; !slices.Equal(first.Rows[0], want) {
		t.Errorf("Table 1 begins with %q; want %q", first.Rows[0], want)
	}
	if len(first.Rows) != 13 || !strings.Contains(first.Title, "other tasks") || !strings.HasSuffix(first.Rows[1][0], "(paper)") {
		t.Errorf("Table 1 is %q, %q", first.Title, first.Rows)
	}
	if want := []string{"arrow", "M", "default", "0.800", "0.200", "-", "2", "1", "0", "1 of 13", "3 of 13", "-"}; !slices.Equal(list[1].Rows[0], want) {
		t.Errorf("Table 2 begins with %q; want %q", list[1].Rows[0], want)
	}
	if want := []string{"maze", "M", "default", "full", "0.800", "0.050", "2"}; !slices.Equal(list[2].Rows[0], want) {
		t.Errorf("Figure 4 begins with %q; want %q", list[2].Rows[0], want)
	}
	if want := []string{"M", "0.800", "0.800", "0.800", "default"}; !slices.Equal(list[3].Rows[0], want) {
		t.Errorf("Figure 5 has %q; want %q", list[3].Rows[0], want)
	}
	for _, one := range list {
		for _, row := range one.Rows {
			if len(row) != len(one.Columns) {
				t.Errorf("%s: %q has %d cells; want %d", one.Title, row, len(row), len(one.Columns))
			}
		}
	}
}

// TestNoPaper: without published rows a model has no rank; answers of unknown arms have
// no tables here.
func TestNoPaper(t *testing.T) {
	tab := newTables(scoring.TableOptions{Papers: [][]byte{}})
	tab.Add(&scoring.Result{ID: "a", Suite: suiteName, Test: "maze", Scored: true, Score: 1})
	if list := tab.Tables(); len(list) > 0 {
		t.Errorf("answers without asked have %d tables", len(list))
	}
	tab.Add(askedResult(t, "maze-0", "maze", "cot", "full", 1, 1.0))
	if rows := tab.Tables()[0].Rows; len(rows) != 1 || rows[0][2] != "1.000 (1 of 8 tests)" || rows[0][4] != "-" {
		t.Errorf("got %q; want one row without a rank", rows)
	}
}

// TestPublished: the embedded numbers are those of the paper.
func TestPublished(t *testing.T) {
	var doc struct {
		Table1 struct {
			Rows []struct {
				Model, Settings string
				Score, Tokens   float64
			}
		}
		Table2 struct {
			Names map[string]string `json:"model_names"`
			Rows  []struct {
				Test, Model, Inference string
				Full, Minimal          float64
				Scaffold               *float64
			}
		}
	}
	testdata.JSON(t, "aspire/paper-tables.json", &doc)
	p := newTables(scoring.TableOptions{}).(*tables).paper
	for _, r := range doc.Table1.Rows {
		if row := p.Tables["models"].Find(r.Model, strings.ToLower(r.Settings)); row == nil || row.Number(2) != r.Score || row.Number(3) != r.Tokens {
			t.Errorf("Table 1: got %v; want %+v", row, r)
		}
	}
	for _, r := range doc.Table2.Rows {
		row := p.Tables["inputs"].Find(doc.Table2.Names[r.Model], strings.ToLower(r.Test), strings.ToLower(r.Inference))
		if row == nil || row.Number(3) != r.Full || row.Number(4) != r.Minimal || (r.Scaffold == nil) != (row[5] == nil) || r.Scaffold != nil && row.Number(5) != *r.Scaffold {
			t.Errorf("Table 2: got %v; want %+v", row, r)
		}
	}
	if n := len(p.Tables["models"].Rows) + len(p.Tables["inputs"].Rows); n != 12+48 {
		t.Errorf("%d rows are embedded; want 60", n)
	}
}
