package tangram

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

func rows(list []scoring.TextTable) string {
	var all []string
	for _, t := range list {
		all = append(all, t.Title)
		for _, r := range t.Rows {
			all = append(all, strings.Join(r, " "))
		}
		if t.Note != "" {
			all = append(all, t.Note)
		}
	}
	return strings.Join(all, "\n")
}

// TestTables scores six answers and adds them up, as they are and read back from
// a file of results.
func TestTables(t *testing.T) {
	moved := strings.Replace(whole(), `["0","0"],["2\\sqrt{2}","0"]`, `["0","-1"],["2\\sqrt{2}","0"]`, 1)
	one := `{"final_state":[{"type":"square","vertices":[[0,0],[2,0],[2,2],[0,2]]}]}`
	items := []string{
		`{` + target + `,"setting":"zero-shot","response":` + quoted(whole()) + `}`,
		`{` + target + `,"setting":"zero-shot","response":` + quoted(strings.ReplaceAll(whole(), `\\`, `\`)) + `}`,
		`{` + target + `,"setting":"zero-shot","response":` + quoted(moved) + `}`,
		`{` + target + `,"setting":"zero-shot","response":` + quoted(one) + `}`,
		`{` + target + `,"setting":"zero-shot","response":""}`,
		`{` + target + `,"setting":"zero-shot","response":null}`,
		`{` + target + `,"setting":"visual-centric","response":"none"}`,
		`{"test":"outline","answer":"B","response":"B"}`,
		`{"test":"outline","answer":"B","response":"C"}`,
		`{"test":"outline","answer":"B","response":"?"}`,
	}
	for _, missing := range []bool{false, true} {
		for _, back := range []bool{false, true} {
			tab := New().Tables(scoring.TableOptions{Missing: missing})
			for _, item := range items {
				r := score(t, item, nil)
				if back {
					read, _ := scoring.ReadResult(fastjson.MustParseBytes(r.AppendJSON(nil, scoring.Clamp01, "s")))
					r = *read
				}
				tab.Add(&r)
			}
			got := rows(tab.Tables())
			want := []string{"Task 1 3 33.33 33.33", "main 5 60.00 20.00 0.00 20.00 ", "repaired backslashes 5 40.00 20.00 0.00 40.00 ", "rigid by congruence 5 60.00 20.00 ", "evaluable, % 3 60.00",
				"Table 3: visual-centric\nmain 1 100.00 0.00 0.00 0.00 - - 0.00", "hausdorff_syntax_ok 2 ", "1 without a response are left out"}
			if missing {
				want = []string{"main 6 66.67 16.67 0.00 16.67 ", "evaluable, % 3 50.00", "1 without a response are counted as failed", "iou_all, missing as 0 6 "}
			}
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("missing %v, read back %v: no %q in\n%s", missing, back, w, got)
				}
			}
		}
	}
}

func TestSums(t *testing.T) {
	var a compensatedMean
	for _, x := range []float64{1e16, 1, -1e16} {
		a.add(x)
	}
	if got := 3 * a.scaled(1); got != 1 {
		t.Errorf("got %v; want 1: the sum is not compensated", got)
	}
}

// TestRepeats averages the answers to an item first: its three count as much as the
// one to another item.
func TestRepeats(t *testing.T) {
	moved := strings.Replace(whole(), `["0","0"],["2\\sqrt{2}","0"]`, `["0","-1"],["2\\sqrt{2}","0"]`, 1)
	tab := New().Tables(scoring.TableOptions{})
	add := func(id string, repeat int, item string) {
		r := score(t, item, nil)
		r.ID, r.Suite, r.Who.Repeat = id, suiteName, repeat
		tab.Add(&r)
	}
	solution := func(answer string) string { return `{` + target + `,"response":` + quoted(answer) + `}` }
	add("a", 1, solution(whole()))
	add("a", 2, solution(whole()))
	add("a", 3, solution(moved))
	add("b", 1, solution("none"))
	for k, answer := range []string{"B", "C", "?", "B"} {
		add("a", k+1, `{"test":"outline","answer":"B","response":"`+answer+`"}`)
	}
	add("b", 1, `{"test":"outline","answer":"B","response":"B"}`)
	got := rows(tab.Tables())
	// Of a: no syntax error, two of three valid. Of b: nothing.
	for _, want := range []string{"main 4 50.00 ", " 33.33\n", "2 items; the repeats of each are averaged first.", "evaluable, % 3 50.00", "Task 1 5 12.50 75.00"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
