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
	AllowClientShm   bool          `group:"shared memory" help:"Let clients on this machine register shared memory, into which pictures are drawn and from which masks are read. The daemon then maps memory that clients own. See docs/shared-memory.md."`
	ShmTrustLoopback bool          `group:"shared memory" help:"Let every process of this machine that reaches --listen over TCP use shared memory with the rights of the daemon's own user, because TCP does not tell whose process asks. Without it, shared memory is only for the Unix socket (--socket), where the kernel tells."`
	ShmSocket        string        `placeholder:"PATH" group:"shared memory" help:"Path of a Unix socket over which clients pass sealed memfds. The socket of an older daemon is replaced in one step."`
	RuntimeDir       string        `placeholder:"DIR" group:"shared memory" help:"Folder that only this user may write to. The daemon notes there which segments it uses, so that its successor can remove what a killed one left. Default: $RUNTIME_DIRECTORY, $XDG_RUNTIME_DIR/plumb, or plumb-UID in the folder for temporary files."`
	MaxShmRegions    count         `default:"256" placeholder:"N" group:"shared memory" help:"Maximum number of registered regions."`
	MaxShmPerClient  count         `default:"64" placeholder:"N" group:"shared memory" help:"Maximum number of regions that one process may register."`
	MaxShmBytes      size          `default:"4GiB" placeholder:"BYTES" group:"shared memory" help:"Maximum size of all segments together that clients may have the daemon hold. One segment has 1 GiB at most."`
	ShmIdle          time.Duration `default:"10m" placeholder:"TIME" group:"shared memory" help:"How long a region is kept unused whose creator cannot be seen from here, as in another container. Other regions go when their creator dies."`
}

// sharedConfig returns the daemon's settings of shared memory from the flags, or nil without
// --allow-client-shm, when clients may not use shared memory.
func (flags *sharedFlags) sharedConfig(log *slog.Logger) *daemon.Shared {
	if !flags.AllowClientShm {
		return nil
	}
	dir := flags.RuntimeDir
	if dir == "" {
		dir = runtimeDir(os.Getenv)
	}
	return &daemon.Shared{Socket: flags.ShmSocket, TrustLoopback: flags.ShmTrustLoopback,
		Config: shm.Config{Dir: dir, Regions: int(flags.MaxShmRegions), PerClient: int(flags.MaxShmPerClient),
			Bytes: int64(flags.MaxShmBytes), Idle: flags.ShmIdle, Log: log}}
}

// runtimeDir returns the default of --runtime-dir: the first folder that systemd made for the service,
// else a folder of this user, for which getenv reads the environment.
func runtimeDir(getenv func(string) string) string {
	if dir, _, _ := strings.Cut(getenv("RUNTIME_DIRECTORY"), ":"); dir != "" { // systemd separates folders by colons
		return dir
	}
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "plumb")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("plumb-%d", os.Geteuid()))
}
