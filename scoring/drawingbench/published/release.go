// Package published evaluates DrawingBench answers as the benchmark's published evaluator, a
// Python program, does, field by field. In: an answer as Python reads it, and what the task
// demands. Out: the evaluation with the feedback that a model is given, or the exception that
// ends the original. Rules that look wrong are kept: the published numbers come from them. It
// uses no pixels. Its rules are sections "Evaluation" and "Feedback" of
// docs/spec/drawingbench.md.
package published

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring/pyjson"
)

// Evaluation is the evaluator's result object. See
// docs/spec/drawingbench.md#r21.
type Evaluation struct {
	// List reports whether the answer was a list; otherwise only Faults and Score
	// count. See docs/spec/drawingbench.md#r22.
	List    bool
	Actions int
	// Breakdown counts the actions: unknown ones, moveTo, click, mouseDown, mouseUp.
	Breakdown [5]int
	Faults    []Fault
	Warnings  []Warning

	ToolChanges, ColourChanges, Segments int
	Box, Grid                            float64  // canvas_coverage and canvas_coverage_accurate: shares, 0..1
	Colours                              []string // exact_colors_used, with repeats
	Region                               string   // "" for none
	Accuracy                             float64  // spatial_accuracy, where Region is not ""
	Efficiency                           float64  // action_efficiency, where Efficient
	Efficient                            bool     // the evaluator computed action_efficiency
	Selected                             []string // tools selected at least once; not in the published object

	Criteria *Criteria // nil: no criteria
	Tools    []ToolUse
	// Used, Matched and Missing compare the colours with those required; the lists
	// are ascending sets.
	Used, Missing                []string
	Matched                      int
	ColoursMet, ExactMet         bool
	SegmentsMet, BoxMet, GridMet bool
	Score                        float64 // 0..1, three decimals
	Crash                        Crash   // what ended the evaluator; "" where nothing did
}

// ThreeMoves reports whether the evaluator warned of three moves in a row.
func (e *Evaluation) ThreeMoves() bool {
	return slices.ContainsFunc(e.Warnings, func(w Warning) bool {
		return w.Type == efficiencyWarning && strings.HasPrefix(w.Message, threeMoves)
	})
}

// ErrorTypes returns the type of each error and each warning, errors first, with repeats.
func (e *Evaluation) ErrorTypes() []string {
	out := []string{}
	for _, f := range e.Faults {
		out = append(out, f.Type)
	}
	for _, w := range e.Warnings {
		out = append(out, w.Type)
	}
	return out
}

// Evaluator holds memory that evaluations share. One goroutine uses it at a time.
type Evaluator struct {
	acts []action
	grid grid
}

// Evaluate evaluates answer v by criteria c, nil for none. The result is valid as long as v and
// c are.
func (e *Evaluator) Evaluate(v *pyjson.Value, c *Criteria) (out Evaluation) {
	out.Criteria = c
	if v.Kind != pyjson.List {
		out.Faults = []Fault{{Type: syntaxError, Message: "Actions must be a list/array", Index: -1}}
		return out
	}
	defer func() {
		if p := recover(); p != nil {
			crash, ok := p.(Crash)
			if !ok {
				panic(p)
			}
			out = Evaluation{Crash: crash, Criteria: c}
		}
	}()
	e.acts = appendActions(e.acts[:0], v.Items())
	out.List, out.Actions = true, len(e.acts)
	for i := range e.acts {
		out.Breakdown[e.acts[i].kind]++
	}
	out.Faults = findFaults(e.acts)
	out.Warnings = findWarnings(e.acts, out.Breakdown[mouseDown], out.Breakdown[mouseUp])
	out.measure(e.acts, &e.grid)
	if c != nil {
		out.compare(e.acts)
	}
	out.score()
	return out
}

