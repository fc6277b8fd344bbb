package bucket

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"plumb/daemon/jobs"
	"plumb/daemon/records/address"
)

// stores are object stores that treat the condition If-None-Match: * in different ways.
var stores = map[string]func(backend gofakes3.Backend, next http.Handler) http.Handler{
	"keeps the condition": func(backend gofakes3.Backend, next http.Handler) http.Handler {
		var mu sync.Mutex // of the condition and what depends on it
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") == "*" {
				mu.Lock()
				defer mu.Unlock()
				// The library under the test keeps it for whole objects, and not for the end of an upload in parts.
				if _, err := backend.HeadObject("runs", strings.TrimPrefix(r.URL.Path, "/runs/")); err == nil {
					w.WriteHeader(http.StatusPreconditionFailed)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	},
	"ignores the condition": func(_ gofakes3.Backend, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("If-None-Match")
			next.ServeHTTP(w, r)
		})
	},
	"refuses the condition": func(_ gofakes3.Backend, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotImplemented)
				return
			}
			next.ServeHTTP(w, r)
		})
	},
}

// open starts a store and returns the files of a job in it, and the number of objects put in parts.
func open(t *testing.T, wrap func(gofakes3.Backend, http.Handler) http.Handler) (*Store, *atomic.Int64) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("runs"); err != nil {
		t.Fatal(err)
	}
	var parts atomic.Int64
	inner := wrap(backend, gofakes3.New(backend).Server())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && r.URL.Query().Get("partNumber") != "" {
			parts.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	s, err := Open(&address.Options{Endpoint: server.URL, Region: "us-east-1"}, "s3://runs/jobs/one/")
	if err != nil {
		t.Fatal(err)
	}
	return s, &parts
}

// filler writes those bytes.
func filler(b []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}

// read returns the bytes of an object.
func read(t *testing.T, s *Store, name string) []byte {
	t.Helper()
	f, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestStore checks what jobs ask of a store. See docs/spec/jobs.md#r11.
func TestStore(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), partSize/16+1000)
	for name, wrap := range stores {
		t.Run(name, func(t *testing.T) {
			s, parts := open(t, wrap)
			for _, b := range [][]byte{nil, []byte("{}\n"), large} {
				for range 2 { // the second time the object is there
					if err := s.Create("part-0", filler(b)); err != nil {
						t.Fatalf("%d bytes: %v", len(b), err)
					}
				}
				if got := read(t, s, "part-0"); !bytes.Equal(got, b) {
					t.Errorf("got %d bytes; want %d", len(got), len(b))
				}
				if info, err := s.Stat("part-0"); err != nil || info.Size != int64(len(b)) {
					t.Errorf("got %+v, %v; want %d bytes", info, err, len(b))
				}
				other := append(slices.Clone(b), '!')
				err := s.Create("part-0", filler(other))
				if name == "ignores the condition" {
					if err != nil || !bytes.Equal(read(t, s, "part-0"), other) {
						t.Errorf("got %v; want the bytes that were written last", err)
					}
				} else if !errors.Is(err, jobs.ErrTaken) || !bytes.Equal(read(t, s, "part-0"), b) {
					t.Errorf("other bytes: got %v; want the first ones to stay", err)
				}
				if err := s.Replace("part-0", filler(other)); err != nil || !bytes.Equal(read(t, s, "part-0"), other) {
					t.Errorf("replaced: got %v; want the new bytes", err)
				}
				if err := s.Remove("part-0"); err != nil {
					t.Error(err)
				}
			}
			if parts.Load() == 0 {
				t.Error("no object was put in parts")
			}
			if _, err := s.Open("part-0"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v; want that it is not there", err)
			}
			if _, err := s.Stat("part-0"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v; want that it is not there", err)
			}
		})
	}
}

// Of many processes that write one name at once, with different bytes, one wins.
func TestCreateAtOnce(t *testing.T) {
	s, _ := open(t, stores["keeps the condition"])
	var won atomic.Int64
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			switch err := s.Create("manifest.jsonl", filler([]byte{byte(i)})); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, jobs.ErrTaken):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d writers were told that the object is theirs; want 1", won.Load())
	}
}

