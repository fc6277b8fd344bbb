package episode

import (
	"bytes"
	"strconv"

	"plumb/daemon/ask"
	"plumb/scoring"
)

// observation holds the members of an observation that differ from turn to turn.
type observation struct {
	prompt        *string
	images        []byte // JSON list
	feedback      []byte // JSON object or null
	status, score []byte // JSON
	error, result []byte // JSON
	answer        []byte // JSON
	total         []byte // JSON of the return
}

// null is the JSON value of members without a value.
var null = []byte("null")

// First returns the observation of a reset: the task's prompt and its pictures. Errors wrap
// *scoring.Error where the task cannot be asked.
func (episode *Episode) First() ([]byte, error) {
	item, fault := episode.item(nil)
	if fault != nil {
		return nil, fault
	}
	item.Test = episode.test
	asked, err := episode.cfg.Prompts.Ask(item, ask.Arm{}, episode.opt.Images != imagesNone)
	if err != nil {
		return nil, err
	}
	observed := observation{prompt: &asked.Text, feedback: null, status: null, score: null, error: null, result: null, answer: null,
		total: null}
	if observed.images, err = episode.pictures(asked.Images); err != nil {
		return nil, err
	}
	return episode.appendObservation(nil, &observed), nil
}

// observe returns the observation after a turn as JSON: how the answer was read and scored, feedback,
// pictures, and the next prompt. At the end of the episode it has the return, the sum that a trainer gets,
// in place of the prompt. The prompt and the pictures are also kept in episode.nextPrompt and
// episode.shownPictures.
func (episode *Episode) observe(turn *Turn, result *Result) ([]byte, error) {
	observed := observation{status: null, score: null, error: null, answer: null, total: null, result: episode.markProtocol(result.JSON)}
	status := result.Status
	if turn.applied {
		status = turn.status
	}
	if status != "" {
		observed.status = scoring.AppendString(nil, status)
	}
	// The score, or why there is none.
	if outcome := result.Outcome; outcome.Failed {
		observed.error = scoring.AppendString([]byte(`{"code":`), outcome.Err.Code)
		observed.error = append(scoring.AppendString(append(observed.error, `,"message":`...), outcome.Err.Message), '}')
	} else {
		observed.score = scoring.AppendFloat(nil, outcome.Score)
	}
	// The feedback, which also begins the next prompt.
	text, object := episode.feedback(turn, result)
	observed.feedback = feedbackJSON(text, object)
	episode.nextPrompt = ""
	if !episode.done {
		episode.nextPrompt = text + episode.closingRequest()
		observed.prompt = &episode.nextPrompt
	} else {
		observed.total = episode.total()
	}
	if episode.opt.Answer {
		observed.answer = turn.response
	}
	// The pictures.
	shown, err := episode.pictureAfter(turn)
	if err != nil {
		return nil, err
	}
	episode.shownPictures = shown
	if observed.images, err = episode.pictures(shown); err != nil {
		return nil, err
	}
	return episode.appendObservation(nil, &observed), nil
}

// total returns the JSON of the return of an episode that has ended: null if a scorer failed
// and that does not count as 0.
func (episode *Episode) total() []byte {
	if episode.failed && !episode.failureIsZero {
		return null
	}
	var steps []float64
	for _, s := range episode.stepRewards {
		steps = append(steps, *s)
	}
	return scoring.AppendFloat(nil, episode.opt.Reward.total(episode.lineRewards, steps))
}

// markProtocol returns a result line with "protocol":"plumb" added if the turns are not the
// benchmark's own protocol: one answer, or for DrawingBench a second try.
func (episode *Episode) markProtocol(line []byte) []byte {
	oneAnswer := episode.rule.turns == 1 && !episode.rule.answersBuild
	secondTry := episode.suite.Name == "drawingbench" && episode.rule.name == "retry" && episode.rule.turns == 2
	published := oneAnswer || secondTry
	line = bytes.TrimSpace(line)
	if published || len(line) == 0 {
		return line
	}
	return append(append([]byte(nil), line[:len(line)-1]...), `,"protocol":"plumb"}`...)
}

