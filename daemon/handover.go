package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"plumb/daemon/shm"
)

// A newer process takes the listening socket itself from an older one and not
// only its port: both accept from one queue, and when the older one leaves,
// nothing that waits in the queue is reset. They meet on a Unix socket with an
// abstract name, which no file is left of and which belongs to the same network
// name space as the port. Each makes sure that the other is of the same user.

// handTime is how long either side waits for the other.
// Giving up costs what waits in the older queue, so a machine with much else to do
// is waited for.
const handTime = 10 * time.Second

// meeting is the address where the owner of a TCP address passes its socket on.
func meeting(a *net.TCPAddr) *net.UnixAddr {
	host := "*"
	if len(a.IP) > 0 && !a.IP.IsUnspecified() {
		host = a.IP.String()
	}
	return &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("@plumb/%d/%s", os.Geteuid(), net.JoinHostPort(host, strconv.Itoa(a.Port)))}
}

// errNobody is the answer where no process has an address.
var errNobody = errors.New("nobody listens there")

// takeOver asks the process that listens on addr for its socket. Whatever goes
// wrong, the address can still be opened in the usual way.
func takeOver(addr string) (net.Listener, error) {
	want, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil || want.Port == 0 {
		return nil, errNobody
	}
	c, err := net.DialUnix("unix", nil, meeting(want))
	if err != nil {
		return nil, errNobody
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(handTime))
	if err := sameUser(c); err != nil {
		return nil, err
	}
	b, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := c.ReadMsgUnix(b, oob)
	if err != nil {
		return nil, fmt.Errorf("cannot take over the listening socket: %w", err)
	}
	ln, err := received(oob[:n])
	if err != nil {
		return nil, fmt.Errorf("cannot take over the listening socket: %w", err)
	}
	got, ok := ln.Addr().(*net.TCPAddr)
	if !ok || meeting(got).Name != meeting(want).Name {
		ln.Close()
		return nil, fmt.Errorf("cannot take over the listening socket: got one of %v; want %v", ln.Addr(), want)
	}
	if _, err := c.Write(b); err != nil { // the older one may now leave its queue to us
		ln.Close()
		return nil, fmt.Errorf("cannot take over the listening socket: %w", err)
	}
	return ln, nil
}

// received makes a listener of a control message.
func received(oob []byte) (net.Listener, error) {
	ms, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(ms) != 1 {
		return nil, fmt.Errorf("got %d control messages; want 1", len(ms))
	}
	fds, err := unix.ParseUnixRights(&ms[0])
	if err != nil || len(fds) != 1 {
		return nil, fmt.Errorf("got %d descriptors; want 1", len(fds))
	}
	unix.CloseOnExec(fds[0])
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close() // FileListener has a copy
	return net.FileListener(f)
}

// sameUser refuses a peer of another user, but for root.
func sameUser(c *net.UnixConn) error {
	peer, err := shm.Credentials(c)
	if err != nil {
		return err
	}
	if int(peer.UID) != os.Geteuid() && peer.UID != 0 {
		return fmt.Errorf("cannot hand over the listening socket: the peer is user %d; want %d", peer.UID, os.Geteuid())
	}
	return nil
}

// offer passes the socket f to newer processes until ctx ends. While an older one
// still offers, it waits for the name.
func offer(ctx context.Context, f *front, log *slog.Logger) {
	tcp, ok := f.Listener.(*net.TCPListener)
	if !ok {
		return
	}
	at := meeting(tcp.Addr().(*net.TCPAddr))
	for ctx.Err() == nil {
		ln, err := net.ListenUnix("unix", at)
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		stop := context.AfterFunc(ctx, func() { ln.Close() })
		for {
			c, err := ln.AcceptUnix()
			if err != nil {
				break
			}
			if err := give(c, tcp); err != nil {
				log.Warn("the listening socket was not handed over", "error", err)
			} else {
				f.shared.Store(true)
				log.Info("the listening socket is shared with a newer process")
			}
			c.Close()
		}
		stop()
		ln.Close()
	}
}

// give sends a socket and waits until it was taken.
func give(c *net.UnixConn, tcp *net.TCPListener) error {
	c.SetDeadline(time.Now().Add(handTime))
	if err := sameUser(c); err != nil {
		return err
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	// The descriptor itself is sent: a copy by File would switch the socket,
	// which both sides then have, to blocking.
	if e := raw.Control(func(fd uintptr) {
		_, _, err = c.WriteMsgUnix([]byte{1}, unix.UnixRights(int(fd)), nil)
	}); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}
