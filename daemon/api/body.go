package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"

	"plumb/daemon/dump"
	"plumb/scoring"
)

// leftover is how many bytes of a body that nobody wants are read so that the
// client gets the answer and not a reset.
const leftover = 64 << 20

// errTooLarge marks a body beyond --max-body.
var errTooLarge = errors.New("body too large")

// limited stops after max bytes with errTooLarge.
type limited struct {
	r    io.Reader
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if len(p) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// counted counts what it reads, for the expansion ratio.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// body reads the whole body into memory of its own, decompressed. ok is false
// when it answered the request itself.
func (s *Server) body(ctx *fasthttp.RequestCtx) (b []byte, ok bool) {
	max := s.cfg.Body
	tooLarge := fmt.Sprintf("cannot read body: it has more than %d bytes (--max-body)", max)
	n := ctx.Request.Header.ContentLength()
	if n > max {
		s.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large", tooLarge)
		return nil, false
	}
	plain, fault := decoded(raw(ctx, max), strings.ToLower(strings.TrimSpace(string(ctx.Request.Header.ContentEncoding()))), s.cfg.Lines.Ratio)
	if fault != nil {
		s.fail(ctx, fasthttp.StatusUnsupportedMediaType, fault.Code, fault.Message)
		return nil, false
	}
	var buf bytes.Buffer
	if n > 0 {
		buf.Grow(min(n, max) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(&limited{plain, max})
	switch {
	case err == nil:
		return buf.Bytes(), true
	case errors.Is(err, errTooLarge):
		s.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large", tooLarge)
	case errors.Is(err, dump.ErrRatio):
		s.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large", "cannot read body: "+err.Error())
	case isTimeout(err):
		s.fail(ctx, fasthttp.StatusRequestTimeout, "timeout", "cannot read body in time (--read-timeout)")
		s.lost(ctx)
	default:
		s.fail(ctx, fasthttp.StatusBadRequest, "bad_body", "cannot read body: "+err.Error())
		s.lost(ctx)
	}
	return nil, false
}

// raw is the body as it was sent, never nil.
func raw(ctx *fasthttp.RequestCtx, max int) io.Reader {
	r := ctx.RequestBodyStream()
	if r == nil {
		r = bytes.NewReader(ctx.Request.Body())
	}
	return &limited{r, max}
}

// decoded undoes a Content-Encoding.
func decoded(r io.Reader, encoding string, ratio int) (io.Reader, *scoring.Error) {
	if ratio <= 0 {
		ratio = dump.DefaultRatio
	}
	c := &counted{r: r}
	switch encoding {
	case "", "identity":
		return r, nil
	case "gzip", "x-gzip":
		return &dump.Bounded{Src: &lazyGzip{src: c}, Format: "gzip", Packed: &c.n, Ratio: ratio}, nil
	case "zstd":
		z, err := dump.NewZstd(c)
		if err != nil {
			return nil, &scoring.Error{Code: "bad_body", Message: err.Error()}
		}
		return &dump.Bounded{Src: &closing{z, z.Close}, Format: "zstd", Packed: &c.n, Ratio: ratio}, nil
	}
	return nil, &scoring.Error{Code: "bad_encoding", Message: fmt.Sprintf("cannot read Content-Encoding %.32q: want gzip, zstd or none", encoding)}
}

// lazyGzip reads the header at the first Read, where its error is handled.
type lazyGzip struct {
	src io.Reader
	z   *gzip.Reader
}

func (l *lazyGzip) Read(p []byte) (n int, err error) {
	if l.z == nil {
		if l.z, err = gzip.NewReader(l.src); err != nil {
			l.z = nil
			return 0, fmt.Errorf("cannot read header: %w", err)
		}
	}
	return l.z.Read(p)
}

// closing frees a decoder when its input ends.
type closing struct {
	r     io.Reader
	close func()
}

func (c *closing) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if err != nil && c.close != nil {
		c.close()
		c.close = nil
	}
	return n, err
}

// unreadable marks a request whose body cannot be read any further.
const unreadable = "unreadable"

func (s *Server) lost(ctx *fasthttp.RequestCtx) {
	ctx.SetUserValue(unreadable, true)
	ctx.SetConnectionClose()
}

// settle reads what the handler left of the body, up to a bound: fasthttp does
// not, and the connection would be lost for the next request, or reset before
// the client has read the answer. Beyond the bound the connection is closed.
func (s *Server) settle(ctx *fasthttp.RequestCtx) {
	r := ctx.RequestBodyStream()
	if r == nil || ctx.Response.IsBodyStream() || ctx.UserValue(unreadable) != nil {
		return
	}
	if ctx.Response.Header.ConnectionClose() {
		ctx.Conn().SetReadDeadline(time.Now().Add(2 * time.Second))
	}
	if n, err := io.CopyN(io.Discard, r, leftover); err != io.EOF || n == leftover {
		ctx.SetConnectionClose()
	}
}
