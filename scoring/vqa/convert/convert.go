// Package convert makes items of SPATIALAB and SpaCE-Eval of the records of public data sets. In: records,
// whose columns have other names in each data set. Out: item lines as the scorer reads them. It refuses records
// that lack a needed column, by the columns that would do. See docs/spec/vqa.md#r63.
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

// matchName returns the name of a data set's column in the form in which names are compared: in
// lower case, with only letters and digits.
func matchName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// Read reads the records of a data set of questions: a JSON list, JSON lines, CSV with a header, or
// Parquet, recognized by the first bytes. keep stores a picture that a Parquet record holds and
// returns its path; with nil, records with pictures are refused.
func Read(data []byte, keep func(picture []byte, ext string) (path string, err error)) ([]Record, error) {
	if bytes.HasPrefix(data, []byte("PAR1")) {
		return readParquet(data, keep)
	}
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\ufeff"))
	switch {
	case len(data) == 0:
		return nil, errors.New("it is empty; want a JSON list, JSON lines, CSV with a header, or Parquet")
	case data[0] == '[':
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, err
		}
		return recordsOfObjects(list)
	case data[0] == '{':
		var list []json.RawMessage
		decoder := json.NewDecoder(bytes.NewReader(data))
		for {
			var record json.RawMessage
			switch err := decoder.Decode(&record); {
			case err == io.EOF:
				return recordsOfObjects(list)
			case err != nil:
				return nil, fmt.Errorf("record %d: %w", len(list)+1, err)
			}
			list = append(list, record)
		}
	}
	return readCSV(data)
}

// recordsOfObjects returns the records of a data set's JSON objects. Names lists the members in
// their order, each once.
func recordsOfObjects(objects []json.RawMessage) (out []Record, err error) {
	for i, object := range objects {
		record := Record{Values: map[string]json.RawMessage{}}
		if err := json.Unmarshal(object, &record.Values); err != nil || record.Values == nil {
			return nil, fmt.Errorf("record %d: want a JSON object", i+1)
		}
		decoder := json.NewDecoder(bytes.NewReader(object))
		decoder.Token() // the brace; a map does not keep the order of members, so names are read again
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			var skip json.RawMessage
			if err := decoder.Decode(&skip); err != nil {
				return nil, err
			}
			if !slices.Contains(record.Names, name.(string)) {
				record.Names = append(record.Names, name.(string))
			}
		}
		out = append(out, record)
	}
	return out, nil
}

// readCSV reads the records of a data set from CSV whose first row names the columns. All values are strings.
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
		record := Record{Names: head, Values: map[string]json.RawMessage{}}
		for i, name := range head {
			record.Values[name] = marshal(row[i])
		}
		out = append(out, record)
	}
}

// marshal writes the JSON of an item without the escapes that only HTML needs.
func marshal(value any) json.RawMessage {
	var buffer bytes.Buffer
	e := json.NewEncoder(&buffer)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic("BUG: " + err.Error())
	}
	return bytes.TrimSpace(buffer.Bytes())
}

// Mapping says which column each member of an item comes from.
type Mapping struct {
	columns map[string]string // member to column
	options []string          // columns that hold one option each; nil for none
	Unused  []string          // columns that nothing is read from
}

