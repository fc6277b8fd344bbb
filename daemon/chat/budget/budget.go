// Package budget bounds what calls to a language model may spend. In: limits, a price, what was spent before,
// and for each call the most that it can take. Out: permission for the call, and what it cost in the end. A
// limit is never passed by calls whose price is known, whatever runs at once: each call first reserves its
// most. It makes no calls itself.
package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"plumb/scoring/plural"
)

// Limits bound the calls to an endpoint, their tokens and their cost; 0 is no limit.
type Limits struct {
	Calls  int64
	Tokens int64   // of prompts and replies
	Cost   float64 // USD
}

// Spent is what calls to an endpoint took: how many there were, their tokens and their cost.
type Spent struct {
	Calls            int64 // requests that were sent, the failed ones too
	Retries          int64 // of which because one before them failed
	Lost             int64 // calls that may have been answered and paid for, but brought nothing
	PromptTokens     int64 // of replies, as the endpoint counts them, else estimated
	CompletionTokens int64
	Cost             float64 // USD of replies
	Priced           bool    // Cost is known
	Dearest          float64 // USD of the dearest reply
	LostTokens       int64   // that lost calls may have taken at most
	LostCost         float64 // USD that lost calls may have cost at most
}

// ErrEnded marks a call that the budget does not allow.
var ErrEnded = errors.New("the budget ends")

// ErrNoPrice marks a cost that is limited but unknown.
var ErrNoPrice = errors.New("the cost cannot be held to its limit")

// Meter keeps calls to an endpoint within limits on calls, tokens and cost. It is safe for concurrent use.
type Meter struct {
	limits Limits
	price  *Price
	flag   func(string) string

	mu        sync.Mutex
	spent     Spent
	reserved  Hold          // what calls under way may take
	inFlight  int           // calls under way
	costKnown bool          // a reply had a cost
	dearest   float64       // USD of the dearest reply so far
	change    chan struct{} // closed when a call ends
}

// Hold is the share of the budget that one call may take at most. One of Cancel, Drop and Pay ends it.
type Hold struct {
	meter  *Meter
	Tokens int64
	Cost   float64 // USD, by the price or by the dearest reply so far
}

// New returns a meter. Limits hold for what was spent before and what the meter allows together. The price is
// nil where none is known; flag words the name of a flag ("--max-cost") for messages, nil for as it is.
func New(limits Limits, price *Price, spent Spent, flag func(string) string) *Meter {
	if flag == nil {
		flag = func(s string) string { return s }
	}
	return &Meter{limits: limits, price: price, spent: spent, dearest: spent.Dearest, flag: flag, change: make(chan struct{})}
}

