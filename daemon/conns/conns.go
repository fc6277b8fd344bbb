// Package conns limits how many network connections are open, and closes the longest idle
// one when a new one needs room. In: listeners. Out: listeners of the same kind, whose
// connections are counted. A connection is idle ("waiting") until its owner calls Busy,
// which marks a request in flight. When the limit is reached or descriptors run out, the
// connection that has been idle longest is closed for the new one, so that idle clients
// cannot lock out others. Where all connections are busy, the new one is refused. See
// docs/spec/http.md#r39.
package conns

import (
	"container/list"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// Config of a Set.
type Config struct {
	Max        int // connections open at once, above 0
	PerAddress int // of them from one address, 0 for no limit; IPv6 counts by networks of 64 bits
	// Refuse may write an answer to a new connection before it is closed because all
	// others are busy. perAddress is true where the limit is PerAddress. May be nil.
	Refuse func(c net.Conn, perAddress bool)
	Log    *slog.Logger // may be nil
}

// Stats are counts of a Set.
type Stats struct {
	Busy, Waiting int   // connections open now
	Closed        int64 // idle connections that were closed to make room
	Refused       int64 // new connections that were refused
	Failed        int64 // failed calls of accept, mostly for lack of descriptors
}

// Set is the connections of one or more listeners. It is safe for concurrent use.
type Set struct {
	cfg Config

	mu     sync.Mutex // guards the rest, and the state of connections
	groups map[netip.Prefix]*group
	open   int
	turn   uint64    // sequence number of the last connection that became idle
	stats  Stats     // without Busy and Waiting
	told   time.Time // of the last warning in the log
}

// group holds the open connections from one address. All connections over Unix
// sockets are one group.
type group struct {
	from    netip.Prefix
	open    int
	waiting [2]list.List // idle *Conn, longest first: unproved ones, then proved ones
}

// New returns an empty set.
func New(cfg Config) *Set {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Set{cfg: cfg, groups: map[netip.Prefix]*group{}}
}

// Stats returns the present counts.
func (s *Set) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	for _, g := range s.groups {
		st.Waiting += g.waiting[0].Len() + g.waiting[1].Len()
	}
	st.Busy = s.open - st.Waiting
	return st
}

// Conn is one connection of a Set.
type Conn struct {
	net.Conn
	set    *Set
	group  *group
	at     *list.Element // place in group.waiting; nil while it is busy
	turn   uint64        // sequence number of the set when it became idle
	proved bool          // a request of it was authorized before
	closed bool
}

// Of returns the Conn that c is, or that the TLS connection c wraps, or nil.
func Of(c net.Conn) *Conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, _ := c.(*Conn)
	return own
}

// NetConn returns the connection that the system's listener accepted.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Busy marks a request in flight, so that the connection is not closed to make room.
// proved means that the request was authorized. Busy returns false where the
// connection is closed already, and true for a nil Conn.
func (c *Conn) Busy(proved bool) bool {
	if c == nil {
		return true
	}
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	c.unmarkIdle()
	c.proved = c.proved || proved
	return !c.closed
}

// Rest marks the connection as idle again. It does nothing for a nil Conn.
func (c *Conn) Rest() {
	if c == nil {
		return
	}
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	if c.unmarkIdle(); !c.closed {
		c.markIdle()
	}
}

// markIdle appends the connection to the idle ones of its client's address. The caller holds
// mu.
func (c *Conn) markIdle() {
	k := 0
	if c.proved {
		k = 1
	}
	c.set.turn++
	c.turn = c.set.turn
	c.at = c.group.waiting[k].PushBack(c)
}

// unmarkIdle removes the connection from the idle ones of its address. The caller holds mu.
func (c *Conn) unmarkIdle() {
	if c.at != nil {
		c.group.waiting[0].Remove(c.at) // does nothing for an element of the other list
		c.group.waiting[1].Remove(c.at)
		c.at = nil
	}
}

// Close implements net.Conn. A second call does nothing.
func (c *Conn) Close() error {
	c.set.mu.Lock()
	first := c.remove()
	c.set.mu.Unlock()
	if !first {
		return nil
	}
	return c.Conn.Close()
}

// remove takes the connection out of the counts of open ones. It returns false if that was
// done before. The caller holds mu.
func (c *Conn) remove() bool {
	if c.closed {
		return false
	}
	c.unmarkIdle()
	c.closed = true
	c.set.open--
	c.group.open--
	if c.group.open == 0 {
		delete(c.set.groups, c.group.from)
	}
	return true
}

