package zstdframe_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"plumb/daemon/zstdframe"
)

// The header of every frame is found, whatever blocks come before it, and the bytes are unchanged.
func TestReader(t *testing.T) {
	random := make([]byte, 3<<20) // raw blocks
	rand.NewChaCha8([32]byte{}).Read(random)
	var all []byte
	var want []uint64
	for _, text := range [][]byte{nil, []byte("short"), random, bytes.Repeat([]byte("x"), 5<<20), bytes.Repeat([]byte(`{"x":1}`), 1<<18)} {
		for _, checksum := range []bool{false, true} {
			var b bytes.Buffer
			w, _ := zstd.NewWriter(&b, zstd.WithEncoderCRC(checksum), zstd.WithWindowSize(1<<20), zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(1))
			w.Write(text)
			w.Close()
			var h zstd.Header
			if err := h.Decode(b.Bytes()); err != nil {
				t.Fatal(err)
			}
			size := h.WindowSize
			if h.SingleSegment {
				size = h.FrameContentSize
			}
			want = append(want, size)
			all = append(append(all, b.Bytes()...), "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"...) // a frame to skip
		}
	}
	var got []uint64
	r := zstdframe.NewReader(bytes.NewReader(all), func(n uint64) error { got = append(got, n); return nil })
	if b, err := io.ReadAll(iotest.OneByteReader(r)); err != nil || !bytes.Equal(b, all) {
		t.Errorf("got %d bytes, %v; want the %d unchanged", len(b), err, len(all))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got windows %v; want %v", got, want)
	}
}
