package paper

import (
	"math"
	"testing"
)

// TestFind: a row that has the words and nothing else is found, a shorter one is not.
func TestFind(t *testing.T) {
	table := Table{Rows: []Row{{"a"}, {"a", "b"}, {"a", "b", 1.0}}}
	if got := table.Find("a", "b"); len(got) != 2 {
		t.Errorf("got %v; want the row of two words", got)
	}
	if got := table.Find("a", "b", "c"); got != nil {
		t.Errorf("got %v; want none", got)
	}
}

// TestPlaceTie: of two numbers that are equally near the first one is named.
func TestPlaceTie(t *testing.T) {
	list := []Published{{"none", math.NaN()}, {"below", 1}, {"above", 3}, {"far", 9}}
	if rank, near := Place(2, list, 1); rank != "3 of 4" || near != "+1.0 below" {
		t.Errorf("got %q, %q; want 3 of 4 and +1.0 below", rank, near)
	}
}
