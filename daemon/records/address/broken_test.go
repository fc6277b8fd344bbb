package address

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// fault is what happens within the body of an answer.
type fault int

const (
	none fault = iota
	breaksOff
	silent // until the request ends
)

// faultyServer answers requests in memory, so that tests with a clock of their own can use it. It is an
// http.RoundTripper.
type faultyServer struct {
	whole   bool // ranges are ignored
	answers bool // requests at all
	fault   fault
	faulty  int      // how many of the next bodies have the fault
	asked   []string // the ranges that requests asked for
}

// faultAt is how many bytes of a body come before its fault.
const faultAt = 1000

func (s *faultyServer) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r.Header.Get("Range"))
	if !s.answers {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if s.whole {
		r.Header.Del("Range")
	}
	w := httptest.NewRecorder()
	w.Header().Set("ETag", `"v1"`)
	w.Header().Set("Last-Modified", time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
	http.ServeContent(w, r, "a.jsonl", time.Time{}, bytes.NewReader(content))
	got := w.Result()
	f := none
	if s.faulty > 0 {
		s.faulty--
		f = s.fault
	}
	got.Body = &faultyBody{r.Context(), w.Body, f, faultAt}
	return got, nil
}

// faultyBody is a body that fails when its request has ended, as the bodies of net/http do, and that has
// a fault after some bytes.
type faultyBody struct {
	ctx  context.Context
	body *bytes.Buffer
	fault
	left int // bytes before the fault
}

func (b *faultyBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.fault == none {
		return b.body.Read(p)
	}
	if b.left == 0 && b.fault == breaksOff {
		return 0, errors.New("connection reset by peer")
	}
	if b.left == 0 {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	n, err := b.body.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func (b *faultyBody) Close() error { return nil }

// find finds the object of the server at an address, and forgets the requests for that.
func (s *faultyServer) find(t *testing.T, address string) *Object {
	t.Helper()
	s.answers = true
	o := &Options{Client: &http.Client{Transport: s}, Endpoint: "https://127.0.0.1:1", Region: "us-east-1"}
	a, err := o.Find(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	s.asked = nil
	return a
}

// TestBrokenBody checks that a connection which breaks off within a body, and a minute of silence there,
// are tried again from the byte on that is missing, six times in all. See docs/spec/dumps.md#r25.
func TestBrokenBody(t *testing.T) {
	for _, address := range []string{"https://127.0.0.1:1/a.jsonl", "s3://runs/a.jsonl"} {
		for _, c := range []struct {
			fault  fault
			faulty int
			err    string // part of the message; "" for the content
		}{
			{none, 0, ""},
			{breaksOff, 1, ""},
			{breaksOff, tries - 1, ""},
			{breaksOff, tries, "the connection broke off 6 times: connection reset"},
			{silent, 1, ""},
			{silent, tries - 1, ""},
			{silent, tries, "the server sent nothing for 1m0s"},
		} {
			t.Run(fmt.Sprintf("%.5s fault %d in %d bodies", address, c.fault, c.faulty), func(t *testing.T) {
				t.Setenv("AWS_ACCESS_KEY_ID", "key")
				t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
				synctest.Test(t, func(t *testing.T) {
					s := new(faultyServer)
					a := s.find(t, address)
					s.fault, s.faulty = c.fault, c.faulty
					got := make([]byte, len(content)-7)
					begin := time.Now()
					n, err := a.ReadAt(got, 7)
					var want []string // the ranges to ask for
					for i := range min(c.faulty+1, tries) {
						want = append(want, fmt.Sprintf("bytes=%d-%d", 7+i*faultAt, len(content)-1))
					}
					if strings.Join(s.asked, " ") != strings.Join(want, " ") {
						t.Errorf("got requests for %v; want %v", s.asked, want)
					}
					waited := time.Since(begin)
					if want := time.Duration(c.faulty) * maxSilence; c.fault == silent && waited != want || c.fault != silent && waited != 0 {
						t.Errorf("took %v; want a minute for each silence", waited)
					}
					switch {
					case c.err != "" && (n != tries*faultAt || err == nil || !strings.Contains(err.Error(), c.err)):
						t.Errorf("got %d bytes, %v; want %d and %q", n, err, tries*faultAt, c.err)
					case c.err == "" && (err != nil || !bytes.Equal(got[:n], content[7:])):
						t.Errorf("got %d bytes, %v; want all", n, err)
					}
				})
			})
		}
	}
}

// TestSlowReader checks that the time between two reads is no silence of the server.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &faultyServer{whole: true}
		a := s.find(t, "https://127.0.0.1:1/a.jsonl")
		r, err := a.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var got []byte
		for range 3 {
			time.Sleep(2 * maxSilence)
			p := make([]byte, faultAt)
			n, err := io.ReadFull(r, p)
			if err != nil {
				t.Fatalf("after a pause: got %v; want the next bytes", err)
			}
			got = append(got, p[:n]...)
		}
		time.Sleep(2 * maxSilence)
		rest, err := io.ReadAll(r)
		if got = append(got, rest...); err != nil || !bytes.Equal(got, content) {
			t.Errorf("got %d bytes, %v; want all", len(got), err)
		}
	})
}

// TestSilentServer checks that a server which sends nothing ends a request after a minute.
func TestSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &faultyServer{whole: true}
		a := s.find(t, "https://127.0.0.1:1/a.jsonl")
		s.fault, s.faulty = silent, 1
		got, err := readAll(a)
		if len(got) != faultAt || err == nil || err.Error() != "the server sent nothing for 1m0s" {
			t.Errorf("within the body: got %d bytes, %v; want %d and an error", len(got), err, faultAt)
		}
		s.answers, s.asked = false, nil
		if _, err = a.Open(); err == nil || err.Error() != "the server sent nothing for 1m0s" || len(s.asked) != tries {
			t.Errorf("instead of an answer: got %v after %d requests; want an error after %d", err, len(s.asked), tries)
		}
	})
}
