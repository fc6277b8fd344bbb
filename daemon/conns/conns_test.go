package conns

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// fake hands out what a test gives it.
type fake struct {
	next []any // net.Conn or error
}

func (f *fake) Accept() (net.Conn, error) {
	if len(f.next) == 0 {
		return nil, io.EOF
	}
	v := f.next[0]
	f.next = f.next[1:]
	if err, ok := v.(error); ok {
		return nil, err
	}
	return v.(net.Conn), nil
}

func (f *fake) Close() error   { return nil }
func (f *fake) Addr() net.Addr { return &net.TCPAddr{} }

// client is a connection from an address that remembers whether it is open.
type client struct {
	net.Conn
	from net.Addr
	shut bool
}

func (c *client) RemoteAddr() net.Addr { return c.from }
func (c *client) Close() error         { c.shut = true; return nil }

func from(ip string) *client { return &client{from: &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}} }

// accepted lets a set take clients and returns their connections.
func accepted(t *testing.T, s *Set, clients ...*client) (list []*Conn) {
	t.Helper()
	for _, c := range clients {
		got, err := s.Listen(&fake{next: []any{c}}).Accept()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Of(got))
	}
	return list
}

// Failures of accept that pass are waited out, and the connection that waits
// longest gives its descriptor; others end the listener.
func TestAcceptGoesOn(t *testing.T) {
	s := New(Config{Max: 100})
	old := from("10.0.0.1")
	accepted(t, s, old)
	busy := accepted(t, s, from("10.0.0.1"))[0]
	busy.Busy(true)
	next := from("10.0.0.2")
	emfile := &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	ln := s.Listen(&fake{next: []any{emfile, syscall.ENFILE, syscall.ECONNABORTED, next}})
	c, err := ln.Accept()
	if err != nil || Of(c).NetConn() != net.Conn(next) {
		t.Fatalf("got %v, %v; want the next connection", c, err)
	}
	if !old.shut || busy.closed {
		t.Errorf("the waiting connection is closed: %v, the busy one: %v; want only the first", old.shut, busy.closed)
	}
	if _, err := ln.Accept(); err != io.EOF {
		t.Errorf("got %v; want the listener's own error", err)
	}
	if st := s.Stats(); st != (Stats{Busy: 1, Waiting: 1, Closed: 1, Failed: 3}) {
		t.Errorf("got %+v", st)
	}
}

// Room is made at the cost of the address from which most wait, and of those that
// were never let in before others.
func TestRoom(t *testing.T) {
	s := New(Config{Max: 5})
	known := accepted(t, s, from("10.0.0.1"), from("10.0.0.1"))
	for _, c := range known {
		c.Busy(true)
		c.Rest()
	}
	alone := from("10.0.0.2")
	crowd := []*client{from("2001:db8::1"), from("2001:db8::2")} // one network
	accepted(t, s, alone, crowd[0], crowd[1])
	for i, want := range []*client{crowd[0], alone, crowd[1]} {
		c := accepted(t, s, from("10.0.0.3"))[0]
		c.Busy(true)
		if !want.shut {
			t.Errorf("connection %d: the wrong one was closed for it", i)
		}
	}
	for i := range known {
		accepted(t, s, from("10.0.0.4"))[0].Busy(true)
		if !known[i].closed || known[i].Busy(true) {
			t.Errorf("known client %d: still open; want the one that waited longest closed", i)
		}
	}
	refused := from("10.0.0.5")
	if _, err := s.Listen(&fake{next: []any{refused}}).Accept(); err != io.EOF || !refused.shut {
		t.Errorf("got %v; want no room while all are busy", err)
	}
	if st := s.Stats(); st != (Stats{Busy: 5, Closed: 5, Refused: 1}) {
		t.Errorf("got %+v", st)
	}
}

// One address has a limit of its own; Unix sockets have none.
func TestPerAddress(t *testing.T) {
	var flags []bool
	s := New(Config{Max: 100, PerAddress: 2, Refuse: func(_ net.Conn, perAddress bool) { flags = append(flags, perAddress) }})
	a := accepted(t, s, from("10.0.0.1"), from("10.0.0.1"))
	a[0].Busy(true)
	third := accepted(t, s, from("10.0.0.1"))[0]
	if !a[1].closed || a[0].closed {
		t.Error("want the waiting connection of the address closed")
	}
	third.Busy(false)
	if _, err := s.Listen(&fake{next: []any{from("10.0.0.1")}}).Accept(); err != io.EOF || len(flags) != 1 || !flags[0] {
		t.Errorf("got %v, %v; want one refusal for the address", err, flags)
	}
	accepted(t, s, from("10.0.0.2"))
	for range 5 {
		accepted(t, s, &client{from: &net.UnixAddr{}})
	}
	third.Close()
	third.Close()
	accepted(t, s, from("10.0.0.1"))
	if st := s.Stats(); st.Busy+st.Waiting != 8 {
		t.Errorf("got %+v; want 8 open", st)
	}
}

// The connection is found in the TLS connection around it, and a stranger's is
// always let go on.
func TestOf(t *testing.T) {
	s := New(Config{Max: 1})
	c := accepted(t, s, from("10.0.0.1"))[0]
	if Of(tls.Server(c, nil)) != c || Of(c) != c || Of(&net.TCPConn{}) != nil {
		t.Error("the wrong connection was found")
	}
	if !Of(&net.TCPConn{}).Busy(true) {
		t.Error("a connection of no set was not let go on")
	}
	if err := c.CloseWrite(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}
