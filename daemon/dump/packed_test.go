package dump

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"plumb/daemon/memory"
)

// fromHex returns the bytes of hexadecimal digits.
func fromHex(t *testing.T, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The two lines "a" and "b", and nothing, as bzip2 writes them.
const (
	bzip2Lines = "425a68313141592653593c854112000001410000103000200030cc0c7a8271772453850903c8541120"
	bzip2Empty = "425a683117724538509000000000"
)

// First bytes tell the compression, and only the whole mark does: text that begins like
// one is text.
func TestPacked(t *testing.T) {
	for _, c := range []struct {
		head   string
		packed string
	}{
		{"\x1f\x8b", "gzip"}, {"\x1f\x8b\x08", "gzip"}, {"\x1f", ""}, {"\x1f\x8a\x08\x08", ""}, {"\x1e\x8b\x08\x08", ""},
		{"\x28\xb5\x2f\xfd", "zstd"}, {"\x28\xb5\x2f", ""}, {"\x29\xb5\x2f\xfd", ""}, {"\x28\xb4\x2f\xfd", ""}, {"\x28\xb5\x2e\xfd", ""}, {"\x28\xb5\x2f\xfc", ""},
		{"\x50\x2a\x4d\x18", "zstd"}, {"\x5f\x2a\x4d\x18", "zstd"}, {"\x4f\x2a\x4d\x18", ""}, {"\x60\x2a\x4d\x18", ""},
		{"\x50\x2b\x4d\x18", ""}, {"\x50\x2a\x4e\x18", ""}, {"\x50\x2a\x4d\x19", ""},
		{"BZh11AY&SY", "bzip2"}, {"BZh91AY&SY", "bzip2"}, {"BZh5\x17rE8P\x90", "bzip2"}, {"BZh11AY&S", ""}, {"BZh01AY&SY", ""}, {"BZh:1AY&SY", ""},
		{"BZi11AY&SY", ""}, {"BZh11AY&SX", ""}, {"BZh1\x17rE8P\x91", ""}, {"BZh", ""}, {"", ""}, {"{}", ""},
	} {
		if got := IsCompressed([]byte(c.head)); got != (c.packed != "") {
			t.Errorf("Packed(%q): got %v; want %v", c.head, got, !got)
		}
		r, err := NewReader(strings.NewReader(c.head), Limits{})
		if err != nil { // only the head of gzip is read at once
			if c.packed != "gzip" || !strings.Contains(err.Error(), "gzip header") {
				t.Errorf("%q: got %v", c.head, err)
			}
			continue
		}
		if r.Compression() != c.packed {
			t.Errorf("%q: got %q; want %q", c.head, r.Compression(), c.packed)
		}
		r.Close()
	}
}

func TestBzip2(t *testing.T) {
	for digits, want := range map[string]string{bzip2Lines: "[1:a 2:b]", bzip2Empty: "[]"} {
		r, err := NewReader(bytes.NewReader(fromHex(t, digits)), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := text(t, r); err != nil || fmt.Sprint(got) != want || r.Compression() != "bzip2" {
			t.Errorf("got %v, %v, %q; want %s", got, err, r.Compression(), want)
		}
	}
}

// A section counts lines and bytes from where it begins. A byte order mark is one at the
// start of the input alone.
func TestSection(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
		at   int64
		want string
	}{
		{"a\nbc\nd", 1, 0, "1@0:a 2@2:bc 3@5:d"},
		{"a\nbc\n", 7, 100, "7@100:a 8@102:bc"},
		{"\xef\xbb\xbfa\nb\n", 1, 0, "1@3:a 2@5:b"},
		{"\xef\xbb\xbfa\nb\n", 2, 9, "2@9:\xef\xbb\xbfa 3@14:b"},
	} {
		r := NewSectionReader(strings.NewReader(c.text), Limits{}, c.line, c.at)
		var got []string
		for l, err := r.Next(); err == nil; l, err = r.Next() {
			got = append(got, fmt.Sprintf("%d@%d:%s", l.Number, l.Offset, l.Bytes))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q from line %d at %d: got %q; want %q", c.text, c.line, c.at, got, c.want)
		}
	}
}

// Close calls everything that is open, and returns the first error.
func TestCloseErrors(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	calls := 0
	fails := func(err error) func() error { return func() error { calls++; return err } }
	r := NewSectionReader(strings.NewReader(""), Limits{}, 1, 0)
	r.closers = []func() error{fails(nil), fails(first), fails(nil), fails(second)}
	if err := r.Close(); err != first || calls != 4 {
		t.Errorf("got %v after %d calls; want the first error after 4", err, calls)
	}
	if err := r.Close(); err != nil || calls != 4 {
		t.Errorf("got %v after %d calls; want nothing left to close", err, calls)
	}
}

// A line that is longer than the reader's buffer may have as many bytes as the limit says,
// without its end. A longer one is passed over in the memory of a limit.
func TestLongLines(t *testing.T) {
	const limit = 600_000
	full := strings.Repeat("x", limit)
	for _, c := range []struct {
		name, text, want string
		memory           int64 // bytes, 0 for any number
	}{
		{"at the limit", full + "\r\nb\n", "600000 1", 0},
		{"at the limit, last", full, "600000", 0},
		{"over the limit", full + "y\r\nb\n", "want at most 600000 (--max-line) 1", 0},
		{"far over the limit, in little memory", strings.Repeat(full, 20) + "\nb\n", "want at most 600000 (--max-line) 1", 3 * limit},
		{"without memory", full + "\nb\n", "busy 1", limit / 2},
		{"without memory, last", full, "busy", limit / 2},
	} {
		limits := Limits{Line: limit}
		var hold *memory.Hold
		if c.memory > 0 {
			pool := memory.New("--max-memory", c.memory, c.memory)
			pool.Wait = time.Second
			hold = pool.Hold("a")
			limits.Memory = hold
		}
		r, err := NewReader(strings.NewReader(c.text), limits)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for l, err := r.Next(); err == nil; l, err = r.Next() {
			switch {
			case l.Busy:
				got = append(got, "busy")
			case l.Fault != "":
				_, said, _ := strings.Cut(l.Fault, "; ")
				got = append(got, said)
			default:
				got = append(got, fmt.Sprint(len(l.Bytes)))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q; want %q", c.name, got, c.want)
		}
		r.Close()
		if n := hold.Held(); n != 0 {
			t.Errorf("%s: %d bytes are still held", c.name, n)
		}
	}
}

// The memory of a line of more than keepLine bytes is given back with the next line, that
// of a shorter one is used again.
func TestKeptBuffer(t *testing.T) {
	for _, c := range []struct {
		n    int
		kept bool
	}{{1 << 20, true}, {keepLine, true}, {keepLine + 1, false}} {
		pool := memory.New("--max-memory", 1<<30, 1<<30)
		hold := pool.Hold("a")
		r, err := NewReader(strings.NewReader(strings.Repeat("x", c.n-1)+"\nb\n"), Limits{Line: c.n - 1, Memory: hold})
		if err != nil {
			t.Fatal(err)
		}
		r.longLine = make([]byte, 0, c.n)
		if err := r.reserveMemory(c.n); err != nil {
			t.Fatal(err)
		}
		r.src.Discard(c.n)
		if l, err := r.Next(); err != nil || string(l.Bytes) != "b" || (hold.Held() > 0) != c.kept {
			t.Errorf("a buffer of %d bytes: got %q, %v and %d bytes held; want it kept: %v", c.n, l.Bytes, err, hold.Held(), c.kept)
		}
		r.Close()
	}
}

// The name of a file loses one ending of a compression.
func TestWithoutCompression(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "a": "a", "a.jsonl": "a.jsonl", "a.jsonl.gz": "a.jsonl", "a.zst": "a", "a.bz2": "a", "a.GZ": "a", "a.b.Zst": "a.b",
		"a.gz.bz2": "a.gz", "a.gz.jsonl": "a.gz.jsonl", "agz": "agz", "a.xz": "a.xz", "gz/a.bz2": "gz/a",
	} {
		if got := WithoutCompression(name); got != want {
			t.Errorf("%q: got %q; want %q", name, got, want)
		}
	}
}
