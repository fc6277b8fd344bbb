// Package runs makes the calls of plumb run that the log of a folder lacks, also by batch APIs, and derives the
// dump from the log. In: the tasks, the arms, settings and a client. Out: a folder with a log of all calls and,
// of that, a dump with one line for each answer. A call is paid for once: the log says what was answered, and a
// run that was ended in any way goes on with what is missing. It refuses a folder that holds another run, by
// what differs. It scores nothing itself. See docs/spec/runs.md.
package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"plumb/daemon/ask"
	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
	"plumb/scoring/plural"

	"golang.org/x/sync/singleflight"
)

// Settings are what is sent beside the messages in one arm.
type Settings struct {
	chat.Settings
	Extra json.RawMessage // further members; nil for none
}

// Config is one run.
type Config struct {
	Suite    string
	Source   ask.Suite
	Arms     []ask.Arm
	Choice   Choice
	Repeats  int // of each task, from 1
	Model    string
	System   string // a message before all others; "" for none
	Settings func(ask.Arm) Settings

	// Picture is called with each picture before it is sent; it may be nil.
	Picture func(*chat.Image) error

	// Kept returns the bytes of a picture that Picture had in this process or an earlier one, by
	// their SHA-256 in hexadecimal digits, nil where they are not there. It may be nil.
	Kept func(sum string) []byte

	Workers       int  // tasks under way at once
	RetryFailed   bool // ask again what was refused or failed
	KeepReasoning bool // in the log
	ReasoningText bool // where an answer has no text, its reasoning is the answer
}

// Run asks about tasks and keeps outcomes in a log.
type Run struct {
	cfg      Config
	calls    *Calls // the log of the folder; nil for a plan alone
	units    []unit
	settings map[ask.Arm]armSettings

	mu       sync.Mutex
	finished map[int][]string // keys of the calls of units whose calls are all made, by index
	flight   singleflight.Group

	answered, failed, cut atomic.Int64 // calls by their outcome; cut ones are answered too
	asking                atomic.Int64 // calls that are under way
}

// armSettings are the settings of an arm and their hash.
type armSettings struct {
	Settings
	config string
}

// unitCalls is a unit with the calls to the model that were made for it.
type unitCalls struct {
	replies  []ask.Heard
	calls    []*Done
	complete bool // no call is missing
}

// add adds a call to those of the unit, and the reply that the suite gets.
func (m *unitCalls) add(r *Run, d *Done) {
	m.calls = append(m.calls, d)
	m.replies = append(m.replies, r.heardOf(d))
}

// keys returns the keys of a task's calls, in the order in which they were made.
func (m *unitCalls) keys() (keys []string) {
	for _, d := range m.calls {
		keys = append(keys, d.Key)
	}
	return keys
}

// unit is one task asked once in one arm: the unit in which a run is planned.
type unit struct {
	task   *ask.Task
	arm    ask.Arm
	repeat int
}

// New plans a run: its units are the chosen tasks in each arm that fits them, each repeated as often as
// the configuration says. It asks nothing yet. Calls are kept in calls, which may be nil for a plan
// alone. A run without a unit is an error.
func New(cfg Config, calls *Calls) (*Run, error) {
	cfg.Repeats, cfg.Workers = max(1, cfg.Repeats), max(1, cfg.Workers)
	run := &Run{cfg: cfg, calls: calls, settings: map[ask.Arm]armSettings{}, finished: map[int][]string{}}
	tasks, err := cfg.Choice.Tasks(cfg.Source.Tasks())
	if err != nil {
		return nil, err
	}
	for _, arm := range cfg.Arms {
		settings := cfg.Settings(arm)
		config, err := configOf(&cfg, arm, &settings)
		if err != nil {
			return nil, err
		}
		run.settings[arm] = armSettings{settings, config}
	}
	for _, task := range tasks {
		for _, arm := range cfg.Arms {
			if !cfg.Source.Fits(task, arm) {
				continue
			}
			for repeat := 1; repeat <= cfg.Repeats; repeat++ {
				run.units = append(run.units, unit{task, arm, repeat})
			}
		}
	}
	if len(run.units) == 0 { // users know arms as forms of the question
		return nil, errors.New("cannot ask anything: no task was chosen that has one of these forms")
	}
	return run, nil
}

// call is one question to the model, ready to be sent.
type call struct {
	unit
	step    *ask.Step
	request *chat.Request
	hash    string // of the request
	key     string
}

