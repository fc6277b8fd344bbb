package address

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// content is what the servers of the tests have.
var content = bytes.Repeat([]byte("0123456789abcdef"), 10_000)

// serve starts a server for https with a client that trusts it.
func serve(t *testing.T, h http.HandlerFunc) (url string, o *Options) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	return s.URL, &Options{Client: s.Client()}
}

// file serves the content with ranges and a version.
func file(tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "a.jsonl", time.Time{}, bytes.NewReader(content))
	}
}

// readAll returns the bytes of an object from the beginning.
func readAll(a *Object) ([]byte, error) {
	r, err := a.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func TestName(t *testing.T) {
	for address, want := range map[string]string{
		"https://user:key@host:1/a/b.eval?X-Amz-Signature=secret#x": "https://host:1/a/b.eval",
		"s3://bucket/a?b.jsonl": "s3://bucket/a?b.jsonl",
		"gs://bucket/a?b.jsonl": "gs://bucket/a?b.jsonl",
		"https://host":          "https://host",
		"runs/a?b.jsonl":        "runs/a?b.jsonl",
	} {
		if got := Name(address); got != want {
			t.Errorf("%s: got %s; want %s", address, got, want)
		}
	}
}

// TestHTTP checks what servers do. See docs/spec/dumps.md#r25.
func TestHTTP(t *testing.T) {
	var calls atomic.Int64
	for _, c := range []struct {
		name   string
		h      http.HandlerFunc
		random bool
		err    string // part of the message; "" for the content
	}{
		{"ranges", file(`"v1"`), true, ""},
		{"a weak version", file(`W/"v1"`), true, ""},
		{"no ranges", func(w http.ResponseWriter, r *http.Request) { w.Write(content) }, false, ""},
		{"busy at first", func(w http.ResponseWriter, r *http.Request) {
			if calls.Add(1)%2 == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			file(`"v1"`)(w, r)
		}, true, ""},
		{"changed", func(w http.ResponseWriter, r *http.Request) { file(fmt.Sprintf(`"v%d"`, calls.Add(1)))(w, r) }, true, "has changed"},
		{"changed, without If-Match", func(w http.ResponseWriter, r *http.Request) { file(fmt.Sprintf(`W/"v%d"`, calls.Add(1)))(w, r) }, true, "has changed"},
		{"breaks off", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "bytes=0-0" && calls.Add(1)%2 == 1 {
				w.Header().Set("ETag", `"v1"`)
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(content)-1, len(content)))
				w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				w.WriteHeader(http.StatusPartialContent)
				w.Write(content[:1000])
				panic(http.ErrAbortHandler)
			}
			file(`"v1"`)(w, r)
		}, true, ""},
		{"not there", http.NotFound, false, "404 Not Found"},
		{"expired", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }, false, "has it expired?"},
		{"round in circles", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) }, false, "more than five times"},
		{"to http", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.org/x", http.StatusFound)
		}, false, "not https"},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls.Store(0)
			url, o := serve(t, c.h)
			a, err := o.Find(t.Context(), url+"/a.jsonl?sig=secret")
			var got []byte
			if err == nil {
				if a.Random() != c.random || c.random && a.Size != int64(len(content)) || a.Name != url+"/a.jsonl" || o.Known(a.Name) != a {
					t.Errorf("got %+v; want random %v", a, c.random)
				}
				got, err = readAll(a)
			}
			switch {
			case err != nil && strings.Contains(err.Error(), "secret"):
				t.Errorf("the query stands in %q", err)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("got %v; want %q", err, c.err)
			case c.err == "" && (err != nil || !bytes.Equal(got, content)):
				t.Errorf("got %d bytes, %v; want all", len(got), err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	o := new(Options)
	for address, want := range map[string]string{
		"http://example.org/a.jsonl":     "want https://",
		"s3://":                          "names no bucket",
		"gs:///a.jsonl":                  "names no bucket; want gs://BUCKET/KEY",
		"https://127.0.0.1:1/a?k=secret": "refused",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := o.Find(ctx, address)
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "deadline") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v; want %q", address, err, want)
		}
	}
	url, o := serve(t, file(`"v1"`))
	_, first := o.Find(t.Context(), url+"/a?x=1")
	if _, err := o.Find(t.Context(), url+"/a?x=2"); first != nil || err == nil || !strings.Contains(err.Error(), "differ in their queries") {
		t.Errorf("got %v, %v; want an error for the second", first, err)
	}
	if _, err := o.Find(t.Context(), url+"/a?x=1"); err == nil || err.Error() != "cannot open "+url+"/a: it is named twice" {
		t.Errorf("the same address again: got %v; want that it is named twice", err)
	}
}

