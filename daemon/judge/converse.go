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
func (client *Client) askUntilVerdict(ctx context.Context, flight *flight, request *request) (kept verdict, err error) {
	prompt := request.prompt
	for n := range maxReplies {
		if n == maxReplies-1 {
			prompt += lastLine
		}
		found := false
		// Ask calls Begin before each request that it sends, and End after it. It calls Keep once with the
		// outcome, before it returns: as soon as a reply is there, so that a kill loses none. An error of
		// Begin ends Ask without a request.
		maxTokens := int64(client.cfg.MaxTokens)
		outcome := client.chat.Ask(ctx, &chat.Request{Model: client.cfg.Model, Messages: []chat.Message{chat.User(chat.Text(prompt))},
			Settings: chat.Settings{Temperature: &client.cfg.Temperature, MaxTokens: &maxTokens},
			Hooks: chat.Hooks{
				Begin: func(int, *budget.Hold) error { return client.begin(flight) },
				End:   func() { client.ended(flight) },
				Keep: func(o *chat.Outcome) error {
					kept, found = client.keepVerdict(request, o)
					return nil
				}}})
		switch {
		case found:
			return kept, nil
		case !replied(&outcome):
			return kept, errors.New(outcome.Error.Message)
		}
		client.count(func(s *Stats) { s.Unread++ })
	}
	return kept, fmt.Errorf("none of %d replies is a verdict", maxReplies)
}

// replied reports whether the endpoint gave a reply, which may hold a verdict. A reply that its filter
// withheld counts as one without a text.
func replied(o *chat.Outcome) bool {
	return o.Kind == chat.Answer || o.Kind == chat.Filtered && o.HTTP == http.StatusOK
}

// keepVerdict returns the verdict in a judge's reply, and keeps it in the folder. ok is false if there is
// none. A verdict that cannot be kept still counts, and the error is logged.
func (client *Client) keepVerdict(request *request, outcome *chat.Outcome) (v verdict, ok bool) {
	if !replied(outcome) {
		return v, false
	}
	right, ok := client.readReply(outcome)
	if !ok {
		return v, false
	}
	v = verdict{Right: right, Reply: cut(outcome.Text), Model: client.cfg.Model, Prompt: request.version, Time: time.Now().UTC(),
		PromptTokens: outcome.Usage.Prompt, CompletionTokens: outcome.Usage.Completion, Cost: outcome.Cost}
	if err := client.store.put(request.key, v); err != nil {
		client.count(func(s *Stats) { s.Unsaved++ })
		client.cfg.Log.Error("a verdict was not kept", "error", err)
	}
	return v, true
}

// readReply returns the verdict that a judge's reply states; ok is false if it states none. A reply that
// the limit of tokens cut off counts only if it is a single digit, because the rest of any other could
// have changed its meaning.
func (client *Client) readReply(outcome *chat.Outcome) (right, ok bool) {
	text := strings.TrimSpace(outcome.Text)
	cutOff := outcome.Finish == "length"
	if cutOff && text != "0" && text != "1" {
		return false, false
	}
	return client.cfg.Read(outcome.Text) // the rules for a whole reply
}

// begin records that a call for a flight (a question that several callers may wait for) begins; from
// then on it is paid for, and leave lets it end. If nobody waits for the flight any more, or the client
// is closed, it returns an error, and no call is made.
func (client *Client) begin(flight *flight) error {
	client.mu.Lock()
	defer client.mu.Unlock()
	flight.calling = flight.waiters > 0 && !client.closed
	if !flight.calling {
		return errors.New("no request waits for it any more")
	}
	return nil
}

// ended records that the call for a flight has ended.
func (client *Client) ended(f *flight) {
	client.mu.Lock()
	defer client.mu.Unlock()
	f.calling = false
}
