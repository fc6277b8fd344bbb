package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
	"plumb/daemon/ledger"
)

// Events of the log of calls.
const (
	eventSent = "sent" // a request is about to be sent
	eventDone = "done" // a call has its final outcome
)

// Sent is the line that is on the disk before a request is sent.
type Sent struct {
	Event   string    `json:"event"`
	Key     string    `json:"key"`
	Time    time.Time `json:"time"`
	Try     int       `json:"try"`
	Reserve Reserve   `json:"reserve"`
}

// Reserve is the most that a request may take.
type Reserve struct {
	Tokens int64   `json:"tokens"`
	Cost   float64 `json:"cost"` // USD
}

// Done is the line of a call that has its outcome. See docs/spec/runs.md#r41.
type Done struct {
	Event string `json:"event"`
	Key   string `json:"key"`
	Suite string `json:"suite"`
	Label
	chat.Outcome
	Batch   *string  `json:"batch"`
	Request string   `json:"request"`
	Images  []string `json:"images"`
}

// Label says which call of a run a line is of.
type Label struct {
	Task   string `json:"task"`
	Test   string `json:"test"`
	Arm    Arm    `json:"arm"`
	Repeat int    `json:"repeat"`
	Turn   int    `json:"turn"`
	Step   string `json:"step"`
	Config string `json:"config"`
}

// record is what is kept of an outcome: its line is read again where it is needed. Records
// of many answers would else fill the memory. See docs/spec/runs.md#r41.
type record struct {
	place         ledger.Place
	order         int32 // of the first outcomes of calls, from 0
	answered      bool  // the outcome is an answer, or a filter withheld it
	ofThisProcess bool  // made by this process
}

// Calls is the log of a folder. It is safe for concurrent use.
type Calls struct {
	file *os.File // the log, to read lines again; nil where there is none

	mu         sync.Mutex
	log        *ledger.Log
	done       map[string]*record   // outcomes that count, by key
	unsettled  map[string][]Reserve // requests without an outcome, by key
	spent      budget.Spent
	duplicates int
	torn       int                     // lines of the log that are not whole
	pictures   map[pictureUse][]string // SHA-256 of the pictures of calls that were made before this process
}

// OpenCalls opens the log at path and reads it. A request without an outcome counts as
// lost: it may have been answered and paid for.
func OpenCalls(path string) (*Calls, error) {
	calls := newCalls()
	var err error
	if calls.log, err = ledger.OpenLog(path, calls.replay); err != nil {
		return nil, err
	}
	if calls.file, err = os.Open(path); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read the log of calls: %w", err), calls.log.Close())
	}
	calls.torn = calls.log.Torn()
	for key, list := range calls.unsettled {
		for _, r := range list {
			calls.spent.Lost++
			calls.spent.LostTokens += r.Tokens
			calls.spent.LostCost += r.Cost
		}
		delete(calls.unsettled, key)
	}
	return calls, nil
}

// ReadCalls reads the log of a run's calls at path without a lock and without changing it, for
// commands that only look at a run. A missing log is an empty one.
func ReadCalls(path string) (*Calls, error) {
	calls := newCalls()
	var err error
	if calls.file, err = os.Open(path); errors.Is(err, os.ErrNotExist) {
		return calls, nil
	}
	if err == nil {
		calls.torn, err = ledger.Read(path, calls.replay)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read the log of calls: %w", err), calls.Close())
	}
	return calls, nil
}

// newCalls returns a Calls without a log.
func newCalls() *Calls {
	return &Calls{done: map[string]*record{}, unsettled: map[string][]Reserve{}, pictures: map[pictureUse][]string{}}
}

// replay brings calls up to date with one line of the log: a request that was sent, or the outcome of a
// call. place is where the line stands, so that an outcome can be read again when it is needed.
func (calls *Calls) replay(line []byte, place ledger.Place) error {
	var event struct {
		Event string `json:"event"`
	}
	if err := json.Unmarshal(line, &event); err != nil {
		return fmt.Errorf("cannot read the log of calls: %w", err)
	}
	if event.Event == eventSent {
		var sent Sent
		if err := json.Unmarshal(line, &sent); err != nil {
			return fmt.Errorf("cannot read the log of calls: %w", err)
		}
		calls.spent.Calls++
		calls.unsettled[sent.Key] = append(calls.unsettled[sent.Key], sent.Reserve)
		return nil
	}
	done := new(Done)
	if err := json.Unmarshal(line, done); err != nil {
		return fmt.Errorf("cannot read the log of calls: %w", err)
	}
	calls.settle(done)
	const ofThisProcess = false
	calls.recordOutcome(done, place, ofThisProcess)
	// The first call's pictures are enough: reuseEarlierPictures gives them to all later calls.
	if key := done.shownFor(); len(done.Images) > 0 && calls.pictures[key] == nil {
		calls.pictures[key] = done.Images
	}
	return nil
}

