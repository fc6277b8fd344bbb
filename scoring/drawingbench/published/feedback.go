package published

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring/drawingbench/layout"
)

// Feedback is what a model is told about its answer after a turn. See
// docs/spec/drawingbench.md#r44.
type Feedback struct {
	Summary          string
	Errors, Warnings []Finding
	Suggestions      []string
	Score            float64
}

// maxListedErrors is how many of the evaluator's errors the feedback lists: an answer can
// have a hundred thousand. See docs/spec/drawingbench.md#r45.
const maxListedErrors = 50

// Feedback returns the feedback that a model gets after a turn, in the words of the recorded runs:
// errors of the evaluator and demands that are not met, warnings, and suggestions. No recorded run
// has errors of the evaluator, so these keep its words; those beyond maxListedErrors are only
// counted.
func (evaluation *Evaluation) Feedback() Feedback {
	feedback := Feedback{Score: evaluation.Score}
	for _, fault := range evaluation.Faults[:min(maxListedErrors, len(evaluation.Faults))] {
		feedback.Errors = append(feedback.Errors, Finding{fault.Type, fault.Message})
	}
	if more := len(evaluation.Faults) - maxListedErrors; more > 0 {
		feedback.Errors = append(feedback.Errors,
			Finding{evaluation.Faults[maxListedErrors].Type, fmt.Sprintf("And %d more errors of this kind.", more)})
	}
	// Demands that are not met.
	if evaluation.IsList && evaluation.Criteria != nil {
		feedback.Errors = append(feedback.Errors, evaluation.unmetDemands()...)
	}
	// Warnings.
	for _, warning := range evaluation.Warnings {
		feedback.Warnings = append(feedback.Warnings,
			Finding{warning.Type, warning.Message + ". Consider optimizing your action sequence."})
	}
	for _, tool := range evaluation.Tools {
		if tool.Used && !tool.Drew {
			feedback.Warnings = append(feedback.Warnings,
				Finding{"TOOL_NOT_USED", fmt.Sprintf("Tool '%s' was selected but not used for drawing. "+
					"After selecting the tool at %s, draw by using mouseDown/moveTo/mouseUp.", tool.Tool,
					buttonCentre(tool.Tool))})
		}
	}
	criteria := evaluation.Criteria
	if evaluation.IsList && criteria != nil && criteria.Coverage != nil && !evaluation.GridCoverageMet {
		feedback.Warnings = append(feedback.Warnings,
			Finding{"LOW_COVERAGE", fmt.Sprintf("Canvas coverage is %s%%, expected at least %s%%.",
				formatFixed(evaluation.GridCoverage*100, 1), formatFixed(criteria.Coverage.F*100, 1))})
	}
	// Suggestions.
	if evaluation.Segments == 0 {
		feedback.Suggestions = append(feedback.Suggestions,
			"Use mouseDown to start drawing, moveTo to draw lines, and mouseUp to finish.")
	}
	if evaluation.BoxCoverage < 0.05 {
		feedback.Suggestions = append(feedback.Suggestions,
			"Drawing is too small. Use larger coordinates to cover more canvas area.")
	}
	feedback.Summary = feedback.summary()
	return feedback
}

// Types returns the type of each error and each warning of the feedback, errors first.
func (feedback *Feedback) Types() []string {
	out := []string{}
	for _, w := range slices.Concat(feedback.Errors, feedback.Warnings) {
		out = append(out, w.Type)
	}
	return out
}

