package extract

import (
	"bytes"
	"strings"
	"testing"
)

// TestWhere marks the part of an answer from which an option is read.
func TestWhere(t *testing.T) {
	options := [][]byte{[]byte("the red cup"), []byte("the blue plate"), []byte("a green door"), []byte("none")}
	filler := strings.Repeat("I look at the picture again. ", 500)
	for _, c := range []struct {
		answer string
		strict bool
		want   string // "" for none
	}{
		{"B", false, "B"},
		{"  B. The blue plate\n", false, "B. The blue plate"},
		{"<think>A or B? A is odd.</think>\n\nB", false, "B"},
		{`I think A. {"reason": "A is far", "answer": "B"} so`, false, `{"reason": "A is far", "answer": "B"}`},
		{"A? No. <answer>B</answer> as I said of A.", false, "<answer>B</answer>"},
		{`A is wrong, so \boxed{B}.`, true, `\boxed{B}.`},
		{"A is near. The answer is B because it is left of the cup.", false, "answer is B"},
		{filler + "The answer is C. " + filler, false, "answer is C."},
		{"C\n\nBecause the others are wrong.", false, "C"},
		{"Many things are here.\nSome are far.\n(D)", false, "(D)"},
		{"It seems that a green door stands there", false, "green door"},
		{"A and B", false, "A and B"},
		{"I cannot say.", false, ""},
		{"I say B", true, ""},
		{"", false, ""},
	} {
		var r Reader
		r.SetOptions(Letters, options)
		from, to, ok := r.Where([]byte(c.answer), c.strict)
		if got := c.answer[from:to]; got != c.want || ok != (c.want != "") {
			t.Errorf("%.80q: got %q, %v; want %q", c.answer, got, ok, c.want)
		}
		if ok {
			whole, part := r.Read([]byte(c.answer), c.strict), r.Read(bytes.Clone([]byte(c.answer[from:to])), c.strict)
			if whole.Option != part.Option {
				t.Errorf("%.80q: the marked part names option %d; want %d", c.answer, part.Option, whole.Option)
			}
		}
	}
}
