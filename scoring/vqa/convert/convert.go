// Package convert makes items of SPATIALAB and SpaCE-Eval of the records of public data
// sets. In: records, whose columns have other names in each data set. Out: item lines as
// the scorer reads them. It refuses records that lack a needed column, by the columns that
// would do. See docs/spec/vqa.md#r63.
package convert

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Record is one record of a data set: its columns in their order.
type Record struct {
	Names  []string
	Values map[string]json.RawMessage
}

// Field is a member of an item, with the names of columns that may hold it, by priority.
type Field struct {
	Name    string
	Columns []string
}

// Fields lists the members of items that are read from columns.
var Fields = []Field{
	{"id", []string{"id", "qid", "questionid", "index"}},
	{"image", []string{"image", "images", "imageid", "filename", "imagepath"}},
	{"question", []string{"question", "questiontext"}},
	{"options", []string{"options", "choices"}},
	{"answer", []string{"answerindex", "answeroption", "mcqanswer", "correctoption", "correctanswer", "answer"}},
	{"open_answer", []string{"openanswer", "openendedanswer", "groundtruth"}},
	{"category", []string{"category", "maincategory"}},
	{"subcategory", []string{"subcategory", "subtask", "task"}},
	{"prompt", []string{"prompt"}},
}

// optionColumns are the names of columns that hold one option each, by its position.
var optionColumns = [][]string{
	{"option1", "option2", "option3", "option4", "option5", "option6", "option7", "option8"},
	{"optiona", "optionb", "optionc", "optiond", "optione", "optionf", "optiong", "optionh"},
	{"opt1", "opt2", "opt3", "opt4", "opt5", "opt6", "opt7", "opt8"},
	{"a", "b", "c", "d", "e", "f", "g", "h"},
}

// plain returns a column's name as it is matched: in lower case, letters and digits alone.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// Read reads records: a JSON list, JSON lines, CSV with a header, or Parquet. keep stores a
// picture that a record of Parquet holds and returns its path; nil refuses records with pictures.
func Read(b []byte, keep func(picture []byte, ext string) (path string, err error)) ([]Record, error) {
	if bytes.HasPrefix(b, []byte("PAR1")) {
		return readParquet(b, keep)
	}
	b = bytes.TrimPrefix(bytes.TrimSpace(b), []byte("\ufeff"))
	switch {
	case len(b) == 0:
		return nil, errors.New("it is empty; want a JSON list, JSON lines, CSV with a header, or Parquet")
	case b[0] == '[':
		var list []json.RawMessage
		if err := json.Unmarshal(b, &list); err != nil {
			return nil, err
		}
		return objects(list)
	case b[0] == '{':
		var list []json.RawMessage
		d := json.NewDecoder(bytes.NewReader(b))
		for {
			var v json.RawMessage
			switch err := d.Decode(&v); {
			case err == io.EOF:
				return objects(list)
			case err != nil:
				return nil, fmt.Errorf("record %d: %w", len(list)+1, err)
			}
			list = append(list, v)
		}
	}
	return readCSV(b)
}

// objects makes records of a data set's JSON objects. They keep the order of the members.
func objects(list []json.RawMessage) (out []Record, err error) {
	for i, v := range list {
		r := Record{Values: map[string]json.RawMessage{}}
		if err := json.Unmarshal(v, &r.Values); err != nil || r.Values == nil {
			return nil, fmt.Errorf("record %d: want a JSON object", i+1)
		}
		d := json.NewDecoder(bytes.NewReader(v))
		d.Token() // the brace
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				return nil, err
			}
			if !slices.Contains(r.Names, name.(string)) {
				r.Names = append(r.Names, name.(string))
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// readCSV reads records from CSV whose first row names the columns.
func readCSV(b []byte) (out []Record, err error) {
	c := csv.NewReader(bytes.NewReader(b))
	head, err := c.Read()
	if err != nil {
		return nil, err
	}
	for {
		row, err := c.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		r := Record{Names: head, Values: map[string]json.RawMessage{}}
		for i, name := range head {
			r.Values[name] = marshal(row[i])
		}
		out = append(out, r)
	}
}

// marshal writes the JSON of an item without the escapes that only HTML needs.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("BUG: " + err.Error())
	}
	return bytes.TrimSpace(b.Bytes())
}

// Mapping says which column each member of an item comes from.
type Mapping struct {
	columns map[string]string // member to column
	options []string          // columns that hold one option each; nil for none
	Unused  []string          // columns that nothing is read from
}

