package api

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/conns"
)

// receiveHeader sets the limits of a request before its body is read. It skips the body of a
// request that is refused whatever the body holds, because a client that sends it
// slowly or never would occupy the connection. See docs/spec/http.md#r7.
func (server *Server) receiveHeader(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	cfg := fasthttp.RequestConfig{ReadTimeout: server.cfg.ReadTimeout}
	u := fasthttp.AcquireURI()
	defer fasthttp.ReleaseURI(u)
	if u.Parse(h.Host(), h.RequestURI()) != nil {
		return cfg // the server refuses the request itself
	}
	route, known := server.findRoute(string(u.Path()))
	if route.stream {
		cfg.WriteTimeout = 24 * time.Hour // the stream sets a deadline for every read and write
	}
	if h.ContentLength() <= 0 || known && server.wantsBody(h, u, route) {
		return cfg // there is no body, or it is worth reading
	}
	h.SetContentLength(0)  // the handler is called at once and refuses the request
	h.SetConnectionClose() // the rest of the body could be read as a next request
	return cfg
}

// wantsBody reports whether the body of a request is worth reading, so that a wrong request is refused
// before the client sends it. The method, the length in the header, the token and the names in the query
// must be right, and on a route that streams, the options too.
func (server *Server) wantsBody(h *fasthttp.RequestHeader, u *fasthttp.URI, route route) bool {
	if route.method != fasthttp.MethodPost || !route.takes(string(h.Method())) || ambiguous(h) {
		return false
	}
	secret := secretOf(string(h.Peek("Authorization")), string(u.QueryArgs().Peek("token")))
	if server.cfg.Tokens.Len() > 0 && server.cfg.Tokens.find(secret) == nil {
		return false
	}
	if unknownQuery(u.QueryArgs(), route) != nil {
		return false
	}
	if !route.stream {
		return true
	}
	// The options of a stream are all in its query and header, so they can be checked already.
	var ctx fasthttp.RequestCtx
	h.CopyTo(&ctx.Request.Header)
	_, fault := server.options(&ctx, nil)
	return fault == nil
}

// ambiguous reports whether a header has both Transfer-Encoding and Content-Length. A proxy in front may use
// the other one, so that a part of the body would be read as a request here (request smuggling).
func ambiguous(h *fasthttp.RequestHeader) bool {
	return has(h, "Transfer-Encoding") && (has(h, "Content-Length") || h.ContentLength() != -1) // -1: chunked
}

// has reports whether the raw HTTP header contains a field. The server's parsed list lacks the
// fields that delimit the body.
func has(h *fasthttp.RequestHeader, field string) bool {
	for line := range bytes.Lines(h.RawHeaders()) {
		if len(line) > len(field) && line[len(field)] == ':' && strings.EqualFold(string(line[:len(field)]), field) {
			return true
		}
	}
	return false
}

// finishConnection prepares a connection for its next request after a handler has written an answer. It
// drops the rest of the request's body if that has arrived. Otherwise, or if it is in doubt where the
// body ends, the answer is sent at once, and the connection is closed after it. Streams, WebSockets and
// bodies that cannot be read have ends of their own.
func (server *Server) finishConnection(ctx *fasthttp.RequestCtx) {
	if ctx.Response.IsBodyStream() || ctx.Hijacked() || ctx.UserValue(unreadable) != nil {
		return
	}
	body := ctx.RequestBodyStream() // nil for a request without a body, and for one whose body was skipped
	endInDoubt := ambiguous(&ctx.Request.Header)
	// Where no handler wants a body, receiveHeader has skipped it and set Connection: close. A client that
	// sends that itself, with a body, is closed in the same way, which does no harm.
	maySkip := ctx.Request.Header.ConnectionClose() && has(&ctx.Request.Header, "Content-Length")
	if body == nil && !endInDoubt && !maySkip {
		return // nothing of the request is left to read
	}
	// Drop the rest of a body whose end is known, if it has arrived.
	if body != nil && !endInDoubt {
		ctx.Conn().SetReadDeadline(time.Unix(1, 0)) // a deadline in the past: reads only bytes that have arrived
		if n, err := io.CopyN(io.Discard, body, int64(server.cfg.MaxHeader)); err == io.EOF && n < int64(server.cfg.MaxHeader) {
			return // all of the body was there
		}
	}
	// Else this answer is the last one. The connection stays open for a while after it, so that the client
	// can read the answer while it still sends.
	ctx.SetConnectionClose()
	if server.lingering.Add(1) > maxLingering {
		server.lingering.Add(-1)
		return // too many wait for their clients: this one is closed without waiting
	}
	// fasthttp calls the hijacking function instead of writing the answer, and closes the connection when it returns.
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(c net.Conn) {
		defer server.lingering.Add(-1)
		server.sendLastAnswer(ctx, c)
	})
}

