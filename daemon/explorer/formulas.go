package explorer

import "plumb/scoring"

// formulas are what the metrics of results are, by suite and name; the rules are in docs/spec.
var formulas = map[string]map[string]string{
	"aspire": {
		"distance": "distance of the star's centre from the target, px", "score_cell": "maze score in units of a cell", "centre": "centre of the chosen shape",
		"created": "shapes that the answer made", "chosen": "the shape that counts", "deleted": "shapes that the answer removed", "selected": "nodes that the answer left",
		"label_pixels": "pixels of the label with alpha above 0", "over_shape": "those of them that cover the shape", "bounds": "the part of the page that was measured",
		"ends": "ends of the line", "score_ordered": "score where the order of the ends counts", "score_contains": "score where further deletions are no fault",
		"theta_i": "angle off the target before, rad", "theta_f": "angle off the target after, rad", "rotation": "turn of the arrow, rad clockwise",
		"com_before": "centre of alpha before", "com_after": "centre of alpha after", "ci": "distance of the centre of mass from the page's, before", "cf": "the same after",
		"score_printed": "ci / cf - 1 as the paper prints it", "violations": "shapes that must not change and did", "tokens": "tokens of the answer",
	},
	"tangram": {
		"tse": "syntax error in the construction", "tse_reasons": "which ones", "class": "exact or decimal coordinates", "n_pieces": "pieces in the answer", "n_parsed": "pieces whose vertices were read",
		"rge": "a piece is not rigid or not congruent to its own", "pe": "the pieces overlap or are apart", "vpr": "valid placement: neither tse, rge nor pe", "evaluable": "areas could be computed",
		"union_area": "area of pieces and target together", "intersection_area": "area of what both cover", "iou": "intersection over union with the target",
		"hausdorff": "largest distance between the boundaries", "success": "valid and equal to the target", "matches": "equal to the target", "overlaps": "pairs of pieces that overlap", "pieces": "each piece",
	},
	"drawingbench": {
		"total_actions": "actions in the answer", "drawing_segments": "strokes with the button down", "tool_changes": "clicks on other tools", "color_changes": "clicks on other colours",
		"canvas_coverage": "covered share as the evaluator estimates it", "canvas_coverage_accurate": "covered share by bounding boxes", "tools_selected": "tools that were clicked",
		"error_types": "kinds of errors", "feedback_types": "kinds of feedback", "category": "category of the task", "difficulty": "difficulty of the task", "task": "task of the dataset", "turn": "turn of the chat",
	},
	questionFormulas: {
		"extracted": "the option that was read", "gold": "the right option", "source": "who decided", "reason": "why nothing was read", "stage": "stage of the reading rules that found it",
		"literal": "the answer is an option word for word", "category": "category of the question", "subcategory": "subcategory of the question", "options": "number of options",
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
