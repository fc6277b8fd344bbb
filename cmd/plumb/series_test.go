package main

import (
	"fmt"
	"strings"
	"testing"
)

// turnOf is a result line of DrawingBench.
func turnOf(model string, turn int, score float64) string {
	return fmt.Sprintf(`{"id":"t#0/%d","suite":"drawingbench","test":"drawing","model":%q,"turn":%d,"score":%g,"reward":%g,"metrics":{"task":"t#0","turn":%d},"notes":[]}`,
		turn, model, turn, score, score, turn)
}

// TestTablesKeepModelsApart joins two models that drew for one task in turn: each
// has tables of its own, and the same answer twice counts once.
func TestTablesKeepModelsApart(t *testing.T) {
	lines := []string{turnOf("A", 1, 0.695), turnOf("B", 1, 0.9), turnOf("A", 2, 1), turnOf("B", 2, 0.9)}
	code, want, errs := plumb(t, strings.Join(lines, "\n"), "report", "-")
	if code != 0 || errs != "" {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	for _, s := range []string{"DrawingBench overall, 1 tasks · A\n", "DrawingBench overall, 1 tasks · B\n", "mean score              0.6950  1.0000  0.3050",
		"Largest +0.305", "Largest +0.000", "0.847 ± 0.153 (2)"} {
		if !strings.Contains(want, s) {
			t.Errorf("no %q in\n%s", s, want)
		}
	}
	code, out, errs := plumb(t, strings.Join(append(lines, turnOf("B", 2, 0.1)), "\n"), "report", "-")
	if code != 0 || out != want || errs != "1 more lines are left out: an earlier line has the same answer (note duplicate_id)\n" {
		t.Errorf("got exit %d, %q and\n%s; want the answer that came twice left out", code, errs, out)
	}
}
