package documents

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/jsonwalk"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// partWant is what is kept of a part of a message. A content that is a text is kept whole.
var partWant = jsonwalk.Want{"type": nil, "text": nil, "reasoning": nil, "summary": nil, "redacted": nil}

// sampleWant is what is kept of a sample of inspect_ai. Events, messages, the store and
// attachments are not. Go finds names faster in a map of at most eight. See docs/spec/dumps-files.md#r12.
var sampleWant = jsonwalk.Want{
	"id": nil, "epoch": nil, "target": nil, "metadata": nil, "invalidation": nil,
	"limit": {"type": nil, "limit": nil},
	"error": {"message": nil},
	"output": {
		"model": nil, "error": nil,
		"usage":   {"input_tokens": nil, "output_tokens": nil, "reasoning_tokens": nil},
		"choices": {"message": {"content": partWant}, "stop_reason": nil},
	},
}

// log is what the records of one log share.
type log struct {
	options      Options
	model        string // that the header names
	isUnfinished bool   // the run did not end, so samples may be missing
}

// versions are the known formats of logs.
var versions = map[string]bool{"1": true, "2": true}

// headWant is what is kept of the header of a log. A nil want keeps the whole member.
var headWant = jsonwalk.Want{"version": nil, "status": nil, "eval": {"model": nil}}

// readSample reads the next value, a sample of inspect_ai, and returns the members that sampleWant names. It
// also keeps the attachments to which the members before them refer: long texts, of which most samples have
// many that no record needs. fault says why this sample alone cannot be read; err ends the document.
func (e *valueReader) readSample(walker *jsonwalk.Walker) (v *fastjson.Value, fault string, err error) {
	if c, err := walker.Peek(); err != nil || c != '{' { // no object, which read reports
		return e.read(walker, sampleWant)
	}
	e.beginValue()
	if err := walker.Object(); err != nil {
		return nil, "", err
	}
	e.json = append(e.json, '{')
	var tooLong error // why nothing more is kept: the sample exceeds the limit
	for {
		name, ok, err := walker.Member()
		if err != nil {
			return nil, "", err
		}
		if !ok {
			break
		}
		// Which members are kept, and what of them.
		want, isWanted := sampleWant[string(name)] // a nil want keeps the whole member
		if string(name) == "attachments" {
			want = attachmentsIn(e.json)
			isWanted = len(want) > 0
		}
		if !isWanted || tooLong != nil {
			if err := walker.Skip(); err != nil {
				return nil, "", err
			}
			continue
		}
		// Copy the member.
		if len(e.json) > 1 {
			e.json = append(e.json, ',')
		}
		e.json = append(append(append(e.json, '"'), name...), '"', ':')
		e.json, err = walker.Append(e.json, want, e.limit-len(e.json))
		switch {
		case err == nil:
		case errors.As(err, new(*jsonwalk.LongError)):
			tooLong = err
		default:
			return nil, "", err
		}
	}
	e.json = append(e.json, '}')
	return e.parse(tooLong)
}

// attachmentPrefix begins a text that stands in an attachment.
const attachmentPrefix = "attachment://"

// attachmentsIn finds the attachments to which the JSON b of a sample refers, by texts such as
// "attachment://12". It returns their names as a want for the sample's member attachments, nil for none.
func attachmentsIn(b []byte) jsonwalk.Want {
	var want jsonwalk.Want
	for {
		_, after, ok := bytes.Cut(b, []byte(`"`+attachmentPrefix))
		if !ok {
			return want
		}
		if name, _, _ := bytes.Cut(after, []byte{'"'}); isAttachmentName(string(name)) {
			if want == nil {
				want = jsonwalk.Want{}
			}
			want[string(name)] = nil
		}
		b = after
	}
}

// checkVersion returns an error for a log of inspect_ai whose format version v is not one that this
// reader knows. See docs/spec/dumps-files.md#r12.
func checkVersion(v *fastjson.Value) error {
	if s := jsontree.Text(v); !versions[s] {
		if s == "" {
			s = "none"
		}
		return fmt.Errorf("log format version %s; this reader knows 1 and 2; want it converted with inspect itself", s)
	}
	return nil
}

