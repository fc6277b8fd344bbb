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

// Recorder makes the index of a result file while its lines are written, so that it need not be
// read again. Most columns are taken from results in memory. A goroutine of its own reads the lines
// of others. One goroutine uses it.
type Recorder struct {
	path          string
	opts          RecorderOptions
	builder       *builder
	batch         []byte // lines that are to be read
	batches       chan []byte
	unreadBatches sync.WaitGroup // batches that are not yet read

	// The recorder's goroutine uses these while batches are unread, and the caller after it has waited for them.
	offset      int64 // where the next row begins
	rowsAdded   int   // so far, of lines and of results in memory
	firstError  error
	extraSource int // who makes Extra: one of extraShared, extraOwn, extraLate

	size    int64 // bytes of all lines and their ends
	done    sync.WaitGroup
	isEnded bool
}

// Where the JSON value that Options.Extra returns comes from.
const (
	extraOwn    = iota // Observe has had all results
	extraShared        // RecorderOptions.Shared has it too, as all results so far read back as they were scored
	extraLate          // Observe gets all results from the file at the end
)

// RecorderOptions say how a Recorder takes results.
type RecorderOptions struct {
	Options
	Reward scoring.RewardMode // how the lines have it
	// Shared returns what Extra would if Observe had had the results that were given to Add. So
	// Observe need not be called while these read back as they are. nil where nothing has it.
	Shared func() json.RawMessage
}

// NewRecorder begins the index of the file that will be at path. It keeps columns in files without names in the
// folder of path until Finish or Discard.
func NewRecorder(path string, options RecorderOptions) (*Recorder, error) {
	if !littleEndian() {
		return nil, errors.New("this machine is big endian, and indexes are not")
	}
	builder, err := newBuilder(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("cannot begin the index of %s: %w", path, err)
	}
	recorder := &Recorder{path: path, opts: options, builder: builder, batches: make(chan []byte, 16)}
	if options.Shared != nil && options.Observe != nil {
		recorder.extraSource = extraShared // Observe is not called then, because Shared has the same
	} else {
		builder.observe = options.Observe
	}
	recorder.done.Go(recorder.readBatches)
	return recorder, nil
}

// readBatches adds the result lines of batches to the index, until there are no more. It runs in a
// goroutine of its own.
func (recorder *Recorder) readBatches() {
	for batch := range recorder.batches {
		recorder.addLines(batch)
		recorder.unreadBatches.Done()
	}
}

// addLines parses the lines of a batch, each of which ends with a line break, and adds them to the index.
// After an error it ignores further lines.
func (recorder *Recorder) addLines(batch []byte) {
	recorder.stopSharing() // these results do not read back as they were scored
	for from := 0; from < len(batch) && recorder.firstError == nil; {
		to := from + bytes.IndexByte(batch[from:], '\n')
		recorder.rowsAdded++
		recorder.firstError = recorder.builder.addLine(batch[from:to], recorder.rowsAdded, recorder.offset, "")
		recorder.offset += int64(to - from + 1)
		from = to + 1
	}
}

// Add adds the next line of the file, without its line end, and copies it. The line holds no
// line break. result is what the line was made from, or nil if the line says something else
// or more. A line that would read back as that result is not parsed; the others are, by the
// recorder's goroutine, in batches.
func (recorder *Recorder) Add(line []byte, result *scoring.Result) {
	recorder.size += int64(len(line)) + 1
	if result != nil && recorder.builder.readsBack(result, recorder.opts.Reward) {
		recorder.readAllLines()
		if recorder.firstError == nil {
			if result.Cluster != "" { // lines do not have it, so this result differs from what Shared has seen
				recorder.stopSharing()
			}
			recorder.rowsAdded++
			recorder.firstError = recorder.builder.addResult(result, recorder.opts.Reward, recorder.offset, len(line))
			recorder.offset += int64(len(line)) + 1
		}
		return
	}
	recorder.batch = append(append(recorder.batch, line...), '\n')
	if len(recorder.batch) >= batchBytes {
		recorder.unreadBatches.Add(1)
		recorder.batches <- recorder.batch
		recorder.batch = make([]byte, 0, batchBytes+batchBytes/4)
	}
}

