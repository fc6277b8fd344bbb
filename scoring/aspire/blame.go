package aspire

import (
	"slices"

	"plumb/scoring"
)

// answerFaults are the codes of pictures that cannot be made because of what is
// in them: something beyond a limit, or that the editor refuses. With any other
// code the scorer has failed.
var answerFaults = map[string]bool{"limit": true, "bad_scene": true}

// Unusable is the code of the note on an answer that scores 0 because the
// whiteboard it leaves cannot be drawn. Without a score a model could choose to
// have none instead of a bad one.
const Unusable = "unusable_board"

// blames reports whether the answer is to blame for an error: it changed the
// whiteboard, and the whiteboard as it was given can be drawn.
func (j *job) blames(e *scoring.Error) bool {
	return answerFaults[e.Code] && j.changed && j.drawable()
}

// drawable reports whether the initial whiteboard can be drawn in bounds of its
// own, by this program or, where that is not known, by the editor.
func (j *job) drawable() bool {
	s, err := resolve(slices.Clone(j.initial), j.suite.limits, nil)
	if err != nil {
		return false
	}
	b, ok, err := j.suite.contentBounds(s, nil)
	if err != nil {
		return foreignOr(err) == err
	}
	b = padded(b)
	return !ok || j.suite.limits.CheckCanvas(b.W, b.H) == nil
}

// failed is r without a score, or with the score of a bad answer where that is
// to blame.
func (j *job) failed(r scoring.Result, e *scoring.Error) scoring.Result {
	r.Scored, r.Score, r.Err = false, 0, e
	if j.blames(e) {
		r.Scored, r.Err = true, nil
		r.Notes = append(slices.Clip(r.Notes), scoring.Note{Code: Unusable, Message: "the answer scores 0: " + e.Message})
	}
	return r
}
