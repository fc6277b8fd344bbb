package vqa

import (
	"slices"
	"strings"
	"testing"

	"plumb/scoring/vqa/extract"
	"plumb/testdata"
)

// The prompts are those that the paper prints, letter for letter.
func TestPrintedPrompts(t *testing.T) {
	var all struct {
		Prompts []struct{ ID, Text string }
	}
	testdata.JSON(t, "spatialab/prompts.json", &all)
	if len(all.Prompts) != 17 {
		t.Fatalf("got %d prompts; want 17", len(all.Prompts))
	}
	for _, p := range all.Prompts {
		if p.ID == "open_judge" { // daemon/judge has it
			continue
		}
		if got := printedPrompt(p.ID); got != p.Text {
			t.Errorf("%s: got %q; want %q", p.ID, got, p.Text)
		}
	}
	q := promptQuestion{question: "Where {opt1}?", options: []string{"{opt2}", "b", "c", "d"}, style: extract.Numbers}
	for _, p := range all.Prompts {
		if p.ID != "mcq_direct" {
			continue
		}
		want := strings.NewReplacer("{question}", q.question, "{opt1}", q.options[0], "{opt2}", "b", "{opt3}", "c", "{opt4}", "d").Replace(p.Text)
		if got := q.text(Direct, "", nil); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		method   string
		pictures int
		want     string
	}{
		{"", 1, ""}, {CoT, 1, ""}, {Reflect, 1, "answer reflect"},
		{Xolver, 1, "base segment attributes relations groups standardise answer"},
		{Xolver, 2, "base segment attributes relations groups transformations standardise answer"},
	} {
		if got := strings.Join(Steps(c.method, c.pictures), " "); got != c.want {
			t.Errorf("%s with %d: got %q; want %q", c.method, c.pictures, got, c.want)
		}
	}
	for _, m := range Methods() {
		if !HasPicture(m, Steps(m, 1)[0]) || m == Xolver && HasPicture(m, "answer") {
			t.Errorf("%s: the picture goes with the wrong steps", m)
		}
	}
}

func TestReasonAndAnswer(t *testing.T) {
	for text, want := range map[string][2]string{
		"Reasoning: it is left.\nAnswer: the cup":   {"it is left.", "the cup"},
		"Reasoning: a\nAnswer: b\nAnswer: c\nand d": {"a\nAnswer: b", "c\nand d"},
		"it is left\nthe cup\n\n":                   {"it is left\nthe cup", "the cup"},
		"Answer:":                                   {"", ""},
		"":                                          {"", ""},
		"  Reasoning: indented\n  Answer: also ":    {"indented", "also"},
		"The answer: is not at the beginning\nso the last.": {"The answer: is not at the beginning\nso the last.", "so the last."},
	} {
		if r, a := reasonAndAnswer(text); r != want[0] || a != want[1] {
			t.Errorf("%q: got %q and %q; want %q", text, r, a, want)
		}
	}
}

// What each step of Xolver hands on, and what the answering prompt gets.
func TestXolver(t *testing.T) {
	q := promptQuestion{question: "Which?", options: []string{"a", "b", "c"}, style: extract.Letters}
	heard := map[string]string{
		"base": "A cup.", "segment": "Here:\n Obj1: cup\nnote\nObj2: box (left)", "attributes": `Sure: [{"ID":"Obj1"}] done`,
		"relations": "(Obj1, left_of, Obj2)\nThat is all.", "groups": "none", "standardise": `{"objects":[1],"relations":[],"groups":["g"]}`,
	}
	has := func(step string, want ...string) {
		t.Helper()
		got := q.text(Xolver, step, heard)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: got %q; want %q", step, got, w)
			}
		}
		if i := strings.IndexByte(got, '{'); i >= 0 && slices.Contains([]string{"base", "segment"}, step) {
			t.Errorf("%s: a placeholder is left: %q", step, got[i:])
		}
	}
	has("base", "Input image:\n(attached)")
	has("segment", "Input description:\nA cup.")
	has("attributes", "Input objects:\nObj1: cup\nObj2: box (left)\n1.")
	has("relations", "Attributes:\n[{\"ID\":\"Obj1\"}]\n")
	has("groups", "Relations:\n(Obj1, left_of, Obj2)\n")
	has("standardise", `Symmetries: {"groups":[],"symmetries":[]}`, "- Transformations: []\n")
	has("answer", "Objects and Attributes: [1]\n", "Spatial Relations: (Obj1, left_of, Obj2)\n", `{"groups":["g"],"symmetries":[]}`,
		"Options: \nA. a\nB. b\nC. c\n", "Only (A, B, C)", `"<option letter>"`)
	q.open = true
	has("answer", "MCQ:\nQuestion: Which?")
}

func TestSpaceevalPrompt(t *testing.T) {
	s := newSuite(spaceeval)
	for line, want := range map[string]string{
		rooms + `,"answer":"B","question":"Q","prompt":"as it is"`:                   "as it is",
		rooms + `,"answer":"B","question":"Q","prompt":"as it is","order":[3,1,0,2]`: "Question: Q\nOptions:\nA. Terrace\n",
	} {
		if got := promptOf(t, s, line); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q; want %q", line, got, want)
		}
	}
}
