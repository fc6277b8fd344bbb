package shm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sysv "github.com/gen2brain/shm"
)

// TestMain also plays the client, and the daemon, that a test kills: with
// PLUMB_SHM_ROLE it makes a segment of 8 KiB, prints its id, registers it where
// it is told to, and waits.
func TestMain(m *testing.M) {
	role := os.Getenv("PLUMB_SHM_ROLE")
	if role == "" {
		os.Exit(m.Run())
	}
	if role == "nobody" {
		if err := syscall.Setuid(nobody); err != nil {
			panic(err)
		}
	}
	id, err := sysv.Get(sysv.IPC_PRIVATE, 8192, 0o600|sysv.IPC_CREAT)
	if err != nil {
		panic(err)
	}
	if role == "daemon" {
		g, err := Open(Config{Dir: os.Getenv("PLUMB_SHM_DIR")})
		if err != nil {
			panic(err)
		}
		if err := g.Register("a", Key(id), 0, 8192, Self()); err != nil {
			panic(err)
		}
	}
	fmt.Println(id)
	bufio.NewReader(os.Stdin).ReadString('\n')
	os.Exit(0) // the segment stays
}

// helper is another process with a segment.
type helper struct {
	*exec.Cmd
	id int
}

func other(t *testing.T, role, dir string) *helper {
	t.Helper()
	h := &helper{Cmd: exec.Command(os.Args[0])}
	h.Env = append(os.Environ(), "PLUMB_SHM_ROLE="+role, "PLUMB_SHM_DIR="+dir)
	out, err := h.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscan(out, &h.id); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.kill()
		sysv.Rm(h.id)
	})
	return h
}

func (h *helper) kill() {
	h.Process.Kill()
	h.Wait()
}

// made is a segment of this process, with its own view of it.
type made struct {
	id  int
	mem []byte
}

func segmentOf(t *testing.T, size, mode int) made {
	t.Helper()
	id, err := sysv.Get(sysv.IPC_PRIVATE, size, mode|sysv.IPC_CREAT)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := sysv.At(id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sysv.Dt(mem)
		sysv.Rm(id)
	})
	return made{id, mem}
}

// attached counts who has a segment mapped; -1 where there is none.
func attached(id int) int {
	var d sysv.IdDs
	if _, err := sysv.Ctl(id, sysv.IPC_STAT, &d); err != nil {
		return -1
	}
	return int(d.Nattch)
}

func registry(t *testing.T, cfg Config) *Registry {
	t.Helper()
	g, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if g.regionsHeld != 0 || g.bytesHeld != 0 || len(g.regionsOfClient) != 0 {
			t.Errorf("left: %d regions, %d bytes, %v", g.regionsHeld, g.bytesHeld, g.regionsOfClient)
		}
	})
	return g
}

// code is that of an *Error, "" of nil.
func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %T %v; want an *Error", err, err)
	}
	return e.Code
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

func TestSegment(t *testing.T) {
	g, s := registry(t, Config{}), segmentOf(t, 10000, 0o600)
	if err := g.Register("a", Key(s.id), 100, 5000, Self()); err != nil {
		t.Fatal(err)
	}
	list, err := g.Status("", Self())
	if want := (Info{"a", Key(s.id), 100, 5000}); err != nil || len(list) != 1 || list[0] != want {
		t.Errorf("got %v, %v; want %v", list, err, want)
	}
	copy(s.mem[150:], "hello")
	in, err := g.Pin("a", 50, 5, false, Self())
	if err != nil {
		t.Fatal(err)
	}
	if b, err := in.Copy(); err != nil || string(b) != "hello" {
		t.Errorf("got %q, %v", b, err)
	}
	if err := in.Use(func(mem []byte) { mem[0] = 'j' }); code(t, err) != CodeGone {
		t.Errorf("wrote into what is mapped for reading: %v", err)
	}
	in.Release()
	in.Release() // twice is once
	out, err := g.Pin("a", 4998, 2, true, Self())
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Use(func(mem []byte) { copy(mem, "ok") }); err != nil || string(s.mem[5098:5101]) != "ok\x00" {
		t.Errorf("got %q, %v", s.mem[5098:5101], err)
	}
	out.Release()
	if err := g.Unregister("a", Self()); err != nil || attached(s.id) != 1 {
		t.Errorf("got %v, %d attached; want only ours", err, attached(s.id))
	}
	if err := g.Unregister("a", Self()); code(t, err) != CodeUnknown {
		t.Errorf("got %v", err)
	}
}