// stopSharing ends the use of RecorderOptions.Shared, because the next result does not read back
// as it was scored. Observe gets the results from now on if there are none before, else all
// of them from the file at the end.
func (recorder *Recorder) stopSharing() {
	switch {
	case recorder.extraSource != extraShared:
	case recorder.rowsAdded == 0:
		recorder.extraSource, recorder.builder.observe = extraOwn, recorder.opts.Observe
	default:
		recorder.extraSource = extraLate
	}
}

// readAllLines waits until all batches are read and then reads the lines of the unfinished
// batch, because rows are in the order of lines.
func (recorder *Recorder) readAllLines() {
	recorder.unreadBatches.Wait()
	if len(recorder.batch) > 0 {
		recorder.addLines(recorder.batch)
		recorder.batch = recorder.batch[:0]
	}
}

// Finish writes the index of the file of results, and ends the Recorder. The file must be complete at
// its path by then: it has exactly the lines that were added, each ended by one line feed. Otherwise
// Finish returns an error and writes no index.
func (recorder *Recorder) Finish() error {
	err := recorder.finish()
	if err != nil {
		err = fmt.Errorf("cannot write the index of %s: %w", recorder.path, err)
	}
	return err
}

// finish writes the index of a result file after its last line: it waits for the goroutine that reads
// the lines, checks that the file has the size that was written, adds what the caller wants to keep
// with the index, and writes it.
func (recorder *Recorder) finish() error {
	recorder.readAllLines()
	recorder.stop()
	defer recorder.builder.discard()
	if recorder.firstError != nil {
		return recorder.firstError
	}
	src, err := openSource(context.Background(), recorder.path, &Options{})
	if err != nil {
		return err
	}
	defer src.Close()
	if n := src.stamp.Size; n != recorder.size {
		return fmt.Errorf("the file has %d bytes; want the %d that were written", n, recorder.size)
	}
	options := recorder.opts.Options
	switch recorder.extraSource {
	case extraShared:
		options.Extra = recorder.opts.Shared
	case extraLate:
		if err := recorder.observeFile(src.File); err != nil {
			return err
		}
	}
	return recorder.builder.writeIndex(recorder.path+Suffix, src.stamp, &options)
}

// observeFile gives the results of the complete file to Observe. Lines that are no results
// are left out.
func (recorder *Recorder) observeFile(src *os.File) error {
	var p fastjson.Parser
	return eachLine(context.Background(), src, recorder.size, defaultLine, nil, func(line []byte, _ int, _ int64, fault string) error {
		value, err := p.ParseBytes(line)
		if err != nil || fault != "" {
			return nil // it has no part in Extra
		}
		if result, err := scoring.CheckResult(value); err == nil {
			recorder.opts.Observe(result)
		}
		return nil
	})
}

// stop tells the goroutine that reads result lines that no more come, and waits until it ends. A
// second call does nothing.
func (recorder *Recorder) stop() {
	if !recorder.isEnded {
		recorder.isEnded = true
		close(recorder.batches)
		recorder.done.Wait()
	}
}

// Discard ends a Recorder without an index and removes its temporary files.
func (recorder *Recorder) Discard() {
	if !recorder.isEnded {
		recorder.stop()
		recorder.builder.discard()
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
	builder, err := newBuilder(os.TempDir())
	if err != nil {
		return nil, fmt.Errorf("cannot begin columns: %w", err)
	}
	return &Columns{builder}, nil
}

// Add adds a result; v is its line, from which the reward is taken. The place of the line is not kept.
func (columns *Columns) Add(r *scoring.Result, v *fastjson.Value) error {
	return columns.builder.putRow(r, rewardOf(v), 0, 0)
}

// File returns the results that were added, as a File with that name for its path. Nothing
// can be added any more. The columns are in a mapped file without a name.
func (columns *Columns) File(name string) (*File, error) {
	defer columns.builder.discard()
	at, err := os.CreateTemp("", "plumb-columns-")
	if err != nil {
		return nil, err
	}
	at.Close()
	defer os.Remove(at.Name()) // what is mapped stays
	if err := columns.builder.writeIndex(at.Name(), stamp{}, &Options{}); err != nil {
		return nil, fmt.Errorf("cannot write columns: %w", err)
	}
	mapped, err := openIndex(at.Name(), "results", stamp{})
	if err != nil {
		return nil, fmt.Errorf("cannot open columns: %w", err)
	}
	f := &File{Path: name, index: mapped}
	f.load(mapped)
	return f, nil
}

// Discard ends Columns that File was not called of.
func (columns *Columns) Discard() { columns.builder.discard() }
