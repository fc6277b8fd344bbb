// Package index keeps columns of result files beside them, so that a million results are
// filtered, sorted and counted without reading their lines. In: files of result lines, dumps,
// filters. Out: row numbers, counts, histograms, places of lines. It refuses files that hold
// something else; an index that is damaged or older than its file is made again and never read.
package index

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/unix"
)

// Suffix is added to the name of a file to name its index.
const Suffix = ".plumbidx"

// magic begins every index. Its last byte is the version of the layout.
const magic = "PLUMBIX\x01"

// preambleSize is the length of magic, checksum and header length in bytes. The checksum covers all
// that follows it.
const preambleSize = 24

// header is the JSON text after the preamble. Sections follow it, each at a multiple of 8 bytes.
type header struct {
	Kind     string            `json:"kind"` // "results" or "dump"
	Rows     int               `json:"rows"`
	Source   stamp             `json:"source"`
	Tag      string            `json:"tag,omitempty"` // Options.Tag
	Sections []section         `json:"sections"`
	Words    map[string][]Word `json:"words"` // the values of columns that hold numbers of words
	Metrics  []string          `json:"metrics"`
	Low      float64           `json:"low"` // of the scores
	High     float64           `json:"high"`
	Bad      int               `json:"bad"` // lines that are no results
	Extra    json.RawMessage   `json:"extra,omitempty"`
}

// Word is one value of a column with its parts, such as suite and test.
type Word []string

// section is the place of one column, in bytes from the end of the header.
type section struct {
	Name   string `json:"name"`
	At     int64  `json:"at"`
	Length int64  `json:"length"`
}

// stamp identifies the content of an indexed file by its size, time and parts: an index is used
// only while its file has the same.
type stamp struct {
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"` // ns of the epoch
	Sample   uint64 `json:"sample"`   // hash of its first and last bytes
}

// sampledBytes is how many bytes at each end of a file a stamp covers.
const sampledBytes = 64 << 10

// stampOf returns the stamp of an open file: its size, its time, and a hash of its first and last
// bytes. Reading all of a large file would take as long as indexing it anew.
func stampOf(file *os.File) (stamp stamp, err error) {
	info, err := file.Stat()
	if err != nil {
		return stamp, err
	}
	if !info.Mode().IsRegular() {
		return stamp, errors.New("it is no plain file")
	}
	stamp.Size, stamp.Modified = info.Size(), info.ModTime().UnixNano()
	hash := xxhash.New()
	for _, at := range []int64{0, max(0, stamp.Size-sampledBytes)} {
		if _, err := io.Copy(hash, io.NewSectionReader(file, at, sampledBytes)); err != nil {
			return stamp, err
		}
	}
	stamp.Sample = hash.Sum64()
	return stamp, nil
}

// errStale says that an index was made of another state of its file.
var errStale = errors.New("the file has changed since")

// mapped is an index in memory. The bytes are the kernel's page cache and must not be written.
type mapped struct {
	header
	path       string
	infoAtOpen os.FileInfo // of the index when it was opened
	isRemoved  bool        // its file was removed on purpose
	bytes      []byte
	sections   []byte // what follows the header
}

// openIndex maps an index into memory. It first checks the checksum of the whole file, that
// it is an index of that kind, and that its source has the stamp want. The error is errStale
// for another stamp.
func openIndex(path, kind string, want stamp) (*mapped, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var head [preambleSize]byte
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return nil, fmt.Errorf("it is too short: %w", err)
	}
	if string(head[:8]) != magic {
		return nil, errors.New("it is no index of this version")
	}
	// The preamble: magic at byte 0, the checksum of all from byte 16 on at 8, the length of the header at 16.
	size := binary.LittleEndian.Uint64(head[16:])
	const longestHeader = 1 << 30
	if size > uint64(info.Size()-preambleSize) || size > longestHeader {
		return nil, errors.New("it is damaged: its header is longer than the file")
	}
	// The file is read through a buffer first, so that the memory of this process does not grow by it.
	hash := xxhash.New()
	hash.Write(head[16:])
	toHash, fromFile := struct{ io.Writer }{hash}, struct{ io.Reader }{file} // without methods that would bypass the buffer
	if _, err := io.CopyBuffer(toHash, fromFile, make([]byte, 1<<20)); err != nil {
		return nil, err
	}
	if hash.Sum64() != binary.LittleEndian.Uint64(head[8:]) {
		return nil, errors.New("it is damaged: its checksum is wrong")
	}
	data, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("cannot map it: %w", err)
	}
	m := &mapped{path: path, infoAtOpen: info, bytes: data}
	if err := json.Unmarshal(data[preambleSize:preambleSize+size], &m.header); err != nil {
		unix.Munmap(data)
		return nil, fmt.Errorf("its header cannot be read: %w", err)
	}
	m.sections = data[aligned(preambleSize+int64(size)):]
	switch {
	case m.Kind != kind:
		err = fmt.Errorf("it is an index of %s; want one of %s", m.Kind, kind)
	case m.Source != want:
		err = errStale
	}
	if err != nil {
		unix.Munmap(data)
		return nil, err
	}
	return m, nil
}

// changed reports whether the index at the path is no longer the file that was mapped.
// Another program may then have damaged what is mapped.
func (m *mapped) changed() bool {
	if m.isRemoved {
		return false
	}
	info, err := os.Stat(m.path)
	return err != nil || info.Size() != m.infoAtOpen.Size() || !info.ModTime().Equal(m.infoAtOpen.ModTime()) || !os.SameFile(info, m.infoAtOpen)
}

// release tells the kernel that the pages of the index are not needed in this process. They
// are mapped again when they are read, mostly without the disk, because the kernel caches
// them.
func (m *mapped) release() { unix.Madvise(m.bytes, unix.MADV_DONTNEED) }

func (m *mapped) close() error { return unix.Munmap(m.bytes) }

// aligned rounds up to a multiple of 8.
func aligned(n int64) int64 { return (n + 7) &^ 7 }

// number is an element of a column.
type number interface {
	uint16 | uint32 | uint64 | float32 | float64 | byte
}

// column returns a column of a mapped index, with as many elements as its section has, or nil if
// there is no such section. The slice is the mapped memory itself.
func column[T number](mapped *mapped, name string) []T {
	for _, section := range mapped.Sections {
		if section.Name != name || section.Length == 0 {
			continue
		}
		var one T
		b := mapped.sections[section.At : section.At+section.Length]
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), int(section.Length)/int(unsafe.Sizeof(one)))
	}
	return nil
}
