package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/memory"
	"plumb/daemon/queue"
	"plumb/daemon/shm"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// path matches absolute paths of files in messages.
var path = regexp.MustCompile(`(^|[\s"'(=:\[])/[^\s"'():,;\]]+`)

// Pathless replaces file paths in a message for a client, so that the message does not
// reveal the layout of this machine.
func Pathless(message string) string { return path.ReplaceAllString(message, "${1}(a path)") }

// fail answers an HTTP request with an error as the JSON object {"error","error_type"}, in place of any
// answer before. Messages with a status of 500 or more lose file paths. See docs/spec/http.md#r2.
func (server *Server) fail(ctx *fasthttp.RequestCtx, status int, kind, message string) {
	if status >= fasthttp.StatusInternalServerError {
		message = Pathless(message)
	}
	out := append([]byte(nil), `{"error":`...)
	out = scoring.AppendString(out, message)
	out = append(out, `,"error_type":`...)
	out = append(scoring.AppendString(out, kind), '}')
	ctx.Response.ResetBody()
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.SetBody(out)
}

// failShuttingDown refuses work while the daemon shuts down, with a short Retry-After because
// another process takes over.
func (server *Server) failShuttingDown(ctx *fasthttp.RequestCtx) {
	server.setRetryAfter(ctx, time.Second)
	ctx.SetConnectionClose()
	server.fail(ctx, fasthttp.StatusServiceUnavailable, "unavailable", "cannot take request: the daemon is shutting down; try again")
}

// failWith answers an HTTP request with the status and text of an error. It sets Retry-After if the
// client may try again, and wanted_bytes if a region of shared memory was too small. A client that has
// disconnected only counts in the metrics.
func (server *Server) failWith(ctx *fasthttp.RequestCtx, err error) {
	switch {
	case errors.Is(err, queue.ErrBusy):
		server.setRetryAfter(ctx, server.pace.retryAfter(server.cfg.Queue.Depth()-server.readyLimit()))
		server.fail(ctx, fasthttp.StatusTooManyRequests, "busy", err.Error())
	case errors.Is(err, context.Canceled) && server.life.Err() == nil: // the client has disconnected
		ctx.SetConnectionClose()
		server.fail(ctx, statusClientGone, "gone", "cannot answer: the client closed its connection")
	case errors.Is(err, queue.ErrClosed), errors.Is(err, context.Canceled):
		server.failShuttingDown(ctx)
	default:
		status, kind, message := server.explain(err)
		if status == fasthttp.StatusTooManyRequests {
			server.setRetryAfter(ctx, server.pace.retryAfter(server.cfg.Queue.Depth()))
		}
		server.fail(ctx, status, kind, message)
		if n := wantedOf(err); n > 0 {
			ctx.SetBody(fmt.Appendf(bytes.TrimSuffix(ctx.Response.Body(), []byte("}")), `,"wanted_bytes":%d}`, n))
		}
	}
}

// explain returns the status, the error type and the message of an error. No other function maps errors
// of other packages. An error that it does not know is logged, and is the daemon's fault: status 500.
func (server *Server) explain(err error) (status int, kind, message string) {
	var failure *scoring.Error
	var region *shm.Error
	var syntax *scene.Error
	switch {
	case errors.Is(err, memory.ErrTooLarge):
		return fasthttp.StatusRequestEntityTooLarge, "too_large", "cannot take request: " + err.Error()
	case errors.Is(err, memory.ErrFull):
		return fasthttp.StatusTooManyRequests, "busy", "cannot take request: " + err.Error()
	case errors.As(err, &failure):
		return statusOf(failure.Code), failure.Code, failure.Message
	case errors.As(err, &region): // 400, as Triton answers; see docs/spec/http.md#r27
		return fasthttp.StatusBadRequest, region.Code, region.Message
	case errors.Is(err, scene.ErrLimit):
		return fasthttp.StatusUnprocessableEntity, "limit", err.Error()
	case errors.Is(err, view.ErrForeign):
		return fasthttp.StatusUnprocessableEntity, "not_native", err.Error()
	case errors.As(err, &syntax) && syntax.Offset >= 0:
		return fasthttp.StatusBadRequest, "bad_line", err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return fasthttp.StatusGatewayTimeout, "deadline", "cannot answer in time (--deadline, --read-timeout)"
	case errors.Is(err, scene.ErrInvalid):
		return fasthttp.StatusUnprocessableEntity, "bad_scene", err.Error()
	case errors.Is(err, queue.ErrClosed), errors.Is(err, context.Canceled):
		return fasthttp.StatusServiceUnavailable, "unavailable", "cannot take request: the daemon is shutting down; try again"
	}
	server.cfg.Log.Error("cannot answer", "error", err)
	return fasthttp.StatusInternalServerError, "backend", err.Error()
}

// statusOf returns the status of a request whose only item has no score. It is 200 for items that are sound but
// have no score by the rules: the answer is missing, or the number is not defined. See docs/spec/http.md#r3.
func statusOf(code string) int {
	switch code {
	case "no_response", "undefined", "unjudged":
		return fasthttp.StatusOK
	case "bad_line", "bad_options":
		return fasthttp.StatusBadRequest
	case "busy":
		return fasthttp.StatusTooManyRequests
	case "too_large":
		return fasthttp.StatusRequestEntityTooLarge
	case "deadline":
		return fasthttp.StatusGatewayTimeout
	case "internal", "backend":
		return fasthttp.StatusInternalServerError
	}
	return fasthttp.StatusUnprocessableEntity
}

// statusOfField returns the status of a request that is refused for a field of its body or an option. It is
// always one of an error, while that of statusOf may be 200.
func statusOfField(e *scoring.Error) int {
	switch e.Code {
	case "bad_options":
		return fasthttp.StatusBadRequest
	case "too_large":
		return fasthttp.StatusRequestEntityTooLarge
	}
	return fasthttp.StatusUnprocessableEntity
}

// isTimeout reports whether an error of a connection is that of a deadline.
func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// asType is errors.As with a target whose type is checked by the compiler.
func asType[T error](err error, target *T) bool { return errors.As(err, target) }
