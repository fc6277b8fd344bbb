package runs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
	"time"
)

// result is one line of a file of results.
type result struct {
	Key      string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
}

// fetch reads the results of a batch that ended into the log of calls.
func (b *batcher) fetch(ctx context.Context, p *part) error {
	calls := map[string]*call{}
	for i, u := range b.r.units {
		if _, ok := b.r.made[i]; ok {
			continue
		}
		c, err := b.r.missing(u, new(made), b.r.outcome, func(*Done) {})
		if errors.Is(err, errLog) {
			return err
		}
		if err == nil && c != nil {
			calls[c.key] = c
		}
	}
	var spent budget.Tokens
	var told *float64
	for _, id := range []string{p.Output, p.Errors} {
		if id == "" {
			continue
		}
		err := b.lines(ctx, "files/"+id+"/content", func(line []byte) error {
			var r result
			if err := json.Unmarshal(line, &r); err != nil || r.Response == nil {
				return nil // the call has no outcome and is asked anew
			}
			c := calls[r.Key]
			if c == nil { // of a task that was not chosen now
				return nil
			}
			if d, err := b.r.outcome(r.Key); err != nil || d != nil { // the result comes twice
				return err
			}
			return b.keep(p, c, r.Response.Status, r.Response.Body, &spent, &told)
		})
		if err != nil {
			return err
		}
	}
	if p.hold != nil {
		if spent == (budget.Tokens{}) {
			p.hold.Cancel()
		} else if _, _, err := p.hold.Pay(spent, told); err != nil {
			return fmt.Errorf("%w: %w", ErrEarly, err)
		}
	}
	return b.note(p, partFetched)
}

// keep puts one result of a batch into the log of calls, where it is an outcome.
func (b *batcher) keep(p *part, c *call, status int, body []byte, spent *budget.Tokens, told **float64) error {
	reader := chat.Reader{Key: b.cfg.Key, Request: c.request, Now: time.Now()}
	g := reader.Read(status, nil, body)
	if !g.Kind.Final() {
		return nil
	}
	o := g.Outcome
	o.Tries, o.Started = 1, now()
	if o.Usage != nil {
		t := budget.Tokens{Prompt: o.Usage.Prompt, Completion: o.Usage.Completion}
		if o.Usage.Cached != nil {
			t.Cached = *o.Usage.Cached
		}
		spent.Prompt, spent.Completion, spent.Cached = spent.Prompt+t.Prompt, spent.Completion+t.Completion, spent.Cached+t.Cached
		if o.Cost == nil && b.cfg.Price != nil {
			cost := b.cfg.Price.Of(t)
			o.Cost, o.Priced = &cost, true
		} else if o.Cost != nil {
			sum := *o.Cost
			if *told != nil {
				sum += **told
			}
			*told = &sum
		}
	}
	d := b.r.done(c, &o)
	d.Batch = &p.Batch
	if _, err := b.r.calls.keep(d); err != nil {
		return fmt.Errorf("%w: %w", errLog, err)
	}
	b.r.count(d)
	b.got++
	return nil
}

// lines calls f with each line of a file at the endpoint.
func (b *batcher) lines(ctx context.Context, route string, f func([]byte) error) error {
	resp, err := b.client.Do(ctx, "GET", route, "", nil)
	if err != nil {
		return fmt.Errorf("%w: cannot read results of a batch: %w", ErrEarly, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return fmt.Errorf("%w: cannot read results of a batch: the endpoint answered %d", ErrEarly, resp.StatusCode)
	}
	s := bufio.NewScanner(resp.Body)
	s.Buffer(nil, 64<<20)
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

// do makes one request of the files or batches API, with a few tries, and reads its JSON.
func (b *batcher) do(ctx context.Context, method, route, kind string, body io.Reader, into any) error {
	for try := 1; ; try++ {
		err, again := b.once(ctx, method, route, kind, body, into)
		if err == nil || !again || try == 4 || body != nil && method == "POST" {
			return err
		}
		select {
		case <-time.After(time.Duration(try) * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// once makes one request of the files or batches API; again says that another try may help.
func (b *batcher) once(ctx context.Context, method, route, kind string, body io.Reader, into any) (err error, again bool) {
	resp, err := b.client.Do(ctx, method, route, kind, body)
	if err != nil {
		return err, true
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return err, true
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the endpoint answered %d: %s", resp.StatusCode, chat.Brief(b.client.Hide(string(text)), 200)), resp.StatusCode >= 500 || resp.StatusCode == 429
	}
	if into == nil {
		return nil, false
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the endpoint answered no JSON: %w", err), true
	}
	return nil, false
}
