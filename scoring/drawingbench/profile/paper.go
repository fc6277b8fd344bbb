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

// Paper scores an answer by the weights and penalties of the paper's text. The paper's printed
// numbers do not follow from them, but from the published evaluator (profile "release"). See
// docs/spec/drawingbench.md#r72.
func Paper(a *Answer, o Options) Score {
	all := a.criteria()
	sum, whole := 0, 0
	for _, c := range all {
		if o.Renormalise && !c.stated {
			continue
		}
		whole += c.weight
		if c.met {
			sum += c.weight
		}
	}
	part := float64(sum) / 100
	if o.Renormalise {
		part = float64(sum) / float64(whole)
	}
	penalty, inefficient := a.penalties()
	if o.NoPenalties {
		penalty = 0
	}
	bonus := 0
	if a.Demand.Coverage != nil && a.coverageMet() {
		bonus += o.CoverageBonus
	}
	n := a.Evaluation.Actions
	if n >= 10 && n <= 500 && !inefficient {
		bonus += o.EfficiencyBonus
	}
	// Hundredths are added as integers, so that 0.8 is the double nearest to it. See
	// docs/spec/drawingbench.md#r78.
	value := part + float64(bonus-penalty)/100
	if !o.Renormalise {
		value = float64(sum+bonus-penalty) / 100
	}
	s := Score{Value: min(max(value, 0), 1)}
	s.add("weighted", part)
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

// criteria returns the eight criteria of the paper's weighted sum.
func (a *Answer) criteria() []criterion {
	d, p := &a.Demand, a.Picture
	tools, colours := true, true
	for _, t := range d.Tools {
		tools = tools && slices.Contains(p.Selected, t)
	}
	for _, c := range d.Colours {
		colours = colours && colourUsed(p, c)
	}
	corners := !d.Corners || allPositive(p.Stats.Quadrants)
	return []criterion{
		{"required_tools", 20, len(d.Tools) > 0, tools},
		{"required_colors", 20, len(d.Colours) > 0, colours},
		{"min_segments", 15, d.Segments != nil, d.Segments == nil || float64(p.Pairs) >= d.Segments.F},
		{"min_coverage", 10, d.Coverage != nil, a.coverageMet()},
		{"position_constraint", 15, d.Position != nil || d.Corners, a.positionMet() && corners},
		{"size_constraint", 10, d.Size != nil, a.sizeMet()},
		{"syntax", 5, true, a.countErrors("SYNTAX_ERROR") == 0},
		// A coordinate off the screen counts in any action. See
		// docs/spec/drawingbench.md#r75.
		{"coordinate_bounds", 5, true, p.Strays == 0 && a.countErrors("COORDINATE_ERROR") == 0},
	}
}

// coverageMet reports whether the picture's box covers as much of the canvas as the task wants;
// true where it wants no coverage.
func (a *Answer) coverageMet() bool {
	c := a.Demand.Coverage
	return c == nil || boxCoverage(a.Picture) >= c.F
}

// penalties returns the sum of the paper's penalties in hundredths of the score, and whether
// one of them is for inefficiency. See docs/spec/drawingbench.md#r76.
func (a *Answer) penalties() (sum int, inefficient bool) {
	most := a.Demand.MostActions
	if most == 0 {
		most = 1000
	}
	warnings := 0
	if float64(a.Evaluation.Actions) > most {
		warnings++
	}
	if a.Evaluation.ThreeMoves() {
		warnings++
	}
	return a.countErrors("SYNTAX_ERROR")*syntaxPenalty + a.countErrors("COORDINATE_ERROR")*coordinatePenalty +
		a.countErrors("LOGIC_ERROR")*logicPenalty + warnings*efficiencyPenalty, warnings > 0
}
