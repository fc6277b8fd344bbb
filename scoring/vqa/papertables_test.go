package vqa

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/testdata"
)

// askedOutcome is an outcome of a model that was asked by a method.
func askedOutcome(t *testing.T, s *suite, id, method, response string) *scoring.Result {
	t.Helper()
	r := outcome(t, s, fmt.Sprintf(`{"id":%q,%s,"answer":"1","category":"orientation","subcategory":"facing_direction","response":%q}`, id, rooms, response))
	who, err := scoring.ReadIdentity(fastjson.MustParse(fmt.Sprintf(`{"asked":{"model":"M","method":%q,"format":"mcq"}}`, method)), "")
	if err != nil {
		t.Fatal(err)
	}
	r.Who = who
	return &r
}

// TestMethods compares two methods on the items that both answered, above the published
// rows of this pair alone.
func TestMethods(t *testing.T) {
	s := newSuite(spatialab)
	tab := s.newTables(scoring.TableOptions{})
	for i, second := range []string{"1", "1", "2"} {
		tab.Add(askedOutcome(t, s, fmt.Sprint(i), Direct, fmt.Sprint(1+i%2)))
		tab.Add(askedOutcome(t, s, fmt.Sprint(i), CoT, second))
	}
	tab.Add(askedOutcome(t, s, "alone", Direct, "1"))
	for _, one := range tab.Tables() {
		for _, row := range one.Rows {
			if len(row) != len(one.Columns) {
				t.Errorf("%s: %q has %d cells; want %d", one.Title, row, len(row), len(one.Columns))
			}
		}
		if !strings.Contains(one.Title, "methods") {
			continue
		}
		want := [][]string{{"M", "direct -> cot", "orientation", "3", "66.67", "66.67", "0.00"}, {"M", "direct -> cot", "overall", "3", "66.67", "66.67", "0.00"}}
		if !slices.EqualFunc(one.Rows[:2], want, slices.Equal[[]string]) || len(one.Rows) != 2+14 || one.Rows[2][0] != "InternVL-3-78b (paper)" {
			t.Errorf("got the rows %q", one.Rows)
		}
		return
	}
	t.Error("there is no table of methods")
}

// TestEmbedded: a model's row has its rank among the published rows below it, unless none
// are wanted.
func TestEmbedded(t *testing.T) {
	s := newSuite(spatialab)
	for _, given := range [][][]byte{nil, {}} {
		tab := s.newTables(scoring.TableOptions{Papers: given})
		tab.Add(askedOutcome(t, s, "a", Direct, "1"))
		main := tab.Tables()[0]
		at := slices.IndexFunc(main.Rows, func(r []string) bool { return strings.HasPrefix(r[0], "M") })
		last := main.Rows[len(main.Rows)-1][0]
		row := main.Rows[at]
		rank, nearest := row[slices.Index(main.Columns, "rank")], row[slices.Index(main.Columns, "nearest")]
		if given == nil && (rank != "1 of 28" || !strings.HasPrefix(nearest, "+") || !strings.HasSuffix(last, "(paper)") || at > 1) {
			t.Errorf("got row %d with rank %s, nearest %s, and last %s", at, rank, nearest, last)
		}
		if given != nil && (rank != "-" || strings.HasSuffix(last, "(paper)")) {
			t.Errorf("without a paper: got rank %s, and last %s", rank, last)
		}
	}
}

// TestEmbeddedRows: the embedded rows are those of the papers' files.
func TestEmbeddedRows(t *testing.T) {
	for name, b := range map[string]*benchmark{"spatialab": spatialab, "spaceeval": spaceeval} {
		s := newSuite(b)
		got, want := s.readPaper(embeddedPaper(name)), s.readPaper(testdata.Bytes(t, name+"/paper-tables.json"))
		if len(got) != len(want) || len(got) < 20 {
			t.Errorf("%s: got %d rows; want %d", name, len(got), len(want))
			continue
		}
		for i, run := range got {
			w := want[i]
			text := func(r *modelRun) string {
				return fmt.Sprint(r.runKey, r.total, r.categories, r.subcategories, r.printed, r.note)
			}
			if run.printed != nil && w.printed != nil {
				text = func(r *modelRun) string { return fmt.Sprint(r.runKey, r.subcategories, *r.printed, r.note) }
			}
			if text(run) != text(w) {
				t.Errorf("%s: got %s; want %s", name, text(run), text(w))
			}
		}
	}
}
