package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// shortEntry is the size in bytes, packed and unpacked, up to which an entry is decoded at once: a
// stream takes as long to set up as such an entry takes to decode. It is less than what the limits
// on expansion look at.
const shortEntry = 256 << 10

// short is the contents of a short entry.
type short struct {
	bytes.Reader
	archive *Archive
	text    []byte // the decoded contents
	open    bool   // Close was not called yet
}

// Close gives the memory of a short entry back for the next one. A second call does nothing. It
// implements io.Closer.
func (s *short) Close() error {
	if s.open {
		s.open = false
		s.Reset(nil)
		s.archive.shorts = append(s.archive.shorts, s)
	}
	return nil
}

// short returns the contents of a short entry of the archive, decoded at once. It returns nil for a
// long entry, and for one that is damaged or too much; the caller then reads it as a stream, whose
// errors say what is wrong.
func (a *Archive) short(f *File) (s *short) {
	if f.Packed > shortEntry || f.Size > shortEntry {
		return nil
	}
	defer func() {
		if recover() != nil { // a fault of the decoder, which is not used again
			s, a.unzstd = nil, nil
		}
	}()
	at, err := a.contents(f)
	if err != nil {
		return nil
	}
	// Its packed bytes.
	packed, err := a.src.view(at, int(f.Packed))
	if err != nil {
		return nil
	}
	// Memory of an entry that was closed.
	if last := len(a.shorts) - 1; last >= 0 {
		s, a.shorts = a.shorts[last], a.shorts[:last]
	} else {
		s = &short{archive: a}
	}
	s.open = true
	// Decode and check it.
	size := int(f.Size)
	s.text, err = a.decode(slices.Grow(s.text[:0], size+1), packed, f.Method, size)
	total := a.totalWith(f, uint64(len(s.text)))
	if err != nil || len(s.text) != size || crc32.ChecksumIEEE(s.text) != f.CRC32 || a.beyond(total) {
		s.Close()
		return nil
	}
	a.total, f.counted = total, max(f.counted, uint64(len(s.text)))
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
		if a.unzstd == nil {
			var err error // the checksum of zstd is ignored, as the archive has one that short compares
			if a.unzstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxMemory(shortEntry), zstd.IgnoreChecksum(true)); err != nil {
				return dst, err
			}
		}
		return a.unzstd.DecodeAll(packed, dst)
	}
	return dst, errMethod
}
