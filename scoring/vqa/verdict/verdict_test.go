package verdict

import (
	"encoding/json"
	"strings"
	"testing"

	"plumb/testdata"
)

// TestReference reads every reply of the reference as the reference does.
func TestReference(t *testing.T) {
	type reply struct {
		ID, Response string
		Expected     *int
	}
	n := 0
	testdata.Each(t, "vqa/verdict-dev.jsonl", func(c *reply) {
		n++
		right, ok := Parse(c.Response)
		if ok != (c.Expected != nil) || ok && right != (*c.Expected == 1) {
			t.Errorf("%s: %q: got %v, %v; want %v", c.ID, c.Response, right, ok, c.Expected)
		}
	})
	if n < 30 {
		t.Fatalf("got %d cases; want more", n)
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		reply string
		want  string // "1", "0" or "" for unparsable
	}{
		{"'1'", "1"}, {"'0'.", "0"}, {"‘1’", "1"}, {"('yes')", "1"}, {"'1' or '0'", ""}, {"Score: '1' or '0'", ""}, {"1's", ""}, {"It's 1's turn", ""},
		{`{"Is Correct": true}`, "1"}, {`{"is-correct": false}`, "0"}, {`{"IS_CORRECT": 1}`, "1"}, {"{'Is Correct': 'no'}", "0"}, {`{"Is  Correct": 1}`, ""},
		{"(1)", "1"}, {"“0”", "0"}, {"True", "1"}, {"FAILED", "0"}, {"Not correct.", "0"}, {"passed!", "1"}, {"accurate", "1"},
		{"1/0", ""}, {"-1", ""}, {"1.5", ""}, {"0 / 1", ""}, {"0, 1", ""}, {"maybe", ""}, {"1 0", ""}, {"11", ""}, {"½", ""},
		{"{'score': 0}", "0"}, {`{"score": 2}`, ""}, {`{"score": null}`, ""}, {`{"score": "Verdict: 1"}`, "1"}, {`{"why": "x", "answer": "no"}`, "0"},
		{`{"correct": "maybe", "score": 1}`, "1"}, {`{"why": 1}`, ""}, {`Here: {"rating": 1.0}`, "1"},
		{"<verdict>correct</verdict>", "1"}, {"<score>1</score> <result>0</result>", ""}, {"\\boxed{0}", "0"}, {"<score>0", "0"},
		{"Score: 0\nNo wait. Score: 1", "1"}, {"Score: 1 or 0", ""}, {"Score: 1 out of 1", ""}, {"Score: 1/1", ""}, {"Rating = 0.", "0"},
		{"The verdict is: **not accurate**", "0"}, {"Decision -> yes", "1"}, {"Score: 10", ""}, {"Score: 0.5", ""},
		{"Yes\nthe rooms are the same", "1"}, {"They differ.\nIncorrect.", "0"}, {"1\nfine\n1", "1"},
		{"No, the rooms differ.", "0"}, {"1 - same room", "1"}, {"Right: same room", "1"}, {"No way to tell", ""},
		{"The response was not wrong.", "1"}, {"The prediction is right", "1"}, {"The response is correct but it is wrong here", ""},
		{"The answer is partially correct", ""}, {"<think>score: 1</think>", ""}, {"<think>score: 1", ""}, {"Output 1", ""},
	} {
		right, ok := Parse(c.reply)
		got := ""
		if ok {
			got = map[bool]string{true: "1", false: "0"}[right]
		}
		if got != c.want {
			t.Errorf("%q: got %q; want %q", c.reply, got, c.want)
		}
	}
	for _, piece := range []string{"{", "score: ", "<score>", "it is ", "\\boxed{", "1\n", "'"} {
		Parse(strings.Repeat(piece, 1<<20/len(piece)))
	}
}

// TestBounds has the corners of words, of lengths and of depths.
func TestBounds(t *testing.T) {
	nested := func(depth int) string { // a verdict in strings of JSON, one in the other
		s := "1"
		for range depth {
			b, _ := json.Marshal(map[string]string{"is_correct": s})
			s = string(b)
		}
		return s
	}
	for _, c := range []struct {
		reply string
		want  string
	}{
		{"1a", ""}, {"1z", ""}, {"score: 1a", ""}, {"score: 1z", ""}, {"yesz", ""}, {"1é", ""}, {"1%", ""}, {"1_", ""}, {"1{", "1"}, {"score: 1|0", ""},
		{"1.0", "1"}, {"1.9", ""}, {"1.", "1"}, {"1.x", "1"}, {"0.9", ""}, {"1,9", ""}, {"1,", "1"},
		{"ascore: 1", ""}, {"zscore: 1", ""}, {"0score: 1", ""}, {"9score: 1", ""}, {"éscore: 1", ""}, {"{score: 1", "1"}, {"/score: 1", "1"}, {":score: 1", "1"},
		{"scorea: 1", ""}, {"scorez: 1", ""}, {"score9: 1", ""}, {"score`: 1", "1"}, {"1'a", ""}, {"1'z", ""}, {"1'9", ""}, {"1'{", "1"},
		{"\n1", "1"}, {"1\n0", ""}, {"0\n\n0", "0"},
		{nested(1), "1"}, {nested(3), "1"}, {nested(4), ""},
		{"0\n" + strings.Repeat("x", maxReplyBytes-2) + "\n1", "1"}, // the first line is not among them
		{strings.Repeat("x", maxReplyBytes-9) + "\nscore: 1", "1"},
	} {
		right, ok := Parse(c.reply)
		got := ""
		if ok {
			got = map[bool]string{true: "1", false: "0"}[right]
		}
		if got != c.want {
			t.Errorf("%.40q of %d bytes: got %q; want %q", c.reply, len(c.reply), got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1", "Score: 0 or 1", `{"score": "1"}`, "<score>1</score>", "1\n0", "it is not correct"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if right, ok := Parse(s); right && !ok {
			t.Fatalf("%q: right, but not read", s)
		}
	})
}
