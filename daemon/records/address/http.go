package address

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"plumb/scoring/plural"
)

// tries bounds how often a request is made.
const tries = 6

// maxRedirects is how many redirects of a server are followed.
const maxRedirects = 5

// httpClient returns the HTTP client with which dumps at https:// addresses are read. It follows at most
// maxRedirects redirects, because a server may answer with them without end. A redirect to http:// is an
// error, as others could read along, unless it leads from this machine to itself.
func (o *Options) httpClient() *http.Client {
	c := http.Client{}
	if o.Client != nil {
		c = *o.Client
	}
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		switch {
		case len(via) > maxRedirects:
			return errors.New("it redirects more than five times")
		case r.URL.Scheme != "https" && !(via[0].URL.Scheme == "http" && loopback(r.URL.Hostname())):
			return errors.New("it redirects to an address that is not https")
		}
		return nil
	}
	return &c
}

// findHTTP finds the size and the version of a file at an https:// address. It asks for the first byte, because
// presigned links refuse HEAD. If the server ignores the range, the object can only be read as a whole.
func (o *Options) findHTTP(ctx context.Context, address string) (*Object, error) {
	c := o.httpClient()
	a := new(Object)
	get := func(ctx context.Context, from, to int64) (*http.Response, error) { // of the version a.Tag, once that is known
		return request(ctx, c, address, from, to, a.Tag)
	}
	first, err := get(ctx, 0, 0)
	if err != nil {
		return nil, err
	}
	defer first.Body.Close()
	a.Modified, _ = http.ParseTime(first.Header.Get("Last-Modified"))
	a.Tag = first.Header.Get("ETag")
	switch first.StatusCode {
	case http.StatusPartialContent:
		_, total, _ := strings.Cut(first.Header.Get("Content-Range"), "/")
		if a.Size, err = strconv.ParseInt(total, 10, 64); err != nil {
			return nil, fmt.Errorf("got the range %q; want its size", first.Header.Get("Content-Range"))
		}
		open := func(ctx context.Context, from, to int64) (io.ReadCloser, error) {
			r, err := get(ctx, from, to)
			if err != nil {
				return nil, err
			}
			if r.StatusCode != http.StatusPartialContent || r.Header.Get("ETag") != a.Tag {
				r.Body.Close()
				return nil, errChanged
			}
			return r.Body, nil
		}
		a.readAt = func(ctx context.Context, p []byte, off int64) (n int, err error) {
			return readRange(ctx, open, p, off)
		}
	case http.StatusRequestedRangeNotSatisfiable: // an empty file
		a.readAt = func(context.Context, []byte, int64) (int, error) { return 0, io.EOF }
	default:
		a.Size = max(first.ContentLength, 0)
		a.openWhole = func(ctx context.Context) (io.ReadCloser, error) {
			r, err := get(ctx, 0, toEnd)
			if err != nil {
				return nil, err
			}
			return r.Body, nil
		}
	}
	return a, nil
}

// readRange fills p with an object's bytes from an offset on, and returns how many it got. open asks
// for the bytes from the first to the second offset, both included, and refuses an object that has
// changed. If the connection breaks off, or the server is silent for too long, readRange asks for the
// rest, `tries` times in all. See docs/spec/dumps.md#r25.
func readRange(ctx context.Context, open func(ctx context.Context, from, to int64) (io.ReadCloser, error), p []byte, off int64) (n int, err error) {
	for range tries {
		var body io.ReadCloser
		if body, err = open(ctx, off+int64(n), off+int64(len(p))-1); err != nil {
			return n, err
		}
		var got int
		got, err = io.ReadFull(body, p[n:])
		body.Close()
		if n += got; n == len(p) {
			return n, nil
		}
	}
	return n, fmt.Errorf("the connection broke off %s: %w", plural.Of(tries, "time"), err)
}

// toEnd asks request for all bytes of a file.
const toEnd = -1

// request asks a server for the bytes of a file from `from` to `to`, both included, or for the whole
// file if to is toEnd. It asks again after failures that may pass, up to ten minutes. If tag is not
// "", the server must answer with an error unless the object still has it. Reading the body of the
// answer fails if a read waits for a minute.
func request(ctx context.Context, c *http.Client, address string, from, to int64, tag string) (*http.Response, error) {
	return backoff.Retry(ctx, func() (*http.Response, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			cancel(nil)
			return nil, backoff.Permanent(errors.New("it is no address; want https://HOST/PATH"))
		}
		if to >= 0 {
			r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to))
		}
		if strings.HasPrefix(tag, `"`) { // a weak tag, W/"...", never matches If-Match
			r.Header.Set("If-Match", tag)
		}
		watch := time.AfterFunc(maxSilence, func() { cancel(errSilent) })
		got, err := c.Do(r)
		watch.Stop()
		if err != nil {
			err = withoutAddress(orSilent(ctx, err))
			cancel(nil)
			if strings.Contains(err.Error(), "redirects") {
				err = backoff.Permanent(err)
			}
			return nil, err
		}
		got.Body = newSilenceReader(ctx, cancel, got.Body)
		if got.StatusCode < 300 || got.StatusCode == http.StatusRequestedRangeNotSatisfiable {
			return got, nil
		}
		got.Body.Close()
		return nil, refusalOf(got)
	}, backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(10*time.Minute))
}

// refusalOf returns the error for a server's answer without the bytes. It is permanent unless another try
// may help. If the server says after how many seconds to try again, the error has that wait.
func refusalOf(r *http.Response) error {
	const longestWait = 300 // seconds, also if the server asks for more
	switch code := r.StatusCode; {
	case code == http.StatusPreconditionFailed:
		return backoff.Permanent(errChanged)
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && seconds > 0 {
			return backoff.RetryAfter(min(seconds, longestWait))
		}
		return fmt.Errorf("the server answers %s", r.Status)
	case code == http.StatusForbidden, code == http.StatusUnauthorized:
		return backoff.Permanent(fmt.Errorf("the server answers %s; want an address that may be read (has it expired?)", r.Status))
	}
	return backoff.Permanent(fmt.Errorf("the server answers %s", r.Status))
}

// errSilent is the cause with which a request ends after a time of silence.
var errSilent = fmt.Errorf("the server sent nothing for %v", maxSilence)

// orSilent returns errSilent in place of an error if silence has ended the request with the context ctx.
func orSilent(ctx context.Context, err error) error {
	if err != nil && err != io.EOF && context.Cause(ctx) == errSilent {
		return errSilent
	}
	return err
}

// silenceReader is the body of a server's answer. A read that waits for maxSilence fails with errSilent.
// Time between two reads does not count, because then the caller is slow and not the server.
type silenceReader struct {
	io.ReadCloser
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	timer  *time.Timer // runs while a read waits
}

// newSilenceReader returns a silenceReader for a body whose request has the context ctx, which cancel ends.
func newSilenceReader(ctx context.Context, cancel context.CancelCauseFunc, body io.ReadCloser) *silenceReader {
	timer := time.AfterFunc(maxSilence, func() { cancel(errSilent) })
	timer.Stop() // until the first read
	return &silenceReader{body, ctx, cancel, timer}
}

// Read reads the body and ends the request if it waits for maxSilence. It implements io.Reader.
func (w *silenceReader) Read(p []byte) (int, error) {
	w.timer.Reset(maxSilence)
	n, err := w.ReadCloser.Read(p)
	w.timer.Stop()
	return n, orSilent(w.ctx, err)
}

// Close ends the request and closes the body. It implements io.Closer.
func (w *silenceReader) Close() error {
	w.timer.Stop()
	w.cancel(nil)
	return w.ReadCloser.Close()
}