func TestRefusals(t *testing.T) {
	g := registry(t, Config{Regions: 3, PerClient: 2, Bytes: 20000})
	good, loose, large := segmentOf(t, 8192, 0o600), segmentOf(t, 4096, 0o666), segmentOf(t, 16384, 0o600)
	if err := g.Register("there", Key(good.id), 0, 8192, Self()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, key    string
		offset, size int64
		want         string
	}{
		{"", Key(good.id), 0, 1, CodeName}, {"a/b", Key(good.id), 0, 1, CodeName}, {"é", Key(good.id), 0, 1, CodeName},
		{strings.Repeat("a", 129), Key(good.id), 0, 1, CodeName},
		{"there", Key(good.id), 0, 1, CodeTaken},
		{"p", "/plumb_x", 0, 1, CodeKey}, {"p", "Plumb", 0, 1, CodeKey}, {"p", "/secret", 0, 1, CodeKey}, {"p", "secret", 0, 1, CodeKey}, {"p", "", 0, 1, CodeKey},
		{"p", "sysv:", 0, 1, CodeKey}, {"p", "sysv:-1", 0, 1, CodeKey}, {"p", "sysv:+1", 0, 1, CodeKey}, {"p", "sysv:007", 0, 1, CodeKey},
		{"p", "sysv:4294967296", 0, 1, CodeKey}, {"p", "sysv:2147483647", 0, 1, CodeKey},
		{"p", Key(loose.id), 0, 1, CodeKey},
		{"p", Key(good.id), -1, 1, CodeRange}, {"p", Key(good.id), 0, 0, CodeRange}, {"p", Key(good.id), 0, -5, CodeRange},
		{"p", Key(good.id), 0, 8193, CodeRange}, {"p", Key(good.id), 8192, 1, CodeRange}, {"p", Key(good.id), 1, 8192, CodeRange},
		{"p", Key(good.id), math.MaxInt64, 1, CodeRange}, {"p", Key(good.id), 1, math.MaxInt64, CodeRange}, {"p", Key(good.id), math.MaxInt64, math.MaxInt64, CodeRange},
		{"p", Key(large.id), 0, 1, CodeLimit}, // what counts is the segment
	} {
		err := g.Register(c.name, c.key, c.offset, c.size, Self())
		if got := code(t, err); got != c.want {
			t.Errorf("%q %q %d %d: got %v; want %s", c.name, c.key, c.offset, c.size, err, c.want)
		}
		if key := strings.Trim(c.key, "/"); len(key) > 5 && err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("the text reveals the key: %v", err)
		}
	}
	for _, id := range []int{loose.id, large.id, good.id} {
		if n := attached(id); n != 1 && id != good.id || n > 2 {
			t.Errorf("segment %d is attached %d times", id, n)
		}
	}
	if err := g.Register("second", Key(good.id), 0, 1, Self()); err != nil {
		t.Fatal(err)
	}
	if err := g.Register("third", Key(good.id), 0, 1, Self()); code(t, err) != CodeLimit || !strings.Contains(err.Error(), "--max-shm-per-client") {
		t.Errorf("got %v; want the limit of a client", err)
	}
	if _, err := g.Status("nobody", Self()); code(t, err) != CodeUnknown {
		t.Errorf("got %v", err)
	}
}

