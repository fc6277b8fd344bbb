package profile

import (
	"slices"
	"strconv"
)

// Pixels scores what is visible in the picture. It deducts the same amounts as the published
// evaluator in the same order, but for what was painted instead of for what was clicked. An
// empty canvas, to which that evaluator can give 1, scores 0 where the task demands anything
// visible. See docs/spec/drawingbench.md#r79. The score starts at 1 and loses:
//
//   - 0.15 for each required tool that changed no pixel;
//   - 0.05 for each required colour that is not visible;
//   - 0.15 where fewer elements than min_segments changed a pixel;
//   - up to 0.12 where the box of the picture covers less than min_coverage;
//   - 0.15 for a position constraint, 0.10 for a size, 0.15 for corners not met
//     (the weights of the paper; the corners are the outer cells of 3 x 3);
//   - 0.08 for each error and 0.02 for each warning of the published evaluator;
//
// It gains 0.05 where there are 10 to 500 actions and 0.2 is left. The result has three
// decimals, 0..1.
func Pixels(answer *Answer) Score {
	demand, picture := &answer.Demand, answer.Picture
	var score Score
	value := 1.0
	deductUnless := func(name string, met bool, by float64) {
		score.add("pixels_"+name, met)
		if !met {
			value -= by
		}
	}
	// Tools.
	used := []string{}
	for i, tool := range demand.Tools {
		switch {
		case slices.Contains(demand.Tools[:i], tool):
		case toolPainted(picture, tool):
			used = append(used, tool)
		default:
			value -= 0.15
		}
	}
	score.add("painted_required_tools", used)
	// Colours.
	shown := []string{}
	for _, colour := range demand.Colours {
		if colourVisible(picture, colour) {
			shown = append(shown, colour)
		} else {
			value -= 0.05
		}
	}
	score.add("visible_required_colors", shown)
	// The other demands.
	if demand.Segments != nil {
		deductUnless("min_segments", float64(len(visibleElements(picture))) >= demand.Segments.F, 0.15)
	}
	if demand.Coverage != nil && demand.Coverage.F > 0 {
		lack := max(0, demand.Coverage.F-boxCoverage(picture)) / demand.Coverage.F
		deductUnless("min_coverage", lack == 0, float64(lack*0.12))
	}
	if demand.Position != nil {
		deductUnless("position_constraint", answer.positionMet(), 0.15)
	}
	if demand.Size != nil {
		deductUnless("size_constraint", answer.sizeMet(), 0.10)
	}
	if demand.Corners {
		deductUnless("corner_placement", allPositive(picture.Stats.Corners), 0.15)
	}
	// Faults of the actions, and the bonus for their number.
	evaluation := answer.Evaluation
	value -= float64(0.08 * float64(len(evaluation.Faults)))
	value -= float64(0.02 * float64(len(evaluation.Warnings)))
	if evaluation.Actions >= 10 && evaluation.Actions <= 500 && value >= 0.2 {
		value += 0.05
	}
	if picture.Stats.NonWhite == 0 && demand.wantsInk() {
		value = 0
	}
	score.add("blank", picture.Stats.NonWhite == 0)
	score.Value, _ = strconv.ParseFloat(strconv.FormatFloat(min(max(value, 0), 1), 'f', 3, 64), 64)
	return score
}

// wantsInk reports whether the task demands that anything is visible on the canvas. See
// docs/spec/drawingbench.md#r80.
func (d *Demand) wantsInk() bool {
	return len(d.Tools) > 0 || len(d.Colours) > 0 || d.Segments != nil && d.Segments.F > 0 || d.Coverage != nil &&
		d.Coverage.F > 0 ||
		d.Position != nil || d.Size != nil || d.Corners
}
