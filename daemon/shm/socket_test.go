package shm

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// memfd makes a file of so many bytes with seals.
func memfd(t *testing.T, size int64, seals int) int {
	t.Helper()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Ftruncate(fd, size); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		t.Fatal(err)
	}
	return fd
}

const fixed = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW

// talker is a client of the socket.
type talker struct{ *net.UnixConn }

func socketOf(t *testing.T, g *Registry) func() talker {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(ln) }()
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return func() talker {
		c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: path, Net: "unixpacket"})
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(30 * time.Second))
		t.Cleanup(func() { c.Close() })
		return talker{c}
	}
}

// ask sends a packet with descriptors and returns the reply.
func (c talker) ask(t *testing.T, packet string, fds ...int) reply {
	t.Helper()
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	if _, _, err := c.WriteMsgUnix([]byte(packet), oob, nil); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, maxPacket)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(b[:n], &r); err != nil {
		t.Fatalf("%v: %s", err, b[:n])
	}
	return r
}

func TestMemfd(t *testing.T) {
	g := registry(t, Config{})
	c := socketOf(t, g)()
	fd := memfd(t, 10000, fixed)
	if r := c.ask(t, `{"register":{"name":"m","offset":10,"byte_size":9000}}`, fd); !r.OK {
		t.Fatal(r)
	}
	if err := unix.Ftruncate(fd, 0); err != unix.EPERM {
		t.Errorf("got %v; want that a sealed file cannot be truncated", err)
	}
	mine, err := unix.Mmap(fd, 0, 10000, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Pin("m", 1, 9, true, Self())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Use(func(mem []byte) { copy(mem, "pixels") }); err != nil || string(mine[11:17]) != "pixels" {
		t.Errorf("got %q, %v", mine[11:17], err)
	}
	unix.Munmap(mine) // the client unmaps and closes while we use it
	unix.Close(fd)
	c.Close()
	eventually(t, "region gone with its connection", func() bool { return g.Count() == 0 })
	if b, err := p.Copy(); err != nil || string(b[:6]) != "pixels" {
		t.Errorf("got %q, %v", b, err)
	}
	p.Release()
}

func TestMemfdRefusals(t *testing.T) {
	g := registry(t, Config{PerClient: 2, Bytes: 1 << 20})
	dial := socketOf(t, g)
	c := dial()
	pipe, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer write.Close()
	plain, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	const register = `{"register":{"name":"x","byte_size":100}}`
	good := memfd(t, 4096, fixed)
	for _, tc := range []struct {
		packet string
		fds    []int
		kind   string
		text   string
	}{
		{register, []int{memfd(t, 4096, 0)}, CodeKey, "F_SEAL_SHRINK"},
		{register, []int{memfd(t, 4096, unix.F_SEAL_SHRINK)}, CodeKey, "F_SEAL_GROW"},
		{register, []int{memfd(t, 0, fixed)}, CodeKey, "bytes"},
		{register, []int{memfd(t, 1<<30+1, fixed)}, CodeKey, "bytes"},
		{register, []int{memfd(t, 1<<21, fixed)}, CodeLimit, "--max-shm-bytes"},
		{register, []int{int(pipe.Fd())}, CodeKey, "seals"},
		{register, []int{int(plain.Fd())}, CodeKey, "seals"},
		{register, nil, "bad_message", "got 0 descriptors"},
		{register, []int{good, good}, "bad_message", "got 2 descriptors"},
		{register, []int{good, good, good, good, good, good, good, good, good, good}, "bad_message", ""},
		{`{"register":{"name":"x","byte_size":4097}}`, []int{good}, CodeRange, "4096"},
		{`{"register":{"name":"x","offset":9223372036854775807,"byte_size":4096}}`, []int{good}, CodeRange, "4096"},
		{`{"register":{"name":"x","offset":-1,"byte_size":4096}}`, []int{good}, CodeRange, "-1"},
		{`{"register":{"name":"a b","byte_size":1}}`, []int{good}, CodeName, "a b"},
		{`{"register":{"name":"x","byte_size":1e99}}`, []int{good}, "bad_message", ""},
		{`{"unregister":{"name":"x"}}`, []int{good}, CodeUnknown, "x"},
		{`{}`, nil, "bad_message", ""}, {`nonsense`, nil, "bad_message", ""},
		{`{"register":{"name":"x"},"unregister":{"name":"x"}}`, []int{good}, "bad_message", ""},
		{strings.Repeat(" ", maxPacket+5), nil, "bad_message", "4096 bytes"},
	} {
		if r := c.ask(t, tc.packet, tc.fds...); r.OK || r.Type != tc.kind || !strings.Contains(r.Error, tc.text) {
			t.Errorf("%.60s with %d descriptors: got %+v; want %s with %q", tc.packet, len(tc.fds), r, tc.kind, tc.text)
		}
	}
	before := openFDs(t)
	for _, n := range []string{"a", "b"} {
		if r := c.ask(t, `{"register":{"name":"`+n+`","byte_size":1}}`, good); !r.OK {
			t.Fatal(r)
		}
	}
	d := dial()
	if r := d.ask(t, `{"register":{"name":"a","byte_size":1}}`, good); r.Type != CodeLimit && r.Type != CodeTaken {
		t.Errorf("got %+v; want the name or the limit of one process", r)
	}
	if r := d.ask(t, `{"unregister":{"name":"a"}}`); !r.OK {
		t.Error(r)
	}
	c.Close()
	d.Close()
	eventually(t, "all gone", func() bool { return g.Count() == 0 })
	eventually(t, "descriptors closed", func() bool { return openFDs(t) <= before })
}

func openFDs(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Two clients ask for one name: the first has it, the second is told.
func TestSameName(t *testing.T) {
	g := registry(t, Config{})
	dial := socketOf(t, g)
	a, b := dial(), dial()
	const register = `{"register":{"name":"x","byte_size":1}}`
	if r := a.ask(t, register, memfd(t, 1, fixed)); !r.OK {
		t.Fatal(r)
	}
	if r := b.ask(t, register, memfd(t, 1, fixed)); r.Type != CodeTaken {
		t.Errorf("got %+v; want %s", r, CodeTaken)
	}
	b.Close()
	if r := a.ask(t, `{"unregister":{"name":"x"}}`); !r.OK { // b's end took nothing of a's
		t.Error(r)
	}
}

// A region that its client sealed against writing is for input only.
func TestSealedWrite(t *testing.T) {
	g := registry(t, Config{})
	c := socketOf(t, g)()
	if r := c.ask(t, `{"register":{"name":"m","byte_size":10}}`, memfd(t, 10, fixed|unix.F_SEAL_WRITE)); !r.OK {
		t.Fatal(r)
	}
	if _, err := g.Pin("m", 0, 1, true, Self()); code(t, err) != CodeKey {
		t.Errorf("got %v", err)
	}
	p, err := g.Pin("m", 0, 10, false, Self())
	if err != nil {
		t.Fatal(err)
	}
	p.Release()
}

// The second line: memory that shrinks after all is an error, and other panics
// stay panics.
func TestGuard(t *testing.T) {
	fd := memfd(t, 8192, 0)
	mem, err := unix.Mmap(fd, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	if !guarded(mem, func() { mem[8191] = 1 }) {
		t.Error("a write went wrong")
	}
	if err := unix.Ftruncate(fd, 0); err != nil {
		t.Fatal(err)
	}
	if guarded(mem, func() { copy(mem, make([]byte, 8192)) }) {
		t.Error("wrote into memory that is gone")
	}
	if guarded(mem, func() { copy(make([]byte, 8192), mem) }) {
		t.Error("read from memory that is gone")
	}
	func() {
		defer func() {
			if p := recover(); p != "other" {
				t.Errorf("got %v; want the panic", p)
			}
		}()
		guarded(mem, func() { panic("other") })
	}()
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"register":{"name":"x","offset":1,"byte_size":2}}`), true)
	f.Add([]byte(`{"unregister":{"name":"x"}}`), false)
	f.Fuzz(func(t *testing.T, packet []byte, with bool) {
		g, err := Open(Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		var fds []int
		if with {
			fd, err := unix.MemfdCreate("fuzz", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
			if err != nil {
				t.Skip(err)
			}
			unix.Ftruncate(fd, 100)
			unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, fixed)
			fds = append(fds, fd)
		}
		err = g.execute(packet, fds, nil, Peer{})
		if (err == nil) != (g.Count() == 1) {
			t.Fatalf("got %v and %d regions", err, g.Count())
		}
		for _, r := range g.regions {
			if r.offset < 0 || r.size <= 0 || r.offset+r.size > 100 {
				t.Fatalf("registered %d bytes at %d of 100", r.size, r.offset)
			}
		}
	})
}
