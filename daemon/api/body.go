package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"

	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/daemon/zstdframe"
	"plumb/scoring"
)

// leftover is how many bytes of a body that is not used are read, so that the client gets
// the answer and not a reset.
const leftover = 64 << 20

// errTooLarge marks a body beyond --max-body.
var errTooLarge = errors.New("body too large")

// limited is a reader that fails with errTooLarge if there are more than bytesLeft bytes.
type limited struct {
	reader    io.Reader
	bytesLeft int
}

// Read implements io.Reader. It reads one byte more than the limit at most, which shows that the input
// is too long, and then fails with errTooLarge.
func (limited *limited) Read(p []byte) (int, error) {
	if len(p) > limited.bytesLeft+1 {
		p = p[:limited.bytesLeft+1]
	}
	n, err := limited.reader.Read(p)
	limited.bytesLeft -= n
	if limited.bytesLeft < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// readBody reads the whole body of a request and decompresses it. If that fails, it answers the request,
// and ok is false. Its memory counts for the client until releaseRequest. It counts the bytes itself,
// because fasthttp 1.74 does not bound streamed bodies. See docs/spec/http.md#r6.
func (server *Server) readBody(ctx *fasthttp.RequestCtx) (data []byte, ok bool) {
	if server.refuseOversize(ctx) {
		return nil, false
	}
	hold := server.clientMemory.Hold(server.client(ctx))
	ctx.SetUserValue(bodyMemoryKey, hold)
	encoding := strings.ToLower(strings.TrimSpace(string(ctx.Request.Header.ContentEncoding())))
	plain, err := server.decompressed(hold, raw(ctx, server.cfg.MaxBody), encoding)
	var fault *scoring.Error
	if asType(err, &fault) { // an unknown Content-Encoding; other errors are told apart below
		server.fail(ctx, fasthttp.StatusUnsupportedMediaType, fault.Code, fault.Message)
		return nil, false
	}
	announced := ctx.Request.Header.ContentLength()
	if len(ctx.Request.Header.ContentEncoding()) > 0 {
		announced = -1 // the length of the plain body is not known
	}
	if err == nil {
		data, err = server.readWhole(hold, &limited{plain, server.cfg.MaxBody}, announced)
		plain.Close()
	}
	switch {
	case err == nil:
		return data, true
	case errors.Is(err, errTooLarge):
		server.tooLarge(ctx)
	case errors.Is(err, memory.ErrFull), errors.Is(err, memory.ErrTooLarge), errors.Is(err, context.Canceled):
		server.failWith(ctx, err)
	case errors.Is(err, dump.ErrWindow), errors.Is(err, dump.ErrRatio):
		server.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large", "cannot read body: "+err.Error())
	case errors.Is(err, errSlow):
		server.fail(ctx, fasthttp.StatusRequestTimeout, "timeout", "cannot read body in time (--read-timeout)")
		server.markBodyUnreadable(ctx)
	default:
		server.fail(ctx, fasthttp.StatusBadRequest, "bad_body", "cannot read body: "+err.Error())
		server.markBodyUnreadable(ctx)
	}
	return nil, false
}

// refuseOversize reports whether the Content-Length is beyond --max-body, and refuses the request then.
func (server *Server) refuseOversize(ctx *fasthttp.RequestCtx) bool {
	if ctx.Request.Header.ContentLength() <= server.cfg.MaxBody {
		return false
	}
	server.tooLarge(ctx)
	return true
}

// tooLarge answers a request whose body is beyond --max-body.
func (server *Server) tooLarge(ctx *fasthttp.RequestCtx) {
	server.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large",
		fmt.Sprintf("cannot read body: it has more than %d bytes (--max-body)", server.cfg.MaxBody))
}

// bodyMemoryKey is the user value that holds the memory of a request's body.
const bodyMemoryKey = "body"

// firstRead is the most memory in bytes for a body before any of it has arrived. Memory
// follows the bytes sent and not the Content-Length, which costs a client nothing.
const firstRead = 16 << 10

// readWhole reads a body to its end; announced is its length in bytes, or -1 if that is not known. It
// doubles the buffer as bytes arrive. A buffer beyond firstRead counts in hold, and while one is copied
// both the old and the new one do. The error is that of r, or of hold, which may have no room.
func (server *Server) readWhole(hold *memory.Hold, r io.Reader, announced int) ([]byte, error) {
	size := firstRead
	if announced >= 0 {
		size = min(size, announced+1) // one byte more, so that a full buffer is not doubled only to read the end of file
	}
	out := make([]byte, 0, size)
	for heldNow := int64(0); ; { // heldNow: what the present buffer counts in hold
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(out) < cap(out) {
			continue
		}
		// The buffer is full: take one of twice the size, or of the announced length.
		next := 2 * cap(out)
		if announced >= cap(out) {
			next = min(next, announced+1)
		}
		if err := hold.Grow(server.life, int64(next)); err != nil {
			return nil, err
		}
		out = append(make([]byte, 0, next), out...)
		hold.Shrink(heldNow)
		heldNow = int64(next)
	}
}

