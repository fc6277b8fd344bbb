package episode

import (
	"bytes"
	"strconv"

	"plumb/daemon/ask"
	"plumb/scoring"
)

// seen holds the members of an observation that differ from turn to turn.
type seen struct {
	prompt        *string
	images        []byte // JSON list
	feedback      []byte // JSON object or null
	status, score []byte // JSON
	error, result []byte // JSON
	answer        []byte // JSON
	total         []byte // JSON of the return
}

// null is JSON's.
var null = []byte("null")

// First returns the observation of a reset: the task's prompt and its pictures. Errors wrap
// *scoring.Error where the task cannot be asked.
func (e *Episode) First() ([]byte, error) {
	it, fault := e.item(nil)
	if fault != nil {
		return nil, fault
	}
	it.Test = e.test
	asked, err := e.cfg.Prompts.Ask(it, ask.Arm{}, e.opt.Images != imagesNone)
	if err != nil {
		return nil, err
	}
	s := seen{prompt: &asked.Text, feedback: null, status: null, score: null, error: null, result: null, answer: null,
		total: null}
	if s.images, err = e.pictures(asked.Images); err != nil {
		return nil, err
	}
	return e.append(nil, &s), nil
}

// observe returns the observation after a turn: how the answer was read and scored,
// feedback, pictures, and the next prompt, or at the end the return. It keeps the prompt and
// pictures in e.next and e.shown.
func (e *Episode) observe(turn *Turn, result *Result) ([]byte, error) {
	s := seen{status: null, score: null, error: null, answer: null, total: null, result: e.markProtocol(result.JSON)}
	status := result.Status
	if turn.read {
		status = turn.status
	}
	if status != "" {
		s.status = scoring.AppendString(nil, status)
	}
	if f := result.Outcome; f.Failed {
		s.error = scoring.AppendString([]byte(`{"code":`), f.Err.Code)
		s.error = append(scoring.AppendString(append(s.error, `,"message":`...), f.Err.Message), '}')
	} else {
		s.score = scoring.AppendFloat(nil, f.Score)
	}
	text, object := e.feedback(turn, result)
	s.feedback = feedbackJSON(text, object)
	e.next = ""
	if !e.done {
		e.next = text + e.closingRequest()
		s.prompt = &e.next
	} else {
		s.total = e.total()
	}
	if e.opt.Answer {
		s.answer = turn.response
	}
	shown, err := e.pictureAfter(turn)
	if err != nil {
		return nil, err
	}
	e.shown = shown
	if s.images, err = e.pictures(shown); err != nil {
		return nil, err
	}
	return e.append(nil, &s), nil
}

// total returns the JSON of the return of an episode that has ended: null if a scorer failed
// and that does not count as 0.
func (e *Episode) total() []byte {
	if e.failed && !e.zero {
		return null
	}
	var steps []float64
	for _, s := range e.steps {
		steps = append(steps, *s)
	}
	return scoring.AppendFloat(nil, e.opt.Reward.total(e.lineRewards, steps))
}

// markProtocol returns a result line with "protocol":"plumb" added if the turns are not the
// benchmark's own protocol: one answer, or for DrawingBench a second try.
func (e *Episode) markProtocol(line []byte) []byte {
	published := e.rule.turns == 1 && !e.rule.builds || e.suite.Name == "drawingbench" && e.rule.name == "retry" && e.rule.turns == 2
	line = bytes.TrimSpace(line)
	if published || len(line) == 0 {
		return line
	}
	return append(append([]byte(nil), line[:len(line)-1]...), `,"protocol":"plumb"}`...)
}

// pictureAfter returns the picture of the whiteboard or canvas after an answer, or nothing
// if there is none or it is not wanted. A picture that cannot be drawn is returned empty
// with its reason, so that it does not cost the score.
func (e *Episode) pictureAfter(t *Turn) ([]ask.Picture, error) {
	if e.opt.Images == imagesNone || e.opt.Images == imagesFirst || e.rule.once ||
		e.rule.onRequest && e.opt.Images == "" {
		return nil, nil
	}
	it, fault := e.item(t.response)
	if fault != nil {
		return nil, nil
	}
	it.Test = e.test
	switch {
	case e.suite.Canvas != nil && e.suite.Paint == nil:
		board, _ := e.canvas.(scoring.Board)
		if board == nil {
			c, err := e.newCanvas()
			if err != nil {
				return nil, err
			}
			if board, _ = c.(scoring.Board); board == nil {
				return nil, nil
			}
			if _, _, err := board.Apply(it); err != nil {
				return nil, nil // there is no answer to see
			}
		}
		v, err := board.View()
		if err != nil {
			return undrawn(err), nil
		}
		p, err := e.cfg.Prompts.BoardPicture("canvas", v)
		if err != nil {
			return undrawn(err), nil
		}
		return []ask.Picture{p}, nil
	case e.suite.Paint != nil && e.test != "outline":
		painting, err := e.suite.Paint(it, e.cfg.Variants)
		if err != nil {
			return undrawn(err), nil
		}
		p, err := ask.Painted("canvas", painting.Image)
		return []ask.Picture{p}, err
	}
	return nil, nil
}

// undrawn stands for a picture that could not be drawn.
func undrawn(err error) []ask.Picture {
	return []ask.Picture{{Name: "canvas", Type: "image/png", Failed: err.Error()}}
}

// pictures returns the JSON of an observation's pictures: with their bytes, or if the client
// chose a region, with their places in its shared memory, into which they are copied.
func (e *Episode) pictures(all []ask.Picture) ([]byte, error) {
	var places [][]byte
	if e.opt.Images == imagesRegion && len(all) > 0 {
		var err error
		if places, err = e.cfg.Place(e.opt.Region, all); err != nil {
			return nil, err
		}
	}
	b := []byte{'['}
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		if places != nil {
			b = all[i].AppendJSON(b, places[i])
		} else {
			b = all[i].AppendJSON(b, nil)
		}
	}
	return append(b, ']'), nil
}

// append appends an observation, which always has the same members.
func (e *Episode) append(b []byte, seen *seen) []byte {
	text := func(name, v string) {
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, `":`...)
		b = scoring.AppendString(b, v)
		b = append(b, ',')
	}
	member := func(name string, v []byte) {
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, `":`...)
		b = append(b, v...)
		b = append(b, ',')
	}
	b = append(b, '{')
	text("suite", e.suite.Name)
	text("id", e.id)
	text("test", e.test)
	member("turn", strconv.AppendInt(nil, int64(e.taken), 10))
	member("turns", strconv.AppendInt(nil, int64(e.rule.turns), 10))
	if seen.prompt != nil {
		text("prompt", *seen.prompt)
	} else {
		member("prompt", null)
	}
	member("images", seen.images)
	member("feedback", seen.feedback)
	member("status", seen.status)
	member("score", seen.score)
	member("error", seen.error)
	member("result", seen.result)
	member("scores", numbers(e.scores))
	member("rewards", numbers(e.steps))
	member("return", seen.total)
	member("answer", seen.answer)
	b = append(b, `"truncated":`...)
	return append(strconv.AppendBool(b, e.truncated()), '}')
}

// numbers returns a JSON list of rewards, null for nil.
func numbers(list []*float64) []byte {
	b := []byte{'['}
	for i, x := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if x == nil {
			b = append(b, "null"...)
		} else {
			b = scoring.AppendFloat(b, *x)
		}
	}
	return append(b, ']')
}
