package documents

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"

	"plumb/daemon/records/archive"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
)

// largeSize returns how many bytes a made-up document has: 300 MB, or PLUMB_LARGE of them (4 GB:
// PLUMB_LARGE=4e9 go test -run Large -timeout 30m ./daemon/records/documents).
func largeSize(t *testing.T) int64 {
	if s := os.Getenv("PLUMB_LARGE"); s != "" {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatalf("PLUMB_LARGE=%s: %v", s, err)
		}
		return int64(f)
	}
	if testing.Short() {
		return 30e6
	}
	return 300e6
}

// noise returns JSON text of n bytes that compresses about as badly as pictures in base64 do.
func noise(n int) []byte {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{7}).Read(b)
	for i := range b {
		b[i] = letters[b[i]&63]
	}
	return b
}

// repeated is a text of a head, many parts that are made as they are read, and a tail.
type repeated struct {
	rest  []byte
	part  func(i int) []byte
	i, n  int
	tail  string
	ended bool
}

// Read implements io.Reader.
func (r *repeated) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		switch {
		case r.i < r.n:
			r.rest = r.part(r.i)
			r.i++
		case !r.ended:
			r.rest, r.ended = []byte(r.tail), true
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// flat reads all records, of which there are n, and checks that the heap stays small and that the
// answers are right.
func flat(t *testing.T, src record.Source, n int) {
	t.Helper()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before, peak := m.HeapInuse, uint64(0)
	for i := range n {
		r, err := src.Next()
		if err != nil || r.Fault != "" {
			t.Fatalf("record %d of %d: %v %s", i, n, err, r.Fault)
		}
		if want := fmt.Sprint("answer ", i); r.Response != want {
			t.Fatalf("record %d: got %.40q; want %q", i, r.Response, want)
		}
		if i%(n/50+1) == 0 {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}
	}
	if _, err := src.Next(); err != io.EOF {
		t.Errorf("after %d records: %v; want the end", n, err)
	}
	const most = 64 << 20
	t.Logf("%d records; the heap grew by %d kB", n, (int64(peak)-int64(before))>>10)
	if int64(peak)-int64(before) > most {
		t.Errorf("the heap grew by %d bytes; want at most %d", peak-before, most)
	}
}

// TestLargeDocuments reads documents of one line in constant memory. See docs/spec/dumps-files.md#r1.
func TestLargeDocuments(t *testing.T) {
	skipped := noise(1 << 20)
	for _, c := range []struct {
		name             string
		head, part, tail string
		read             func(*input.Input, Options) (record.Source, error)
	}{
		{"inspect", `{"version":2,"eval":{"model":"m"},"samples":[`,
			`{"id":%d,"epoch":1,"messages":[{"content":"%s"}],"output":{"choices":[{"message":{"content":"answer %d"}}]},"events":[{"x":[NaN,"\"]"]}]}`, `]}`, InspectJSON},
		{"HELM", `{"request_states":[`,
			`{"instance":{"id":"%d","input":{"text":"%s"}},"result":{"success":true,"completions":[{"text":"answer %d","tokens":[{"logprob":-Infinity}]}]}}`, `],"adapter_spec":{}}`, HELM},
	} {
		n := int(largeSize(t) / int64(len(skipped)))
		doc := &repeated{rest: []byte(c.head), n: n, tail: c.tail, part: func(i int) []byte {
			text := fmt.Appendf(nil, c.part, i, skipped, i)
			if i > 0 {
				text = append([]byte{','}, text...)
			}
			return text
		}}
		in, err := input.Open("-", doc, input.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		src, err := c.read(in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		flat(t, src, n)
		in.Close()
	}
}

// TestLargeLog reads an archive in constant memory, whatever the number and size of its samples.
func TestLargeLog(t *testing.T) {
	size := largeSize(t)
	path := filepath.Join(t.TempDir(), "log.eval")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	w.RegisterCompressor(archive.Zstd, func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	})
	skipped := noise(8 << 20)
	put := func(name string, text []byte, method uint16) {
		e, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = e.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("header.json", []byte(header.text), zip.Deflate)
	n := int(size / int64(len(skipped)))
	for i := range n {
		var text bytes.Buffer
		fmt.Fprintf(&text, `{"id":%d,"epoch":1,"output":{"choices":[{"message":{"content":"answer %d"}}]},"events":["%s"]}`, i, i, skipped)
		put(fmt.Sprintf("samples/%d_epoch_1.json", i), text.Bytes(), archive.Zstd)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := input.Open(path, nil, input.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	src, err := Inspect(in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	flat(t, src, n)
}
