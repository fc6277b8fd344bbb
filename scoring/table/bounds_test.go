package table

import (
	"strings"
	"testing"

	"plumb/scoring"
)

// TestPrintable: a name of 40 characters stays whole, a longer one keeps its ends.
func TestPrintable(t *testing.T) {
	fits := strings.Repeat("é", 24) + strings.Repeat("z", 16)
	for s, want := range map[string]string{fits: fits, "a" + fits: "a" + strings.Repeat("é", 20) + "..." + strings.Repeat("z", 16), "a\x00b": "a?b"} {
		if got := printable(s); got != want {
			t.Errorf("%q: got %q; want %q", s, got, want)
		}
	}
}

// TestNumber: from 1e9 on numbers have an exponent.
func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{999999999: "999999999.0", 1e9: "1.0e+09", -1e9: "-1.0e+09", -999999999: "-999999999.0"} {
		if got := Number(x, 1); got != want {
			t.Errorf("%v: got %s; want %s", x, got, want)
		}
	}
}

// TestUsed: what answers took stands beside how they ended. The cost says of how many answers
// it is where not all have one, and is - where none has. Without the member asked there is no row.
func TestUsed(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	add := func(model string, u scoring.Tally) {
		r := answer("i", model, 0, 1)
		tab.Add(r)
		*tab.series[len(tab.series)-1].tallies["two"] = u
	}
	add("all", scoring.Tally{N: 2, Asked: 2, Priced: 2, Cost: 0.5, Prompt: 10, Completion: 20, Reasoning: 5, Seconds: 1.25})
	if got := tab.usageTable().Rows; len(got) != 1 || strings.Join(got[0], " ") != "two all 2 0 0 0 0 10 20 5 0.5000 1.2" {
		t.Errorf("got %q", got)
	}
	add("some", scoring.Tally{N: 2, Asked: 2, Priced: 1, Cost: 0.5})
	add("none", scoring.Tally{N: 2, Asked: 2})
	add("unasked", scoring.Tally{N: 3})
	want := []string{"two all 2 0 0 0 0 10 20 5 0.5000 1.2", "two some 2 0 0 0 0 0 0 0 0.5000 (1 of 2 answers) 0.0",
		"two none 2 0 0 0 0 0 0 0 - 0.0", "two unasked 3 0 0 0 0 - - - - -"}
	for i, row := range tab.usageTable().Rows {
		if got := strings.Join(row, " "); got != want[i] {
			t.Errorf("got %q; want %q", got, want[i])
		}
	}
	plain := New(Options{Suites: scoring.Suites{two}})
	plain.Add(answer("i", "m", 0, 1))
	if got := plain.usageTable().Rows; got != nil {
		t.Errorf("got %q; want no rows without the member asked", got)
	}
}

// TestCutAnswers counts answers that were cut off.
func TestCutAnswers(t *testing.T) {
	tab := New(Options{Suites: scoring.Suites{two}})
	for i, cut := range []string{"", "answer", "limit"} {
		r := answer(string(rune('a'+i)), "m", 0, 1)
		r.Who.Cut = cut
		tab.Add(r)
	}
	_, c := tab.cellOf(answer("z", "m", 0, 1))
	if c.cutAnswers != 2 || c.results != 3 {
		t.Errorf("got %d of %d cut; want 2 of 3", c.cutAnswers, c.results)
	}
}