// recordOf returns the record of a sample v of inspect_ai. resolve returns the text of an attachment by
// its name. A sample with an error has no answer, unless Options.Errored is set and the model answered
// nevertheless. A sample without an id or an epoch gives a record with a fault.
func (l *log) recordOf(v *fastjson.Value, resolve func(name string) (string, error)) record.Record {
	epoch := v.Get("epoch")
	r := record.Record{
		Key: jsontree.Text(v.Get("id")), Repeat: max(epoch.GetInt(), 0), Model: l.model,
		Fields: v, Labels: v.Get("metadata"), Usage: record.NoUsage,
	}
	if v.Type() != fastjson.TypeObject || r.Key == "" || r.Repeat == 0 {
		return record.Record{At: r.Key + "#" + jsontree.Text(epoch), Key: r.Key, Fault: "the sample has no id or no epoch"}
	}
	r.At = r.Key + "#" + strconv.Itoa(r.Repeat)
	// Its task.
	if labels := r.Labels; labels != nil && labels.Type() == fastjson.TypeObject {
		r.Suite, r.Test = jsontree.Text(labels.Get("suite")), jsontree.Text(labels.Get("test"))
	} else {
		r.Labels = nil
	}
	output := v.Get("output")
	if r.Model == "" {
		r.Model = jsontree.Text(output.Get("model"))
	}
	// What the log says against it.
	if l.isUnfinished {
		r.AddNote("unfinished", "the log was not finished: its process was killed, and samples may be missing")
	}
	if !jsontree.Absent(v.Get("invalidation")) {
		r.AddNote("invalidated", "the log marks the sample as invalid")
	}
	// Its answer, or why there is none.
	choices := output.GetArray("choices")
	countsAsAnswered := l.options.Errored && len(choices) > 0
	if e := v.Get("error"); !jsontree.Absent(e) && !countsAsAnswered {
		r.MarkMissing(record.NoResponse, errorText(e))
		return r
	}
	if u := output.Get("usage"); u != nil {
		r.Usage = record.Usage{Prompt: record.TokenCount(u.Get("input_tokens")), Completion: record.TokenCount(u.Get("output_tokens")),
			Reasoning: record.TokenCount(u.Get("reasoning_tokens"))}
	}
	if len(choices) > 0 {
		r.FinishReason = record.CommonFinishReason(jsontree.Text(choices[0].Get("stop_reason")))
		if err := setText(&r, choices[0].Get("message", "content"), resolve); err != nil {
			return record.Record{At: r.At, Key: r.Key, Fault: err.Error()}
		}
	}
	if !jsontree.Absent(v.Get("limit")) {
		r.Cut = record.ByLimit
	}
	return r
}

// setText sets the text and the reasoning of a record from the content of a message, a text or a list of
// parts. A text that is a reference to an attachment is replaced by what resolve returns for its name.
// Where the service has hidden the reasoning (redacted), its summary is taken.
func setText(r *record.Record, content *fastjson.Value, resolve func(string) (string, error)) error {
	resolved := func(v *fastjson.Value) (string, error) {
		s := jsontree.Text(v)
		if name, ok := strings.CutPrefix(s, attachmentPrefix); ok && isAttachmentName(name) {
			return resolve(name)
		}
		return s, nil
	}
	// One text.
	if content == nil || content.Type() != fastjson.TypeArray {
		s, err := resolved(content)
		r.Response = s
		return err
	}
	// A list of parts.
	var texts, thoughts []string
	for _, p := range content.GetArray() {
		var s string
		var err error
		switch kind := string(p.GetStringBytes("type")); {
		case kind == "text":
			s, err = resolved(p.Get("text"))
			texts = append(texts, s)
		case kind == "reasoning" && p.GetBool("redacted"):
			s, err = resolved(p.Get("summary"))
			thoughts = append(thoughts, s)
		case kind == "reasoning":
			s, err = resolved(p.Get("reasoning"))
			thoughts = append(thoughts, s)
		}
		if err != nil {
			return err
		}
	}
	r.Response, r.Reasoning = joinLines(texts), joinLines(thoughts)
	return nil
}

// isAttachmentName reports whether a text that follows attachment:// in a sample is the name of an
// attachment: a hash of 32 hexadecimal digits, or in a log with chunks a number of up to 12 digits. Any
// other text is an answer that only begins like a reference.
func isAttachmentName(s string) bool {
	const hashDigits, maxNumberDigits = 32, 12
	if len(s) == hashDigits {
		return strings.Trim(s, "0123456789abcdef") == ""
	}
	return len(s) <= maxNumberDigits && isDigits(s)
}
