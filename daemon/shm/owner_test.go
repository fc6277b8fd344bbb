package shm

import (
	"os"
	"testing"
)

// A region belongs to whoever registered it: processes of other users do not see
// it, and other processes of the same user may use it but not take it away.
func TestOwnedByProcess(t *testing.T) {
	g, s := registry(t, Config{}), segmentOf(t, 4096, 0o600)
	uid := uint32(os.Geteuid())
	own, sibling, stranger := Peer{uid, 100}, Peer{uid, 101}, Peer{uid + 1, 100}
	if err := g.Register("a", Key(s.id), 0, 4096, own); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		who                   Peer
		use, show, unregister string
		all                   int // regions seen
	}{
		{stranger, CodeUnknown, CodeUnknown, CodeUnknown, 0},
		{sibling, "", "", CodeOwner, 1},
		{Self(), "", "", CodeOwner, 1},
	} {
		p, err := g.Pin("a", 0, 1, true, c.who)
		if got := codeOrNone(t, err); got != c.use {
			t.Errorf("%+v: use: got %v; want %q", c.who, err, c.use)
		}
		if err == nil {
			p.Release()
		}
		if _, err := g.Status("a", c.who); codeOrNone(t, err) != c.show {
			t.Errorf("%+v: status: got %v; want %q", c.who, err, c.show)
		}
		if list, err := g.Status("", c.who); err != nil || len(list) != c.all {
			t.Errorf("%+v: status of all: got %v, %v; want %d", c.who, list, err, c.all)
		}
		if err := g.Unregister("a", c.who); codeOrNone(t, err) != c.unregister {
			t.Errorf("%+v: unregister: got %v; want %q", c.who, err, c.unregister)
		}
		if err := g.UnregisterAll(c.who); err != nil || g.Count() != 1 {
			t.Errorf("%+v: unregister all: got %v, %d regions left; want none of others' gone", c.who, err, g.Count())
		}
	}
	if err := g.Unregister("a", own); err != nil || g.Count() != 0 {
		t.Errorf("its own process: got %v, %d regions left", err, g.Count())
	}
}

// A region that came over the socket is its process's: a request of another one
// cannot take it away, over whatever way it comes.
func TestSocketOwner(t *testing.T) {
	g := registry(t, Config{})
	dial := socketOf(t, g)
	c := dial()
	if r := c.ask(t, `{"register":{"name":"m","byte_size":4096}}`, memfd(t, 4096, fixed)); !r.OK {
		t.Fatal(r)
	}
	for _, other := range []Peer{{uint32(os.Geteuid()), int32(os.Getpid() + 1)}, Self()} {
		if err := g.Unregister("m", other); code(t, err) != CodeOwner {
			t.Errorf("%+v: got %v; want it refused", other, err)
		}
	}
	if r := dial().ask(t, `{"unregister":{"name":"m"}}`); !r.OK { // the same process
		t.Error(r)
	}
}

func codeOrNone(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	return code(t, err)
}
