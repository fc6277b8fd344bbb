package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
)

// File is an entry of an archive, as its central directory has it. It is a fraction of what the standard
// library keeps of an entry, and the names of all entries are in one piece of memory: a log may have
// millions of them.
type File struct {
	Name       string
	PackedSize uint64 // bytes in the archive
	Size       uint64 // bytes of the contents
	CRC32      uint32 // of the contents
	Method     uint16
	Flags      uint16

	headerOffset int64  // of the header in front of the contents
	countedBytes uint64 // the most bytes of the contents that one reading got; Archive.expandedBytes includes them
}

// encrypted and checksumFollows are bits of File.Flags: the contents are encrypted, and a record after
// them has their checksum too.
const (
	encrypted       = 1 << 0
	checksumFollows = 1 << 3
)

// Records of an archive begin with these four bytes.
const (
	headerMark          = "PK\x03\x04" // in front of the contents of an entry
	entryMark           = "PK\x01\x02" // of an entry in the central directory
	endMark             = "PK\x05\x06"
	end64Mark           = "PK\x06\x06" // of the end of an archive with numbers of 64 bits
	locatorMark         = "PK\x06\x07" // of the place of that end
	headerSize          = 30
	entrySize           = 46
	endSize             = 22
	end64Size           = 56
	locatorSize         = 20
	longestEntry        = entrySize + 3*math.MaxUint16 // with its name, its extra field and its comment
	longestEnd          = endSize + math.MaxUint16     // with its comment
	kindExtra64         = 1                            // the extra field with numbers of 64 bits
	elsewhere16         = math.MaxUint16               // a number that stands in a record with 64 bits
	elsewhere32  uint32 = math.MaxUint32
)

// directory is where the central directory of an archive stands.
type directory struct {
	start         int64
	offsetBase    int64  // what is added to offsets, because something stands in front of the archive
	statedEntries uint64 // as the archive states, maybe modulo 65,536
}

// findDirectory finds the central directory of an archive of size bytes by the record at the archive's
// end. The error is errNoEnd without such a record, and zip.ErrFormat if the record is wrong. The offsets
// of fields are those of the zip format.
func findDirectory(src io.ReaderAt, size int64) (directory, error) {
	// Find the last record, behind which only a comment stands.
	tail := make([]byte, min(size, longestEnd))
	if _, err := src.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return directory{}, err
	}
	// The record's mark is looked for only where the rest of the record fits behind it.
	i := bytes.LastIndex(tail[:max(len(tail)-endSize+len(endMark), 0)], []byte(endMark))
	if i < 0 {
		return directory{}, errNoEnd
	}
	at, end := size-int64(len(tail)-i), tail[i:] // the record's offset and bytes
	entries, length := uint64(binary.LittleEndian.Uint16(end[10:])), uint64(binary.LittleEndian.Uint32(end[12:]))
	offset := uint64(binary.LittleEndian.Uint32(end[16:]))
	if comment := int(binary.LittleEndian.Uint16(end[20:])); comment > len(end)-endSize {
		return directory{}, zip.ErrFormat
	}
	// Numbers that are too large for it stand in a record with 64 bits, the place of which `at` then is.
	if entries == elsewhere16 || length == uint64(elsewhere32) || offset == uint64(elsewhere32) {
		at64, end64, err := findEnd64(src, at)
		if err != nil {
			return directory{}, err
		}
		if end64 != nil {
			at, entries = at64, binary.LittleEndian.Uint64(end64[32:])
			length, offset = binary.LittleEndian.Uint64(end64[40:]), binary.LittleEndian.Uint64(end64[48:])
		}
	}
	if length > uint64(at) || offset > math.MaxInt64 {
		return directory{}, zip.ErrFormat
	}
	// The directory stands just before the record. If that is not the stated offset, something stands in
	// front of the archive, or the length is wrong and an entry stands at the stated offset. With a negative
	// base the stated offset lies behind the directory's start, and no entry is looked for there.
	d := directory{start: at - int64(length), statedEntries: entries}
	d.offsetBase = d.start - int64(offset)
	if begin := make([]byte, len(entryMark)); d.offsetBase > 0 {
		if _, err := src.ReadAt(begin, int64(offset)); err == nil && string(begin) == entryMark {
			d.start, d.offsetBase = int64(offset), 0
		}
	}
	return d, nil
}

// errTooMany says that an archive has more entries than it may have.
var errTooMany = errors.New("too many entries")

// errNoEnd says that an archive has no central directory.
var errNoEnd = errors.New("it is a zip archive without a central directory at its end (a copy that broke off?); nothing of it is read")

