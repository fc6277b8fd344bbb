package published

import "testing"

// TestScoreBounds checks the bonus for a number of actions between 10 and 500 and a score from 0.2 on
// (docs/spec/drawingbench.md#r39). Faults cost 0.08 each, warnings 0.02.
func TestScoreBounds(t *testing.T) {
	for _, c := range []struct {
		actions, faults, warnings int
		want                      float64
	}{
		{9, 3, 0, 0.76}, {10, 3, 0, 0.81}, {500, 3, 0, 0.81}, {501, 3, 0, 0.76},
		{20, 9, 4, 0.25}, // 1 - 0.72 - 0.08 is 0.2 in doubles
		{20, 10, 0, 0.2}, // 1 - 0.8 is a little less
		{20, 9, 5, 0.18}, // no bonus
		{20, 0, 0, 1}, {20, 13, 0, 0},
	} {
		e := Evaluation{IsList: true, Actions: c.actions, Faults: make([]Fault, c.faults), Warnings: make([]Finding, c.warnings)}
		if e.computeScore(); e.Score != c.want {
			t.Errorf("%d actions, %d faults, %d warnings: got %v; want %v", c.actions, c.faults, c.warnings, e.Score, c.want)
		}
	}
}

// TestEfficiencyBounds checks the bounds between the classes of efficiency
// (docs/spec/drawingbench.md#r30): the task needs one tool and one colour, two actions.
func TestEfficiencyBounds(t *testing.T) {
	for actions, want := range map[int]float64{2: 1, 3: 1, 4: 0.8, 5: 0.6, 6: 0.6, 7: 0.4} {
		e := Evaluation{Actions: actions, Criteria: &Criteria{Tools: []string{"pen"}, Colours: []string{"#000000"}}}
		if e.measureEfficiency(); e.Efficiency != want || !e.HasEfficiency {
			t.Errorf("%d actions: got %v; want %v", actions, e.Efficiency, want)
		}
	}
	long := Evaluation{Actions: 61, Criteria: &Criteria{Segments: &Number{F: 20.0 / 3}}} // 61 / 20 is 3.05
	if long.measureEfficiency(); long.Efficiency != 0.4 {
		t.Errorf("a ratio of 3.05: got %v; want 0.4", long.Efficiency)
	}
}
