package runs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
)

// result is one line of a batch's file of results, by the key of its call.
type result struct {
	Key      string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
}

// fetchResults reads the results of a batch that has ended into the log of calls, pays for them from the budget,
// and marks the batch as fetched. Lines without a response are left out, so that their calls are asked
// anew. Results of tasks that are not chosen now, and second results of a call, are left out too.
func (batcher *batcher) fetchResults(ctx context.Context, part *part) error {
	// Find the calls of the batch that still lack an outcome.
	inBatch := map[string]bool{}
	for _, key := range part.Keys {
		inBatch[key] = true
	}
	calls := map[string]*call{} // with their pictures, which a batch's limit of bytes bounds
	for i, unit := range batcher.run.units {
		if _, ok := batcher.run.finished[i]; ok {
			continue
		}
		c, err := batcher.run.firstWithoutOutcome(unit, new(unitCalls), batcher.run.usableOutcome, ignore)
		if errors.Is(err, errLog) {
			return err
		}
		if err == nil && c != nil && inBatch[c.key] {
			calls[c.key] = c
		}
	}
	// Read their results.
	var spent budget.Tokens
	var statedCosts *float64 // the sum of the costs that the endpoint states, nil if it states none
	for _, id := range []string{part.Output, part.Errors} {
		if id == "" {
			continue
		}
		err := batcher.eachResultLine(ctx, "files/"+id+"/content", func(line []byte) error {
			var r result
			if err := json.Unmarshal(line, &r); err != nil || r.Response == nil {
				return nil // the call has no outcome and is asked anew
			}
			c := calls[r.Key]
			if c == nil { // of a task that was not chosen now
				return nil
			}
			if d, err := batcher.run.usableOutcome(r.Key); err != nil || d != nil { // the result comes twice
				return err
			}
			return batcher.keepResult(part, c, r.Response.Status, r.Response.Body, &spent, &statedCosts)
		})
		if err != nil {
			return err
		}
	}
	// Replace what was reserved for the batch by what it cost.
	if part.budgetHold != nil {
		if spent == (budget.Tokens{}) { // nothing was answered, or the endpoint counts no tokens
			part.budgetHold.Cancel()
		} else if _, _, err := part.budgetHold.Pay(spent, statedCosts); err != nil {
			return fmt.Errorf("%w: %w", ErrEarly, err)
		}
	}
	return batcher.logEvent(part, partFetched)
}

// keepResult puts one result of a batch, an HTTP status and a body, into the log of calls. Its cost is what the
// endpoint states, or else the price of its tokens. The tokens are added to spent, and a stated cost to
// statedCosts. A result that is not final, such as that of an overloaded server, is left out, and the call is
// made again.
func (batcher *batcher) keepResult(part *part, call *call, status int, body []byte, spent *budget.Tokens, statedCosts **float64) error {
	reader := chat.Reader{Key: batcher.cfg.Key, Request: call.request, Now: time.Now()}
	reading := reader.Read(status, nil, body)
	if !reading.Kind.Final() {
		return nil
	}
	outcome := reading.Outcome
	outcome.Tries, outcome.Started = 1, now()
	// Its tokens and its cost.
	if outcome.Usage != nil {
		tokens := budget.Tokens{Prompt: outcome.Usage.Prompt, Completion: outcome.Usage.Completion}
		if outcome.Usage.Cached != nil {
			tokens.Cached = *outcome.Usage.Cached
		}
		spent.Prompt += tokens.Prompt
		spent.Completion += tokens.Completion
		spent.Cached += tokens.Cached
		if outcome.Cost == nil && batcher.cfg.Price != nil {
			cost := batcher.cfg.Price.Of(tokens)
			outcome.Cost, outcome.Priced = &cost, true
		} else if outcome.Cost != nil {
			sum := *outcome.Cost
			if *statedCosts != nil {
				sum += **statedCosts
			}
			*statedCosts = &sum
		}
	}
	// Put it into the log.
	done := batcher.run.logLine(call, &outcome)
	done.Batch = &part.Batch
	if _, err := batcher.run.calls.appendOutcome(done); err != nil {
		return fmt.Errorf("%w: %w", errLog, err)
	}
	batcher.run.countProgress(done)
	batcher.outcomesKept++
	return nil
}

// eachResultLine calls f with each line of a file at the endpoint but the blank ones. The line is valid during
// the call only. An error of f ends it and is returned.
func (batcher *batcher) eachResultLine(ctx context.Context, route string, f func([]byte) error) error {
	resp, err := batcher.client.Do(ctx, "GET", route, "", nil)
	if err != nil {
		return fmt.Errorf("%w: cannot read results of a batch: %w", ErrEarly, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: cannot read results of a batch: the endpoint answered %d", ErrEarly, resp.StatusCode)
	}
	s := bufio.NewScanner(resp.Body)
	const longestLine = 64 << 20 // bytes of one result
	s.Buffer(nil, longestLine)
	for s.Scan() {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if err := f(s.Bytes()); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%w: cannot read results of a batch: %w", ErrEarly, err)
	}
	return nil
}

// callAPI makes one request of the files or batches API as tryAPI does. Where the endpoint is busy or cannot
// be reached, it makes up to four tries, 1, 2 and 3 seconds apart. A POST with a body is tried once: the body
// is read by then, and the endpoint may have made the file or the batch all the same.
func (batcher *batcher) callAPI(ctx context.Context, method, route, mediaType string, body io.Reader, reply any) error {
	tries := 4
	if method == "POST" && body != nil {
		tries = 1
	}
	for try := 1; ; try++ {
		retry, err := batcher.tryAPI(ctx, method, route, mediaType, body, reply)
		if err == nil || !retry || try == tries {
			return err
		}
		select {
		case <-time.After(time.Duration(try) * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryAPI makes one request of the files or batches API and decodes the JSON of the answer into reply, unless
// that is nil. mediaType is that of the body. With an error, retry says that another try may help. An
// error quotes the start of the answer, without the API key.
func (batcher *batcher) tryAPI(ctx context.Context, method, route, mediaType string, body io.Reader, reply any) (retry bool, err error) {
	resp, err := batcher.client.Do(ctx, method, route, mediaType, body)
	if err != nil {
		return true, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return true, err
	}
	if resp.StatusCode/100 != 2 {
		busy := resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests
		return busy, fmt.Errorf("the endpoint answered %d: %s", resp.StatusCode, chat.Brief(batcher.client.Hide(string(text)), 200))
	}
	if reply == nil {
		return false, nil
	}
	if err := json.Unmarshal(text, reply); err != nil {
		return true, fmt.Errorf("the endpoint answered no JSON: %w", err)
	}
	return false, nil
}
