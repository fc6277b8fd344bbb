package api

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/queue"
	"plumb/daemon/trace"
	"plumb/scoring"
)

// maxTraced is how many samples of a request are traced, maxTracedWithSlow how many with slow
// ones beyond them. The others are only counted.
const (
	maxTraced         = 16
	maxTracedWithSlow = 64
)

// slowPerSecond bounds the lines of the slow-sample log, because a slow device makes every sample slow.
const slowPerSecond = 10

// Keys of user values of a request.
const (
	trailKey   = "trail"
	timingsKey = "timings"
)

// trail collects the data of a request for logs and traces: its route, its client's id and the timing of its
// samples (docs/spec/http.md#r11). The goroutine that answers the request owns it.
type trail struct {
	id          string // X-Request-Id
	name        string // of the route, as in metrics
	method      string
	path        string // of the route, with {name} or {env}; never the path that was sent
	start       time.Time
	span        trace.Span
	header      func(string) string // headers of a WebSocket handshake whose messages are traced
	sampleCount int
	sampled     []trace.Sample
}

// beginTrail begins the trail of a request and keeps it with the request, for trailOf. Only POST
// requests get a span: they do work, unlike health checks.
func (server *Server) beginTrail(ctx *fasthttp.RequestCtx, id string, start time.Time) *trail {
	r, _ := server.findRoute(string(ctx.Path()))
	t := &trail{id: id, name: r.name, path: r.path, start: start}
	if server.cfg.Trace != nil && r.method == fasthttp.MethodPost && string(ctx.Method()) == r.method {
		t.method = r.method
		t.span = server.cfg.Trace.Begin(func(key string) string { return string(ctx.Request.Header.Peek(key)) })
	}
	ctx.SetUserValue(trailKey, t)
	return t
}

// handshake returns the trail from which the trails of a WebSocket's messages are made. It copies the
// headers that name the client's trace, because the request ends with the handshake.
func (server *Server) handshake(ctx *fasthttp.RequestCtx) *trail {
	trail := *trailOf(ctx)
	if server.cfg.Trace != nil {
		h := &ctx.Request.Header
		parent, state := string(h.Peek("traceparent")), string(h.Peek("tracestate"))
		trail.header = func(key string) string { return map[string]string{"traceparent": parent, "tracestate": state}[key] }
	}
	return &trail
}

// messageTrail begins the trail of one message of a WebSocket, which is logged and traced as a request
// of its own. handshake is the trail of the request that opened the WebSocket.
func (server *Server) messageTrail(handshake *trail) *trail {
	t := &trail{id: handshake.id, name: handshake.name, method: "WS", path: handshake.path, start: time.Now()}
	if handshake.header != nil {
		t.span = server.cfg.Trace.Begin(handshake.header)
	}
	return t
}

// messageStatus returns the HTTP status that stands in traces for the outcome of a WebSocket message,
// which has none itself.
func messageStatus(fault *scoring.Error, err error) int {
	switch {
	case fault != nil:
		return fasthttp.StatusUnprocessableEntity
	case errors.Is(err, queue.ErrBusy):
		return fasthttp.StatusTooManyRequests
	case errors.Is(err, queue.ErrClosed), errors.Is(err, context.Canceled):
		return fasthttp.StatusServiceUnavailable
	case errors.Is(err, errTimeout):
		return fasthttp.StatusGatewayTimeout
	case err != nil:
		return fasthttp.StatusInternalServerError
	}
	return fasthttp.StatusOK
}

// trailOf returns the trail of a request.
func trailOf(ctx *fasthttp.RequestCtx) *trail {
	t, _ := ctx.UserValue(trailKey).(*trail)
	if t == nil {
		return &trail{} // a test called the handler directly
	}
	return t
}

// endTrail exports the trail of an answered request as a span with its samples, if the request is traced. It
// is called when the whole answer has been sent.
func (server *Server) endTrail(trail *trail, code int) {
	if !trail.span.Recorded() {
		return
	}
	server.cfg.Trace.End(&trace.Request{Span: trail.span, Method: trail.method, Route: trail.path, ID: trail.id, Code: code,
		Start: trail.start, End: time.Now(), All: trail.sampleCount, Sample: trail.sampled})
}

// noteAnswer adds one sample to the trail of its request, and logs it if it was slow. The slow-sample
// log takes few lines a second, so it may leave the sample out. Every route calls noteAnswer for each
// answer; at is when the answer came. Only the first samples of a request get spans, and slow ones
// up to a larger number; the others are only counted.
func (server *Server) noteAnswer(trail *trail, answer *queue.Answer, at time.Time) {
	trail.sampleCount++
	outcome := "scored"
	if answer.Result.Err != nil {
		outcome = answer.Result.Err.Code
	}
	took := answer.Took
	// PartReply is no work: in a stream it is the wait for earlier lines. But after a missed deadline it
	// holds all the time since the sample was taken.
	if outcome != "deadline" {
		took -= answer.Timing[queue.PartReply]
	}
	slow := server.cfg.SlowAfter > 0 && took > server.cfg.SlowAfter
	if slow {
		server.logSlowSample(trail, answer, outcome, took)
	}
	limit := maxTraced
	if slow {
		limit = maxTracedWithSlow
	}
	if !trail.span.Recorded() || len(trail.sampled) >= limit {
		return
	}
	traced := trace.Sample{ID: clip(answer.Result.ID), Suite: clip(answer.Result.Suite), Test: clip(answer.Result.Test),
		Outcome: outcome, Source: answer.Source.String(), Start: at.Add(-answer.Timing.Total())}
	for p := range queue.PartReply {
		rare := p == queue.PartExport || p == queue.PartJudge // shown only where they took time
		if d := answer.Timing[p]; d > 0 || !rare {
			traced.Parts = append(traced.Parts, trace.Part{Name: p.String(), Took: d})
		}
	}
	trail.sampled = append(trail.sampled, traced)
}

