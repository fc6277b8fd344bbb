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

// sharedMemory is the registry of clients' shared memory with its socket, which the daemon opened.
type sharedMemory struct {
	registry *shm.Registry
	socket   *socket
	ended    chan struct{}
}

// openShared opens the registry of shared memory, which removes what daemons that were killed have
// left, and serves the socket over which clients pass their memory, if one is configured. It returns
// nil for a nil cfg.
func (running *running) openShared(cfg *Shared) (*sharedMemory, error) {
	if cfg == nil {
		return nil, nil
	}
	registry, err := shm.Open(cfg.Config)
	if err != nil {
		return nil, err
	}
	shared := &sharedMemory{registry: registry, ended: make(chan struct{})}
	if cfg.Socket == "" {
		close(shared.ended)
		return shared, nil
	}
	if shared.socket, err = listenUnix("unixpacket", cfg.Socket, "--shm-socket"); err != nil {
		return nil, errors.Join(err, registry.Close())
	}
	go func() {
		defer close(shared.ended)
		if err := registry.Serve(shared.socket.UnixListener); err != nil {
			running.failed <- err
		}
	}()
	return shared, nil
}

// close removes the socket over which clients pass shared memory, and releases all of their regions.
// Without shared memory, on nil, it does nothing.
func (sharedMemory *sharedMemory) close() error {
	if sharedMemory == nil {
		return nil
	}
	if sharedMemory.socket != nil {
		sharedMemory.socket.remove()
	}
	err := sharedMemory.registry.Close()
	<-sharedMemory.ended
	if err != nil {
		return fmt.Errorf("cannot let go of shared memory: %w", err)
	}
	return nil
}
