// Package published evaluates DrawingBench answers as the published evaluator does,
// field by field. In: a value as Python reads it, and what the task demands. Out:
// the evaluation with the feedback that a model is given, or the exception that
// ends the original. Rules that look wrong are kept: the published numbers come
// from them. It uses no pixels. Its rules are sections "Evaluation" and "Feedback"
// of docs/spec/drawingbench.md.
package published

import (
	"slices"
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
	// Breakdown counts unknown, moveTo, click, mouseDown, mouseUp, in this order.
	Breakdown [5]int
	Faults    []Fault
	Warnings  []Warning

	ToolChanges, ColourChanges, Segments int
	Box, Grid                            float64  // canvas_coverage and canvas_coverage_accurate, 0..1
	Colours                              []string // exact_colors_used, with repeats
	Region                               string   // "" for none
	Accuracy                             float64  // spatial_accuracy, where Region is not ""
	Efficiency                           float64  // action_efficiency, where Efficient
	Efficient                            bool
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

// ThreeMoves reports whether the answer was warned for three moves in a row.
func (e *Evaluation) ThreeMoves() bool {
	for _, w := range e.Warnings {
		if w.Type == efficiencyWarning && strings.HasPrefix(w.Message, inARow) {
			return true
		}
	}
	return false
}

// Evaluator holds memory for evaluations. One goroutine uses it at a time.
type Evaluator struct {
	acts []action
	grid grid
}

// Evaluate judges an answer. What the result holds of strings belongs to v.
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
	e.acts = read(v.Items(), e.acts[:0])
	out.List, out.Actions = true, len(e.acts)
	for i := range e.acts {
		out.Breakdown[e.acts[i].kind]++
	}
	out.Faults = faults(e.acts)
	out.Warnings = warnings(e.acts, out.Breakdown[mouseDown], out.Breakdown[mouseUp])
	out.measure(e.acts, &e.grid)
	if c != nil {
		out.compare(e.acts)
	}
	out.score()
	return out
}

// measure fills in the metrics: counts by docs/spec/drawingbench.md#r28,
// colours by docs/spec/drawingbench.md#r29.
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
		if c := colourAt(a); c != nil {
			out.Colours = append(out.Colours, c.hex)
		}
	}
	// Selected is this project's own: it comes last, so that the first exception is
	// one that the evaluator finds.
	out.Selected = selected(acts)
	c := out.Criteria
	if c == nil {
		return
	}
	if r := wanted(c.Prompt); r != nil && c.Prompt != "" {
		out.Region, out.Accuracy = r.name, r.accuracy(acts)
	}
	out.efficiency()
}

// efficiency is action_efficiency: a grade of how many actions there are per one
// that the task needs. See docs/spec/drawingbench.md#r30.
func (out *Evaluation) efficiency() {
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

// compare fills in criteria_met. See docs/spec/drawingbench.md#r38.
func (out *Evaluation) compare(acts []action) {
	c := out.Criteria
	for i, t := range c.Tools {
		if !slices.Contains(c.Tools[:i], t) { // the original keeps them by name
			out.Tools = append(out.Tools, use(acts, t))
		}
	}
	if c.Segments != nil {
		out.SegmentsMet = float64(out.Segments) >= c.Segments.F
	}
	if c.HasColour {
		required := set(c.Colours)
		out.Used = set(out.Colours)
		for _, hex := range required {
			if _, ok := slices.BinarySearch(out.Used, hex); ok {
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

// set is a list in ascending order without repeats.
func set(list []string) []string {
	s := slices.Clone(list)
	slices.Sort(s)
	return slices.Compact(s)
}

// score deducts in the evaluator's order: the last bit depends on it. See
// docs/spec/drawingbench.md#r39.
func (out *Evaluation) score() {
	s, array := 1.0, false
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
			array = true
		}
	}
	s -= float64(0.08 * float64(len(out.Faults)))
	s -= float64(0.02 * float64(len(out.Warnings)))
	if 10 <= out.Actions && out.Actions <= 500 && s >= 0.2 {
		s += 0.05
	}
	if array {
		s = scalar(s)
	} else {
		s = decimals(s, 3)
	}
	out.Score = min(max(s, 0), 1)
}