// nextCall returns the next call to the model for a unit, a task in one arm, whose calls so far brought
// replies. It is nil if none is left. A picture of the call is replaced by that of an earlier call if the
// two look the same, so that the key of the call stays the same between versions of the program.
func (run *Run) nextCall(unit unit, replies []ask.Heard) (*call, error) {
	step, err := run.cfg.Source.Next(unit.task, unit.arm, replies)
	if err != nil || step == nil {
		return nil, err
	}
	settings := run.settings[unit.arm]
	call := &call{unit: unit, step: step, request: &chat.Request{
		Model: run.cfg.Model, Messages: step.Messages, Settings: settings.Settings.Settings, Extra: settings.Extra}}
	if run.cfg.System != "" {
		system := chat.Message{Role: "system", Parts: []chat.Part{chat.Text(run.cfg.System)}}
		call.request.Messages = append([]chat.Message{system}, step.Messages...)
	}
	if seed := call.request.Settings.Seed; seed != nil { // with one seed, all repeats would bring the same answer
		ownSeed := *seed + int64(unit.repeat) - 1
		call.request.Settings.Seed = &ownSeed
	}
	run.reuseEarlierPictures(call)
	if call.hash, err = call.request.Hash(); err != nil {
		return nil, fmt.Errorf("cannot ask %s: %w", unit.task.ID, err)
	}
	call.key, err = keyOf(run.cfg.Suite, call)
	return call, err
}

// heardOf returns the outcome of a call in the form in which a suite gets it. Only an answer has a text:
// its own, or with ReasoningText its reasoning where it has none.
func (run *Run) heardOf(done *Done) ask.Heard {
	heard := ask.Heard{Turn: done.Turn, Name: done.Step, OK: done.Outcome.Kind == chat.Answer}
	if heard.OK {
		if heard.Text = done.Outcome.Text; heard.Text == "" && run.cfg.ReasoningText {
			heard.Text = done.Outcome.Reasoning
		}
	}
	return heard
}

// Failure is a task that could not be asked.
type Failure struct {
	Task string
	Err  error
}

// ErrEarly says that a run ended before every planned call had an outcome.
var ErrEarly = errors.New("the run ended early")

