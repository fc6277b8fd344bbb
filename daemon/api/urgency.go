package api

import (
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/queue"
	"plumb/scoring"
)

// urgency is the priority and the deadline that a request asks for.
type urgency struct {
	Priority queue.Priority
	Deadline time.Duration // 0 for the daemon's
}

// header returns a copy of urgency with the priority of the HTTP header X-Priority, the default without it, and
// with the deadline of X-Deadline-Ms where the request has that.
func (urgency urgency) header(ctx *fasthttp.RequestCtx) (urgency, *scoring.Error) {
	h := &ctx.Request.Header
	if fault := urgency.priority(string(h.Peek("X-Priority"))); fault != nil {
		return urgency, fault
	}
	if ms := h.Peek("X-Deadline-Ms"); len(ms) > 0 {
		return urgency, urgency.deadline(string(ms))
	}
	return urgency, nil
}

// priority sets the priority from the value of a request's option or header of this name.
func (urgency *urgency) priority(name string) *scoring.Error {
	priority, err := queue.ParsePriority(name)
	if err != nil {
		return &scoring.Error{Code: "bad_options", Message: err.Error()}
	}
	urgency.Priority = priority
	return nil
}

// deadline reads the deadline of a request in milliseconds, 1 to 1e9. The queue bounds it by the daemon's
// own deadline. See docs/spec/http.md#r36.
func (urgency *urgency) deadline(ms string) *scoring.Error {
	x, err := strconv.ParseFloat(ms, 64)
	if err != nil || !(x >= 1 && x <= 1e9) {
		quoted := strconv.Quote(ms[:min(len(ms), 40)])
		return &scoring.Error{Code: "bad_options", Message: "cannot use deadline " + quoted + ": want milliseconds from 1 to 1e9"}
	}
	urgency.Deadline = time.Duration(x * float64(time.Millisecond))
	return nil
}
