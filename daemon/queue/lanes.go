package queue

import "fmt"

// Priority orders samples: those of a higher one are prepared and measured
// first. A lower one is never starved: see turns.
type Priority uint8

// The priorities. PriorityDefault is high for requests of one sample, bulk for
// streams.
const (
	PriorityDefault Priority = iota
	PriorityHigh             // requests of one sample, as trainers send them
	PriorityNormal           // a request of many samples
	PriorityBulk             // dumps; batches of bulk alone wait a little to fill
	priorities      = 3
)

// ParsePriority reads a priority by its name: high, normal or bulk; "" is the default.
func ParsePriority(text string) (Priority, error) {
	switch text {
	case "":
		return PriorityDefault, nil
	case "high":
		return PriorityHigh, nil
	case "normal":
		return PriorityNormal, nil
	case "bulk":
		return PriorityBulk, nil
	}
	return 0, fmt.Errorf("cannot use priority %.20q: want high, normal or bulk", text)
}

// fairness is how often a waiting class is passed over before it is served. See
// docs/spec/http.md#r33.
const fairness = 8

// turns schedules the classes 0, 1, ... of waiting samples. The lowest class goes first,
// but a class that was passed over fairness times goes before it, so that none starves.
// An element counts how often that class was passed over.
type turns [4]uint8

// pick returns the class whose turn it is, of the first n classes, and counts for each less urgent class
// with samples that it was passed over. has reports whether a class has samples; at least one must.
func (turns *turns) pick(n int, has func(c int) bool) int {
	// From the least urgent class on: a more urgent one takes over, unless the one chosen has been passed
	// over too often.
	chosen := -1
	for c := n - 1; c >= 0; c-- {
		if has(c) && (chosen < 0 || turns[chosen] < fairness) {
			chosen = c
		}
	}
	for c := chosen + 1; c < n; c++ { // less urgent ones that wait
		if has(c) {
			turns[c]++
		}
	}
	turns[chosen] = 0
	return chosen
}

// lanes is a backlog of samples with one list per priority.
type lanes struct {
	byPriority [priorities]fifo[*task] // from PriorityHigh on
	turn       turns
}

func (l *lanes) len() int {
	return l.byPriority[0].len() + l.byPriority[1].len() + l.byPriority[2].len()
}

func (l *lanes) push(t *task) { l.byPriority[t.priority-PriorityHigh].push(t) }

// pop removes and returns the sample whose turn it is, or nil if there is none.
func (l *lanes) pop() *task {
	if l.len() == 0 {
		return nil
	}
	hasSamples := func(c int) bool { return l.byPriority[c].len() > 0 }
	return l.byPriority[l.turn.pick(priorities, hasSamples)].pop()
}

// fifo is a first-in first-out list that reuses its memory.
type fifo[T any] struct {
	items []T
	head  int
}

func (fifo *fifo[T]) len() int { return len(fifo.items) - fifo.head }

func (fifo *fifo[T]) push(v T) { fifo.items = append(fifo.items, v) }

func (fifo *fifo[T]) peek() T { return fifo.items[fifo.head] }

// pop removes and returns the first element; the list must not be empty. The place of a removed element
// stays unused until the list is empty, or until half of a list with 1024 unused places is unused: then
// the rest moves to the front. So a removal costs little on average, and memory does not grow.
func (fifo *fifo[T]) pop() T {
	var zero T
	v := fifo.items[fifo.head]
	fifo.items[fifo.head] = zero // for the garbage collector
	fifo.head++
	if fifo.head == len(fifo.items) {
		fifo.items, fifo.head = fifo.items[:0], 0
	} else if fifo.head >= 1024 && fifo.head*2 >= len(fifo.items) {
		n := copy(fifo.items, fifo.items[fifo.head:])
		clear(fifo.items[n:])
		fifo.items, fifo.head = fifo.items[:n], 0
	}
	return v
}
