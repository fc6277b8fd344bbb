package api

import (
	"net"
	"path/filepath"
	"testing"
)

// A connection that its client has closed looks closed. One with only the sending side closed looks so
// over TCP alone, where nothing tells it apart.
func TestClosed(t *testing.T) {
	type half interface{ CloseWrite() error }
	for _, c := range []struct {
		network, close string
		want           bool
	}{
		{"tcp", "nothing", false}, {"tcp", "sending side", true}, {"tcp", "all", true},
		{"unix", "nothing", false}, {"unix", "sending side", false}, {"unix", "all", true},
	} {
		address := "127.0.0.1:0"
		if c.network == "unix" {
			address = filepath.Join(t.TempDir(), "s")
		}
		listener, err := net.Listen(c.network, address)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		client, err := net.Dial(c.network, listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		server, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		if _, err := client.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		switch c.close {
		case "sending side":
			err = client.(half).CloseWrite()
		case "all":
			err = client.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.close != "nothing" { // read on until the end has arrived
			b := make([]byte, 2)
			for err == nil {
				_, err = server.Read(b)
			}
		}
		if got := closed(rawConn(server)); got != c.want {
			t.Errorf("%s, closed: %s: got %v; want %v", c.network, c.close, got, c.want)
		}
	}
}
