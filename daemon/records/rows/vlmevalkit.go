package rows

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// The columns that mark a result file of VLMEvalKit.
const (
	IndexColumn      = "index"
	PredictionColumn = "prediction"
)

// IsVLMEvalKit reports whether columns are those of a result file of VLMEvalKit.
func IsVLMEvalKit(columns []string) bool {
	return slices.Contains(columns, IndexColumn) && slices.Contains(columns, PredictionColumn)
}

// VLMEvalKit returns the record of a row of VLMEvalKit, but for its place in the file and the model, which
// the caller sets. It removes null members from v, to which the record refers. A row without a prediction has
// no answer.
func VLMEvalKit(v *fastjson.Value, o Options) record.Record {
	RemoveNulls(v)
	r := record.Record{Key: jsontree.Text(v.Get(IndexColumn)), Reasoning: jsontree.Text(v.Get("thinking")),
		Usage: record.NoUsage, Fields: v, Labels: v}
	name := o.AnswerColumn
	if name == "" {
		name = PredictionColumn
	}
	if !v.Exists(name) {
		r.MarkMissing(record.NoResponse, "the "+name+" is missing")
		return r
	}
	r.Response = jsontree.Text(v.Get(name))
	applyFailureTexts(&r)
	return r
}

// failureMark is what VLMEvalKit writes in place of an answer. See docs/spec/dumps-files.md#r5.
const failureMark = "Failed to obtain answer"

// applyFailureTexts applies the rules for texts that VLMEvalKit writes in place of answers. A record whose text
// says that the call failed gets no answer, but the text as the reason. The word None or nan, which
// Python writes for a missing value, stays the answer and gets a note.
func applyFailureTexts(r *record.Record) {
	const most = 500 // bytes of a reason
	switch {
	case strings.Contains(r.Response, failureMark):
		words := r.Response
		if len(words) > most {
			words = strings.ToValidUTF8(words[:most], "") + "..." // the cut may split a character
		}
		r.MarkMissing(record.NoResponse, words)
	case r.Response == "None" || r.Response == "nan":
		r.AddNote("empty_word", fmt.Sprintf("the text is %q, which Python also writes for a missing value; it is scored as it stands", r.Response))
	}
}

// Model returns the model that wrote a result file of VLMEvalKit: the longest name of a folder
// above the file with which the file's name begins, "" for none. See docs/spec/dumps-files.md#r6.
func Model(path string) string {
	path = filepath.ToSlash(path)
	parts := strings.Split(path, "/")
	file, model := parts[len(parts)-1], ""
	for _, dir := range parts[:len(parts)-1] {
		if len(dir) > len(model) && dir != "." && dir != ".." && strings.HasPrefix(file, dir) {
			model = dir
		}
	}
	return model
}
