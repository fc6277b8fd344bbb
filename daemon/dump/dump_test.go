package dump

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstded(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// text reads everything as "N:line" or "N!fault".
func text(t testing.TB, r *Reader) (lines []string, err error) {
	t.Helper()
	for {
		l, err := r.Next()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		if l.Fault != "" {
			lines = append(lines, fmt.Sprintf("%d!%s", l.Number, l.Fault))
			continue
		}
		lines = append(lines, fmt.Sprintf("%d:%s", l.Number, l.Bytes))
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	for name, c := range map[string]struct {
		in    string
		limit int
		want  []string
	}{
		"empty":            {in: ""},
		"only blank":       {in: "\n \r\n\t"},
		"two":              {in: "a\nb\n", want: []string{"1:a", "2:b"}},
		"no final newline": {in: "a\nb", want: []string{"1:a", "2:b"}},
		"blank between":    {in: "a\n\n  \nb\n", want: []string{"1:a", "4:b"}},
		"CRLF":             {in: "a\r\nb\r\n", want: []string{"1:a", "2:b"}},
		"BOM":              {in: "\xef\xbb\xbfa\nb", want: []string{"1:a", "2:b"}},
		"torn":             {in: "a\n{\"id\":", want: []string{"1:a", "2:{\"id\":"}},
		"past the buffer":  {in: long + "\n" + long, want: []string{"1:" + long, "2:" + long}},
		"too long": {in: "a\nbcdef\nxyz\n", limit: 3,
			want: []string{"1:a", "2!cannot read line 2: it has 5 bytes; want at most 3 (--max-line)", "3:xyz"}},
		"too long, CRLF at the limit": {in: "abc\r\nabcd\r\n", limit: 3,
			want: []string{"1:abc", "2!cannot read line 2: it has 4 bytes; want at most 3 (--max-line)"}},
		"far too long": {in: long + "\nb", limit: 1000,
			want: []string{"1!cannot read line 1: it has 300001 bytes; want at most 1000 (--max-line)", "2:b"}},
		"too long and last": {in: "a\n" + long, limit: 1000,
			want: []string{"1:a", "2!cannot read line 2: it has 300000 bytes; want at most 1000 (--max-line)"}},
		"invalid UTF-8": {in: "\xff\n", want: []string{"1:\xff"}},
	} {
		for packing, pack := range map[string]func(testing.TB, []byte) []byte{
			"plain": func(_ testing.TB, b []byte) []byte { return b }, "gzip": gzipped, "zstd": zstded,
		} {
			r, err := NewReader(bytes.NewReader(pack(t, []byte(c.in))), Limits{Line: c.limit})
			if err != nil {
				t.Errorf("%s, %s: %v", name, packing, err)
				continue
			}
			got, err := text(t, r)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s, %s: got %.300q, %v; want %.300q", name, packing, got, err, c.want)
			}
			r.Close()
		}
	}
}

// Members and frames that follow each other are one input.
func TestConcatenated(t *testing.T) {
	for name, b := range map[string][]byte{
		"gzip": append(gzipped(t, []byte("a\nb")), gzipped(t, []byte("c\n"))...),
		"zstd": append(zstded(t, []byte("a\nb")), zstded(t, []byte("c\n"))...),
		"skippable frame first": append([]byte{0x5e, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9},
			zstded(t, []byte("a\nbc\n"))...),
	} {
		r, err := NewReader(iotest.OneByteReader(bytes.NewReader(b)), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := text(t, r); err != nil || fmt.Sprint(got) != "[1:a 2:bc]" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// What was cut off gives its whole lines, the torn one as a fault, and an error.
func TestTruncated(t *testing.T) {
	var in strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&in, "{\"id\":\"%d\",\"x\":%d}\n", i, i*i*7919%10007)
	}
	for name, b := range map[string][]byte{"gzip": gzipped(t, []byte(in.String())), "zstd": zstded(t, []byte(in.String()))} {
		r, err := NewReader(bytes.NewReader(b[:len(b)/2]), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		n, faults := 0, 0
		for {
			l, e := r.Next()
			if e != nil {
				err = e
				break
			}
			n++
			if l.Fault != "" {
				faults++
			} else if want := fmt.Sprintf(`{"id":"%d"`, l.Number-1); !strings.HasPrefix(string(l.Bytes), want) {
				t.Fatalf("%s: line %d: got %q", name, l.Number, l.Bytes)
			}
		}
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v; want an error that names it", name, err)
		}
		if err == io.EOF || faults > 1 || name == "gzip" && n < 1000 {
			t.Errorf("%s: got %d lines, %d faults, %v; want an error at the end", name, n, faults, err)
		}
	}
	if _, err := NewReader(bytes.NewReader([]byte{0x1f, 0x8b, 8}), Limits{}); err == nil {
		t.Error("got a reader of three bytes of gzip")
	}
}

// A bomb ends in bounded time and memory, with an error that names the flag.
func TestRatio(t *testing.T) {
	zeros := make([]byte, 40<<20)
	for name, b := range map[string][]byte{"gzip": gzipped(t, zeros), "zstd": zstded(t, zeros)} {
		r, err := NewReader(bytes.NewReader(b), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = text(t, r)
		if !errors.Is(err, ErrRatio) || !strings.Contains(err.Error(), "--max-ratio") {
			t.Errorf("%s: got %v; want ErrRatio", name, err)
		}
		if r, err = NewReader(bytes.NewReader(b), Limits{Ratio: 1 << 30}); err != nil {
			t.Fatal(err)
		}
		if _, err = text(t, r); err != nil {
			t.Errorf("%s: got %v with a higher limit; want none", name, err)
		}
	}
}

// TestRatioBounds checks the bounds on both sides: 1 MiB is allowed of any input, and then Ratio
// times what was read.
func TestRatioBounds(t *testing.T) {
	zeros := make([]byte, 4<<20)
	if l := (Limits{}).WithDefaults(); l.Ratio != 200 {
		t.Errorf("got a ratio of %d by default; want 200 as documented", l.Ratio)
	}
	for _, c := range []struct {
		packed int64
		out    int
		ok     bool
	}{{1, 1 << 20, true}, {1, 1<<20 + 1, false}, {10_000, 2_000_000, true}, {10_000, 2_000_001, false}} {
		r := &BoundedReader{Src: bytes.NewReader(zeros[:c.out]), Format: "gzip", PackedBytes: &c.packed, Ratio: 200}
		n, err := io.Copy(io.Discard, r)
		if c.ok != (err == nil) || !c.ok && !errors.Is(err, ErrRatio) {
			t.Errorf("%d bytes from %d: got %d, %v; want ok %v", c.out, c.packed, n, err, c.ok)
		}
	}
}

func TestReadErrorIsReported(t *testing.T) {
	r, err := NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("disk"))), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := text(t, r)
	if err == nil || err.Error() != "disk" || len(got) != 2 || !strings.Contains(got[1], "broke off after 1 bytes") {
		t.Errorf("got %q, %v; want line a, a fault and the error", got, err)
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.jsonl")
	if _, err := Open(path, Limits{}); err == nil || !strings.HasPrefix(err.Error(), "cannot open dump") {
		t.Errorf("got %v; want an error", err)
	}
	if err := os.WriteFile(path, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := text(t, r); err != nil || len(got) != 1 || r.Offset() != 2 {
		t.Errorf("got %q, %v, offset %d", got, err, r.Offset())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzReader: no input makes the reader panic, lose count or give a line twice.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\r\n\n{}"), 5)
	f.Add(gzipped(f, []byte("a\nb")), 100)
	f.Add(zstded(f, []byte("a\nb")), 100)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		r, err := NewReader(bytes.NewReader(b), Limits{Line: limit & 0xfff})
		if err != nil {
			return
		}
		defer r.Close()
		last := 0
		for {
			l, err := r.Next()
			if err != nil {
				return
			}
			if l.Number <= last || (l.Fault == "") == (l.Bytes == nil) || bytes.ContainsRune(l.Bytes, '\n') {
				t.Fatalf("got line %d %q %q after line %d", l.Number, l.Bytes, l.Fault, last)
			}
			last = l.Number
		}
	})
}
