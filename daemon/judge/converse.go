package judge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
)

// maxReplies is how often a judge is asked for a reply that can be read. See
// docs/spec/vqa.md#r41.
const maxReplies = 3

// askUntilVerdict asks the judge until a reply is a verdict. The last request repeats what was
// wanted.
func (c *Client) askUntilVerdict(ctx context.Context, f *flight, r *request) (v verdict, err error) {
	prompt := r.prompt
	for n := range maxReplies {
		if n == maxReplies-1 {
			prompt += lastLine
		}
		found := false
		o := c.chat.Ask(ctx, &chat.Request{Model: c.cfg.Model, Messages: []chat.Message{chat.User(chat.Text(prompt))},
			Settings: chat.Settings{Temperature: &c.cfg.Temperature, MaxTokens: new(int64(c.cfg.MaxTokens))},
			Hooks: chat.Hooks{
				Begin: func(int, *budget.Hold) error { return c.begin(f) },
				End:   func() { c.ended(f) },
				Keep: func(o *chat.Outcome) error { // before another call begins: a kill loses only what is under way
					v, found = c.settle(r, o)
					return nil
				}}})
		switch {
		case found:
			return v, nil
		case !replied(&o):
			return v, errors.New(o.Error.Message)
		}
		c.count(func(s *Stats) { s.Unread++ })
	}
	return v, fmt.Errorf("none of %d replies is a verdict", maxReplies)
}

// replied reports whether the judge was heard. An answer that a filter withheld is one
// without a text.
func replied(o *chat.Outcome) bool {
	return o.Kind == chat.Answer || o.Kind == chat.Filtered && o.HTTP == http.StatusOK
}

// settle reads a judge's reply and keeps its verdict.
func (c *Client) settle(r *request, o *chat.Outcome) (v verdict, ok bool) {
	if !replied(o) {
		return v, false
	}
	right, ok := c.understood(o)
	if !ok {
		return v, false
	}
	v = verdict{Right: right, Reply: cut(o.Text), Model: c.cfg.Model, Prompt: r.version, Time: time.Now().UTC(),
		PromptTokens: o.Usage.Prompt, CompletionTokens: o.Usage.Completion, Cost: o.Cost}
	if err := c.store.put(r.key, v); err != nil {
		c.count(func(s *Stats) { s.Unsaved++ })
		c.cfg.Log.Error("a verdict was not kept", "error", err)
	}
	return v, true
}

// understood reads a judge's reply. One that was cut off for want of tokens may have meant
// anything, but for a bare digit.
func (c *Client) understood(o *chat.Outcome) (right, ok bool) {
	if s := strings.TrimSpace(o.Text); o.Finish == "length" && s != "0" && s != "1" {
		return false, false
	}
	return c.cfg.Read(o.Text)
}

// begin records that a request of a flight (a question that several callers may wait for) is sent.
// The error says that it has no waiters any more.
func (c *Client) begin(f *flight) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.calling = f.waiters > 0 && !c.closed
	if !f.calling {
		return errors.New("no request waits for it any more")
	}
	return nil
}

// ended records the end of the request.
func (c *Client) ended(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.calling = false
}