// releaseBody returns the memory of a request's body to the client's budget, if the body was read.
func (server *Server) releaseBody(ctx *fasthttp.RequestCtx) {
	if h, ok := ctx.UserValue(bodyMemoryKey).(*memory.Hold); ok {
		ctx.RemoveUserValue(bodyMemoryKey)
		h.Close()
	}
}

// raw returns a reader of a request's body as it was sent, of at most limit bytes.
func raw(ctx *fasthttp.RequestCtx, limit int) io.Reader {
	r := ctx.RequestBodyStream()
	if r == nil { // a short body has arrived already
		r = bytes.NewReader(ctx.Request.Body())
	}
	return &limited{bodyErrors{r}, limit}
}

// The errors of reading a body. Those of the HTTP library quote addresses and hide timeouts.
var (
	errSlow = errors.New("its bytes did not come in time (--read-timeout; of a stream --stream-idle)")
	errTorn = errors.New("it ended early, or its chunks are malformed")
)

// bodyErrors is a reader whose errors clients may see.
type bodyErrors struct{ reader io.Reader }

// Read implements io.Reader. It turns errors of the connection into those that clients get.
func (w bodyErrors) Read(p []byte) (int, error) {
	n, err := w.reader.Read(p)
	return n, bodyError(err)
}

// bodyError replaces an error of a connection by errSlow for a timeout, or errTorn for any other. It
// leaves io.EOF as it is.
func bodyError(err error) error {
	switch {
	case err == nil, err == io.EOF:
		return err
	case isTimeout(err), strings.Contains(err.Error(), "i/o timeout"): // fasthttp does not wrap all of them
		return errSlow
	}
	return errTorn
}

// leastWindow is the smallest window in bytes that is counted for a zstd frame.
const leastWindow = 1 << 20

// decompressed returns a reader that undoes the Content-Encoding: gzip, zstd or none. It bounds how much
// the input may expand. The memory of a zstd decoder, its window, counts in hold until the reader is
// closed. The error for an unknown encoding is a *scoring.Error.
func (server *Server) decompressed(hold *memory.Hold, r io.Reader, encoding string) (io.ReadCloser, error) {
	limits := server.cfg.LineLimits.WithDefaults()
	counter := &dump.CountingReader{Src: r}
	switch encoding {
	case "", "identity":
		return io.NopCloser(r), nil
	case "gzip", "x-gzip":
		return io.NopCloser(&dump.BoundedReader{Src: &lazyGzip{src: counter}, Format: "gzip", PackedBytes: &counter.Bytes, Ratio: limits.Ratio}), nil
	case "zstd":
		// Before each frame, count its window: the largest so far is held. The decoder refuses one beyond the limit.
		window, held := limits.Window, int64(0)
		grow := func(frameWindow uint64) error {
			missing := int64(min(max(frameWindow, leastWindow), uint64(window))) - held
			if err := hold.Grow(server.life, missing); err != nil { // takes nothing if missing is not above 0
				return err
			}
			held += max(missing, 0)
			return nil
		}
		decoder, err := dump.NewZstd(zstdframe.NewReader(counter, grow), window)
		if err != nil {
			return nil, err
		}
		free := func() { decoder.Close(); hold.Shrink(held) }
		return &closing{&dump.BoundedReader{Src: decoder, Format: "zstd", PackedBytes: &counter.Bytes, Ratio: limits.Ratio, Window: window}, free}, nil
	}
	return nil, &scoring.Error{Code: "bad_encoding",
		Message: fmt.Sprintf("cannot read Content-Encoding %.32q: want gzip, zstd or none", encoding)}
}

// lazyGzip is a gzip reader that reads the header at the first Read, so that its error is handled as any other.
type lazyGzip struct {
	src   io.Reader
	unzip *gzip.Reader
}

// Read implements io.Reader. The header is read with the first bytes, not before.
func (l *lazyGzip) Read(p []byte) (n int, err error) {
	if l.unzip == nil {
		if l.unzip, err = gzip.NewReader(l.src); err != nil {
			l.unzip = nil // so that a later Read fails in the same way
			return 0, fmt.Errorf("cannot read header: %w", err)
		}
	}
	return l.unzip.Read(p)
}

// closing is a reader that calls free when it is closed, to return what the reader held.
type closing struct {
	io.Reader
	free func()
}

// Close gives back what the body holds. It implements io.Closer.
func (c *closing) Close() error {
	c.free()
	return nil
}

// unreadable is the key of the user value that marks a request whose body cannot be read further.
const unreadable = "unreadable"

// markBodyUnreadable marks the body of a request as unreadable, and closes the connection after the answer: where the
// next request would begin is not known.
func (server *Server) markBodyUnreadable(ctx *fasthttp.RequestCtx) {
	ctx.SetUserValue(unreadable, true)
	ctx.SetConnectionClose()
}
