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

	mu             sync.Mutex
	nextCall       time.Time // no call before
	nextToken      time.Time // no call before, for the limit on tokens
	meanCompletion float64   // tokens of a completion so far
	completions    int
}

// newPace returns a pace of calls for an endpoint's limits on requests and tokens per minute; 0 is no limit.
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

// firstGuess is how many tokens the first completions are taken to have. meanWindow is about how many of
// the last completions count in their mean.
const (
	firstGuess = 1000
	meanWindow = 100
)

// reserve returns the earliest time at which a call of the endpoint may begin, and the tokens that it reserves.
// These are the tokens of its prompt and a guess of its completion: the mean of the completions so far, and at
// most mostCompletion. Without limits, `at` is now; without a limit on tokens, none are reserved.
func (pace *pace) reserve(prompt, mostCompletion int64) (at time.Time, tokens int64) {
	pace.mu.Lock()
	defer pace.mu.Unlock()
	now := time.Now()
	at = now
	if pace.perCall > 0 {
		at = later(at, pace.nextCall)
	}
	if pace.perToken > 0 {
		at = later(at, pace.nextToken)
		guess := int64(firstGuess)
		if pace.completions > 0 {
			guess = int64(pace.meanCompletion)
		}
		completion := min(mostCompletion, guess)
		tokens = prompt + completion
		pace.nextToken = at.Add(time.Duration(float64(tokens) * pace.perToken))
	}
	pace.nextCall = at.Add(pace.perCall)
	return at, tokens
}

// correctReservation replaces the tokens that a call had reserved by those of its prompt and completion, so that the
// next call may begin earlier or later. It also updates the mean of completions.
func (pace *pace) correctReservation(reserved, prompt, completion int64) {
	if pace.perToken == 0 {
		return
	}
	pace.mu.Lock()
	defer pace.mu.Unlock()
	pace.nextToken = pace.nextToken.Add(time.Duration(float64(prompt+completion-reserved) * pace.perToken))
	pace.completions++
	pace.meanCompletion += (float64(completion) - pace.meanCompletion) / float64(min(pace.completions, meanWindow))
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
