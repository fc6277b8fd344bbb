package api

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// refusedAtOnce demands one whole answer and the end of the connection while the
// body of the request is still awaited.
func refusedAtOnce(t *testing.T, s *served, request string, want int) {
	t.Helper()
	c := s.raw(t)
	io.WriteString(c, request)
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Errorf("%.90q: cannot read answer: %v", request, err)
		return
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want || !resp.Close || !strings.Contains(string(b), "error_type") {
		t.Errorf("%.90q: got %d, close %v, %s, %v; want %d and Connection: close", request, resp.StatusCode, resp.Close, b, err, want)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("%.90q: after the answer: got %v; want the end of the connection", request, err)
	}
}

// A request that is refused is answered at once, and its connection ends, however
// much of its body is still to come: without a token nobody holds a connection.
func TestRefusedAtOnce(t *testing.T) {
	patient := func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.ReadTimeout, c.StreamIdle, c.Tokens = time.Hour, time.Hour, oneToken("secret")
	}
	const auth = "Authorization: Bearer secret\r\n"
	s := serve(t, patient)
	for _, body := range []string{"Content-Length: 100000\r\n\r\n", "Content-Length: 100000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n{",
		"Content-Length: 100000\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n"} {
		for _, q := range []struct {
			line, header string
			want         int
		}{
			{"POST /v1/score/stream", "", 401},
			{"POST /v1/score", "", 401},
			{"POST /v1/score", "Authorization: Bearer other\r\n", 401},
			{"POST /get_reward?token=other", "", 401},
			{"POST /v1/nothing", auth, 404},
			{"POST http://x/v1/nothing/stream", auth, 404},
			{"PUT /v1/score/stream", auth, 405},
			{"DELETE /v1/score", auth, 405},
			{"POST /health", "", 405},
			{"POST /v1/score/stream?variant=none-of-them", auth, 400},
			{"POST /v1/score/stream?token=secret&reward=much", "", 400},
		} {
			refusedAtOnce(t, s, q.line+" HTTP/1.1\r\nHost: x\r\n"+q.header+body, q.want)
		}
	}
}

// A stream that finds the queue full is told so before it is read.
func TestBusyStreamAtOnce(t *testing.T) {
	block := make(chan struct{})
	s := serve(t, func(c *Config, q *queue.Config, suite *queuetest.Suite) {
		c.ReadTimeout, c.StreamIdle, q.MaxRequests, suite.Block = time.Hour, time.Hour, 1, block
	})
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.do(t, "POST", "/v1/score", `{"test":"sum","do":"block"}`)
	}()
	for s.queue.Depth() < 1 {
		time.Sleep(time.Millisecond)
	}
	refusedAtOnce(t, s, "POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 429)
	refusedAtOnce(t, s, "POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{", 429)
	close(block)
	<-over
}

// Two ways to say where the body ends are refused: a proxy may have followed the
// other one, and the rest of the body would be a request of its own.
func TestSmuggling(t *testing.T) {
	s := serve(t, nil)
	hidden := "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
	chunked := "0\r\n\r\n" + hidden
	for _, h := range []string{
		fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n", len(chunked)),
		fmt.Sprintf("Transfer-Encoding: chunked\r\nContent-Length: %d\r\n", len(chunked)),
		fmt.Sprintf("transfer-encoding: CHUNKED\r\ncontent-length: %d\r\n", len(chunked)),
		"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
		"Content-Length: 0\r\nTransfer-Encoding: identity\r\n",
		"Content-Length: 5\r\nTransfer-Encoding: identity\r\n",
		"Content-Length: 5\r\nTransfer-Encoding: gzip, chunked\r\n",
		"Content-Length: 5\r\nContent-Length: 6\r\n",
		"Transfer-Encoding: identity\r\n",
	} {
		for _, line := range []string{"POST /v1/score", "GET /health", "POST /v1/score/stream"} {
			refusedAtOnce(t, s, line+" HTTP/1.1\r\nHost: x\r\n"+h+"\r\n"+chunked, 400)
		}
	}
}

// A small body that is there is read away, and the connection goes on.
func TestConnectionSurvivesRefusal(t *testing.T) {
	s := serve(t, nil)
	c := s.raw(t)
	r := bufio.NewReader(c)
	for _, q := range []struct {
		request string
		want    int
	}{
		{"POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{", 400},
		{"GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404},
		{"POST /v1/nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 404},
		{"POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{\"test\":\"sum\"}", 200},
	} {
		io.WriteString(c, q.request)
		if status, body := readAnswer(t, r); status != q.want {
			t.Fatalf("%.40q: got %d %s; want %d", q.request, status, body, q.want)
		}
	}
}

// The size of a header has a flag, and its error names it.
func TestHeaderSize(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxHeader = 4096 })
	c := s.raw(t)
	io.WriteString(c, "GET /v2 HTTP/1.1\r\nHost: x\r\nX-Long: "+strings.Repeat("x", 8000)+"\r\n\r\n")
	if status, body := readAnswer(t, bufio.NewReader(c)); status != 431 || !strings.Contains(body, "4096 bytes (--max-header)") {
		t.Errorf("got %d %s; want 431 and the flag", status, body)
	}
}
