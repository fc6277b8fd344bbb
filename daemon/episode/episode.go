// Package episode plays tasks in several turns: from answers and results to observations and
// rewards. In: what a reset chooses, then answers with their results. Out: observations with what
// to say to the model next, pictures and feedback, and the rewards of steps. It is a state
// machine without transport and without clock: the same choices and answers give the same bytes.
// It scores nothing itself: it says which dump line a turn is scored as, and takes the result. It
// refuses choices that a suite does not have, by their names, and no observation has a task's
// criteria. See docs/spec/episodes.md#r4.
package episode

import (
	"errors"
	"fmt"
	"strings"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/reward"
	"plumb/scoring"
)

// DefaultTurns is how many turns an episode may have where the configuration does not say.
const DefaultTurns = 16

// Config holds what episodes need. Items and Prompts are required.
type Config struct {
	Items    dump.ItemConfig
	Prompts  *ask.Prompter
	Turns    int              // of an episode at most, 0 for DefaultTurns (--max-turns)
	Variants scoring.Variants // by which answers are read
	Suite    string           // of labels that name none
	// Place puts the bytes of pictures into shared memory, one after another, and returns the JSON
	// of where each is. nil refuses it.
	Place func(at Region, pictures []ask.Picture) (places [][]byte, err error)
}

// Episode is one task that is answered in several turns. It serves one goroutine at a time.
type Episode struct {
	cfg  Config
	opt  Options
	rule mode

	suite    *scoring.Suite
	id, test string
	line     []byte         // dump line of the task without a response
	canvas   scoring.Canvas // nil where answers do not build on each other

	answers     [][]byte   // that were scored, as they came, where they build on each other
	taken       int        // turns so far
	lineRewards []float64  // rewards of the result lines, 0 for a scorer that failed
	scores      []*float64 // nil for a scorer that failed
	steps       []*float64 // rewards
	done        bool
	failed      bool // the scorer failed in the last turn
	zero        bool // and that counts as 0

	next  string        // the prompt of the last observation, "" at the end
	shown []ask.Picture // its pictures
}

// New begins an episode: it finds the task, the mode and the limits of the episode. Errors
// have the code bad_field, or those of labels and prompts.
func New(cfg Config, opts Options) (*Episode, *scoring.Error) {
	if cfg.Turns <= 0 {
		cfg.Turns = DefaultTurns
	}
	episode := &Episode{cfg: cfg, opt: opts}
	if fault := episode.findTask(); fault != nil {
		return nil, fault
	}
	it, fault := episode.item(nil)
	if fault != nil {
		return nil, fault
	}
	episode.suite = cfg.Items.Suites.Find(it.Suite)
	episode.id = it.ID
	episode.test = it.Test
	if episode.test == "" && it.Suite == "tangram" {
		episode.test = "solution"
	}
	if episode.rule, fault = chooseMode(&opts, it.Suite, episode.test, cfg.Turns); fault != nil {
		return nil, fault
	}
	if len(opts.History) > episode.rule.turns {
		return nil, badOption("history", "got %d answers; want at most %d, the turns of the episode", len(opts.History),
			episode.rule.turns)
	}
	if opts.Images == imagesRegion && cfg.Place == nil {
		return nil, badOption("images", "this daemon takes no shared memory of clients; want --allow-client-shm, or all, first or none")
	}
	return episode, coded(episode.resetCanvas())
}

// coded returns an error of an episode as one with a code.
func coded(err error) *scoring.Error {
	var fault *scoring.Error
	if err == nil || errors.As(err, &fault) {
		return fault
	}
	return &scoring.Error{Code: "internal", Message: err.Error()}
}

// findTask sets the dump line of the task, from the label or from suite, split and index or
// seed. Both together are an error.
func (e *Episode) findTask() (fault *scoring.Error) {
	o := &e.opt
	label := o.Label
	if label == nil {
		if label, fault = e.labelByIndex(); fault != nil {
			return fault
		}
	} else if o.Suite != "" || o.Index != nil || o.Split != "" {
		return badOption("label", "got suite, split or index beside it; want one way to name the task")
	}
	c := &e.cfg.Items
	labels := reward.Labels{Limits: c.Limits, Suites: c.Suites, Suite: e.cfg.Suite, Tasks: c.Tasks}
	e.line, fault = labels.Line(nil, label, nil, "label")
	return fault
}

