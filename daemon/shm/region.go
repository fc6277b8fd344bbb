package shm

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
	"unsafe"
)

// memory is a segment or a memfd. Its size never changes. read and write return the same
// whole mappings at each call; close unmaps them.
type memory interface {
	size() int64            // bytes
	read() ([]byte, error)  // mapped for reading only
	write() ([]byte, error) // mapped for writing
	alive() lease
	close() error
}

// lease is the state of the process that a region belongs to.
type lease uint8

const (
	living lease = iota
	dead
	unseen // unknown: the process is in another PID namespace
)

// region is a range of a client's memory, registered under a name.
type region struct {
	registry     *Registry
	name, key    string
	offset, size int64  // bytes, within memory
	client       string // the process whose limit counts it
	owner        Peer   // who registered it
	conn         any    // the connection that it ends with, nil for none
	memory       memory
	refs         int          // pins, and one more while it is registered; guarded by registry.mu
	lastUse      atomic.Int64 // when it was used last, Unix ns
}

func (region *region) info() Info { return Info{region.name, region.key, region.offset, region.size} }

func (region *region) touch() { region.lastUse.Store(time.Now().UnixNano()) }

// release drops one reference to a region of shared memory: a pin, or that of being registered. When none
// is left, it unmaps the memory, counts it no more, and ends the record of a System V segment. The error
// says why the memory could not be unmapped.
func (region *region) release() error {
	region.registry.mu.Lock()
	region.refs--
	last := region.refs == 0
	region.registry.mu.Unlock()
	if !last {
		return nil
	}
	err := region.memory.close()
	region.registry.mu.Lock()
	region.registry.addToCounts(region, -1) // only now, as the memory was held until here
	region.registry.mu.Unlock()
	if s, ok := region.memory.(*segment); ok {
		region.registry.ledger.dropUse(s.entry(), err == nil)
	}
	return err
}

// Pin keeps a range of a region mapped while a request uses it, whatever the client does to
// the name or the segment. See docs/spec/http.md#r31.
type Pin struct {
	region   *region
	bytes    []byte
	released atomic.Bool
}

// Pin pins size bytes at offset from the start of a region of the peer's user, for reading or
// for writing. The caller must Release the pin. Errors are *Error and name the fields of
// requests.
func (registry *Registry) Pin(name string, offset, size int64, write bool, p Peer) (*Pin, error) {
	registry.mu.Lock()
	region, visible := registry.regions[name]
	visible = visible && region.owner.UID == p.UID
	if visible {
		region.refs++
	}
	registry.mu.Unlock()
	if !visible {
		return nil, unknown("use", name)
	}
	pin, err := region.pin(offset, size, write)
	if err != nil {
		region.release()
		return nil, err
	}
	return pin, nil
}

// pin checks that size bytes at offset are within the region and maps its memory, all of it at the first
// use. write asks for a mapping that can be written to. The caller has added a reference to the region,
// which the pin's Release drops.
func (region *region) pin(offset, size int64, write bool) (*Pin, error) {
	switch {
	case offset < 0 || offset >= region.size:
		return nil, wrong(CodeRange, "cannot use region %q: got shared_memory_offset %d; want 0 to %d", region.name,
			offset, region.size-1)
	case size < 0 || size > region.size-offset:
		return nil, wrong(CodeRange, "cannot use region %q: got shared_memory_byte_size %d at offset %d; want at most %d there", region.name, size, offset, region.size-offset)
	}
	mapMemory := region.memory.read
	if write {
		mapMemory = region.memory.write
	}
	all, err := mapMemory()
	if err != nil {
		how := "reading"
		if write {
			how = "writing"
		}
		return nil, wrong(CodeKey, "cannot use region %q: it cannot be mapped for %s: %v", region.name, how, err)
	}
	region.touch()
	begin := region.offset + offset
	return &Pin{region: region, bytes: all[begin : begin+size : begin+size]}, nil // an append cannot write past the range
}

// Size returns the number of pinned bytes.
func (pin *Pin) Size() int { return len(pin.bytes) }

// Use calls f with the bytes, which f must not keep and which the client may change at any
// time. A memory fault in f becomes an *Error. It panics after Release.
func (pin *Pin) Use(f func(mem []byte)) error {
	if pin.released.Load() {
		panic("BUG: a pin is used after its release")
	}
	if !guarded(pin.bytes, func() { f(pin.bytes) }) {
		return wrong(CodeGone, "cannot use region %q: its memory is gone", pin.region.name)
	}
	return nil
}

// Copy returns a copy of the bytes. Code that checks contents must use a copy, because the
// client may change the region after the check.
func (pin *Pin) Copy() ([]byte, error) {
	out := make([]byte, len(pin.bytes))
	err := pin.Use(func(mem []byte) { copy(out, mem) })
	return out, err
}

// Release ends the pin that keeps a region of shared memory mapped. The pin's bytes must not be used
// afterwards. A second call does nothing.
func (pin *Pin) Release() {
	if pin.released.Swap(true) {
		return
	}
	pin.bytes = nil
	if err := pin.region.release(); err != nil {
		pin.region.registry.cfg.Log.Error("cannot let go of a region", "region", pin.region.name, "error", err)
	}
}

// guarded runs f, which uses a client's memory, and returns false if f hit a memory fault
// within mem. Any other panic goes on. Sizes are fixed by seals or the kernel, but huge
// pages that run out still fault.
func guarded(mem []byte, f func()) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // true now, the old value at the end
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		fault, is := p.(interface {
			runtime.Error
			Addr() uintptr
		})
		start := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
		if !is || fault.Addr() < start || fault.Addr() >= start+uintptr(len(mem)) {
			panic(p)
		}
		ok = false
	}()
	f()
	return true
}
