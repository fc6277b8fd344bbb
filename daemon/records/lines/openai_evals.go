package lines

import (
	"fmt"
	"io"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// openAIEvals reads the events of OpenAI evals. The last event sampling or error of a sample counts, so a first
// pass finds the places of these events and a second one reads them. See docs/spec/dumps.md#r18.
type openAIEvals struct {
	in             *input.Input
	file           io.ReaderAt
	parser         record.Parser
	events         []event // those that count and were not returned, in the order of the file
	model          string
	hasFinalReport bool
	endError       error // what ended the first pass, io.EOF at the end
	lineBytes      []byte
	records        []record.Record
	nextRecord     int // the index in records of the record that Next returns next
}

// event is the place of a line of the log.
type event struct {
	line   int    // from 1
	offset int64  // the byte offset at which it begins
	size   int    // bytes; 0 for an event that a later one of its sample replaces
	fault  string // why the line cannot be read, "" where it can
}

// newOpenAIEvals returns the reader of a log of OpenAI evals, after a first pass that keeps
// the place of the last event of each sample.
func newOpenAIEvals(in *input.Input, o *Options) (*openAIEvals, error) {
	file, size, err := in.RandomAccess()
	if err != nil {
		return nil, err
	}
	evals := &openAIEvals{in: in, file: file}
	evals.parser.Limits = o.Limits
	limits := in.Limits.Limits
	lines, err := dump.NewReader(io.NewSectionReader(file, 0, size), limits)
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	last := map[string]int{} // by the sample's id, the index in all of its last event so far
	var all []event          // the places of events that may count, and of lines that cannot be read
	for evals.endError == nil {
		var l dump.Line
		if l, evals.endError = lines.Next(); evals.endError != nil {
			break
		}
		id, fault := evals.scanLine(l)
		switch {
		case fault != "":
			all = append(all, event{line: l.Number, offset: l.Offset, fault: fault})
		case id != "":
			if i, ok := last[id]; ok {
				all[i].size = 0 // marks an earlier event as replaced
			}
			last[id] = len(all)
			all = append(all, event{line: l.Number, offset: l.Offset, size: len(l.Bytes)})
		}
	}
	// Only the last event of each sample, and lines that cannot be read, become records.
	evals.events = slices.DeleteFunc(all, func(v event) bool { return v.size == 0 && v.fault == "" })
	return evals, nil
}

// scanLine reads what a line of OpenAI evals says of the run (model, end), and returns the sample id of
// an event that may count, "" for other lines. fault says why the line cannot be read.
func (evals *openAIEvals) scanLine(l dump.Line) (sample, fault string) {
	if l.Fault != "" {
		return "", l.Fault
	}
	v, err := evals.parser.Parse(l.Bytes)
	if err != nil {
		return "", fmt.Sprintf("cannot read line %d (byte %d): %v", l.Number, l.Offset, err)
	}
	if names := v.GetArray("spec", "completion_fns"); len(names) > 0 {
		evals.model = stringOf(names[0])
	}
	if v.Exists("final_report") {
		evals.hasFinalReport = true
	}
	if kind := stringOf(v.Get("type")); kind != "sampling" && kind != "error" {
		return "", ""
	}
	if sample = idText(v.Get("sample_id")); sample == "" {
		return "", fmt.Sprintf("cannot read line %d: sample_id: got %s; want a text", l.Number,
			message.Describe(v.Get("sample_id")))
	}
	return sample, ""
}

// Close implements record.Source; the input belongs to the caller.
func (evals *openAIEvals) Close() error { return nil }

// Next returns the next record of a log of OpenAI evals. It reads the next event when all records of
// the last one, which may have given several, were returned. It implements record.Source.
func (evals *openAIEvals) Next() (*record.Record, error) {
	for evals.nextRecord == len(evals.records) {
		if len(evals.events) == 0 {
			return nil, evals.endError
		}
		evals.records, evals.nextRecord = evals.records[:0], 0
		if err := evals.readEvent(evals.events[0]); err != nil {
			return nil, err
		}
		evals.events = evals.events[1:]
	}
	evals.nextRecord++
	return &evals.records[evals.nextRecord-1], nil
}

// readEvent reads one event of a sample and adds its records to evals.records: one for each answer of the
// sample, or one that says why there is none. Events are read a second time here, because the model's name and
// other facts may follow them in the log.
func (evals *openAIEvals) readEvent(ev event) error {
	at := placeOf(dump.Line{Number: ev.line})
	if ev.fault != "" {
		evals.records = append(evals.records, record.Record{At: at, Fault: ev.fault, Usage: record.NoUsage})
		return nil
	}
	// Read the event's line at its place.
	evals.lineBytes = slices.Grow(evals.lineBytes[:0], ev.size)[:ev.size]
	if _, err := evals.file.ReadAt(evals.lineBytes, ev.offset); err != nil {
		return fmt.Errorf("%s cannot be read again: %w", at, err)
	}
	v, err := evals.parser.Parse(evals.lineBytes)
	if err != nil {
		return fmt.Errorf("%s is not what it was: %w", at, err)
	}
	data := v.Get("data")
	add := func() *record.Record {
		evals.records = append(evals.records, record.Record{At: at, Key: idText(v.Get("sample_id")), Model: evals.model, Fields: v,
			Labels: v.Get("data", "metadata"), Usage: chatUsage(data.Get("usage"))})
		r := &evals.records[len(evals.records)-1]
		if !evals.hasFinalReport {
			r.AddNote("unfinished", "the log has no final_report: the run was not finished")
		}
		return r
	}
	// Its answers.
	sampled := data.Get("sampled")
	switch {
	case stringOf(v.Get("type")) == "error":
		add().MarkMissing(record.NoResponse, failureWords(noStatus, data.Get("message")))
	case jsontree.Absent(sampled):
		add().MarkMissing(record.NoResponse, "sampled is null")
	default:
		for k, answer := range flatten(nil, sampled) {
			r := add()
			if hasType(sampled, fastjson.TypeArray) { // a list of answers; a single text has no number
				r.Repeat = k + 1
			}
			if !hasType(answer, fastjson.TypeString) {
				r.Fault = fmt.Sprintf("cannot read %s: data.sampled: got %s; want a text or a list of texts", at,
					message.Describe(answer))
				continue
			}
			r.Response = stringOf(answer)
		}
	}
	return nil
}
