package drawingbench

import (
	"plumb/scoring"
	"plumb/scoring/pyjson"
)

// canvasTurns is the app's canvas while the answers of several turns are played on it. Their
// actions follow each other, so that tool, colour, width and a pressed button stay as they
// were left. It implements scoring.Canvas. See docs/spec/episodes.md#r10.
type canvasTurns struct {
	strict  bool
	actions []byte // JSON of the actions so far, with commas between them
}

// canvas implements scoring.Suite.Canvas.
func (suite *suite) canvas(_ *scoring.Item, variants scoring.Variants) (scoring.Canvas, error) {
	return &canvasTurns{strict: strictInput(variants)}, nil
}

// Apply appends the mouse actions of a turn's answer to those of the turns before. An answer
// without a readable list changes nothing, with a note. It implements scoring.Canvas.
func (turns *canvasTurns) Apply(item *scoring.Item) (status string, all []scoring.Note, err error) {
	r := new(reader)
	result, err := r.readAnswer(item, turns.strict)
	switch {
	case err != nil:
		return "", nil, err
	case !result.found:
		return "", nil, noResponse()
	case result.crash != "":
		return "crash", []scoring.Note{{Code: "release_crash", Path: "response", Message: result.crash +
			": the answer cannot be read"}}, nil
	}
	// Notes about what was read.
	if result.limited {
		all = append(all, scoring.Note{Code: "search_limit", Path: "response",
			Message: "the search for a list of actions was given up"})
	}
	if result.value.Kind != pyjson.List {
		return string(result.readAs), append(all,
			scoring.Note{Code: "no_actions", Path: "response",
				Message: "no list of actions was found; the canvas is as it was"}), nil
	}
	// The actions.
	for i := range result.value.Items() {
		if len(turns.actions) > 0 {
			turns.actions = append(turns.actions, ',')
		}
		turns.actions = result.value.Items()[i].AppendJSON(turns.actions)
	}
	return string(result.readAs), all, nil
}

// AppendAnswer implements scoring.Canvas.
func (turns *canvasTurns) AppendAnswer(dst []byte) []byte {
	dst = append(dst, '[')
	dst = append(dst, turns.actions...)
	return append(dst, ']')
}
