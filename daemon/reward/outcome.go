package reward

import (
	"math"
	"strings"

	"plumb/daemon/dump"
	"plumb/scoring"
)

// Outcome is a result as a trainer sees it. All numbers are finite.
type Outcome struct {
	Reward  float64 // score shaped by the mode; 0 where Failed
	Score   float64 // the suite's number, not clamped; 0 where Failed
	Clamped float64 // score limited to [0, 1]; 0 where Failed
	// Failed says that the scorer could not score; it is never a wrong answer.
	// Err then says why.
	Failed bool
	Err    *scoring.Error
}

// Of returns a result as a trainer sees it, with the reward by the given mode. A result without a score,
// or with one that is not finite, is a failure.
func Of(result *scoring.Result, mode scoring.RewardMode) Outcome {
	switch {
	case !result.Scored && result.Err != nil:
		return Outcome{Failed: true, Err: result.Err}
	case !result.Scored || math.IsNaN(result.Score) || math.IsInf(result.Score, 0):
		err := &scoring.Error{Code: "undefined", Message: "cannot score item: the result has no finite score"}
		return Outcome{Failed: true, Err: err}
	}
	return Outcome{Reward: mode.Of(result.Score), Score: result.Score + 0, Clamped: scoring.Clamp01.Of(result.Score)} // + 0 turns -0 into 0
}

// scorerFaults are the codes of results without a score that the label did not cause:
// there is no response, the number is not defined, a limit on cost was met, or plumb
// itself failed. Every other code is about the item, which came from the label.
var scorerFaults = map[string]bool{
	"no_response": true, "undefined": true, "unjudged": true, "deadline": true, "internal": true,
	"backend": true, "not_native": true, "limit": true, "too_large": true, "busy": true, "closed": true,
}

// Fault returns the error of a result that the trainer caused: by a response of an
// unknown form, or by the label. It returns nil for any other result. A result with a
// status comes from an item whose answer was read, so its label is right. at names the
// label ("samples[1].label"). So the message begins "cannot read samples[1].response" for a response, and
// "cannot use samples[1].label" for a label. See docs/spec/http.md#r15.
func Fault(result *scoring.Result, at string) *scoring.Error {
	switch {
	case result.Scored || result.Err == nil:
		return nil
	case result.Err.Code == dump.BadResponse:
		// Put the place of the sample before the name of its response.
		path := "cannot read " + strings.TrimSuffix(at, "label")
		return &scoring.Error{Code: result.Err.Code, Message: strings.Replace(result.Err.Message, "cannot read ", path, 1)}
	case result.Status != "" || scorerFaults[result.Err.Code]:
		return nil
	}
	return &scoring.Error{Code: BadLabel, Message: "cannot use " + at + ": " + result.Err.Message}
}