// Map decides which column of a data set's records each member of an item is read from. given names columns by
// member ("answer") and takes precedence over the names in Fields. With choices, answer and options are needed
// too. The error names a member without a column, or a given column that does not exist.
func Map(records []Record, given map[string]string, choices bool) (*Mapping, error) {
	var names []string
	for _, record := range records {
		for _, n := range record.Names {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	columnLike := func(want string) (column string, ok bool) {
		i := slices.IndexFunc(names, func(n string) bool { return matchName(n) == want })
		if i < 0 {
			return "", false
		}
		return names[i], true
	}
	// Columns that the user names.
	mapping := &Mapping{columns: map[string]string{}}
	for _, field := range slices.Sorted(maps.Keys(given)) { // in order, so that the same fault is named each time
		column := given[field]
		if !slices.ContainsFunc(Fields, func(f Field) bool { return f.Name == field }) {
			return nil, fmt.Errorf("cannot map %q: it is no member of an item", field)
		}
		if !slices.Contains(names, column) {
			return nil, fmt.Errorf("cannot map %s: there is no column %q; got %s", field, column,
				strings.Join(names, ", "))
		}
		mapping.columns[field] = column
	}
	// Columns by their usual names.
	for _, f := range Fields {
		for _, want := range f.Columns {
			if column, ok := columnLike(want); ok && mapping.columns[f.Name] == "" {
				mapping.columns[f.Name] = column
			}
		}
	}
	// Options may have a column each.
	if mapping.columns["options"] == "" {
		for _, list := range optionColumns {
			var found []string
			for _, want := range list {
				column, ok := columnLike(want)
				if !ok {
					break
				}
				found = append(found, column)
			}
			if len(found) >= 2 {
				mapping.options = found
				break
			}
		}
	}
	// What is left over, and what is missing.
	used := slices.Concat(mapping.options, slices.Collect(maps.Values(mapping.columns)))
	for _, n := range names {
		if !slices.Contains(used, n) {
			mapping.Unused = append(mapping.Unused, n)
		}
	}
	needed := []string{"question", "category", "subcategory"}
	if choices {
		needed = append(needed, "answer")
	}
	for _, name := range needed {
		if mapping.columns[name] == "" {
			return nil, mapping.missingColumn(name, names)
		}
	}
	if choices && mapping.columns["options"] == "" && mapping.options == nil {
		return nil, mapping.missingColumn("options", names)
	}
	return mapping, nil
}

// missingColumn returns the error for a member that no column holds.
func (mapping *Mapping) missingColumn(name string, names []string) error {
	f := Fields[slices.IndexFunc(Fields, func(f Field) bool { return f.Name == name })]
	return fmt.Errorf("cannot find %s: want a column %s, or --map %s=COLUMN; got %s", name,
		strings.Join(f.Columns, ", "), name, strings.Join(names, ", "))
}

// Item returns the line of record n, counted from 1, as the scorer reads it: a JSON object
// with the members that the record has values for. A record without an id gets one of prefix
// and n. It returns an error for a record without a question, or with options that it cannot read.
func (mapping *Mapping) Item(record Record, n int, prefix string) ([]byte, error) {
	line := []byte{'{'}
	member := func(name string, value []byte) {
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(line, '"')
		line = append(line, name...)
		line = append(line, '"', ':')
		line = append(line, value...)
	}
	id := record.Values[mapping.columns["id"]]
	if isEmpty(id) {
		id = marshal(fmt.Sprintf("%s%04d", prefix, n))
	}
	member("id", asText(id))
	if value := record.Values[mapping.columns["image"]]; !isEmpty(value) {
		member("image", asList(value))
	}
	// The question and its options.
	question := record.Values[mapping.columns["question"]]
	if isEmpty(question) {
		return nil, fmt.Errorf("column %s is empty; want the question", mapping.columns["question"])
	}
	member("question", asText(question))
	options, err := mapping.optionList(record)
	if err != nil {
		return nil, err
	}
	if options != nil {
		member("options", options)
	}
	// The answer, as a position or as a text.
	if value := record.Values[mapping.columns["answer"]]; !isEmpty(value) {
		if matchName(mapping.columns["answer"]) == "answerindex" {
			member("answer_index", unquoteNumber(value))
		} else {
			member("answer", asText(value))
		}
	}
	for _, name := range []string{"open_answer", "category", "subcategory", "prompt"} {
		if value := record.Values[mapping.columns[name]]; !isEmpty(value) {
			member(name, asText(value))
		}
	}
	return append(line, '}'), nil
}

// optionList returns the question's options of a record as a JSON list, nil if it has none. They
// come from columns of one option each, from a list, from a list written as text, or from an
// object, in the order of its keys.
func (mapping *Mapping) optionList(record Record) ([]byte, error) {
	if mapping.options != nil {
		var options []json.RawMessage
		for _, column := range mapping.options {
			if value := record.Values[column]; value != nil && string(value) != "null" {
				options = append(options, asText(value))
			}
		}
		// Empty columns at the end are options that this question does not have.
		for len(options) > 2 && string(options[len(options)-1]) == `""` {
			options = options[:len(options)-1]
		}
		return marshal(options), nil
	}
	value := record.Values[mapping.columns["options"]]
	if isEmpty(value) {
		return nil, nil
	}
	if isText := value[0] == '"'; isText { // a list as JSON or as Python writes it
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return nil, err
		}
		value = bytes.TrimSpace([]byte(text))
		if options, ok := pythonList(text); ok && !json.Valid(value) {
			value = options
		}
		if !json.Valid(value) {
			return nil, fmt.Errorf("cannot read options: got the text %.60q; want a list as JSON or as Python writes it", text)
		}
	}
	if isObject := value[0] == '{'; !isObject {
		return value, nil
	}
	var byLabel map[string]json.RawMessage // such as {"A": "Kitchen", "B": "Hall"}
	if err := json.Unmarshal(value, &byLabel); err != nil {
		return nil, err
	}
	var options []json.RawMessage
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		options = append(options, byLabel[label])
	}
	return marshal(options), nil
}

// isEmpty reports whether a cell is missing, null or "".
func isEmpty(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" || string(v) == `""` }

// asText returns a JSON number of a record as a string, and other values as they are. v must not be empty.
func asText(v json.RawMessage) json.RawMessage {
	if v[0] == '-' || v[0] >= '0' && v[0] <= '9' {
		return marshal(string(v))
	}
	return v
}

// unquoteNumber returns the JSON value that a JSON string of a record holds, such as 3 for "3", and
// other values as they are.
func unquoteNumber(v json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(v, &text) == nil && json.Valid([]byte(text)) {
		return []byte(text)
	}
	return v
}

// asList returns a value of a record as a JSON list: a list in a string is parsed, a single value
// becomes a list of one.
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
	if isList := v[0] == '['; isList {
		return v
	}
	return slices.Concat([]byte{'['}, asText(v), []byte{']'})
}
