package table

import (
	"slices"
	"testing"

	"plumb/scoring"
)

// TestPass: pass@k is over items, of those with k answers or more.
func TestPass(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	add := func(id string, repeat int, x float64) {
		r := scored("a", x)
		r.ID, r.Who.Repeat = id, repeat
		tab.Add(r)
	}
	for i, x := range []float64{1, 0.9, 1, 0, 0} { // 2 of 5
		add("x", i+1, x)
	}
	add("y", 1, 0)
	list := tab.MoreTables()
	if len(list) != 1 || !slices.Equal(list[0].Columns[5:], []string{"k = 1", "k = 2", "k = 4", "k = 5"}) {
		t.Fatalf("got %+v; want one table with k = 1, 2, 4, 5", list)
	}
	if want := []string{"two", "a", "-", "2", "6", "20.00", "70.00", "100.00", "100.00"}; !slices.Equal(list[0].Rows[0], want) {
		t.Errorf("got %q; want %q", list[0].Rows[0], want)
	}
	even := New(Options{Suites: scoring.Suites{two}})
	for i, x := range []float64{1, 0, 0, 0} {
		r := scored("a", x)
		r.ID, r.Who.Repeat = "x", i+1
		even.Add(r)
	}
	if list := even.MoreTables(); len(list) != 1 || !slices.Equal(list[0].Columns[5:], []string{"k = 1", "k = 2", "k = 4"}) {
		t.Errorf("got %+v; want one table with k = 1, 2, 4", list)
	}
	single := New(Options{Suites: scoring.Suites{two}})
	single.Add(scored("a", 1))
	if list := single.MoreTables(); len(list) > 0 {
		t.Errorf("single answers have the tables %+v", list)
	}
}
