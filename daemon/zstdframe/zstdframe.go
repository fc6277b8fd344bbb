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
	src          *bufio.Reader
	grow         func(window uint64) error
	untilHeader  int64 // bytes to pass until the next header of a frame or of a block
	inFrame      bool  // the next header is that of a block
	checksumSize int64 // bytes of the checksum after the last block of the frame
}

// NewReader returns a reader of src. It calls grow with the window of each frame in bytes before it
// passes the header of the frame on. An error of grow ends the reading.
func NewReader(src io.Reader, grow func(window uint64) error) *Reader {
	const buffer = 1 << 10 // bytes, more than the longest header of a frame, zstd.HeaderMaxSize
	return &Reader{src: bufio.NewReaderSize(src, buffer), grow: grow}
}

// Read passes the input on, in pieces that end before each header, so that the window of a frame is known
// before its header is passed on. It implements io.Reader.
func (reader *Reader) Read(p []byte) (int, error) {
	if reader.untilHeader == 0 {
		if err := reader.findNextHeader(); err != nil {
			return 0, err
		}
	}
	n, err := reader.src.Read(p[:min(int64(len(p)), reader.untilHeader)])
	reader.untilHeader -= int64(n)
	return n, err
}

// passOn is the value of Reader.untilHeader for input without a further header: all of it is passed on.
const passOn = math.MaxInt64

// findNextHeader peeks at the next header of a zstd frame or block, and sets reader.untilHeader to the number of
// bytes from there to the header after it. For the header of a frame it calls reader.grow with the frame's
// window. If there is no valid header, all of the rest is passed on, and the decoder says what is wrong.
func (reader *Reader) findNextHeader() error {
	reader.untilHeader = passOn
	if reader.inFrame {
		reader.nextBlock()
		return nil
	}
	var header zstd.Header
	b, _ := reader.src.Peek(zstd.HeaderMaxSize)
	if len(b) == 0 || header.Decode(b) != nil { // the end of the input, or no valid header
		return nil
	}
	reader.untilHeader = int64(header.HeaderSize)
	if header.Skippable {
		reader.untilHeader += int64(header.SkippableSize)
		return nil
	}
	reader.inFrame, reader.checksumSize = true, 0
	if header.HasCheckSum {
		reader.checksumSize = 4 // bytes
	}
	if header.SingleSegment { // the window is all of the content
		return reader.grow(header.FrameContentSize)
	}
	return reader.grow(header.WindowSize)
}

// nextBlock sets reader.untilHeader to the length of the next block of a zstd frame with its header, in bytes.
// After the last block the frame ends, and its checksum is passed on with that block.
func (reader *Reader) nextBlock() {
	const headerSize, repeatedByte = 3, 1
	data, err := reader.src.Peek(headerSize)
	if err != nil {
		return // the input breaks off
	}
	header := int64(data[0]) | int64(data[1])<<8 | int64(data[2])<<16
	last, kind, size := header&1 == 1, header>>1&3, header>>3 // bit 0, bits 1 and 2, bits 3 to 23
	if kind == repeatedByte {
		size = 1 // in the input; the header has the size of the output
	}
	reader.untilHeader = headerSize + size
	if last {
		reader.inFrame = false
		reader.untilHeader += reader.checksumSize
	}
}
