package aspire

import (
	"encoding/json"
	"strings"
	"testing"

	"plumb/render/metric"
	"plumb/scoring"
)

// What the editor refuses to draw does not spare a policy its score: strokes without
// points are drawn as nothing, with a note, and empty text nodes are left out.
func TestAnswersThatTheEditorRefuses(t *testing.T) {
	s := New(Config{})
	for _, c := range []struct{ shape, note string }{
		{`{"type":"highlight","segments":[]}`, "not_drawn"},
		{`{"type":"draw"}`, "not_drawn"},
		{`{"type":"draw","segments":[{"type":"free","points":"x"}]}`, "not_drawn"},
		{`{"type":"draw","segments":[{"type":"free","points":[{"x":0,"y":0},{"x":9,"y":9}]}]}`, ""},
		{`{"type":"text","props":{"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a"},{"type":"text","text":""}]}]}}}`, ""},
	} {
		response, _ := json.Marshal(`{"createShapes":[` + c.shape + `]}`)
		j, err := s.Prepare(itemOf(t, []byte(`{"id":"i","test":"balance","shapes":`+twoBoxes+`,"task":{},"response":`+string(response)+`}`)), scoring.Variants{})
		if err != nil {
			t.Fatal(err)
		}
		views := j.Views()
		for _, v := range views {
			if v.Foreign != nil {
				t.Errorf("%s: a view is foreign: %v", c.shape, v.Foreign)
			}
			for i := range v.Scene.Shapes {
				if r := v.Scene.Shapes[i].Rich; r != nil && r.Foreign != "" {
					t.Errorf("%s: its text is foreign: %s", c.shape, r.Foreign)
				}
			}
		}
		r := j.Score(make([]metric.Tally, len(views)))
		notes := ""
		for _, n := range r.Notes {
			notes += n.Code + " "
		}
		if strings.Contains(notes, "not_drawn") != (c.note != "") {
			t.Errorf("%s: got the notes %q; want %q", c.shape, notes, c.note)
		}
	}
}
