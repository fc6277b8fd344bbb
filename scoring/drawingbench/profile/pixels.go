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
func Pixels(a *Answer) Score {
	d, p := &a.Demand, a.Picture
	var s Score
	value := 1.0
	lose := func(name string, met bool, by float64) {
		s.add("pixels_"+name, met)
		if !met {
			value -= by
		}
	}
	used := []string{}
	for i, t := range d.Tools {
		switch {
		case slices.Contains(d.Tools[:i], t):
		case toolPainted(p, t):
			used = append(used, t)
		default:
			value -= 0.15
		}
	}
	s.add("painted_required_tools", used)
	shown := []string{}
	for _, c := range d.Colours {
		if colourVisible(p, c) {
			shown = append(shown, c)
		} else {
			value -= 0.05
		}
	}
	s.add("visible_required_colors", shown)
	if d.Segments != nil {
		lose("min_segments", float64(len(visibleElements(p))) >= d.Segments.F, 0.15)
	}
	if d.Coverage != nil && d.Coverage.F > 0 {
		lack := max(0, d.Coverage.F-boxCoverage(p)) / d.Coverage.F
		lose("min_coverage", lack == 0, float64(lack*0.12))
	}
	if d.Position != nil {
		lose("position_constraint", a.positionMet(), 0.15)
	}
	if d.Size != nil {
		lose("size_constraint", a.sizeMet(), 0.10)
	}
	if d.Corners {
		lose("corner_placement", allPositive(p.Stats.Corners), 0.15)
	}
	e := a.Evaluation
	value -= float64(0.08 * float64(len(e.Faults)))
	value -= float64(0.02 * float64(len(e.Warnings)))
	if e.Actions >= 10 && e.Actions <= 500 && value >= 0.2 {
		value += 0.05
	}
	if p.Stats.NonWhite == 0 && d.wantsInk() {
		value = 0
	}
	s.add("blank", p.Stats.NonWhite == 0)
	s.Value, _ = strconv.ParseFloat(strconv.FormatFloat(min(max(value, 0), 1), 'f', 3, 64), 64)
	return s
}

// wantsInk reports whether the task demands that anything is visible on the canvas. See
// docs/spec/drawingbench.md#r80.
func (d *Demand) wantsInk() bool {
	return len(d.Tools) > 0 || len(d.Colours) > 0 || d.Segments != nil && d.Segments.F > 0 || d.Coverage != nil && d.Coverage.F > 0 ||
		d.Position != nil || d.Size != nil || d.Corners
}
