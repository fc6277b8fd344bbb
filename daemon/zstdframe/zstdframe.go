// Package zstdframe finds the windows of zstd frames while the input is read, before a decoder
// allocates them. In: compressed bytes. Out: the same bytes, and before each frame the size of its
// window, which a decoder allocates as soon as it has read the header of the frame. So a server can
// bound that memory. It decompresses nothing, and passes malformed input on, because the decoder
// reports it. The layout of frames is that of RFC 8878.
package zstdframe

import (
	"bufio"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Reader passes zstd input through unchanged.
type Reader struct {
	src      *bufio.Reader
	grow     func(window uint64) error
	left     int64 // bytes to pass until the next header of a frame or of a block
	inFrame  bool  // the next header is that of a block
	checksum int64 // bytes of the checksum after the last block of the frame
}

// NewReader returns a reader of src. It calls grow with the window of each frame in bytes before it
// passes the header of the frame on. An error of grow ends the reading.
func NewReader(src io.Reader, grow func(window uint64) error) *Reader {
	return &Reader{src: bufio.NewReaderSize(src, 1<<10), grow: grow} // more than zstd.HeaderMaxSize
}

// Read passes the input on, in pieces that end before each header, so that the window of a frame is known
// before its header is passed on. It implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if r.left == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n, err := r.src.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}

// passOn is the value of Reader.left for input without a further header: all of it is passed on.
const passOn = math.MaxInt64

// next peeks at the next header and sets r.left to the bytes from there to the header after it. For
// the header of a frame it calls r.grow.
func (r *Reader) next() error {
	r.left = passOn
	if r.inFrame {
		r.nextBlock()
		return nil
	}
	var header zstd.Header
	b, _ := r.src.Peek(zstd.HeaderMaxSize)
	if len(b) == 0 || header.Decode(b) != nil {
		return nil
	}
	r.left = int64(header.HeaderSize)
	if header.Skippable {
		r.left += int64(header.SkippableSize)
		return nil
	}
	r.inFrame, r.checksum = true, 0
	if header.HasCheckSum {
		r.checksum = 4
	}
	if header.SingleSegment { // the window is all of the content
		return r.grow(header.FrameContentSize)
	}
	return r.grow(header.WindowSize)
}

// nextBlock sets r.left to the length of the next block with its header. The last block takes the
// checksum with it and ends the frame.
func (r *Reader) nextBlock() {
	const headerSize, repeatedByte = 3, 1
	b, err := r.src.Peek(headerSize)
	if err != nil {
		return // the input breaks off
	}
	h := int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16
	last, kind, size := h&1 == 1, h>>1&3, h>>3 // bit 0, bits 1 and 2, bits 3 to 23
	if kind == repeatedByte {
		size = 1 // in the input; the header has the size of the output
	}
	r.left = headerSize + size
	if last {
		r.inFrame = false
		r.left += r.checksum
	}
}
