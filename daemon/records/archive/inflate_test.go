package archive

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// deflated returns text compressed at a level of the standard library, in blocks of about size bytes.
func deflated(t testing.TB, text []byte, level, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	for len(text) > 0 {
		n := min(size, len(text))
		w.Write(text[:n])
		if text = text[n:]; len(text) > 0 {
			w.Flush()
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// agree checks that src is decoded as the standard library decodes it, into room for size bytes: to
// the same bytes, or not at all.
func agree(t *testing.T, d *inflater, src []byte, size int) (ok bool) {
	t.Helper()
	want, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(src)), int64(size)+1))
	valid := err == nil && len(want) <= size
	dst := make([]byte, size)
	n, ok := d.inflate(dst, src)
	if ok != valid {
		t.Fatalf("%x in %d bytes: got ok %v; want %v (%v, %d bytes)", src, size, ok, valid, err, len(want))
	}
	if ok && !bytes.Equal(dst[:n], want) {
		t.Fatalf("%x: got %q; want %q", src, dst[:n], want)
	}
	return ok
}

// texts are made of letters of which some are rarer than others, so that codes of all lengths occur.
func texts() map[string][]byte {
	all := map[string][]byte{"empty": {}, "one": []byte("x"), "run": bytes.Repeat([]byte("ab"), 5000),
		"json": []byte(strings.Repeat(`{"id":"q-1","epoch":1,"messages":[{"role":"user"}]}`, 20))}
	r := rand.New(rand.NewPCG(3, 5))
	for _, n := range []int{3, 300, 70_000} {
		noise, rare := make([]byte, n), make([]byte, n)
		for i := range noise {
			noise[i] = byte(r.Uint32())
			rare[i] = byte(min(r.ExpFloat64()*20, 255))
		}
		all[fmt.Sprint("noise ", n)], all[fmt.Sprint("rare ", n)] = noise, rare
	}
	for k := range 20 { // Fibonacci numbers of letters make the longest codes
		a, b := 1, 1
		for range k {
			a, b = b, a+b
		}
		all["long"] = append(all["long"], bytes.Repeat([]byte{byte('a' + k)}, a)...)
	}
	r.Shuffle(len(all["long"]), func(i, j int) { l := all["long"]; l[i], l[j] = l[j], l[i] })
	return all
}

// TestInflate checks texts of many kinds in blocks of all kinds, with room for just their length and with one byte less.
func TestInflate(t *testing.T) {
	var d inflater
	long := false
	for name, text := range texts() {
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 1, 6, 9} {
			for _, size := range []int{max(50, len(text)/30), 1 << 20} {
				src := deflated(t, text, level, size)
				if !agree(t, &d, src, len(text)) {
					t.Errorf("%s, level %d, blocks of %d bytes: not decoded", name, level, size)
				}
				if len(text) > 0 && agree(t, &d, src, len(text)-1) {
					t.Errorf("%s, level %d: decoded into too little room", name, level)
				}
				for _, n := range d.literalCode.countByLength[tableBits+1:] {
					long = long || n > 0
				}
			}
		}
	}
	if !long {
		t.Error("no text has codes that are longer than the table is for")
	}
}

// TestInflateDamaged checks that data with changed, missing and additional bytes is decoded or refused as by the library.
func TestInflateDamaged(t *testing.T) {
	var d inflater
	r := rand.New(rand.NewPCG(1, 2))
	decoded, refused := 0, 0
	for _, text := range texts() {
		if len(text) > 20_000 {
			continue
		}
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 1, 9} {
			src := deflated(t, text, level, 500)
			for range 60 {
				b := bytes.Clone(src)
				switch r.IntN(4) {
				case 0:
					b = b[:r.IntN(len(b))]
				case 1:
					b = append(b, 1, 2, 3)
				default:
					b[r.IntN(min(len(b), 200))] ^= 1 << r.IntN(8)
				}
				if agree(t, &d, b, len(text)+300) {
					decoded++
				} else {
					refused++
				}
			}
		}
	}
	if decoded == 0 || refused == 0 {
		t.Errorf("%d decoded, %d refused; want some of each", decoded, refused)
	}
}

// FuzzInflate checks any bytes against the standard library.
func FuzzInflate(f *testing.F) {
	for _, text := range texts() {
		if len(text) < 2000 {
			f.Add(deflated(f, text, 6, 100))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var d inflater
		agree(t, &d, src, 4096)
	})
}
