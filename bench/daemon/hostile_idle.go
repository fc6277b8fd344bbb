package main

import (
	"fmt"
	"net"
)

// idle attacks the daemon with idle connections: it opens more of them than the daemon may have file
// descriptors, without a token, and sends nothing. New clients, which have a token, must still be let in. It
// returns what was seen, and an error if one of these was not answered.
func idle(target *target) (string, error) {
	const connections, newClients = 1100, 50
	open := make([]net.Conn, 0, connections)
	defer func() {
		for _, conn := range open {
			conn.Close()
		}
	}()
	refused := 0
	for range connections {
		conn, err := target.dial()
		if err != nil {
			refused++
			continue
		}
		open = append(open, conn)
	}
	answered := 0
	for range newClients { // each asks once, on a connection of its own
		client := newClient(target.addr, 0)
		client.token = validToken
		if _, err := client.post("/v1/score", target.items[0].line); err == nil {
			answered++
		}
		client.http.CloseIdleConnections()
	}
	seen := fmt.Sprintf("%d connections, %d refused; then %d of %d new clients answered", connections, refused, answered, newClients)
	if answered < newClients {
		return seen, fmt.Errorf("%d of %d new clients were answered", answered, newClients)
	}
	return seen, nil
}
