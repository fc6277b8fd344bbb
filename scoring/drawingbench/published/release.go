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
	// IsList says that the answer is a list; otherwise only Faults and Score
	// count. See docs/spec/drawingbench.md#r22.
	IsList  bool
	Actions int
	// Breakdown counts the actions: unknown ones, moveTo, click, mouseDown, mouseUp.
	Breakdown [5]int
	Faults    []Fault
	Warnings  []Finding

	ToolChanges, ColourChanges, Segments int
	BoxCoverage, GridCoverage            float64  // canvas_coverage and canvas_coverage_accurate: shares, 0..1
	Colours                              []string // exact_colors_used, with repeats
	Region                               string   // "" for none
	SpatialAccuracy                      float64  // where Region is not ""
	Efficiency                           float64  // action_efficiency, where HasEfficiency
	HasEfficiency                        bool     // the evaluator computed action_efficiency
	Selected                             []string // tools selected at least once; not in the published object

	Criteria *Criteria // nil: no criteria
	Tools    []ToolUse
	// The comparison with the required colours. The lists are ascending sets.
	UsedColours, MissingColours                  []string
	MatchedColours                               int  // required ones that were used
	ColourChangesMet                             bool // there are as many changes as required colours
	AllColoursUsed                               bool
	SegmentsMet, BoxCoverageMet, GridCoverageMet bool
	Score                                        float64 // 0..1, three decimals
	Crash                                        Crash   // what ended the evaluator; "" where nothing did
}

// ThreeMoves reports whether the evaluator warned of three moves in a row.
func (evaluation *Evaluation) ThreeMoves() bool {
	return slices.ContainsFunc(evaluation.Warnings, func(w Finding) bool {
		return w.Type == efficiencyWarning && strings.HasPrefix(w.Message, threeMoves)
	})
}

// ErrorTypes returns the type of each error and each warning of the evaluation, errors first, with
// repeats.
func (evaluation *Evaluation) ErrorTypes() []string {
	out := []string{}
	for _, f := range evaluation.Faults {
		out = append(out, f.Type)
	}
	for _, w := range evaluation.Warnings {
		out = append(out, w.Type)
	}
	return out
}

// Evaluator holds memory that evaluations share. One goroutine uses it at a time.
type Evaluator struct {
	acts []action
	grid grid
}

// Evaluate evaluates a DrawingBench answer by the criteria of its task, nil for none, as the
// published evaluator does. The exception with which the original crashes becomes Crash, and then
// nothing else but Criteria is set. The result is valid as long as value and criteria are.
func (evaluator *Evaluator) Evaluate(value *pyjson.Value, criteria *Criteria) (evaluation Evaluation) {
	evaluation.Criteria = criteria
	if value.Kind != pyjson.List {
		evaluation.Faults = []Fault{{Type: syntaxError, Message: "Actions must be a list/array", Index: -1}}
		return evaluation
	}
	// What makes the original raise an exception is a panic here.
	defer func() {
		if panicked := recover(); panicked != nil {
			crash, ok := panicked.(Crash)
			if !ok {
				panic(panicked)
			}
			evaluation = Evaluation{Crash: crash, Criteria: criteria}
		}
	}()
	// The steps of the original.
	evaluator.acts = appendActions(evaluator.acts[:0], value.Items())
	evaluation.IsList, evaluation.Actions = true, len(evaluator.acts)
	for i := range evaluator.acts {
		evaluation.Breakdown[evaluator.acts[i].kind]++
	}
	evaluation.Faults = findFaults(evaluator.acts)
	evaluation.Warnings = findWarnings(evaluator.acts, evaluation.Breakdown[mouseDown], evaluation.Breakdown[mouseUp])
	evaluation.measure(evaluator.acts, &evaluator.grid)
	if criteria != nil {
		evaluation.compareWithCriteria(evaluator.acts)
	}
	evaluation.computeScore()
	return evaluation
}

// measure fills in the metrics of the evaluation, in the order in which the original may
// crash: counts (docs/spec/drawingbench.md#r28), coverage, colours
// (docs/spec/drawingbench.md#r29), and with criteria the spatial accuracy and the
// efficiency. grid is memory for the grid.
func (evaluation *Evaluation) measure(acts []action, grid *grid) {
	pressed := false
	for i := range acts {
		action := &acts[i]
		switch action.kind {
		case click:
			if action.x != nil {
				if toolAt(action) != nil {
					evaluation.ToolChanges++
				}
				if onPalette(action) {
					evaluation.ColourChanges++
				}
			}
		case mouseDown: // a second press without a release begins no segment
			if !pressed {
				evaluation.Segments++
			}
			pressed = true
		case mouseUp:
			pressed = false
		}
	}
	evaluation.BoxCoverage = boxCoverage(acts)
	evaluation.GridCoverage = gridCoverage(acts, grid)
	for i := range acts {
		action := &acts[i]
		if action.kind != click && !(action.kind == moveTo && i+1 < len(acts) && acts[i+1].kind == click) {
			continue
		}
		colour := colourAt(action)
		if colour != nil {
			evaluation.Colours = append(evaluation.Colours, colour.Hex)
		}
	}
	// Selected is not part of the original: it comes after what the original computes, so that
	// a crash is the one that the original has.
	evaluation.Selected = selectedTools(acts)
	criteria := evaluation.Criteria
	if criteria == nil {
		return
	}
	region := namedRegion(criteria.Prompt)
	if region != nil {
		evaluation.Region, evaluation.SpatialAccuracy = region.name, region.accuracy(acts)
	}
	evaluation.measureEfficiency()
}

