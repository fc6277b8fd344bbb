package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// maxShortEntry is the size in bytes, packed and unpacked, up to which an entry is decoded at once: a
// stream takes as long to set up as such an entry takes to decode. The ratio to which a single
// entry may expand is checked from a larger size on; that of all entries together is checked here too.
const maxShortEntry = 256 << 10

// shortReader is the contents of a short entry.
type shortReader struct {
	bytes.Reader
	archive *Archive
	text    []byte // the decoded contents
	isOpen  bool   // Close was not called yet
}

// Close gives the memory of a short entry back for the next one. A second call does nothing. It
// implements io.Closer.
func (s *shortReader) Close() error {
	if s.isOpen {
		s.isOpen = false
		s.Reset(nil)
		s.archive.idleShorts = append(s.archive.idleShorts, s)
	}
	return nil
}

// decodeShort returns the contents of a short entry of the archive, decoded at once. It returns nil for a
// long entry, and for one that is damaged or too much; the caller then reads it as a stream, whose
// errors say what is wrong.
func (a *Archive) decodeShort(f *File) (s *shortReader) {
	if f.PackedSize > maxShortEntry || f.Size > maxShortEntry {
		return nil
	}
	defer func() {
		if recover() != nil { // a fault of the decoder, which is not used again
			s, a.zstdDecoder = nil, nil
		}
	}()
	at, err := a.contentsOffset(f)
	if err != nil {
		return nil
	}
	// Its compressed bytes.
	packed, err := a.window.view(at, int(f.PackedSize))
	if err != nil {
		return nil
	}
	// Use the memory of an entry that was closed again.
	if last := len(a.idleShorts) - 1; last >= 0 {
		s, a.idleShorts = a.idleShorts[last], a.idleShorts[:last]
	} else {
		s = &shortReader{archive: a}
	}
	s.isOpen = true
	// Decode and check it.
	size := int(f.Size)
	s.text, err = a.decode(slices.Grow(s.text[:0], size+1), packed, f.Method, size)
	total := a.expandedWith(f, uint64(len(s.text)))
	if err != nil || len(s.text) != size || crc32.ChecksumIEEE(s.text) != f.CRC32 || a.exceedsRatio(total) {
		s.Close()
		return nil
	}
	a.expandedBytes, f.countedBytes = total, max(f.countedBytes, uint64(len(s.text)))
	s.Reset(s.text)
	return s
}

// errMethod says that an entry is compressed in another way than those that are read, and errDeflate
// that it is not valid deflate.
var (
	errMethod  = errors.New("unknown method")
	errDeflate = errors.New("no valid deflate")
)

// decode decompresses an entry by its method and appends the contents to dst, an empty slice with room
// for size+1 bytes. size is the length that the archive states; the additional byte shows that an entry
// is longer. The error is errMethod for an unknown compression, and errDeflate or one of the zstd
// decoder for damaged data.
func (a *Archive) decode(dst, packed []byte, method uint16, size int) ([]byte, error) {
	switch method {
	case zip.Store:
		return append(dst, packed...), nil
	case zip.Deflate:
		n, ok := a.inflater.inflate(dst[:size+1], packed)
		if !ok {
			return dst, errDeflate
		}
		return dst[:n], nil
	case Zstd:
		if a.zstdDecoder == nil {
			var err error // the checksum of zstd is ignored, as the archive has one that decodeShort compares
			if a.zstdDecoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxMemory(maxShortEntry), zstd.IgnoreChecksum(true)); err != nil {
				return dst, err
			}
		}
		return a.zstdDecoder.DecodeAll(packed, dst)
	}
	return dst, errMethod
}
