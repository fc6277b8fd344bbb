package lines

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// verifiersRun reads traces of verifiers and prime-rl: an episode per line, or a bare
// trace. See docs/spec/dumps.md#r17.
type verifiersRun struct{}

func newVerifiers(*input.Input, *Options) (format, error) { return verifiersRun{}, nil }

// traceVersion is the version of traces that the reader knows.
const traceVersion = 1

// addRecords adds the records of a line of verifiers: one for each trace of the episode, or one without an
// answer if the episode has no trace. Traces of agents that are marked as not trainable are left out: they
// are not the model's. A line may also be a bare trace.
func (f verifiersRun) addRecords(s *source, l dump.Line, v *fastjson.Value) error {
	traces := v.Get("traces")
	if traces == nil && v.Exists("nodes") {
		return f.addTraceRecord(s, l, v, v, placeOf(l))
	}
	if !hasType(traces, fastjson.TypeArray) {
		return fmt.Errorf("traces: got %s; want a list", message.Describe(traces))
	}
	for i, trace := range traces.GetArray() {
		if hasType(trace.Get("agent", "trainable"), fastjson.TypeFalse) {
			continue
		}
		if err := f.addTraceRecord(s, l, v, trace, fmt.Sprintf("%s traces[%d]", placeOf(l), i)); err != nil {
			return fmt.Errorf("traces[%d]%w", i, err) // err begins with the member, such as ".nodes"
		}
	}
	if len(traces.GetArray()) == 0 {
		why := cmp.Or(f.lastError(v), "the episode has no trace and names no error")
		f.addEpisodeRecord(s, l, v).MarkMissing(record.NoResponse, why)
	}
	return nil
}

// addEpisodeRecord adds a record with the task of an episode of verifiers: its key is the task's id, else
// its name, else its key.
func (verifiersRun) addEpisodeRecord(s *source, l dump.Line, v *fastjson.Value) *record.Record {
	r := s.addRecord(l)
	task := v.Get("task")
	data := task.Get("data")
	r.Fields, r.Labels = v, data
	for _, k := range []*fastjson.Value{data.Get("id"), data.Get("name"), task.Get("key")} {
		if r.Key = idText(k); r.Key != "" {
			break
		}
	}
	return r
}

// lastError returns the last error of an episode or a trace of verifiers, as a text or as "TYPE: MESSAGE". It
// returns "" if none is named.
func (verifiersRun) lastError(v *fastjson.Value) string {
	list := v.GetArray("errors")
	if len(list) == 0 {
		return ""
	}
	last := list[len(list)-1]
	if hasType(last, fastjson.TypeString) {
		return stringOf(last)
	}
	return strings.Trim(stringOf(last.Get("type"))+": "+stringOf(last.Get("message")), ": ") // one of both may be missing
}

// addTraceRecord adds the record of one trace of an episode of verifiers, a tree of messages. The answer is the
// member root_reply, or else the last message that the model wrote. A trace or episode that is not ok
// has no answer, unless Options.Errored says that answers beside errors count. If a limit on turns or
// tokens stopped the trace, the record says that the answer may be incomplete (Cut).
func (f verifiersRun) addTraceRecord(s *source, l dump.Line, episode, trace *fastjson.Value, place string) error {
	if n := trace.Get("version"); !jsontree.Absent(n) && n.GetInt() != traceVersion {
		return fmt.Errorf(".version: got %s; this reader knows %d", n, traceVersion)
	}
	nodes := trace.GetArray("nodes")
	for i, node := range nodes {
		if p := node.Get("parent"); !jsontree.Absent(p) && (p.GetInt() < 0 || p.GetInt() >= len(nodes)) {
			return fmt.Errorf(".nodes[%d].parent: got %s; want 0 to %d", i, p, len(nodes)-1)
		}
	}
	// What the episode says of all its traces.
	r := f.addEpisodeRecord(s, l, episode)
	r.At = place
	f.setFromCalls(r, trace.GetArray("calls"))
	failed := hasType(episode.Get("ok"), fastjson.TypeFalse) || hasType(trace.Get("ok"), fastjson.TypeFalse)
	if failed && !s.options.Errored {
		why := cmp.Or(f.lastError(trace), f.lastError(episode), "no error is named")
		r.MarkMissing(record.NoResponse, why)
		return nil
	}
	// The answer.
	for i := len(nodes) - 1; i >= 0; i-- {
		written := nodes[i].Get("message")
		if stringOf(written.Get("role")) == "assistant" && nodes[i].GetBool("sampled") {
			r.Response, r.Reasoning = contentText(written.Get("content")), stringOf(written.Get("reasoning_content"))
			break
		}
	}
	if reply := trace.Get("root_reply"); hasType(reply, fastjson.TypeString) {
		r.Response = stringOf(reply)
	}
	// Whether a limit cut it off.
	if stop := stringOf(trace.Get("stop_condition")); strings.HasPrefix(stop, "max_") || stop == "compaction_failed" {
		r.Cut = record.ByLimit
	}
	return nil
}

// contentText returns the text of the content of a message: a string, or its text parts.
func contentText(v *fastjson.Value) string {
	if hasType(v, fastjson.TypeArray) {
		return joinParts(v.GetArray(), "text", "")
	}
	return stringOf(v)
}

// setFromCalls sets the finish reason, the usage and the model of a record to those of the last call in a
// trace that has them. Of failed calls it uses only the model.
func (verifiersRun) setFromCalls(r *record.Record, calls []*fastjson.Value) {
	for _, c := range calls {
		if m := stringOf(c.Get("model")); m != "" {
			r.Model = m
		}
		if !jsontree.Absent(c.Get("error")) {
			continue
		}
		if why := stringOf(c.Get("finish_reason")); why != "" {
			r.FinishReason = record.CommonFinishReason(why)
		}
		if u := c.Get("usage"); !jsontree.Absent(u) {
			r.Usage = record.Usage{Prompt: record.TokenCount(u.Get("prompt_tokens")),
				Completion: record.TokenCount(u.Get("completion_tokens")), Reasoning: record.TokenCount(u.Get("reasoning_tokens"))}
		}
	}
}