// findEnd64 returns the record with numbers of 64 bits, and its offset in the archive. end is the offset
// of the usual record at the archive's end; a locator in front of that says where the other one stands.
// Without a locator the record is nil.
func findEnd64(src io.ReaderAt, end int64) (at int64, record []byte, err error) {
	if end < locatorSize {
		return 0, nil, nil
	}
	b := make([]byte, locatorSize)
	if _, err := src.ReadAt(b, end-locatorSize); err != nil {
		return 0, nil, err
	}
	// The locator has the number of the disk with the record, the record's offset, and the number of disks.
	disk, disks := binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[16:])
	if string(b[:4]) != locatorMark || disk != 0 || disks != 1 {
		return 0, nil, nil
	}
	place := binary.LittleEndian.Uint64(b[8:])
	if place > uint64(end) {
		return 0, nil, zip.ErrFormat
	}
	record = make([]byte, end64Size)
	if _, err := src.ReadAt(record, int64(place)); err != nil {
		return 0, nil, err
	}
	if string(record[:4]) != end64Mark {
		return 0, nil, zip.ErrFormat
	}
	return int64(place), record, nil
}

// readDirectory returns the entries of the central directory in order, also those that later ones of
// the same name supersede. More than limit are the error errTooMany. The archive also states their
// number, which may be wrong or hostile. So entries are read until one is not valid, and another number
// than the stated one is an error.
func readDirectory(src io.ReaderAt, size int64, limit int) ([]File, error) {
	d, err := findDirectory(src, size)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(src, d.start, size-d.start), int(max(min(size, windowSize), longestEntry)))
	var files []File
	if d.statedEntries <= uint64(min(int64(limit), (size-d.start)/entrySize)) { // so many can stand there
		files = make([]File, 0, d.statedEntries)
	}
	var names strings.Builder // all names in one piece of memory
	var lengths []uint16      // of the names, in bytes
	for {
		f, name, err := readEntry(r)
		if err == io.EOF || err == zip.ErrFormat { // the end of the directory, or of what can be read of it
			break
		}
		if err != nil {
			return nil, err
		}
		if len(files) == limit {
			return nil, errTooMany
		}
		f.headerOffset += d.offsetBase
		files = append(files, f)
		names.Write(name)
		lengths = append(lengths, uint16(len(name)))
	}
	if uint16(len(files)) != uint16(d.statedEntries) { // archives without numbers of 64 bits state it modulo 65,536
		return nil, zip.ErrFormat
	}
	all := names.String()
	for i, n := range lengths {
		files[i].Name, all = all[:n], all[n:]
	}
	return files, nil
}

// readEntry reads the next entry of a central directory. Its name is valid until the next call. The error
// is io.EOF or zip.ErrFormat where no entry stands.
func readEntry(r *bufio.Reader) (f File, name []byte, err error) {
	b, err := r.Peek(entrySize)
	if err != nil {
		return f, nil, err
	}
	if string(b[:4]) != entryMark {
		return f, nil, zip.ErrFormat
	}
	// Behind the fixed fields stand the name, the extra field and a comment, whose lengths are given.
	nameEnd := entrySize + int(binary.LittleEndian.Uint16(b[28:]))
	extraEnd := nameEnd + int(binary.LittleEndian.Uint16(b[30:]))
	end := extraEnd + int(binary.LittleEndian.Uint16(b[32:]))
	if b, err = r.Peek(end); err != nil {
		return f, nil, err
	}
	// The fixed fields.
	packed, size, offset := binary.LittleEndian.Uint32(b[20:]), binary.LittleEndian.Uint32(b[24:]), binary.LittleEndian.Uint32(b[42:])
	f = File{PackedSize: uint64(packed), Size: uint64(size), CRC32: binary.LittleEndian.Uint32(b[16:]),
		Method: binary.LittleEndian.Uint16(b[10:]), Flags: binary.LittleEndian.Uint16(b[8:]), headerOffset: int64(offset)}
	// Numbers that are too large for them stand in the extra field, in this order.
	var elsewhere []*uint64
	if size == elsewhere32 {
		elsewhere = append(elsewhere, &f.Size)
	}
	if packed == elsewhere32 {
		elsewhere = append(elsewhere, &f.PackedSize)
	}
	headerOffset := uint64(offset)
	if offset == elsewhere32 {
		elsewhere = append(elsewhere, &headerOffset)
	}
	if len(elsewhere) > 0 {
		found := setFromExtra64(b[nameEnd:extraEnd], elsewhere)
		f.headerOffset = int64(headerOffset)
		// Without an extra field, an entry of exactly elsewhere32 bytes states its real size. It is the only
		// number for which that is accepted.
		onlySize := found == 0 && len(elsewhere) == 1 && size == elsewhere32
		if found < len(elsewhere) && !onlySize {
			return f, nil, zip.ErrFormat
		}
	}
	r.Discard(end)
	return f, b[entrySize:nameEnd], nil
}

// setFromExtra64 sets numbers, in order, from the extra field of an entry that holds numbers of 64 bits. It
// returns how many it has set, which are fewer if the field is missing or short. extra holds all extra
// fields, each with its kind and its length in front.
func setFromExtra64(extra []byte, numbers []*uint64) (found int) {
	for len(extra) >= 4 {
		kind, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			break
		}
		for field := extra[:n]; kind == kindExtra64 && found < len(numbers) && len(field) >= 8; field = field[8:] {
			*numbers[found] = binary.LittleEndian.Uint64(field)
			found++
		}
		extra = extra[n:]
	}
	return found
}