// pictureAfter returns the picture of the whiteboard or canvas after the answer of a turn. It returns nothing
// if the suite has no such picture, the answer leaves none, or the options want none. A picture that cannot
// be drawn is returned empty with the reason, so that the turn keeps its score.
func (episode *Episode) pictureAfter(turn *Turn) ([]ask.Picture, error) {
	unwanted := episode.opt.Images == imagesNone || episode.opt.Images == imagesFirst
	notAskedFor := episode.rule.picturesOnRequest && episode.opt.Images == ""
	if unwanted || notAskedFor || episode.rule.singleTry {
		return nil, nil
	}
	item, fault := episode.item(turn.response)
	if fault != nil {
		return nil, nil // the answer cannot be read, which the score says
	}
	item.Test = episode.test
	switch {
	// The whiteboard with all answers so far, or with this answer alone where they do not build on each other.
	case episode.suite.Canvas != nil && episode.suite.Paint == nil:
		board, _ := episode.canvas.(scoring.Board)
		if board == nil {
			canvas, err := episode.newCanvas()
			if err != nil {
				return nil, err
			}
			if board, _ = canvas.(scoring.Board); board == nil {
				return nil, nil // what the answers build is no whiteboard
			}
			if _, _, err := board.Apply(item); err != nil {
				return nil, nil // there is no answer to see
			}
		}
		view, err := board.View()
		if err != nil {
			return undrawn(err), nil
		}
		picture, err := episode.cfg.Prompts.BoardPicture("canvas", view)
		if err != nil {
			return undrawn(err), nil
		}
		return []ask.Picture{picture}, nil
	// A picture that the suite paints of the answer. An answer to the test outline is only a letter.
	case episode.suite.Paint != nil && episode.test != "outline":
		painting, err := episode.suite.Paint(item, episode.cfg.Variants)
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
func (episode *Episode) pictures(all []ask.Picture) ([]byte, error) {
	var places [][]byte
	if episode.opt.Images == imagesRegion && len(all) > 0 {
		var err error
		if places, err = episode.cfg.Place(episode.opt.Region, all); err != nil {
			return nil, err
		}
	}
	out := []byte{'['}
	for i := range all {
		if i > 0 {
			out = append(out, ',')
		}
		if places != nil {
			out = all[i].AppendJSON(out, places[i])
		} else {
			out = all[i].AppendJSON(out, nil)
		}
	}
	return append(out, ']'), nil
}

// appendObservation appends an observation of the episode as a JSON object: the state after a turn, as a trainer
// reads it. It always has the same members; those without a value are null.
func (episode *Episode) appendObservation(b []byte, observed *observation) []byte {
	text := func(name, value string) {
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, `":`...)
		b = scoring.AppendString(b, value)
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
	text("suite", episode.suite.Name)
	text("id", episode.id)
	text("test", episode.test)
	member("turn", strconv.AppendInt(nil, int64(episode.turnsTaken), 10))
	member("turns", strconv.AppendInt(nil, int64(episode.rule.turns), 10))
	if observed.prompt != nil {
		text("prompt", *observed.prompt)
	} else {
		member("prompt", null)
	}
	member("images", observed.images)
	member("feedback", observed.feedback)
	member("status", observed.status)
	member("score", observed.score)
	member("error", observed.error)
	member("result", observed.result)
	member("scores", numbersJSON(episode.scores))
	member("rewards", numbersJSON(episode.stepRewards))
	member("return", observed.total)
	member("answer", observed.answer)
	b = append(b, `"truncated":`...)
	return append(strconv.AppendBool(b, episode.truncated()), '}')
}

// numbersJSON returns a list of scores or rewards as JSON. A nil, for a turn without one, becomes null.
func numbersJSON(list []*float64) []byte {
	out := []byte{'['}
	for i, x := range list {
		if i > 0 {
			out = append(out, ',')
		}
		if x == nil {
			out = append(out, "null"...)
		} else {
			out = scoring.AppendFloat(out, *x)
		}
	}
	return append(out, ']')
}
