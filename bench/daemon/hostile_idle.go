package main

import (
	"fmt"
	"net"
)

// idle is a hostile client that opens far more connections than the daemon may have descriptors and
// sends nothing over them. It has no token. New clients must still be let in.
func idle(target *target) (string, error) {
	const n = 1100
	open := make([]net.Conn, 0, n)
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	refused := 0
	for range n {
		conn, err := target.dial()
		if err != nil {
			refused++
			continue
		}
		open = append(open, conn)
	}
	fresh := 0
	for range 50 { // each asks once, on a connection of its own
		client := newClient(target.addr, 0)
		client.token = validToken
		if _, err := client.post("/v1/score", target.items[0].line); err == nil {
			fresh++
		}
		client.http.CloseIdleConnections()
	}
	seen := fmt.Sprintf("%d connections, %d refused; then %d of 50 new clients answered", n, refused, fresh)
	if fresh < 50 {
		return seen, fmt.Errorf("%d of 50 new clients were answered", fresh)
	}
	return seen, nil
}