func TestRanges(t *testing.T) {
	g, s := registry(t, Config{}), segmentOf(t, 4096, 0o600)
	if err := g.Register("a", Key(s.id), 96, 4000, Self()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ offset, size int64 }{
		{-1, 1}, {4000, 0}, {4000, 1}, {0, 4001}, {1, 4000}, {0, -1}, {math.MaxInt64, 1}, {1, math.MaxInt64}, {math.MinInt64, math.MinInt64},
	} {
		if p, err := g.Pin("a", c.offset, c.size, true, Self()); code(t, err) != CodeRange {
			t.Errorf("%v: got %v, %v; want %s", c, p, err, CodeRange)
		}
	}
	for _, c := range []struct{ offset, size int64 }{{0, 4000}, {3999, 1}, {3999, 0}} {
		p, err := g.Pin("a", c.offset, c.size, true, Self())
		if err != nil || p.Size() != int(c.size) {
			t.Fatalf("%v: %v", c, err)
		}
		p.Release()
	}
}

// nobody is a user that is not root.
const nobody = 65534

// A segment of another user is refused in the words for one that is not there.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a segment away")
	}
	g, s := registry(t, Config{}), segmentOf(t, 4096, 0o600)
	var d sysv.IdDs
	if _, err := sysv.Ctl(s.id, sysv.IPC_STAT, &d); err != nil {
		t.Fatal(err)
	}
	d.Perm.Uid = nobody
	if _, err := sysv.Ctl(s.id, sysv.IPC_SET, &d); err != nil {
		t.Fatal(err)
	}
	err, missing := g.Register("a", Key(s.id), 0, 1, Self()), g.Register("a", "sysv:2147483647", 0, 1, Self())
	if code(t, err) != CodeKey || err.Error() != missing.Error() {
		t.Errorf("got %v; want %v", err, missing)
	}
	if err := g.Register("a", Key(s.id), 0, 1, Peer{UID: nobody}); code(t, err) != CodeKey { // given away, not made by them
		t.Errorf("got %v", err)
	}
	if n := attached(s.id); n != 1 {
		t.Errorf("%d attached; want only ours", n)
	}
	h := other(t, "nobody", "") // made and owned by them
	if err := g.Register("a", Key(h.id), 0, 1, Self()); code(t, err) != CodeKey {
		t.Errorf("got %v; want it refused to anyone else", err)
	}
	if err := g.Register("a", Key(h.id), 0, 1, Peer{UID: nobody}); err != nil {
		t.Error(err)
	}
}

// The client removes its segment while it is in use: it stays until we let go.
func TestRemovedInUse(t *testing.T) {
	g, s := registry(t, Config{}), segmentOf(t, 4096, 0o600)
	if err := g.Register("a", Key(s.id), 0, 4096, Self()); err != nil {
		t.Fatal(err)
	}
	if err := sysv.Rm(s.id); err != nil {
		t.Fatal(err)
	}
	p, err := g.Pin("a", 0, 4096, true, Self()) // attached for writing only now
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	if err := p.Use(func(mem []byte) { mem[4095] = 7 }); err != nil || s.mem[4095] != 7 {
		t.Errorf("got %d, %v; want 7", s.mem[4095], err)
	}
}

