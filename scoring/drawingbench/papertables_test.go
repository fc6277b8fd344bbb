package drawingbench

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/paper"
	"plumb/testdata"
)

// askedAnswer is answerOf with what the call took.
func askedAnswer(t *testing.T, task string, turn int, score float64) *scoring.Result {
	t.Helper()
	r := answerOf(task, turn, score, "pen")
	who, err := scoring.ReadIdentity(fastjson.MustParse(`{"asked":{"model":"M","seconds":90,"usage":{"prompt":1000,"completion":200}}}`), "")
	if err != nil {
		t.Fatal(err)
	}
	r.Who = who
	return r
}

// TestPaperTables: models and tokens stand above the published rows; counts and errors by
// difficulty follow where answers say how they were asked for.
func TestPaperTables(t *testing.T) {
	tab := New(Config{}).Tables(scoring.TableOptions{})
	tab.Add(askedAnswer(t, "a#0", 1, 0.5))
	tab.Add(askedAnswer(t, "a#0", 2, 0.934))
	tab.Add(askedAnswer(t, "b#1", 1, 0.98))
	got := rowsOf(tab)
	for _, want := range []string{
		"M 2 0.740 0.957 100.0 4.5 2 of 5 -0.001 Claude-4 Sonnet 3 0 0 0 0", "GPT-4.1 (paper) 250 0.927 0.955 93.2 86.3 - -",
		"M 1500 300 1800 1000 200 1200", "GPT-4.1-mini (paper) 1198 356 1554 - - -",
		"c 0 - 0 - 2 - 0 - 2 -", "all 0 - 0 - 2 - 0 - 2 -", "EFFICIENCY_WARNING 0 12 0 15 2 6 0 9",
		"evaluator EFFICIENCY_WARNING 2 1 42 28", "hard 2 0.7400 0.9570 0.2170 1 2 100.0 21 0.923 0.973 100.0", "segments / actions, % 20.0 20.0 0.0 42.5 45.8",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no row %q in\n%s", want, got)
		}
	}
	for _, one := range tab.Tables() {
		for _, row := range one.Rows {
			if len(row) != len(one.Columns) {
				t.Errorf("%s: %q has %d cells; want %d", one.Title, row, len(row), len(one.Columns))
			}
		}
	}
	none := New(Config{}).Tables(scoring.TableOptions{Papers: [][]byte{}})
	none.Add(askedAnswer(t, "a#0", 1, 0.5))
	if got := rowsOf(none); strings.Contains(got, "(paper)") || strings.Contains(got, "0.925") {
		t.Errorf("without published rows:\n%s", got)
	}
}

// TestPublished: the embedded numbers are those of the paper.
func TestPublished(t *testing.T) {
	var doc map[string]any
	testdata.JSON(t, "drawingbench/published.json", &doc)
	p := paper.Choose(paperTitle, printedTables, nil)
	n := 0
	for table, member := range map[string]string{"models": "by_model", "difficulty": "by_difficulty", "category": "categories", "counts": "category_by_difficulty",
		"improvement": "improvement", "errors": "errors", "errors by difficulty": "errors_by_difficulty", "actions": "actions", "tokens": "tokens"} {
		for name, cells := range doc[member].(map[string]any)["rows"].(map[string]any) {
			row := p.Tables[table].Find(name)
			for i, x := range cells.([]any) {
				if i+1 >= len(p.Tables[table].Columns) { // a share of the other columns
					continue
				}
				if n++; row == nil || row[i+1] != x {
					t.Errorf("%s: got %v; want %s %v", table, row, name, cells)
					break
				}
			}
		}
	}
	if n < 300 {
		t.Errorf("only %d numbers were compared", n)
	}
}