// Map finds the columns of records for the members of items. given overrides by member ("answer").
// With choices, answer and options must be there. The error names a member without a column, or a
// given column that is not there.
func Map(records []Record, given map[string]string, choices bool) (*Mapping, error) {
	var names []string
	for _, r := range records {
		for _, n := range r.Names {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	find := func(want string) (string, bool) {
		i := slices.IndexFunc(names, func(n string) bool { return plain(n) == want })
		if i < 0 {
			return "", false
		}
		return names[i], true
	}
	m := &Mapping{columns: map[string]string{}}
	for field, column := range given {
		if !slices.ContainsFunc(Fields, func(f Field) bool { return f.Name == field }) {
			return nil, fmt.Errorf("cannot map %q: it is no member of an item", field)
		}
		if !slices.Contains(names, column) {
			return nil, fmt.Errorf("cannot map %s: there is no column %q; got %s", field, column, strings.Join(names, ", "))
		}
		m.columns[field] = column
	}
	for _, f := range Fields {
		for _, want := range f.Columns {
			if column, ok := find(want); ok && m.columns[f.Name] == "" {
				m.columns[f.Name] = column
			}
		}
	}
	if m.columns["options"] == "" {
		for _, list := range optionColumns {
			var found []string
			for _, want := range list {
				column, ok := find(want)
				if !ok {
					break
				}
				found = append(found, column)
			}
			if len(found) >= 2 {
				m.options = found
				break
			}
		}
	}
	for _, n := range names {
		if !slices.Contains(m.options, n) && !slices.Contains(slices.Collect(maps.Values(m.columns)), n) {
			m.Unused = append(m.Unused, n)
		}
	}
	needed := []string{"question", "category", "subcategory"}
	if choices {
		needed = append(needed, "answer")
	}
	for _, name := range needed {
		if m.columns[name] == "" {
			return nil, m.lacking(name, names)
		}
	}
	if choices && m.columns["options"] == "" && m.options == nil {
		return nil, m.lacking("options", names)
	}
	return m, nil
}

// lacking returns the error for a member that no column holds.
func (m *Mapping) lacking(name string, names []string) error {
	f := Fields[slices.IndexFunc(Fields, func(f Field) bool { return f.Name == name })]
	return fmt.Errorf("cannot find %s: want a column %s, or --map %s=COLUMN; got %s", name, strings.Join(f.Columns, ", "), name, strings.Join(names, ", "))
}

// Item returns the item line, a JSON object as the scorer reads it, of record n, counted from 1.
// prefix begins the id of a record without one.
func (m *Mapping) Item(r Record, n int, prefix string) ([]byte, error) {
	b := []byte{'{'}
	member := func(name string, v []byte) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(append(b, '"'), name...), '"', ':'), v...)
	}
	id := r.Values[m.columns["id"]]
	if empty(id) {
		id = marshal(fmt.Sprintf("%s%04d", prefix, n))
	}
	member("id", asText(id))
	if v := r.Values[m.columns["image"]]; !empty(v) {
		member("image", asList(v))
	}
	member("question", asText(r.Values[m.columns["question"]]))
	options, err := m.list(r)
	if err != nil {
		return nil, err
	}
	if options != nil {
		member("options", options)
	}
	if v := r.Values[m.columns["answer"]]; !empty(v) {
		if plain(m.columns["answer"]) == "answerindex" {
			member("answer_index", number(v))
		} else {
			member("answer", asText(v))
		}
	}
	for _, name := range []string{"open_answer", "category", "subcategory", "prompt"} {
		if v := r.Values[m.columns[name]]; !empty(v) {
			member(name, asText(v))
		}
	}
	return append(b, '}'), nil
}

// list returns the options of a record as a JSON list, nil for none.
func (m *Mapping) list(r Record) ([]byte, error) {
	if m.options != nil {
		var list []json.RawMessage
		for _, column := range m.options {
			if v := r.Values[column]; v != nil && string(v) != "null" {
				list = append(list, asText(v))
			}
		}
		for len(list) > 2 && string(list[len(list)-1]) == `""` { // columns of options that an item does not have
			list = list[:len(list)-1]
		}
		return marshal(list), nil
	}
	v := r.Values[m.columns["options"]]
	if empty(v) {
		return nil, nil
	}
	if v[0] == '"' { // a list as text
		var text string
		if err := json.Unmarshal(v, &text); err != nil {
			return nil, err
		}
		v = bytes.TrimSpace([]byte(text))
		if list, ok := pythonList(text); ok && !json.Valid(v) {
			v = list
		}
		if !json.Valid(v) {
			return nil, fmt.Errorf("cannot read options: got the text %.60q; want a list as JSON or as Python writes it", text)
		}
	}
	if v[0] != '{' {
		return v, nil
	}
	var byLabel map[string]json.RawMessage
	if err := json.Unmarshal(v, &byLabel); err != nil {
		return nil, err
	}
	var list []json.RawMessage
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		list = append(list, byLabel[label])
	}
	return marshal(list), nil
}

// empty reports whether a cell holds nothing: null or "".
func empty(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" || string(v) == `""` }

// asText returns a JSON number as a string, other values as they are.
func asText(v json.RawMessage) json.RawMessage {
	if len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') {
		return marshal(string(v))
	}
	return v
}

// number returns the number that a JSON string holds, other values as they are.
func number(v json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(v, &text) == nil && json.Valid([]byte(text)) {
		return []byte(text)
	}
	return v
}

// asList returns a value as a JSON list: a list in a string is parsed, a single value becomes a
// list of one.
func asList(v json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(v, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "[") {
		if json.Valid([]byte(text)) {
			return []byte(text)
		}
		if list, ok := pythonList(text); ok {
			return list
		}
	}
	if v[0] == '[' {
		return v
	}
	return slices.Concat([]byte{'['}, asText(v), []byte{']'})
}
