package tangram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/paper"
	"plumb/testdata"
)

// TestPaperTables: models stand above the published rows of their setting, and people's
// numbers follow.
func TestPaperTables(t *testing.T) {
	add := func(tab scoring.Tables, model, test, setting string, score float64) {
		v := fastjson.MustParse(fmt.Sprintf(`{"id":"a","suite":"tangram","test":%q,"score":%g,"metrics":{"matches":true,"iou":0.5,"hausdorff":1},
			"asked":{"model":%q,"setting":%q,"finish":"length"}}`, test, score, model, setting))
		r, err := scoring.ReadResult(v)
		if err != nil {
			t.Fatal(err)
		}
		tab.Add(r)
	}
	tab := New().Tables(scoring.TableOptions{})
	add(tab, "M", "solution", "in-context", 1)
	add(tab, "M", Outline, "", 0)
	add(tab, "N", "solution", "in-context", 1)
	list := tab.Tables()
	var titles []string
	for _, one := range list {
		titles = append(titles, one.Title)
		for _, row := range one.Rows {
			if len(row) != len(one.Columns) {
				t.Errorf("%s: %q has %d cells; want %d", one.Title, row, len(row), len(one.Columns))
			}
		}
	}
	want := []string{"TangramPuzzle Table 1: outline prediction" + paperSuffix, "TangramPuzzle Table 3: in-context" + paperSuffix}
	if len(titles) < 4 || !slices.Equal(titles[:2], want) || !strings.Contains(titles[2], "Table 4") || !strings.Contains(titles[3], "Table 5") {
		t.Fatalf("got the tables %q", titles)
	}
	if row := list[0].Rows[0]; !slices.Equal(row, []string{"M", "0.00", "0.00", "10 of 10", "-22.46 DeepSeek-OCR", "1", "0", "0", "0", "1"}) {
		t.Errorf("Table 1 begins with %q", row)
	}
	if row := list[1].Rows[1]; row[0] != "N" || row[7] != "100.00" || row[8] != "1 of 5" || row[9] != "+75.15 Gemini3-Pro" {
		t.Errorf("the row of the second model is %q", row)
	}
	none := New().Tables(scoring.TableOptions{Papers: [][]byte{}})
	add(none, "M", "solution", "in-context", 1)
	for _, one := range none.Tables() {
		if strings.Contains(one.Title, "paper") {
			t.Errorf("without published rows there is the table %s", one.Title)
		}
	}
}

// TestPublished: the embedded numbers are those of the paper.
func TestPublished(t *testing.T) {
	var doc struct {
		Task1  struct{ Rows map[string][]float64 }
		Task2  map[string]any
		Humans struct{ Rows map[string][]float64 } `json:"human_task2"`
	}
	testdata.JSON(t, "tangram/paper-tables.json", &doc)
	p := paper.Choose(paperTitle, printedTables, nil)
	n := 0
	check := func(table, name string, want []float64) {
		n++
		row := p.Tables[table].Find(name)
		for i, x := range want {
			if row == nil || row.Number(i+1) != x {
				t.Errorf("%s: got %v; want %s %v", table, row, name, want)
				return
			}
		}
	}
	for name, x := range doc.Task1.Rows {
		check("outline", name, x)
	}
	for name, x := range doc.Humans.Rows {
		check("humans", name, x)
	}
	for _, setting := range settings {
		for name, list := range doc.Task2[strings.ReplaceAll(setting, "-", "_")].(map[string]any) {
			var want []float64
			for _, x := range list.([]any) {
				want = append(want, x.(float64))
			}
			check(setting, name, want)
		}
	}
	if n != 9+4+7+4+6 {
		t.Errorf("%d rows were compared; want 30", n)
	}
}
