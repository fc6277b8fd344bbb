package event_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plumb/daemon/trace/event"
	"plumb/daemon/trace/tracetest"
)

func TestWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	w, err := event.Create(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Label(1, 2, "worker")
	if err == nil {
		err = w.Write(event.Event{Name: "a", At: 1500, Took: -1, Row: 2, Args: map[string]any{"n": 1.0}})
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; err == nil; i++ {
		if err = w.Write(event.Event{Name: "b", Took: time.Second}); i > 100 {
			t.Fatal("it has no bound")
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	got, err := tracetest.Events(b)
	if err != nil || len(b) > 1000 || len(got) < 4 {
		t.Fatalf("got %d events in %d bytes, %v", len(got), len(b), err)
	}
	if m := got[0]; m.Phase != "M" || m.Row != 2 || m.Args["name"] != "worker" {
		t.Errorf("got label %+v", m)
	}
	if a := got[1]; a.Name != "a" || a.Phase != "X" || a.At != 1500 || a.Took != 0 || a.Args["n"] != 1.0 || a.Group != 1 {
		t.Errorf("got event %+v", a)
	}
}

// TestLimit checks that a file is never larger than its limit, for all limits around the size of one event.
func TestLimit(t *testing.T) {
	var whole bytes.Buffer
	w := event.New(&whole, 1000)
	if err := errors.Join(w.Write(event.Event{Name: "a"}), w.Close()); err != nil {
		t.Fatal(err)
	}
	for limit := whole.Len() - 3; limit <= whole.Len()+3; limit++ {
		var out bytes.Buffer
		w := event.New(&out, int64(limit))
		err := w.Write(event.Event{Name: "a"})
		w.Close()
		if fits := limit >= whole.Len(); (err == nil) != fits || fits && out.Len() != whole.Len() {
			t.Errorf("limit %d: got %v and %d bytes; want an event of %d bytes to fit: %v", limit, err, out.Len(), whole.Len(), fits)
		}
	}
}

func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	w, err := event.Create(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	if got, err := tracetest.Events(b); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v of %q", got, err, b)
	}
}
