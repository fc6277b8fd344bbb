// Package items measures the items of a dump through the queue that scores them:
// how long each takes when it comes alone, and how many go through per second of
// processor time. In: dump lines, made here for every test of every suite or read
// from files. Out: a Class per test. It refuses lines that cannot be scored.
package items

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"plumb/scoring"
	"plumb/scoring/aspire/scenario"
	"plumb/scoring/aspire/scenario/program"
	"plumb/scoring/tangram/choice"
	"plumb/scoring/tangram/generate"
)

// Set holds the items of one class: one test of one suite.
type Set struct {
	Name  string // "aspire/maze"
	Doc   string
	Lines [][]byte // dump lines with answers
	HTTP  bool     // scored by a daemon, over HTTP
}

// MakeSets makes the items that plumb bench measures: about n for every test of every suite. The same seed
// and number give the same bytes.
func MakeSets(n int, seed uint64) ([]Set, error) {
	var sets []Set
	for _, test := range scenario.Tests() {
		lines, err := whiteboards(test, n, seed)
		if err != nil {
			return nil, err
		}
		sets = append(sets, Set{Name: "aspire/" + test, Doc: "made-up whiteboards with answers of programs", Lines: lines})
	}
	for _, size := range []int{8, 64, 1000} { // answers to a task
		tasks := max(4*n/size, 1) // about 4n answers in all
		lines, err := answers(size, tasks, seed)
		if err != nil {
			return nil, err
		}
		name, doc := fmt.Sprintf("aspire/answers-%d", size), fmt.Sprintf("balance, %d different answers to each task", size)
		sets = append(sets, Set{Name: name, Doc: doc, Lines: lines}, Set{Name: name + "-http", Doc: doc + ", over HTTP", Lines: lines, HTTP: true})
	}
	return append(sets,
		Set{Name: "drawingbench", Doc: "strokes of pen, line and shapes in three colours", Lines: drawings(n, seed)},
		Set{Name: "tangram/solution", Doc: "made-up instances with answers of different quality", Lines: solutions(n, seed)},
		Set{Name: "tangram/outline", Doc: "one of four silhouettes", Lines: outlines(n)},
		Set{Name: "spatialab", Doc: "multiple choice in the forms that models write", Lines: questions("spatialab", "numbers", "answer_index", answerForms, n)},
		Set{Name: "spaceeval", Doc: "multiple choice, answers that need no judge", Lines: questions("spaceeval", "letters", "answer", answerForms[:1], n)}), nil
}

