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
	if got := Median(row.Samples[1], Rate); got != 30 {
		t.Errorf("got a rate of %v; want 30", got)
	}
}

// Results that differ are counted, and programs with mostly different results are not compared.
func TestDifferentResults(t *testing.T) {
	for _, test := range []struct {
		different, more int // of ten results: how many differ, and how many more the second program has
		fault           bool
	}{{0, 0, false}, {3, 0, false}, {5, 0, false}, {6, 0, true}, {0, 1, true}} {
		var row Row
		err := row.Measure([]string{"old", "new"}, 0, func(program string) (Sample, error) {
			if program == "old" {
				return Sample{Results: make([]Hash, 10)}, nil
			}
			results := make([]Hash, 10+test.more)
			for i := range test.different {
				results[i][0] = 1
			}
			return Sample{Results: results}, nil
		})
		if (err != nil) != test.fault {
			t.Errorf("%+v: got the error %v", test, err)
		}
		if err == nil && (row.differ != test.different || row.compared != 10) {
			t.Errorf("%+v: got %d of %d that differ", test, row.differ, row.compared)
		}
	}
}
