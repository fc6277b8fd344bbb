// Package claims hands out the shards of a job to processes on several machines, through NATS
// JetStream. In: the numbers of shards that are not done. Out: one claim after the other, each with the
// number of processes that had it before. The queue does not know what is done: that stands in the folder
// of the job, so a queue that is lost costs time alone. See docs/spec/jobs.md#r9.
package claims

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Config says where the queue is.
type Config struct {
	Job     string        // a name that no other job has: letters, digits, - and _
	URL     string        // of a NATS server
	Creds   string        // file with the credentials of the server; "" for none
	CA      string        // file with the certificate of the server's authority; "" for those of the system
	AckWait time.Duration // after which a claim without progress goes to another process; default 60 s
	Claims  int           // most claims that are under way at once; default 1024

	conn nats.InProcessConnProvider // of an embedded server, for tests and single machines
}

// The defaults and bounds of the queue.
const (
	defaultAckWait = 60 * time.Second
	defaultClaims  = 1024
	maxAge         = 30 * 24 * time.Hour // of a stream that nobody removed
	maxBytes       = 1 << 30             // of a stream: a claim has some 100 bytes
	consumerName   = "workers"
	sameClaim      = time.Hour // in which a claim that is published twice counts once
)

// Queue is a connection to the claims of one job. It is safe for concurrent use.
type Queue struct {
	cfg    Config
	nc     *nats.Conn
	js     jetstream.JetStream
	stream string
	mu     sync.Mutex // guards what follows, which Rebuild replaces
	puller jetstream.Consumer
	tries  jetstream.KeyValue
}

// Check returns an error for an address of a NATS server on another machine if claims would go there
// unencrypted or without credentials. An address on this machine needs neither.
func Check(config *Config) error {
	u, err := url.Parse(config.URL)
	if err != nil || u.Host == "" {
		return fmt.Errorf("cannot use --nats %q: want nats://HOST:PORT or tls://HOST:PORT", config.URL)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	if u.Scheme != "tls" && config.CA == "" {
		return fmt.Errorf("cannot use --nats %s: want tls:// (or --nats-ca FILE) for another machine", u.Redacted())
	}
	if config.Creds == "" && u.User == nil {
		return fmt.Errorf("cannot use --nats %s: want credentials for another machine (--nats-creds FILE)",
			u.Redacted())
	}
	return nil
}

// Open connects to the queue of a job, and makes the queue if it does not exist. A
// connection that is lost later is made again without end.
func Open(ctx context.Context, cfg Config) (*Queue, error) {
	if cfg.AckWait <= 0 {
		cfg.AckWait = defaultAckWait
	}
	if cfg.Claims <= 0 {
		cfg.Claims = defaultClaims
	}
	// Reconnecting has no end: a server that restarts is found again.
	options := []nats.Option{nats.Name("plumb " + cfg.Job), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.RetryOnFailedConnect(false)}
	if cfg.Creds != "" {
		options = append(options, nats.UserCredentials(cfg.Creds))
	}
	if cfg.CA != "" {
		options = append(options, nats.RootCAs(cfg.CA))
	}
	if cfg.conn != nil {
		options = append(options, nats.InProcessServer(cfg.conn))
	}
	nc, err := nats.Connect(cfg.URL, options...)
	if unknown := (x509.UnknownAuthorityError{}); errors.As(err, &unknown) {
		return nil, fmt.Errorf("cannot connect to --nats: %w; want --nats-ca FILE with the certificate of the authority that signed the server's", err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot connect to --nats: %w", err)
	}
	queue := &Queue{cfg: cfg, nc: nc, stream: "plumb_" + cfg.Job}
	if queue.js, err = jetstream.New(nc); err == nil {
		err = queue.makeQueue(ctx)
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("cannot make the queue: %w", err)
	}
	return queue, nil
}

// subject returns the NATS subject of the message that offers a shard.
func (queue *Queue) subject(shard string) string { return queue.stream + ".shard." + shard }

// makeQueue makes the stream of claims, its consumer and the counts of tries, if they do not
// exist.
func (queue *Queue) makeQueue(ctx context.Context) error {
	_, err := queue.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: queue.stream, Subjects: []string{queue.subject("*")}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		MaxAge: maxAge, MaxBytes: maxBytes, Duplicates: sameClaim, Description: "claims of plumb score"})
	if err != nil {
		return err
	}
	// One durable consumer without InactiveThreshold, which would delete it during long work.
	c, err := queue.js.CreateOrUpdateConsumer(ctx, queue.stream, jetstream.ConsumerConfig{Durable: consumerName,
		AckPolicy: jetstream.AckExplicitPolicy,
		AckWait:   queue.cfg.AckWait, MaxDeliver: -1, MaxAckPending: queue.cfg.Claims}) // -1: without end
	if err != nil {
		return err
	}
	tries, err := queue.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: queue.stream + "_tries",
		Storage: jetstream.FileStorage, TTL: maxAge, MaxBytes: maxBytes})
	if err != nil {
		return err
	}
	queue.mu.Lock()
	defer queue.mu.Unlock()
	queue.puller, queue.tries = c, tries
	return nil
}

