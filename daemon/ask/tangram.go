package ask

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"plumb/daemon/chat"
	"plumb/daemon/flatpng"
	"plumb/render/sheet"
	"plumb/scoring"
	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/choice"
	"plumb/scoring/tangram/diagram"
	"plumb/scoring/tangram/prompt"
)

// The tests of TangramPuzzle.
const (
	testOutline  = "outline"
	testSolution = "solution"
)

// puzzle is one task of TangramPuzzle.
type puzzle struct {
	instance *assembly.Instance
	options  *choice.Item         // of Task 1
	examples []*assembly.Instance // solved instances of the setting in-context
	loops    map[string]loop      // outlines by id, shared
}

// loop is an outline as it is drawn.
type loop = sheet.Loop

// loopOf returns the target outline of a puzzle with its exact coordinates as float64.
func loopOf(in *assembly.Instance) (loop loop) {
	for _, p := range in.Outline {
		loop = append(loop, sheet.Pt(p.Floats()))
	}
	return loop
}

// tangram asks TangramPuzzle's tasks.
type tangram struct {
	single
	choice choices
}

// stepwise ends a prompt of the mode cot, which the paper does not have for TangramPuzzle.
const stepwise = "\nThink step-by-step"

// NewTangram returns the suite that asks about instances of TangramPuzzle, which must have different ids.
// Each instance gives one task for each test in opts, which by default is Task 2 alone. All tasks of Task 1
// (outline) come before those of Task 2 (solution), each in the order of ids. See docs/spec/runs.md#r34.
func NewTangram(set []*assembly.Instance, opts Options) (Suite, error) {
	set = slices.Clone(set)
	slices.SortStableFunc(set, func(a, b *assembly.Instance) int { return strings.Compare(a.ID, b.ID) })
	s := &tangram{choice: choices{modes: []string{ModeDefault, ModeCoT, ModeReasoning},
		settings: settings}}
	tests := opts.Tests
	if tests == nil {
		tests = []string{testSolution}
	}
	all := Candidates(set)
	for _, test := range []string{testOutline, testSolution} {
		if !slices.Contains(tests, test) {
			continue
		}
		add := s.addSolutions
		if test == testOutline {
			add = s.addOutlines
		}
		if err := add(set, all, opts); err != nil {
			return nil, err
		}
	}
	if len(s.tasks) == 0 {
		return nil, errors.New("cannot ask anything: there are no instances, or --test names none of outline, solution")
	}
	return s, nil
}

// Candidates returns the instances in the form from which options are drawn. The outline of each is the
// text of its exact vertices, so that equal outlines are equal texts.
func Candidates(set []*assembly.Instance) []choice.Candidate {
	out := make([]choice.Candidate, len(set))
	for i, instance := range set {
		var vertices []byte // "X,Y X,Y "
		for _, p := range instance.Outline {
			vertices = append(p.X.AppendLaTeX(vertices), ',')
			vertices = append(p.Y.AppendLaTeX(vertices), ' ')
		}
		out[i] = choice.Candidate{ID: instance.ID, Outline: string(vertices)}
	}
	return out
}

// addOutlines adds the tasks of Task 1: each instance with four options, which the seed draws from all.
func (tangram *tangram) addOutlines(set []*assembly.Instance, all []choice.Candidate, o Options) error {
	items, err := choice.Items(all, o.Seed)
	if err != nil {
		return err
	}
	loops := make(map[string]loop, len(set))
	for _, in := range set {
		loops[in.ID] = loopOf(in)
	}
	for i := range items {
		it := &items[i]
		own := &puzzle{instance: set[i], options: it, loops: loops} // set and items are both sorted by id
		line := append(AppendOptions([]byte{'{'}, it), '}')
		tangram.tasks = append(tangram.tasks, &Task{ID: it.ID, Test: testOutline, Group: testOutline, Line: line, data: own})
	}
	return nil
}

// AppendOptions appends the members of the dump line of a Task 1 item, without the object's braces:
// ids, the four options and the right letter.
func AppendOptions(dst []byte, item *choice.Item) []byte {
	dst = scoring.AppendString(append(dst, `"id":`...), item.ID)
	dst = scoring.AppendString(append(dst, `,"suite":"tangram","test":"outline","instance_id":`...), item.ID)
	dst = append(dst, `,"options":{`...)
	for i, o := range item.Options {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = scoring.AppendString(fmt.Appendf(dst, `"%c":`, choice.Letters[i]), o)
	}
	return scoring.AppendString(append(dst, `},"answer":`...), item.Answer)
}

