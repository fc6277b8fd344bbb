package tangram

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/choice"
)

// outline scores an answer to Task 1, the letter of a silhouette. See
// docs/spec/tangram.md#r56.
func (j *job) outline(item, answer *fastjson.Value, heard bool) error {
	want := string(item.GetStringBytes("answer"))
	if len(want) != 1 || want[0] < 'A' || want[0] > 'D' {
		return bad("answer", "got %.40s; want A, B, C or D", item.Get("answer"))
	}
	if !heard {
		return nil
	}
	text := string(answer.GetStringBytes())
	if answer.Type() != fastjson.TypeString {
		text = answer.String()
	}
	letter, ok := choice.Extract(text)
	r := &j.base
	r.Scored, r.Status = true, "letter"
	var extracted any
	if ok {
		extracted = letter
	} else {
		r.Status = "invalid"
	}
	if ok && letter == want {
		r.Score = 1
	}
	r.Metrics = []scoring.Metric{{Name: "extracted", Value: extracted}, {Name: "invalid", Value: !ok}}
	if ok {
		if o := item.GetObject("options"); o != nil {
			r.Notes = append(r.Notes, scoring.Note{Code: "chosen", Path: "options." + letter, Message: fmt.Sprintf("the answer names %s", item.GetStringBytes("options", letter))})
		}
	}
	return nil
}
