package explorer

import "plumb/scoring"

// formulas are what the metrics of results are, by suite and name; the rules are in docs/spec.
var formulas = map[string]map[string]string{
	"aspire": {
		"distance": "distance of the chosen shape's centre from the target, px", "score_cell": "maze score with the distance in halves of a cell's width", "centre": "centre of the chosen shape",
		"created": "shapes that the answer made", "chosen": "the shape that counts", "deleted": "initial shapes that the answer removed", "selected": "nodes that are red after the answer",
		"label_pixels": "pixels of the label with alpha above 0", "over_shape": "those of them that cover the shape", "bounds": "the part of the page that was measured",
		"ends": "ends of the line", "score_ordered": "score where the order of the ends counts", "score_contains": "score where further deletions are no fault",
		"theta_i": "angle off the target before, rad", "theta_f": "angle off the target after, rad", "rotation": "turn that the answer gives, rad clockwise",
		"com_before": "centre of mass before, by alpha", "com_after": "centre of mass after, by alpha", "ci": "distance of the centre of mass from the centre of the frame before, px", "cf": "the same after",
		"score_printed": "ci / cf - 1 as the paper prints it", "violations": "rules of the task that the answer breaks", "tokens": "tokens of the answer",
	},
	"tangram": {
		"tse": "syntax error in the construction", "tse_reasons": "which ones", "class": "exact or decimal coordinates", "n_pieces": "pieces in the answer", "n_parsed": "pieces whose vertices were read",
		"rge": "a piece crosses itself, or has another area or perimeter than its type", "pe": "the pieces overlap or are apart", "vpr": "valid placement: neither tse, rge nor pe", "evaluable": "there is a target, and a piece with area",
		"union_area": "area of the union of the pieces", "intersection_area": "area that the pieces and the target share", "iou": "intersection over union with the target",
		"hausdorff": "Hausdorff distance of the boundaries of pieces and target", "success": "valid placement (vpr) that matches the target", "matches": "equal to the target; for decimals, iou and hausdorff within their thresholds", "overlaps": "pairs of pieces that overlap, with the area and whether it is an error", "pieces": "each piece",
	},
	"drawingbench": {
		"total_actions": "actions in the answer", "drawing_segments": "presses that begin a drag", "tool_changes": "clicks on buttons of tools", "color_changes": "clicks on the palette",
		"canvas_coverage": "share of the canvas in the box around the points of all drags", "canvas_coverage_accurate": "share of the cells of a grid of the canvas that drags mark", "tools_selected": "tools that were clicked",
		"error_types": "kinds of errors and warnings of the evaluator", "feedback_types": "kinds of errors and warnings of the feedback", "category": "category of the task", "difficulty": "difficulty of the task", "task": "task of the dataset", "turn": "turn of the chat",
	},
	questionFormulas: {
		"extracted": "the option that was read", "gold": "the right option", "source": "how it was decided", "reason": "why nothing was read", "stage": "stage of the reading rules that decided, 1 to 6; 0 for an empty answer",
		"literal": "the whole answer names an option, and has no reasoning before it", "category": "category of the question", "subcategory": "subcategory of the question", "options": "number of options",
	},
}

// questionFormulas is the key of the metrics of all suites of questions about pictures.
const questionFormulas = "questions"

// formula returns in words what a metric of a suite is, "" for one that is not listed.
func formula(suite *scoring.Suite, name string) string {
	switch {
	case suite == nil:
		return ""
	case suite.Questions:
		return formulas[questionFormulas][name]
	}
	return formulas[suite.Name][name]
}
