package index

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// writer collects columns in temporary files that have no names, and joins them to an index.
// So its memory does not grow with the number of rows.
type writer struct {
	dir     string
	columns []*columnFile
}

// columnFile is a column that is being written.
type columnFile struct {
	name      string
	file      *os.File
	unwritten []byte // not yet in the file
	size      int64  // bytes of the column so far
	err       error  // the first of writing
}

// columnBuffer is how many bytes of a column are written to its file at once.
const columnBuffer = 128 << 10

// column begins a column of the index, in a temporary file that has no name and so vanishes with
// the process.
func (writer *writer) column(name string) (*columnFile, error) {
	file, err := os.CreateTemp(writer.dir, ".plumbidx-")
	if err != nil {
		return nil, err
	}
	os.Remove(file.Name())
	c := &columnFile{name: name, file: file}
	writer.columns = append(writer.columns, c)
	return c, nil
}

// reserve makes room for n bytes in the buffer of an index's column, by writing the buffer to the
// file if needed. Write errors are kept and returned when the column is copied.
func (file *columnFile) reserve(n int) {
	file.size += int64(n)
	if len(file.unwritten)+n > columnBuffer {
		file.flush()
	}
}

// flush writes the buffer of an index's column to its temporary file.
func (file *columnFile) flush() {
	if file.err == nil {
		_, file.err = file.file.Write(file.unwritten)
	}
	file.unwritten = file.unwritten[:0]
}

// text appends bytes to a column.
func (file *columnFile) text(b string) {
	file.reserve(len(b))
	file.unwritten = append(file.unwritten, b...)
}

// put appends a number to a column, in the byte order of this machine, which has to be little endian.
func put[T number](c *columnFile, x T) {
	c.reserve(int(unsafe.Sizeof(x)))
	c.unwritten = append(c.unwritten, unsafe.Slice((*byte)(unsafe.Pointer(&x)), unsafe.Sizeof(x))...)
}

// littleEndian reports whether columns can be mapped as they are.
func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// discard closes the temporary files, which removes them.
func (writer *writer) discard() {
	for _, c := range writer.columns {
		c.file.Close()
	}
}

// writeFile writes the index: preamble, header, and the columns, each at a multiple of 8 bytes.
// It writes a temporary file and renames it to path, so that no partial index appears.
func (writer *writer) writeFile(path string, header *header) (err error) {
	// The header says where each column lies.
	at := int64(0)
	for _, c := range writer.columns {
		header.Sections = append(header.Sections, section{c.name, at, c.size})
		at = aligned(at + c.size)
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	// A temporary file gets everything, and a checksum of it.
	file, err := os.CreateTemp(writer.dir, "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer func() {
		file.Close()
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	sum := xxhash.New()
	out := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<20)
	var head [preambleSize]byte
	copy(head[:], magic)
	binary.LittleEndian.PutUint64(head[16:], uint64(len(text)))
	if _, err = file.Write(head[:16]); err != nil { // the checksum, bytes 8 to 15, follows at the end
		return err
	}
	out.Write(head[16:])
	out.Write(text)
	pad(out, preambleSize+int64(len(text)))
	for _, c := range writer.columns {
		if err = c.copyTo(out); err != nil {
			return err
		}
	}
	if err = out.Flush(); err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(head[8:], sum.Sum64())
	if _, err = file.WriteAt(head[8:16], 8); err != nil {
		return err
	}
	// It takes its place as a whole.
	if err = file.Chmod(0o644); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// copyTo copies a column from its file and buffer, and the zeros that pad it to a multiple
// of 8 bytes.
func (file *columnFile) copyTo(out *bufio.Writer) error {
	if file.size > int64(len(file.unwritten)) { // a part is in the file already
		file.flush()
		if file.err != nil {
			return fmt.Errorf("cannot write the column %s: %w", file.name, file.err)
		}
		if _, err := file.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(out, file.file); err != nil {
			return err
		}
	}
	out.Write(file.unwritten)
	pad(out, file.size)
	return nil
}

// pad writes zeros after n bytes up to a multiple of 8.
func pad(out *bufio.Writer, n int64) {
	var zeros [8]byte
	out.Write(zeros[:aligned(n)-n])
}

// words numbers the values of a column in order of appearance.
type words struct {
	numbers    map[string]uint16
	list       []Word
	likelyNext []uint16 // for each value the one that followed it last, which is likely to follow again
	last       uint16   // the value of the last call
}

// overflow is the number of all values of a column beyond the first 65,535.
const overflow = math.MaxUint16

// numberOf returns the number by which a column of the index stores a word, such as a test or a series,
// and adds a new word. It remembers which word followed each word, and tries that one before it searches
// the map, because results come in the same order again and again.
func (words *words) numberOf(parts ...string) uint16 {
	if int(words.last) < len(words.likelyNext) {
		if n := words.likelyNext[words.last]; slices.Equal(words.list[n], parts) {
			words.last = n
			return n
		}
	}
	n := words.findOrAdd(parts)
	for len(words.likelyNext) < len(words.list) {
		words.likelyNext = append(words.likelyNext, 0)
	}
	words.likelyNext[words.last], words.last = n, n
	return n
}

// findOrAdd returns the number of a word of the index by the map of all words, and adds a new one. After
// 65,535 words all new ones share the number overflow.
func (words *words) findOrAdd(parts []string) uint16 {
	var buf [256]byte
	key := appendWordKey(buf[:0], parts)
	if n, ok := words.numbers[string(key)]; ok {
		return n
	}
	if words.numbers == nil {
		words.numbers = map[string]uint16{}
	}
	if len(words.list) == overflow {
		other := make(Word, len(parts))
		for i := range other {
			other[i] = "(more than 65,535 values)"
		}
		words.list = append(words.list, other)
	}
	if len(words.list) > overflow {
		return overflow
	}
	words.numbers[string(key)] = uint16(len(words.list))
	words.list = append(words.list, append(Word(nil), parts...))
	return words.numbers[string(key)]
}

// has reports whether a word has a number of its own.
func (words *words) has(parts ...string) bool {
	var buf [256]byte
	_, ok := words.numbers[string(appendWordKey(buf[:0], parts))]
	return ok
}

// appendWordKey appends the key of a word in words.numbers.
func appendWordKey(key []byte, parts []string) []byte {
	for _, p := range parts {
		key = append(append(key, p...), 0)
	}
	return key
}