// Unregister while a pin is held: the name goes at once, the memory later.
func TestUnregisterInUse(t *testing.T) {
	g, s := registry(t, Config{Regions: 1}), segmentOf(t, 4096, 0o600)
	if err := g.Register("a", Key(s.id), 0, 4096, Self()); err != nil {
		t.Fatal(err)
	}
	p, err := g.Pin("a", 0, 4096, true, Self())
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Unregister("a", Self()); err != nil || g.Count() != 0 {
		t.Errorf("got %v, %d regions", err, g.Count())
	}
	if _, err := g.Pin("a", 0, 1, false, Self()); code(t, err) != CodeUnknown {
		t.Errorf("got %v", err)
	}
	if err := g.Register("b", Key(s.id), 0, 1, Self()); code(t, err) != CodeLimit { // it still counts
		t.Errorf("got %v; want the limit", err)
	}
	if err := p.Use(func(mem []byte) { clear(mem); mem[9] = 9 }); err != nil || s.mem[9] != 9 {
		t.Errorf("got %d, %v", s.mem[9], err)
	}
	if n := attached(s.id); n != 3 { // ours, reading, writing
		t.Errorf("%d attached; want 3", n)
	}
	p.Release()
	if n := attached(s.id); n != 1 {
		t.Errorf("%d attached; want only ours", n)
	}
}

// Requests and unregistrations at once, many times: no fault, nothing left.
func TestConcurrent(t *testing.T) {
	g, s := registry(t, Config{}), segmentOf(t, 1<<16, 0o600)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 200 {
				p, err := g.Pin("a", int64(i), 1<<15, i%2 == 0, Self())
				if err != nil {
					continue
				}
				if err := p.Use(func(mem []byte) {
					if i%2 == 0 {
						mem[0]++
					} else {
						_ = bytes.Count(mem, []byte{1})
					}
				}); err != nil {
					t.Error(err)
				}
				p.Release()
			}
		})
	}
	for range 200 {
		if err := g.Register("a", Key(s.id), 0, 1<<16, Self()); err != nil {
			t.Error(err)
		}
		g.expire(time.Now().Add(time.Hour)) // its creator lives
		if err := g.Unregister("a", Self()); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	if n := attached(s.id); n != 1 {
		t.Errorf("%d attached; want only ours", n)
	}
}

// A dead client's region goes, and with it the segment that nobody else has.
func TestDeadCreator(t *testing.T) {
	g, h := registry(t, Config{Dir: t.TempDir()}), other(t, "client", "")
	if err := g.Register("a", Key(h.id), 0, 8192, Self()); err != nil {
		t.Fatal(err)
	}
	g.expire(time.Now())
	if g.Count() != 1 {
		t.Fatal("gone while its client lives")
	}
	h.kill()
	eventually(t, "region gone", func() bool { return g.Count() == 0 })
	eventually(t, "segment gone", func() bool { return attached(h.id) == -1 })
	if err := g.Register("a", Key(h.id), 0, 8192, Self()); code(t, err) != CodeKey {
		t.Errorf("got %v", err)
	}
}

// fake is memory that does as it is told.
type fake struct {
	state lease
	fails error
}

func (f *fake) size() int64            { return 10 }
func (f *fake) read() ([]byte, error)  { return make([]byte, 10), nil }
func (f *fake) write() ([]byte, error) { return nil, errors.New("sealed") }
func (f *fake) alive() lease           { return f.state }
func (f *fake) close() error           { return f.fails }

