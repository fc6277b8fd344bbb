package profile

import (
	"math"

	"plumb/scoring"
)

// Options change the profile paper. Bonuses are hundredths of the score. See
// docs/spec/drawingbench.md#r77.
type Options struct {
	Renormalise                    bool // criteria that are not stated are left out
	NoPenalties                    bool
	CoverageBonus, EfficiencyBonus int
}

// Score is a score with what it is made of.
type Score struct {
	Value   float64 // 0..1
	Metrics []scoring.Metric
}

// criterion is a part of the weighted sum, weights in hundredths.
type criterion struct {
	name        string
	weight      int
	stated, met bool
}

// Penalties of the paper, in hundredths.
const (
	syntaxPenalty     = 30
	coordinatePenalty = 20
	logicPenalty      = 10
	efficiencyPenalty = 5
)

// Paper scores by the weights and penalties of the paper. No published number can
// be computed with it: those come from the profile release. See
// docs/spec/drawingbench.md#r72.
func Paper(a *Answer, o Options) Score {
	all := a.weighted()
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
	if c := a.Demand.Coverage; c != nil && a.boxCoverage() >= c.F {
		bonus += o.CoverageBonus
	}
	if n := a.Evaluation.Actions; n >= 10 && n <= 500 && !inefficient {
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

func (s *Score) add(name string, v any) {
	s.Metrics = append(s.Metrics, scoring.Metric{Name: name, Value: v})
}

// weighted returns the eight criteria; one that is not stated is met.
func (a *Answer) weighted() []criterion {
	d, p := &a.Demand, a.Picture
	tools, colours := true, true
	for _, t := range d.Tools {
		tools = tools && selected(p.Selected, t)
	}
	for _, c := range d.Colours {
		colours = colours && touched(p, c)
	}
	corners := !d.Corners || nonzero(p.Stats.Quadrants)
	return []criterion{
		{"required_tools", 20, len(d.Tools) > 0, tools},
		{"required_colors", 20, len(d.Colours) > 0, colours},
		{"min_segments", 15, d.Segments != nil, d.Segments == nil || float64(p.Pairs) >= d.Segments.F},
		{"min_coverage", 10, d.Coverage != nil, d.Coverage == nil || a.boxCoverage() >= d.Coverage.F},
		{"position_constraint", 15, d.Position != nil || d.Corners, a.placed() && corners},
		{"size_constraint", 10, d.Size != nil, a.sized()},
		{"syntax", 5, true, a.errors("SYNTAX_ERROR") == 0},
		// A coordinate off the screen counts in any action. See
		// docs/spec/drawingbench.md#r75.
		{"coordinate_bounds", 5, true, p.Strays == 0 && a.errors("COORDINATE_ERROR") == 0},
	}
}

func selected(list []string, tool string) bool {
	for _, t := range list {
		if t == tool {
			return true
		}
	}
	return false
}

// penalties returns their sum in hundredths, and whether there is an efficiency
// warning. See docs/spec/drawingbench.md#r76.
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
	times := func(n, each int) int { return min(n, math.MaxInt32/each) * each }
	return times(a.errors("SYNTAX_ERROR"), syntaxPenalty) + times(a.errors("COORDINATE_ERROR"), coordinatePenalty) +
		times(a.errors("LOGIC_ERROR"), logicPenalty) + warnings*efficiencyPenalty, warnings > 0
}
