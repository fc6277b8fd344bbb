package api

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

func TestTokensRefuse(t *testing.T) {
	const secret = "hidden-secret-value"
	for _, c := range []struct{ file, want string }{
		{"", "there are none"},
		{"# nothing\n\n", "there are none"},
		{"a:" + secret + ":1:2:3", "line 1: got 5 fields"},
		{"\na:", "line 2: want a token"},
		{":" + secret, "want a name"},
		{"a:" + secret + "\na:other", "line 2: name is that of line 1"},
		{"a:" + secret + "\nb:" + secret, "line 2: token is that of line 1"},
		{"a:" + secret + ":fast", "third field"},
		{"a:" + secret + ":NaN", "third field"},
		{"a:" + secret + ":-1", "third field"},
		{"a:" + secret + ":1:many", "fourth field"},
		{"a:" + secret + ":1:-1", "fourth field"},
		{"a:" + secret + " with a space", "without spaces"},
		{"a:\xff" + secret, "printable"},
		{strings.Repeat("x", 1<<21), "token too long"},
	} {
		_, err := NewTokens(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%.40q: got %v; want %q and no secret", c.file, err, c.want)
		}
	}
	ok, err := NewTokens(strings.NewReader("# who: what\nplain\n b:two \nc:three:0.5\nd:four::7\n"))
	if err != nil || ok.Len() != 4 {
		t.Fatalf("got %v, %d tokens; want 4", err, ok.Len())
	}
	if k := ok.find("four"); k == nil || k.name != "d" || k.limit != 7 || k.rate != 0 {
		t.Errorf("got %+v; want d with 7 at once", k)
	}
	for _, wrong := range []string{"", "b:two", "tw", "twoo", "plain "} {
		if k := ok.find(wrong); k != nil {
			t.Errorf("%q: got token %s; want none", wrong, k.name)
		}
	}
}

// A rate lets a second's worth through at once and then one at a time, and says
// how long to wait.
func TestTokenRate(t *testing.T) {
	now := time.Unix(1000, 0)
	k := &token{rate: 4, now: func() time.Time { return now }}
	for i := range 4 {
		if _, limit := k.beginRequest(); limit != "" {
			t.Fatalf("request %d of the burst: got %s", i, limit)
		}
	}
	if wait, limit := k.beginRequest(); limit == "" || wait != 250*time.Millisecond {
		t.Errorf("got %v, %q; want 250 ms", wait, limit)
	}
	now = now.Add(250 * time.Millisecond)
	if _, limit := k.beginRequest(); limit != "" {
		t.Errorf("after the wait: got %s", limit)
	}
	now = now.Add(time.Hour) // credit does not pile up
	for range 4 {
		k.beginRequest()
	}
	if _, limit := k.beginRequest(); limit == "" {
		t.Error("an hour of silence bought more than a burst")
	}
	slow := &token{rate: 0.1, now: func() time.Time { return now }}
	slow.beginRequest()
	if wait, limit := slow.beginRequest(); limit == "" || wait != 10*time.Second {
		t.Errorf("got %v, %q; want 10 s", wait, limit)
	}
}

