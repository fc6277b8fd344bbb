package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"plumb/render"
)

var silent = slog.New(slog.DiscardHandler)

// The watchdog is fed while beats succeed and not while they fail; work is
// refused only after several failures in a row.
func TestPulse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "30000")
	results := make(chan error)
	p := newPulse(func(context.Context) error { // a beat is as long as the test needs to say how it ends
		select {
		case err := <-results:
			return err
		case <-t.Context().Done():
			return t.Context().Err()
		}
	}, time.Hour, silent)
	if p.interval != 10*time.Millisecond {
		t.Errorf("got %v between beats; want a third of the watchdog's 30 ms", p.interval)
	}
	died := make(chan error, 1)
	p.onDead = func(err error) { died <- err }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go p.run(ctx)
	said := func() string {
		b := make([]byte, 100)
		c.SetReadDeadline(time.Now().Add(2 * time.Minute))
		n, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	broken := errors.New("no answer")
	for i, step := range []struct {
		err  error
		down bool
	}{{nil, false}, {broken, false}, {broken, false}, {broken, true}, {nil, false}} {
		results <- step.err
		if step.err == nil {
			if got := said(); got != "WATCHDOG=1" {
				t.Errorf("step %d: the manager heard %q", i, got)
			}
		}
		for (p.whyUnready() != nil) != (step.err != nil) || (p.whyDown() != nil) != step.down {
			time.Sleep(time.Millisecond) // the beat is just being noted; a wrong one never ends
		}
	}
	c.SetReadDeadline(time.Now().Add(-time.Second))
	if n, err := c.Read(make([]byte, 100)); err == nil {
		t.Errorf("the manager heard %d bytes more; want nothing of failed beats", n)
	}
	results <- render.ErrDead
	if err := <-died; !errors.Is(err, render.ErrDead) {
		t.Errorf("got %v; want that the device is dead", err)
	}
}

// A socket is handed to processes that ask for its address, and to no others.
func TestHandover(t *testing.T) {
	ln, err := listenTCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(ln)
	addr := ln.Addr().String()
	if _, err := takeOver(addr); err != errNoListener {
		t.Errorf("before it is offered: got %v; want %v", err, errNoListener)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go offer(ctx, f, silent)
	var next net.Listener
	for next == nil {
		if next, err = takeOver(addr); err != nil && err != errNoListener {
			t.Fatal(err)
		}
	}
	if next.Addr().String() != addr {
		t.Fatalf("got %v; want %v", next.Addr(), addr)
	}
	for !f.shared.Load() {
		time.Sleep(time.Millisecond)
	}
	// What waits when the older one leaves is the newer one's.
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f.stopAccepting()
	if _, err := f.Accept(); err != io.EOF {
		t.Errorf("got %v; want the end: the connection is for the newer process", err)
	}
	f.Close()
	got, err := newFront(next).Accept()
	if err != nil {
		t.Fatal(err)
	}
	got.Close()
	next.Close()
	if _, err := takeOver("127.0.0.1:0"); err != errNoListener {
		t.Errorf("a free port: got %v; want %v", err, errNoListener)
	}
}

// An impostor's descriptor is not listened on.
func TestHandoverOfSomethingElse(t *testing.T) {
	other, err := listenTCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	want := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	desk, err := net.ListenUnix("unix", handoverAddress(want))
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	go func() {
		c, err := desk.AcceptUnix()
		if err != nil {
			return
		}
		sendSocket(c, other.(*net.TCPListener))
		c.Close()
	}()
	if ln, err := takeOver(want.String()); err == nil || err == errNoListener {
		t.Errorf("got %v, %v; want a refusal", ln, err)
	}
}

// Where nobody shares a socket, all that waits in it is taken before the end.
func TestFrontIsEmptied(t *testing.T) {
	ln, err := listenTCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(ln)
	for range 20 {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	f.stopAccepting()
	n := 0
	for ; ; n++ {
		c, err := f.Accept()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	if n != 20 {
		t.Errorf("got %d connections; want all 20", n)
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
}

// A client that never stops connecting does not keep a daemon from stopping.
func TestFrontEnds(t *testing.T) {
	ln, err := listenTCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(ln)
	defer f.Close()
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
			if c, err := net.Dial("tcp", ln.Addr().String()); err == nil {
				c.Close()
			}
		}
	}()
	f.stopAccepting()
	for {
		c, err := f.Accept()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
}

func TestPrivate(t *testing.T) {
	for addr, ok := range map[string]bool{
		"127.0.0.1:8000": true, "localhost:0": true, "[::1]:8000": true, "127.9.9.9:1": true,
		"0.0.0.0:8000": false, ":8000": false, "[::]:8000": false, "10.0.0.1:80": false, "192.0.2.7:0": false,
		"256.0.0.1:1": true, // the listener says what is wrong with it
	} {
		if err := rejectRemote(addr, "--listen"); (err == nil) != ok {
			t.Errorf("%s: got %v; want %v", addr, err, ok)
		}
	}
}
