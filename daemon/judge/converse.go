package judge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// maxReplies is how often a judge is asked for a reply that can be read. See
// docs/spec/vqa.md#r41.
const maxReplies = 3

// maxBackoff is the longest wait that is not the endpoint's wish.
const maxBackoff = time.Minute

// converse asks until a reply is a verdict. The last request repeats what was wanted.
func (c *Client) converse(ctx context.Context, f *flight, r *request) (verdict, error) {
	prompt := r.prompt
	for n := range maxReplies {
		if n == maxReplies-1 {
			prompt += lastLine
		}
		got, err := c.persist(ctx, f, prompt)
		if err != nil {
			return verdict{}, err
		}
		if v, ok := c.settle(r, got); ok {
			return v, nil
		}
		c.meter.unread()
	}
	return verdict{}, fmt.Errorf("none of %d replies is a verdict", maxReplies)
}

// settle reads a reply and keeps its verdict. Only then may another call begin in
// its place: a process that is killed loses no more replies than are under way.
func (c *Client) settle(r *request, got *reply) (v verdict, ok bool) {
	defer got.free()
	right, ok := c.understood(got)
	if !ok {
		return v, false
	}
	v = verdict{Right: right, Reply: cut(got.text), Model: c.cfg.Model, Prompt: r.version, Time: time.Now().UTC(),
		PromptTokens: got.prompt, CompletionTokens: got.output, Cost: c.meter.cost(got)}
	if err := c.store.put(r.key, v); err != nil {
		c.count(func(s *Stats) { s.Unsaved++ })
		c.cfg.Log.Error("a verdict was not kept", "error", err)
	}
	return v, true
}

// understood reads a reply. One that was cut off for want of tokens may have meant
// anything, but for a bare digit.
func (c *Client) understood(r *reply) (right, ok bool) {
	if s := strings.TrimSpace(r.text); r.cut && s != "0" && s != "1" {
		return false, false
	}
	return c.cfg.Read(r.text)
}

// persist tries until a reply arrives.
func (c *Client) persist(ctx context.Context, f *flight, prompt string) (*reply, error) {
	for n := 0; ; n++ {
		got, err := c.try(ctx, f, prompt)
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
		if err := sleep(ctx, max(c.backoff(n), fail.after)); err != nil {
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

// sleep waits. Where the deadline comes first it does not wait at all.
func sleep(ctx context.Context, d time.Duration) error {
	if until, ok := ctx.Deadline(); ok && time.Until(until) < d {
		return context.DeadlineExceeded
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try makes one call when a slot is free, the endpoint is there and the budget allows.
// A reply holds the slot until it is freed.
func (c *Client) try(ctx context.Context, f *flight, prompt string) (*reply, error) {
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
	if !c.begin(f) {
		budget.cancel()
		pass.nothing()
		return nil, errors.New("no request waits for it any more")
	}
	defer c.ended(f)
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
