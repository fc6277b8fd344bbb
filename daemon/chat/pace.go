package chat

import (
	"sync"
	"time"
)

// pace spreads calls and tokens evenly over time, so that no minute has more than it
// may. See docs/spec/runs.md#r14.
type pace struct {
	perCall  time.Duration // between two calls; 0 for no bound
	perToken float64       // nanoseconds of one token; 0 for no bound

	mu     sync.Mutex
	call   time.Time // no call before
	token  time.Time // no call before
	mean   float64   // tokens of a completion so far
	counts int
}

// newPace returns a pace for limits on requests and tokens per minute; 0 is no limit.
func newPace(rpm, tpm int64) *pace {
	p := &pace{}
	if rpm > 0 {
		p.perCall = time.Minute / time.Duration(rpm)
	}
	if tpm > 0 {
		p.perToken = float64(time.Minute) / float64(tpm)
	}
	return p
}

// reserve returns the earliest time at which a call may begin, and the tokens that it
// reserves: its prompt and a guess of its completion, the mean of those so far and at first
// 1000, at most mostCompletion. With a limit on neither, `at` is now.
func (pace *pace) reserve(prompt, mostCompletion int64) (at time.Time, tokens int64) {
	pace.mu.Lock()
	defer pace.mu.Unlock()
	now := time.Now()
	at = now
	if pace.perCall > 0 {
		at = later(at, pace.call)
	}
	if pace.perToken > 0 {
		at = later(at, pace.token)
		completion := min(mostCompletion, 1000)
		if pace.counts > 0 {
			completion = min(mostCompletion, int64(pace.mean))
		}
		tokens = prompt + completion
		pace.token = at.Add(time.Duration(float64(tokens) * pace.perToken))
	}
	pace.call = at.Add(pace.perCall)
	return at, tokens
}

// correct replaces the tokens that a call reserved (taken) by those that it took, and
// updates the mean of completions, in which about the last 100 count.
func (pace *pace) correct(taken, prompt, completion int64) {
	if pace.perToken == 0 {
		return
	}
	pace.mu.Lock()
	defer pace.mu.Unlock()
	pace.token = pace.token.Add(time.Duration(float64(prompt+completion-taken) * pace.perToken))
	pace.counts++
	pace.mean += (float64(completion) - pace.mean) / float64(min(pace.counts, 100))
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