// CloseWrite half-closes the connection: it ends the sending side. The error is
// errors.ErrUnsupported where the connection cannot be half-closed.
func (c *Conn) CloseWrite() error {
	if h, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Network returns the network that identifies the client of an address: one IPv4
// address, or 64 bits of an IPv6 address, since one client may have any number of
// addresses in such a network. It is invalid for a Unix socket.
func Network(a net.Addr) netip.Prefix {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := t.AddrPort().Addr().Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.Prefix(bits)
	return p
}

// admit counts a new connection, and closes an idle one if a limit is reached. It returns
// nil if no connection is idle. perAddress is true if the limit was Config.PerAddress.
func (s *Set) admit(raw net.Conn) (conn *Conn, perAddress bool) {
	from := Network(raw.RemoteAddr())
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.groups[from]; g != nil && s.cfg.PerAddress > 0 && from.IsValid() && g.open >= s.cfg.PerAddress {
		if !s.closeIdle(g.longest()) {
			s.stats.Refused++
			return nil, true
		}
	}
	if s.open >= s.cfg.Max && !s.closeIdle(s.longest()) {
		s.stats.Refused++
		return nil, false
	}
	g := s.groups[from]
	if g == nil {
		g = &group{from: from}
		s.groups[from] = g
	}
	conn = &Conn{Conn: raw, set: s, group: g}
	s.open++
	g.open++
	conn.markIdle()
	return conn, false
}

// longest returns the connection of a group that has been idle longest, unproved ones
// first; nil where none is idle.
func (g *group) longest() *Conn {
	for k := range g.waiting {
		if e := g.waiting[k].Front(); e != nil {
			return e.Value.(*Conn)
		}
	}
	return nil
}

// longest returns the connection to close for a new one, or nil if none is idle: the longest
// idle one of the address with the most idle connections, so that a client that holds many
// loses them first. Connections without an authorized request go first. The caller holds mu.
func (s *Set) longest() *Conn {
	for k := range 2 {
		var found *Conn
		most := 0
		for _, g := range s.groups {
			n := g.waiting[k].Len()
			if n == 0 || n < most {
				continue
			}
			if c := g.waiting[k].Front().Value.(*Conn); n > most || c.turn < found.turn {
				most, found = n, c
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// closeIdle closes an idle connection to make room for another. It returns false for nil.
// The caller holds mu.
func (s *Set) closeIdle(c *Conn) bool {
	if c == nil {
		return false
	}
	c.remove()
	c.Conn.Close()
	s.stats.Closed++
	return true
}

// Listen returns a listener whose connections belong to the set.
func (s *Set) Listen(ln net.Listener) net.Listener { return &listener{ln, s} }

// listener accepts connections within the bounds of a Set.
type listener struct {
	net.Listener
	set *Set
}

// The back-off of Accept after a failure, at first and at most.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// Accept implements net.Listener. It retries transient failures, such as too many open
// files, with a back-off and never returns them. Connections for which there is no room are
// refused and closed.
func (l *listener) Accept() (net.Conn, error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		conn, err := l.Listener.Accept()
		if err != nil {
			if !transient(err) {
				return nil, err
			}
			if l.set.failed(err) {
				pause = firstPause
			}
			time.Sleep(pause)
			continue
		}
		own, perAddress := l.set.admit(conn)
		if own != nil {
			return own, nil
		}
		if l.set.cfg.Refuse != nil {
			l.set.cfg.Refuse(conn, perAddress)
		}
		conn.Close()
		pause = firstPause
	}
}

// failed counts a failure of accept, logs it at most once a second, and closes an idle
// connection to free its descriptor. It reports whether there was one.
func (s *Set) failed(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Failed++
	room := s.closeIdle(s.longest())
	if now := time.Now(); now.Sub(s.told) > time.Second {
		s.told = now
		s.cfg.Log.Warn("cannot accept a connection; trying again", "error", err, "open", s.open,
			"failures", s.stats.Failed, "closed-for-room", s.stats.Closed)
	}
	return room
}

// transient reports whether accept may succeed later: the system lacks a resource now, or
// the new connection is broken, but the listener works.
func transient(err error) bool {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
		syscall.ECONNABORTED, syscall.EPERM, syscall.EPROTO,
		syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTDOWN, syscall.EHOSTUNREACH, syscall.ENONET, syscall.ENOPROTOOPT} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