// Each token has its own bound on requests under way; streams count until they end.
func TestTokenConcurrency(t *testing.T) {
	block := make(chan struct{})
	tokens, err := NewTokens(strings.NewReader("one:first::1\ntwo:second\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(c *Config, _ *queue.Config, suite *queuetest.Suite) { c.Tokens, suite.Block = tokens, block })
	answered := make(chan int)
	go func() {
		req, _ := http.NewRequest("POST", s.url("/v1/score?token=first"), strings.NewReader(`{"test":"sum","do":"block"}`))
		resp, err := s.client.Do(req)
		if err != nil {
			answered <- 0
			return
		}
		resp.Body.Close()
		answered <- resp.StatusCode
	}()
	for s.queue.Depth() == 0 {
		runtime.Gosched()
	}
	const body = `{"test":"sum"}`
	if status, h, text := s.do(t, "POST", "/v1/score", body, "Authorization", "Bearer first"); status != 429 || h.Get("Retry-After") != "1" || !strings.Contains(text, "at most 1") {
		t.Errorf("got %d %s, Retry-After %q; want 429 in 1 s", status, text, h.Get("Retry-After"))
	}
	if status, _, text := s.do(t, "POST", "/v1/score", body, "Authorization", "Bearer second"); status != 200 {
		t.Errorf("another token: got %d %s; want 200", status, text)
	}
	close(block)
	if got := <-answered; got != 200 {
		t.Errorf("the first request got %d", got)
	}
	open, w := io.Pipe()
	req, _ := http.NewRequest("POST", s.url("/v1/score/stream?token=first"), open)
	stream, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, _ := s.do(t, "POST", "/v1/score", body, "Authorization", "Bearer first"); status != 429 {
		t.Errorf("beside a stream: got %d; want 429", status)
	}
	w.Close()
	io.Copy(io.Discard, stream.Body)
	stream.Body.Close()
	for s.Active() > 0 {
		runtime.Gosched()
	}
	if status, _, _ := s.do(t, "POST", "/v1/score", body, "Authorization", "Bearer first"); status != 200 {
		t.Errorf("after the stream: got %d; want 200", status)
	}
}

// Tokens are replaced while the daemon runs; a broken file changes nothing, and
// a reload is no way around a limit.
func TestTokensReplaced(t *testing.T) {
	tokens, err := NewTokens(strings.NewReader("a:first:0.001\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.Tokens = tokens })
	get := func(secret string) int {
		status, _, _ := s.do(t, "GET", "/v2", "", "Authorization", "Bearer "+secret)
		return status
	}
	if got := get("first"); got != 200 {
		t.Errorf("got %d; want 200", got)
	}
	if err := tokens.Replace(strings.NewReader("a:b:c:d:e")); err == nil {
		t.Error("a broken file was taken")
	}
	if err := tokens.Replace(strings.NewReader("a:first:0.001\nb:second")); err != nil {
		t.Fatal(err)
	}
	if first, second := get("first"), get("second"); first != 429 || second != 200 {
		t.Errorf("got %d and %d; want 429 and 200", first, second)
	}
	if err := tokens.Replace(strings.NewReader("b:third")); err != nil {
		t.Fatal(err)
	}
	if second, third := get("second"), get("third"); second != 401 || third != 200 {
		t.Errorf("got %d and %d; want 401 and 200", second, third)
	}
}

// Whatever a client does with a token, it stands neither in answers nor in the log.
func TestTokenIsNeverTold(t *testing.T) {
	const secret = "s3cret-value-of-a-token"
	tokens, err := NewTokens(strings.NewReader("who:" + secret + ":1000:1000"))
	if err != nil {
		t.Fatal(err)
	}
	var log lines
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.Tokens = tokens
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	packed := base64.StdEncoding.EncodeToString([]byte("user:" + secret))
	var all strings.Builder
	for _, q := range []string{
		"POST /v1/score?token=" + secret + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{",
		"POST /v1/score?token=" + secret + " HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
		"GET /" + secret + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + secret + "\r\n\r\n",
		"BREW" + secret + " /v1/score HTTP/1.1\r\nHost: x\r\nAuthorization: Basic " + packed + "\r\n\r\n",
		"POST /v1/score HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + secret + strings.Repeat("x", 1<<16) + "\r\n\r\n",
		"POST /v1/score HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + secret + "\r\nbroken " + secret + "\r\n\r\n",
		"POST /v1/score/stream?token=" + secret + "&reward=x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
		"POST http://u:" + secret + "@x:bad/%zz?token=" + secret + " HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		c := s.raw(t)
		go io.WriteString(c, q)
		// One answer, or the end of a connection that is not worth one.
		if resp, err := http.ReadResponse(bufio.NewReader(io.TeeReader(c, &all)), nil); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%.60q: got no answer", q)
		}
		c.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{secret, packed} {
		if strings.Contains(all.String(), hidden) {
			t.Errorf("an answer holds the token:\n%s", all.String())
		}
		if strings.Contains(log.String(), hidden) {
			t.Errorf("the log holds the token:\n%s", log.String())
		}
	}
	if !strings.Contains(all.String(), "404") || !strings.Contains(all.String(), "405") {
		t.Errorf("got %s; want the requests answered", all.String())
	}
}
