package main

import "testing"

// A list in a sentence has commas, and a conjunction before the last word.
func TestListed(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := listed(words, "or"); got != want {
			t.Errorf("listed(%q): got %q; want %q", words, got, want)
		}
	}
}

// Suites of questions have no turns: a second try at a choice would only rule an option out.
func TestSuitesInTurns(t *testing.T) {
	if got, want := listed(inTurns(builtInSuites()).Names(), "or"), "aspire, drawingbench or tangram"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}
