// Package conns limits how many network connections are open, and closes an idle one when a new
// one needs room. In: listeners. Out: listeners of the same kind, whose
// connections are counted. A connection is idle ("waiting") until its owner, the
// HTTP server, calls Busy, which marks a request in flight. When the limit is reached or file
// descriptors run out, an idle connection is closed for the new one, so that idle clients cannot
// lock out others: one without an authorized request before others, then that of the address with
// the most idle ones that has been idle longest. Where all connections are busy, the new one is refused. See docs/spec/http.md#r39.
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
	Max int // connections open at once, above 0
	// PerAddress limits the connections from one address; 0 for no limit. IPv6 counts by networks of
	// 64 bits. Connections over Unix sockets have no address, and no such limit.
	PerAddress int
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

	mu          sync.Mutex // guards the rest, and the state of connections
	groups      map[netip.Prefix]*group
	open        int
	idleOrder   uint64    // sequence number of the last connection that became idle
	stats       Stats     // without Busy and Waiting
	lastWarning time.Time // of the last warning in the log
}

// group holds the open connections from one address. All connections over Unix
// sockets are one group.
type group struct {
	network netip.Prefix
	open    int
	idle    [2]list.List // idle *Conn, the longest idle one first; indexed by unauthorized and authorized
}

// The lists of idle connections of a group. Connections without an authorized request are closed first.
const (
	unauthorized = 0
	authorized   = 1
)

// New returns an empty set.
func New(cfg Config) *Set {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Set{cfg: cfg, groups: map[netip.Prefix]*group{}}
}

// Stats returns the numbers of connections: open ones, busy or waiting for their clients, and the
// counts of closed, refused and failed ones since the start.
func (set *Set) Stats() Stats {
	set.mu.Lock()
	defer set.mu.Unlock()
	stats := set.stats
	for _, g := range set.groups {
		stats.Waiting += g.idle[unauthorized].Len() + g.idle[authorized].Len()
	}
	stats.Busy = set.open - stats.Waiting
	return stats
}

// Conn is one connection of a Set.
type Conn struct {
	net.Conn
	set         *Set
	group       *group
	idleElement *list.Element // place in group.idle; nil while it is busy
	idleOrder   uint64        // sequence number of the set when it became idle
	authorized  bool          // a request of it was authorized before
	closed      bool
}

// Of returns the Conn that conn is, or that the TLS connection conn wraps, or nil.
func Of(conn net.Conn) *Conn {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	own, _ := conn.(*Conn)
	return own
}

// NetConn returns the connection that the system's listener accepted.
func (conn *Conn) NetConn() net.Conn { return conn.Conn }

// Busy marks the connection as busy with a request, so that it is not closed to make room.
// authorized says that the request was authorized. Busy returns false where the
// connection is closed already, and true for a nil Conn.
func (conn *Conn) Busy(authorized bool) bool {
	if conn == nil {
		return true
	}
	conn.set.mu.Lock()
	defer conn.set.mu.Unlock()
	conn.unmarkIdle()
	conn.authorized = conn.authorized || authorized
	return !conn.closed
}

// Rest marks the connection as idle again. It does nothing for a nil Conn.
func (conn *Conn) Rest() {
	if conn == nil {
		return
	}
	conn.set.mu.Lock()
	defer conn.set.mu.Unlock()
	if conn.unmarkIdle(); !conn.closed {
		conn.markIdle()
	}
}

// markIdle appends the connection to the idle ones of its client's address: to one of two lists, by
// whether a request of it was authorized before. Its idleOrder counts over the addresses, so that their
// longest idle connections can be compared. The caller holds the mutex of the set.
func (conn *Conn) markIdle() {
	list := &conn.group.idle[unauthorized]
	if conn.authorized {
		list = &conn.group.idle[authorized]
	}
	conn.set.idleOrder++
	conn.idleOrder = conn.set.idleOrder
	conn.idleElement = list.PushBack(conn)
}

// unmarkIdle removes the connection from the idle ones of its address. The caller holds mu.
func (conn *Conn) unmarkIdle() {
	if conn.idleElement != nil {
		conn.group.idle[unauthorized].Remove(conn.idleElement) // does nothing for an element of the other list
		conn.group.idle[authorized].Remove(conn.idleElement)
		conn.idleElement = nil
	}
}

// Close closes the connection and makes room for another one in the set. A second call does nothing.
// It implements net.Conn.
func (conn *Conn) Close() error {
	conn.set.mu.Lock()
	first := conn.remove()
	conn.set.mu.Unlock()
	if !first {
		return nil
	}
	return conn.Conn.Close()
}

// remove takes the connection out of the counts of open ones. It returns false if that was
// done before. The caller holds mu.
func (conn *Conn) remove() bool {
	if conn.closed {
		return false
	}
	conn.unmarkIdle()
	conn.closed = true
	conn.set.open--
	conn.group.open--
	if conn.group.open == 0 {
		delete(conn.set.groups, conn.group.network)
	}
	return true
}

