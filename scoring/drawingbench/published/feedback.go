package published

import (
	"fmt"
	"strconv"
	"strings"
)

// Feedback is what a model is told after a turn. See
// docs/spec/drawingbench.md#r44.
type Feedback struct {
	Summary          string
	Errors, Warnings []Warning
	Suggestions      []string
	Score            float64
}

// maxTold is how many of the evaluator's errors the feedback lists: an answer can
// have a hundred thousand. See docs/spec/drawingbench.md#r45.
const maxTold = 50

// Feedback makes the feedback that the recorded runs were given. Errors of the
// evaluator, which no recorded run has, come first among the errors, in their own
// words; those beyond maxTold are only counted.
func (e *Evaluation) Feedback() Feedback {
	f := Feedback{Score: e.Score}
	for _, fault := range e.Faults[:min(maxTold, len(e.Faults))] {
		f.Errors = append(f.Errors, Warning{fault.Type, fault.Message})
	}
	if more := len(e.Faults) - maxTold; more > 0 {
		f.Errors = append(f.Errors, Warning{e.Faults[maxTold].Type, fmt.Sprintf("And %d more errors of this kind.", more)})
	}
	if e.List && e.Criteria != nil {
		f.Errors = append(f.Errors, e.unmet()...)
	}
	for _, w := range e.Warnings {
		f.Warnings = append(f.Warnings, Warning{w.Type, w.Message + ". Consider optimizing your action sequence."})
	}
	for _, t := range e.Tools {
		if t.Used && !t.Drew {
			f.Warnings = append(f.Warnings, Warning{"TOOL_NOT_USED", fmt.Sprintf("Tool '%s' was selected but not used for drawing. "+
				"After selecting the tool at %s, draw by using mouseDown/moveTo/mouseUp.", t.Tool, button(t.Tool))})
		}
	}
	if c := e.Criteria; e.List && c != nil && c.Coverage != nil && !e.GridMet {
		f.Warnings = append(f.Warnings, Warning{"LOW_COVERAGE", fmt.Sprintf("Canvas coverage is %s%%, expected at least %s%%.",
			fixed(e.Grid*100, 1), fixed(c.Coverage.F*100, 1))})
	}
	if e.Segments == 0 {
		f.Suggestions = append(f.Suggestions, "Use mouseDown to start drawing, moveTo to draw lines, and mouseUp to finish.")
	}
	if e.Box < 0.05 {
		f.Suggestions = append(f.Suggestions, "Drawing is too small. Use larger coordinates to cover more canvas area.")
	}
	f.Summary = f.summary()
	return f
}

// unmet are the errors about what the task demands.
func (e *Evaluation) unmet() []Warning {
	var out []Warning
	for _, t := range e.Tools {
		if !t.Used {
			out = append(out, Warning{"MISSING_TOOL", fmt.Sprintf("Required tool '%s' was not used. Select it by clicking at coordinates %s.", t.Tool, button(t.Tool))})
		}
	}
	if m := e.Criteria.Segments; m != nil && !e.SegmentsMet {
		out = append(out, Warning{"INSUFFICIENT_SEGMENTS", fmt.Sprintf("Expected at least %s drawing segments, but found %d.", m, e.Segments)})
	}
	if e.Criteria.HasColour && !e.ExactMet {
		var used, missing []string
		for _, hex := range e.Used {
			used = append(used, colourName(hex))
		}
		for _, hex := range e.Missing {
			missing = append(missing, fmt.Sprintf("%s (%s)", colourName(hex), hex))
		}
		out = append(out, Warning{"MISSING_COLOR", fmt.Sprintf("Colors used: %s. Missing colors: %s. Click color buttons at y=25, x ranges from 405 (black) to 573 (white).",
			strings.Join(used, ", "), strings.Join(missing, ", "))})
	}
	return out
}

// String prints a number as Python does.
func (n Number) String() string {
	if n.Integer {
		return strconv.FormatFloat(n.F, 'f', 0, 64)
	}
	return float(n.F)
}

// button is where to click for a tool; a tool that the app does not have has no
// place.
func button(name string) string {
	t := toolNamed(name)
	if t == nil {
		return "(unknown)"
	}
	return fmt.Sprintf("(%.0f, %.0f)", t.x, t.y)
}

// colourName is the palette's name of a colour, the colour itself where it has none.
func colourName(hex string) string {
	for i := range colours {
		if colours[i].hex == hex {
			return colours[i].name
		}
	}
	return hex
}

// fixed prints with n decimals, correctly rounded from the binary value.
func fixed(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }

// summary grades the score and counts errors and warnings. See
// docs/spec/drawingbench.md#r46.
func (f *Feedback) summary() string {
	s := "Needs improvement."
	switch {
	case f.Score >= 0.8:
		s = "Good job!"
	case f.Score >= 0.5:
		s = "Partial success."
	}
	s += " Score: " + fixed(f.Score, 2) + "."
	if n := len(f.Errors); n > 0 {
		s += fmt.Sprintf(" %d error(s) found.", n)
	}
	if n := len(f.Warnings); n > 0 {
		s += fmt.Sprintf(" %d warning(s).", n)
	}
	return s
}

// AppendJSON appends the feedback object. Its turn is 1 in every recorded run, in
// second turns too.
func (f *Feedback) AppendJSON(dst []byte) []byte {
	o := &object{dst}
	o.inner(func() {
		o.text("summary", f.Summary)
		for _, l := range []struct {
			name string
			list []Warning
		}{{"errors", f.Errors}, {"warnings", f.Warnings}} {
			o.list(l.name, len(l.list), func(i int) {
				o.inner(func() { o.text("type", l.list[i].Type); o.text("message", l.list[i].Message) })
			})
		}
		o.texts("suggestions", f.Suggestions)
		o.float("score", f.Score)
		o.int("turn", 1)
	})
	return o.dst
}

// Text is the feedback as the model reads it.
func (f *Feedback) Text() string {
	line := strings.Repeat("=", 60)
	out := []string{line, "DRAWING EVALUATION FEEDBACK", line, "", f.Summary}
	section := func(title string, list []string) {
		if len(list) == 0 {
			return
		}
		out = append(out, "", title)
		for i, s := range list {
			out = append(out, fmt.Sprintf("  %d. %s", i+1, s))
		}
	}
	section("ERRORS:", messages(f.Errors))
	section("WARNINGS:", messages(f.Warnings))
	section("SUGGESTIONS FOR IMPROVEMENT:", f.Suggestions)
	out = append(out, "", line, "Score: "+fixed(f.Score, 2)+"/1.00", line)
	return strings.Join(out, "\n")
}

func messages(list []Warning) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Message
	}
	return out
}

// PublishedText is the text that the published evaluator makes of its result. The
// recorded runs were given the text of Feedback instead. See
// docs/spec/drawingbench.md#r47.
func (e *Evaluation) PublishedText() string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(e.Faults) > 0 {
		add("ERRORS FOUND:")
		for _, f := range e.Faults[:min(5, len(e.Faults))] {
			add("  - [%s] %s", f.Type, f.Message)
		}
	}
	if len(e.Warnings) > 0 {
		add("")
		add("WARNINGS:")
		for _, w := range e.Warnings[:min(3, len(e.Warnings))] {
			add("  - [%s] %s", w.Type, w.Message)
		}
	}
	add("")
	add("METRICS:")
	add("  - Total actions: %d", e.Actions)
	add("  - Tool changes: %d", e.ToolChanges)
	add("  - Color changes: %d", e.ColourChanges)
	add("  - Drawing segments: %d", e.Segments)
	add("  - Canvas coverage: %s%%", fixed(e.Box*100, 2))
	if e.List && e.Criteria != nil {
		add("")
		add("CRITERIA:")
		e.passes(func(key string, pass bool) {
			add("  - %s: %s", key, map[bool]string{true: "PASS", false: "FAIL"}[pass])
		})
	}
	add("")
	add("OVERALL SCORE: %s/1.00", fixed(e.Score, 2))
	return strings.Join(out, "\n")
}

// passes calls f with each entry of criteria_met and whether Python takes it for
// true.
func (e *Evaluation) passes(f func(key string, pass bool)) {
	c := e.Criteria
	for _, t := range e.Tools {
		f("tool_"+t.Tool+"_used", t.Used)
		f("tool_"+t.Tool+"_selected", t.Selected)
		f("tool_"+t.Tool+"_actually_used", t.Drew)
	}
	if c.Segments != nil {
		f("min_segments_met", e.SegmentsMet)
		f("actual_segments", e.Segments != 0)
	}
	if c.HasColour {
		f("colors_changed", e.ColourChanges != 0)
		f("min_colors_met", e.ColoursMet)
		f("colors_exact_used", len(e.Used) > 0)
		f("colors_matched", e.Matched != 0)
		f("colors_missing", len(e.Missing) > 0)
		f("min_colors_exact_met", e.ExactMet)
	}
	if c.Coverage != nil {
		f("canvas_coverage", e.Box != 0)
		f("min_coverage_met", e.BoxMet)
		f("canvas_coverage_accurate", e.Grid != 0)
		f("min_coverage_accurate_met", e.GridMet)
	}
}
