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
	at       ledger.Place
	order    int32 // of the first outcomes of calls, from 0
	answered bool  // the outcome is an answer, or a filter withheld it
	fresh    bool  // made by this process
}

// Calls is the log of a folder. It is safe for concurrent use.
type Calls struct {
	file *os.File // the log, to read lines again; nil where there is none

	mu         sync.Mutex
	log        *ledger.Log
	done       map[string]*record   // outcomes that count, by key
	open       map[string][]Reserve // requests without an outcome, by key
	spent      budget.Spent
	duplicates int
	torn       int
	pictures   map[shown][]string // hashes, of calls that were made before this process
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
	for key, list := range calls.open {
		for _, r := range list {
			calls.spent.Lost++
			calls.spent.LostTokens += r.Tokens
			calls.spent.LostCost += r.Cost
		}
		delete(calls.open, key)
	}
	return calls, nil
}

// ReadCalls reads the log at path without a lock and without changing it.
func ReadCalls(path string) (*Calls, error) {
	c := newCalls()
	var err error
	if c.file, err = os.Open(path); errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		c.torn, err = ledger.Read(path, c.replay)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read the log of calls: %w", err), c.Close())
	}
	return c, nil
}

// newCalls returns a Calls without a log.
func newCalls() *Calls {
	return &Calls{done: map[string]*record{}, open: map[string][]Reserve{}, pictures: map[shown][]string{}}
}

// replay brings c up to date with one line of the log. at is the place of the line, where an outcome is
// read again when it is needed.
func (c *Calls) replay(line []byte, at ledger.Place) error {
	var event struct {
		Event string `json:"event"`
	}
	if err := json.Unmarshal(line, &event); err != nil {
		return fmt.Errorf("cannot read the log of calls: %w", err)
	}
	if event.Event == eventSent {
		var s Sent
		if err := json.Unmarshal(line, &s); err != nil {
			return fmt.Errorf("cannot read the log of calls: %w", err)
		}
		c.spent.Calls++
		c.open[s.Key] = append(c.open[s.Key], s.Reserve)
		return nil
	}
	d := new(Done)
	if err := json.Unmarshal(line, d); err != nil {
		return fmt.Errorf("cannot read the log of calls: %w", err)
	}
	c.settle(d)
	c.take(d, at, false)
	// The first call's pictures are enough: sameAsEarlier gives them to all later calls.
	if key := d.shownFor(); len(d.Images) > 0 && c.pictures[key] == nil {
		c.pictures[key] = d.Images
	}
	return nil
}

// settle closes the requests of a call that has its outcome, and adds what the call took to c.spent.
// The requests that may have been paid for without an answer, whose number the outcome has, are counted
// as lost with all that was reserved for them.
func (c *Calls) settle(done *Done) {
	requests := c.open[done.Key]
	if done.Batch != nil { // a request in a batch has no line of its own, which counts it
		c.spent.Calls++
	}
	lost := min(done.Lost, len(requests))
	for _, r := range requests[:lost] {
		c.spent.Lost++
		c.spent.LostTokens += r.Tokens
		c.spent.LostCost += r.Cost
	}
	delete(c.open, done.Key)
	if done.Usage != nil {
		c.spent.PromptTokens += done.Usage.Prompt
		c.spent.CompletionTokens += done.Usage.Completion
	}
	if done.Cost != nil {
		c.spent.Cost += *done.Cost
		c.spent.Dearest = max(c.spent.Dearest, *done.Cost)
		c.spent.Priced = true
	}
}

// take makes the outcome of a call known, and returns the place of the line that counts for its key. The
// first answer counts; a later one is a duplicate. A failure is replaced by what a later try brings. An
// outcome that is not final is left out: its line only says what the requests cost, and the call is
// made again.
func (c *Calls) take(d *Done, at ledger.Place, fresh bool) ledger.Place {
	if !d.Kind.Final() {
		return at
	}
	old := c.done[d.Key]
	if old != nil && old.answered {
		c.duplicates++
		return old.at
	}
	order := int32(len(c.done))
	if old != nil {
		order = old.order
	}
	c.done[d.Key] = &record{at, order, d.Kind == chat.Answer || d.Kind == chat.Filtered, fresh}
	return at
}

// all returns the records of all calls that have an outcome, in the order in which their first outcomes
// came.
func (c *Calls) all() []*record {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Values(c.done), func(a, b *record) int { return int(a.order - b.order) })
}

// record returns the record of a call's outcome, nil for none. A nil Calls, that of a plan alone, has
// none.
func (c *Calls) record(key string) *record {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done[key]
}

// read reads the line at a place into d, a *Done or a part of it.
func (c *Calls) read(at ledger.Place, d any) error {
	line, err := ledger.LineAt(c.file, at)
	if err == nil {
		err = json.Unmarshal(line, d)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLog, err)
	}
	return nil
}

// Done reads the outcome of a call from the log. It returns nil where there is none.
func (c *Calls) Done(key string) (*Done, error) {
	r := c.record(key)
	if r == nil {
		return nil, nil
	}
	d := new(Done)
	return d, c.read(r.at, d)
}

// Spent is what the calls of the folder took before this process.
func (c *Calls) Spent() budget.Spent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent
}

// Duplicates returns how many outcomes came for a call that had an answer already. It may be called
// when no call is under way.
func (c *Calls) Duplicates() int { return c.duplicates }

// Torn returns the number of lines of the log that are not whole.
func (c *Calls) Torn() int { return c.torn }

// sent writes to the log that a request is about to be sent to the model, and returns when that is
// on the disk.
func (c *Calls) sent(key string, try int, hold *budget.Hold) error {
	s := Sent{Event: eventSent, Key: key, Time: now(), Try: try}
	if hold != nil {
		s.Reserve = Reserve{hold.Tokens, hold.Cost}
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = c.log.Append(b)
	return err
}

// keep writes the outcome of a call to the log and waits until it is on the disk. It returns the outcome
// that counts for the call: an earlier answer where there is one, else done.
func (c *Calls) keep(done *Done) (*Done, error) {
	b, err := json.Marshal(done)
	if err != nil {
		return nil, err
	}
	at, err := c.log.Append(b)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	first := c.take(done, at, true)
	c.mu.Unlock()
	if first == at {
		return done, nil
	}
	done = new(Done)
	return done, c.read(first, done)
}

// Close closes the log.
func (c *Calls) Close() (err error) {
	if c.log != nil {
		err = c.log.Close()
	}
	if c.file != nil {
		err = errors.Join(err, c.file.Close())
	}
	return err
}