// whiteboards makes n items of one ASPIRE test, as dump lines. Programs of different skill answer them in
// turn, as models of different skill would.
func whiteboards(test string, n int, seed uint64) (lines [][]byte, err error) {
	programs := program.All()
	for i := 0; len(lines) < n; i++ {
		made, err := scenario.Make(seed, test, i/len(programs))
		if err != nil {
			return nil, err
		}
		answerer := programs[i%len(programs)]
		answer := answerer.Answer(seed, made)
		if answer == nil { // a missing response, which is not scored
			continue
		}
		line, err := made.AppendLine(nil, answerer.Name, answer)
		if err != nil {
			return nil, err
		}
		lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	return lines, nil
}

// answers makes items of ASPIRE's balance test as a trainer has them: several different answers to each task.
// size is the number of answers to a task, and tasks the number of tasks. One program, which varies its
// answers, gives all of them.
func answers(size, tasks int, seed uint64) (lines [][]byte, err error) {
	noisy := program.All()[1] // the program of middling skill, whose answers depend on a seed
	for i := range size * tasks {
		made, err := scenario.Make(seed, "balance", i/size)
		if err != nil {
			return nil, err
		}
		line, err := made.AppendLine(nil, fmt.Sprintf("%s-%d", noisy.Name, i), noisy.Answer(uint64(i), made))
		if err != nil {
			return nil, err
		}
		lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	return lines, nil
}

// drawings makes n items of DrawingBench, as dump lines. The answers are mouse actions: they choose a tool of
// the drawing app by a click on its button, and then draw some strokes with it.
func drawings(n int, seed uint64) (lines [][]byte) {
	tools := []struct {
		name string
		y    int // of its button, at x = 35
	}{{"pen", 205}, {"line", 325}, {"rectangle", 385}, {"circle", 445}}
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		tool := tools[i%len(tools)]
		var actions bytes.Buffer
		fmt.Fprintf(&actions, `[{"action":"click","x":35,"y":%d}`, tool.y)
		for range 2 + i%6 {
			x, y := 200+random.IntN(400), 200+random.IntN(300)
			fmt.Fprintf(&actions, `,{"action":"moveTo","x":%d,"y":%d},{"action":"mouseDown"}`, x, y)
			for range 1 + i%4 {
				x, y = x+10+random.IntN(80), y+10+random.IntN(40)
				fmt.Fprintf(&actions, `,{"action":"moveTo","x":%d,"y":%d}`, x, y)
			}
			actions.WriteString(`,{"action":"mouseUp"}`)
		}
		actions.WriteByte(']')
		line := fmt.Appendf(nil, `{"id":"drawing-%04d","suite":"drawingbench","criteria":{"required_tools":["%s"],"min_segments":2,"min_coverage":0.01},"response":`, i, tool.name)
		lines = append(lines, append(scoring.AppendString(line, "I draw.\n```json\n"+actions.String()+"\n```"), '}'))
	}
	return lines
}

// solutions makes n items of TangramPuzzle's Task 2, as dump lines, which carry their instances. The answers
// are of different quality in turn.
func solutions(n int, seed uint64) (lines [][]byte) {
	for i := range n {
		instance := generate.Instance(int64(seed), i)
		line := bytes.TrimSuffix(instance.AppendJSON(nil), []byte("}")) // the item is the instance with more members
		line = fmt.Appendf(line, `,"id":"solution-%04d","suite":"tangram","test":"solution","response":`, i)
		answer := generate.Answer(instance, generate.Qualities[i%len(generate.Qualities)])
		lines = append(lines, append(scoring.AppendString(line, answer), '}'))
	}
	return lines
}

// outlines makes n items of TangramPuzzle's Task 1, in which a model picks one of four silhouettes, as dump
// lines. The right letter and the form of the answer change from item to item.
func outlines(n int) (lines [][]byte) {
	for i := range n {
		right := choice.Letters[i%4 : i%4+1]
		text, _, _ := generate.Choice(right, i) // the rest says whether it is right, which is not needed here
		line := fmt.Appendf(nil, `{"id":"outline-%04d","suite":"tangram","test":"outline","instance_id":"outline-%04d","options":{"A":"a","B":"b","C":"c","D":"d"},"answer":"%s","response":`, i, i, right)
		lines = append(lines, append(scoring.AppendString(line, text), '}'))
	}
	return lines
}

// answerForms are phrases in which models name option %[1]s, whose text is %[2]s.
var answerForms = []string{"%[1]s", "%[1]s.", "%[1]s. %[2]s", "The answer is %[1]s.", `{"answer": "%[1]s"}`, "<result>%[1]s</result>",
	"Looking at the picture, the room with the stove is nearest to the door.\n\nAnswer: %[1]s", "I would choose %[1]s because it has a window."}

// questions makes n multiple-choice items of a suite with right answers, as dump lines. labels is "letters"
// or "numbers" and says how options are named. key is the name of the member that holds the right option.
// forms are formats of the answers' texts, with the name and the text of an option.
func questions(suite, labels, key string, forms []string, n int) (lines [][]byte) {
	options := []string{"Hall", "Kitchen", "Bath", "Terrace"}
	for i := range n {
		right := (i / len(forms)) % len(options)                // each option in all forms before the next one
		label, answer := fmt.Sprint(right+1), fmt.Sprint(right) // models count from 1, the item from 0
		if labels == "letters" {
			label = string(rune('A' + right))
			answer = `"` + label + `"`
		}
		line := fmt.Appendf(nil, `{"id":"%s-%04d","suite":"%s","question":"Which room has the most light in the afternoon?","options":["Hall","Kitchen","Bath","Terrace"],"labels":"%s","%s":%s,"response":`,
			suite, i, suite, labels, key, answer)
		lines = append(lines, append(scoring.AppendString(line, fmt.Sprintf(forms[i%len(forms)], label, options[right])), '}'))
	}
	return lines
}
