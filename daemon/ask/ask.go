// Package ask writes what a model is asked: the messages and pictures of each call, by
// suite and by arm. In: the tasks of a benchmark and an arm, which is one way of asking.
// Out: the messages of each call of a task, with pictures, and the dump line of each
// answer. `plumb run` sends them and `plumb prompt` prints them, so both ask the same. It
// makes no calls, and refuses a task that cannot be asked, by its id and the member that is
// missing.
package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plumb/daemon/chat"
	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// Modes of asking. See docs/spec/runs.md#r29.
const (
	ModeDefault   = "default"
	ModeCoT       = "cot"
	ModeReasoning = "reasoning" // the texts of default, with other members of the request
)

// Inputs. See docs/spec/runs.md#r30.
const (
	InputFull     = "full"
	InputMinimal  = "minimal"  // shapes by their ids alone
	InputScaffold = "scaffold" // minimal, with a plot, a grid or labels in the picture
	InputBlind    = "blind"    // no picture
)

// Arm is one way of asking about the tasks of a suite. Members that a suite does not have
// are "".
type Arm struct {
	Mode    string // ModeDefault, ...
	Input   string
	Setting string // of TangramPuzzle's Task 2
	Format  string // of SPATIALAB: "mcq" or "open"
	Method  string // of SPATIALAB
}

// String names the arm in messages: "cot/minimal".
func (arm Arm) String() string {
	parts := slices.DeleteFunc([]string{arm.Mode, arm.Input, arm.Setting, arm.Format, arm.Method}, func(s string) bool { return s == "" })
	return strings.Join(parts, "/")
}

// Options choose arms and tasks. A nil list means the suite's default.
type Options struct {
	Modes, Inputs, Settings, Formats, Methods []string

	Tests []string // nil: all that the suite asks by default
	Seed  int64    // of options and solved instances of TangramPuzzle
}

// Task is one task of a benchmark.
type Task struct {
	ID    string // as results name it
	Test  string
	Group string // what --limit and --sample count by: the test, or the subcategory
	Line  []byte // the dump line without a model and a response: one JSON object

	data any // what the suite keeps of the task
}

// prompt returns the text that a suite asks about the task. It decodes the task's line at each call and
// keeps nothing, because the decoded JSON takes twenty times the memory of its text.
func (task *Task) prompt(suite *scoring.Suite, options scoring.PromptOptions) (string, error) {
	item, fault := itemDecoder(suite).Item(dump.Line{Number: 1, Bytes: task.Line}, suite.Name)
	if fault != nil {
		return "", fault
	}
	return suite.Prompt(item, options)
}

// Step is one call of a task.
type Step struct {
	Turn     int    // from 1
	Name     string // of a step within a turn; "" where there is one
	Messages []chat.Message
}

// Heard is a call that was made, with the model's reply to it.
type Heard struct {
	Turn int
	Name string
	Text string
	OK   bool // there is a text; false for a call that failed or was filtered
}

// Answer is one answer to be scored.
type Answer struct {
	ID   string // of its dump line
	Turn int    // 0 where the suite has none
	Text string
	OK   bool // false: the response is null
	Last int  // index of the last call that belongs to it, in the list of the task's calls
	From int  // index of the first one
}

// Suite asks the tasks of one benchmark.
type Suite interface {
	// Arms returns an arm for each combination of the options in which any task is asked.
	// left has a message for each combination in which some tasks are not asked. A wrong
	// option, and options by which no task is asked, are errors.
	Arms(o Options) (arms []Arm, left []string, err error)
	// Tasks lists the tasks in the order of their file.
	Tasks() []*Task
	// Fits reports whether a task is asked in an arm.
	Fits(t *Task, a Arm) bool
	// Next returns the next call of a task, nil where all were made. replies has the calls
	// so far. The error says why the task cannot be asked.
	Next(t *Task, a Arm, replies []Heard) (*Step, error)
	// Answers lists the answers that the calls of a task gave.
	Answers(t *Task, a Arm, replies []Heard) []Answer
}

// single is the part of suites with one answer for each task, the last of its calls.
type single struct{ tasks []*Task }

// Tasks implements Suite: the tasks in the order of their file.
func (s *single) Tasks() []*Task { return s.tasks }

