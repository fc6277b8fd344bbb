package tangram

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/choice"
)

// readOutline reads an answer to Task 1 of TangramPuzzle, outline prediction, into j. The answer
// names one of four silhouettes by its letter. answer is nil for none; then j has nothing to score. An
// item without the right letter is an error. See docs/spec/tangram.md#r56.
func (j *job) readOutline(item, answer *fastjson.Value) error {
	want := string(item.GetStringBytes("answer"))
	if len(want) != 1 || want[0] < 'A' || want[0] > 'D' {
		return badItem("answer", "got %.40s; want A, B, C or D", item.Get("answer"))
	}
	if answer == nil {
		return nil
	}
	letter, ok := choice.Extract(answerText(answer))
	if ok {
		if options := item.GetObject("options"); options != nil {
			j.base.Notes = []scoring.Note{{Code: "chosen", Path: "options." + letter,
				Message: fmt.Sprintf("the answer names %s", item.GetStringBytes("options", letter))}}
		}
	}
	j.score = func(result *scoring.Result) {
		result.Scored, result.Status = true, "letter"
		var extracted any // nil, and so null in the result, where the answer names no letter
		if ok {
			extracted = letter
		} else {
			result.Status = "invalid"
		}
		if ok && letter == want {
			result.Score = 1
		}
		result.Metrics = []scoring.Metric{{Name: "extracted", Value: extracted}, {Name: "invalid", Value: !ok}}
	}
	return nil
}
