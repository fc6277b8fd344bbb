package extract

import (
	"bytes"
	"strings"
	"testing"
)

var (
	rooms   = []string{"Hall", "Kitchen", "Bath", "Terrace"}
	things  = []string{"Trolley", "Crate", "Porter", "Bench"}
	angles  = []string{"90", "45", "180", "120"}
	drawn   = []string{"Option A in the image", "Option C in the image", "Option B in the image", "Option D in the image"}
	numeral = []string{"IV", "III", "V", "II"}
	oddYes  = []string{"Yes", "No", "Only at night", "Cannot be determined"}
)

// TestRead holds answers of every stage that the reference does not have.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		labels  string
		options []string
		answer  string
		want    int
		reason  Reason
		stage   int
	}{
		// stage 0 and 1
		{"letters", rooms, "```\nB\n```", 1, "", 1},
		{"letters", rooms, "```B```", 1, "", 1},
		{"letters", rooms, "> ## C", 2, "", 1},
		{"letters", rooms, "\u2068\u24d3", -1, NoAnswer, 6},
		{"letters", rooms, "\u24d3", 3, "", 1},
		{"letters", rooms, "𝐁", -1, NoAnswer, 6},
		{"letters", rooms, "\ufeffD\r\n", 3, "", 1},
		{"letters", rooms, "\\textbf{A}", 0, "", 1},
		{"letters", rooms, "2", -1, NoAnswer, 6},
		{"letters", rooms, "No. B", 1, "", 1},
		{"letters", rooms, "the right answer = (c)", 2, "", 1},
		{"letters", rooms, "A; A", 0, "", 1},
		{"letters", rooms, "(A), (C)", -1, Multiple, 1},
		{"letters", rooms, "AD", -1, Multiple, 1},
		{"letters", rooms, "BB", 1, "", 1},
		{"letters", rooms, "BE", -1, NoAnswer, 6},
		{"letters", rooms, "«a kitchen!»", 1, "", 1},
		{"letters", []string{"Hall", "hall.", "Bath", "Terrace"}, "Hall", -1, NoAnswer, 6},
		{"letters", []string{"Hall", "", "Bath", "Terrace"}, "B", 1, "", 1},
		{"letters", []string{"Hall", "Bath"}, "C", -1, OutOfRange, 1},
		{"letters", []string{"a", "b", "c", "d", "e", "f", "g", "h"}, "h", 7, "", 1},
		{"numbers", things, "d.", 3, "", 1},
		{"numbers", things, "no. 3", 2, "", 1},
		{"numbers", things, ".3", -1, NoAnswer, 6},
		{"numbers", things, "12", -1, OutOfRange, 1},
		{"numbers", things, "B. Crate", 1, "", 6},
		{"numbers", things, "2: Porter", -1, Conflict, 1},
		{"numbers", angles, "45.", 1, "", 1},
		{"numbers", angles, "360", -1, OutOfRange, 1},
		{"letters", numeral, "IV", 0, "", 1},
		{"letters", numeral, "V", 2, "", 1},
		{"letters", drawn, "option b in the image", 2, "", 1},
		{"letters", drawn, "option b", -1, Ambiguous, 1},
		{"letters", drawn, "(B)", 1, "", 1},
		// stage 2
		{"letters", rooms, `{"option": "E", "answer": "B"}`, 1, "", 2},
		{"letters", rooms, `{"correct option": "The answer is D"}`, 3, "", 2},
		{"letters", rooms, `{"foo": 1} and {"answer": "B"}`, 1, "", 6},
		{"letters", rooms, `{ broken {"answer": "B"}`, 1, "", 2},
		{"letters", rooms, `{"answer": {"letter": "B"}}`, -1, Unresolved, 2},
		{"letters", rooms, `{"answer": true}`, -1, Unresolved, 2},
		{"letters", rooms, `{"answer": ["B", "kitchen"]}`, 1, "", 2},
		{"letters", rooms, `{"answer": []}`, -1, Unresolved, 2},
		{"letters", rooms, `["Hall", "Bath"]`, -1, Multiple, 2},
		{"letters", rooms, `{"answer": "}"}`, -1, NoAnswer, 2},
		{"numbers", angles, `{"answer": 180}`, 2, "", 2},
		{"numbers", angles, `{"answer": 2.0}`, -1, Unresolved, 2},
		{"letters", angles, `{"answer": 45}`, 1, "", 2},
		// stage 3
		{"letters", rooms, "Done. <final_answer>(b)</final_answer>", 1, "", 3},
		{"letters", rooms, "<ANSWER>The answer is C.</ANSWER>", 2, "", 3},
		{"letters", rooms, "so \\boxed{B} and \\boxed{\\text{B}}", 1, "", 3},
		{"letters", rooms, "so \\boxed{B} and \\boxed{C}", -1, Multiple, 3},
		{"letters", rooms, "<result></result> it is B", -1, Empty, 3},
		{"letters", rooms, "<result>?</result> <result>D</result>", 3, "", 3},
		{"letters", rooms, "<think>x</think><think>y", -1, Empty, 0},
		// stage 4
		{"letters", rooms, "Well, the answer is most likely the option B, since it has a stove.", 1, "", 4},
		{"letters", rooms, "I'd opt for D here", 3, "", 4},
		{"letters", rooms, "If B is correct, then what? D seems the most appropriate.", 3, "", 4},
		{"letters", rooms, "I would choose D, even if B is correct.", 3, "", 4},
		{"letters", rooms, "I would choose D, whether C is correct or not.", 3, "", 4},
		{"letters", rooms, "B or C is correct.", -1, Multiple, 4},
		{"letters", rooms, "My selection:\n\n(C)\nThanks", 2, "", 4},
		{"letters", rooms, "The answer is a large kitchen", 1, "", 6},
		{"letters", rooms, "The answer is E, clearly.", -1, OutOfRange, 4},
		{"letters", rooms, "The answer is I think B", 1, "", 6},
		{"letters", rooms, "The answer is d because of the view", 3, "", 4},
		{"letters", rooms, "The answer is unknown.", -1, NoAnswer, 6},
		{"letters", rooms, "The answer is A.\nWait. The answer is B or C", -1, Multiple, 4},
		{"letters", rooms, "答案为 D。", 3, "", 4},
		{"letters", rooms, "The final answer -> C for sure", 2, "", 4},
		{"letters", drawn, "The answer is Option B in the image, I believe", 2, "", 4},
		{"letters", drawn, "Option C is correct", -1, Ambiguous, 4},
		{"letters", oddYes, "The answer is B, no doubt about it", 1, "", 4},
		{"numbers", things, "I think the answer is option 3 because it is near", 2, "", 4},
		{"numbers", things, "So the answer is C.", 2, "", 4},
		{"numbers", things, "So the answer is C because", -1, NoAnswer, 6},
		{"numbers", things, "The answer is 2.5 metres", -1, NoAnswer, 6},
		{"numbers", angles, "The answer is 45 degrees", 1, "", 4},
		{"numbers", angles, "The answer is 180, roughly", 2, "", 4},
		{"numbers", []string{"Number of doors", "Size", "Age", "Name"}, "The answer is number of doors here", 0, "", 4},
		// stage 5
		{"letters", rooms, "B\nIt has a stove.", 1, "", 5},
		{"letters", rooms, "Option B: it has a stove.", 1, "", 5},
		{"letters", rooms, "B. Hall, which is dark", -1, Conflict, 5},
		{"letters", rooms, "B) 3 windows", 1, "", 5},
		{"letters", rooms, "It has a stove.\nB", 1, "", 5},
		{"letters", rooms, "A. dark\nB. hot\nC", 2, "", 5},
		{"numbers", things, "3:45 pm", -1, NoAnswer, 6},
		// stage 6
		{"letters", rooms, "Hall? Never the hall. Rather the terrace", -1, Multiple, 6},
		{"letters", rooms, "It isn't the hall; it is the terrace", 3, "", 6},
		{"letters", rooms, "We can rule out the hall, so terrace", 3, "", 6},
		{"letters", rooms, "Option A is wrong, so D", 3, "", 6},
		{"letters", rooms, "From block C the bath is seen, so B", -1, Conflict, 6},
		{"letters", rooms, "See U.S.A and R&B and A-frame", -1, NoAnswer, 6},
		{"letters", rooms, "The hallway", -1, NoAnswer, 6},
		{"letters", oddYes, "There is a sign, no more", -1, NoAnswer, 6},
		{"letters", oddYes, "Maybe, but only at night", 2, "", 6},
		{"letters", drawn, "I see Option C there", -1, Ambiguous, 6},
		{"letters", []string{"Left", "Right", "Up", "Down"}, "He goes left", -1, NoAnswer, 6},
		{"letters", []string{"Left", "Right", "Up", "Down"}, `He goes "left"`, 0, "", 6},
		{"letters", []string{"None of the above", "Hall", "Bath", "Terrace"}, "It is none of the above", 0, "", 6},
		{"letters", []string{"Statue", "A monument of various statues", "Tree", "nan"}, "I see a monument of various statues", 1, "", 6},
		{"numbers", things, "I see 3 and 4 things but (2) fits", 1, "", 6},
	} {
		got := ask(new(Reader), c.labels, c.options, c.answer)
		if got.Option != c.want || got.Reason != c.reason || got.Stage != c.stage {
			t.Errorf("%q with %q: got %+v; want option %d %q of stage %d", c.answer, c.options, got, c.want, c.reason, c.stage)
		}
	}
}

