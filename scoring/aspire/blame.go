package aspire

import (
	"errors"
	"slices"

	"plumb/render/view"
	"plumb/scoring"
)

// answerFaults are the error codes of whiteboards that cannot be drawn because of their content: it exceeds a
// limit, or the editor refuses it. Any other code is a failure of the scorer.
var answerFaults = map[string]bool{"limit": true, "bad_scene": true}

// Unusable is the code of the note on an answer that scores 0 because the whiteboard after it cannot be drawn.
// It scores 0 and not null, because a trained model could otherwise avoid bad scores by such answers.
const Unusable = "unusable_board"

// causedByAnswer reports whether the answer caused an error: it changed the whiteboard, and
// the initial whiteboard can be drawn.
func (j *job) causedByAnswer(e *scoring.Error) bool {
	return answerFaults[e.Code] && j.changed && j.initialDrawable()
}

// initialDrawable reports whether the initial whiteboard of an ASPIRE item can be drawn within the
// limits. It is true if only the editor can decide that.
func (j *job) initialDrawable() bool {
	scene, err := resolve(slices.Clone(j.initial.shapes), j.suite.limits, nil)
	if err != nil {
		return false
	}
	bounds, hasContent, err := j.suite.contentBounds(scene, nil)
	if errors.Is(err, view.ErrForeign) {
		return true
	}
	if err != nil {
		return false
	}
	bounds = padded(bounds)
	return !hasContent || j.suite.limits.CheckCanvas(bounds.W, bounds.H) == nil
}

// failedResult returns result without a score and with the error failure. If the answer caused the
// error, it returns result with the score 0 and a note instead: a model could otherwise avoid bad
// scores by boards that cannot be drawn.
func (j *job) failedResult(result scoring.Result, failure *scoring.Error) scoring.Result {
	result.Scored, result.Score, result.Err = false, 0, failure
	if j.causedByAnswer(failure) {
		result.Scored, result.Err = true, nil
		result.Notes = append(slices.Clip(result.Notes),
			scoring.Note{Code: Unusable, Message: "the answer scores 0: " + failure.Message})
	}
	return result
}
