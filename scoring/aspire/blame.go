package aspire

import (
	"slices"

	"plumb/scoring"
)

// answerFaults are the error codes of whiteboards that cannot be drawn because of
// their content: it exceeds a limit, or the editor refuses it. Any other code is a
// failure of the scorer.
var answerFaults = map[string]bool{"limit": true, "bad_scene": true}

// Unusable is the code of the note on an answer that scores 0 because the whiteboard
// after it cannot be drawn. It scores 0 and not null, because a trained model could
// otherwise avoid bad scores by such answers.
const Unusable = "unusable_board"

// blames reports whether the answer caused an error: it changed the whiteboard, and
// the initial whiteboard can be drawn.
func (j *job) causedByAnswer(e *scoring.Error) bool {
	return answerFaults[e.Code] && j.changed && j.initialDrawable()
}

// initialDrawable reports whether the initial whiteboard can be drawn within the limits. It is true
// if only the editor can decide it.
func (j *job) initialDrawable() bool {
	s, err := resolve(slices.Clone(j.initial.shapes), j.suite.limits, nil)
	if err != nil {
		return false
	}
	b, ok, err := j.suite.contentBounds(s, nil)
	if err != nil {
		return keepForeign(err) == err
	}
	b = padded(b)
	return !ok || j.suite.limits.CheckCanvas(b.W, b.H) == nil
}

// failedResult returns r with the score 0 and a note where the answer caused the error, else r
// without a score: a model is not blamed for a whiteboard that cannot be drawn.
func (j *job) failedResult(r scoring.Result, e *scoring.Error) scoring.Result {
	r.Scored, r.Score, r.Err = false, 0, e
	if j.causedByAnswer(e) {
		r.Scored, r.Err = true, nil
		r.Notes = append(slices.Clip(r.Notes), scoring.Note{Code: Unusable, Message: "the answer scores 0: " + e.Message})
	}
	return r
}
