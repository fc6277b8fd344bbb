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
func Paper(a *Answer, o Options) Score {
	all := a.criteria()
	sum, possible := 0, 0
	for _, c := range all {
		if o.Renormalise && !c.stated {
			continue
		}
		possible += c.weight
		if c.met {
			sum += c.weight
		}
	}
	weighted := float64(sum) / 100
	if o.Renormalise {
		weighted = float64(sum) / float64(possible)
	}
	penalty, inefficient := a.penalties()
	if o.NoPenalties {
		penalty = 0
	}
	bonus := 0
	if a.Demand.Coverage != nil && a.coverageMet() {
		bonus += o.CoverageBonus
	}
	actions := a.Evaluation.Actions
	if actions >= 10 && actions <= 500 && !inefficient {
		bonus += o.EfficiencyBonus
	}
	// Hundredths are added as integers, so that 0.8 is the double nearest to it. See
	// docs/spec/drawingbench.md#r78.
	value := weighted + float64(bonus-penalty)/100
	if !o.Renormalise {
		value = float64(sum+bonus-penalty) / 100
	}
	s := Score{Value: min(max(value, 0), 1)}
	s.add("weighted", weighted)
	s.add("penalties", float64(penalty)/100)
	s.add("bonus", float64(bonus)/100)
	for _, c := range all {
		s.add("criterion_"+c.name, c.met)
	}
	return s
}

// add appends a metric that explains the score.
func (s *Score) add(name string, v any) {
	s.Metrics = append(s.Metrics, scoring.Metric{Name: name, Value: v})
}

// criteria returns the eight criteria of the DrawingBench paper's weighted sum. Their weights add
// up to 100.
func (a *Answer) criteria() []criterion {
	demand, picture := &a.Demand, a.Picture
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
		{"min_coverage", 10, demand.Coverage != nil, a.coverageMet()},
		{"position_constraint", 15, demand.Position != nil || demand.Corners, a.positionMet() && corners},
		{"size_constraint", 10, demand.Size != nil, a.sizeMet()},
		{"syntax", 5, true, a.countErrors("SYNTAX_ERROR") == 0},
		// A coordinate off the screen counts in any action. See
		// docs/spec/drawingbench.md#r75.
		{"coordinate_bounds", 5, true, picture.Strays == 0 && a.countErrors("COORDINATE_ERROR") == 0},
	}
}

// coverageMet reports whether the picture's box covers as much of the canvas as the task wants;
// true where it wants no coverage.
func (a *Answer) coverageMet() bool {
	c := a.Demand.Coverage
	return c == nil || boxCoverage(a.Picture) >= c.F
}

// penalties returns the sum of the DrawingBench paper's penalties in hundredths of the score, and
// whether one of them is for inefficiency: more actions than allowed, or three moves in a row. See
// docs/spec/drawingbench.md#r76.
func (a *Answer) penalties() (sum int, inefficient bool) {
	maxActions := a.Demand.MaxActions
	if maxActions == 0 {
		maxActions = 1000
	}
	inefficiencies := 0
	if float64(a.Evaluation.Actions) > maxActions {
		inefficiencies++
	}
	if a.Evaluation.ThreeMoves() {
		inefficiencies++
	}
	return a.countErrors("SYNTAX_ERROR")*syntaxPenalty + a.countErrors("COORDINATE_ERROR")*coordinatePenalty +
		a.countErrors("LOGIC_ERROR")*logicPenalty + inefficiencies*efficiencyPenalty, inefficiencies > 0
}
