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
func (j *job) runClaims(ctx context.Context) error {
	j.partsOnly = true
	defer func() { j.partsOnly = false }()
	cfg, stop, err := j.claimServer()
	if err != nil {
		return err
	}
	defer stop()
	cfg.Job = j.shards.Header.ID()
	cfg.Creds = j.cmd.Creds
	cfg.CA = j.cmd.CA
	cfg.AckWait = j.cmd.AckWait
	queue, err := claims.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer queue.Close()
	missing, err := j.shards.Undone()
	if err == nil {
		err = queue.Offer(ctx, missing, "")
	}
	if err != nil {
		return err
	}
	return j.scoreClaims(ctx, queue)
}

// claimServer returns how the NATS server is reached: the one of --nats, or one that it starts within
// this process. stop ends the latter.
func (j *job) claimServer() (cfg claims.Config, stop func(), err error) {
	if j.cmd.NATS != "" {
		cfg.URL = j.cmd.NATS
		if err := claims.Check(&claims.Config{URL: cfg.URL, Creds: j.cmd.Creds, CA: j.cmd.CA}); err != nil {
			return cfg, nil, usageError{err}
		}
		return cfg, func() {}, nil
	}
	dir, err := os.MkdirTemp(j.scratch(), "queue.*.tmp") // it holds claims alone, which are made anew
	if err != nil {
		return cfg, nil, fmt.Errorf("cannot make the queue: %w", err)
	}
	server, err := claims.Embed(dir)
	if err != nil {
		os.RemoveAll(dir)
		return cfg, nil, err
	}
	stop = func() {
		server.Close()
		os.RemoveAll(dir)
	}
	return server.Config(""), stop, nil
}

const (
	claimWait  = 2 * time.Second // the longest wait for a claim before the store is looked at again
	serverWait = time.Second     // the pause before a server that cannot be reached is asked again
)

// scoreClaims scores claim after claim, until all shards of the job are done. It fills the queue again
// when shards are missing that the queue does not have.
func (j *job) scoreClaims(ctx context.Context, queue *claims.Queue) error {
	scored, idle := 0, 0
	for {
		claim, claimErr := queue.Next(ctx, claimWait)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case claimErr == nil:
			idle = 0
			if err := j.claimed(ctx, claim); err != nil {
				return errors.Join(err, claim.Return())
			}
			claim.Done(ctx) // the marker is there: a lost acknowledgement costs another look at it
			scored++
			continue
		}
		missing, err := j.shards.Undone()
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			fmt.Fprintf(j.std.err, "%d shards scored here; all of the job are done\n", scored)
			return errors.Join(queue.Remove(ctx), j.broken)
		}
		if !errors.Is(claimErr, claims.ErrNothing) { // the server cannot be reached, and may come back
			time.Sleep(serverWait)
			continue
		}
		idle++
		waiting, underWay, err := queue.Left(ctx)
		if err == nil && waiting+underWay == 0 && idle >= idleLooks {
			fmt.Fprintf(j.std.err, "plumb: %d shards are missing and the queue is empty; it is filled again\n", len(missing))
			if err := queue.Rebuild(ctx, missing); err != nil {
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
	shard, err := j.shards.Find(claim.Shard)
	if err != nil {
		return err
	}
	if done, err := j.whole(shard); done || err != nil {
		return err
	}
	j.progress = claim.Progress
	defer func() { j.progress = nil }()
	if part := (jobs.Part{Shard: shard.N}); shard.Lines >= 0 && claim.Tries >= poisonAfter {
		if j.shards.deaths == nil {
			j.shards.deaths = map[jobs.Part]int{}
		}
		j.shards.deaths[part] = claim.Tries
		return j.quarantine(ctx, shard, part, 0)
	}
	if err := j.scoreShards(ctx, []jobs.Shard{shard}); err != nil {
		return err
	}
	return j.shards.store.sync()
}
