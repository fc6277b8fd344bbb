package shm

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	sysv "github.com/gen2brain/shm"
)

// scheme begins the keys of System V segments; the id in decimal follows. The integer keys
// of segments are not used, because another process may create a fixed key first. See docs/spec/http.md#r28.
const scheme = "sysv:"

// Key returns the key of a System V segment.
func Key(id int) string { return scheme + strconv.Itoa(id) }

// parseID reads the id of a System V segment from the key of a region, "sysv:123".
func parseID(key string) (id int, ok bool) {
	digits, ok := strings.CutPrefix(key, scheme)
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), ok && err == nil && strconv.FormatUint(n, 10) == digits
}

// segment is an attached System V segment. Its size cannot change, and it exists until the
// last detach even where its owner removes it.
type segment struct {
	id             int
	stat           sysv.IdDs // as it was when it was attached
	creatorStarted uint64    // when the creator started, in ticks since the boot; 0 if it cannot be seen

	mu                 sync.Mutex // guards readable and writable
	readable, writable []byte     // the mappings for reading and writing, as the library returned them, which it detaches by
}

// attach maps the System V segment with this id for reading, checks that the peer may use it, and makes it
// the memory of the region. The region counts for the process that created the segment. The check comes
// after attaching, because only then can the id not be reused for another segment.
func attach(region *region, id int, peer Peer) error {
	refused := func(why string) error {
		return wrong(CodeKey, "cannot register region %q: %s; want a System V segment of user %d with mode 0600 whose creator lives", region.name, why, peer.UID)
	}
	readable, err := sysv.At(id, 0, sysv.SHM_RDONLY)
	if err != nil {
		return refused("the key names no segment that can be attached")
	}
	s := &segment{id: id, readable: readable}
	if _, err := sysv.Ctl(id, sysv.IPC_STAT, &s.stat); err != nil {
		s.close()
		return refused("the key names no segment that can be attached")
	}
	if why := s.whyRefused(peer); why != "" {
		s.close()
		return refused(why)
	}
	region.memory, region.client = s, fmt.Sprintf("process %d of user %d", s.stat.Cpid, s.stat.Perm.Cuid)
	return nil
}

// whyRefused returns the reason why a peer may not use the segment, "" where it may. It sets
// segment.creatorStarted. The text reveals nothing about segments of other users.
func (segment *segment) whyRefused(p Peer) string {
	d := &segment.stat
	switch {
	case d.Perm.Uid != p.UID || d.Perm.Cuid != p.UID:
		return "the key names no segment that can be attached"
	case d.Perm.Mode&0o777 != 0o600:
		return fmt.Sprintf("its mode is %#o", d.Perm.Mode&0o777)
	case d.SegSz == 0 || d.SegSz > MaxSegment || uint64(len(segment.readable)) != d.SegSz:
		return fmt.Sprintf("it has %d bytes, and %d are allowed", d.SegSz, MaxSegment)
	case d.Cpid < 0:
		return "its creator is not known"
	}
	if d.Cpid > 0 { // 0: the creator is in another PID namespace
		var ok bool
		segment.creatorStarted, ok = processStart(d.Cpid)
		if !ok {
			return "its creator is dead"
		}
	}
	return ""
}

func (segment *segment) size() int64 { return int64(segment.stat.SegSz) }

func (segment *segment) read() ([]byte, error) { return segment.readable, nil }

// write attaches the segment a second time for writing, so that reads use a read-only
// mapping.
func (segment *segment) write() ([]byte, error) {
	segment.mu.Lock()
	defer segment.mu.Unlock()
	if segment.writable == nil && segment.readable != nil {
		out, err := sysv.At(segment.id, 0, 0)
		if err != nil {
			return nil, err
		}
		if len(out) != len(segment.readable) {
			return nil, errors.Join(errors.New("its size is another one now"), sysv.Dt(out))
		}
		segment.writable = out
	}
	return segment.writable, nil
}

// alive checks the creator, whose process id is 0 in another PID namespace.
func (segment *segment) alive() lease {
	if segment.stat.Cpid == 0 {
		return unseen
	}
	if born, ok := processStart(segment.stat.Cpid); !ok || born != segment.creatorStarted {
		return dead
	}
	return living
}

// close unmaps a segment of System V shared memory: its mappings for reading and for writing. The
// segment itself stays, because it belongs to the client.
func (segment *segment) close() error {
	segment.mu.Lock()
	defer segment.mu.Unlock()
	var errs []error
	for _, b := range [][]byte{segment.readable, segment.writable} {
		if b != nil {
			errs = append(errs, sysv.Dt(b))
		}
	}
	segment.readable, segment.writable = nil, nil
	return errors.Join(errs...)
}

// entry is what the ledger keeps of a segment.
func (segment *segment) entry() entry {
	return entry{ID: segment.id, Creator: segment.stat.Cpid, ProcessStarted: segment.creatorStarted, SegmentCreated: segment.stat.Ctime,
		Bytes: segment.stat.SegSz, UID: segment.stat.Perm.Uid}
}

// processStart returns when a process began, in ticks since the boot. The time and the process id
// together identify the process. ok is false where there is no such process or it is a
// zombie.
func processStart(pid int32) (ticks uint64, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(int(pid)) + "/stat")
	if err != nil {
		return 0, false
	}
	// The file has "pid (name) state ppid ...", where the name may hold anything, even a parenthesis. So the
	// fields are counted behind the last one: there the state is the first and the time the 20th.
	const state, startTime = 0, 19
	end := strings.LastIndexByte(string(data), ')')
	fields := strings.Fields(string(data[end+1:]))
	if end < 0 || len(fields) <= startTime || fields[state] == "Z" || fields[state] == "X" { // zombie or dead
		return 0, false
	}
	ticks, err = strconv.ParseUint(fields[startTime], 10, 64)
	return ticks, err == nil && ticks < math.MaxUint64 // the largest value is taken as wrong
}
