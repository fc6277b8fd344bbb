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
	rule mode // how the episode is played

	suite    *scoring.Suite
	id, test string
	line     []byte         // dump line of the task without a response
	canvas   scoring.Canvas // nil where answers do not build on each other

	answers       [][]byte   // the scored answers as they came, if they build on each other
	turnsTaken    int        // turns so far
	lineRewards   []float64  // the rewards of the turns' result lines, 0 for a scorer that failed
	scores        []*float64 // of the turns, nil for a scorer that failed
	stepRewards   []*float64 // the rewards of the turns by opt.Reward, nil for a scorer that failed
	done          bool       // the episode has ended
	failed        bool       // the scorer failed in the last turn
	failureIsZero bool       // a failed scorer counts as 0

	nextPrompt    string        // the prompt of the last observation, "" at the end
	shownPictures []ask.Picture // the pictures of the last observation
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
	// What is played, and by which rule.
	item, fault := episode.item(nil)
	if fault != nil {
		return nil, fault
	}
	episode.suite = cfg.Items.Suites.Find(item.Suite)
	episode.id = item.ID
	episode.test = item.Test
	if episode.test == "" && item.Suite == "tangram" {
		episode.test = "solution"
	}
	if episode.rule, fault = chooseMode(&opts, episode.suite, episode.test, cfg.Turns); fault != nil {
		return nil, fault
	}
	// What does not fit to the rule or the daemon.
	if len(opts.History) > episode.rule.turns {
		return nil, badOption("history", "got %d answers; want at most %d, the turns of the episode", len(opts.History),
			episode.rule.turns)
	}
	if opts.Images == imagesRegion && cfg.Place == nil {
		return nil, badOption("images", "this daemon takes no shared memory of clients; want --allow-client-shm, or all, first or none")
	}
	return episode, coded(episode.resetCanvas())
}

// coded returns an error of an episode as one with a code: its own, or "internal" for an error without one.
// nil stays nil.
func coded(err error) *scoring.Error {
	var fault *scoring.Error
	if err == nil || errors.As(err, &fault) {
		return fault
	}
	return &scoring.Error{Code: "internal", Message: err.Error()}
}

// findTask sets the dump line of the task. The options name the task by a label, or by a suite, a split
// and an index or a seed. Both ways together are an error.
func (episode *Episode) findTask() (fault *scoring.Error) {
	options := &episode.opt
	label := options.Label
	if label == nil {
		if label, fault = episode.labelByIndex(); fault != nil {
			return fault
		}
	} else if options.Suite != "" || options.Index != nil || options.Split != "" {
		return badOption("label", "got suite, split or index beside it; want one way to name the task")
	}
	c := &episode.cfg.Items
	labels := reward.Labels{Limits: c.Limits, Suites: c.Suites, Suite: episode.cfg.Suite, Tasks: c.Tasks}
	episode.line, fault = labels.AppendDumpLine(nil, label, nil, "label")
	return fault
}

