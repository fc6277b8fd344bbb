package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// batchBytes is how many bytes of lines are handed to the goroutine of a Recorder at once.
const batchBytes = 64 << 10

// Recorder makes the index of a result file while its lines are written, so that it need not be read again. A
// goroutine of its own reads the lines. One goroutine uses it.
type Recorder struct {
	path    string
	o       Options
	b       *builder
	batch   []byte
	batches chan []byte
	size    int64 // bytes of the lines and their ends
	done    sync.WaitGroup
	fault   error // of the goroutine; read it after done
	ended   bool
}

// NewRecorder begins the index of the file that will be at path. It keeps columns in files without names in the
// folder of path until Finish or Discard.
func NewRecorder(path string, o Options) (*Recorder, error) {
	if !littleEndian() {
		return nil, errors.New("this machine is big endian, and indexes are not")
	}
	b, err := newBuilder(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("cannot begin the index of %s: %w", path, err)
	}
	b.observe = o.Observe
	r := &Recorder{path: path, o: o, b: b, batches: make(chan []byte, 16)}
	r.done.Go(r.read)
	return r, nil
}

// read adds the result lines of batches to the index. After an error it drops what follows.
func (r *Recorder) read() {
	at, n := int64(0), 0
	for batch := range r.batches {
		for from := 0; from < len(batch) && r.fault == nil; {
			to := from
			for batch[to] != '\n' {
				to++
			}
			n++
			r.fault = r.b.add(batch[from:to], n, at, "")
			at += int64(to - from + 1)
			from = to + 1
		}
	}
}

// Add adds the next line of the file, without its line end, and copies it. The line holds no line break.
func (r *Recorder) Add(line []byte) {
	r.batch = append(append(r.batch, line...), '\n')
	r.size += int64(len(line)) + 1
	if len(r.batch) >= batchBytes {
		r.batches <- r.batch
		r.batch = make([]byte, 0, batchBytes+batchBytes/4)
	}
}

// Finish writes the index. The file has to be complete at its path: every line that was added with one line end.
// Where it is not, there is no index.
func (r *Recorder) Finish() error {
	err := r.finish()
	if err != nil {
		err = fmt.Errorf("cannot write the index of %s: %w", r.path, err)
	}
	return err
}

// finish writes the index of the file once its goroutine has ended.
func (r *Recorder) finish() error {
	if len(r.batch) > 0 {
		r.batches <- r.batch
	}
	r.stop()
	defer r.b.discard()
	if r.fault != nil {
		return r.fault
	}
	src, err := os.Open(r.path)
	if err != nil {
		return err
	}
	defer src.Close()
	s, err := indexable(src)
	if err != nil {
		return err
	}
	if s.Size != r.size {
		return fmt.Errorf("the file has %d bytes; want the %d that were written", s.Size, r.size)
	}
	return r.b.end(r.path+Suffix, s, &r.o)
}

// stop waits for the goroutine that reads result lines.
func (r *Recorder) stop() {
	if !r.ended {
		r.ended = true
		close(r.batches)
		r.done.Wait()
	}
}

// Discard ends a Recorder without an index.
func (r *Recorder) Discard() {
	if !r.ended {
		r.stop()
		r.b.discard()
	}
}

// Columns collects results as a File without a source, whose lines cannot be read. One goroutine uses it.
type Columns struct {
	b *builder
}

// NewColumns begins without results. The columns are in files without names in the folder for temporary files.
func NewColumns() (*Columns, error) {
	if !littleEndian() {
		return nil, errors.New("this machine is big endian, and columns are not")
	}
	b, err := newBuilder(os.TempDir())
	if err != nil {
		return nil, fmt.Errorf("cannot begin columns: %w", err)
	}
	return &Columns{b}, nil
}

// Add adds a result with its line v.
func (c *Columns) Add(r *scoring.Result, v *fastjson.Value) error { return c.b.put(r, v, 0, 0) }

// File returns the columns under a name. Nothing can be added any more.
func (c *Columns) File(name string) (*File, error) {
	defer c.b.discard()
	at, err := os.CreateTemp("", "plumb-columns-")
	if err != nil {
		return nil, err
	}
	at.Close()
	defer os.Remove(at.Name()) // what is mapped stays
	if err := c.b.end(at.Name(), stamp{}, &Options{}); err != nil {
		return nil, fmt.Errorf("cannot write columns: %w", err)
	}
	m, err := openIndex(at.Name(), "results", stamp{})
	if err != nil {
		return nil, fmt.Errorf("cannot open columns: %w", err)
	}
	f := &File{Path: name, index: m}
	f.load(m)
	return f, nil
}

// Discard ends Columns that File was not called of.
func (c *Columns) Discard() { c.b.discard() }