// lingerTime and lingerIdle bound how long the daemon reads on after a last answer, and
// maxLingering on how many connections at a time. Closing at once would reset the connection,
// and a client that writes its whole body before it reads would lose the answer.
const (
	lingerTime   = 5 * time.Second
	lingerIdle   = time.Second
	maxLingering = 1024
)

// sendLastAnswer writes the last answer of a connection, closes its sending side and discards what the
// client still sends, for a bounded time. The connection counts as idle from now on, so that it may be
// closed to make room for another. conn is the hijacked connection that fasthttp hands over. That of ctx,
// which is below it, has the methods that conn lacks, such as CloseWrite.
func (server *Server) sendLastAnswer(ctx *fasthttp.RequestCtx, conn net.Conn) {
	conns.Of(ctx.Conn()).Rest() // counts as idle
	conn.SetWriteDeadline(time.Now().Add(lingerTime))
	w := bufio.NewWriterSize(conn, 4096)
	if ctx.Response.Write(w) != nil || w.Flush() != nil {
		return
	}
	if half, ok := ctx.Conn().(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	discard(conn)
}

// discard reads and drops bytes from the client. It ends after lingerIdle without data,
// after lingerTime in all, or when the client closes the connection.
func discard(conn net.Conn) {
	end := time.Now().Add(lingerTime)
	b := make([]byte, 16<<10)
	for now := time.Now(); now.Before(end); now = time.Now() {
		conn.SetReadDeadline(now.Add(lingerIdle))
		if _, err := conn.Read(b); err != nil {
			return
		}
	}
}

// connState marks a connection as idle when the server reports that it is.
func (server *Server) connState(c net.Conn, state fasthttp.ConnState) {
	if state == fasthttp.StateIdle {
		conns.Of(c).Rest()
	}
}

// unwrapped returns the connection of a request without TLS, as the system's listener accepted it.
func unwrapped(ctx *fasthttp.RequestCtx) net.Conn {
	if c := conns.Of(ctx.Conn()); c != nil {
		return c.NetConn()
	}
	return ctx.Conn()
}

// refuseConnection answers 503 on a connection for which there is no room. There is no TLS
// handshake before it, so a TLS client reads the answer as an error.
func (server *Server) refuseConnection(conn net.Conn, perAddress bool) {
	what, flag := "as many as allowed are open, all busy", "--max-conns"
	if perAddress {
		what, flag = "as many as allowed are open from this address, all busy", "--max-conns-per-ip"
	}
	body := fmt.Sprintf(`{"error":"cannot take connection: %s; retry later or raise %s","error_type":"busy"}`, what, flag)
	server.cfg.Metrics.countRequest(otherRoute, fasthttp.StatusServiceUnavailable, 0)
	conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // the accepting goroutine must not wait for one client
	fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// malformed answers an HTTP request that could not be parsed or did not arrive in time.
func (server *Server) malformed(ctx *fasthttp.RequestCtx, err error) {
	code, kind, message := fasthttp.StatusBadRequest, "bad_request", "cannot read request"
	var small *fasthttp.ErrSmallBuffer
	switch {
	case asType(err, &small):
		code, kind = fasthttp.StatusRequestHeaderFieldsTooLarge, "too_large"
		message = fmt.Sprintf("cannot read request: its header has more than %d bytes (--max-header)", server.cfg.MaxHeader)
	case isTimeout(err):
		code, kind, message = fasthttp.StatusRequestTimeout, "timeout", "cannot read request in time (--header-timeout, --read-timeout)"
	}
	server.fail(ctx, code, kind, message)
	server.cfg.Metrics.countRequest(otherRoute, code, 0)
}