// CloseWrite half-closes the connection: it ends the sending side. The error is
// errors.ErrUnsupported where the connection cannot be half-closed.
func (conn *Conn) CloseWrite() error {
	if h, ok := conn.Conn.(interface{ CloseWrite() error }); ok {
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
	const clientBits = 64 // of an IPv6 address, which a provider gives to one client
	ip := t.AddrPort().Addr().Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = clientBits
	}
	p, _ := ip.Prefix(bits)
	return p
}

// addNew counts a new connection, raw, and returns it as one of the set. It is idle at first. If a limit is
// reached, addNew closes an idle connection to make room, or returns nil if none is idle. perAddress says
// that the limit of one address was reached (Config.PerAddress), where only connections from that address
// are closed.
func (set *Set) addNew(raw net.Conn) (conn *Conn, perAddress bool) {
	from := Network(raw.RemoteAddr())
	set.mu.Lock()
	defer set.mu.Unlock()
	// Make room, among the connections of its address first.
	g := set.groups[from]
	hasLimit := set.cfg.PerAddress > 0 && from.IsValid() // not so for a Unix socket
	if hasLimit && g != nil && g.open >= set.cfg.PerAddress && !set.closeIdle(g.longestIdle()) {
		set.stats.Refused++
		return nil, true
	}
	if set.open >= set.cfg.Max && !set.closeIdle(set.longestIdle()) {
		set.stats.Refused++
		return nil, false
	}
	// Count it. The group is looked up again: if its last connection was closed to make room, it was removed.
	g = set.groups[from]
	if g == nil {
		g = &group{network: from}
		set.groups[from] = g
	}
	conn = &Conn{Conn: raw, set: set, group: g}
	set.open++
	g.open++
	conn.markIdle()
	return conn, false
}

// longestIdle returns the connection of a group that has been idle longest, unauthorized ones
// first; nil where none is idle.
func (group *group) longestIdle() *Conn {
	for authorization := range group.idle { // unauthorized, then authorized
		if longest := group.idle[authorization].Front(); longest != nil {
			return longest.Value.(*Conn)
		}
	}
	return nil
}

// longestIdle returns the connection to close for a new one, or nil if none is idle: the longest
// idle one of the address with the most idle connections, so that a client that holds many
// loses them first. Connections without an authorized request go first. The caller holds mu.
func (set *Set) longestIdle() *Conn {
	for _, authorization := range []int{unauthorized, authorized} {
		var found *Conn
		mostIdle := 0
		for _, group := range set.groups {
			idleCount := group.idle[authorization].Len()
			if idleCount == 0 {
				continue
			}
			// Of addresses with equally many, the one with the longest idle connection. found is set then.
			longest := group.idle[authorization].Front().Value.(*Conn)
			if idleCount > mostIdle || idleCount == mostIdle && longest.idleOrder < found.idleOrder {
				mostIdle, found = idleCount, longest
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
func (set *Set) closeIdle(conn *Conn) bool {
	if conn == nil {
		return false
	}
	conn.remove()
	conn.Conn.Close()
	set.stats.Closed++
	return true
}

// Listen returns a listener whose connections belong to the set.
func (set *Set) Listen(ln net.Listener) net.Listener { return &listener{ln, set} }

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
func (listener *listener) Accept() (net.Conn, error) {
	pause := firstPause
	for {
		conn, err := listener.Listener.Accept()
		if err != nil {
			if !transient(err) {
				return nil, err
			}
			if roomMade := listener.set.noteAcceptFailure(err); roomMade {
				pause = firstPause
			}
			// Also with room: if that does not help, idle connections must not be closed as fast as accept fails.
			time.Sleep(pause)
			pause = min(2*pause, lastPause)
			continue
		}
		own, perAddress := listener.set.addNew(conn)
		if own != nil {
			return own, nil
		}
		if listener.set.cfg.Refuse != nil {
			listener.set.cfg.Refuse(conn, perAddress)
		}
		conn.Close()
		pause = firstPause
	}
}

// noteAcceptFailure counts a failure of accept, logs it at most once a second, and closes an idle
// connection, because accept mostly fails for lack of descriptors. It reports whether there was an idle one.
func (set *Set) noteAcceptFailure(err error) bool {
	set.mu.Lock()
	defer set.mu.Unlock()
	set.stats.Failed++
	room := set.closeIdle(set.longestIdle())
	if now := time.Now(); now.Sub(set.lastWarning) > time.Second {
		set.lastWarning = now
		set.cfg.Log.Warn("cannot accept a connection; trying again", "error", err, "open", set.open,
			"failures", set.stats.Failed, "closed-for-room", set.stats.Closed)
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
