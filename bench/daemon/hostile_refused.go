package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"plumb/scoring/plural"
)

// refused checks that the daemon refuses requests at once, without waiting for their bodies. It sends
// requests without a valid token, or wrong in another way, that announce bodies and never send them.
// Each must get its error and lose its connection within refusalTime, which is far below
// --stream-idle and --read-timeout.
func refused(target *target) (string, error) {
	const each = 50
	announced := "Content-Length: 100000"
	kinds := []struct {
		request string
		want    int
	}{
		{requestHead("POST", "/v1/score/stream", noToken, announced), 401},
		{requestHead("POST", "/v1/score/stream", noToken, "Transfer-Encoding: chunked"), 401},
		{requestHead("POST", "/v1/score", noToken, announced), 401},
		{requestHead("POST", "/v1/none/stream", validToken, announced), 404},
		{requestHead("PUT", "/v1/score/stream", validToken, announced), 405},
		{requestHead("POST", "/v1/score/stream?variant=none", validToken, announced), 400},
		{requestHead("POST", "/v1/score", validToken, announced, "Transfer-Encoding: chunked"), 400},
	}
	took := make([]time.Duration, each*len(kinds))
	faults := make([]error, len(took))
	var all sync.WaitGroup
	for i := range took {
		all.Go(func() {
			kind := kinds[i%len(kinds)]
			begin := time.Now()
			faults[i] = target.expectRefusal(kind.request, kind.want)
			took[i] = time.Since(begin)
		})
	}
	all.Wait()
	seen := fmt.Sprintf("%s refused, the slowest after %.2f s", plural.Of(len(took), "request"), slices.Max(took).Seconds())
	faults = slices.DeleteFunc(faults, func(err error) bool { return err == nil })
	if len(faults) > 0 {
		return seen, fmt.Errorf("%d of them were not refused so, such as: %w", len(faults), faults[0])
	}
	return seen, nil
}

// refusalTime is how long the daemon may take to refuse a request and to close its connection.
const refusalTime = 5 * time.Second

// expectRefusal sends the head of a request to the attacked daemon, but not the body that it announces. It returns
// an error unless the daemon answers with the status want and closes the connection within refusalTime.
func (target *target) expectRefusal(request string, want int) error {
	line, _, _ := strings.Cut(request, "\r")
	conn, err := target.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(refusalTime))
	io.WriteString(conn, request)
	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, nil)
	if err != nil {
		return fmt.Errorf("%s: no answer within %v: %w", line, refusalTime, err)
	}
	if resp.StatusCode != want {
		return fmt.Errorf("%s: got %d; want %d", line, resp.StatusCode, want)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	if _, err := reader.ReadByte(); err != io.EOF {
		return fmt.Errorf("%s: the connection stays open after the answer: %v", line, err)
	}
	return nil
}