// unmetDemands returns the feedback's errors about what a DrawingBench task demands and the answer
// does not meet: required tools, segments, colours. Criteria must not be nil.
func (evaluation *Evaluation) unmetDemands() []Finding {
	var out []Finding
	for _, tool := range evaluation.Tools {
		if !tool.Used {
			out = append(out, Finding{"MISSING_TOOL",
				fmt.Sprintf("Required tool '%s' was not used. Select it by clicking at coordinates %s.", tool.Tool,
					buttonCentre(tool.Tool))})
		}
	}
	minSegments := evaluation.Criteria.Segments
	if minSegments != nil && !evaluation.SegmentsMet {
		out = append(out, Finding{"INSUFFICIENT_SEGMENTS",
			fmt.Sprintf("Expected at least %s drawing segments, but found %d.", minSegments, evaluation.Segments)})
	}
	if evaluation.Criteria.HasColours && !evaluation.AllColoursUsed {
		var used, missing []string
		for _, hex := range evaluation.UsedColours {
			used = append(used, colourName(hex))
		}
		for _, hex := range evaluation.MissingColours {
			missing = append(missing, fmt.Sprintf("%s (%s)", colourName(hex), hex))
		}
		out = append(out, Finding{"MISSING_COLOR",
			fmt.Sprintf("Colors used: %s. Missing colors: %s. Click color buttons at y=25, x ranges from 405 (black) to 573 (white).",
				strings.Join(used, ", "), strings.Join(missing, ", "))})
	}
	return out
}

// String prints a number of a DrawingBench task as Python does.
func (n Number) String() string {
	if n.IsInteger {
		return strconv.FormatFloat(n.F, 'f', 0, 64)
	}
	return pyRepr(n.F)
}

// buttonCentre prints where the button of a tool lies in the drawing app; "(unknown)" for a tool
// that the app does not have.
func buttonCentre(name string) string {
	tool := toolNamed(name)
	if tool == nil {
		return "(unknown)"
	}
	return fmt.Sprintf("(%.0f, %.0f)", tool.X, tool.Y)
}

// colourName returns the name of a colour in the drawing app's palette, and hex itself for other
// colours.
func colourName(hex string) string {
	for _, c := range layout.Palette {
		if c.Hex == hex {
			return c.Name
		}
	}
	return hex
}

// formatFixed prints a number with n decimals.
func formatFixed(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }

// summary returns the first line of the feedback: a grade by the score, and the numbers of
// errors and warnings. See docs/spec/drawingbench.md#r46.
func (feedback *Feedback) summary() string {
	text := "Needs improvement."
	switch {
	case feedback.Score >= 0.8:
		text = "Good job!"
	case feedback.Score >= 0.5:
		text = "Partial success."
	}
	text += " Score: " + formatFixed(feedback.Score, 2) + "."
	if len(feedback.Errors) > 0 {
		text += fmt.Sprintf(" %d error(s) found.", len(feedback.Errors))
	}
	if len(feedback.Warnings) > 0 {
		text += fmt.Sprintf(" %d warning(s).", len(feedback.Warnings))
	}
	return text
}

// AppendJSON appends the feedback to a model as a JSON object. Its turn is 1 in every recorded run,
// even after second turns.
func (feedback *Feedback) AppendJSON(dst []byte) []byte {
	object := &jsonObject{dst}
	object.writeObject(func() {
		object.writeText("summary", feedback.Summary)
		object.writeFindings("errors", feedback.Errors)
		object.writeFindings("warnings", feedback.Warnings)
		object.writeTexts("suggestions", feedback.Suggestions)
		object.writeFloat("score", feedback.Score)
		object.writeInt("turn", 1)
	})
	return object.dst
}

// Text returns the feedback to a DrawingBench answer as the model reads it: a summary, the sections
// that are not empty, the score.
func (feedback *Feedback) Text() string {
	line := strings.Repeat("=", 60)
	out := []string{line, "DRAWING EVALUATION FEEDBACK", line, "", feedback.Summary}
	addSection := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		out = append(out, "", title)
		for i, s := range items {
			out = append(out, fmt.Sprintf("  %d. %s", i+1, s))
		}
	}
	addSection("ERRORS:", messages(feedback.Errors))
	addSection("WARNINGS:", messages(feedback.Warnings))
	addSection("SUGGESTIONS FOR IMPROVEMENT:", feedback.Suggestions)
	out = append(out, "", line, "Score: "+formatFixed(feedback.Score, 2)+"/1.00", line)
	return strings.Join(out, "\n")
}

// messages returns the texts of the errors or warnings of the feedback that a model is told.
func messages(list []Finding) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Message
	}
	return out
}
