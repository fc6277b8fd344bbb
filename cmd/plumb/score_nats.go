package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"plumb/daemon/claims"
	"plumb/daemon/jobs"
)

// idleLooks is how often a process finds nothing to do while shards are missing, before it takes the
// queue for lost or stuck.
const idleLooks = 3

// runClaims scores shards that a queue on a NATS server hands out, until all shards of the job are
// done, and writes parts alone. Without --nats it runs the server within this process. Which shards are
// done is read from the store of the job, never from the queue: a queue that has lost shards is filled
// again. See docs/spec/jobs.md#r9.
func (j *job) runClaims(ctx context.Context) (err error) {
	j.partsOnly = true
	defer func() { j.partsOnly = false }()
	c := claims.Config{URL: j.cmd.NATS}
	if c.URL == "" {
		dir, err := os.MkdirTemp(j.scratch(), "queue.*.tmp") // it holds claims alone, which are made anew
		if err != nil {
			return fmt.Errorf("cannot make the queue: %w", err)
		}
		defer os.RemoveAll(dir)
		e, err := claims.Embed(dir)
		if err != nil {
			return err
		}
		defer e.Close()
		c = e.Config("")
	} else if err := claims.Check(&claims.Config{URL: c.URL, Creds: j.cmd.Creds, CA: j.cmd.CA}); err != nil {
		return usageError{err}
	}
	c.Job, c.Creds, c.CA, c.AckWait = j.shards.Header.ID(), j.cmd.Creds, j.cmd.CA, j.cmd.AckWait
	q, err := claims.Open(ctx, c)
	if err != nil {
		return err
	}
	defer q.Close()
	missing, err := j.shards.Undone()
	if err == nil {
		err = q.Offer(ctx, missing, "")
	}
	if err != nil {
		return err
	}
	scored, idle := 0, 0
	for {
		claim, err := q.Next(ctx, 2*time.Second)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			idle = 0
			if err := j.claimed(ctx, claim); err != nil {
				return errors.Join(err, claim.Return())
			}
			claim.Done(ctx) // the marker is there: a lost acknowledgement costs another look at it
			scored++
			continue
		}
		missing, e := j.shards.Undone()
		if e != nil {
			return e
		}
		if len(missing) == 0 {
			fmt.Fprintf(j.std.err, "%d shards scored here; all of the job are done\n", scored)
			return errors.Join(q.Remove(ctx), j.broken)
		}
		if !errors.Is(err, claims.ErrNothing) { // the server cannot be reached, and may come back
			time.Sleep(time.Second)
			continue
		}
		waiting, underWay, err := q.Left(ctx)
		idle++
		if err == nil && waiting+underWay == 0 && idle >= idleLooks {
			fmt.Fprintf(j.std.err, "plumb: %d shards are missing and the queue is empty; it is filled again\n", len(missing))
			if err := q.Rebuild(ctx, missing); err != nil {
				return err
			}
			idle = 0
		}
	}
}

// claimed scores the shard of a claim and waits until its parts are stored, unless they are. While it
// scores, each result extends the claim. A shard that has ended several processes is searched for the
// line that does.
func (j *job) claimed(ctx context.Context, claim *claims.Claim) error {
	s, err := j.shards.Find(claim.Shard)
	if err != nil {
		return err
	}
	if done, err := j.whole(s); done || err != nil {
		return err
	}
	j.progress = claim.Progress
	defer func() { j.progress = nil }()
	if p := (jobs.Part{Shard: s.N}); s.Lines >= 0 && claim.Tries >= poisonAfter {
		if j.shards.deaths == nil {
			j.shards.deaths = map[jobs.Part]int{}
		}
		j.shards.deaths[p] = claim.Tries
		return j.quarantine(ctx, s, p, 0)
	}
	if err := j.scoreShards(ctx, []jobs.Shard{s}); err != nil {
		return err
	}
	return j.shards.store.sync()
}
