package judge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"plumb/daemon/chat"
)

// maxReplies is how often a judge is asked for a reply that can be read. See
// docs/spec/vqa.md#r41.
const maxReplies = 3

// converse asks until a reply is a verdict. The last request repeats what was wanted.
func (c *Client) converse(ctx context.Context, f *flight, r *request) (verdict, error) {
	prompt := r.prompt
	for n := range maxReplies {
		if n == maxReplies-1 {
			prompt += lastLine
		}
		got, err := c.chat.Ask(ctx, turns{c, f}, prompt)
		if err != nil {
			return verdict{}, err
		}
		if v, ok := c.settle(r, got); ok {
			return v, nil
		}
		c.count(func(s *Stats) { s.Unread++ })
	}
	return verdict{}, fmt.Errorf("none of %d replies is a verdict", maxReplies)
}

// settle reads a reply and keeps its verdict. Only then may another call begin in
// its place: a process that is killed loses no more replies than are under way.
func (c *Client) settle(r *request, got *chat.Reply) (v verdict, ok bool) {
	defer got.Free()
	right, ok := c.understood(got)
	if !ok {
		return v, false
	}
	v = verdict{Right: right, Reply: cut(got.Text), Model: c.cfg.Model, Prompt: r.version, Time: time.Now().UTC(),
		PromptTokens: got.Prompt, CompletionTokens: got.Completion, Cost: got.Cost}
	if err := c.store.put(r.key, v); err != nil {
		c.count(func(s *Stats) { s.Unsaved++ })
		c.cfg.Log.Error("a verdict was not kept", "error", err)
	}
	return v, true
}

// understood reads a reply. One that was cut off for want of tokens may have meant
// anything, but for a bare digit.
func (c *Client) understood(r *chat.Reply) (right, ok bool) {
	if s := strings.TrimSpace(r.Text); r.Cut && s != "0" && s != "1" {
		return false, false
	}
	return c.cfg.Read(r.Text)
}

// turns ties calls to a flight. It implements chat.Turns.
type turns struct {
	c *Client
	f *flight
}

// Begin implements chat.Turns; false where the flight has no waiters.
func (t turns) Begin() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.f.calling = t.f.waiters > 0 && !t.c.closed
	return t.f.calling
}

// End implements chat.Turns.
func (t turns) End() {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.f.calling = false
}
