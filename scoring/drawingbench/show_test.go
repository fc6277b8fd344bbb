package drawingbench

import (
	"strings"
	"testing"

	"plumb/scoring"
)

// A report shows the actions that were scored, and none of an answer that was not read.
func TestShowReadsAsScoreDid(t *testing.T) {
	const list, rest = `[{\"action\":\"moveTo\",\"x\":300,\"y\":300}]`, `,"prompt":"a dot","criteria":{}}`
	suite := New(Config{})
	for _, c := range []struct {
		line   string
		strict bool
		shown  bool
	}{
		{`{"response":"Here: ` + list + `"` + rest, true, false},
		{`{"response":"Here: ` + list + `"` + rest, false, true},
		{`{"response":"` + list + `"` + rest, true, true},
		{`{"response":"no list"` + rest, false, false},
		{`{"actions":` + strings.ReplaceAll(list, `\`, "") + rest, true, true},
		{`{"actions":` + strings.ReplaceAll(list, `\`, "") + rest, false, true},
	} {
		variants := scoring.Variants{}
		if c.strict {
			variants[Input] = "strict"
		}
		_, job, err := prepared(t, suite, c.line, variants)
		if err != nil {
			t.Fatal(err)
		}
		result := job.Score(nil)
		exhibit := job.(scoring.Shower).Show(&result)
		hasActions := false
		for _, text := range exhibit.Texts {
			hasActions = hasActions || text.Title == "actions" && strings.Contains(text.Body, "moveTo")
		}
		if len(exhibit.Panels) > 0 != c.shown || hasActions != c.shown {
			t.Errorf("%s, strict %v: got status %s, %d panels, actions %v; want them shown: %v",
				c.line, c.strict, result.Status, len(exhibit.Panels), hasActions, c.shown)
		}
	}
}
