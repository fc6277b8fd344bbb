package chat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// maxBackoff is the longest wait that is not the endpoint's wish.
const maxBackoff = time.Minute

// Turns are told when calls for a question begin and end.
type Turns interface {
	// Begin is called before a request is sent; false where nobody wants its reply.
	Begin() bool
	// End is called after a request to which Begin said true.
	End()
}

// Ask tries until a reply arrives, which holds its slot until it is freed.
func (c *Client) Ask(ctx context.Context, t Turns, prompt string) (*Reply, error) {
	for n := 0; ; n++ {
		got, err := c.try(ctx, t, prompt)
		var fail *failure
		switch {
		case err == nil:
			return got, nil
		case !errors.As(err, &fail):
			return nil, err
		case !fail.again():
			return nil, fail
		case n+1 >= c.cfg.Tries:
			return nil, fmt.Errorf("%d tries failed; the last one: %w", n+1, fail)
		}
		c.meter.retried()
		if err := Sleep(ctx, max(c.backoff(n), fail.after)); err != nil {
			return nil, fmt.Errorf("%d tries failed in the time there is; the last one: %w", n+1, fail)
		}
	}
}

// backoff is the wait after the n-th failure, from 0: full jitter.
func (c *Client) backoff(n int) time.Duration {
	most := maxBackoff
	if n < 16 {
		most = min(most, c.cfg.Backoff<<n)
	}
	return rand.N(most + 1)
}

// Sleep waits. Where the deadline comes first it does not wait at all.
func Sleep(ctx context.Context, d time.Duration) error {
	if until, ok := ctx.Deadline(); ok && time.Until(until) < d {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try makes one call when a slot is free, the endpoint is there and the budget allows.
// A reply holds the slot until it is freed.
func (c *Client) try(ctx context.Context, t Turns, prompt string) (*Reply, error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, timely(ctx.Err())
	}
	free := func() { <-c.slots }
	held := false
	defer func() {
		if !held {
			free()
		}
	}()
	pass, err := c.gate.enter(ctx)
	if err != nil {
		return nil, timely(err)
	}
	budget, err := c.meter.reserve(ctx, int64(len(prompt)), int64(c.cfg.MaxTokens)) // no token is less than a byte
	if err != nil {
		pass.nothing()
		return nil, timely(err)
	}
	if !t.Begin() {
		budget.cancel()
		pass.nothing()
		return nil, errors.New("no request waits for it any more")
	}
	defer t.End()
	got, err := c.call(ctx, prompt)
	var fail *failure
	switch {
	case err == nil:
		pass.good()
		held, got.free = true, free
		if err := budget.pay(got); err != nil {
			c.gate.halt(err)
			c.cfg.Log.Error("judging ends", "error", err)
		}
	case errors.As(err, &fail):
		budget.drop(fail.lost)
		c.judgeFailure(pass, fail)
	default:
		budget.drop(true)
		pass.nothing()
		err = timely(err)
	}
	return got, err
}

// judgeFailure tells the gate what a failed try says about the endpoint.
func (c *Client) judgeFailure(pass *pass, f *failure) {
	switch {
	case f.again():
		pass.bad(f)
	case c.cfg.Halt:
		pass.nothing()
		if c.gate.halt(f) {
			c.cfg.Log.Error("judging ends", "error", f)
		}
	case f.status == http.StatusUnauthorized || f.status == http.StatusForbidden || f.status == http.StatusNotFound:
		pass.down(f)
		c.cfg.Log.Error("the judge refuses all requests", "error", f)
	default:
		pass.good() // it is there, it does not like this question
	}
}

// timely words the end of a context.
func timely(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the judge did not answer in time")
	case errors.Is(err, context.Canceled):
		return errors.New("judging was stopped")
	}
	return err
}