func TestStrict(t *testing.T) {
	r := new(Reader)
	for _, c := range []struct {
		answer string
		want   int
	}{{"B", 1}, {"{\"answer\":\"C\"}", 2}, {"x <answer>D</answer>", 3}, {"I would choose B", -1}, {"It is the hall", -1}} {
		r.SetOptions(Letters, texts(rooms))
		if got := r.Read([]byte(c.answer), true); got.Option != c.want {
			t.Errorf("%q: got %+v; want option %d", c.answer, got, c.want)
		}
	}
}

func texts(list []string) (out [][]byte) {
	for _, s := range list {
		out = append(out, []byte(s))
	}
	return out
}

// TestLong reads answers of several megabytes that would take hours if any rule
// looked at the rest of the text again and again. With -short they are shorter.
func TestLong(t *testing.T) {
	size := 3 << 20
	if testing.Short() {
		size = 1 << 16
	}
	for _, piece := range []string{"answer:\n\n", "{", "{\"a\":", "<answer>", "\\boxed{", "<think>", "<think></think>", "\"", "hall ", "A. x\n", "\\text{", "not ",
		"option ", "I would choose ", "A or ", "(", "答案", "a ", "<", "'", "**", "\n", "-> ", "# ", "option: ", "option: the likely ", "answer: (\"'"} {
		got := ask(new(Reader), "letters", []string{"hall hall hall b", "hall", strings.Repeat("hall ", 1000), "x"}, strings.Repeat(piece, size/len(piece)))
		if got.Option >= 0 && got.Reason != "" {
			t.Errorf("%q: got %+v", piece, got)
		}
	}
	end := ask(new(Reader), "letters", rooms, strings.Repeat("word ", 1<<20)+"The answer is C")
	if end.Option != 2 {
		t.Errorf("long answer: got %+v; want what its end says", end)
	}
}

