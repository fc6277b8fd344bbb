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

// highWater is how many requests may be under way before a balancer is told to
// look elsewhere: nine tenths of --queue-max.
func (s *Server) highWater() int { return s.cfg.Queue.Max() - s.cfg.Queue.Max()/10 }

// healthy returns nil, or why balancers should send no requests: the daemon drains, its
// queue is nearly full, or its device fails. See docs/spec/http.md#r40.
func (s *Server) healthy() error {
	q := s.cfg.Queue
	switch {
	case s.draining.Load():
		return errors.New("shutting down")
	case q.Depth() >= s.highWater():
		return fmt.Errorf("%d of %d requests are waiting (--queue-max)", q.Depth(), q.Max())
	case s.cfg.Health != nil:
		return s.cfg.Health()
	}
	return nil
}

// health answers GET /health: the status of ready, with the reason as JSON.
func (s *Server) health(ctx *fasthttp.RequestCtx) {
	err := s.healthy()
	if err == nil {
		s.reply(ctx, map[string]string{"status": "healthy"})
		return
	}
	s.later(ctx, time.Second)
	ctx.SetStatusCode(fasthttp.StatusServiceUnavailable)
	s.reply(ctx, map[string]string{"status": "unhealthy", "reason": err.Error()})
}

// live answers GET /v2/health/live: a process that answers is alive, also while it drains.
func (s *Server) live(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(fasthttp.StatusOK) }

// ready answers GET /v2/health/ready with a status and no body, as balancers read it.
func (s *Server) ready(ctx *fasthttp.RequestCtx) {
	if s.healthy() != nil {
		s.later(ctx, time.Second)
		ctx.SetStatusCode(fasthttp.StatusServiceUnavailable)
	}
}

// acceptsWork reports whether new work is accepted. If it is not, because the daemon shuts down or its
// device has failed, it answers the request with status 503 itself.
func (s *Server) acceptsWork(ctx *fasthttp.RequestCtx) bool {
	// The first request of a connection is accepted, because the daemon accepted the
	// connection before it stopped accepting.
	if s.refusing.Load() && ctx.ConnRequestNum() > 1 {
		s.unavailable(ctx)
		return false
	}
	if s.cfg.Down == nil {
		return true
	}
	if err := s.cfg.Down(); err != nil {
		s.later(ctx, 5*time.Second)
		ctx.SetConnectionClose()
		s.fail(ctx, fasthttp.StatusServiceUnavailable, "unavailable", "cannot take request: "+err.Error()+"; try again")
		return false
	}
	return true
}

// later sets the header Retry-After to d.
func (s *Server) later(ctx *fasthttp.RequestCtx, d time.Duration) {
	ctx.Response.Header.Set("Retry-After", strconv.Itoa(seconds(d)))
}

// seconds rounds up to whole seconds, one at least.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// maxWait is the longest Retry-After of a full queue; the retries of trainers end by
// then.
const maxWait = 15 * time.Second

// pace measures the rate of answered requests, for Retry-After. It is safe for concurrent
// use.
type pace struct {
	mu    sync.Mutex
	begin time.Time // of the current second
	now   int       // answers in it
	rate  float64   // per second, smoothed
	known bool      // rate has been measured
}

// tick counts one answered request at t.
func (p *pace) tick(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn(t)
	p.now++
}

// turn ends the interval of counting if it has lasted a second, and updates the rate of answered
// requests. The new rate is the mean of the interval's rate and the old one, so that one slow second
// weighs little; after five seconds without a call the old rate no longer counts. The caller holds mu.
func (p *pace) turn(t time.Time) {
	if p.begin.IsZero() {
		p.begin = t
	}
	took := t.Sub(p.begin).Seconds()
	if took < 1 {
		return
	}
	rate := float64(p.now) / took
	if p.rate > 0 && took < 5 {
		rate = (rate + p.rate) / 2
	}
	p.rate, p.known, p.now, p.begin = rate, true, 0, t
}

// until returns how long n more requests take at the present rate, for Retry-After: from one second
// to maxWait. It adds up to a quarter at random, so that clients do not retry all at once. See
// docs/spec/http.md#r10.
func (p *pace) until(n int) time.Duration {
	p.mu.Lock()
	p.turn(time.Now())
	rate, known := p.rate, p.known
	p.mu.Unlock()
	d := time.Second
	if known { // and rate is 0: the daemon answers nothing at the moment
		d = 5 * time.Second
	}
	if rate > 0 {
		d = time.Duration(math.Min(maxWait.Seconds(), float64(max(n, 1))/rate) * float64(time.Second))
	}
	if d > time.Second {
		d += time.Duration(rand.Float64() * 0.25 * float64(d))
	}
	return min(max(d, time.Second), maxWait)
}