// Reserve takes the most that a call can take out of the budget. If it does not fit because
// of calls under way, Reserve waits for one of them to end and tries again. Errors wrap
// ErrEnded or ErrNoPrice and name the limit, or are those of ctx. See docs/spec/runs.md#r21.
func (meter *Meter) Reserve(ctx context.Context, reserve Tokens) (*Hold, error) {
	for {
		meter.mu.Lock()
		hold := &Hold{meter: meter, Tokens: reserve.Prompt + reserve.Completion, Cost: meter.dearest}
		if meter.price != nil {
			hold.Cost = meter.price.Of(reserve)
		}
		err := meter.checkFits(hold)
		if err == nil {
			meter.reserved.Tokens += hold.Tokens
			meter.reserved.Cost += hold.Cost
			meter.inFlight++
			meter.spent.Calls++
			meter.mu.Unlock()
			return hold, nil
		}
		// Waiting helps only if calls under way may give something back; a call that was made stays counted.
		callsUsedUp := meter.limits.Calls > 0 && meter.spent.Calls >= meter.limits.Calls
		hopeless, changed := meter.inFlight == 0 || callsUsedUp, meter.change
		meter.mu.Unlock()
		if hopeless {
			return nil, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// checkFits returns an error that names the limit which a call would exceed, or nil. While a cost is limited
// and no cost is known yet, only one call is let through at a time. The caller holds mu.
func (meter *Meter) checkFits(hold *Hold) error {
	limits, spent := meter.limits, &meter.spent
	tokens, cost := spent.PromptTokens+spent.CompletionTokens+spent.LostTokens, spent.Cost+spent.LostCost
	switch {
	case limits.Calls > 0 && spent.Calls+1 > limits.Calls:
		return fmt.Errorf("%w: %s made (%s)", ErrEnded, plural.Of(spent.Calls, "call was", "calls were"), meter.flag("--max-calls"))
	case limits.Tokens > 0 && tokens+meter.reserved.Tokens+hold.Tokens > limits.Tokens:
		return fmt.Errorf("%w: %d tokens were used and a call may take %d, of %d (%s)", ErrEnded, tokens, hold.Tokens,
			limits.Tokens, meter.flag("--max-total-tokens"))
	case limits.Cost > 0 && cost+meter.reserved.Cost+hold.Cost > limits.Cost:
		return fmt.Errorf("%w: %.4f USD were spent and a call may cost %.4f, of %.4f (%s)", ErrEnded, cost, hold.Cost,
			limits.Cost, meter.flag("--max-cost"))
	case limits.Cost > 0 && meter.price == nil && !meter.costKnown && meter.inFlight > 0:
		return ErrNoPrice // the caller waits for the first reply, which tells what calls cost
	}
	return nil
}

// Cancel returns a reservation: no request was sent, so the call does not count.
func (hold *Hold) Cancel() {
	meter := hold.meter
	meter.mu.Lock()
	defer meter.mu.Unlock()
	meter.spent.Calls--
	meter.release(hold)
}

// Drop ends a call that brought no reply. If it may have been paid for (lost), what it
// reserved counts as spent. See docs/spec/runs.md#r22.
func (hold *Hold) Drop(lost bool) {
	meter := hold.meter
	meter.mu.Lock()
	defer meter.mu.Unlock()
	if lost {
		meter.spent.Lost++
		meter.spent.LostTokens += hold.Tokens
		meter.spent.LostCost += hold.Cost
	}
	meter.release(hold)
}

// Pay ends a call with a reply, and returns its cost in USD: what the endpoint says it cost, else
// what the price gives (priced is true then), else nil. An error wraps ErrNoPrice: the cost
// is limited and unknown. See docs/spec/runs.md#r19.
func (hold *Hold) Pay(tokens Tokens, statedCost *float64) (cost *float64, priced bool, err error) {
	meter := hold.meter
	meter.mu.Lock()
	defer meter.mu.Unlock()
	meter.spent.PromptTokens += tokens.Prompt
	meter.spent.CompletionTokens += tokens.Completion
	switch {
	case statedCost != nil && *statedCost >= 0:
		cost = statedCost
	case meter.price != nil:
		cost, priced = new(meter.price.Of(tokens)), true
	case meter.limits.Cost > 0:
		err = fmt.Errorf("%w (%s): the endpoint does not tell the cost; want %s", ErrNoPrice, meter.flag("--max-cost"),
			meter.flag("--price"))
	}
	if cost != nil {
		meter.spent.Cost += *cost
		meter.spent.Priced = true
		meter.costKnown, meter.dearest = true, max(meter.dearest, *cost)
		meter.spent.Dearest = meter.dearest
	}
	meter.release(hold)
	return cost, priced, err
}

// release frees what a call reserved and wakes the calls that wait. The caller holds mu.
func (meter *Meter) release(hold *Hold) {
	meter.reserved.Tokens -= hold.Tokens
	meter.reserved.Cost -= hold.Cost
	meter.inFlight--
	if meter.inFlight == 0 {
		meter.reserved = Hold{} // a sum of floats may end slightly off 0
	}
	close(meter.change)
	meter.change = make(chan struct{})
}

// Retried counts a call that is made because one before it failed.
func (meter *Meter) Retried() {
	meter.mu.Lock()
	defer meter.mu.Unlock()
	meter.spent.Retries++
}

// Spent returns what was spent so far, before the meter too.
func (meter *Meter) Spent() Spent {
	meter.mu.Lock()
	defer meter.mu.Unlock()
	return meter.spent
}

// Left returns what the limits leave: without what was spent, what lost calls may have taken
// and what calls under way may take. It is 0 for what has no limit.
func (meter *Meter) Left() Limits {
	meter.mu.Lock()
	defer meter.mu.Unlock()
	var limits Limits
	spent := &meter.spent
	if meter.limits.Calls > 0 {
		limits.Calls = max(0, meter.limits.Calls-spent.Calls)
	}
	if meter.limits.Tokens > 0 {
		limits.Tokens = max(0, meter.limits.Tokens-spent.PromptTokens-spent.CompletionTokens-spent.LostTokens-meter.reserved.Tokens)
	}
	if meter.limits.Cost > 0 {
		limits.Cost = max(0, meter.limits.Cost-spent.Cost-spent.LostCost-meter.reserved.Cost)
	}
	return limits
}
