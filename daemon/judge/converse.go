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

// askUntilVerdict asks the judge until a reply is a verdict, maxReplies times at most. The last request
// repeats which form of reply is wanted. A verdict is kept in the folder before the next call begins. An
// error says that the judge did not reply, or that no reply is a verdict.
func (c *Client) askUntilVerdict(ctx context.Context, f *flight, r *request) (verdict verdict, err error) {
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
				Keep: func(o *chat.Outcome) error { // called as soon as the reply is there, so that a kill loses none
					verdict, found = c.keepVerdict(r, o)
					return nil
				}}})
		switch {
		case found:
			return verdict, nil
		case !replied(&o):
			return verdict, errors.New(o.Error.Message)
		}
		c.count(func(s *Stats) { s.Unread++ })
	}
	return verdict, fmt.Errorf("none of %d replies is a verdict", maxReplies)
}

// replied reports whether the endpoint gave a reply, which may hold a verdict. A reply that its filter
// withheld counts as one without a text.
func replied(o *chat.Outcome) bool {
	return o.Kind == chat.Answer || o.Kind == chat.Filtered && o.HTTP == http.StatusOK
}

// keepVerdict returns the verdict in a judge's reply, and keeps it in the folder. ok is false if there is
// none. A verdict that cannot be kept still counts, and the error is logged.
func (c *Client) keepVerdict(r *request, o *chat.Outcome) (v verdict, ok bool) {
	if !replied(o) {
		return v, false
	}
	right, ok := c.readReply(o)
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

// readReply returns the verdict that a judge's reply states; ok is false if it states none. A reply that
// the limit of tokens cut off counts only if it is a single digit, because the rest of any other could
// have changed its meaning.
func (c *Client) readReply(o *chat.Outcome) (right, ok bool) {
	text := strings.TrimSpace(o.Text)
	cutOff := o.Finish == "length"
	if cutOff && text != "0" && text != "1" {
		return false, false
	}
	return c.cfg.Read(o.Text)
}

// begin records that a call for a flight (a question that several callers may wait for) begins; from
// then on it is paid for, and leave lets it end. If nobody waits for the flight any more, or the client
// is closed, it returns an error, and no call is made.
func (c *Client) begin(f *flight) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.calling = f.waiters > 0 && !c.closed
	if !f.calling {
		return errors.New("no request waits for it any more")
	}
	return nil
}

// ended records that the call for a flight has ended.
func (c *Client) ended(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.calling = false
}
