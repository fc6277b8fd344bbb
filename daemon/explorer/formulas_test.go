package explorer

import (
	"strings"
	"testing"

	"plumb/scoring"
)

// TestFormulas has metrics whose texts could be taken for those of others, with a word that the code
// which computes them gives, and one that would be wrong.
func TestFormulas(t *testing.T) {
	for _, c := range []struct{ suite, metric, has, not string }{
		{"tangram", "union_area", "union of the pieces", "target"},    // matchExact: without the target
		{"tangram", "intersection_area", "the target share", "union"}, // matchExact
		{"tangram", "rge", "perimeter", "congruent"},                  // rge_congruent is by congruence
		{"tangram", "success", "matches", "equal"},                    // decimals need not be equal
		{"drawingbench", "canvas_coverage", "box", "cell"},            // boxCoverage
		{"drawingbench", "canvas_coverage_accurate", "cell", "box"},   // gridCoverage
		{"drawingbench", "tool_changes", "buttons", "other"},          // a click on the same tool counts too
		{"aspire", "distance", "chosen shape", "star"},                // prepareMaze takes another shape where there is no red star
		{"aspire", "selected", "red", "left"},                         // prepareGraph
		{"aspire", "violations", "rules", "shapes"},                   // codes
		{"aspire", "ci", "frame", "page"},                             // balanceRule.score
		{"aspire", "unknown", "", "of"},
	} {
		got := formula(&scoring.Suite{Name: c.suite}, c.metric)
		if !strings.Contains(got, c.has) || strings.Contains(got, c.not) {
			t.Errorf("%s, %s: got %q; want a text with %q and without %q", c.suite, c.metric, got, c.has, c.not)
		}
	}
	if got := formula(&scoring.Suite{Name: "vqa", Questions: true}, "literal"); !strings.Contains(got, "names an option") {
		t.Errorf("literal: got %q; want that the whole answer names an option, also by its letter", got)
	}
	if got := formula(nil, "tse"); got != "" {
		t.Errorf("no suite: got %q; want no text", got)
	}
}
