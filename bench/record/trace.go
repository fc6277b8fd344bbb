package record

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"plumb/bench/stage"
	"plumb/daemon/atomicfile"
	"plumb/daemon/trace/event"
)

// traceBytes bounds a trace file.
const traceBytes = 256 << 20

// Trace writes the spans of profiles as a file that Perfetto opens: a group per
// class, a row per worker and caller, and the device's work in rows of its own.
func (file *File) Trace(path string, spans map[string][]stage.Span) error {
	err := atomicfile.WriteFile(path, func(to *atomicfile.File) (err error) {
		writer := event.New(to, traceBytes)
		for i, c := range file.Classes {
			if err = file.traceClass(writer, i+1, c.Name, spans[c.Name]); err != nil {
				break
			}
		}
		return errors.Join(err, writer.Close())
	})
	if err != nil {
		return fmt.Errorf("cannot write trace %s: %w", path, err)
	}
	return nil
}

// traceClass writes the profile of one class of scenes as events of a trace viewer, in a group of
// rows: one for each worker, for each batch in flight, and for each batch on the device.
func (file *File) traceClass(writer *event.Writer, group int, name string, spans []stage.Span) error {
	if len(spans) == 0 {
		return nil
	}
	lastRow := slices.MaxFunc(spans, func(a, b stage.Span) int { return a.Row - b.Row }).Row
	labels := map[int]string{-1: fmt.Sprintf("%s, %s", name, file.Backend)}
	for row := range lastRow + 1 {
		labels[row] = fmt.Sprintf("worker %d", row)
		if row >= file.Workers {
			labels[row] = fmt.Sprintf("batch %d", row-file.Workers)
			labels[lastRow+1+row-file.Workers] = fmt.Sprintf("device, batch %d", row-file.Workers)
		}
	}
	for row, label := range labels {
		if err := writer.Label(group, row, label); err != nil {
			return err
		}
	}
	for _, span := range spans {
		row := span.Row
		if span.Stage == stage.Device {
			row = lastRow + 1 + span.Row - file.Workers
		}
		args := map[string]any{"scene": span.Scene}
		if span.Scene < 0 {
			args = map[string]any{"scenes": span.Scenes}
		}
		e := event.Event{Name: span.Stage.String(), At: span.Start, Took: span.End - span.Start, Group: group, Row: row, Args: args}
		if err := writer.Write(e); err != nil {
			return err
		}
	}
	return nil
}

// clip returns the parts of the spans that lie within [from, from+length), counted from there.
func clip(spans []stage.Span, from, length time.Duration) []stage.Span {
	var out []stage.Span
	for _, s := range spans {
		if s.End > from && s.Start < from+length {
			s.Start, s.End = max(s.Start, from)-from, min(s.End, from+length)-from
			out = append(out, s)
		}
	}
	return out
}
