package lines

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// lmmsEval reads samples of lmms-eval. Its lines have no document and no filter; the raw
// answers in resps are left out where they equal the filtered ones. See docs/spec/dumps.md#r15.
type lmmsEval struct {
	model string
	seen  map[string]bool // keys of the lines before
}

func newLMMSEval(in *input.Input, o *Options) (format, error) {
	return &lmmsEval{model: modelOfResults(in, o), seen: map[string]bool{}}, nil
}

// addRecords adds the records of a line of lmms-eval, one for each answer to the document. It takes the raw
// answers (resps), or the filtered ones if the line has no others. Records of a second line with the
// same doc_id get a note: the file does not say whether the line is another answer of the model, or
// the same answer by another filter.
func (f *lmmsEval) addRecords(s *source, l dump.Line, v *fastjson.Value) error {
	member := "resps"
	answers := v.Get(member)
	if jsontree.Absent(answers) {
		member = "filtered_resps"
		answers = v.Get(member)
	}
	// What all its records have.
	id := idText(v.Get("doc_id"))
	seenBefore := f.seen[id]
	f.seen[id] = true
	add := func() *record.Record {
		r := s.addRecord(l)
		r.Key, r.Model, r.Fields = id, f.model, v
		r.Usage = tokens(v.Get("token_counts"))
		if seenBefore {
			r.AddNote("further_block", "an earlier line has the same doc_id: this is another repeat, or the same answer by another filter; the file does not tell")
		}
		return r
	}
	if isLogLikelihood(answers.GetArray()) {
		add().MarkMissing(record.NoText, "the answer is a log-likelihood, not a text")
		return nil
	}
	// A record for each answer.
	for _, answer := range flatten(nil, answers) {
		r := add()
		switch {
		case jsontree.Absent(answer):
			r.MarkMissing(record.NoResponse, "the answer is null")
		case hasType(answer, fastjson.TypeString):
			r.Response = stringOf(answer)
		default:
			return fmt.Errorf("%s: got %s; want texts", member, message.Describe(answer))
		}
	}
	if len(s.records) == 0 {
		return fmt.Errorf("%s: got %s; want a text or a list of texts", member, message.Describe(answers))
	}
	return nil
}

// flatten appends the answers in v to list: v itself, or all values in its nested lists, as lmms-eval
// writes several answers of a sample.
func flatten(list []*fastjson.Value, v *fastjson.Value) []*fastjson.Value {
	if !hasType(v, fastjson.TypeArray) {
		return append(list, v)
	}
	for _, e := range v.GetArray() {
		list = flatten(list, e)
	}
	return list
}

// tokens returns the token counts of a line of lmms-eval. v is a list with a set of counts for each answer.
// Which answer a set belongs to is known only if there is exactly one; otherwise it returns NoUsage.
func tokens(v *fastjson.Value) record.Usage {
	list := v.GetArray()
	if len(list) != 1 {
		return record.NoUsage
	}
	return record.Usage{Prompt: record.TokenCount(list[0].Get("input_tokens")), Completion: record.TokenCount(list[0].Get("output_tokens")),
		Reasoning: record.TokenCount(list[0].Get("reasoning_tokens"))}
}