// TestExamined checks how much of a long answer's end is read beyond its whole and its tags: 64 KiB.
func TestExamined(t *testing.T) {
	const statement = "The answer is B."
	for after, want := range map[int]int{64<<10 - len(statement): 1, 64 << 10: -1, 63 << 10: 1, 64<<10 + 500: -1} {
		text := strings.Repeat("zz ", 30<<10) + "\n" + statement + strings.Repeat(" zz", after/3) + strings.Repeat(" ", after%3)
		if got := ask(new(Reader), "letters", rooms, text); got.Option != want {
			t.Errorf("a statement %d bytes before the end: got %+v; want option %d", after+len(statement), got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"B", "{'answer': ['C']}", "<result>2", "\\boxed{\\text{A}}", "the answer is a 2.5 答案是B\n\n(3)", "Option C in the image", "\"hall\" not the bath", "<think>x"} {
		f.Add(s, "Hall|Option C in the image|nan|45", true)
	}
	f.Fuzz(func(t *testing.T, answer, options string, numbers bool) {
		r, style := new(Reader), Letters
		if numbers {
			style = Numbers
		}
		list := bytes.Split([]byte(options), []byte("|"))
		if len(list) > MaxOptions {
			list = list[:MaxOptions]
		}
		r.SetOptions(style, list)
		got := r.Read([]byte(answer), false)
		if (got.Option < 0) == (got.Reason == "") || got.Option >= len(list) || got.Literal && got.Stage != 1 {
			t.Fatalf("%q with %q: got %+v", answer, options, got)
		}
		if again := r.Read([]byte(answer), false); again != got {
			t.Fatalf("%q with %q: got %+v, then %+v", answer, options, got, again)
		}
	})
}