// settle closes the requests of a call that has its outcome, and adds what the call took to calls.spent.
// The outcome says how many of its requests may have been paid for without an answer, such as those that
// broke off. These are counted as lost, with all that was reserved for them.
func (calls *Calls) settle(done *Done) {
	requests := calls.unsettled[done.Key]
	if done.Batch != nil { // a request in a batch has no line of its own, which counts it
		calls.spent.Calls++
	}
	lost := min(done.Lost, len(requests)) // the log has no line for a request in a batch
	for _, r := range requests[:lost] {
		calls.spent.Lost++
		calls.spent.LostTokens += r.Tokens
		calls.spent.LostCost += r.Cost
	}
	delete(calls.unsettled, done.Key)
	if done.Usage != nil {
		calls.spent.PromptTokens += done.Usage.Prompt
		calls.spent.CompletionTokens += done.Usage.Completion
	}
	if done.Cost != nil {
		calls.spent.Cost += *done.Cost
		calls.spent.Dearest = max(calls.spent.Dearest, *done.Cost)
		calls.spent.Priced = true
	}
}

// recordOutcome records the outcome of a call, whose line of the log stands at place, and returns the place of the
// line that counts for the call's key. The first answer counts, and a later one is a duplicate. A failure
// is replaced by what a later try brings. An outcome that is not final is not recorded: its line only says
// what the requests cost, and the call is made again. ofThisProcess says that this process made the call.
func (calls *Calls) recordOutcome(done *Done, place ledger.Place, ofThisProcess bool) ledger.Place {
	if !done.Kind.Final() {
		return place
	}
	old := calls.done[done.Key]
	if old != nil && old.answered {
		calls.duplicates++
		return old.place
	}
	order := int32(len(calls.done))
	if old != nil {
		order = old.order
	}
	calls.done[done.Key] = &record{place, order, done.Kind == chat.Answer || done.Kind == chat.Filtered, ofThisProcess}
	return place
}

// all returns the records of all calls that have an outcome, in the order in which their first outcomes came.
func (calls *Calls) all() []*record {
	if calls == nil {
		return nil
	}
	calls.mu.Lock()
	defer calls.mu.Unlock()
	return slices.SortedFunc(maps.Values(calls.done), func(a, b *record) int { return int(a.order - b.order) })
}

// record returns the record of a call's outcome, nil for none. A nil Calls, that of a plan alone, has none.
func (calls *Calls) record(key string) *record {
	if calls == nil {
		return nil
	}
	calls.mu.Lock()
	defer calls.mu.Unlock()
	return calls.done[key]
}

// read reads the line at a place into d, a *Done or a part of it.
func (calls *Calls) read(at ledger.Place, d any) error {
	line, err := ledger.LineAt(calls.file, at)
	if err == nil {
		err = json.Unmarshal(line, d)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLog, err)
	}
	return nil
}

// Done reads the outcome of a call from the log. It returns nil where there is none.
func (calls *Calls) Done(key string) (*Done, error) {
	record := calls.record(key)
	if record == nil {
		return nil, nil
	}
	d := new(Done)
	return d, calls.read(record.place, d)
}

// Spent is what the calls of the folder took before this process.
func (calls *Calls) Spent() budget.Spent {
	calls.mu.Lock()
	defer calls.mu.Unlock()
	return calls.spent
}

// Duplicates returns how many outcomes came for a call that had an answer already. It may be called
// when no call is under way.
func (calls *Calls) Duplicates() int { return calls.duplicates }

// Torn returns the number of lines of the log that are not whole.
func (calls *Calls) Torn() int { return calls.torn }

// logRequest writes to the log that a request is about to be sent to the model, and returns when that is
// on the disk.
func (calls *Calls) logRequest(key string, try int, hold *budget.Hold) error {
	sent := Sent{Event: eventSent, Key: key, Time: now(), Try: try}
	if hold != nil {
		sent.Reserve = Reserve{hold.Tokens, hold.Cost}
	}
	out, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	_, err = calls.log.Append(out)
	return err
}

// appendOutcome writes the outcome of a call to the log and waits until it is on the disk. It returns the outcome
// that counts for the call: an earlier answer where there is one, else done.
func (calls *Calls) appendOutcome(done *Done) (*Done, error) {
	out, err := json.Marshal(done)
	if err != nil {
		return nil, err
	}
	place, err := calls.log.Append(out)
	if err != nil {
		return nil, err
	}
	calls.mu.Lock()
	const ofThisProcess = true
	counts := calls.recordOutcome(done, place, ofThisProcess)
	calls.mu.Unlock()
	if counts == place {
		return done, nil
	}
	done = new(Done) // an earlier answer counts
	return done, calls.read(counts, done)
}

// Close writes what is pending in the log of calls and closes its files.
func (calls *Calls) Close() (err error) {
	if calls.log != nil {
		err = calls.log.Close()
	}
	if calls.file != nil {
		err = errors.Join(err, calls.file.Close())
	}
	return err
}
