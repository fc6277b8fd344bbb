package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// smuggle attacks a daemon behind a proxy: it hides a request in the body of another one, whose head says in
// two ways, which contradict each other, where the body ends. By one of them a proxy would take the hidden
// request for a part of the body and let it through unseen, and by the other the daemon would answer it. The
// daemon must refuse such a head, with one reply. It returns what was seen, and an error if it did not.
func smuggle(target *target) (string, error) {
	hidden := requestHead("GET", "/v1/suites", validToken)
	body := "0\r\n\r\n" + hidden
	ways := [][]string{
		{fmt.Sprint("Content-Length: ", len(body)), "Transfer-Encoding: chunked"},
		{"Transfer-Encoding: chunked", fmt.Sprint("Content-Length: ", len(body))},
		{"Transfer-Encoding: identity", fmt.Sprint("Content-Length: ", len(body))},
		{"Content-Length: 0", "Transfer-Encoding: chunked"},
	}
	taken := 0
	for _, headers := range ways {
		conn, err := target.dial()
		if err != nil {
			return "", err
		}
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(conn, requestHead("POST", "/v1/score", validToken, headers...)+body)
		replies, _ := io.ReadAll(conn)
		conn.Close()
		if !strings.HasPrefix(string(replies), "HTTP/1.1 400 ") || strings.Count(string(replies), "HTTP/1.1 ") != 1 {
			taken++
		}
	}
	seen := fmt.Sprintf("%d headers with two lengths, %d taken", len(ways), taken)
	if taken > 0 {
		return seen, fmt.Errorf("%d of %d such requests were not refused", taken, len(ways))
	}
	return seen, nil
}