// Offer publishes the claims of shards. A claim that is published twice within an hour
// counts once, so planning twice does no harm. A rebuilt queue has another generation, in
// which the claims count again.
func (queue *Queue) Offer(ctx context.Context, shards []int, generation string) error {
	for _, n := range shards {
		id := strconv.Itoa(n)
		_, err := queue.js.Publish(ctx, queue.subject(id), []byte(id), jetstream.WithMsgID(queue.cfg.Job+"."+generation+"."+id))
		if err != nil {
			return fmt.Errorf("cannot publish a claim: %w", err)
		}
	}
	return nil
}

// Claim is a shard that this process works on.
type Claim struct {
	Shard        int
	Tries        int // processes that had it before this one
	queue        *Queue
	msg          jetstream.Msg
	mu           sync.Mutex
	lastProgress time.Time
}

// ErrNothing says that no claim came in time.
var ErrNothing = errors.New("there is no claim")

// Next waits for the next shard to work on, at most `wait`. The error is ErrNothing if none
// came in time.
func (queue *Queue) Next(ctx context.Context, wait time.Duration) (*Claim, error) {
	queue.mu.Lock()
	puller := queue.puller
	queue.mu.Unlock()
	msg, err := puller.Next(jetstream.FetchMaxWait(wait))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, jetstream.ErrNoMessages):
		return nil, ErrNothing
	case err != nil:
		return nil, fmt.Errorf("cannot get a claim: %w", err)
	}
	claim := &Claim{queue: queue, msg: msg, lastProgress: time.Now()}
	if claim.Shard, err = strconv.Atoi(string(msg.Data())); err != nil {
		msg.Term() // no process gets it again
		return nil, fmt.Errorf("cannot read a claim: got %.40q", msg.Data())
	}
	claim.Tries, err = queue.countTry(ctx, string(msg.Data()))
	return claim, err
}

// countTry counts that this process tries a shard, and returns how many processes did before. The
// count is changed only if no other process has changed it since it was read; otherwise it is read
// again. The server's own counts of deliveries would begin anew with a rebuilt queue.
func (queue *Queue) countTry(ctx context.Context, shard string) (before int, err error) {
	const attempts = 10
	queue.mu.Lock()
	tries := queue.tries
	queue.mu.Unlock()
	for range attempts {
		entry, err := tries.Get(ctx, shard)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			if _, err = tries.Create(ctx, shard, []byte("1")); err == nil {
				return 0, nil
			}
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("cannot count tries: %w", err)
		}
		n, _ := strconv.Atoi(string(entry.Value()))
		if _, err = tries.Update(ctx, shard, []byte(strconv.Itoa(n+1)), entry.Revision()); err == nil {
			return n, nil
		}
	}
	return 0, errors.New("cannot count tries: others change the count at the same time")
}

// Progress tells the server that work on the claim goes on, so that it keeps the claim. It
// is called when results came back, never by a timer, because a device that hangs must lose
// its claim. It sends at most ten messages within the wait for acknowledgements.
func (claim *Claim) Progress() {
	claim.mu.Lock()
	defer claim.mu.Unlock()
	if time.Since(claim.lastProgress) > claim.queue.cfg.AckWait/10 {
		claim.lastProgress = time.Now()
		claim.msg.InProgress() // a message that is lost is followed by others
	}
}

// Done acknowledges the claim, after the marker of the shard is on the disk, and waits until
// the server has the acknowledgement.
func (claim *Claim) Done(ctx context.Context) error {
	if err := claim.msg.DoubleAck(ctx); err != nil {
		return fmt.Errorf("cannot acknowledge shard %d: %w", claim.Shard, err)
	}
	return nil
}

// Return gives the claim back at once, for another process.
func (claim *Claim) Return() error { return claim.msg.Nak() }

// Left returns how many shards wait for a process and how many are under way.
func (queue *Queue) Left(ctx context.Context) (waiting, underWay int, err error) {
	queue.mu.Lock()
	puller := queue.puller
	queue.mu.Unlock()
	info, err := puller.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	return int(info.NumPending), info.NumAckPending, nil
}

// Rebuild makes the queue anew with the claims of shards, because it is lost or stuck:
// shards are missing, but none waits or is under way.
func (queue *Queue) Rebuild(ctx context.Context, shards []int) error {
	if err := queue.js.DeleteStream(ctx, queue.stream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("cannot rebuild the queue: %w", err)
	}
	if err := queue.makeQueue(ctx); err != nil {
		return fmt.Errorf("cannot rebuild the queue: %w", err)
	}
	return queue.Offer(ctx, shards, strconv.FormatInt(time.Now().UnixNano(), 36))
}

// Remove removes the queue of a job that is done, and its counts of tries, from the NATS server. What
// is not there needs no removal.
func (queue *Queue) Remove(ctx context.Context) error {
	err := queue.js.DeleteStream(ctx, queue.stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = nil
	}
	if deleteErr := queue.js.DeleteKeyValue(ctx, queue.stream+"_tries"); deleteErr != nil && !errors.Is(deleteErr, jetstream.ErrBucketNotFound) {
		err = errors.Join(err, deleteErr)
	}
	return err
}

// Close ends the connection.
func (queue *Queue) Close() { queue.nc.Close() }
