package trace

import (
	"fmt"
	"time"

	"plumb/daemon/trace/event"
)

// maxFile is the largest trace file in bytes: about 500,000 requests.
const maxFile = 1 << 30

// file writes Chrome's trace events, which Perfetto opens. Requests that overlap
// stand in rows of their own.
type file struct {
	*event.Writer
	rowEnds    []time.Time // when the last request of each row ended
	firstStart time.Time   // the start of the first request, from which times are counted
	lastFlush  time.Time   // when buffered events were last written to the file
}

// create opens the file of --trace-file for Chrome's trace events; it holds max bytes at most.
func create(path string, max int64) (*file, error) {
	writer, err := event.Create(path, max)
	if err != nil {
		return nil, fmt.Errorf("cannot write traces: %w (--trace-file)", err)
	}
	return &file{Writer: writer}, nil
}

// writeRequest writes one request and the parts of its time, in a row without overlapping
// requests. Parts are written only for requests with one sample, because those of several
// overlap and would not nest. The error says why nothing more can be written.
func (file *file) writeRequest(request *Request) error {
	if file.firstStart.IsZero() {
		file.firstStart = request.Start
	}
	row := file.freeRow(request.Start, request.End)
	// The request.
	emit := func(name string, at time.Time, took time.Duration, args map[string]any) error {
		return file.Write(event.Event{Name: name, At: at.Sub(file.firstStart), Took: took, Row: row, Args: args})
	}
	args := map[string]any{"request": request.ID, "code": request.Code, "samples": request.All, "trace": request.Span.TraceID()}
	if err := emit(request.Method+" "+request.Route, request.Start, request.End.Sub(request.Start), args); err != nil {
		return err
	}
	if len(request.Sample) != 1 || request.All != 1 { // samples of one request overlap: their parts would not nest
		return file.flush(request.End)
	}
	// Its parts: reading it, those of its sample, and sending the reply.
	sample := &request.Sample[0]
	at := request.Start
	parts := append([]Part{{"read", sample.Start.Sub(request.Start)}}, sample.Parts...)
	for i, part := range parts {
		var args map[string]any
		if i == 0 {
			args = map[string]any{"id": sample.ID, "suite": sample.Suite, "test": sample.Test, "outcome": sample.Outcome}
		}
		if err := emit(part.Name, at, part.Took, args); err != nil {
			return err
		}
		at = at.Add(max(part.Took, 0))
	}
	if err := emit("reply", at, request.End.Sub(at), nil); err != nil {
		return err
	}
	return file.flush(request.End)
}

// freeRow returns the first row of the trace view that no earlier request uses at the start of this one, and
// keeps it until this one's end, so that requests in a row never overlap. Requests come in the order of
// their ends, so the last request of a row is the one that ends last.
func (file *file) freeRow(start, end time.Time) int {
	for i, last := range file.rowEnds {
		if !start.Before(last) {
			file.rowEnds[i] = end
			return i
		}
	}
	file.rowEnds = append(file.rowEnds, end)
	return len(file.rowEnds) - 1
}

// flush writes buffered events if the last flush is a second ago, so that the file is
// readable while the daemon runs.
func (file *file) flush(now time.Time) error {
	if now.Sub(file.lastFlush) < time.Second {
		return nil
	}
	file.lastFlush = now
	return file.Flush()
}
