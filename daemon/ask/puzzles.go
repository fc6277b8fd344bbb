package ask

import (
	"slices"
	"strings"
	"sync"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/choice"
	"plumb/scoring/tangram/prompt"
)

// settings are those of Task 2 of TangramPuzzle.
var settings = []string{string(prompt.ZeroShot), string(prompt.InContext), string(prompt.VisualCentric)}

// puzzles keeps the instances of task files for single prompts, because options and solved
// examples come from all of them.
type puzzles struct {
	mu   sync.Mutex
	sets map[*dump.Tasks]*instances
}

// instances are those of one reading of a task file, sorted by id.
type instances struct {
	firstJSON  []byte // of the first one: another reading of the file has another slice
	count      int
	sorted     []*assembly.Instance // by id
	candidates []choice.Candidate   // the same for draws of options and examples
}

// instancesOf returns the instances of a task file, sorted by id. It reads them once for each reading of the file.
// No instances, or one that is not valid, is an error.
func (puzzles *puzzles) instancesOf(tasks *dump.Tasks) (*instances, error) {
	puzzles.mu.Lock()
	defer puzzles.mu.Unlock()
	var whole [][]byte
	tasks.EachWhole(func(_ string, _ int, json []byte) error { whole = append(whole, json); return nil })
	if len(whole) == 0 {
		return nil, badItem("cannot ask: options and examples come from a file of instances; want plumb serve --tasks tangram=FILE")
	}
	// The same slice in memory means that the file has not been read again since.
	old := puzzles.sets[tasks]
	if old != nil && old.count == len(whole) && &old.firstJSON[0] == &whole[0][0] {
		return old, nil
	}
	in := &instances{firstJSON: whole[0], count: len(whole)}
	for _, b := range whole {
		one, err := assembly.Read(b)
		if err != nil {
			return nil, badItem("cannot ask: the file of instances cannot be used: %v", err)
		}
		in.sorted = append(in.sorted, one)
	}
	slices.SortStableFunc(in.sorted, func(a, b *assembly.Instance) int { return strings.Compare(a.ID, b.ID) })
	in.candidates = Candidates(in.sorted)
	if puzzles.sets == nil {
		puzzles.sets = map[*dump.Tasks]*instances{}
	}
	puzzles.sets[tasks] = in
	return in, nil
}

// find returns the position of an instance, -1 for none.
func (in *instances) find(id string) int {
	return slices.IndexFunc(in.sorted, func(i *assembly.Instance) bool { return i.ID == id })
}

// Outline returns the dump line, without a response, of the item of Task 1 for the instance at a
// position of a file of instances, with the options that a seed draws: the line that
// `plumb tangram items` writes for it. It holds the right letter.
func (prompter *Prompter) Outline(tasks *dump.Tasks, position int, seed int64) ([]byte, error) {
	instances, err := prompter.puzzles.instancesOf(tasks)
	if err != nil {
		return nil, err
	}
	name, ok := tasks.At(position)
	place := instances.find(name)
	if !ok || place < 0 {
		return nil, badItem("cannot ask: no instance stands at position %d", position)
	}
	items, err := choice.Items(instances.candidates, seed)
	if err != nil {
		return nil, badItem("%v", err)
	}
	return append(AppendOptions([]byte{'{'}, &items[place]), '}'), nil
}

// askPuzzle returns the prompt of a TangramPuzzle item under an arm: its text and, if pictures is
// true, its picture. It is Ask for this suite.
func (prompter *Prompter) askPuzzle(item *scoring.Item, arm Arm, pictures bool) (*Asked, error) {
	task, name, err := prompter.puzzle(item, &arm)
	if err != nil {
		return nil, err
	}
	text, draw := Puzzle(task, arm)
	asked := &Asked{Text: text}
	if !pictures {
		return asked, nil
	}
	img, err := draw()
	if err != nil {
		return nil, err
	}
	one, err := Painted(name, img)
	asked.Images = []Picture{one}
	return asked, err
}

// puzzle returns the task of an item with all that its prompt needs, and the name of its picture. The
// puzzle is the loaded instance with the item's instance id, or if there is none the item itself. It
// corrects the setting in the arm: Task 1 has none, and Task 2 has zero-shot by default. For the setting
// in-context, solved examples are drawn from the loaded file.
func (prompter *Prompter) puzzle(item *scoring.Item, arm *Arm) (task *Task, name string, err error) {
	tasks := prompter.tasksOf(item)
	id := string(item.Fields.GetStringBytes("instance_id"))
	if id == "" {
		id = item.ID
	}
	// The instance.
	whole := tasks.Whole(id)
	if whole == nil {
		whole = jsontree.Append(nil, item.Fields)
	}
	puzzle := &puzzle{}
	if puzzle.instance, err = assembly.Read(whole); err != nil {
		return nil, "", badItem("cannot ask %s: %v", item.ID, err)
	}
	// Task 1 has options in place of a setting.
	task = &Task{ID: item.ID, Test: testSolution, data: puzzle}
	if item.Test == testOutline {
		task.Test, arm.Setting = testOutline, ""
		return task, "options", prompter.readOptions(item, tasks, puzzle)
	}
	// Task 2 needs examples in one of its settings.
	if arm.Setting == "" {
		arm.Setting = string(prompt.ZeroShot)
	}
	if arm.Setting != string(prompt.InContext) {
		return task, "outline", nil
	}
	// Draw the examples from the instances with other outlines.
	instances, err := prompter.puzzles.instancesOf(tasks)
	if err != nil {
		return nil, "", err
	}
	own := instances.find(id)
	needed := prompt.Examples + 1 // different outlines: the puzzle's own, and one for each example
	if err := choice.CheckOutlines(instances.candidates, needed); err != nil || own < 0 {
		return nil, "", badItem("cannot ask %s in context: its examples come from the file of instances, "+
			"which lacks it or has too few", item.ID)
	}
	const seed = 0
	for _, other := range choice.Draw(instances.candidates, own, prompt.ExampleSeed(seed, id), prompt.Examples).Others {
		puzzle.examples = append(puzzle.examples, instances.sorted[other])
	}
	return task, "outline", nil
}

// readOptions sets the four options of an item of TangramPuzzle's Task 1, and the outlines that its picture
// shows. The item names an instance for each letter, and the instances come from a loaded file.
func (prompter *Prompter) readOptions(item *scoring.Item, tasks *dump.Tasks, puzzle *puzzle) error {
	puzzle.options, puzzle.loops = &choice.Item{ID: item.ID}, map[string]loop{}
	for i := range puzzle.options.Options {
		letter := choice.Letters[i : i+1]
		id := string(item.Fields.GetStringBytes("options", letter))
		data := tasks.Whole(id)
		if data == nil {
			return badItem("cannot ask %s: options.%s is %.64q, which no loaded file has exactly once "+
				"(plumb serve --tasks tangram=FILE)", item.ID, letter, id)
		}
		one, err := assembly.Read(data)
		if err != nil {
			return badItem("cannot ask %s: %v", item.ID, err)
		}
		puzzle.options.Options[i] = id
		puzzle.loops[id] = loopOf(one)
	}
	return nil
}

// parsed returns the JSON of a task as a value with memory of its own, or nil if there is none or it
// cannot be parsed.
func parsed(data []byte) *fastjson.Value {
	if data == nil {
		return nil
	}
	value, err := jsontree.Parse(new(fastjson.Parser), data)
	if err != nil {
		return nil
	}
	return value
}
