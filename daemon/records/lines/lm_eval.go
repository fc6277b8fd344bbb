package lines

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// lmEval reads samples of lm-eval, which has a line for each document and filter. The raw
// answers are the same in all of them, and are read once. See docs/spec/dumps.md#r14.
type lmEval struct {
	model string
	seen  map[[2]uint64]struct{} // hashes of document and answers
}

func newLMEval(in *input.Input, o *Options) (format, error) {
	return &lmEval{model: modelOfResults(in, o), seen: map[[2]uint64]struct{}{}}, nil
}

// addRecords adds the records of a line of lm-eval: one for each repeat of the first request of the document. A
// line that repeats the answers of another filter is skipped. Log-likelihoods are records without text.
func (eval *lmEval) addRecords(s *source, l dump.Line, v *fastjson.Value) error {
	answers := v.Get("resps")
	if !hasType(answers, fastjson.TypeArray) || len(answers.GetArray()) == 0 {
		return fmt.Errorf("resps: got %s; want a list for each request", message.Describe(answers))
	}
	if eval.isRepeated(v, answers) {
		s.in.SkippedLines++ // reported at the end
		return nil
	}
	// The answers to the first request, one for each repeat. Further requests belong to questions of several
	// choices, of which the model rates each.
	repeats := answers.GetArray()[0]
	list := repeats.GetArray()
	if !hasType(repeats, fastjson.TypeArray) {
		list = []*fastjson.Value{repeats}
	}
	add := func() *record.Record {
		r := s.addRecord(l)
		doc := v.Get("doc")
		r.Key, r.Join, r.Model = idText(v.Get("doc_id")), idText(doc.Get("id")), eval.model
		r.Fields, r.Labels = v, doc
		return r
	}
	if isLogLikelihood(list) {
		add().MarkMissing(record.NoText, "the answer is a log-likelihood, not a text")
		return nil
	}
	// A record for each.
	for _, answer := range list {
		r := add()
		if jsontree.Absent(answer) {
			r.MarkMissing(record.NoResponse, "the answer is null")
			continue
		}
		if !hasType(answer, fastjson.TypeString) {
			return fmt.Errorf("resps[0]: got %s; want texts", message.Describe(answer))
		}
		r.Response = stringOf(answer)
	}
	return nil
}

// isRepeated reports whether an earlier line of lm-eval had the same document and the same answers, and
// so differs by its filter alone. It remembers the line. Texts may be long, so it keeps two hashes of
// 64 bits instead: one of the document's id and the answers, and one of the document's own hash with the
// first 64 bytes of these. Two different lines that agree in both are too unlikely to matter.
func (eval *lmEval) isRepeated(v, answers *fastjson.Value) bool {
	doc := jsontree.Append(append([]byte(idText(v.Get("doc_id"))), 0), answers)
	beginning := string(doc[:min(len(doc), 64)])
	hashes := [2]uint64{xxhash.Sum64(doc), xxhash.Sum64String(idText(v.Get("doc_hash")) + "\x00" + beginning)}
	if _, ok := eval.seen[hashes]; ok {
		return true
	}
	eval.seen[hashes] = struct{}{}
	return false
}

// isLogLikelihood reports whether the answer in a log of lm-eval is no text but a log-likelihood, as
// for questions whose choices the model rates. That is a pair of a number and a truth value, both
// maybe written as texts, or a list whose first element is such a pair.
func isLogLikelihood(list []*fastjson.Value) bool {
	if len(list) > 0 && hasType(list[0], fastjson.TypeArray) {
		return isLogLikelihood(list[0].GetArray())
	}
	if len(list) != 2 {
		return false
	}
	isNumber := hasType(list[0], fastjson.TypeNumber) || numeric(stringOf(list[0]))
	truth := strings.ToLower(stringOf(list[1]))
	return isNumber && (truth == "true" || truth == "false" || hasType(list[1], fastjson.TypeTrue) ||
		hasType(list[1], fastjson.TypeFalse))
}

// numeric reports whether s is a number as Python prints floats: a number as in JSON, inf, -inf or nan.
func numeric(s string) bool {
	var p fastjson.Parser
	s = strings.TrimPrefix(strings.ToLower(s), "-")
	if s == "inf" || s == "nan" {
		return true
	}
	v, err := p.Parse(s)
	return err == nil && v.Type() == fastjson.TypeNumber
}

// modelOfResults returns the model that the file results_DATE.json names, which lm-eval and lmms-eval write
// beside samples_NAME_DATE.jsonl. It returns "" if the file is missing or cannot be read.
func modelOfResults(in *input.Input, o *Options) string {
	name := dump.WithoutCompression(filepath.Base(in.Path))
	date := strings.TrimSuffix(name[strings.LastIndexByte(name, '_')+1:], ".jsonl") // what follows the last "_"
	beside, err := in.OpenSibling("results_" + date + ".json")
	if err != nil {
		return ""
	}
	defer beside.Close()
	b, err := io.ReadAll(io.LimitReader(beside.Stream(), int64(in.Limits.Line)))
	if err != nil {
		return ""
	}
	p := record.Parser{Limits: o.Limits}
	v, err := p.Parse(b)
	if err != nil {
		return ""
	}
	return stringOf(v.Get("model_name"))
}
