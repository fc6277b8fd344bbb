package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"plumb/daemon/records/input"
)

// zipped returns an archive with an entry for each name, and a comment, as the standard library writes it.
func zipped(t testing.TB, comment string, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, name := range names {
		e, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: []uint16{zip.Store, zip.Deflate}[i%2], Extra: []byte{9, 9, 1, 0, 7}, Comment: comment})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(e, "contents of %s", name)
	}
	if err := w.SetComment(comment); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// manyEntries returns an archive of n entries without contents.
func manyEntries(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range n {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sameDirectory checks that an archive has the entries that the standard library finds in it, or none for both.
func sameDirectory(t *testing.T, b []byte) (ok bool) {
	t.Helper()
	want, wantErr := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	got, err := readDirectory(bytes.NewReader(b), int64(len(b)), 1<<20)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%x: got %v; want %v", b, err, wantErr)
	}
	if err != nil {
		return false
	}
	if len(got) != len(want.File) {
		t.Fatalf("%x: got %d entries; want %d", b, len(got), len(want.File))
	}
	a := &Archive{window: newWindow(bytes.NewReader(b), int64(len(b))), size: int64(len(b))}
	for i, w := range want.File {
		f := &got[i]
		if f.Name != w.Name || f.PackedSize != w.CompressedSize64 || f.Size != w.UncompressedSize64 || f.CRC32 != w.CRC32 || f.Method != w.Method || f.Flags != w.Flags {
			t.Fatalf("%x: entry %d: got %+v; want %+v", b, i, f, w.FileHeader)
		}
		at, err := a.contentsOffset(f)
		if wantAt, wantErr := w.DataOffset(); (err == nil) != (wantErr == nil) || err == nil && at != wantAt {
			t.Fatalf("%x: entry %d: got contents at %d, %v; want %d, %v", b, i, at, err, wantAt, wantErr)
		}
	}
	return true
}

// TestDirectory checks archives of all sizes against the standard library: with comments, with other bytes in
// front, with more entries than 16 bits count, and with numbers of 64 bits.
func TestDirectory(t *testing.T) {
	small := zipped(t, "", "a", "b/ü c", "", "a")
	for name, b := range map[string][]byte{
		"none": zipped(t, ""), "small": small, "comments": zipped(t, strings.Repeat("PK\x05", 9000), "a", "b"),
		"bytes in front": append([]byte("#!/bin/sh\nPK\x01\x02"), small...), "66,000": manyEntries(t, 66_000), "large": inflated(t, small),
	} {
		if !sameDirectory(t, b) {
			t.Errorf("%s: not read", name)
		}
	}
	for name, b := range map[string][]byte{"empty": nil, "short": []byte("PK\x03\x04"), "no end": small[:len(small)-1]} {
		if sameDirectory(t, b) {
			t.Errorf("%s: read", name)
		}
	}
	if _, err := readDirectory(bytes.NewReader(small), int64(len(small)), 3); !errors.Is(err, errTooMany) {
		t.Errorf("got %v; want an error for four entries", err)
	}
}

// inflated returns an archive whose directory has the numbers of one entry in 64 bits, although they are small.
func inflated(t *testing.T, b []byte) []byte {
	t.Helper()
	i := bytes.Index(b, []byte(entryMark))
	size, packed, offset := bytes.Clone(b[i+24:i+28]), bytes.Clone(b[i+20:i+24]), bytes.Clone(b[i+42:i+46])
	b = bytes.Clone(b)
	extra := []byte{kindExtra64, 0, 24, 0}
	for _, n := range [][]byte{size, packed, offset} {
		extra = append(append(extra, n...), 0, 0, 0, 0)
	}
	for _, at := range []int{20, 24, 42} {
		copy(b[i+at:], "\xff\xff\xff\xff")
	}
	at := i + entrySize + int(b[i+28]) // behind the name
	b[i+30] += byte(len(extra))
	b = append(b[:at:at], append(extra, b[at:]...)...)
	b[len(b)-endSize+12] += byte(len(extra)) // the length of the directory
	return b
}

// TestDirectoryDamaged checks that archives with changed and missing bytes are read or refused as by the library.
func TestDirectoryDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	small := zipped(t, "a comment", "a", "b/ü c", "d", "a")
	read, refused := 0, 0
	for _, b := range [][]byte{small, inflated(t, zipped(t, "", "a", "b"))} {
		begin := bytes.Index(b, []byte(entryMark))
		for range 1500 {
			c := bytes.Clone(b)
			for range 1 + r.IntN(2) {
				c[begin+r.IntN(len(c)-begin)] = []byte{0, 1, 255, byte(r.Uint32())}[r.IntN(4)]
			}
			if r.IntN(8) == 0 {
				c = c[:r.IntN(len(c))]
			}
			if sameDirectory(t, c) {
				read++
			} else {
				refused++
			}
		}
	}
	if read < 100 || refused < 100 {
		t.Errorf("%d read, %d refused; want many of each", read, refused)
	}
}

// FuzzDirectory checks any bytes against the standard library.
func FuzzDirectory(f *testing.F) {
	f.Add(zipped(f, "", "a"))
	f.Add(zipped(f, "a comment", "a", "b", "a"))
	f.Fuzz(func(t *testing.T, b []byte) { sameDirectory(t, b) })
}

// TestStreamed checks that contents that are decoded while they are read are those that are decoded at once, and
// that a wrong checksum and wrong lengths are refused.
func TestStreamed(t *testing.T) {
	b := zipped(t, "", "a", "b", "c d")
	in, err := input.Open("-", bytes.NewReader(b), input.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	a, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	read := func(f *File, open func(*File) (io.ReadCloser, error)) (string, error) {
		r, err := open(f)
		if err != nil {
			return "", err
		}
		defer r.Close()
		text, err := io.ReadAll(r)
		return string(text), err
	}
	for i := range a.Files {
		f := &a.Files[i]
		want := "contents of " + f.Name
		for _, open := range []func(*File) (io.ReadCloser, error){a.OpenEntry, a.openStream} {
			if got, err := read(f, open); err != nil || got != want {
				t.Errorf("%s: got %q, %v; want %q", f.Name, got, err, want)
			}
		}
		for _, c := range []struct {
			change func(*File)
			want   error
		}{
			{func(f *File) { f.CRC32++ }, zip.ErrChecksum},
			{func(f *File) { f.CRC32 = 0 }, zip.ErrChecksum}, // a record behind the contents has it
			{func(f *File) { f.CRC32, f.Flags = 0, 0 }, nil},
			{func(f *File) { f.Size-- }, zip.ErrFormat},
			{func(f *File) { f.Size++ }, io.ErrUnexpectedEOF},
			{func(f *File) { f.headerOffset++ }, zip.ErrFormat},
			{func(f *File) { f.headerOffset = 1<<63 - 1 }, zip.ErrFormat},
			{func(f *File) { f.headerOffset = -5 }, zip.ErrFormat},
		} {
			wrong := *f
			c.change(&wrong)
			if _, err := read(&wrong, a.OpenEntry); !errors.Is(err, c.want) {
				t.Errorf("%+v: got %v; want %v", wrong, err, c.want)
			}
		}
	}
}
