package extract

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

var update = flag.Bool("update", false, "write testdata again")

// names, statements and others are what made-up answers are put together from: labels and texts of
// options, what leads to them or judges them, and the words and marks between that rules know.
var (
	names = []string{
		"A", "B", "C", "D", "E", "I", "a", "b", "c", "d", "1", "2", "3", "4", "5", "9", "12", "45", "180", "2.5", "(B)", "(c)", "[D]", "<A>", "(2)", "#3", "\"B\"", "'c'", "B's", "BD", "AA",
		"Hall", "kitchen", "the bath", "Terrace", "hallway", "\"Hall\"", "\"kitchen\"", "crate", "porter", "Bench", "yes", "no", "left", "\"left\"", "only at night", "Option C in the image", "option b",
	}
	statements = []string{
		"the answer is", "answer:", "Answer =", "final answer ->", "choice is", "selection was", "the prediction should be", "option must be", "I choose", "I would pick", "I'd go with", "I'll opt for", "i vote for", "答案是", "答案:", "答案 选",
		"is correct", "seems the most appropriate", "looks right", "must be the only true", "would be the best", "is wrong", "is not", "isn't", "cannot be", "seems unlikely", "was ruled out", "appears",
	}
	others = []string{
		"not", "never", "rather than", "instead of", "ruling out", "excluding", "eliminated", "neither", "don't", "if", "whether", "because", "since", "and", "or", "both", "either",
		"most likely", "probably,", "the", "option", "choice", "letter", "number", "unknown", "none", "point", "rooms", "boxes", "a", "an", "of", "than", "out",
		".", ",", ";", ":", "!", "?", "-", "->", "=", "/", "&", "+", "|", "%", "\n", "\n\n", "\"", "'", "(", ")", "[", "]", "{", "}", "<", ">", "*", "$", "_", "#", "`",
		"<answer>", "</answer>", "<final >", "</final>", "<result>", "</result>", "\\boxed{", "\\text{", "<think>", "</think>", "```", "{\"answer\":", "{'choice': '", "\"}", "'}", "{\"option\": 2}", "[\"B\",", "\"C\"]", "true", "null",
		"is", "was", "here", "word", "x", "é", "中", "U.S.", "A-frame", "e.g.",
	}
)

// questions are the options of made-up answers.
var questions = []struct {
	labels  string
	options []string
}{
	{"letters", rooms}, {"numbers", things}, {"numbers", angles}, {"letters", drawn}, {"letters", numeral}, {"letters", oddYes}, {"numbers", rooms},
	{"letters", []string{"Left", "Right", "The hall", "a large hall", "nan", "", "Kitchen", "kitchen."}},
	{"numbers", []string{"Option 3 here", "option 1", "2", "1", "Room B"}},
}

// madeUpAnswer puts an answer together.
func madeUpAnswer(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(8) {
		list := names
		switch r.IntN(5) {
		case 0:
			list = statements
		case 1, 2:
			list = others
		}
		b.WriteString(list[r.IntN(len(list))])
		if r.IntN(4) > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// TestKept reads 12,000 made-up answers, and compares what is read of each with
// testdata/vqa/readings.txt: the option or - for none, the stage, the first letters of the reason, ! for a literal answer,
// and of one in five where it was read.
// After a change that should change readings, run it with -update.
func TestKept(t *testing.T) {
	const lines, perLine = 120, 100
	path := filepath.Join(testdata.Root(), "testdata", "vqa", "readings.txt")
	kept, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	wants := strings.Split(string(kept), "\n")
	random, reader := rand.New(rand.NewPCG(7, 8)), new(Reader)
	var all strings.Builder
	for line := range lines {
		var fields []string
		for i := range perLine {
			q := questions[(line*perLine+i)%len(questions)]
			answer := madeUpAnswer(random)
			got := ask(reader, q.labels, q.options, answer)
			field := fmt.Sprintf("-%d%.2s", got.Stage, got.Reason)
			if got.Option >= 0 {
				field = fmt.Sprintf("%c%d", 'A'+got.Option, got.Stage)
			}
			if got.Literal {
				field += "!"
			}
			if i%5 == 0 {
				if from, to, ok := reader.Where([]byte(answer), false); ok {
					field += fmt.Sprintf("@%d-%d", from, to)
				}
			}
			fields = append(fields, field)
			if line < len(wants) && !*update {
				if want := strings.Fields(wants[line]); i < len(want) && want[i] != field {
					t.Fatalf("answer %d, %q with %q: got %s; want %s", line*perLine+i, answer, q.options, field, want[i])
				}
			}
		}
		all.WriteString(strings.Join(fields, " ") + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if all.String() != string(kept) {
		t.Errorf("%s does not have %d lines of %d readings", path, lines, perLine)
	}
}