func (f *fake) register(t *testing.T, g *Registry, name string) {
	t.Helper()
	if err := g.add(&region{name: name, size: 10}, func(r *region) error { r.memory = f; return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestUnregisterAll(t *testing.T) {
	g := registry(t, Config{})
	(&fake{}).register(t, g, "a")
	(&fake{fails: errors.New("stuck")}).register(t, g, "b")
	(&fake{}).register(t, g, "c")
	err := g.UnregisterAll(Self())
	if code(t, err) != CodeRelease || !strings.Contains(err.Error(), `["b"]`) || g.Count() != 0 {
		t.Errorf("got %v and %d regions; want b named and none left", err, g.Count())
	}
	if err := g.UnregisterAll(Self()); err != nil {
		t.Error(err)
	}
}

// A creator that cannot be seen from here keeps its region by using it.
func TestIdle(t *testing.T) {
	g := registry(t, Config{Idle: time.Minute})
	(&fake{state: unseen}).register(t, g, "a")
	now := time.Now()
	g.expire(now.Add(59 * time.Second))
	if g.Count() != 1 {
		t.Fatal("gone too early")
	}
	p, err := g.Pin("a", 0, 1, false, Self())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Pin("a", 0, 1, true, Self()); code(t, err) != CodeKey {
		t.Errorf("got %v; want that it cannot be mapped for writing", err)
	}
	g.expire(now.Add(2 * time.Minute))
	if g.Count() != 0 {
		t.Error("still there")
	}
	if b, err := p.Copy(); err != nil || len(b) != 1 {
		t.Errorf("got %v, %v", b, err)
	}
	p.Release()
}

// A daemon that is killed with a client leaves a segment; the next one, and only
// that of the same folder, removes it. One whose client lives stays until then.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	daemon := other(t, "daemon", dir) // registers its own segment, so it is both
	if g := registry(t, Config{Dir: dir}); len(g.ledger.unremoved) != 0 || attached(daemon.id) != 1 {
		t.Fatalf("took over from a daemon that lives: %v", g.ledger.unremoved)
	}
	daemon.kill()
	if n := attached(daemon.id); n != 0 {
		t.Fatalf("got %d attached; want a segment that is left behind", n)
	}
	registry(t, Config{Dir: t.TempDir()})
	if attached(daemon.id) != 0 {
		t.Error("swept by the record of another folder")
	}
	registry(t, Config{Dir: dir})
	if attached(daemon.id) != -1 {
		t.Error("the segment is still there")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 { // ours
		t.Errorf("got %v; want our own file only", files)
	}
}

// What a dead daemon used is watched while its client lives, over several starts.
func TestSweepLater(t *testing.T) {
	dir, h := t.TempDir(), other(t, "client", "")
	g := registry(t, Config{Dir: dir})
	if err := g.Register("a", Key(h.id), 0, 1, Self()); err != nil {
		t.Fatal(err)
	}
	// As if this daemon had been killed: its file stays and names a dead process.
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(g.ledger.path)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Replace(b, fmt.Appendf(nil, `"pid":%d`, os.Getpid()), fmt.Appendf(nil, `"pid":%d`, dead.Process.Pid), 1)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "shm-1.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		next, err := Open(Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if attached(h.id) != 0 || len(next.ledger.unremoved) != 1 {
			t.Fatalf("%d attached, %v left; want it watched", attached(h.id), next.ledger.unremoved)
		}
		if err := next.Close(); err != nil {
			t.Fatal(err)
		}
	}
	last := registry(t, Config{Dir: dir})
	h.kill()
	eventually(t, "segment gone", func() bool { return attached(h.id) == -1 })
	eventually(t, "nothing watched", func() bool {
		last.ledger.mu.Lock()
		defer last.ledger.mu.Unlock()
		return len(last.ledger.unremoved) == 0
	})
}

// A record that was tampered with, or whose ids mean other segments by now,
// removes nothing; a folder that others may write to is refused.
func TestLedgerHostile(t *testing.T) {
	dir, s := t.TempDir(), segmentOf(t, 4096, 0o600)
	other := fmt.Sprintf(`{"pid":1,"born":1,"segments":[{"id":%d,"creator":%d,"made":1,"bytes":4096}]}`, s.id, os.Getpid())
	for name, text := range map[string]string{"shm-7.json": "nonsense", "shm-8.json": other, "shm-9.json": strings.Repeat(" ", maxFile+1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	registry(t, Config{Dir: dir})
	if attached(s.id) != 1 {
		t.Error("removed a segment that it did not know")
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), "--runtime-dir") {
		t.Errorf("got %v; want the folder refused", err)
	}
}

// What plumb doctor asks.
func TestProbe(t *testing.T) {
	if segment, sealed := Probe(); segment != nil || sealed != nil {
		t.Errorf("got %v and %v; want both to work where these tests do", segment, sealed)
	}
}
