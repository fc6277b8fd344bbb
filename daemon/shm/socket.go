package shm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"plumb/daemon/conns"
)

// The bounds of the socket.
const (
	maxPacket = 4 << 10 // bytes of one message
	maxFDs    = 8       // descriptors that are read, and closed, per message
	sendTime  = 5 * time.Second
)

// MemfdKey is what Status shows as the key of a region in a memfd, which has none of its own.
const MemfdKey = "memfd"

// message is one packet of a client (SOCK_SEQPACKET): exactly one member. A
// register carries one descriptor (SCM_RIGHTS).
type message struct {
	Register *struct {
		Name     string `json:"name"`
		Offset   int64  `json:"offset"`
		ByteSize int64  `json:"byte_size"`
	} `json:"register"`
	Unregister *struct {
		Name string `json:"name"`
	} `json:"unregister"`
}

// reply is one packet of the daemon.
type reply struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
	Type  string `json:"error_type,omitempty"`
}

// Serve accepts connections until the listener or the registry is closed, which closes open
// connections too, and returns when all have ended. The regions that are registered over a
// connection end with it, also when its client dies.
func (registry *Registry) Serve(listener net.Listener) error {
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	var running sync.WaitGroup
	defer running.Wait()
	ended := make(chan struct{})
	defer close(ended)
	// Close everything when the registry is closed, or when Serve returns.
	running.Go(func() {
		select {
		case <-registry.done:
		case <-ended:
		}
		listener.Close()
		mu.Lock()
		defer mu.Unlock()
		for c := range open {
			c.Close()
		}
	})
	// At most as many connections as regions: one without a region may be closed for a new one.
	bounded := conns.New(conns.Config{Max: registry.cfg.Regions, Log: registry.cfg.Log}).Listen(listener)
	for {
		conn, err := bounded.Accept()
		if err != nil {
			select {
			case <-registry.done:
				return nil
			default:
			}
			return fmt.Errorf("cannot accept on the shared-memory socket: %w", err)
		}
		mu.Lock()
		open[conn] = true
		mu.Unlock()
		running.Go(func() {
			defer func() {
				mu.Lock()
				delete(open, conn)
				mu.Unlock()
			}()
			registry.serveClient(conn)
		})
	}
}

// serveClient answers the messages of one client until its connection ends, and then
// unregisters the client's regions. It takes the client's user and process from the kernel.
func (registry *Registry) serveClient(conn net.Conn) {
	defer conn.Close()
	countedConn := conns.Of(conn)
	unixConn, ok := countedConn.NetConn().(*net.UnixConn)
	if !ok {
		return
	}
	peer, err := Credentials(unixConn)
	if err != nil {
		return
	}
	defer registry.unregister(func(r *region) bool { return r.conn == conn })
	const fdSize = 4
	buf := make([]byte, maxPacket+1) // one byte more than a packet may have, to notice one that is too long
	control := make([]byte, unix.CmsgSpace(fdSize*maxFDs))
	for {
		n, controlSize, flags, _, err := unixConn.ReadMsgUnix(buf, control)
		fds := descriptors(control[:controlSize])
		if err != nil || n == 0 {
			closeAll(fds)
			return
		}
		var fault error
		if n > maxPacket || flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0 {
			closeAll(fds)
			fault = wrong("bad_message", "cannot read message: want at most %d bytes and one descriptor", maxPacket)
		} else {
			fault = registry.execute(buf[:n], fds, conn, peer)
		}
		if fault == nil {
			countedConn.Busy(true) // it may hold a region now, so it is not closed to make room for a new connection
		}
		if !sendReply(unixConn, fault) {
			return
		}
	}
}

// execute does what a client's packet asks: it registers or unregisters a region of shared memory. fds are
// the descriptors that came with the packet. execute owns them, and closes those that no region holds in the
// end. The error goes to the client.
func (registry *Registry) execute(packet []byte, fds []int, conn net.Conn, peer Peer) error {
	var m message
	want := `want {"register":{"name","offset","byte_size"}} with one descriptor, or {"unregister":{"name"}}`
	switch err := json.Unmarshal(packet, &m); {
	case err != nil, (m.Register == nil) == (m.Unregister == nil):
		closeAll(fds)
		return wrong("bad_message", "cannot read message: %s", want)
	case m.Unregister != nil:
		closeAll(fds)
		return registry.Unregister(m.Unregister.Name, peer)
	case len(fds) != 1:
		closeAll(fds)
		return wrong("bad_message", "cannot register region %.130q: got %d descriptors; want one", m.Register.Name,
			len(fds))
	}
	r := &region{name: m.Register.Name, key: MemfdKey, offset: m.Register.Offset, size: m.Register.ByteSize,
		client: fmt.Sprintf("process %d of user %d", peer.PID, peer.UID), owner: peer, conn: conn}
	if err := checkName(r.name); err != nil {
		closeAll(fds)
		return err
	}
	adopted := false
	err := registry.add(r, func(r *region) error {
		adopted = true // adopt owns the descriptor from here, also when it fails
		file, why := adopt(fds[0])
		if why != "" {
			return wrong(CodeKey, "cannot register region %q: its descriptor cannot be used: %s", r.name, why)
		}
		r.memory = file
		return nil
	})
	if !adopted { // add refused the region before it opened the memory
		closeAll(fds)
	}
	return err
}

// sendReply tells a client that its message was executed, or why not (fault), and reports whether
// the reply was sent.
func sendReply(c *net.UnixConn, fault error) bool {
	r := reply{OK: fault == nil}
	if fault != nil {
		r.Error, r.Type = fault.Error(), "internal"
		var e *Error
		if errors.As(fault, &e) {
			r.Type = e.Code
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("BUG: reply: %v", err))
	}
	c.SetWriteDeadline(time.Now().Add(sendTime))
	_, err = c.Write(data)
	return err == nil
}

// descriptors returns the file descriptors that a client has sent with a packet, from its control data.
// Other control data is skipped.
func descriptors(control []byte) (fds []int) {
	all, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil
	}
	for _, m := range all {
		if some, err := unix.ParseUnixRights(&m); err == nil {
			fds = append(fds, some...)
		}
	}
	return fds
}

// closeAll closes file descriptors that a client sent.
func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// Credentials returns the process at the other end of a Unix socket, from the kernel.
func Credentials(c *net.UnixConn) (Peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	var cred *unix.Ucred
	if e := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); e != nil {
		err = e
	}
	if err != nil {
		return Peer{}, fmt.Errorf("cannot read credentials: %w", err)
	}
	return Peer{UID: cred.Uid, PID: cred.Pid}, nil
}
