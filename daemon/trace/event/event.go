// Package event writes Chrome's trace events, which Perfetto opens. In: spans
// with a name, a row and a place in time. Out: a JSON array that is whole after
// Close, and readable before. It refuses to grow beyond the size it was given.
package event

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// Event is one span, or with Phase "M" a name for a row. Times count from
// whatever moment the writer's user chose.
type Event struct {
	Name string
	// Phase is "X" for a span, the default, and "M" for metadata.
	Phase string
	At    time.Duration
	Took  time.Duration // below 0 counts as 0
	Group int           // process in the viewer; 0 is 1
	Row   int           // thread in the viewer
	Args  map[string]any
}

// record is an Event as the format has it; times are in microseconds.
type record struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	At    float64        `json:"ts"`
	Took  float64        `json:"dur"`
	PID   int            `json:"pid"`
	Row   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// Writer writes one file. One goroutine uses it at a time.
type Writer struct {
	closer    io.Closer // nil where the file is the caller's
	out       *bufio.Writer
	max       int64 // bytes of the file
	bytesLeft int64 // bytes that may still be written
	wrote     bool  // an event was written
}

// Create makes a file of trace events and returns its writer, which stops before the file has more
// than max bytes.
func Create(path string, max int64) (*Writer, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w := New(file, max)
	w.closer = file
	return w, nil
}

// New writes to dst, at most max bytes. Close does not close dst.
func New(dst io.Writer, max int64) *Writer {
	return &Writer{out: bufio.NewWriterSize(dst, 64<<10), max: max, bytesLeft: max}
}

// Write adds one event to the trace file. It returns an error if the event would make the
// file larger than its limit, and writes nothing then.
func (writer *Writer) Write(e Event) error {
	r := record{Name: e.Name, Phase: e.Phase, At: micros(e.At), Took: micros(max(e.Took, 0)), PID: e.Group,
		Row: e.Row, Args: e.Args}
	if r.Phase == "" {
		r.Phase = "X"
	}
	if r.PID == 0 {
		r.PID = 1
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("BUG: trace event: %w", err)
	}
	const separator, end = 2, 3 // bytes before each event and at the end of the array
	writer.bytesLeft -= int64(len(data)) + separator
	if writer.bytesLeft < end {
		return fmt.Errorf("cannot grow beyond %d bytes", writer.max)
	}
	sep := ",\n"
	if !writer.wrote {
		sep, writer.wrote = "[\n", true
	}
	writer.out.WriteString(sep)
	_, err = writer.out.Write(data)
	return err
}

// Label names a row of a group, or with a negative row the group itself. The file has names as events of phase M.
func (writer *Writer) Label(group, row int, name string) error {
	event := Event{Name: "thread_name", Phase: "M", Group: group, Row: row, Args: map[string]any{"name": name}}
	if row < 0 {
		event.Name, event.Row = "process_name", 0
	}
	return writer.Write(event)
}

// Flush writes what is held.
func (writer *Writer) Flush() error { return writer.out.Flush() }

// Close ends the JSON array of events, writes what is buffered, and closes the file if the writer has
// opened it. It returns the first error.
func (writer *Writer) Close() error {
	if !writer.wrote {
		writer.out.WriteString("[")
	}
	writer.out.WriteString("\n]\n")
	err := writer.out.Flush()
	if writer.closer == nil {
		return err
	}
	if e := writer.closer.Close(); err == nil {
		err = e
	}
	return err
}
