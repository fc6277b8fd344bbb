package vqa

import (
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// TestReading marks the part of an answer that names an option, or that a judge decides about.
func TestReading(t *testing.T) {
	const open, choice = `"format":"open","open_answer":"a cup"`, `"options":["x1","x2","x3","x4"],"answer":"A"`
	for _, c := range []struct {
		suite            *scoring.Suite
		item, text, want string
		v                scoring.Variants
	}{
		{Spatialab(), choice, "I see 4. The answer is 2 because it is.", "answer is 2", nil},
		{Spatialab(), choice, "No idea.", "", nil},
		{Spatialab(), open, " <think>a dog</think> A cup. ", "A cup.", nil},
		{Spatialab(), open, "A dog. Answer: a cup", "a cup", scoring.Variants{SelfReflection: ""}},
		{Spatialab(), open, "A <think>well</think> cup", "A <think>well</think> cup", nil},
		{Spatialab(), open, "  ", "", nil},
		{Spaceeval(), choice, "B", "B", nil},
		{Spaceeval(), choice, "<think>A?</think>It is the right one, B.", "It is the right one, B.", nil},
		{Spaceeval(), choice, "It is so. The answer is B.", "The answer is B.", scoring.Variants{Policy: "never"}},
		{Spaceeval(), `"options":7`, "B", "", nil},
	} {
		it := &scoring.Item{ID: "i", Fields: fastjson.MustParse(`{"category":"` + map[string]string{"spatialab": "3d_geometry"}[c.suite.Name] + `",` + c.item + `}`)}
		it.Fields.Set("response", fastjson.MustParseBytes(scoring.AppendString(nil, c.text)))
		from, to, ok := c.suite.Reading(it, c.v)
		if got := c.text[from:to]; got != c.want || ok != (c.want != "") {
			t.Errorf("%s %s %q: got %q, %v; want %q", c.suite.Name, c.item, c.text, got, ok, c.want)
		}
	}
}
