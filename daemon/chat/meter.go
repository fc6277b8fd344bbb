package chat

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Budget bounds what one client may spend; 0 is no bound. It is looked at before each
// call, with what the calls under way may cost at most.
type Budget struct {
	Calls  int64
	Tokens int64   // of prompts and replies
	Cost   float64 // USD
}

// Price of a judge in USD per million tokens.
type Price struct{ Prompt, Completion float64 }

func (p *Price) of(prompt, completion int64) float64 {
	return float64(float64(prompt)*p.Prompt)/1e6 + float64(float64(completion)*p.Completion)/1e6
}

// Usage is what was spent.
type Usage struct {
	Calls            int64 // requests that were sent, the failed ones too
	Retries          int64 // of which because one before them failed
	Lost             int64 // calls that may have been answered and paid for, but brought nothing
	PromptTokens     int64 // of replies, as the endpoint counts them, else estimated
	CompletionTokens int64
	Cost             float64 // USD of replies
	Priced           bool    // Cost is known
}

// meter keeps the budget.
type meter struct {
	budget Budget
	price  *Price

	mu     sync.Mutex
	usage  Usage
	at     held          // what lost calls may have cost, and what those under way may
	flying int           // calls under way
	dear   float64       // the dearest reply so far, where the endpoint tells
	change chan struct{} // closed when a call ends
}

// held is what a call may cost at most.
type held struct {
	m      *meter
	calls  int64
	tokens int64
	cost   float64
}

func newMeter(b Budget, p *Price) *meter {
	return &meter{budget: b, price: p, change: make(chan struct{})}
}

// reserve takes what a call may cost at most out of the budget. Where it would not fit
// because of calls under way, it waits for them. The error says which bound ends.
func (m *meter) reserve(ctx context.Context, prompt, completion int64) (*held, error) {
	for {
		m.mu.Lock()
		h := &held{m: m, calls: 1, tokens: prompt + completion, cost: m.dear}
		if m.price != nil {
			h.cost = m.price.of(prompt, completion)
		}
		err := m.fits(h)
		if err == nil {
			m.at.tokens += h.tokens
			m.at.cost += h.cost
			m.flying++
			m.usage.Calls++
			m.mu.Unlock()
			return h, nil
		}
		alone, change := m.flying == 0 || m.budget.Calls > 0 && m.usage.Calls >= m.budget.Calls, m.change
		m.mu.Unlock()
		if alone {
			return nil, err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// fits says why a call does not fit. The caller holds mu.
func (m *meter) fits(h *held) error {
	b, u := m.budget, &m.usage
	switch {
	case b.Calls > 0 && u.Calls+h.calls > b.Calls:
		return fmt.Errorf("the budget ends: %d calls were made (--judge-max-calls)", u.Calls)
	case b.Tokens > 0 && u.PromptTokens+u.CompletionTokens+m.at.tokens+h.tokens > b.Tokens:
		return fmt.Errorf("the budget ends: %d tokens were used and a call may take %d, of %d (--judge-max-total-tokens)", u.PromptTokens+u.CompletionTokens, h.tokens, b.Tokens)
	case b.Cost > 0 && u.Cost+m.at.cost+h.cost > b.Cost:
		return fmt.Errorf("the budget ends: %.4f USD were spent and a call may cost %.4f, of %.4f (--judge-max-cost)", u.Cost, h.cost, b.Cost)
	}
	return nil
}

// cancel takes a reservation back: no call was made.
func (h *held) cancel() {
	m := h.m
	m.mu.Lock()
	m.usage.Calls--
	m.mu.Unlock()
	h.drop(false)
}

// drop ends a call without a reply. What may have been paid for stays reserved.
func (h *held) drop(lost bool) {
	m := h.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if lost {
		m.usage.Lost++
	} else {
		m.at.tokens -= h.tokens
		m.at.cost -= h.cost
	}
	m.ended()
}

// errNoPrice ends judging whose cost is unknown.
var errNoPrice = errors.New("the cost cannot be held to --judge-max-cost: the endpoint does not tell it; want --judge-price")

// pay books a reply. The error says that its cost is unknown and is bounded.
func (h *held) pay(r *Reply) error {
	m := h.m
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at.tokens -= h.tokens
	m.at.cost -= h.cost
	m.usage.PromptTokens += r.Prompt
	m.usage.CompletionTokens += r.Completion
	cost := m.costOf(r)
	r.Cost = cost
	if cost != nil {
		m.usage.Cost += *cost
		m.usage.Priced = true
		m.dear = max(m.dear, *cost)
	}
	m.ended()
	if cost == nil && m.budget.Cost > 0 {
		return errNoPrice
	}
	return nil
}

// ended wakes who waits for calls to end. The caller holds mu.
func (m *meter) ended() {
	m.flying--
	if m.flying == 0 && m.usage.Lost == 0 {
		m.at = held{} // sums of floats leave dust
	}
	close(m.change)
	m.change = make(chan struct{})
}

// costOf is the endpoint's own word before the price of the flags.
func (m *meter) costOf(r *Reply) *float64 {
	switch {
	case r.told != nil && *r.told >= 0:
		return r.told
	case m.price != nil:
		c := m.price.of(r.Prompt, r.Completion)
		return &c
	}
	return nil
}

func (m *meter) retried() { m.mu.Lock(); m.usage.Retries++; m.mu.Unlock() }

func (m *meter) spent() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage
}