// measure fills in the metrics of the evaluation. g is memory for the grid. See
// docs/spec/drawingbench.md#r28 for counts, docs/spec/drawingbench.md#r29 for colours.
func (out *Evaluation) measure(acts []action, g *grid) {
	open := false
	for i := range acts {
		a := &acts[i]
		switch a.kind {
		case click:
			if a.x != nil {
				if toolAt(a) != nil {
					out.ToolChanges++
				}
				if onPalette(a) {
					out.ColourChanges++
				}
			}
		case mouseDown:
			if !open {
				out.Segments++
			}
			open = true
		case mouseUp:
			open = false
		}
	}
	out.Box = boxCoverage(acts)
	out.Grid = gridCoverage(acts, g)
	for i := range acts {
		a := &acts[i]
		if a.kind != click && !(a.kind == moveTo && i+1 < len(acts) && acts[i+1].kind == click) {
			continue
		}
		colour := colourAt(a)
		if colour != nil {
			out.Colours = append(out.Colours, colour.Hex)
		}
	}
	// Selected is not part of the original: it comes after what the original computes, so that
	// a crash is the one that the original has.
	out.Selected = selectedTools(acts)
	c := out.Criteria
	if c == nil {
		return
	}
	r := namedRegion(c.Prompt)
	if r != nil {
		out.Region, out.Accuracy = r.name, r.accuracy(acts)
	}
	out.measureEfficiency()
}

// measureEfficiency sets action_efficiency, a grade by the number of actions for each one that
// the task needs. See docs/spec/drawingbench.md#r30.
func (out *Evaluation) measureEfficiency() {
	c := out.Criteria
	need := float64(len(c.Tools) + len(c.Colours))
	if c.Segments != nil {
		need += 3 * c.Segments.F
	}
	if need == 0 {
		return
	}
	out.Efficient = true
	switch ratio := float64(out.Actions) / need; {
	case ratio <= 1.5:
		out.Efficiency = 1
	case ratio <= 2:
		out.Efficiency = 0.8
	case ratio <= 3:
		out.Efficiency = 0.6
	default:
		out.Efficiency = 0.4
	}
}

// compare fills in which of the task's criteria the actions meet. Criteria must not be nil. See
// docs/spec/drawingbench.md#r38.
func (out *Evaluation) compare(acts []action) {
	c := out.Criteria
	for i, t := range c.Tools {
		if !slices.Contains(c.Tools[:i], t) { // the original keeps them by name
			out.Tools = append(out.Tools, findUse(acts, t))
		}
	}
	if c.Segments != nil {
		out.SegmentsMet = float64(out.Segments) >= c.Segments.F
	}
	if c.HasColour {
		required := sortedSet(c.Colours)
		out.Used = sortedSet(out.Colours)
		for _, hex := range required {
			if slices.Contains(out.Used, hex) {
				out.Matched++
			} else {
				out.Missing = append(out.Missing, hex)
			}
		}
		out.ColoursMet = out.ColourChanges >= len(c.Colours)
		out.ExactMet = out.Matched >= len(required)
	}
	if c.Coverage != nil {
		out.BoxMet, out.GridMet = out.Box >= c.Coverage.F, out.Grid >= c.Coverage.F
	}
}

// sortedSet returns the strings of a list in ascending order without repeats.
func sortedSet(list []string) []string {
	s := slices.Clone(list)
	slices.Sort(s)
	return slices.Compact(s)
}

// score sets the score: 1 less deductions, in the evaluator's order, on which the last bit
// depends. See docs/spec/drawingbench.md#r39.
func (out *Evaluation) score() {
	s, isNumpy := 1.0, false
	if c := out.Criteria; c != nil {
		lost := 0.0
		for _, t := range out.Tools {
			if !t.Drew {
				lost += 0.15
			}
		}
		s -= lost
		if c.HasColour && !out.ExactMet {
			s -= float64(0.05 * float64(max(0, len(c.Colours)-out.Matched)))
		}
		if c.Segments != nil && !out.SegmentsMet {
			s -= 0.15
		}
		if c.Coverage != nil && !out.GridMet && c.Coverage.F > 0 {
			s -= float64(max(0, c.Coverage.F-out.Grid) / c.Coverage.F * 0.12)
			isNumpy = true
		}
	}
	s -= float64(0.08 * float64(len(out.Faults)))
	s -= float64(0.02 * float64(len(out.Warnings)))
	if 10 <= out.Actions && out.Actions <= 500 && s >= 0.2 {
		s += 0.05
	}
	if isNumpy {
		s = numpyRound(s)
	} else {
		s = decimals(s, 3)
	}
	out.Score = min(max(s, 0), 1)
}

// decimals is Python's round(x, n): the decimal nearest to the exact binary value, half to even.
func decimals(x float64, n int) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', n, 64), 64)
	return v
}

// numpyRound rounds to three decimals as numpy does: half to even of the product with 1000. A
// deduction for coverage makes the original's score a numpy scalar. See
// docs/spec/drawingbench.md#r40.
func numpyRound(x float64) float64 { return math.RoundToEven(x*1000) / 1000 }
