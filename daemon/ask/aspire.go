package ask

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plumb/daemon/chat"
	"plumb/daemon/dump"
	"plumb/scoring"
)

// aspire asks ASPIRE's tasks.
type aspire struct {
	single
	suite      *scoring.Suite
	boards     *Boards
	testsNamed bool // the user named the tests, so that they are asked with inputs that are not their default too
	choice     choices
}

// minimalTests are the tests whose minimal input the paper has.
var minimalTests = []string{"arrow", "balance", "graph", "overlap"}

// NewAspire returns the suite for task lines, each a dump line without a model and a
// response. See docs/spec/runs.md#r30.
func NewAspire(suite *scoring.Suite, lines [][]byte, boards *Boards, options Options) (Suite, error) {
	s := &aspire{suite: suite, boards: boards, testsNamed: options.Tests != nil, choice: choices{
		modes: []string{ModeDefault, ModeCoT, ModeReasoning}, inputs: []string{InputFull, InputMinimal, InputScaffold},
	}}
	var err error
	s.tasks, err = readItems(suite, lines, options.Tests, func(t *Task, it *scoring.Item) { t.Group = it.Test })
	return s, err
}

// Arms implements Suite. If there is a scaffold to draw, it opens the font of its texts.
func (aspire *aspire) Arms(options Options) ([]Arm, []string, error) {
	fits := func(a Arm) int { return count(aspire.tasks, func(t *Task) bool { return aspire.Fits(t, a) }) }
	arms, left, err := aspire.choice.arms(options, fits, len(aspire.tasks))
	if err == nil && slices.ContainsFunc(arms, func(a Arm) bool { return a.Input == InputScaffold }) {
		err = aspire.boards.openPen() // so that a missing font is found before the first call
	}
	return arms, left, err
}

// Fits implements Suite: it reports whether a task of ASPIRE is asked with the input of an arm. The
// minimal input is for the tests for which the paper has it, and for any test that the user named. A
// scaffold is for the tests that have one.
func (aspire *aspire) Fits(task *Task, arm Arm) bool {
	switch arm.Input {
	case InputMinimal:
		return aspire.testsNamed || slices.Contains(minimalTests, task.Test)
	case InputScaffold:
		return HasScaffold(task.Test)
	}
	return true
}

// Next returns the only call of an ASPIRE task, or nil after its reply: a message with the picture of
// the whiteboard and then the text. The arm says which text and whether the picture has a scaffold.
func (aspire *aspire) Next(task *Task, arm Arm, replies []Heard) (*Step, error) {
	return once(replies, func() ([]chat.Message, error) {
		text, err := task.prompt(aspire.suite, scoring.PromptOptions{Minimal: arm.Input != InputFull, StepWise: arm.Mode == ModeCoT})
		if err != nil {
			return nil, fmt.Errorf("cannot ask %s: %w", task.ID, err)
		}
		img, err := aspire.boards.Picture(task, arm.Input == InputScaffold)
		if err != nil {
			return nil, fmt.Errorf("cannot ask %s: cannot draw its picture: %w", task.ID, err)
		}
		return []chat.Message{chat.User(chat.Picture(img), chat.Text(text))}, nil
	})
}

// itemDecoder returns a decoder of the task lines of a suite.
func itemDecoder(s *scoring.Suite) *dump.Decoder {
	return dump.NewDecoder(dump.ItemConfig{Suites: scoring.NewSuites(s), DefaultSuite: s.Name})
}

// readItems reads all task lines as items of one suite and returns the tasks of the given tests, or all
// tasks if tests is nil. For each task it calls fill, which sets the task's group and what the suite keeps
// of it; the item is valid until fill returns. A line that is no item, an id that occurs twice and an
// unknown test are errors, and so are no tasks at all.
func readItems(suite *scoring.Suite, lines [][]byte, tests []string, fill func(*Task, *scoring.Item)) ([]*Task, error) {
	var tasks []*Task
	seen := map[string]bool{}
	d := itemDecoder(suite)
	for i, line := range lines {
		item, fault := d.Item(dump.Line{Number: i + 1, Bytes: line}, suite.Name)
		switch {
		case fault != nil:
			return nil, fmt.Errorf("cannot use task %s: %w", item.ID, fault)
		case seen[item.ID]:
			return nil, fmt.Errorf("cannot use task %s: another task has its id; want each once", item.ID)
		case suite.Tests != nil && item.Test != "" && !slices.Contains(suite.Tests, item.Test):
			return nil, fmt.Errorf("cannot use task %s: got the test %q; want one of %s", item.ID, item.Test, strings.Join(suite.Tests, ", "))
		}
		seen[item.ID] = true
		if tests != nil && !slices.Contains(tests, item.Test) {
			continue
		}
		t := &Task{ID: item.ID, Test: item.Test, Line: line}
		fill(t, item)
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		return nil, errors.New("cannot ask anything: there are no tasks")
	}
	return tasks, nil
}
