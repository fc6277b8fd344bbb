package published

import (
	"fmt"
	"strings"
)

// publishedText returns the text that the published evaluator makes of its result. The recorded
// runs were given the text of Feedback instead; this one checks the evaluation. See
// docs/spec/drawingbench.md#r47.
func (e *Evaluation) publishedText() string {
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
	add("  - Canvas coverage: %s%%", formatFixed(e.BoxCoverage*100, 2))
	if e.IsList && e.Criteria != nil {
		add("")
		add("CRITERIA:")
		e.passes(func(key string, pass bool) {
			add("  - %s: %s", key, map[bool]string{true: "PASS", false: "FAIL"}[pass])
		})
	}
	add("")
	add("OVERALL SCORE: %s/1.00", formatFixed(e.Score, 2))
	return strings.Join(out, "\n")
}

// passes calls f with each entry of criteria_met and whether Python takes its value for true.
func (e *Evaluation) passes(f func(key string, pass bool)) {
	criteria := e.Criteria
	for _, tool := range e.Tools {
		f("tool_"+tool.Tool+"_used", tool.Used)
		f("tool_"+tool.Tool+"_selected", tool.Selected)
		f("tool_"+tool.Tool+"_actually_used", tool.Drew)
	}
	if criteria.Segments != nil {
		f("min_segments_met", e.SegmentsMet)
		f("actual_segments", e.Segments != 0)
	}
	if criteria.HasColours {
		f("colors_changed", e.ColourChanges != 0)
		f("min_colors_met", e.ColourChangesMet)
		f("colors_exact_used", len(e.UsedColours) > 0)
		f("colors_matched", e.MatchedColours != 0)
		f("colors_missing", len(e.MissingColours) > 0)
		f("min_colors_exact_met", e.AllColoursUsed)
	}
	if criteria.Coverage != nil {
		f("canvas_coverage", e.BoxCoverage != 0)
		f("min_coverage_met", e.BoxCoverageMet)
		f("canvas_coverage_accurate", e.GridCoverage != 0)
		f("min_coverage_accurate_met", e.GridCoverageMet)
	}
}