// Ask makes all calls that the log lacks, Workers at once, and puts their outcomes into the log. ctx ends
// it: calls under way are finished first. So does a client that halts, as for a spent budget. The error
// wraps ErrEarly where calls are missing, and errLog where the log cannot be used; failures are tasks
// that cannot be asked at all.
func (run *Run) Ask(ctx context.Context, client *chat.Client) (failures []Failure, err error) {
	defer context.AfterFunc(ctx, client.Stop)() // what waits for another try ends at once
	var (
		mu         sync.Mutex
		wg         sync.WaitGroup
		next       atomic.Int64 // the index of the unit that a worker takes next
		unfinished atomic.Int64 // units that lack a call
		logError   error        // why the log cannot be used
	)
	for range min(run.cfg.Workers, len(run.units)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(run.units) {
					return
				}
				if ctx.Err() != nil || client.Halted() != nil { // only count what is left
					unfinished.Add(1)
					continue
				}
				done, err := run.makeCalls(ctx, client, i)
				if !done {
					unfinished.Add(1)
				}
				if err == nil {
					continue
				}
				mu.Lock()
				if errors.Is(err, errLog) {
					logError = err
				} else {
					failures = append(failures, Failure{run.units[i].task.ID, err})
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	switch {
	case logError != nil:
		return failures, logError
	case client.Halted() != nil:
		return failures, fmt.Errorf("%w: %w", ErrEarly, client.Halted())
	case unfinished.Load() > int64(len(failures)):
		return failures, fmt.Errorf("%w: %s no outcome yet", ErrEarly, plural.Of(unfinished.Load()-int64(len(failures)), "task has", "tasks have"))
	}
	return failures, nil
}

// errLog marks a log that cannot be written or read: nothing may be asked then.
var errLog = errors.New("cannot use the log of calls")

// makeCalls makes the calls to the model that unit i, one task in one arm, still needs, one after the
// other. Those in the log are counted as made. A call that another unit makes at the same time is made
// once. If all have an outcome, done is true and the unit is marked as finished. A call that brings none
// ends it, because later calls depend on the reply.
func (run *Run) makeCalls(ctx context.Context, client *chat.Client, i int) (done bool, err error) {
	var made unitCalls
	for {
		call, err := run.firstWithoutOutcome(run.units[i], &made, run.usableOutcome, run.countProgress)
		if err != nil {
			return false, err
		}
		if call == nil {
			run.mu.Lock()
			defer run.mu.Unlock()
			run.finished[i] = made.keys()
			return true, nil
		}
		d, err := run.callOnce(call.key, func() (*Done, error) { return run.ask(ctx, client, call) })
		if err != nil || d == nil {
			return false, err
		}
		run.countProgress(d)
		made.add(run, d)
	}
}

// firstWithoutOutcome returns the first call of a unit that has no outcome yet, nil if all have one. It begins after
// the calls in made. The function outcome returns the outcome of a call by its key, nil for none. Each
// call with an outcome is added to made, and its outcome is passed to seen.
func (run *Run) firstWithoutOutcome(u unit, made *unitCalls, outcome func(key string) (*Done, error), seen func(*Done)) (*call, error) {
	for {
		call, err := run.nextCall(u, made.replies)
		if err != nil || call == nil {
			return nil, err
		}
		done, err := outcome(call.key)
		if err != nil || done == nil {
			return call, err
		}
		seen(done)
		made.add(run, done)
	}
}

// ignore is the seen of firstWithoutOutcome for those who need no count.
func ignore(*Done) {}

// usableOutcome returns the outcome of a call from the log, or nil if the call is to be made. That is so if the
// log has none. With RetryFailed it is also so if the log has only a failure of an earlier process;
// failures of this process are not tried again.
func (run *Run) usableOutcome(key string) (*Done, error) {
	old := run.calls.record(key)
	if run.cfg.RetryFailed && old != nil && !old.answered && !old.ofThisProcess {
		return nil, nil // the call is made again
	}
	return run.calls.Done(key)
}

// callOnce makes a call with the function ask, unless a call with the same key is under way for another unit:
// then it waits for that one's outcome. Units of several arms may ask the same, and each call is paid for once.
func (run *Run) callOnce(key string, ask func() (*Done, error)) (*Done, error) {
	v, err, _ := run.flight.Do(key, func() (any, error) { return ask() })
	return v.(*Done), err
}

// countProgress adds the outcome of a call to the run's progress. Whatever is no answer counts as failed, what a
// filter withheld too.
func (run *Run) countProgress(done *Done) {
	if done.Outcome.Kind != chat.Answer {
		run.failed.Add(1)
		return
	}
	run.answered.Add(1)
	if done.Outcome.Cut() {
		run.cut.Add(1)
	}
}

// ask makes one call to the model, with the tries that the client makes. Each request is in the log before it
// is sent, and each outcome when it has come. It returns the outcome that counts for the call, nil if there is
// no final one, or if ctx ended before the first try; a call that is refused before it is sent is an error.
func (run *Run) ask(ctx context.Context, client *chat.Client, call *call) (*Done, error) {
	var counted *Done
	call.request.Hooks = chat.Hooks{
		Begin: func(try int, hold *budget.Hold) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return run.calls.logRequest(call.key, try, hold)
		},
		Keep: func(outcome *chat.Outcome) error {
			done, err := run.calls.appendOutcome(run.logLine(call, outcome))
			if err != nil {
				return fmt.Errorf("%w: %w", errLog, err)
			}
			if outcome.Kind.Final() {
				counted = done
			}
			return nil
		},
	}
	if err := run.keepPictures(call); err != nil {
		return nil, err
	}
	run.asking.Add(1)
	defer run.asking.Add(-1)
	// A call under way is finished and kept even when the run is interrupted.
	outcome := client.Ask(context.WithoutCancel(ctx), call.request)
	if counted == nil && outcome.Kind.Final() && outcome.Tries == 0 { // refused before it was sent
		return nil, outcome.Error
	}
	return counted, nil
}

// keepPictures passes each picture of a call to Config.Picture, which keeps it, if there is one.
func (run *Run) keepPictures(call *call) error {
	if run.cfg.Picture == nil {
		return nil
	}
	for _, m := range call.request.Messages {
		for _, part := range m.Parts {
			if part.Image == nil {
				continue
			}
			if err := run.cfg.Picture(part.Image); err != nil {
				return fmt.Errorf("cannot keep picture: %w", err)
			}
		}
	}
	return nil
}

// logLine returns the log's line of a call with its outcome. Reasoning is left out of it, unless the
// configuration keeps it, or it stands for an answer without text.
func (run *Run) logLine(call *call, outcome *chat.Outcome) *Done {
	label := Label{
		Task: call.task.ID, Test: testOf(call.unit), Arm: ArmOf(call.arm), Repeat: call.repeat,
		Turn: call.step.Turn, Step: call.step.Name, Config: run.settings[call.arm].config,
	}
	done := &Done{Event: eventDone, Key: call.key, Suite: run.cfg.Suite, Label: label, Request: call.hash, Outcome: *outcome}
	reasoningIsAnswer := outcome.Text == "" && run.cfg.ReasoningText
	if !run.cfg.KeepReasoning && !reasoningIsAnswer {
		done.Outcome.Reasoning = ""
	}
	for _, m := range call.request.Messages {
		for _, p := range m.Parts {
			if p.Image != nil {
				done.Images = append(done.Images, p.Image.SHA256())
			}
		}
	}
	return done
}

// Progress is how far a run is.
type Progress struct {
	Units            int // tasks times arms times repeats
	Done             int // of them, with all of their calls
	Answered, Failed int // calls with an outcome, in this process and before
	Cut              int
	Asking           int // under way
}

// Progress returns how far the run is: how many units there are, how many of them are done, and how many
// calls were answered, failed, were cut off, or are under way.
func (run *Run) Progress() Progress {
	run.mu.Lock()
	done := len(run.finished)
	run.mu.Unlock()
	return Progress{Units: len(run.units), Done: done, Answered: int(run.answered.Load()), Failed: int(run.failed.Load()),
		Cut: int(run.cut.Load()), Asking: int(run.asking.Load())}
}

// Config returns the hash of what is sent in an arm beside its tasks.
func (run *Run) Config(a ask.Arm) string { return run.settings[a].config }

// now returns the time in the form that log lines have: UTC, in milliseconds.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
