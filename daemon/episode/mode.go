package episode

import (
	"strings"

	"plumb/scoring"
)

// mode is a way to answer the tasks of a suite in several turns. See docs/spec/episodes.md#r6.
type mode struct {
	name         string  // "" where there is only one turn
	turns        int     // by default
	threshold    float64 // the reward that ends the episode, by default
	answersBuild bool    // answers build on each other
	singleTry    bool    // a choice of few options, of which a second try would rule one out
	// picturesOnRequest: pictures after the first observation come only where images asks for all.
	picturesOnRequest bool
	closing           string // ends the prompt of a further turn
}

// The closing requests of modes.
const (
	againBoard = "\n\nImprove your answer. The whiteboard starts again as it was: answer with one complete JSON block.\n"
	onBoard    = "\n\nImprove your answer. The whiteboard is as your answers left it: answer with a JSON block of what is to be changed now.\n"
	onCanvas   = "\n\nImprove your drawing. The canvas, the tool, the colour and the width are as you left them: answer with one JSON array of further actions and nothing else.\n"
	onPuzzle   = "\n\nGo on. The pieces that you placed stay: answer with one JSON object whose final_state has the pieces to place or to move, by id; null takes a piece away.\n"
	againPlain = "\n\nImprove your answer.\n"
)

// modesOf returns the modes in which a test can be played over several turns, the default first. A
// mode says how many turns there are, at which reward an episode ends, whether answers build on each
// other, and how prompts after the first end.
func modesOf(suite *scoring.Suite, test string) []mode {
	switch {
	case suite.Name == "aspire":
		return []mode{{name: "retry", turns: 2, threshold: 0.9, closing: againBoard},
			{name: "canvas", turns: 3, threshold: 0.9, answersBuild: true, closing: onBoard}}
	case suite.Name == "drawingbench":
		return []mode{{name: "retry", turns: 2, threshold: 0.9, picturesOnRequest: true, closing: ""},
			{name: "canvas", turns: 3, threshold: 0.9, answersBuild: true, closing: onCanvas}}
	case suite.Name == "tangram" && test != "outline":
		return []mode{{name: "place", turns: 8, threshold: 1, answersBuild: true, closing: onPuzzle}}
	case suite.Name == "tangram" || suite.Questions:
		return []mode{{turns: 1, threshold: 1, singleTry: true}}
	}
	return []mode{{name: "retry", turns: 2, threshold: 0.9, closing: againPlain}}
}

// chooseMode returns the mode in which an episode is played: the one that the reset names, or the default
// of the test, with the turns and the threshold that the reset chose. If the reset chose one turn and no
// mode, the episode is a single answer, scored as it is. maxTurns is the largest number of turns.
func chooseMode(opts *Options, suite *scoring.Suite, test string, maxTurns int) (mode, *scoring.Error) {
	all := modesOf(suite, test)
	// By its name.
	m := all[0] // the default
	if opts.Mode != "" {
		found := false
		var names []string
		for _, candidate := range all {
			names = append(names, candidate.name)
			if candidate.name == opts.Mode {
				m, found = candidate, true
			}
		}
		if !found {
			return m, badOption("mode", "got %.40q; want %s", opts.Mode, strings.Join(names, " or "))
		}
	}
	// How many turns, and at which reward it ends.
	switch {
	case opts.Turns > maxTurns:
		return m, badOption("turns", "got %d; want at most %d (--max-turns)", opts.Turns, maxTurns)
	case m.singleTry && opts.Turns > 1:
		return m, badOption("turns", "got %d; want 1, as a second try at a choice is elimination", opts.Turns)
	case opts.Turns == 1 && opts.Mode == "":
		m = mode{turns: 1, threshold: m.threshold, picturesOnRequest: m.picturesOnRequest} // one answer, scored as it is
	case opts.Turns > 0:
		m.turns = opts.Turns
	}
	m.turns = min(m.turns, maxTurns)
	if opts.Threshold != nil {
		m.threshold = *opts.Threshold
	}
	return m, nil
}