// Answers implements Suite: the reply to the last call of a task is its only answer.
func (s *single) Answers(task *Task, _ Arm, replies []Heard) []Answer {
	if len(replies) == 0 {
		return nil
	}
	last := replies[len(replies)-1]
	lastCall := len(replies) - 1
	return []Answer{{ID: task.ID, Text: last.Text, OK: last.OK, Last: lastCall}}
}

// once returns the only call of a task with the messages that the function makes, or nil if it has been
// made, which replies shows.
func once(replies []Heard, messages func() ([]chat.Message, error)) (*Step, error) {
	if len(replies) > 0 {
		return nil, nil
	}
	m, err := messages()
	if err != nil {
		return nil, err
	}
	return &Step{Turn: 1, Messages: m}, nil
}

// chosen returns the values of a member of an arm that were asked for, in the order of all, which are
// those of the suite; nil means those of standard. For a suite without such a member it returns one "".
// The error names the flag, and a value that the suite does not have.
func chosen(flag string, asked, standard, all []string) ([]string, error) {
	if asked == nil {
		asked = standard
	}
	for _, value := range asked {
		if !slices.Contains(all, value) {
			if len(all) == 0 {
				return nil, fmt.Errorf("cannot use --%s %s: the suite has no --%[1]s", flag, value)
			}
			return nil, fmt.Errorf("cannot use --%s %q: want one of %s", flag, value, strings.Join(all, ", "))
		}
	}
	if len(all) == 0 {
		return []string{""}, nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(v string) bool { return !slices.Contains(asked, v) }), nil
}

// choices are the values of each member of an arm that a suite has.
type choices struct {
	modes, inputs, settings, formats, methods []string // all values; nil for none
	standard                                  Options  // by default; a nil list means the first value
}

// arms returns all combinations of the values that were asked for in which any task is asked. countFitting
// returns how many of all tasks are asked in an arm. leftOut has a message for each combination in which some
// tasks, or all, are left out. A value that the suite does not have is an error, and so is it if no task is asked
// in any combination.
func (choices *choices) arms(options Options, countFitting func(Arm) int, tasks int) (arms []Arm, leftOut []string, err error) {
	var lists [5][]string // of modes, inputs, settings, formats and methods
	for i, m := range []struct {
		flag                 string
		asked, standard, all []string
	}{
		{"mode", options.Modes, choices.standard.Modes, choices.modes}, {"input", options.Inputs, choices.standard.Inputs, choices.inputs},
		{"setting", options.Settings, choices.standard.Settings, choices.settings}, {"format", options.Formats, choices.standard.Formats, choices.formats},
		{"method", options.Methods, choices.standard.Methods, choices.methods},
	} {
		// Without a flag the standard values are asked, or the first one.
		if m.standard == nil && len(m.all) > 0 {
			m.standard = m.all[:1]
		}
		if lists[i], err = chosen(m.flag, m.asked, m.standard, m.all); err != nil {
			return nil, nil, err
		}
	}
	// Keep the combinations in which some task is asked.
	for _, arm := range combinations(lists) {
		n := countFitting(arm)
		if n > 0 {
			arms = append(arms, arm)
		}
		if n < tasks {
			leftOut = append(leftOut, fmt.Sprintf("%s: %d of %s left out", arm, tasks-n, plural.Of(tasks, "task has no such form and is", "tasks have no such form and are")))
		}
	}
	if len(arms) == 0 {
		why := cmp.Or(strings.Join(leftOut, "; "), "there are no tasks")
		return nil, nil, fmt.Errorf("cannot ask anything: no task has one of these forms (%s)", why)
	}
	return arms, leftOut, nil
}

// combinations returns an arm for each combination of one value from each list: modes, inputs, settings,
// formats and methods. The last lists vary fastest.
func combinations(lists [5][]string) (arms []Arm) {
	for _, mode := range lists[0] {
		for _, input := range lists[1] {
			for _, setting := range lists[2] {
				for _, format := range lists[3] {
					for _, method := range lists[4] {
						arms = append(arms, Arm{mode, input, setting, format, method})
					}
				}
			}
		}
	}
	return arms
}

// count returns how many of the tasks satisfy fits.
func count(tasks []*Task, fits func(*Task) bool) (n int) {
	for _, t := range tasks {
		if fits(t) {
			n++
		}
	}
	return n
}
