package daemon

import (
	"errors"
	"fmt"

	"plumb/daemon/shm"
)

// Shared configures the shared memory of clients on this host.
type Shared struct {
	shm.Config
	Socket        string // path of the socket for memfds, "" for none
	TrustLoopback bool   // clients over TCP from this host count as the daemon's own user
}

// lent is the registry of clients' shared memory with its socket, which the daemon opened.
type lent struct {
	registry *shm.Registry
	socket   *socket
	ended    chan struct{}
}

// openShared opens the registry of shared memory, which removes orphans of daemons that were
// killed, and serves its socket, if any. It returns nil for a nil cfg.
func (running *running) openShared(cfg *Shared) (*lent, error) {
	if cfg == nil {
		return nil, nil
	}
	registry, err := shm.Open(cfg.Config)
	if err != nil {
		return nil, err
	}
	l := &lent{registry: registry, ended: make(chan struct{})}
	if cfg.Socket == "" {
		close(l.ended)
		return l, nil
	}
	if l.socket, err = listenUnix("unixpacket", cfg.Socket, "--shm-socket"); err != nil {
		return nil, errors.Join(err, registry.Close())
	}
	go func() {
		defer close(l.ended)
		if err := registry.Serve(l.socket.UnixListener); err != nil {
			running.failed <- err
		}
	}()
	return l, nil
}

// close removes the socket over which clients pass shared memory, and releases all of their regions.
// Without shared memory, on nil, it does nothing.
func (lent *lent) close() error {
	if lent == nil {
		return nil
	}
	if lent.socket != nil {
		lent.socket.remove()
	}
	err := lent.registry.Close()
	<-lent.ended
	if err != nil {
		return fmt.Errorf("cannot let go of shared memory: %w", err)
	}
	return nil
}
