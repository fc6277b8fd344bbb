package profile

import (
	"slices"

	"plumb/scoring"
	"plumb/scoring/drawingbench/published"
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
	name   string
	weight int  // hundredths of the score
	stated bool // the task demands it
	met    bool
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
	sum, possible := 0, 0 // weights of the criteria that are met, and of all that count, in hundredths
	for _, criterion := range all {
		if options.Renormalise && !criterion.stated {
			continue
		}
		possible += criterion.weight
		if criterion.met {
			sum += criterion.weight
		}
	}
	penalty, inefficient := answer.penalties()
	if options.NoPenalties {
		penalty = 0
	}
	bonus := 0
	if answer.Demand.Coverage != nil && answer.coverageMet() {
		bonus += options.CoverageBonus
	}
	if efficientLength(answer.Evaluation) && !inefficient {
		bonus += options.EfficiencyBonus
	}
	// possible is 100 unless criteria are left out. Then hundredths are added as integers and divided once, so that
	// 0.8 is the double nearest to it. See docs/spec/drawingbench.md#r78.
	weighted := float64(sum) / float64(possible)
	value := float64(sum+bonus-penalty) / 100
	if options.Renormalise {
		value = weighted + float64(bonus-penalty)/100
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
func (score *Score) add(name string, value any) {
	score.Metrics = append(score.Metrics, scoring.Metric{Name: name, Value: value})
}

// efficientLength reports whether an answer has as many actions as the paper gives its bonus for efficiency for.
func efficientLength(evaluation *published.Evaluation) bool {
	const fewest, most = 10, 500
	return evaluation.Actions >= fewest && evaluation.Actions <= most
}

// criteria returns the eight criteria of the DrawingBench paper's weighted sum. Their weights add
// up to 100. A colour or tool counts as soon as it was used, seen or not. Corners are judged by quadrants here,
// as the paper's position words are. The profile "pixels" and the metric "corners" demand more: ink in the
// outer cells of a grid of 3 x 3.
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
	// The paper counts each press with a release as a segment.
	segments := demand.Segments == nil || float64(picture.Drags) >= demand.Segments.F
	return []criterion{ // name, weight, stated, met
		{"required_tools", 20, len(demand.Tools) > 0, tools},
		{"required_colors", 20, len(demand.Colours) > 0, colours},
		{"min_segments", 15, demand.Segments != nil, segments},
		{"min_coverage", 10, demand.Coverage != nil, answer.coverageMet()},
		{"position_constraint", 15, demand.Position != nil || demand.Corners, answer.positionMet() && corners},
		{"size_constraint", 10, demand.Size != nil, answer.sizeMet()},
		{"syntax", 5, true, answer.countErrors("SYNTAX_ERROR") == 0},
		// No drag leaves the canvas, and no action is off the screen. See docs/spec/drawingbench.md#r75.
		{"coordinate_bounds", 5, true, picture.StrayPoints == 0 && answer.countErrors("COORDINATE_ERROR") == 0},
	}
}

// coverageMet reports whether the picture's box covers as much of the canvas as the task wants;
// true where it wants no coverage.
func (answer *Answer) coverageMet() bool {
	wanted := answer.Demand.Coverage
	return wanted == nil || boxCoverage(answer.Picture) >= wanted.F
}

// penalties returns the sum of the DrawingBench paper's penalties in hundredths of the score, and
// whether one of them is for inefficiency: more actions than allowed, or three moves in a row. See
// docs/spec/drawingbench.md#r76.
func (answer *Answer) penalties() (sum int, inefficient bool) {
	const usualMaxActions = 1000 // above which the published evaluator warns too
	maxActions := answer.Demand.MaxActions
	if maxActions == 0 {
		maxActions = usualMaxActions
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
