// Package shm maps shared memory of clients on this host: names, ranges, limits and
// leases. In: System V segments by their ids, and sealed memfds sent over a Unix socket.
// Out: pins, with which pixels are copied into a region or out of it, under a guard that
// turns a memory fault into an error. It refuses memory that could shrink (POSIX names,
// files without seals), ranges outside of a region, segments of other users, and more
// than its limits. It releases the regions of dead clients.
package shm

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// The defaults of the limits.
const (
	// MaxSegment is the largest segment or memfd in bytes. The System V library
	// (gen2brain/shm 0.1.0) cuts sizes to int32: 4 GiB and 4096 bytes become a segment of
	// 4096 bytes without an error. See docs/spec/http.md#r28.
	MaxSegment = 1 << 30

	DefaultRegions   = 256
	DefaultPerClient = 64
	DefaultBytes     = 4 << 30
	DefaultIdle      = 10 * time.Minute
)

// Reserved is the prefix of keys that clients may not register, as in Triton.
const Reserved = "plumb"

// The codes of errors.
const (
	CodeName    = "bad_region_name"
	CodeTaken   = "region_exists"
	CodeUnknown = "unknown_region"
	CodeKey     = "bad_key"
	CodeRange   = "bad_range"
	CodeSmall   = "region_too_small"
	CodeLimit   = "limit"
	CodeGone    = "region_gone"
	CodeRelease = "not_released"
	CodeOwner   = "not_the_owner"
)

