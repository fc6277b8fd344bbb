package api

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// readyLimit is how many requests may be under way before a balancer is told to
// look elsewhere: nine tenths of --queue-max.
func (server *Server) readyLimit() int { return server.cfg.Queue.Max() - server.cfg.Queue.Max()/10 }

// whyUnready returns nil, or why balancers should send no requests: the daemon drains, its
// queue is nearly full, or its device fails. See docs/spec/http.md#r40.
func (server *Server) whyUnready() error {
	queue := server.cfg.Queue
	switch {
	case server.draining.Load():
		return errors.New("shutting down")
	case queue.Depth() >= server.readyLimit():
		return fmt.Errorf("%d of %d requests are waiting (--queue-max)", queue.Depth(), queue.Max())
	case server.cfg.WhyUnready != nil: // the device
		return server.cfg.WhyUnready()
	}
	return nil
}

// health answers GET /health with status 200, or with 503 and the reason as JSON where balancers should
// send no requests.
func (server *Server) health(ctx *fasthttp.RequestCtx) {
	err := server.whyUnready()
	if err == nil {
		server.reply(ctx, map[string]string{"status": "healthy"})
		return
	}
	server.setRetryAfter(ctx, time.Second)
	ctx.SetStatusCode(fasthttp.StatusServiceUnavailable)
	server.reply(ctx, map[string]string{"status": "unhealthy", "reason": err.Error()})
}

// live answers GET /v2/health/live: a process that answers is alive, also while it drains.
func (server *Server) live(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(fasthttp.StatusOK) }

// ready answers GET /v2/health/ready with a status and no body, as balancers read it.
func (server *Server) ready(ctx *fasthttp.RequestCtx) {
	if server.whyUnready() != nil {
		server.setRetryAfter(ctx, time.Second)
		ctx.SetStatusCode(fasthttp.StatusServiceUnavailable)
	}
}

// acceptsWork reports whether new work is accepted. If it is not, because the daemon shuts down or its
// device has failed, it answers the request with status 503 itself.
func (server *Server) acceptsWork(ctx *fasthttp.RequestCtx) bool {
	// The first request of a connection is accepted even while the daemon shuts down, because the daemon
	// accepted the connection before that.
	if server.refusing.Load() && ctx.ConnRequestNum() > 1 {
		server.failShuttingDown(ctx)
		return false
	}
	if server.cfg.WhyDown == nil {
		return true
	}
	if err := server.cfg.WhyDown(); err != nil {
		server.setRetryAfter(ctx, stalledWait)
		ctx.SetConnectionClose()
		server.fail(ctx, fasthttp.StatusServiceUnavailable, "unavailable", "cannot take request: "+err.Error()+"; try again")
		return false
	}
	return true
}

// setRetryAfter sets the header Retry-After to d.
func (server *Server) setRetryAfter(ctx *fasthttp.RequestCtx, d time.Duration) {
	ctx.Response.Header.Set("Retry-After", strconv.Itoa(seconds(d)))
}

// seconds rounds up to whole seconds, one at least.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// maxWait is the longest Retry-After of a full queue; the retries of trainers end by then.
const maxWait = 15 * time.Second

// stalledWait is the Retry-After while the daemon answers nothing or its device fails.
const stalledWait = 5 * time.Second

// pace measures the rate of answered requests, for Retry-After. It is safe for concurrent use.
type pace struct {
	mu                sync.Mutex
	intervalBegin     time.Time // of the current second
	answersInInterval int       // answers in it
	rate              float64   // per second, smoothed
	known             bool      // rate has been measured
}

// countAnswer counts one request that was answered at time t, for the pace at which the daemon answers.
func (pace *pace) countAnswer(t time.Time) {
	pace.mu.Lock()
	defer pace.mu.Unlock()
	pace.endInterval(t)
	pace.answersInInterval++
}

// endInterval updates the rate of answered requests if the interval of counting has lasted a second, and
// begins the next interval at t. The new rate is the mean of the interval's rate and the old one, so that
// one slow second weighs little. After an interval of five seconds or more the old rate no longer counts.
// The caller holds mu.
func (pace *pace) endInterval(t time.Time) {
	if pace.intervalBegin.IsZero() {
		pace.intervalBegin = t
	}
	took := t.Sub(pace.intervalBegin).Seconds()
	if took < 1 {
		return
	}
	rate := float64(pace.answersInInterval) / took
	const tooOld = 5 // seconds
	if pace.rate > 0 && took < tooOld {
		rate = (rate + pace.rate) / 2
	}
	pace.rate, pace.known, pace.answersInInterval, pace.intervalBegin = rate, true, 0, t
}

// retryAfter returns the value of the header Retry-After for a client that has n requests before its own:
// how long they take at the present rate, from one second to maxWait. It adds up to a quarter at random,
// so that clients do not retry all at once. See docs/spec/http.md#r10.
func (pace *pace) retryAfter(n int) time.Duration {
	pace.mu.Lock()
	pace.endInterval(time.Now())
	rate, known := pace.rate, pace.known
	pace.mu.Unlock()
	d := time.Second // no rate has been measured yet
	switch {
	case rate > 0:
		d = time.Duration(math.Min(maxWait.Seconds(), float64(max(n, 1))/rate) * float64(time.Second))
	case known: // the daemon answers nothing at the moment
		d = stalledWait
	}
	if d > time.Second {
		const spread = 0.25
		d += time.Duration(rand.Float64() * spread * float64(d))
	}
	return min(max(d, time.Second), maxWait)
}
