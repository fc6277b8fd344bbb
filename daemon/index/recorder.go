package index

import (
	"bytes"
	"context"
	"encoding/json"
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

// Recorder makes the index of a result file while its lines are written, so that it need not be read again. Most
// columns are taken from results in memory. A goroutine of its own reads the lines of others. One goroutine uses it.
type Recorder struct {
	path    string
	opts    RecorderOptions
	builder *builder
	batch   []byte // lines that are to be read
	batches chan []byte
	reading sync.WaitGroup // batches that are not yet read; the next four fields are used by one goroutine at a time
	at      int64          // where the next row begins
	results int            // rows
	fault   error
	sums    int   // who makes Extra: one of sumsShared, sumsOwn, sumsLate
	size    int64 // bytes of the lines and their ends
	done    sync.WaitGroup
	ended   bool
}

// Where the JSON value that Options.Extra returns comes from.
const (
	sumsOwn    = iota // Observe has had all results
	sumsShared        // RecorderOptions.Shared has it too, as all results so far read back as they were scored
	sumsLate          // Observe gets all results from the file at the end
)

// RecorderOptions say how a Recorder takes results.
type RecorderOptions struct {
	Options
	Reward scoring.RewardMode // how the lines have it
	// Shared returns what Extra would if Observe had had the results that were given to Add. So Observe need not be called
	// while these read back as they are. nil where nothing has it.
	Shared func() json.RawMessage
}

// NewRecorder begins the index of the file that will be at path. It keeps columns in files without names in the
// folder of path until Finish or Discard.
func NewRecorder(path string, o RecorderOptions) (*Recorder, error) {
	if !littleEndian() {
		return nil, errors.New("this machine is big endian, and indexes are not")
	}
	b, err := newBuilder(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("cannot begin the index of %s: %w", path, err)
	}
	r := &Recorder{path: path, opts: o, builder: b, batches: make(chan []byte, 16)}
	if o.Shared != nil && o.Observe != nil {
		r.sums = sumsShared
	} else {
		b.observe = o.Observe
	}
	r.done.Go(r.read)
	return r, nil
}

// read adds the result lines of batches to the index, until there are no more. It runs in a
// goroutine of its own.
func (r *Recorder) read() {
	for batch := range r.batches {
		r.addLines(batch)
		r.reading.Done()
	}
}

// addLines parses result lines and adds them to the index. After an error it ignores further
// lines.
func (r *Recorder) addLines(batch []byte) {
	r.unshare()
	for from := 0; from < len(batch) && r.fault == nil; {
		to := from + bytes.IndexByte(batch[from:], '\n')
		r.results++
		r.fault = r.builder.add(batch[from:to], r.results, r.at, "")
		r.at += int64(to - from + 1)
		from = to + 1
	}
}

// Add adds the next line of the file, without its line end, and copies it. The line holds no
// line break. of is the result that the line was made from, or nil if the line says
// something else or more. A line that reads back as the result is not parsed; the others
// are, by the goroutine, in batches.
func (r *Recorder) Add(line []byte, of *scoring.Result) {
	r.size += int64(len(line)) + 1
	if of != nil && r.builder.readsBack(of, r.opts.Reward) {
		r.waitForLines()
		if r.fault == nil {
			if of.Cluster != "" { // lines do not have it
				r.unshare()
			}
			r.results++
			r.fault = r.builder.addResult(of, r.opts.Reward, r.at, len(line))
			r.at += int64(len(line)) + 1
		}
		return
	}
	r.batch = append(append(r.batch, line...), '\n')
	if len(r.batch) >= batchBytes {
		r.reading.Add(1)
		r.batches <- r.batch
		r.batch = make([]byte, 0, batchBytes+batchBytes/4)
	}
}

// unshare ends the use of RecorderOptions.Shared, because the next result does not read back
// as it was scored. Observe gets the results from now on if there are none before, else all
// of them from the file at the end.
func (r *Recorder) unshare() {
	switch {
	case r.sums != sumsShared:
	case r.results == 0:
		r.sums, r.builder.observe = sumsOwn, r.opts.Observe
	default:
		r.sums = sumsLate
	}
}

// waitForLines waits until all batches are read and then reads the lines of the unfinished
// batch, because rows are in the order of lines.
func (r *Recorder) waitForLines() {
	r.reading.Wait()
	if len(r.batch) > 0 {
		r.addLines(r.batch)
		r.batch = r.batch[:0]
	}
}

// Finish writes the index and ends the Recorder. The file must be complete at its path:
// every line that was added, each with one line end. Otherwise there is an error and no
// index.
func (r *Recorder) Finish() error {
	err := r.finish()
	if err != nil {
		err = fmt.Errorf("cannot write the index of %s: %w", r.path, err)
	}
	return err
}

// finish writes the index of the file once its goroutine has ended.
func (r *Recorder) finish() error {
	r.waitForLines()
	r.stop()
	defer r.builder.discard()
	if r.fault != nil {
		return r.fault
	}
	src, err := openSource(context.Background(), r.path, &Options{})
	if err != nil {
		return err
	}
	defer src.Close()
	if n := src.stamp.Size; n != r.size {
		return fmt.Errorf("the file has %d bytes; want the %d that were written", n, r.size)
	}
	o := r.opts.Options
	switch r.sums {
	case sumsShared:
		o.Extra = r.opts.Shared
	case sumsLate:
		if err := r.observeFile(src.File); err != nil {
			return err
		}
	}
	return r.builder.end(r.path+Suffix, src.stamp, &o)
}

// observeFile gives the results of the complete file to Observe. Lines that are no results
// are left out.
func (r *Recorder) observeFile(src *os.File) error {
	var p fastjson.Parser
	return eachLine(context.Background(), src, r.size, defaultLine, nil, func(line []byte, _ int, _ int64, fault string) error {
		v, err := p.ParseBytes(line)
		if err != nil || fault != "" {
			return nil // it has no part in Extra
		}
		if result, err := scoring.CheckResult(v); err == nil {
			r.opts.Observe(result)
		}
		return nil
	})
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
		r.builder.discard()
	}
}

// Columns collects results as a File without a source, whose lines cannot be read. One goroutine uses it.
type Columns struct {
	builder *builder
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
func (c *Columns) Add(r *scoring.Result, v *fastjson.Value) error {
	return c.builder.put(r, rewardOf(v), 0, 0)
}

// File returns the results that were added, as a File with that name for its path. Nothing
// can be added any more. The columns are in a mapped file without a name.
func (c *Columns) File(name string) (*File, error) {
	defer c.builder.discard()
	at, err := os.CreateTemp("", "plumb-columns-")
	if err != nil {
		return nil, err
	}
	at.Close()
	defer os.Remove(at.Name()) // what is mapped stays
	if err := c.builder.end(at.Name(), stamp{}, &Options{}); err != nil {
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
func (c *Columns) Discard() { c.builder.discard() }
