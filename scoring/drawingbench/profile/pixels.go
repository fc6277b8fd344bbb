package profile

import (
	"slices"
	"strconv"
)

// What the profile "pixels" deducts and adds.
const (
	perMissingTool   = 0.15
	perMissingColour = 0.05
	fewSegments      = 0.15
	noCoverage       = 0.12 // times the share of the wanted coverage that is missing
	wrongPosition    = 0.15
	wrongSize        = 0.10
	missingCorner    = 0.15
	perFault         = 0.08
	perWarning       = 0.02
	efficientGain    = 0.05 // for an efficient number of actions
	leastForBonus    = 0.2  // what must be left
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
	deductUnless := func(demandName string, met bool, by float64) {
		score.add("pixels_"+demandName, met)
		if !met {
			value -= by
		}
	}
	// Tools.
	used := []string{}
	for i, tool := range demand.Tools {
		switch {
		case slices.Contains(demand.Tools[:i], tool): // a tool that is listed twice counts once
		case toolPainted(picture, tool):
			used = append(used, tool)
		default:
			value -= perMissingTool
		}
	}
	score.add("painted_required_tools", used)
	// Colours.
	shown := []string{}
	for _, colour := range demand.Colours {
		if colourVisible(picture, colour) {
			shown = append(shown, colour)
		} else {
			value -= perMissingColour
		}
	}
	score.add("visible_required_colors", shown)
	// The other demands. Here and below the conversions of products to float64 forbid the compiler to fuse them with
	// the subtraction, which would round differently on some machines.
	if demand.Segments != nil {
		deductUnless("min_segments", float64(len(visibleElements(picture))) >= demand.Segments.F, fewSegments)
	}
	if demand.Coverage != nil && demand.Coverage.F > 0 {
		lack := max(0, demand.Coverage.F-boxCoverage(picture)) / demand.Coverage.F // share of what is wanted
		deductUnless("min_coverage", lack == 0, float64(lack*noCoverage))
	}
	if demand.Position != nil {
		deductUnless("position_constraint", answer.positionMet(), wrongPosition)
	}
	if demand.Size != nil {
		deductUnless("size_constraint", answer.sizeMet(), wrongSize)
	}
	if demand.Corners {
		deductUnless("corner_placement", allPositive(picture.Stats.Corners), missingCorner)
	}
	// Faults of the actions, and the bonus for their number.
	value -= float64(perFault * float64(len(answer.Evaluation.Faults)))
	value -= float64(perWarning * float64(len(answer.Evaluation.Warnings)))
	if efficientLength(answer.Evaluation) && value >= leastForBonus {
		value += efficientGain
	}
	if picture.Stats.NonWhite == 0 && demand.wantsInk() {
		value = 0
	}
	score.add("blank", picture.Stats.NonWhite == 0)
	const decimals = 3 // of the score
	score.Value, _ = strconv.ParseFloat(strconv.FormatFloat(min(max(value, 0), 1), 'f', decimals, 64), 64)
	return score
}

// wantsInk reports whether the task demands that anything is visible on the canvas. See
// docs/spec/drawingbench.md#r80.
func (demand *Demand) wantsInk() bool {
	return len(demand.Tools) > 0 || len(demand.Colours) > 0 ||
		demand.Segments != nil && demand.Segments.F > 0 ||
		demand.Coverage != nil && demand.Coverage.F > 0 ||
		demand.Position != nil || demand.Size != nil || demand.Corners
}