// labelByIndex returns the label of the task at the chosen index, from the end if it is
// negative, or at the seed modulo the number of tasks. See docs/spec/episodes.md#r7.
func (e *Episode) labelByIndex() ([]byte, *scoring.Error) {
	opts := &e.opt
	suite, fault := e.suiteOfTasks()
	if fault != nil {
		return nil, fault
	}
	tasks := e.cfg.Items.Tasks[dump.TasksKey(suite, opts.Split)]
	n := tasks.Positions()
	if n == 0 {
		return nil, badOption("split", "got %.40q; want a split with tasks of %s (plumb serve --tasks %[2]s:SPLIT=FILE)",
			opts.Split, suite)
	}
	at := 0
	switch {
	case opts.Index != nil && (*opts.Index >= n || *opts.Index < -n):
		return nil, badOption("index", "got %d; want less than %d", *opts.Index, n)
	case opts.Index != nil:
		at = (*opts.Index + n) % n
	case opts.Seed != nil:
		at = int(*opts.Seed % uint64(n))
	default:
		return nil, badOption("index", "got nothing; want label, index or seed")
	}
	if opts.Test == "outline" && suite == "tangram" {
		return e.outlineLabel(tasks, at)
	}
	name, _ := tasks.At(at)
	label := append([]byte(`{"suite":"`), suite...)
	if key := dump.TasksKey(suite, opts.Split); key != suite {
		label = scoring.AppendString(append(label, `","split":`...), opts.Split)
	} else {
		label = append(label, '"')
	}
	return append(scoring.AppendString(append(label, `,"id":`...), name), '}'), nil
}

// outlineLabel returns the label of an item of TangramPuzzle's first test, made from the
// task at a position, for an episode of one choice. The seed orders the options.
func (e *Episode) outlineLabel(tasks *dump.Tasks, at int) ([]byte, *scoring.Error) {
	seed := int64(0)
	if e.opt.Seed != nil {
		seed = int64(*e.opt.Seed)
	}
	line, err := e.cfg.Prompts.Outline(tasks, at, seed)
	if err != nil {
		return nil, coded(err)
	}
	if s := e.opt.Split; s != "" && s != dump.TestSplit {
		line = append(line[:len(line)-1], `,"split":`...)
		line = scoring.AppendString(line, s)
		line = append(line, '}')
	}
	return line, nil
}

// suiteOfTasks returns the suite from whose task file the episode takes its task: the one
// that is named, or the only one with tasks.
func (e *Episode) suiteOfTasks() (string, *scoring.Error) {
	if s := e.opt.Suite; s != "" {
		if e.cfg.Items.Suites.Find(s) == nil {
			return "", badOption("suite", "got %.40q; want one of %v", s, e.cfg.Items.Suites.Names())
		}
		return s, nil
	}
	var all []string
	for _, name := range e.cfg.Items.Suites.Names() {
		for key := range e.cfg.Items.Tasks {
			if key == name || strings.HasPrefix(key, name+":") {
				all = append(all, name)
				break
			}
		}
	}
	if len(all) != 1 {
		return "", badOption("suite", "got nothing; want one of those with tasks, %v", all)
	}
	return all[0], nil
}

// item decodes the episode's task with a response, a JSON value; nil for none.
func (e *Episode) item(response []byte) (*scoring.Item, *scoring.Error) {
	line := e.line
	if response != nil {
		line = e.lineWith(response)
	}
	return dump.NewDecoder(e.cfg.Items).Item(dump.Line{N: 1, Bytes: line}, e.cfg.Suite)
}

// lineWith returns the dump line of the episode's task with a response, a JSON value.
func (e *Episode) lineWith(response []byte) []byte {
	line := append(make([]byte, 0, len(e.line)+len(response)+16), e.line[:len(e.line)-1]...)
	if line[len(line)-1] != '{' {
		line = append(line, ',')
	}
	line = append(line, `"response":`...)
	line = append(line, response...)
	return append(line, '}')
}

// resetCanvas makes the canvas anew and applies the answers that were scored so far, so that
// a turn that was begun is undone. It does nothing if answers do not build on each other.
func (e *Episode) resetCanvas() error {
	if !e.rule.builds {
		return nil
	}
	var err error
	if e.canvas, err = e.newCanvas(); err != nil {
		return err
	}
	for _, answer := range e.answers {
		if it, fault := e.item(answer); fault == nil {
			e.canvas.Apply(it) // without an error: it was applied before
		}
	}
	return nil
}