// addSolutions adds the tasks of Task 2: each instance, and if the setting in-context is asked, with
// solved examples that the seed draws from the others.
func (tangram *tangram) addSolutions(set []*assembly.Instance, all []choice.Candidate, options Options) error {
	inContext := slices.Contains(options.Settings, string(prompt.InContext))
	if inContext {
		needed := prompt.Examples + 1 // different outlines: an instance's own, and one for each example
		if err := choice.CheckOutlines(all, needed); err != nil {
			return err
		}
	}
	for k, instance := range set {
		p := &puzzle{instance: instance}
		if inContext {
			for _, j := range choice.Draw(all, k, prompt.ExampleSeed(options.Seed, instance.ID), prompt.Examples).Others {
				p.examples = append(p.examples, set[j])
			}
		}
		line := scoring.AppendString([]byte(`{"id":`), instance.ID)
		line = scoring.AppendString(append(line, `,"suite":"tangram","test":"solution","instance_id":`...), instance.ID)
		tangram.tasks = append(tangram.tasks, &Task{ID: instance.ID, Test: testSolution, Group: testSolution, Line: append(line, '}'), data: p})
	}
	return nil
}

// Arms implements Suite: an arm for each combination of the modes and settings in options. Task 1 has no
// settings, so if there are tasks of it, it gets one arm without a setting for each mode. There are no messages
// on tasks that are left out, because every combination asks all tasks of Task 2.
func (tangram *tangram) Arms(options Options) ([]Arm, []string, error) {
	arms, left, err := tangram.choice.arms(options, func(Arm) int { return len(tangram.tasks) }, len(tangram.tasks))
	if err != nil {
		return nil, nil, err
	}
	solutions := count(tangram.tasks, func(t *Task) bool { return t.Test == testSolution })
	if solutions == len(tangram.tasks) {
		return arms, left, nil
	}
	var out []Arm
	for _, arm := range arms {
		withoutSetting := Arm{Mode: arm.Mode}
		if !slices.Contains(out, withoutSetting) {
			out = append(out, withoutSetting)
		}
		if solutions > 0 {
			out = append(out, arm)
		}
	}
	return out, left, nil
}

// Fits implements Suite: Task 2 alone has settings, and is asked in one of them.
func (tangram *tangram) Fits(task *Task, arm Arm) bool {
	return (arm.Setting != "") == (task.Test == testSolution)
}

// Next implements Suite: each task has one call, with the picture before the text.
func (tangram *tangram) Next(task *Task, arm Arm, replies []Heard) (*Step, error) {
	return once(replies, func() ([]chat.Message, error) {
		text, draw := Puzzle(task, arm)
		img, err := draw()
		if err != nil {
			return nil, fmt.Errorf("cannot ask %s: %w", task.ID, err)
		}
		picture := &chat.Image{Data: flatpng.Over(img, ground), Type: "image/png"} // it is opaque
		return []chat.Message{chat.User(chat.Picture(picture), chat.Text(text))}, nil
	})
}

// Puzzle returns the text of a task of TangramPuzzle in an arm, and a function that draws its picture, because
// not all callers need it: the four options of Task 1 (test outline), or the outline of Task 2 (test solution)
// with the coordinates of its vertices. The arm with mode cot asks to think step by step at the end.
func Puzzle(task *Task, arm Arm) (text string, draw func() (*image.NRGBA, error)) {
	p := task.data.(*puzzle)
	if task.Test == testOutline {
		text = prompt.Outline(p.instance)
		draw = func() (*image.NRGBA, error) {
			var four [4]sheet.Loop
			for k, o := range p.options.Options {
				four[k] = p.loops[o]
			}
			return diagram.Options(four)
		}
	} else {
		text = prompt.Solution(p.instance, prompt.Setting(arm.Setting), p.examples)
		draw = func() (*image.NRGBA, error) { return diagram.Outline(marked(p.instance)) }
	}
	if arm.Mode == ModeCoT {
		text += stepwise
	}
	return text, draw
}

// marked returns the vertices of a puzzle's outline with their coordinates as labels.
func marked(in *assembly.Instance) []diagram.Vertex {
	vs := make([]diagram.Vertex, len(in.Outline))
	for i, p := range in.Outline {
		label := fmt.Sprintf("(%s, %s)", diagram.Plain(p.X), diagram.Plain(p.Y))
		vs[i] = diagram.Vertex{At: sheet.Pt(p.Floats()), Text: label}
	}
	return vs
}
