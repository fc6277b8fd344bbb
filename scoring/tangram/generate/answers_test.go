package generate

import (
	"strings"
	"testing"
)

// TestChoice: an answer names the correct letter or the one after it, D being before A, or none,
// in eight forms that come again.
func TestChoice(t *testing.T) {
	for right, wrong := range map[string]string{"A": "B", "B": "C", "C": "D", "D": "A"} {
		for k, want := range []struct {
			has       string
			ok, valid bool
		}{
			{`{"answer":"` + right + `"}`, true, true}, {"**" + right + "**", true, true}, {`\boxed{` + right + `}`, true, true},
			{"Option " + wrong + " is too wide, so the answer is " + right + ".", true, true}, {`{"answer":"` + wrong + `"}`, false, true},
			{"cannot", false, false}, {"It is " + wrong + ", since " + wrong, false, true}, {"", false, false},
		} {
			for _, form := range []int{k, k + 8} {
				text, ok, valid := Choice(right, form)
				if !strings.Contains(text, want.has) || ok != want.ok || valid != want.valid || want.has == "" && text != "" {
					t.Errorf("%s in form %d: got %q, %v, %v; want %+v", right, form, text, ok, valid, want)
				}
			}
		}
	}
}
