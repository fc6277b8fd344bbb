package prompt

import (
	"fmt"
	"strings"
	"testing"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/generate"
)

// has checks which texts a prompt holds.
func has(t *testing.T, name, text string, want, not []string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(text, s) {
			t.Errorf("%s lacks %q", name, s)
		}
	}
	for _, s := range not {
		if strings.Contains(text, s) {
			t.Errorf("%s has %q", name, s)
		}
	}
}

func TestSolution(t *testing.T) {
	in := generate.Instance(2, 0)
	var examples []*assembly.Instance
	for k := range Examples {
		examples = append(examples, generate.Instance(2, k+1))
	}
	pieces := []string{`T3, medium_triangle: vertices (6, 0), (6+\sqrt{2}, 0), (6, \sqrt{2}); edges 0-1, 1-2, 2-0`, `P1, parallelogram`, in.ID, `"final_state"`, "never decimals", "must not overlap"}
	own := in.Outline[1].X.LaTeX() + ", " + in.Outline[1].Y.LaTeX()
	answer := string(in.AppendAnswer(nil))
	has(t, "zero-shot", Solution(in, ZeroShot, examples), append(pieces, "1: ("+own+")", "length "+in.Lengths[0].LaTeX()), []string{"Solved example", answer})
	end := len(in.Outline) - 1
	var edges []string
	for i := range end {
		edges = append(edges, fmt.Sprintf("\n%d-%d: length %s\n", i, i+1, in.Lengths[i].LaTeX()))
	}
	edges = append(edges, fmt.Sprintf("\n%d-0: length %s\n", end, in.Lengths[end].LaTeX())) // the outline is closed
	has(t, "outline", Solution(in, ZeroShot, nil), append(edges, "The outline is given as text below"), []string{"written beside it"})
	has(t, "visual-centric", Solution(in, VisualCentric, nil), []string{"with the coordinates of every vertex written beside it"}, []string{"as text below"})
	has(t, "visual-centric", Solution(in, VisualCentric, examples), pieces, []string{"Solved example", "Target outline", "length ", answer})
	shots := Solution(in, InContext, examples)
	has(t, "in-context", shots, append(pieces, "1: ("+own+")", "Solved example 3", string(examples[2].AppendAnswer(nil))), []string{answer})
	if strings.Index(shots, "Solved example 3") > strings.Index(shots, "Your problem") {
		t.Error("in-context: the examples come after the question; want them before it")
	}
}

func TestOutline(t *testing.T) {
	in := generate.Instance(2, 1)
	p := in.Pieces[6][2]
	has(t, "outline", Outline(in), []string{"P1, parallelogram: (", "(" + p.X.LaTeX() + ", " + p.Y.LaTeX() + ")", `{"answer":"X"}`, "A, B, C and D"}, []string{in.ID})
}

// TestAnswer reads the answer that examples show: it is whole.
func TestAnswer(t *testing.T) {
	var r construction.Reader
	p := r.Read(string(generate.Instance(2, 3).AppendAnswer(nil)), false)
	if len(p.Reasons) > 0 || p.Parsed != assembly.Count || p.Decimal {
		t.Errorf("got %d pieces, decimal %v, reasons %v; want seven exact pieces", p.Parsed, p.Decimal, p.Reasons)
	}
}
