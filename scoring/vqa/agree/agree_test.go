package agree

import (
	"fmt"
	"math"
	"testing"

	"plumb/testdata"
)

// TestReference measures every study of the reference.
func TestReference(t *testing.T) {
	type study struct {
		ID         string
		Judge      []any
		Annotators [][]any
		Expected   struct {
			N, Ties          int
			AccuracyMajority *float64   `json:"accuracy_majority"`
			KappaMajority    *float64   `json:"kappa_majority"`
			AccuracyEach     []*float64 `json:"accuracy_each"`
			KappaEach        []*float64 `json:"kappa_each"`
			Fleiss           *float64   `json:"fleiss_annotators"`
			FleissJudge      *float64   `json:"fleiss_with_judge"`
		}
	}
	n := 0
	testdata.Each(t, "vqa/agreement-dev.jsonl", func(c *study) {
		n++
		s := Study{Judge: words(c.Judge)}
		for _, a := range c.Annotators {
			s.Annotators = append(s.Annotators, words(a))
		}
		got, want := Measure(s), c.Expected
		if got.N != want.N || got.Ties != want.Ties || got.Missing != 0 {
			t.Errorf("%s: got %d items, %d ties, %d missing; want %d, %d, 0", c.ID, got.N, got.Ties, got.Missing, want.N, want.Ties)
		}
		same(t, c.ID+" accuracy_majority", got.AccuracyMajority, want.AccuracyMajority)
		same(t, c.ID+" kappa_majority", got.KappaMajority, want.KappaMajority)
		same(t, c.ID+" fleiss_annotators", got.FleissAnnotators, want.Fleiss)
		same(t, c.ID+" fleiss_with_judge", got.FleissWithJudge, want.FleissJudge)
		for i := range want.KappaEach {
			same(t, fmt.Sprintf("%s kappa %d", c.ID, i), got.KappaEach[i], want.KappaEach[i])
			same(t, fmt.Sprintf("%s accuracy %d", c.ID, i), got.AccuracyEach[i], want.AccuracyEach[i])
		}
	})
	if n < 20 {
		t.Fatalf("got %d cases; want more", n)
	}
}

func words(list []any) (out []string) {
	for _, v := range list {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

func same(t *testing.T, name string, got, want *float64) {
	t.Helper()
	if (got == nil) != (want == nil) || got != nil && math.Abs(*got-*want) > 1e-12 {
		t.Errorf("%s: got %v; want %v", name, text(got), text(want))
	}
}

func text(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return fmt.Sprint(*x)
}

// TestMissing holds studies with gaps: an item leaves what needs its rating.
func TestMissing(t *testing.T) {
	got := Measure(Study{Judge: []string{"1", "0", "", "1"}, Annotators: [][]string{{"1", "0", "0", ""}, {"1", "1", "0", "1"}}})
	if got.N != 4 || got.Missing != 2 || got.Ties != 1 {
		t.Errorf("got %+v; want 4 items, 2 missing, 1 tie", got)
	}
	one, third := 1.0, 1.0/3
	same(t, "accuracy", got.AccuracyMajority, &one)
	same(t, "kappa", got.KappaMajority, nil)
	same(t, "kappa of the second", got.KappaEach[1], new(float64))
	same(t, "Fleiss", got.FleissAnnotators, &third)
	empty := Measure(Study{})
	if empty.AccuracyMajority != nil || empty.FleissAnnotators != nil {
		t.Errorf("got %+v of nothing", empty)
	}
}
