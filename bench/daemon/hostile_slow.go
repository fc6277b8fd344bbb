package main

import (
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// slow fills all connections that the daemon takes with clients that send their headers byte by
// byte, and connect again when they are cut off. They have no token. New clients with a token must
// still be let in.
func slow(target *target) (string, error) {
	const attackers = 600
	var opened atomic.Int64
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range attackers {
		all.Go(func() {
			for {
				c, err := target.dial()
				if err == nil {
					opened.Add(1)
					trickle(c, stop)
				}
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	time.Sleep(2 * time.Second)
	const fresh = 100
	answered, slowest := 0, time.Duration(0)
	for range fresh {
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
	seen := fmt.Sprintf("%d connections opened by %d clients; %d of %d new clients answered, the slowest after %.2f s", opened.Load(), attackers, answered, fresh, slowest.Seconds())
	if answered < fresh*95/100 { // one of a crowd from its own address may be cut off before it has asked, and asks again
		return seen, fmt.Errorf("%d of %d new clients were answered", answered, fresh)
	}
	return seen, nil
}

// trickle attacks with a slow client: it sends the header of a request byte by byte, one each 200 ms,
// until stop is closed or the daemon closes the connection.
func trickle(conn net.Conn, stop chan struct{}) {
	defer conn.Close()
	h := head("POST", "/v1/score/stream", "", "Content-Length: 100000")
	for i := range h {
		select {
		case <-stop:
			return
		case <-time.After(200 * time.Millisecond):
		}
		if _, err := io.WriteString(conn, h[i:i+1]); err != nil {
			return
		}
	}
}
