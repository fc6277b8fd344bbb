package main

import (
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// slow attacks the daemon with slow clients, more than the connections that it takes: they send their headers
// byte by byte, and connect again when they are cut off. They have no token. New clients with a token must
// still be let in. It returns what was seen, and an error if too few of these were answered.
func slow(target *target) (string, error) {
	const attackers = 600
	var opened atomic.Int64
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range attackers {
		all.Go(func() {
			for {
				conn, err := target.dial()
				if err == nil {
					opened.Add(1)
					trickle(conn, stop)
				}
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	time.Sleep(2 * time.Second) // all connections are taken
	const newClients = 100
	answered, slowest := 0, time.Duration(0)
	for range newClients {
		begin := time.Now()
		client := newClient(target.addr, 10*time.Second)
		client.token = validToken
		if _, err := client.post("/v1/score", target.items[0].line); err == nil {
			answered++
		}
		slowest = max(slowest, time.Since(begin))
		client.http.CloseIdleConnections()
	}
	close(stop)
	all.Wait()
	seen := fmt.Sprintf("%d connections opened by %d clients; %d of %d new clients answered, the slowest after %.2f s", opened.Load(), attackers, answered, newClients, slowest.Seconds())
	// The attackers come from the same address, so a new client may be cut off with them before it has asked.
	// It would ask again, but here it asks once.
	const leastPercent = 95
	if answered < newClients*leastPercent/100 {
		return seen, fmt.Errorf("%d of %d new clients were answered", answered, newClients)
	}
	return seen, nil
}

// trickle is one slow client of an attack: it sends the head of a request byte by byte, one each 200 ms,
// until stop is closed or the daemon closes the connection.
func trickle(conn net.Conn, stop chan struct{}) {
	defer conn.Close()
	request := requestHead("POST", "/v1/score/stream", noToken, "Content-Length: 100000")
	for i := range request {
		select {
		case <-stop:
			return
		case <-time.After(200 * time.Millisecond):
		}
		if _, err := io.WriteString(conn, request[i:i+1]); err != nil {
			return
		}
	}
}