// Error is an error of a client's request. Its text never holds a key.
type Error struct {
	Code, Message string
	Wanted        int64 // bytes needed where a region is too small, else 0
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

func wrong(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Config of a Registry. Zero values mean the defaults.
type Config struct {
	Regions   int           // registered at once (--max-shm-regions)
	PerClient int           // of them from one process (--max-shm-per-client)
	Bytes     int64         // of all mapped segments (--max-shm-bytes)
	Idle      time.Duration // after which an unused region is removed whose creator is in another PID namespace (--shm-idle)
	Dir       string        // folder of the ledger's file, "" for none
	Log       *slog.Logger
}

// Peer is the process behind a request. A region may be used by the processes of
// the user that registered it, and unregistered by the process that did. See
// docs/spec/http.md#r29.
type Peer struct {
	UID uint32 // whose segments it may register
	PID int32  // 0 where it is not known
}

// Self is the peer of requests over TCP from this host, which count as the daemon's own user
// with --shm-trust-loopback.
func Self() Peer { return Peer{UID: uint32(os.Geteuid())} }

// Info describes a region as Triton does.
type Info struct {
	Name     string `json:"name"`
	Key      string `json:"key"`
	Offset   int64  `json:"offset"`
	ByteSize int64  `json:"byte_size"`
}

// Registry holds the regions by name. It is safe for concurrent use.
type Registry struct {
	cfg       Config
	ledger    *ledger
	done      chan struct{}  // closed by Close
	closeOnce sync.Once      // closes done
	watching  sync.WaitGroup // for watch

	mu              sync.Mutex         // guards the rest, and the counts of regions
	regions         map[string]*region // registered
	bytesHeld       int64              // of all mapped memory, unregistered regions with pins included
	regionsOfClient map[string]int     // regions per client, unregistered ones with pins included
	regionsHeld     int                // regions, unregistered ones with pins included
	closed          bool
}

// Open returns an empty registry of clients' shared memory. First, openLedger removes the segments that
// killed daemons have left behind, which it knows from their records in cfg.Dir.
func Open(cfg Config) (*Registry, error) {
	cfg.Regions = cmp.Or(max(cfg.Regions, 0), DefaultRegions)
	cfg.PerClient = cmp.Or(max(cfg.PerClient, 0), DefaultPerClient)
	cfg.Bytes = cmp.Or(max(cfg.Bytes, 0), DefaultBytes)
	cfg.Idle = cmp.Or(max(cfg.Idle, 0), DefaultIdle)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	registry := &Registry{cfg: cfg, done: make(chan struct{}), regions: map[string]*region{}, regionsOfClient: map[string]int{}}
	var err error
	if registry.ledger, err = openLedger(cfg.Dir, cfg.Log); err != nil {
		return nil, err
	}
	registry.watching.Go(registry.watch)
	return registry, nil
}

// Close stops the watch and unregisters all regions. Pinned ones are unmapped with their
// last pin. It is safe to call it twice.
func (registry *Registry) Close() error {
	registry.mu.Lock()
	registry.closed = true
	registry.mu.Unlock()
	registry.closeOnce.Do(func() { close(registry.done) })
	registry.watching.Wait()
	return errors.Join(registry.unregister(func(*region) bool { return true }), registry.ledger.close())
}

// Count returns the number of registered regions.
func (registry *Registry) Count() int {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return len(registry.regions)
}

// Register maps a region under a name. Offset and size are in bytes within the
// segment that the key names. Errors are *Error. See docs/spec/http.md#r30.
func (registry *Registry) Register(name, key string, offset, size int64, peer Peer) error {
	if err := checkName(name); err != nil {
		return err
	}
	keyName := strings.TrimLeft(key, "/")
	switch {
	case strings.HasPrefix(strings.ToLower(keyName), Reserved):
		return wrong(CodeKey, "cannot register region %q: keys that begin with %q are the daemon's own", name, Reserved)
	case strings.HasPrefix(key, "/"):
		return wrong(CodeKey, "cannot register region %q: the key is a POSIX name, and such an object can be truncated while it is in use; want sysv:<segment id>, or a sealed memfd over the daemon's --shm-socket", name)
	}
	id, ok := parseID(key)
	if !ok {
		return wrong(CodeKey, "cannot register region %q: the key is of no kind that is known here; want sysv:<segment id>", name)
	}
	return registry.add(&region{name: name, key: key, offset: offset, size: size, owner: peer}, func(r *region) error {
		return attach(r, id, peer)
	})
}

// add registers a region. It checks the limits, calls the function open, which sets the memory of the
// region (region.memory), and checks the limits again with the size of that memory. If the limits are exceeded
// at first, open is not called. After a later error add closes the memory.
func (registry *Registry) add(region *region, open func(*region) error) error {
	if region.offset < 0 || region.size <= 0 {
		return wrong(CodeRange, "cannot register region %q: got offset %d and byte_size %d; want an offset of at least 0 and a size above 0", region.name, region.offset, region.size)
	}
	region.registry, region.refs = registry, 1
	const unknownYet = 0 // bytes; open finds out the size
	if err := registry.checkRoom(region, unknownYet); err != nil {
		return err
	}
	if err := open(region); err != nil {
		return err
	}
	if memorySize := region.memory.size(); memorySize > MaxSegment || region.offset > memorySize || region.size > memorySize-region.offset {
		region.memory.close()
		return wrong(CodeRange, "cannot register region %q: got offset %d and byte_size %d; want a range within its segment of %d bytes, which may have %d at most", region.name, region.offset, region.size, memorySize, MaxSegment)
	}
	registry.mu.Lock()
	err := registry.checkLimits(region, region.memory.size()) // again: others may have registered regions meanwhile
	if err == nil {
		region.touch()
		registry.regions[region.name] = region
		registry.addToCounts(region, 1)
	}
	registry.mu.Unlock()
	if err != nil {
		region.memory.close()
		return err
	}
	// A System V segment is recorded, so that none is left behind if the daemon is killed.
	if s, ok := region.memory.(*segment); ok {
		if err := registry.ledger.addUse(s.entry()); err != nil {
			registry.Unregister(region.name, region.owner)
			return wrong(CodeLimit, "cannot register region %q: cannot keep a record of it, without which it could be left behind", region.name)
		}
	}
	return nil
}

// checkRoom returns an error if a region of that many bytes exceeds a limit or its name is taken, as checkLimits does,
// for callers that do not hold registry.mu.
func (registry *Registry) checkRoom(r *region, bytes int64) error {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return registry.checkLimits(r, bytes)
}

// checkLimits returns an error if a region of shared memory of that many bytes would exceed a limit of the registry,
// or its name is taken. The caller holds mu.
func (registry *Registry) checkLimits(region *region, bytes int64) error {
	switch _, taken := registry.regions[region.name]; {
	case registry.closed:
		return wrong(CodeLimit, "cannot register region %q: the daemon is shutting down", region.name)
	case taken:
		return wrong(CodeTaken, "cannot register region %q: there is one of that name; want another name, or unregister it first", region.name)
	case registry.regionsHeld >= registry.cfg.Regions:
		return wrong(CodeLimit, "cannot register region %q: %d are held; want at most %d (--max-shm-regions)", region.name,
			registry.regionsHeld, registry.cfg.Regions)
	case region.client != "" && registry.regionsOfClient[region.client] >= registry.cfg.PerClient:
		return wrong(CodeLimit, "cannot register region %q: its client has %d; want at most %d (--max-shm-per-client)", region.name, registry.regionsOfClient[region.client], registry.cfg.PerClient)
	case bytes > registry.cfg.Bytes-registry.bytesHeld:
		return wrong(CodeLimit, "cannot register region %q: %d bytes are held and it adds %d; want at most %d (--max-shm-bytes)", region.name, registry.bytesHeld, bytes, registry.cfg.Bytes)
	}
	return nil
}

// addToCounts adds a region of shared memory to the counts against the limits, those of the registry and of the
// region's client (n is 1), or removes it from them (n is -1). The caller holds mu.
func (registry *Registry) addToCounts(region *region, n int) {
	registry.regionsHeld += n
	registry.bytesHeld += int64(n) * region.memory.size()
	registry.regionsOfClient[region.client] += n
	if registry.regionsOfClient[region.client] == 0 {
		delete(registry.regionsOfClient, region.client)
	}
}

// checkName checks the name of a region, which is used in paths, logs and messages: 1 to 128
// printable ASCII characters without a slash.
func checkName(name string) error {
	const longest = 128 // bytes
	bad := strings.IndexFunc(name, func(c rune) bool { return c <= ' ' || c > '~' || c == '/' })
	if name == "" || len(name) > longest || bad >= 0 {
		return wrong(CodeName, "cannot use region name %.130q: want 1 to 128 printable ASCII characters without blanks and slashes", name)
	}
	return nil
}

// Status describes the region of that name, or with "" all regions of the peer's user in
// order of their names.
func (registry *Registry) Status(name string, peer Peer) ([]Info, error) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if name != "" {
		region, ok := registry.regions[name]
		if !ok || region.owner.UID != peer.UID {
			return nil, unknown("show", name)
		}
		region.touch()
		return []Info{region.info()}, nil
	}
	list := []Info{}
	for _, n := range slices.Sorted(maps.Keys(registry.regions)) {
		if r := registry.regions[n]; r.owner.UID == peer.UID {
			list = append(list, r.info())
		}
	}
	return list, nil
}

// unknown returns the error for a region that does not exist or is another user's.
func unknown(verb, name string) *Error {
	return wrong(CodeUnknown, "cannot %s region %.130q: there is none of that name; want one that is registered",
		verb, name)
}

// Unregister removes the name of a region that peer registered. The region's memory is unmapped
// with its last pin.
func (registry *Registry) Unregister(name string, peer Peer) error {
	registry.mu.Lock()
	region, visible := registry.regions[name]
	visible = visible && region.owner.UID == peer.UID
	isOwner := visible && region.owner == peer
	if isOwner {
		delete(registry.regions, name)
	}
	registry.mu.Unlock()
	switch {
	case !visible:
		return unknown("unregister", name)
	case !isOwner:
		return wrong(CodeOwner, "cannot unregister region %q: another process registered it; it goes when that one unregisters it or ends", name)
	}
	if err := region.release(); err != nil {
		return wrong(CodeRelease, "cannot unregister region %q: its memory could not be let go of: %v", name, err)
	}
	return nil
}

// UnregisterAll removes all regions that p registered; the error names those that failed.
func (registry *Registry) UnregisterAll(p Peer) error {
	return registry.unregister(func(r *region) bool { return r.owner == p })
}

// unregister removes the regions that match, in order of their names, and goes on after an
// error. The error names the regions whose memory could not be unmapped.
func (registry *Registry) unregister(match func(*region) bool) error {
	registry.mu.Lock()
	var gone []*region
	for _, name := range slices.Sorted(maps.Keys(registry.regions)) {
		if r := registry.regions[name]; match(r) {
			gone = append(gone, r)
			delete(registry.regions, name)
		}
	}
	registry.mu.Unlock()
	var failed []string
	for _, r := range gone {
		if err := r.release(); err != nil {
			registry.cfg.Log.Error("cannot let go of a region", "region", r.name, "error", err)
			failed = append(failed, r.name)
		}
	}
	if failed != nil {
		return wrong(CodeRelease, "cannot unregister regions %q: their memory could not be let go of; the other %d are gone", failed, len(gone)-len(failed))
	}
	return nil
}
