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

// Trace writes when each stage of drawing ran (spans) as a trace file, which the viewer Perfetto opens. Each
// class of scenes is a group, with a row for each worker and each batch in flight, and rows for the work of
// the device.
func (file *File) Trace(path string, spans map[string][]stage.Span) error {
	err := atomicfile.WriteFile(path, func(out *atomicfile.File) (err error) {
		writer := event.New(out, traceBytes)
		for i, class := range file.Classes {
			if err = file.traceClass(writer, i+1, class.Name, spans[class.Name]); err != nil {
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
	// Number the rows and name them. A span has the row of its worker, or of its batch in flight, whose rows follow
	// those of the workers. What the device does for a batch has the row of the batch too. In the viewer it gets
	// a row of its own, and these follow all others.
	lastRow := slices.MaxFunc(spans, func(a, b stage.Span) int { return a.Row - b.Row }).Row
	deviceRow := func(batchRow int) int { return lastRow + 1 + batchRow - file.Workers }
	const ofGroup = -1 // in place of a row
	labels := map[int]string{ofGroup: fmt.Sprintf("%s, %s", name, file.Backend)}
	for row := range lastRow + 1 {
		labels[row] = fmt.Sprintf("worker %d", row)
		if row >= file.Workers {
			labels[row] = fmt.Sprintf("batch %d", row-file.Workers)
			labels[deviceRow(row)] = fmt.Sprintf("device, batch %d", row-file.Workers)
		}
	}
	for row, label := range labels {
		if err := writer.Label(group, row, label); err != nil {
			return err
		}
	}
	// Write the events.
	for _, span := range spans {
		row := span.Row
		if span.Stage == stage.Device {
			row = deviceRow(span.Row)
		}
		args := map[string]any{"scene": span.Scene}
		if span.Scene < 0 { // the stage was that of a batch
			args = map[string]any{"scenes": span.Scenes}
		}
		ran := event.Event{Name: span.Stage.String(), At: span.Start, Took: span.End - span.Start, Group: group, Row: row, Args: args}
		if err := writer.Write(ran); err != nil {
			return err
		}
	}
	return nil
}

// clip returns the parts of stages of drawing (spans) that lie in a window of time, from `from` for a length.
// Their times count from the beginning of the window.
func clip(spans []stage.Span, from, length time.Duration) []stage.Span {
	var inside []stage.Span
	for _, span := range spans {
		if span.End > from && span.Start < from+length {
			span.Start, span.End = max(span.Start, from)-from, min(span.End, from+length)-from
			inside = append(inside, span)
		}
	}
	return inside
}
