// Package conns accepts network connections within bounds. In: listeners. Out:
// listeners of the same kind, whose connections are counted. A connection is
// waiting until its owner says that a request of it is being answered. When there
// is no room, or no descriptor, the connection that has waited longest is closed
// for the new one, so that nobody is kept out by clients that hold connections
// and ask for nothing. Where all of them are busy, the new one is refused.
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
	// Refuse may write an answer to a connection that is closed then, because all
	// are busy; perAddress says which of the limits it was. May be nil.
	Refuse func(c net.Conn, perAddress bool)
	Log    *slog.Logger // may be nil
}

// Stats are counts of a Set.
type Stats struct {
	Busy, Waiting int   // open now
	Closed        int64 // waiting ones that were closed to make room
	Refused       int64
	Failed        int64 // calls of accept that failed, mostly for want of descriptors
}

// Set is the connections of one or more listeners. It is safe for concurrent use.
type Set struct {
	cfg Config

	mu     sync.Mutex // guards the rest, and the state of connections
	groups map[netip.Prefix]*group
	open   int
	turn   uint64 // of the last connection that began to wait
	stats  Stats  // without Busy and Waiting
	told   time.Time
}

// group is what is open from one address. Connections over Unix sockets are one.
type group struct {
	from    netip.Prefix
	open    int
	waiting [2]list.List // *Conn, longest first: those that were never let in, and the others
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
	at     *list.Element // among those that wait; nil while it is busy
	turn   uint64        // when it began to wait, by the set's count
	proved bool          // it was let in before
	closed bool
}

// Of finds the connection of a Set in c or in the TLS connection around it; nil
// where there is none.
func Of(c net.Conn) *Conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, _ := c.(*Conn)
	return own
}

// NetConn is the connection as the system's listener gave it.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Busy says that a request of the connection is being answered: it is not closed
// to make room. proved says that the client was entitled to ask. It returns false
// where the connection was closed before. A nil Conn is always let go on.
func (c *Conn) Busy(proved bool) bool {
	if c == nil {
		return true
	}
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	c.leave()
	c.proved = c.proved || proved
	return !c.closed
}

// Rest says that the connection waits for its client again.
func (c *Conn) Rest() {
	if c == nil {
		return
	}
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	if c.leave(); !c.closed {
		c.wait()
	}
}

// wait puts the connection at the end of those that wait; the caller holds mu.
func (c *Conn) wait() {
	k := 0
	if c.proved {
		k = 1
	}
	c.set.turn++
	c.turn = c.set.turn
	c.at = c.group.waiting[k].PushBack(c)
}

// leave takes it out again; the caller holds mu.
func (c *Conn) leave() {
	if c.at != nil {
		c.group.waiting[0].Remove(c.at) // does nothing where it is in the other one
		c.group.waiting[1].Remove(c.at)
		c.at = nil
	}
}

// Close implements net.Conn; it may be called again.
func (c *Conn) Close() error {
	c.set.mu.Lock()
	first := c.remove()
	c.set.mu.Unlock()
	if !first {
		return nil
	}
	return c.Conn.Close()
}

// remove counts the connection out, once; the caller holds mu.
func (c *Conn) remove() bool {
	if c.closed {
		return false
	}
	c.leave()
	c.closed = true
	c.set.open--
	if c.group.open--; c.group.open == 0 {
		delete(c.set.groups, c.group.from)
	}
	return true
}

// CloseWrite ends the daemon's half of the connection, where there are halves.
func (c *Conn) CloseWrite() error {
	if h, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return errors.ErrUnsupported
}

// origin is the group of an address.
func origin(a net.Addr) netip.Prefix {
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

// admit counts a connection in, after it made room. It returns nil where there is
// none, and then perAddress says which limit it was.
func (s *Set) admit(raw net.Conn) (c *Conn, perAddress bool) {
	from := origin(raw.RemoteAddr())
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.groups[from]; g != nil && s.cfg.PerAddress > 0 && from.IsValid() && g.open >= s.cfg.PerAddress {
		if !s.drop(g.longest()) {
			s.stats.Refused++
			return nil, true
		}
	}
	if s.open >= s.cfg.Max && !s.drop(s.longest()) {
		s.stats.Refused++
		return nil, false
	}
	g := s.groups[from]
	if g == nil {
		g = &group{from: from}
		s.groups[from] = g
	}
	c = &Conn{Conn: raw, set: s, group: g}
	s.open++
	g.open++
	c.wait()
	return c, false
}

// longest is the connection of a group that has waited longest; those that were
// never let in come first. nil where none waits.
func (g *group) longest() *Conn {
	for k := range g.waiting {
		if e := g.waiting[k].Front(); e != nil {
			return e.Value.(*Conn)
		}
	}
	return nil
}

// longest is the one to close for another: of the address from which most wait,
// so that whoever holds many loses them first. The caller holds mu.
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

// drop closes a connection that waits; false for nil. The caller holds mu.
func (s *Set) drop(c *Conn) bool {
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

type listener struct {
	net.Listener
	set *Set
}

// How long accept waits after it failed, at first and at most.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// Accept implements net.Listener. Failures that pass, such as too many open
// files, are waited out and never returned.
func (l *listener) Accept() (net.Conn, error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		c, err := l.Listener.Accept()
		if err != nil {
			if !passing(err) {
				return nil, err
			}
			if l.set.failed(err) {
				pause = firstPause
			}
			time.Sleep(pause)
			continue
		}
		own, perAddress := l.set.admit(c)
		if own != nil {
			return own, nil
		}
		if l.set.cfg.Refuse != nil {
			l.set.cfg.Refuse(c, perAddress)
		}
		c.Close()
		pause = firstPause
	}
}

// failed counts a failure and closes a connection for its descriptor; it reports
// whether there was one to close.
func (s *Set) failed(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Failed++
	room := s.drop(s.longest())
	if now := time.Now(); now.Sub(s.told) > time.Second {
		s.told = now
		s.cfg.Log.Warn("cannot accept a connection; trying again", "error", err, "open", s.open, "failures", s.stats.Failed, "closed-for-room", s.stats.Closed)
	}
	return room
}

// passing reports whether an error of accept says nothing against the listener:
// the system lacks something now, or the new connection is broken.
func passing(err error) bool {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EPERM, syscall.EPROTO,
		syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTDOWN, syscall.EHOSTUNREACH, syscall.ENONET, syscall.ENOPROTOOPT} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