// TestStore reads objects of an S3-compatible store.
func TestStore(t *testing.T) {
	backend := s3mem.New()
	server := httptest.NewServer(gofakes3.New(backend).Server())
	defer server.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	if err := backend.CreateBucket("runs"); err != nil {
		t.Fatal(err)
	}
	put := func(key string, b []byte) {
		t.Helper()
		if _, err := backend.PutObject("runs", key, map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}, bytes.NewReader(b), int64(len(b)), nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"a/1.jsonl", "a/2.jsonl", "a/b/3.eval", "c.jsonl"} {
		put(key, content)
	}
	o := &Options{Endpoint: server.URL, Region: "us-east-1"}
	for address, want := range map[string]string{
		"s3://runs/c.jsonl":    "c.jsonl",
		"s3://runs/a/":         "a/1.jsonl a/2.jsonl a/b/3.eval",
		"s3://runs/a/*.jsonl":  "a/1.jsonl a/2.jsonl",
		"s3://runs/**/*.jsonl": "a/1.jsonl a/2.jsonl c.jsonl",
	} {
		list, err := o.Expand(t.Context(), address)
		if got := strings.ReplaceAll(strings.Join(list, " "), "s3://runs/", ""); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", address, got, err, want)
		}
	}
	if _, err := o.Expand(t.Context(), "s3://runs/x/"); err == nil || !strings.Contains(err.Error(), "no object") {
		t.Errorf("got %v; want an error", err)
	}
	if _, err := o.Find(t.Context(), "s3://runs/none.jsonl"); err == nil {
		t.Error("got an object that is not there")
	}
	a, err := o.Find(t.Context(), "s3://runs/c.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	got, err := readAll(a)
	if err != nil || !bytes.Equal(got, content) || a.Tag == "" {
		t.Errorf("got %d bytes of %q, %v; want all", len(got), a.Tag, err)
	}
	defer func() {
		put("c.jsonl", bytes.Repeat([]byte("x"), len(content)))
		if _, err := readAll(a); err == nil || !strings.Contains(err.Error(), "has changed") {
			t.Errorf("another object at that place: got %v; want an error", err)
		}
	}()
	part := make([]byte, 10)
	if n, err := a.ReadAt(part, int64(len(content))-4); n != 4 || err != io.EOF {
		t.Errorf("at the end: got %d bytes, %v; want 4 and the end", n, err)
	}
}

// TestGoogle reads objects at gs:// addresses, from a server in place of Google's that takes one key. The
// keys of Amazon must not be sent to it.
func TestGoogle(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("runs"); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a/1.jsonl", "a/2.eval", "c.jsonl"} {
		if _, err := backend.PutObject("runs", key, map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}, bytes.NewReader(content), int64(len(content)), nil); err != nil {
			t.Fatal(err)
		}
	}
	next := gofakes3.New(backend, gofakes3.WithHostBucketBase(google)).Server()
	whole := false // ranges are ignored
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		if strings.Contains(auth, "amazon") || r.Header.Get("X-Amz-Security-Token") != "" {
			t.Errorf("got %q; want no key of Amazon", auth)
		}
		if !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 Credential=GOOG1/") || !strings.Contains(auth, "/auto/s3/aws4_request,") {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		if r.Header.Get("Accept-Encoding") != "gzip" && !r.URL.Query().Has("list-type") {
			t.Errorf("%s %s: the object may be unpacked on the way", r.Method, r.URL)
		}
		if whole {
			r.Header.Del("Range")
		}
		next.ServeHTTP(w, r)
	}))
	defer server.Close()
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.ServerName = "example.com" // of the server's certificate
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host := strings.TrimPrefix(addr, "runs."); host != google+":443" {
			return nil, fmt.Errorf("got a connection to %s; want one to Google", addr)
		}
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "amazon")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "amazon")
	t.Setenv("AWS_SESSION_TOKEN", "amazon")
	o := &Options{Client: &http.Client{Transport: transport}, Endpoint: "https://127.0.0.1:1"} // of s3:// alone
	if _, err := o.Find(t.Context(), "gs://runs/c.jsonl"); err == nil || !strings.Contains(err.Error(), "cannot open gs://runs/c.jsonl: the store answers access denied; want keys in GS_ACCESS_KEY_ID") {
		t.Errorf("without keys: got %v; want the variables of keys", err)
	}
	t.Setenv("GS_ACCESS_KEY_ID", "GOOG1")
	t.Setenv("GS_SECRET_ACCESS_KEY", "secret")
	for address, want := range map[string]string{
		"gs://runs/a/":         "gs://runs/a/1.jsonl gs://runs/a/2.eval",
		"gs://runs/**/*.jsonl": "gs://runs/a/1.jsonl gs://runs/c.jsonl",
		"gs://runs/c.jsonl":    "gs://runs/c.jsonl",
	} {
		if list, err := o.Expand(t.Context(), address); err != nil || strings.Join(list, " ") != want {
			t.Errorf("%s: got %s, %v; want %s", address, list, err, want)
		}
	}
	a, err := o.Find(t.Context(), "gs://runs/c.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readAll(a); err != nil || !bytes.Equal(got, content) || a.Name != "gs://runs/c.jsonl" {
		t.Errorf("%s: got %d bytes, %v; want all", a.Name, len(got), err)
	}
	part := make([]byte, 5)
	if n, err := a.ReadAt(part, 20); err != nil || n != 5 || string(part) != "45678" {
		t.Errorf("from 20: got %q, %v; want 45678", part[:n], err)
	}
	whole = true
	if _, err := a.ReadAt(part, 20); err == nil || !strings.Contains(err.Error(), "want one from byte 20 on") {
		t.Errorf("without ranges: got %q, %v; want an error", part, err)
	}
}
