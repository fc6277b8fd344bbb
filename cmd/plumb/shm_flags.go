package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plumb/daemon"
	"plumb/daemon/shm"
)

// sharedFlags are about the memory that clients on this host lend to the daemon.
type sharedFlags struct {
	AllowClientShm   bool          `group:"shared memory" help:"Let clients on this host register shared memory, into which pictures are drawn and from which masks are read: they make the daemon map what is theirs. See docs/shared-memory.md."`
	ShmTrustLoopback bool          `group:"shared memory" help:"Let every process of this host that reaches --listen over TCP use shared memory with the rights of the daemon's own user: over TCP nobody can tell whose process asks. Without it, shared memory is for the Unix socket (--socket), where the kernel tells."`
	ShmSocket        string        `placeholder:"PATH" group:"shared memory" help:"Unix socket over which sealed memfds come; an older daemon's is replaced in one step."`
	RuntimeDir       string        `placeholder:"DIR" group:"shared memory" help:"Folder that only this user may write to, where the daemon notes the segments it uses, so that the next one can remove what a killed one left. Default: $RUNTIME_DIRECTORY, $XDG_RUNTIME_DIR/plumb, or plumb-UID in the folder for temporary files."`
	MaxShmRegions    count         `default:"256" placeholder:"N" group:"shared memory" help:"Regions registered at once."`
	MaxShmPerClient  count         `default:"64" placeholder:"N" group:"shared memory" help:"Regions registered at once by one process."`
	MaxShmBytes      size          `default:"4GiB" placeholder:"BYTES" group:"shared memory" help:"Size of all segments together that clients may have the daemon hold; one has 1 GiB at most."`
	ShmIdle          time.Duration `default:"10m" placeholder:"TIME" group:"shared memory" help:"How long a region is kept unused whose creator cannot be seen from here, as in another container; others go when their creator dies."`
}

// config returns what the daemon needs, nil where shared memory is off.
func (f *sharedFlags) config(log *slog.Logger) (*daemon.Shared, error) {
	if !f.AllowClientShm {
		return nil, nil
	}
	dir := f.RuntimeDir
	if dir == "" {
		dir = runtimeDir(os.Getenv)
	}
	return &daemon.Shared{Socket: f.ShmSocket, TrustLoopback: f.ShmTrustLoopback, Config: shm.Config{Dir: dir, Regions: int(f.MaxShmRegions), PerClient: int(f.MaxShmPerClient),
		Bytes: int64(f.MaxShmBytes), Idle: f.ShmIdle, Log: log}}, nil
}

// runtimeDir is the folder for what a running daemon needs.
func runtimeDir(getenv func(string) string) string {
	if dir, _, _ := strings.Cut(getenv("RUNTIME_DIRECTORY"), ":"); dir != "" { // systemd's
		return dir
	}
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "plumb")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("plumb-%d", os.Geteuid()))
}
