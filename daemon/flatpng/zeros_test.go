package flatpng

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"testing"
)

// TestZeroWriter checks streams with runs of zeros of many lengths, with single and all other bytes,
// and with counts so unequal that a plain Huffman code would be too long.
func TestZeroWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cases := map[string][]byte{"one zero": {0}, "one byte": {7}, "zeros": make([]byte, 100_000)}
	for n := range 1100 {
		cases["runs"] = append(append(cases["runs"], 1), make([]byte, n)...)
	}
	var noise []byte
	for range 50_000 {
		noise = append(noise, byte(r.Uint32()))
	}
	cases["noise"] = noise
	long, last := 1, 1 // Fibonacci numbers make the longest codes
	for v := byte(1); v < 25; v++ {
		cases["unequal"] = append(cases["unequal"], bytes.Repeat([]byte{v}, long)...)
		long, last = long+last, long
	}
	z := new(zeroRunWriter)
	for name, want := range cases {
		z.reset()
		for i := 0; i < len(want); {
			if n := len(want[i:]) - len(bytes.TrimLeft(want[i:], "\x00")); n > 1 {
				z.addZeros(n)
				i += n
				continue
			}
			z.addByte(want[i])
			i++
		}
		in, err := zlib.NewReader(bytes.NewReader(z.finish([]byte("head"))[4:]))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(in) // it checks the sum, too
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes, %v; want the %d that were written", name, len(got), err, len(want))
		}
	}
}
