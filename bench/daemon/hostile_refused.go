package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// refused sends requests without a valid token, or wrong in another way, which announce bodies and
// never send them. Each must get an error and lose its connection, long before --stream-idle and
// --read-timeout.
func refused(t *target) (string, error) {
	const each = 50
	announced := "Content-Length: 100000"
	kinds := []struct {
		request string
		want    int
	}{
		{head("POST", "/v1/score/stream", "", announced), 401},
		{head("POST", "/v1/score/stream", "", "Transfer-Encoding: chunked"), 401},
		{head("POST", "/v1/score", "", announced), 401},
		{head("POST", "/v1/none/stream", hostileToken, announced), 404},
		{head("PUT", "/v1/score/stream", hostileToken, announced), 405},
		{head("POST", "/v1/score/stream?variant=none", hostileToken, announced), 400},
		{head("POST", "/v1/score", hostileToken, announced, "Transfer-Encoding: chunked"), 400},
	}
	took := make([]time.Duration, each*len(kinds))
	faults := make([]error, len(took))
	var all sync.WaitGroup
	for i := range took {
		all.Go(func() {
			k := kinds[i%len(kinds)]
			begin := time.Now()
			faults[i] = t.ended(k.request, k.want)
			took[i] = time.Since(begin)
		})
	}
	all.Wait()
	fault := errors.Join(faults...)
	seen := fmt.Sprintf("%d requests refused, the slowest after %.2f s", len(took), slices.Max(took).Seconds())
	if fault != nil {
		first, _, _ := strings.Cut(fault.Error(), "\n")
		return seen, fmt.Errorf("%d of them otherwise, such as: %s", strings.Count(fault.Error(), "\n")+1, first)
	}
	return seen, nil
}

// ended sends a request to the attacked daemon and waits for its answer and the end of the
// connection.
func (t *target) ended(request string, want int) error {
	line, _, _ := strings.Cut(request, "\r")
	c, err := t.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	io.WriteString(c, request)
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return fmt.Errorf("%s: no answer within 5 s: %w", line, err)
	}
	if resp.StatusCode != want {
		return fmt.Errorf("%s: got %d; want %d", line, resp.StatusCode, want)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return fmt.Errorf("%s: the connection stays open after the answer: %v", line, err)
	}
	return nil
}
