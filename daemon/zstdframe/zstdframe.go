package api

import (
	"bufio"
	"math"

	"github.com/klauspost/compress/zstd"
)

// leastWindow is the smallest window in bytes that is counted for a zstd frame.
const leastWindow = 1 << 20

// frameReader passes zstd input through unchanged. Before the header of a frame it calls
// grow with the window of that frame in bytes, because the decoder allocates the window
// as soon as it reads the header.
type frameReader struct {
	src   *bufio.Reader // of at least zstd.HeaderMaxSize bytes
	grow  func(window uint64) error
	left  int64 // bytes to pass until the next header of a frame or of a block
	inner bool  // the next header is that of a block
	sum   int64 // bytes of the checksum after the last block
}

// Read implements io.Reader.
func (f *frameReader) Read(p []byte) (int, error) {
	if f.left == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n, err := f.src.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, err
}

// next peeks at the next header of the zstd input and sets left. It passes malformed or truncated
// input on, because the decoder reports it.
func (f *frameReader) next() error {
	f.left = math.MaxInt64
	if f.inner {
		b, err := f.src.Peek(3)
		if err != nil {
			return nil
		}
		h := int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16
		f.left = 3 + h>>3
		if h>>1&3 == 1 { // one byte that is repeated
			f.left = 3 + 1
		}
		if h&1 == 1 {
			f.inner, f.left = false, f.left+f.sum
		}
		return nil
	}
	var h zstd.Header
	b, _ := f.src.Peek(zstd.HeaderMaxSize)
	if len(b) == 0 || h.Decode(b) != nil {
		return nil
	}
	f.left = int64(h.HeaderSize)
	if h.Skippable {
		f.left += int64(h.SkippableSize)
		return nil
	}
	f.inner, f.sum = true, 0
	if h.HasCheckSum {
		f.sum = 4
	}
	if h.SingleSegment {
		return f.grow(h.FrameContentSize)
	}
	return f.grow(h.WindowSize)
}
