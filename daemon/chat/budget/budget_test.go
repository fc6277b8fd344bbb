package budget_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"plumb/daemon/chat/budget"
)

// Limits hold for what was spent before too, and the error names the flag. See
// docs/spec/runs.md#r21.
func TestLimits(t *testing.T) {
	before := budget.Spent{Calls: 8, PromptTokens: 500, CompletionTokens: 100, LostTokens: 300, Cost: 0.5, LostCost: 0.3}
	most := budget.Tokens{Prompt: 50, Completion: 50}
	price := &budget.Price{Prompt: 1000, Completion: 1000} // 0.1 USD for a call
	for _, c := range []struct {
		limits budget.Limits
		want   int
		err    string
	}{
		{budget.Limits{}, 100, ""},
		{budget.Limits{Calls: 10}, 2, "--judge-max-calls"},
		{budget.Limits{Tokens: 1200}, 3, "--judge-max-total-tokens"},
		{budget.Limits{Cost: 1.0001}, 2, "--judge-max-cost"},
		{budget.Limits{Cost: 0.7}, 0, "--judge-max-cost"},
	} {
		m := budget.New(c.limits, price, before, func(s string) string { return "--judge" + s[1:] })
		n := 0
		var err error
		for err == nil && n < 100 {
			var h *budget.Hold
			if h, err = m.Reserve(t.Context(), most); err == nil {
				n++
				_, _, err = h.Pay(most, nil)
			}
		}
		if n != c.want || c.err != "" && (!errors.Is(err, budget.ErrEnded) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%+v: got %d calls, %v; want %d and %s", c.limits, n, err, c.want, c.err)
		}
	}
}

// A call waits for those under way where only they are in the way; what is lost stays
// taken. See docs/spec/runs.md#r22.
func TestReserve(t *testing.T) {
	m := budget.New(budget.Limits{Tokens: 100}, nil, budget.Spent{}, nil)
	most := budget.Tokens{Prompt: 10, Completion: 50}
	h, err := m.Reserve(t.Context(), most)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		other, err := m.Reserve(t.Context(), most)
		if err != nil {
			t.Errorf("got %v; want the call after the other one", err)
			return
		}
		other.Drop(true)
	})
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Reserve(stopped, most); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the end of the wait", err)
	}
	h.Drop(false)
	wg.Wait()
	if s := m.Spent(); s.Calls != 2 || s.Lost != 1 || s.LostTokens != 60 {
		t.Errorf("got %+v; want one lost call of 60 tokens", s)
	}
	if l := m.Left(); l.Tokens != 40 || l.Calls != 0 {
		t.Errorf("got %+v; want 40 tokens left", l)
	}
	if _, err := m.Reserve(t.Context(), most); !errors.Is(err, budget.ErrEnded) {
		t.Errorf("got %v; want the end of the budget", err)
	}
	if h, err := m.Reserve(t.Context(), budget.Tokens{Completion: 40}); err != nil {
		t.Error(err)
	} else if h.Cancel(); m.Spent().Calls != 2 {
		t.Errorf("got %+v; want a call less", m.Spent())
	}
}

// The endpoint's word comes before the price, and without either a limit of cost ends.
// See docs/spec/runs.md#r19 and docs/spec/runs.md#r20.
func TestCost(t *testing.T) {
	price := &budget.Price{Prompt: 2, Completion: 10, Cached: new(0.5)}
	used := budget.Tokens{Prompt: 1000, Completion: 100, Cached: 600}
	for _, c := range []struct {
		name   string
		price  *budget.Price
		told   *float64
		want   float64
		priced bool
		err    error
	}{
		{"price", price, nil, 0.0021, true, nil},
		{"batch", price.InBatch(), nil, 0.00105, true, nil},
		{"told", price, new(0.25), 0.25, false, nil},
		{"unknown", nil, nil, -1, false, budget.ErrNoPrice},
	} {
		m := budget.New(budget.Limits{Cost: 10}, c.price, budget.Spent{}, nil)
		h, err := m.Reserve(t.Context(), used)
		if err != nil {
			t.Fatal(err)
		}
		cost, priced, err := h.Pay(used, c.told)
		if c.want < 0 && cost != nil || c.want >= 0 && (cost == nil || *cost < c.want-1e-12 || *cost > c.want+1e-12) || priced != c.priced || !errors.Is(err, c.err) {
			t.Errorf("%s: got %v, %v, %v", c.name, cost, priced, err)
		}
	}
}

// Prices are read from flags and files, and faults are told.
func TestPrices(t *testing.T) {
	if p, err := budget.ParsePrice("0.30:2.50:0.03"); err != nil || p.Prompt != 0.3 || p.Completion != 2.5 || *p.Cached != 0.03 {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, s := range []string{"", "1", "1:2:3:4", "a:b", "1:-2", "1:NaN", "1:+Inf"} {
		if _, err := budget.ParsePrice(s); err == nil || !strings.Contains(err.Error(), "IN:OUT") {
			t.Errorf("%q: got %v", s, err)
		}
	}
	const file = `{"a":{"in":1,"out":2},"b":{"in":1,"out":2,"cached":0.1,"batch":0.25},"c":{"in":1},"d":{"in":1,"out":-2}}`
	if p, err := budget.ReadPrices([]byte(file), "b"); err != nil || p.Batch != 0.25 || *p.Cached != 0.1 || p.InBatch().Completion != 0.5 {
		t.Errorf("got %+v, %v", p, err)
	}
	for model, want := range map[string]string{"c": "no in or no out", "d": "0 or more", "e": `no model "e"`} {
		if _, err := budget.ReadPrices([]byte(file), model); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", model, err, want)
		}
	}
}
