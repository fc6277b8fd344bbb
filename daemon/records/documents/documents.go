// Package documents reads answers from documents of any size: logs of inspect_ai, as archives and
// as JSON, and states of HELM. In: a dump. Out: a record for each sample or completion. Of a
// sample only the members that a record needs are held; events, messages and tokens are skipped
// unread. A sample that cannot be read costs one record. See docs/spec/dumps-files.md#r1.
package documents

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/jsonwalk"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
	"plumb/render/scene"
)

// Options say how documents are read.
type Options struct {
	Limits  scene.Limits // of the JSON that is kept of a sample; zero values mean the defaults
	Errored bool         // a failed sample with an answer counts as answered (--errored score)
}

// valueReader reads values of a document, such as samples: of each the members that are wanted.
type valueReader struct {
	limit  int    // of what is kept of a value, in bytes
	json   []byte // the JSON that is kept of the last value
	parser record.Parser
}

// newValueReader returns a reader for values of a document, of each of which it keeps at most limit bytes.
// The JSON gets the limits in o, or the default ones without any. Its limit on a line is raised to at
// least limit, so that all that is kept can be parsed.
func newValueReader(limit int, o Options) valueReader {
	e := valueReader{limit: limit}
	e.parser.Limits = o.Limits
	if o.Limits == (scene.Limits{}) {
		e.parser.Limits = scene.DefaultLimits()
	}
	e.parser.Limits.Line = max(e.parser.Limits.Line, limit)
	return e
}

// read returns what want keeps of the next value of the document, valid until the next call. fault says
// why this value alone cannot be read: it is too long or no JSON. After err nothing more of the
// document can be read.
func (e *valueReader) read(walker *jsonwalk.Walker, want jsonwalk.Want) (v *fastjson.Value, fault string, err error) {
	e.beginValue()
	e.json, err = walker.Append(e.json, want, e.limit)
	return e.parse(err)
}

// wants returns the function read with want set, for callers that take any function that reads a value.
func (e *valueReader) wants(want jsonwalk.Want) func(*jsonwalk.Walker) (*fastjson.Value, string, error) {
	return func(walker *jsonwalk.Walker) (*fastjson.Value, string, error) { return e.read(walker, want) }
}

// beginValue empties the buffer for the next value of the document, and frees memory if the last one was large.
func (e *valueReader) beginValue() {
	const keep = 4 << 20 // bytes of a buffer that is used again
	if e.json = e.json[:0]; cap(e.json) > keep {
		e.json = nil
	}
	e.parser.TrimMemory()
}

// parse parses the JSON of a document's value that was read into the buffer. readErr is the error of
// reading it. If that says that the value is too long, or the JSON is not valid, the value is nil and
// fault says why. Any other readErr is returned and ends the document.
func (e *valueReader) parse(readErr error) (value *fastjson.Value, fault string, err error) {
	switch {
	case readErr == nil:
	case errors.As(readErr, new(*jsonwalk.LongError)):
		return nil, readErr.Error(), nil
	default:
		return nil, "", readErr
	}
	v, err := e.parser.Parse(e.json)
	if err != nil {
		return nil, fmt.Sprintf("cannot parse JSON: %v", err), nil
	}
	return v, "", nil
}

// errorText returns what an error says: the member message of an object, or the text.
func errorText(v *fastjson.Value) string {
	return cmp.Or(jsontree.Text(v.Get("message")), jsontree.Text(v))
}

// joinLines joins texts with line breaks.
func joinLines(all []string) string { return strings.Join(all, "\n") }