// logSlowSample writes one line of the slow-sample log for a sample. The rate is limited: where
// slowPerSecond lines were written in this second, it writes none, and the next line says how many
// were left out. The line names the sample and shows none of its content.
func (server *Server) logSlowSample(trail *trail, answer *queue.Answer, outcome string, took time.Duration) {
	ok, omitted := server.slowLogLimiter.allow(time.Now()) // at most slowPerSecond lines a second
	if !ok {
		return
	}
	args := []any{"id", clip(answer.Result.ID), "suite", clip(answer.Result.Suite), "test", clip(answer.Result.Test), "outcome", outcome,
		"route", trail.name, "request", trail.id, "wait", answer.Wait, "took", took}
	for p := queue.PartDecode; p < queue.PartReply; p++ { // the parts that are work on the sample
		if d := answer.Timing[p]; d > 0 {
			args = append(args, p.String(), d)
		}
	}
	if answer.Source != queue.Computed {
		args = append(args, "source", answer.Source.String())
	}
	if id := trail.span.TraceID(); id != "" {
		args = append(args, "trace", id)
	}
	if omitted > 0 {
		args = append(args, "others-omitted", omitted)
	}
	server.cfg.Log.Warn("slow sample", args...)
}

// clip shortens a name that a client sent to 128 bytes for a log, so that clients cannot fill it.
func clip(name string) string {
	const maxBytes = 128
	if len(name) > maxBytes {
		return name[:maxBytes] + "..."
	}
	return name
}

// logLimiter passes slowPerSecond events in each second.
type logLimiter struct {
	mu      sync.Mutex // guards all below
	second  int64
	passed  int
	omitted int
}

// allow reports whether one more event passes at the time now, and how many were omitted since the last
// one that did. It counts events by the second of the clock.
func (limiter *logLimiter) allow(now time.Time) (ok bool, omitted int) {
	limiter.mu.Lock()
	defer limiter.mu.Unlock()
	if s := now.Unix(); s != limiter.second {
		limiter.second, limiter.passed = s, 0
	}
	if limiter.passed >= slowPerSecond {
		limiter.omitted++
		return false, 0
	}
	limiter.passed++
	omitted, limiter.omitted = limiter.omitted, 0
	return true, omitted
}

// setTimingHeaders sets the headers with the timing of a request's only sample, so that clients can
// tell a slow server from a full connection pool of their own.
func setTimingHeaders(ctx *fasthttp.RequestCtx, answer *queue.Answer) {
	h := &ctx.Response.Header
	h.Set("Server-Timing", serverTiming(&answer.Timing))
	h.Set("X-Queue-Ms", string(appendMS(nil, answer.Wait)))
	h.Set("X-Score-Ms", string(appendMS(nil, answer.Took)))
}

// serverTiming returns the value of the header Server-Timing: the total and its parts, in milliseconds.
func serverTiming(t *queue.Timing) string {
	out := append([]byte(nil), "total;dur="...)
	out = appendMS(out, t.Total())
	for p, d := range t {
		if d > 0 {
			out = append(out, ", "...)
			out = append(out, queue.Part(p).String()...)
			out = append(out, ";dur="...)
			out = appendMS(out, d)
		}
	}
	return string(out)
}

// appendMS appends a duration in milliseconds with three digits after the point.
func appendMS(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, milliseconds(d), 'f', 3, 64)
}

// milliseconds returns a duration in milliseconds.
func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// wantsTimings reports whether the request asks for times in its results:
// ?timings=1, or "timings": true among the options.
func wantsTimings(ctx *fasthttp.RequestCtx) bool {
	if on, ok := ctx.UserValue(timingsKey).(bool); ok {
		return on
	}
	return ctx.QueryArgs().GetBool("timings")
}

// appendTimed appends a result line with a further member timings, which is the last one but for the
// member asked. Such lines differ from run to run, and plain result lines do not.
func appendTimed(dst []byte, answer *queue.Answer) []byte {
	end := len(answer.JSON) - 1 // where timings goes: before the closing brace of an object that is not empty
	if asked := answer.Result.Who.Asked; asked != nil {
		end -= len(`,"asked":`) + len(asked.JSON) // or before this member, which is the last of a result line
	}
	dst = append(dst, answer.JSON[:end]...)
	dst = append(dst, `,"timings":{"queue_ms":`...)
	dst = appendMS(dst, answer.Wait)
	dst = append(dst, `,"score_ms":`...)
	dst = appendMS(dst, answer.Took)
	dst = append(dst, `,"parts_ms":{`...)
	for part := range queue.Parts {
		if part > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, part.String()...)
		dst = append(dst, `":`...)
		dst = appendMS(dst, answer.Timing[part])
	}
	return append(append(dst, "}}"...), answer.JSON[end:]...)
}
