package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"plumb/daemon/claims"
	"plumb/daemon/jobs"
	"plumb/scoring/plural"
)

// idleLooks is how often a process finds nothing to do while shards are missing, before it takes the
// queue for lost or stuck.
const idleLooks = 3

// runClaims scores the shards that this process gets from a queue on a NATS server, which several processes
// share, until all shards of the job are done. It writes the parts of these shards and nothing else. Without
// --nats it runs the server within this process. Which shards are done is read from the store of the job, never
// from the queue: a queue that has lost shards is filled again. See docs/spec/jobs.md#r9.
func (j *job) runClaims(ctx context.Context) error {
	j.partsOnly = true
	defer func() { j.partsOnly = false }()
	cfg, stop, err := j.claimServer() // how to reach the server
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
		const first = "" // the first generation of the queue; only a rebuilt one has another
		err = queue.Offer(ctx, missing, first)
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
	dir, err := os.MkdirTemp(j.temporaryDir(), "queue.*.tmp") // it holds claims alone, which are made anew
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
	const unnamed = "" // the caller sets the job
	return server.Config(unnamed), stop, nil
}

const (
	claimWait  = 2 * time.Second // the longest wait for a claim before the store is looked at again
	serverWait = time.Second     // the pause before a server that cannot be reached is asked again
)

// scoreClaims takes claim after claim from the queue and scores the shard of each, until all shards of the job
// are done. If shards are missing and the queue stays empty, it has lost their claims, and is filled again.
func (j *job) scoreClaims(ctx context.Context, queue *claims.Queue) error {
	scored, idle := 0, 0
	for {
		claim, claimErr := queue.Next(ctx, claimWait)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case claimErr == nil:
			idle = 0
			if err := j.scoreClaim(ctx, claim); err != nil {
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
			fmt.Fprintf(j.std.err, "%s scored here; all of the job are done\n", plural.Of(scored, "shard"))
			return errors.Join(queue.Remove(ctx), j.inputErrors)
		}
		if !errors.Is(claimErr, claims.ErrNothing) { // the server cannot be reached, and may come back
			time.Sleep(serverWait)
			continue
		}
		idle++
		waiting, underWay, err := queue.Left(ctx)
		if err == nil && waiting+underWay == 0 && idle >= idleLooks {
			fmt.Fprintf(j.std.err, "plumb: %s missing and the queue is empty; it is filled again\n", plural.Of(len(missing), "shard is", "shards are"))
			if err := queue.Rebuild(ctx, missing); err != nil {
				return err
			}
			idle = 0
		}
	}
}

// scoreClaim scores the shard of a claim and waits until its parts are stored; a shard whose parts are
// stored already is left as it is. Each result extends the claim, so that no other process gets the shard
// meanwhile. A shard that has ended several processes is searched for the line that does.
func (j *job) scoreClaim(ctx context.Context, claim *claims.Claim) error {
	shard, err := j.shards.Find(claim.Shard)
	if err != nil {
		return err
	}
	if done, err := j.allPartsStored(shard); done || err != nil {
		return err
	}
	j.extendClaim = claim.Progress
	defer func() { j.extendClaim = nil }()
	if part := (jobs.Part{Shard: shard.Number}); shard.Lines >= 0 && claim.Tries >= poisonAfter {
		if j.shards.endedProcesses == nil {
			j.shards.endedProcesses = map[jobs.Part]int{}
		}
		j.shards.endedProcesses[part] = claim.Tries
		return j.isolatePoison(ctx, shard, part, 0)
	}
	if err := j.scoreShards(ctx, []jobs.Shard{shard}); err != nil {
		return err
	}
	return j.shards.storer.waitCommitted()
}
