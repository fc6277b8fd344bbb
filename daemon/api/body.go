package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
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
	if s.oversize(ctx) {
		return nil, false
	}
	max := s.cfg.Body
	plain, fault := decoded(raw(ctx, max), strings.ToLower(strings.TrimSpace(string(ctx.Request.Header.ContentEncoding()))), s.cfg.Lines.Ratio)
	if fault != nil {
		s.fail(ctx, fasthttp.StatusUnsupportedMediaType, fault.Code, fault.Message)
		return nil, false
	}
	announced := ctx.Request.Header.ContentLength()
	if len(ctx.Request.Header.ContentEncoding()) > 0 {
		announced = -1
	}
	b, err := s.whole(ctx, &limited{plain, max}, announced)
	switch {
	case err == nil:
		return b, true
	case errors.Is(err, errTooLarge):
		s.tooLarge(ctx)
	case errors.Is(err, errFull):
		s.later(ctx, s.pace.until(s.cfg.Queue.Depth()))
		s.fail(ctx, fasthttp.StatusTooManyRequests, "busy", fmt.Sprintf("cannot read body: the bodies under way hold %d bytes; retry later or raise --max-bodies", s.cfg.Held))
	case errors.Is(err, dump.ErrRatio):
		s.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large", "cannot read body: "+err.Error())
	case errors.Is(err, errSlow):
		s.fail(ctx, fasthttp.StatusRequestTimeout, "timeout", "cannot read body in time (--read-timeout)")
		s.lost(ctx)
	default:
		s.fail(ctx, fasthttp.StatusBadRequest, "bad_body", "cannot read body: "+err.Error())
		s.lost(ctx)
	}
	return nil, false
}

// oversize refuses a body whose announced length is too large already.
func (s *Server) oversize(ctx *fasthttp.RequestCtx) bool {
	if ctx.Request.Header.ContentLength() <= s.cfg.Body {
		return false
	}
	s.tooLarge(ctx)
	return true
}

func (s *Server) tooLarge(ctx *fasthttp.RequestCtx) {
	s.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("cannot read body: it has more than %d bytes (--max-body)", s.cfg.Body))
}

// errFull marks a body for which there is no memory now.
var errFull = errors.New("too many bytes of bodies")

// bodyKey is where the bytes stand that a request's body holds.
const bodyKey = "body"

// firstRead is the most that a body is given before anything of it has come.
// Memory follows what was sent and not what was announced: announcing costs a
// client nothing.
const firstRead = 16 << 10

// whole reads r to its end; announced is its length, -1 when it is not known. Its
// memory beyond firstRead counts against --max-bodies until drop.
func (s *Server) whole(ctx *fasthttp.RequestCtx, r io.Reader, announced int) ([]byte, error) {
	size := firstRead
	if announced >= 0 {
		size = min(size, announced+1) // one more, to meet the end
	}
	b := make([]byte, 0, size)
	for held := int64(0); ; {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if len(b) < cap(b) {
			continue
		}
		next := 2 * cap(b)
		if announced >= cap(b) {
			next = min(next, announced+1)
		}
		more := int64(next) - held
		if s.held.Add(more) > int64(s.cfg.Held) {
			s.held.Add(-more)
			return nil, errFull
		}
		held += more
		ctx.SetUserValue(bodyKey, held)
		b = append(make([]byte, 0, next), b...)
	}
}

// drop gives back the memory of a request's body, if it had one.
func (s *Server) drop(ctx *fasthttp.RequestCtx) {
	if n, _ := ctx.UserValue(bodyKey).(int64); n > 0 {
		ctx.RemoveUserValue(bodyKey)
		s.held.Add(-n)
	}
}

// raw is the body as it was sent, never nil.
func raw(ctx *fasthttp.RequestCtx, max int) io.Reader {
	r := ctx.RequestBodyStream()
	if r == nil {
		r = bytes.NewReader(ctx.Request.Body())
	}
	return &limited{wire{r}, max}
}

// What may go wrong with the bytes of a body on their way. The server's own
// errors quote addresses, and hide that it was time which ran out.
var (
	errSlow = errors.New("its bytes did not come in time")
	errTorn = errors.New("it ended early, or its chunks are malformed")
)

// wire gives the errors of a connection a form that clients may see.
type wire struct{ r io.Reader }

func (w wire) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	return n, onWire(err)
}

func onWire(err error) error {
	switch {
	case err == nil, err == io.EOF:
		return err
	case isTimeout(err), strings.Contains(err.Error(), "i/o timeout"): // some are only quoted
		return errSlow
	}
	return errTorn
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
// the client has read the answer. A client that goes on sending beyond the bound
// is let send for a while after it was answered, and then cut off.
func (s *Server) settle(ctx *fasthttp.RequestCtx) {
	r := ctx.RequestBodyStream()
	if r == nil || ctx.Response.IsBodyStream() || ctx.UserValue(unreadable) != nil {
		return
	}
	closing := ctx.Response.Header.ConnectionClose() || ctx.Request.Header.ConnectionClose()
	if closing {
		ctx.Conn().SetReadDeadline(time.Now().Add(2 * time.Second))
	}
	n, err := io.CopyN(io.Discard, r, leftover)
	switch {
	case err == io.EOF && n < leftover:
	case err != nil || closing:
		ctx.SetConnectionClose()
	case s.lingering.Add(1) > lingerers:
		s.lingering.Add(-1)
		ctx.SetConnectionClose()
	default:
		ctx.Hijack(s.linger)
	}
}

// How long a client that was answered may go on sending, and how many may at a
// time: those that write a whole body before they read would not learn why it
// was refused.
const (
	lingerTime = 5 * time.Second
	lingerIdle = time.Second
	lingerers  = 64
)

// linger throws away what a client sends until it stops, closes or its time is up.
func (s *Server) linger(c net.Conn) {
	defer s.lingering.Add(-1)
	end := time.Now().Add(lingerTime)
	b := make([]byte, 32<<10)
	for now := time.Now(); now.Before(end); now = time.Now() {
		c.SetReadDeadline(now.Add(lingerIdle))
		if _, err := c.Read(b); err != nil {
			return
		}
	}
}
