// Package rows turns rows of tables into records, with the columns of VLMEvalKit among them.
// VLMEvalKit is a program that runs benchmarks on models and writes such tables. A record is what one answer
// of a model is read into before it is scored. In: a row as a JSON object of its columns, from
// Parquet, CSV, a spreadsheet or JSON. Out: a record with the model's answer, and, where there are
// columns for them, the model, the suite and test, the label, the tokens and the reasoning. It refuses
// tables without a column that holds answers. See docs/spec/dumps-files.md#r3.
package rows

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
	"plumb/render/scene"
)

// Options say how rows are read.
type Options struct {
	AnswerColumn string   // the column with the answers (--response); "" for the first known one
	Columns      []string // further columns that a caller reads: of --join

	// Foreign returns a reader for rows whose columns are those of a format of JSON lines, or
	// nil for other rows. It is nil where a caller reads tables only.
	Foreign func(columns []string) func(row *fastjson.Value, at string) []record.Record
}

// AnswerColumns are the columns that hold answers, the first one that exists counts. See
// docs/spec/dumps-files.md#r3.
var AnswerColumns = []string{"response", "prediction", "completion", "generated_text", "output"}

// AnswerColumn returns the name of the column that holds the answers of a table: Options.AnswerColumn, or else
// the first known one. It is an error, which lists the columns, if the table has no such column.
func AnswerColumn(columns []string, o Options) (string, error) {
	if o.AnswerColumn != "" {
		if slices.Contains(columns, o.AnswerColumn) {
			return o.AnswerColumn, nil
		}
		return "", fmt.Errorf("no column %q, which --response names (columns: %s)", o.AnswerColumn, joinColumns(columns))
	}
	for _, name := range AnswerColumns {
		if slices.Contains(columns, name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("no column that holds answers (columns: %s); want --response FIELD", joinColumns(columns))
}

// joinColumns joins the names of a table's columns for a message: the first 20 and the number of the others.
func joinColumns(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Row returns the record of a table's row, but for its place in the file (At), which the caller sets. It changes
// v: it removes null members, parses the columns that hold JSON as text, and turns numbers that are texts into
// numbers. Each of these steps comes before what reads its result. The record refers to v.
func Row(v *fastjson.Value, o Options) record.Record {
	RemoveNulls(v)
	for _, name := range jsonColumns {
		parseColumn(v, name)
	}
	// Item: the row may have all members of a dump line. Labels: the columns label, answer or ground_truth may
	// hold the label.
	r := record.Record{
		Key: jsontree.Text(v.Get("id")), Model: jsontree.Text(v.Get("model")), Suite: jsontree.Text(v.Get("suite")), Test: jsontree.Text(v.Get("test")),
		FinishReason: record.CommonFinishReason(jsontree.Text(v.Get("finish_reason"))), Usage: record.NoUsage, Fields: v, Labels: v, Item: true,
	}
	r.Usage.Completion = record.TokenCount(v.Get("completion_tokens"))
	if label := v.Get("label"); r.Key == "" && label != nil {
		r.Key = jsontree.Text(label.Get("id"))
	}
	// Numbers, such as repeat, that a table may hold as texts.
	for _, name := range numberMembers {
		numberFromText(v, name)
	}
	if n := v.GetInt("repeat"); n > 0 {
		r.Repeat = n
	}
	// The column of the answer: the wanted one, or the first known one.
	name := o.AnswerColumn
	for i := 0; name == "" && i < len(AnswerColumns); i++ {
		if v.Exists(AnswerColumns[i]) {
			name = AnswerColumns[i]
		}
	}
	setAnswer(&r, v, name)
	return r
}

// jsonColumns are the columns that may hold JSON as text. See docs/spec/dumps-files.md#r4.
var jsonColumns = []string{"task", "shapes", "options", "label"}

// parseColumn replaces the text in a column of a table's row by the JSON object or list that it
// holds. Any other text stays.
func parseColumn(v *fastjson.Value, name string) {
	text := strings.TrimSpace(string(v.GetStringBytes(name)))
	if text == "" || text[0] != '{' && text[0] != '[' {
		return
	}
	inner, err := (&record.Parser{Limits: scene.DefaultLimits()}).Parse([]byte(text))
	if err != nil {
		return // the suite or the join says what is wrong with the text
	}
	RemoveNulls(inner)
	v.Set(name, inner)
}

// RemoveNulls removes members that are null from the row v of a table and from all objects within it. A table
// has each column in each row, so a null, an empty cell, means that the row has no such member. See
// docs/spec/dumps-files.md#r4.
func RemoveNulls(v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeArray:
		for _, e := range v.GetArray() {
			RemoveNulls(e)
		}
	case fastjson.TypeObject:
		var nulls []string
		o := v.GetObject()
		o.Visit(func(key []byte, e *fastjson.Value) {
			if e.Type() == fastjson.TypeNull {
				nulls = append(nulls, string(key))
				return
			}
			RemoveNulls(e)
		})
		for _, key := range nulls {
			o.Del(key)
		}
	}
}

// numberMembers are the members of a dump line (an answer as a line of JSON, the form that plumb scores) that
// are numbers; CSV has them as texts.
var numberMembers = []string{"repeat", "run", "turn", "index"}

// numberFromText replaces a member of a table's row by a number if it is an integer written as a text, such
// as "3". Any other value stays.
func numberFromText(v *fastjson.Value, name string) {
	s := string(v.GetStringBytes(name))
	if n, err := strconv.Atoi(s); err == nil {
		var arena fastjson.Arena
		v.Set(name, arena.NewNumberInt(n))
	}
}

// setAnswer sets the answer of the record r from the column name of a table's row v. A text is the
// answer; chat messages become their text, with a note. Without a value, or with a chat in which no
// model speaks, the answer is missing. A list that is not a chat makes the record unreadable (Fault).
func setAnswer(r *record.Record, v *fastjson.Value, name string) {
	a := v.Get(name)
	if name == "" || a == nil {
		r.MarkMissing(record.NoResponse, "")
		return
	}
	said, isChat, err := message.Read(a)
	switch {
	case err != nil: // it begins with the path below the column, or a colon
		*r = record.Record{Key: r.Key, Fault: fmt.Sprintf("column %s%v", name, err)}
	case isChat && !said.Answered: // the call of the model failed
		r.MarkMissing(record.NoResponse, jsontree.Text(a.Get("error")))
	case isChat:
		r.Response, r.Reasoning = said.Text, reasoningOf(a)
		r.AddNote(dump.Unwrapped, said.Note()) // the note says that a message was read as its text
	case a.Type() == fastjson.TypeArray:
		*r = record.Record{Key: r.Key, Fault: fmt.Sprintf("column %s: got %s; want a text or chat messages", name,
			message.Describe(a))}
	default:
		r.Response = jsontree.Text(a)
	}
}

// reasoningOf returns the reasoning of the assistant's last message in a table's row, "" if there is
// none. v is a message or a list of messages.
func reasoningOf(v *fastjson.Value) string {
	m := v
	if v.Type() == fastjson.TypeArray {
		m = nil
		for _, e := range v.GetArray() {
			if string(e.GetStringBytes("role")) == "assistant" {
				m = e
			}
		}
	}
	if m == nil {
		return ""
	}
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if t := string(m.GetStringBytes(name)); t != "" {
			return t
		}
	}
	return ""
}
