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

// header sets what differs per request before its body is read. The body of a
// request that is refused whatever it says is not waited for: the client need not
// send it, and would hold the connection for as long as it likes.
func (s *Server) header(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	cfg := fasthttp.RequestConfig{ReadTimeout: s.cfg.ReadTimeout}
	u := fasthttp.AcquireURI()
	defer fasthttp.ReleaseURI(u)
	if u.Parse(h.Host(), h.RequestURI()) != nil {
		return cfg // the server refuses it itself
	}
	r, known := s.find(string(u.Path()))
	if r.stream {
		cfg.WriteTimeout = 24 * time.Hour // the stream sets deadlines of its own for every read and write
	}
	if h.ContentLength() > 0 && !(known && s.wantsBody(h, u, r)) {
		h.SetContentLength(0)
		h.SetConnectionClose() // what comes of the body cannot be told from a next request
	}
	return cfg
}

// wantsBody reports whether the handler of a route may get to read the body.
func (s *Server) wantsBody(h *fasthttp.RequestHeader, u *fasthttp.URI, r route) bool {
	if r.method != fasthttp.MethodPost || !r.takes(string(h.Method())) || ambiguous(h) {
		return false
	}
	if s.cfg.Tokens.Len() > 0 && s.cfg.Tokens.find(secretOf(h, u.QueryArgs())) == nil {
		return false
	}
	if !r.stream {
		return true
	}
	var ctx fasthttp.RequestCtx
	h.CopyTo(&ctx.Request.Header)
	_, fault := s.options(&ctx, nil)
	return fault == nil
}

// ambiguous reports whether a header says in two ways where the body ends. A
// proxy in front may have followed the other one, and what it takes for a body
// would be a request here.
func ambiguous(h *fasthttp.RequestHeader) bool {
	return has(h, "Transfer-Encoding") && (has(h, "Content-Length") || h.ContentLength() != -1) // -1: chunked
}

// has reports whether a field stands in the header as it came. The server takes
// those that say where the body ends out of its own list.
func has(h *fasthttp.RequestHeader, field string) bool {
	for line := range bytes.Lines(h.RawHeaders()) {
		if len(line) > len(field) && line[len(field)] == ':' && strings.EqualFold(string(line[:len(field)]), field) {
			return true
		}
	}
	return false
}

// settle makes a connection fit for its next request once a request has been
// answered. Where a part of the body has not arrived, the answer goes out at
// once, and it is the last one of the connection.
func (s *Server) settle(ctx *fasthttp.RequestCtx) {
	if ctx.Response.IsBodyStream() || ctx.Hijacked() || ctx.UserValue(unreadable) != nil {
		return
	}
	r := ctx.RequestBodyStream()
	doubt := ambiguous(&ctx.Request.Header)
	if r == nil && !doubt && !(ctx.Request.Header.ConnectionClose() && has(&ctx.Request.Header, "Content-Length")) {
		return
	}
	if r != nil && !doubt {
		ctx.Conn().SetReadDeadline(time.Unix(1, 0)) // only what is here already
		if n, err := io.CopyN(io.Discard, r, int64(s.cfg.Header)); err == io.EOF && n < int64(s.cfg.Header) {
			return
		}
	}
	ctx.SetConnectionClose()
	if s.lingering.Add(1) > lingerers {
		s.lingering.Add(-1)
		return
	}
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(c net.Conn) {
		defer s.lingering.Add(-1)
		s.farewell(ctx, c)
	})
}

// How long a client that was answered may go on sending, and how many may at a
// time: those that write a whole body before they read would not learn why it
// was refused, because closing the connection at once resets it.
const (
	lingerTime = 5 * time.Second
	lingerIdle = time.Second
	lingerers  = 1024
)

// farewell writes the last answer of a connection, ends this half of it and
// discards what the client still sends.
func (s *Server) farewell(ctx *fasthttp.RequestCtx, c net.Conn) {
	conns.Of(ctx.Conn()).Rest()
	c.SetWriteDeadline(time.Now().Add(lingerTime))
	w := bufio.NewWriterSize(c, 4096)
	if ctx.Response.Write(w) != nil || w.Flush() != nil {
		return
	}
	if half, ok := ctx.Conn().(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	discard(c)
}

// discard throws away what the client sends until it stops, closes or its time is up.
func discard(c net.Conn) {
	end := time.Now().Add(lingerTime)
	b := make([]byte, 16<<10)
	for now := time.Now(); now.Before(end); now = time.Now() {
		c.SetReadDeadline(now.Add(lingerIdle))
		if _, err := c.Read(b); err != nil {
			return
		}
	}
}

// connState hears from the server where a connection stands.
func (s *Server) connState(c net.Conn, state fasthttp.ConnState) {
	if state == fasthttp.StateIdle {
		conns.Of(c).Rest()
	}
}

// unwrapped is the connection of a request as the system gave it.
func unwrapped(ctx *fasthttp.RequestCtx) net.Conn {
	if c := conns.Of(ctx.Conn()); c != nil {
		return c.NetConn()
	}
	return ctx.Conn()
}

// crowded tells a client that there is no room for its connection. Over TLS it
// would have to shake hands first, and reads this as an error.
func (s *Server) crowded(c net.Conn, perAddress bool) {
	what, flag := "as many as allowed are open, all busy", "--max-conns"
	if perAddress {
		what, flag = "as many as allowed are open from this address, all busy", "--max-conns-per-ip"
	}
	body := fmt.Sprintf(`{"error":"cannot take connection: %s; retry later or raise %s","error_type":"busy"}`, what, flag)
	s.cfg.Metrics.request("other", fasthttp.StatusServiceUnavailable, 0)
	c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// malformed answers what could not be read as a request.
func (s *Server) malformed(ctx *fasthttp.RequestCtx, err error) {
	code, kind, message := fasthttp.StatusBadRequest, "bad_request", "cannot read request"
	var small *fasthttp.ErrSmallBuffer
	switch {
	case asType(err, &small):
		code, kind = fasthttp.StatusRequestHeaderFieldsTooLarge, "too_large"
		message = fmt.Sprintf("cannot read request: its header has more than %d bytes (--max-header)", s.cfg.Header)
	case isTimeout(err):
		code, kind, message = fasthttp.StatusRequestTimeout, "timeout", "cannot read request in time (--header-timeout, --read-timeout)"
	}
	s.fail(ctx, code, kind, message)
	s.cfg.Metrics.request("other", code, 0)
}
