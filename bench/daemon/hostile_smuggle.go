package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// smuggle hides a request behind another one whose header gives two different ends of its body. A
// proxy in front of the daemon would take the hidden one for a part of the body.
func smuggle(target *target) (string, error) {
	hidden := head("GET", "/v1/suites", validToken)
	body := "0\r\n\r\n" + hidden
	ways := [][]string{
		{fmt.Sprint("Content-Length: ", len(body)), "Transfer-Encoding: chunked"},
		{"Transfer-Encoding: chunked", fmt.Sprint("Content-Length: ", len(body))},
		{"Transfer-Encoding: identity", fmt.Sprint("Content-Length: ", len(body))},
		{"Content-Length: 0", "Transfer-Encoding: chunked"},
	}
	let := 0
	for _, w := range ways {
		conn, err := target.dial()
		if err != nil {
			return "", err
		}
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(conn, head("POST", "/v1/score", validToken, w...)+body)
		b, _ := io.ReadAll(conn)
		conn.Close()
		if !strings.HasPrefix(string(b), "HTTP/1.1 400 ") || strings.Count(string(b), "HTTP/1.1 ") != 1 {
			let++
		}
	}
	seen := fmt.Sprintf("%d headers with two lengths, %d taken", len(ways), let)
	if let > 0 {
		return seen, fmt.Errorf("%d of %d such requests were not refused", let, len(ways))
	}
	return seen, nil
}
