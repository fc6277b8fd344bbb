package vqa

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

func TestPrompt(t *testing.T) {
	const lab = "You are a spatial reasoning assistant. Given a multiple choice question about an image,\nAnswer with a single "
	for _, c := range []struct {
		suite      *suite
		test, line string
		want       string // the prompt, or after a ! what the error names
	}{
		{newSuite(spatialab), "", rooms + `,"answer":"2"`, lab + "number (1-4) corresponding to the option.\nQuestion:\nWhere is {opt1}?\nOptions:\n1. Hall\n2. Kitchen\n3. Bath\n4. Terrace"},
		{newSuite(spatialab), "", `"options":["x",null,7],"answer":"A","labels":"letters"`, lab + "letter (A-C) corresponding to the option.\nQuestion:\nWhere is {opt1}?\nOptions:\nA. x\nB. nan\nC. 7"},
		{newSuite(spatialab), "", rooms + `,"answer":"2","order":[3,1,0,2]`, lab + "number (1-4) corresponding to the option.\nQuestion:\nWhere is {opt1}?\nOptions:\n1. Terrace\n2. Kitchen\n3. Hall\n4. Bath"},
		{newSuite(spatialab), "open", rooms + `,"answer":"2"`, "You are a spatial reasoning assistant.\nAnswer the following question in 2-4 sentences about the given image.\nQuestion:\nWhere is {opt1}?"},
		{newSuite(spatialab), "open", rooms + `,"answer":"2","format":"mcq"`, lab + "number (1-4) corresponding to the option.\nQuestion:\nWhere is {opt1}?\nOptions:\n1. Hall\n2. Kitchen\n3. Bath\n4. Terrace"},
		{newSuite(spaceeval), "", rooms + `,"answer":"B"`, "Question: Where is {opt1}?\nOptions:\nA. Hall\nB. Kitchen\nC. Bath\nD. Terrace\nPlease select one correct answer from the given options based on the image."},
		{newSuite(spaceeval), "open", rooms + `,"answer":"B"`, "!format"},
		{newSuite(spaceeval), "", `"answer":"B"`, "!options"},
		{newSuite(spaceeval), "", rooms + `,"answer":"B","question":""`, "!question"},
		{newSuite(spaceeval), "", rooms + `,"answer":"B","question":7`, "!question"},
	} {
		line := `{"id":"x",` + c.line + `}`
		if !strings.Contains(line, `"question"`) {
			line = strings.Replace(line, "{", `{"question":"Where is {opt1}?",`, 1)
		}
		got, err := c.suite.prompt(&scoring.Item{ID: "x", Test: c.test, Fields: fastjson.MustParse(line)}, scoring.PromptOptions{})
		if err != nil {
			field, _, _ := strings.Cut(strings.TrimPrefix(err.(*scoring.Error).Message, "cannot read "), ":")
			got = "!" + field
		}
		if got != c.want {
			t.Errorf("%s: got %q; want %q", line, got, c.want)
		}
	}
}

// promptOf returns the prompt of an item with these members.
func promptOf(t *testing.T, s *suite, members string) string {
	t.Helper()
	got, err := s.prompt(&scoring.Item{ID: "x", Fields: fastjson.MustParse(`{"id":"x",` + members + `}`)}, scoring.PromptOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