// labelByIndex returns a label for the task at the index in the task file that the reset chose; a negative
// index counts from the end. Without an index, the seed modulo the number of tasks is the index. See
// docs/spec/episodes.md#r7.
func (episode *Episode) labelByIndex() ([]byte, *scoring.Error) {
	opts := &episode.opt
	suite, fault := episode.suiteOfTasks()
	if fault != nil {
		return nil, fault
	}
	tasks := episode.cfg.Items.Tasks[dump.TasksKey(suite, opts.Split)]
	n := tasks.Positions()
	if n == 0 {
		return nil, badOption("split", "got %.40q; want a split with tasks of %s (plumb serve --tasks %[2]s:SPLIT=FILE)",
			opts.Split, suite)
	}
	// Which task.
	pos := 0 // in the file, from 0
	switch {
	case opts.Index != nil && (*opts.Index >= n || *opts.Index < -n):
		return nil, badOption("index", "got %d; want less than %d", *opts.Index, n)
	case opts.Index != nil:
		pos = (*opts.Index + n) % n
	case opts.Seed != nil:
		pos = int(*opts.Seed % uint64(n))
	default:
		return nil, badOption("index", "got nothing; want label, index or seed")
	}
	if opts.Test == "outline" && suite == "tangram" {
		return episode.outlineLabel(tasks, pos)
	}
	// A label that refers to it by its id.
	name, _ := tasks.At(pos)
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
func (episode *Episode) outlineLabel(tasks *dump.Tasks, pos int) ([]byte, *scoring.Error) {
	seed := int64(0)
	if episode.opt.Seed != nil {
		seed = int64(*episode.opt.Seed)
	}
	line, err := episode.cfg.Prompts.Outline(tasks, pos, seed)
	if err != nil {
		return nil, coded(err)
	}
	if s := episode.opt.Split; s != "" && s != dump.TestSplit {
		line = append(line[:len(line)-1], `,"split":`...)
		line = scoring.AppendString(line, s)
		line = append(line, '}')
	}
	return line, nil
}

// suiteOfTasks returns the suite from whose task file the episode takes its task: the one
// that is named, or the only one with tasks.
func (episode *Episode) suiteOfTasks() (string, *scoring.Error) {
	if text := episode.opt.Suite; text != "" {
		if episode.cfg.Items.Suites.Find(text) == nil {
			return "", badOption("suite", "got %.40q; want one of %v", text, episode.cfg.Items.Suites.Names())
		}
		return text, nil
	}
	var all []string
	for _, name := range episode.cfg.Items.Suites.Names() {
		for key := range episode.cfg.Items.Tasks {
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
func (episode *Episode) item(response []byte) (*scoring.Item, *scoring.Error) {
	line := episode.line
	if response != nil {
		line = episode.lineWith(response)
	}
	return dump.NewDecoder(episode.cfg.Items).Item(dump.Line{Number: 1, Bytes: line}, episode.cfg.Suite)
}

// lineWith returns the dump line of the episode's task with a response, a JSON value.
func (episode *Episode) lineWith(response []byte) []byte {
	line := append(make([]byte, 0, len(episode.line)+len(response)+16), episode.line[:len(episode.line)-1]...)
	if line[len(line)-1] != '{' {
		line = append(line, ',')
	}
	line = append(line, `"response":`...)
	line = append(line, response...)
	return append(line, '}')
}

// resetCanvas makes the canvas, the state that answers build on, anew and applies the answers that were
// scored so far. So it undoes a turn that was begun and not scored. It does nothing if answers do not build
// on each other.
func (episode *Episode) resetCanvas() error {
	if !episode.rule.answersBuild {
		return nil
	}
	var err error
	if episode.canvas, err = episode.newCanvas(); err != nil {
		return err
	}
	for _, answer := range episode.answers {
		if it, fault := episode.item(answer); fault == nil {
			episode.canvas.Apply(it) // without an error: it was applied before
		}
	}
	return nil
}

// newCanvas returns the state that the answers of an episode build on, such as a whiteboard, as it is
// before the first answer.
func (episode *Episode) newCanvas() (scoring.Canvas, error) {
	if episode.suite.Canvas == nil {
		return nil, fmt.Errorf("BUG: answers to %s do not build on each other", episode.suite.Name)
	}
	item, fault := episode.item(nil)
	if fault != nil {
		return nil, fault
	}
	item.Test = episode.test
	return episode.suite.Canvas(item, episode.cfg.Variants)
}

// Turn is an answer that is to be scored.
type Turn struct {
	Line []byte // the dump line as which it is scored

	// Unseen leaves the observation out, where more answers of a history follow.
	Unseen bool

	answer   []byte // the answer, a JSON value
	response []byte // what is scored: the answer, or all answers merged into one
	applied  bool   // the answer was applied to the canvas; status and notes say how
	status   string
	notes    []scoring.Note
}

// Begin begins a turn with an answer, a JSON value; nil stands for null. The turn says as which dump line the
// answer is scored. If answers build on each other, the answer is applied to the canvas, and what is scored
// is all answers merged into one. An answer that cannot be applied is scored by itself. End or Cancel must
// follow.
func (episode *Episode) Begin(answer []byte) *Turn {
	if answer == nil {
		answer = []byte("null")
	}
	turn := &Turn{answer: answer, response: answer, Line: episode.lineWith(answer)}
	if episode.canvas == nil {
		return turn
	}
	item, fault := episode.item(answer)
	if fault != nil { // scoring the line gives the same error
		return turn
	}
	item.Test = episode.test
	status, notes, err := episode.canvas.Apply(item)
	if err != nil {
		return turn
	}
	turn.applied = true
	turn.status = status
	turn.notes = append(item.Notes, notes...)
	turn.response = scoring.AppendString(nil, string(episode.canvas.AppendAnswer(nil)))
	turn.Line = episode.lineWith(turn.response)
	return turn
}

// Cancel undoes Begin: the answer was not scored and may come again.
func (episode *Episode) Cancel() error { return episode.resetCanvas() }

// Done reports whether the episode has ended.
func (episode *Episode) Done() bool { return episode.done }

// Bare reports whether an action without a response is itself the answer.
func (episode *Episode) Bare() bool { return episode.opt.Bare }

// Result is the scored answer of a turn.
type Result struct {
	*scoring.Result
	JSON    []byte // the result line
	Outcome reward.Outcome
	Zero    bool // a failed scorer counts as 0.0
}

// End takes the result of a turn. It returns the observation (nil if turn.Unseen), the JSON of the step's
// reward, and whether the episode has ended. An episode ends when a reward reaches the threshold, at its last
// turn, or when the scorer fails. The reward of a failed scorer is null, or 0.0 if result.Zero is set.
func (episode *Episode) End(turn *Turn, result Result) (observation, rewardJSON []byte, done bool, err error) {
	episode.turnsTaken++
	if episode.canvas != nil {
		episode.answers = append(episode.answers, append([]byte(nil), turn.answer...))
	}
	rewardJSON = []byte("null")
	// The reward of the step and the state of the episode.
	switch {
	case !result.Outcome.Failed: // there is a score
		lineReward, score := result.Outcome.Reward, result.Outcome.Score
		episode.lineRewards = append(episode.lineRewards, lineReward)
		episode.done = lineReward >= episode.rule.threshold || episode.turnsTaken >= episode.rule.turns
		stepReward := episode.opt.Reward.step(episode.lineRewards, episode.done)
		episode.scores = append(episode.scores, &score)
		episode.stepRewards = append(episode.stepRewards, &stepReward)
		rewardJSON = scoring.AppendFloat(nil, stepReward)
	default: // the scorer failed
		episode.done, episode.failed, episode.failureIsZero = true, true, result.Zero
		episode.scores = append(episode.scores, nil)
		var stepReward *float64
		if result.Zero {
			stepReward = new(float64)
			rewardJSON = []byte("0.0")
		}
		episode.lineRewards = append(episode.lineRewards, 0)
		episode.stepRewards = append(episode.stepRewards, stepReward)
	}
	// Answers that are played again need no observation.
	if !turn.Unseen {
		observation, err = episode.observe(turn, &result)
	}
	return observation, rewardJSON, episode.done, err
}

// truncated reports whether the episode ended in another way than by reaching its threshold.
// An episode of one turn is truncated only if the scorer failed.
func (episode *Episode) truncated() bool {
	switch {
	case !episode.done:
		return false
	case episode.failed:
		return true
	}
	return episode.rule.turns > 1 && episode.lineRewards[len(episode.lineRewards)-1] < episode.rule.threshold
}

// State returns JSON members without braces that describe the episode: suite, id, turns,
// whether it has ended, and seed.
func (episode *Episode) State() []byte {
	out := scoring.AppendString([]byte(`"suite":`), episode.suite.Name)
	out = scoring.AppendString(append(out, `,"id":`...), episode.id)
	out = fmt.Appendf(out, `,"turn":%d,"turns":%d,"done":%t,"seed":`, episode.turnsTaken, episode.rule.turns, episode.done)
	if episode.opt.Seed == nil {
		return append(out, "null"...)
	}
	return fmt.Append(out, *episode.opt.Seed)
}
