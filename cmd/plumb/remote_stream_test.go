package main

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// A new connection ends the goroutine that waits for lines to send on the old one.
func TestNewConnectionEndsOldSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := &remoteStream{ctx: t.Context(), path: "/", remote: &remote{http: &http.Client{Transport: noReply{}}, base: "http://localhost"}}
		stream.changed = sync.NewCond(&stream.mu)
		_, pipe := io.Pipe()
		old := &connection{cancel: func() {}, pipe: pipe}
		stream.conn = old
		ended := false
		go func() {
			stream.sendLines(old)
			ended = true
		}()
		synctest.Wait()
		if err := stream.connect(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !ended {
			t.Error("the goroutine of the old connection still waits; want it ended")
		}
		stream.End() // ends both
		stream.conn.cancel()
	})
}

// noReply is a transport on which no reply comes until the request is canceled.
type noReply struct{}

// RoundTrip waits until the request is canceled.
func (noReply) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}
