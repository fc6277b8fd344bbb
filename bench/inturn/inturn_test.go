package inturn

import (
	"slices"
	"testing"
	"time"
)

// Programs run in turn, and their samples keep their places.
func TestMeasure(t *testing.T) {
	programs := []string{"old", "new"}
	var row Row
	var order []string
	for round := range 3 {
		err := row.Measure(programs, round, func(program string) (Sample, error) {
			order = append(order, program)
			sample := Sample{Core: 4 * time.Millisecond, Rate: 10}
			if program == "new" {
				sample = Sample{Core: time.Millisecond, Rate: 30}
			}
			return sample, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"old", "new", "new", "old", "old", "new"}; !slices.Equal(order, want) {
		t.Errorf("got the order %q; want %q", order, want)
	}
	if got := row.ratio(Core); got != 0.25 {
		t.Errorf("got a ratio of core times of %v; want 0.25", got)
	}
	if got := Median(row[1], Rate); got != 30 {
		t.Errorf("got a rate of %v; want 30", got)
	}
}

// Programs with different results are not compared.
func TestDifferentResults(t *testing.T) {
	var row Row
	err := row.Measure([]string{"old", "new"}, 0, func(program string) (Sample, error) {
		return Sample{Sum: [32]byte{program[0]}}, nil
	})
	if err == nil {
		t.Error("got no error; want one, because the results differ")
	}
}