// Clear removes what jobs make, and nothing else under the prefix.
func TestClear(t *testing.T) {
	s, _ := open(t, stores["keeps the condition"])
	for _, name := range []string{"manifest.jsonl", "part-0", "part-0.done", "begun-x", "_SUCCESS", "summary.json", "mine.txt"} {
		if err := s.Replace(name, filler([]byte("x"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Clear("part-0"); err != nil {
		t.Fatal(err)
	}
	list, err := s.List("")
	var names []string
	for _, info := range list {
		names = append(names, info.Name)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); err != nil || got != "mine.txt part-0" {
		t.Errorf("got %s, %v; want mine.txt and what was to be kept", got, err)
	}
}

func TestAddress(t *testing.T) {
	for at, want := range map[string]string{"s3://b": "no prefix", "s3://b/": "no prefix", "s3:///x": "no bucket", "https://b/x": "want s3://", "gs://b/x": "want s3://"} {
		if _, err := Open(new(address.Options), at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", at, err, want)
		}
	}
}

// A job in a store begins, dies and goes on as one in a folder does.
func TestJob(t *testing.T) {
	s, _ := open(t, stores["keeps the condition"])
	h := jobs.Header{Plumb: "1", Inputs: []jobs.Input{{Path: "/a", Name: "a"}}}
	plan := func(give func(jobs.Shard) error) error {
		return errors.Join(give(jobs.Shard{To: 1, Line: 1, Lines: 1}), give(jobs.Shard{From: 1, To: 2, Line: 2, Lines: 1}))
	}
	j, err := jobs.Create(s, h, plan)
	if err != nil {
		t.Fatal(err)
	}
	h.Args = []string{"score", "--driver", "index"} // of another process that plans it at once
	if again, err := jobs.Create(s, h, plan); err != nil || again.Shards != 2 || len(again.Header.Args) != 0 {
		t.Errorf("got %+v, %v; want the first manifest", again, err)
	}
	if err := j.Commit(jobs.Part{}, []byte("{}\n"), jobs.Marker{Lines: 1, Last: true}); err != nil {
		t.Fatal(err)
	}
	if st, err := j.Status(); err != nil || st.Done != 1 || st.Scored != 1 {
		t.Errorf("got %+v, %v; want one of two", st, err)
	}
	if list, err := j.Undone(); err != nil || len(list) != 1 || list[0] != 1 {
		t.Errorf("got %v, %v; want shard 1", list, err)
	}
	g, err := j.Journal("run")
	if err == nil {
		err = errors.Join(g.Begin(jobs.Part{Shard: 0}), g.Begin(jobs.Part{Shard: 1}))
	}
	if err != nil {
		t.Fatal(err)
	}
	dead := "begun-" + "0123456789abcdef-1-5-run" // of another machine, which wrote it just now
	if err := s.Replace(dead, filler([]byte(`{"shard":1}`+"\n"))); err != nil {
		t.Fatal(err)
	}
	died, running, err := j.Begun()
	if err != nil || len(died) != 0 || running[jobs.Part{Shard: 1}] != 2 {
		t.Errorf("got %v, %v, %v; want two runs at shard 1", died, running, err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if died, running, err := j.Begun(); err != nil || len(died) != 0 || running[jobs.Part{Shard: 1}] != 1 {
		t.Errorf("got %v, %v, %v; want the other run alone", died, running, err)
	}
	if err := s.Replace("part-0", filler([]byte("[]\n"))); err != nil { // damaged behind its marker
		t.Fatal(err)
	}
	if _, _, ok, err := j.Read(jobs.Part{}); ok || err != nil {
		t.Errorf("a damaged part counts, or %v", err)
	}
	if err := j.Remove(); err != nil {
		t.Error(err)
	}
	if list, err := s.List(""); err != nil || len(list) != 0 {
		t.Errorf("got %v, %v; want nothing", list, err)
	}
}
