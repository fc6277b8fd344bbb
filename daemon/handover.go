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

// A newer process takes over the listening socket of an older one, so that both accept
// from one queue and no waiting connection is reset when the older one stops. They
// connect over a Unix socket with an abstract name, which leaves no file and is in the
// network namespace of the port. Each checks that the other has the same user.

// handoverTimeout is how long each side waits for the other. It is long, because giving up
// resets the connections that wait in the older process's queue.
const handoverTimeout = 10 * time.Second

// handoverAddress returns the Unix address at which the process that listens on the port a
// offers its listening socket. It depends on the user, the host and the port.
func handoverAddress(a *net.TCPAddr) *net.UnixAddr {
	host := "*"
	if len(a.IP) > 0 && !a.IP.IsUnspecified() {
		host = a.IP.String()
	}
	return &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("@plumb/%d/%s", os.Geteuid(),
		net.JoinHostPort(host, strconv.Itoa(a.Port)))}
}

// errNoListener is the error where no process listens on an address.
var errNoListener = errors.New("no process listens there")

// takeOver gets the listening socket of the process that listens on addr, and confirms that
// it has it. It returns errNoListener if there is no such process. After an error the caller
// can still open the address itself.
func takeOver(addr string) (net.Listener, error) {
	want, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil || want.Port == 0 {
		return nil, errNoListener
	}
	unixConn, err := net.DialUnix("unix", nil, handoverAddress(want))
	if err != nil {
		return nil, errNoListener
	}
	defer unixConn.Close()
	unixConn.SetDeadline(time.Now().Add(handoverTimeout))
	if err := sameUser(unixConn); err != nil {
		return nil, err
	}
	const descriptorSize = 4 // the older process sends one byte, with its socket's descriptor beside it
	data, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(descriptorSize))
	_, n, _, _, err := unixConn.ReadMsgUnix(data, oob)
	if err != nil {
		return nil, fmt.Errorf("cannot take over the listening socket: %w", err)
	}
	listener, err := listenerFrom(oob[:n])
	if err != nil {
		return nil, fmt.Errorf("cannot take over the listening socket: %w", err)
	}
	got, ok := listener.Addr().(*net.TCPAddr)
	if !ok || handoverAddress(got).Name != handoverAddress(want).Name {
		listener.Close()
		return nil, fmt.Errorf("cannot take over the listening socket: got one of %v; want %v", listener.Addr(), want)
	}
	if _, err := unixConn.Write(data); err != nil { // sends the byte back, which confirms: the older process may stop accepting
		listener.Close()
		return nil, fmt.Errorf("cannot take over the listening socket: %w", err)
	}
	return listener, nil
}

// listenerFrom returns the listening socket whose descriptor came in oob, the control data of a
// message over a Unix socket. It wants exactly one.
func listenerFrom(oob []byte) (net.Listener, error) {
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

// sameUser returns an error where the peer is neither of the same user nor root.
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

// offer gives the listening socket of front to newer daemons that ask for it at a Unix socket, until ctx
// ends. Once one has it, front counts as shared. While an older process still uses the address of the Unix
// socket, offer tries again.
func offer(ctx context.Context, front *front, log *slog.Logger) {
	tcp, ok := front.Listener.(*net.TCPListener)
	if !ok {
		return
	}
	at := handoverAddress(tcp.Addr().(*net.TCPAddr))
	for ctx.Err() == nil {
		ln, err := net.ListenUnix("unix", at)
		if err != nil { // an older process still has the address
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		// Serve newer processes until ctx ends, which closes the listener.
		stop := context.AfterFunc(ctx, func() { ln.Close() })
		for {
			c, err := ln.AcceptUnix()
			if err != nil {
				break
			}
			if err := sendSocket(c, tcp); err != nil {
				log.Warn("the listening socket was not handed over", "error", err)
			} else {
				front.shared.Store(true)
				log.Info("the listening socket is shared with a newer process")
			}
			c.Close()
		}
		stop()
		ln.Close()
	}
}

// sendSocket sends a socket to a newer process of the same user and waits for its
// confirmation.
func sendSocket(unixConn *net.UnixConn, tcp *net.TCPListener) error {
	unixConn.SetDeadline(time.Now().Add(handoverTimeout))
	if err := sameUser(unixConn); err != nil {
		return err
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	// The descriptor itself is sent: a copy by File would switch the socket,
	// which both sides then have, to blocking.
	if e := raw.Control(func(fd uintptr) {
		_, _, err = unixConn.WriteMsgUnix([]byte{1}, unix.UnixRights(int(fd)), nil)
	}); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	_, err = unixConn.Read(make([]byte, 1))
	return err
}
