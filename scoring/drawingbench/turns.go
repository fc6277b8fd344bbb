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
func (s *suite) canvas(_ *scoring.Item, v scoring.Variants) (scoring.Canvas, error) {
	return &canvasTurns{strict: v[Input] == "strict"}, nil
}

// Apply appends the mouse actions of a turn's answer to those of the turns before. An answer
// without a readable list changes nothing, with a note. It implements scoring.Canvas.
func (c *canvasTurns) Apply(it *scoring.Item) (status string, all []scoring.Note, err error) {
	r := new(reader)
	a, err := r.readAnswer(it, c.strict)
	switch {
	case err != nil:
		return "", nil, err
	case !a.found:
		return "", nil, noResponse()
	case a.crash != "":
		return "crash", []scoring.Note{{Code: "release_crash", Path: "response", Message: a.crash +
			": the answer cannot be read"}}, nil
	}
	if a.limited {
		all = append(all, scoring.Note{Code: "search_limit", Path: "response",
			Message: "the search for a list of actions was given up"})
	}
	if a.value.Kind != pyjson.List {
		return string(a.how), append(all,
			scoring.Note{Code: "no_actions", Path: "response",
				Message: "no list of actions was found; the canvas is as it was"}), nil
	}
	for i := range a.value.Items() {
		if len(c.actions) > 0 {
			c.actions = append(c.actions, ',')
		}
		c.actions = a.value.Items()[i].AppendJSON(c.actions)
	}
	return string(a.how), all, nil
}

// AppendAnswer implements scoring.Canvas.
func (c *canvasTurns) AppendAnswer(dst []byte) []byte {
	dst = append(dst, '[')
	dst = append(dst, c.actions...)
	return append(dst, ']')
}