// measureEfficiency sets action_efficiency as the published evaluator does, with its thresholds: a
// grade by how many actions there are for each one that the task needs. It needs one for each tool and
// colour and three for each segment. Tasks that need none get no grade. See
// docs/spec/drawingbench.md#r30.
func (evaluation *Evaluation) measureEfficiency() {
	criteria := evaluation.Criteria
	needed := float64(len(criteria.Tools) + len(criteria.Colours))
	if criteria.Segments != nil {
		needed += 3 * criteria.Segments.F
	}
	if needed == 0 {
		return
	}
	evaluation.HasEfficiency = true
	switch ratio := float64(evaluation.Actions) / needed; {
	case ratio <= 1.5:
		evaluation.Efficiency = 1
	case ratio <= 2:
		evaluation.Efficiency = 0.8
	case ratio <= 3:
		evaluation.Efficiency = 0.6
	default:
		evaluation.Efficiency = 0.4
	}
}

// compareWithCriteria fills in which of the task's criteria the actions meet. Criteria must
// not be nil. See docs/spec/drawingbench.md#r38.
func (evaluation *Evaluation) compareWithCriteria(acts []action) {
	criteria := evaluation.Criteria
	for i, t := range criteria.Tools {
		if !slices.Contains(criteria.Tools[:i], t) { // the original lists each tool once
			evaluation.Tools = append(evaluation.Tools, findUse(acts, t))
		}
	}
	if criteria.Segments != nil {
		evaluation.SegmentsMet = float64(evaluation.Segments) >= criteria.Segments.F
	}
	if criteria.HasColours {
		required := sortedSet(criteria.Colours)
		evaluation.UsedColours = sortedSet(evaluation.Colours)
		for _, hex := range required {
			if slices.Contains(evaluation.UsedColours, hex) {
				evaluation.MatchedColours++
			} else {
				evaluation.MissingColours = append(evaluation.MissingColours, hex)
			}
		}
		evaluation.ColourChangesMet = evaluation.ColourChanges >= len(criteria.Colours)
		evaluation.AllColoursUsed = evaluation.MatchedColours >= len(required)
	}
	if criteria.Coverage != nil {
		evaluation.BoxCoverageMet, evaluation.GridCoverageMet = evaluation.BoxCoverage >= criteria.Coverage.F, evaluation.GridCoverage >= criteria.Coverage.F
	}
}

// sortedSet returns the strings of a list in ascending order, each once.
func sortedSet(list []string) []string {
	s := slices.Clone(list)
	slices.Sort(s)
	return slices.Compact(s)
}

// What the published evaluator deducts from the score, and its bonus.
const (
	perMissingTool   = 0.15
	perMissingColour = 0.05
	tooFewSegments   = 0.15
	noCoverage       = 0.12 // of nothing; less for a part of the wanted coverage
	perFault         = 0.08
	perWarning       = 0.02
	actionsBonus     = 0.05 // for 10 to 500 actions, where at least minForBonus is left
	minForBonus      = 0.2
)

// computeScore sets the score of an answer as the published evaluator does: 1 less deductions, in
// the evaluator's order, on which the last bit depends, and a bonus for 10 to 500 actions. The
// conversions to float64 keep the compiler from fusing products with the subtraction. See
// docs/spec/drawingbench.md#r39.
func (evaluation *Evaluation) computeScore() {
	value, isNumpy := 1.0, false // isNumpy: the original's value is a number of the library numpy
	if criteria := evaluation.Criteria; criteria != nil {
		// The criteria.
		missingTools := 0.0
		for _, tool := range evaluation.Tools {
			if !tool.Drew {
				missingTools += perMissingTool
			}
		}
		value -= missingTools
		if criteria.HasColours && !evaluation.AllColoursUsed {
			value -= float64(perMissingColour * float64(max(0, len(criteria.Colours)-evaluation.MatchedColours)))
		}
		if criteria.Segments != nil && !evaluation.SegmentsMet {
			value -= tooFewSegments
		}
		if criteria.Coverage != nil && !evaluation.GridCoverageMet && criteria.Coverage.F > 0 {
			value -= float64(max(0, criteria.Coverage.F-evaluation.GridCoverage) / criteria.Coverage.F * noCoverage)
			isNumpy = true
		}
	}
	// Faults of the actions, and the bonus for their number.
	value -= float64(perFault * float64(len(evaluation.Faults)))
	value -= float64(perWarning * float64(len(evaluation.Warnings)))
	if 10 <= evaluation.Actions && evaluation.Actions <= 500 && value >= minForBonus {
		value += actionsBonus
	}
	// The original rounds by the type that the value has there.
	if isNumpy {
		value = numpyRound(value)
	} else {
		value = pyRound(value, 3)
	}
	evaluation.Score = min(max(value, 0), 1)
}

// pyRound is Python's round(x, digits): the decimal nearest to the exact binary value, half
// to even.
func pyRound(x float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', digits, 64), 64)
	return rounded
}

// numpyRound rounds to three decimals as numpy does: half to even of the product with 1000. A
// deduction for coverage makes the original's score a numpy scalar. See
// docs/spec/drawingbench.md#r40.
func numpyRound(x float64) float64 { return math.RoundToEven(x*1000) / 1000 }