// newCanvas returns the canvas of the episode's task before the first answer.
func (e *Episode) newCanvas() (scoring.Canvas, error) {
	if e.suite.Canvas == nil {
		return nil, fmt.Errorf("BUG: answers to %s do not build on each other", e.suite.Name)
	}
	it, fault := e.item(nil)
	if fault != nil {
		return nil, fault
	}
	it.Test = e.test
	return e.suite.Canvas(it, e.cfg.Variants)
}

// Turn is an answer that is to be scored.
type Turn struct {
	Line []byte // the dump line as which it is scored

	// Unseen leaves the observation out, where more answers of a history follow.
	Unseen bool

	given    []byte // the answer, a JSON value
	response []byte // what is scored: the answer, or all answers merged into one
	read     bool   // the answer was read to be merged; status and notes say how
	status   string
	notes    []scoring.Note
}

// Begin begins a turn with an answer, a JSON value; nil is null. If answers build on each
// other, it applies the answer to the canvas, and all answers merged into one are scored. An
// answer that cannot be applied is scored by itself. It must be followed by End or Cancel.
func (e *Episode) Begin(answer []byte) *Turn {
	if answer == nil {
		answer = []byte("null")
	}
	turn := &Turn{given: answer, response: answer, Line: e.lineWith(answer)}
	if e.canvas == nil {
		return turn
	}
	it, fault := e.item(answer)
	if fault != nil { // the scorer says it too
		return turn
	}
	it.Test = e.test
	status, notes, err := e.canvas.Apply(it)
	if err != nil {
		return turn
	}
	turn.read = true
	turn.status = status
	turn.notes = append(it.Notes, notes...)
	turn.response = scoring.AppendString(nil, string(e.canvas.AppendAnswer(nil)))
	turn.Line = e.lineWith(turn.response)
	return turn
}

// Cancel undoes Begin: the answer was not scored and may come again.
func (e *Episode) Cancel() error { return e.resetCanvas() }

// Done reports whether the episode has ended.
func (e *Episode) Done() bool { return e.done }

// Bare reports whether an action without a response is itself the answer.
func (e *Episode) Bare() bool { return e.opt.Bare }

// Result is the scored answer of a turn.
type Result struct {
	*scoring.Result
	JSON    []byte // the result line
	Outcome reward.Outcome
	Zero    bool // a failed scorer counts as 0.0
}

// End takes the result of a turn and returns the observation, the JSON of the step's reward
// and whether the episode has ended: at the threshold, at the last turn, or when the scorer
// failed. The reward of a failed scorer is null, or 0.0 if result.Zero.
func (e *Episode) End(turn *Turn, result Result) (observation, rewardJSON []byte, done bool, err error) {
	e.taken++
	if e.canvas != nil {
		e.answers = append(e.answers, append([]byte(nil), turn.given...))
	}
	rewardJSON = []byte("null")
	switch {
	case !result.Outcome.Failed:
		x, score := result.Outcome.Reward, result.Outcome.Score
		e.lineRewards = append(e.lineRewards, x)
		e.done = x >= e.rule.threshold || e.taken >= e.rule.turns
		step := e.opt.Reward.step(e.lineRewards, e.done)
		e.scores = append(e.scores, &score)
		e.steps = append(e.steps, &step)
		rewardJSON = scoring.AppendFloat(nil, step)
	default:
		e.done, e.failed, e.zero = true, true, result.Zero
		e.scores = append(e.scores, nil)
		var step *float64
		if result.Zero {
			step = new(float64)
			rewardJSON = []byte("0.0")
		}
		e.lineRewards = append(e.lineRewards, 0)
		e.steps = append(e.steps, step)
	}
	if !turn.Unseen {
		observation, err = e.observe(turn, &result)
	}
	return observation, rewardJSON, e.done, err
}

// truncated reports whether the episode ended in another way than by reaching its threshold.
// An episode of one turn is truncated only if the scorer failed.
func (e *Episode) truncated() bool {
	switch {
	case !e.done:
		return false
	case e.failed:
		return true
	}
	return e.rule.turns > 1 && e.lineRewards[len(e.lineRewards)-1] < e.rule.threshold
}

// State returns JSON members without braces that describe the episode: suite, id, turns,
// whether it has ended, and seed.
func (e *Episode) State() []byte {
	b := scoring.AppendString([]byte(`"suite":`), e.suite.Name)
	b = scoring.AppendString(append(b, `,"id":`...), e.id)
	b = fmt.Appendf(b, `,"turn":%d,"turns":%d,"done":%t,"seed":`, e.taken, e.rule.turns, e.done)
	if e.opt.Seed == nil {
		return append(b, "null"...)
	}
	return fmt.Append(b, *e.opt.Seed)
}
