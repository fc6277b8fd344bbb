package profile

import (
	"slices"

	"plumb/scoring"
)

// Options change the profile "paper". See docs/spec/drawingbench.md#r77.
type Options struct {
	Renormalise                    bool // criteria that the task does not state are left out
	NoPenalties                    bool
	CoverageBonus, EfficiencyBonus int // hundredths of the score
}

// Score is a score with the parts that explain it.
type Score struct {
	Value   float64 // 0..1
	Metrics []scoring.Metric
}

// criterion is a term of the paper's weighted sum. One that the task does not state is met.
type criterion struct {
	name        string
	weight      int // hundredths of the score
	stated, met bool
}

// Penalties of the paper, in hundredths of the score.
const (
	syntaxPenalty     = 30
	coordinatePenalty = 20
	logicPenalty      = 10
	efficiencyPenalty = 5
)

// Paper scores a DrawingBench answer by the weights, penalties and bonuses of the paper's text, as
// options change them. The paper's printed numbers do not follow from this but from the published
// evaluator (profile "release"). See docs/spec/drawingbench.md#r72.
func Paper(answer *Answer, options Options) Score {
	all := answer.criteria()
	sum, possible := 0, 0
	for _, criterion := range all {
		if options.Renormalise && !criterion.stated {
			continue
		}
		possible += criterion.weight
		if criterion.met {
			sum += criterion.weight
		}
	}
	weighted := float64(sum) / 100
	if options.Renormalise {
		weighted = float64(sum) / float64(possible)
	}
	penalty, inefficient := answer.penalties()
	if options.NoPenalties {
		penalty = 0
	}
	bonus := 0
	if answer.Demand.Coverage != nil && answer.coverageMet() {
		bonus += options.CoverageBonus
	}
	actions := answer.Evaluation.Actions
	if actions >= 10 && actions <= 500 && !inefficient { // the paper's range of efficient answers
		bonus += options.EfficiencyBonus
	}
	// Hundredths are added as integers, so that 0.8 is the double nearest to it. See
	// docs/spec/drawingbench.md#r78.
	value := weighted + float64(bonus-penalty)/100
	if !options.Renormalise {
		value = float64(sum+bonus-penalty) / 100
	}
	score := Score{Value: min(max(value, 0), 1)}
	score.add("weighted", weighted)
	score.add("penalties", float64(penalty)/100)
	score.add("bonus", float64(bonus)/100)
	for _, c := range all {
		score.add("criterion_"+c.name, c.met)
	}
	return score
}

// add appends a metric that explains the score.
func (s *Score) add(name string, v any) {
	s.Metrics = append(s.Metrics, scoring.Metric{Name: name, Value: v})
}

// criteria returns the eight criteria of the DrawingBench paper's weighted sum. Their weights add
// up to 100.
func (answer *Answer) criteria() []criterion {
	demand, picture := &answer.Demand, answer.Picture
	tools, colours := true, true
	for _, tool := range demand.Tools {
		tools = tools && slices.Contains(picture.Selected, tool)
	}
	for _, colour := range demand.Colours {
		colours = colours && colourUsed(picture, colour)
	}
	corners := !demand.Corners || allPositive(picture.Stats.Quadrants) // something in each quadrant
	return []criterion{                                                // name, weight, stated, met
		{"required_tools", 20, len(demand.Tools) > 0, tools},
		{"required_colors", 20, len(demand.Colours) > 0, colours},
		// pairs of press and release, which the paper counts as segments
		{"min_segments", 15, demand.Segments != nil, demand.Segments == nil ||
			float64(picture.Pairs) >= demand.Segments.F},
		{"min_coverage", 10, demand.Coverage != nil, answer.coverageMet()},
		{"position_constraint", 15, demand.Position != nil || demand.Corners, answer.positionMet() && corners},
		{"size_constraint", 10, demand.Size != nil, answer.sizeMet()},
		{"syntax", 5, true, answer.countErrors("SYNTAX_ERROR") == 0},
		// A coordinate off the screen counts in any action. See
		// docs/spec/drawingbench.md#r75.
		{"coordinate_bounds", 5, true, picture.Strays == 0 && answer.countErrors("COORDINATE_ERROR") == 0},
	}
}

// coverageMet reports whether the picture's box covers as much of the canvas as the task wants;
// true where it wants no coverage.
func (answer *Answer) coverageMet() bool {
	c := answer.Demand.Coverage
	return c == nil || boxCoverage(answer.Picture) >= c.F
}

// penalties returns the sum of the DrawingBench paper's penalties in hundredths of the score, and
// whether one of them is for inefficiency: more actions than allowed, or three moves in a row. See
// docs/spec/drawingbench.md#r76.
func (answer *Answer) penalties() (sum int, inefficient bool) {
	maxActions := answer.Demand.MaxActions
	if maxActions == 0 {
		maxActions = 1000 // where the published evaluator warns too
	}
	inefficiencies := 0
	if float64(answer.Evaluation.Actions) > maxActions {
		inefficiencies++
	}
	if answer.Evaluation.ThreeMoves() {
		inefficiencies++
	}
	return answer.countErrors("SYNTAX_ERROR")*syntaxPenalty + answer.countErrors("COORDINATE_ERROR")*coordinatePenalty +
		answer.countErrors("LOGIC_ERROR")*logicPenalty + inefficiencies*efficiencyPenalty, inefficiencies > 0
}
