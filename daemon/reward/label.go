// Package reward turns what a trainer sends into samples, and results into what
// a trainer wants. In: the label of a dataset row as JSON, and the model's answer as
// JSON or as a piece of a decoded text. Out: a dump line to score, and from its
// result the number, or the reason why there is none. It contains no HTTP, loads no
// tasks, and refuses a label that cannot be read by naming its position and field.
package reward

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/render/scene"
	"plumb/scoring"
)

// BadLabel is the code of an error that is the trainer's mistake: the label
// cannot be read, or names no task.
const BadLabel = "bad_label"

// Labels reads labels. It is read-only and safe for concurrent use.
type Labels struct {
	Limits scene.Limits // of a label's JSON
	Suites scoring.Suites
	Suite  string                 // of labels that name none; "" = found as for a dump line
	Tasks  map[string]*dump.Tasks // by dump.TasksKey; what references name
}

// answerKeys are the members of a dump line that hold an answer. A label has
// none: what stands there is an old answer, and the trainer's takes its place.
var answerKeys = []string{"response", "actions"}

// referenceKeys are the members of a label that is only a reference.
var referenceKeys = []string{"suite", "split", "id", "test", "turn"}

// AppendDumpLine appends the dump line of a label and an answer to dst. label is a JSON value that has passed
// scene.Check. It is an object that holds a task (an item) or names one (a reference), or a string with
// the JSON of such an object. In an object a null member counts as absent at every depth, because the
// columns of a trainer's dataset are in each row. answer is the JSON of the response, null for a missing
// one; nil leaves it out. at names the label in messages, such as "labels[3]". Errors have the code
// BadLabel. See docs/spec/http.md#r14.
func (labels *Labels) AppendDumpLine(dst, label, answer []byte, at string) ([]byte, *scoring.Error) {
	// The object, in the label or in its text.
	object := label
	nullIsAbsent := true
	switch {
	case jsoncut.Null(label):
		return dst, bad(at, "got %s; want the item, or a reference to one, as a string of JSON", jsoncut.Kind(label))
	case label[0] == '"':
		nullIsAbsent = false
		object = bytes.TrimSpace(jsoncut.Text(label))
		if len(object) == 0 || object[0] != '{' {
			return dst, bad(at, "the string %.40q holds no JSON object; want the item, or a reference to one", object)
		}
		if err := labels.Limits.Check(object); err != nil {
			return dst, bad(at, "%v", err)
		}
	case label[0] != '{':
		return dst, bad(at, "got %s; want the item, or a reference to one, as a string of JSON", jsoncut.Kind(label))
	}
	// Copy its members. A label that is only a reference must name a task.
	const labelItself = true
	c := copier{json: object, nullIsAbsent: nullIsAbsent, onlyReference: true}
	start := len(dst)
	dst, _ = c.copyObject(dst, 0, labelItself)
	if c.onlyReference {
		if err := labels.resolve(string(c.suite), string(c.split), string(c.id), at); err != nil {
			return dst[:start], err
		}
	}
	if answer == nil {
		return dst, nil
	}
	// Add the answer.
	dst = dst[:len(dst)-1] // without the closing brace
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(dst, `"response":`...), answer...)
	return append(dst, '}'), nil
}

// resolve returns nil if a label that is only a reference names a loaded task, by suite, split and id.
// Otherwise the error says what is missing. A reference without a suite, where the daemon has no --suite
// either, is left to the decoder of items, which looks through the files of all suites. at names the label
// in messages.
func (labels *Labels) resolve(suite, split, id, at string) *scoring.Error {
	name := suite
	if name == "" {
		name = labels.Suite
	}
	if len(id) == 0 {
		return bad(at, "it has neither task fields nor an id; want the item, or a reference of suite and id")
	}
	if name == "" {
		return nil // the decoder looks through all files
	}
	if labels.Suites.Find(name) == nil {
		return bad(at+".suite", "got %.64q; want one of %s", name, strings.Join(labels.Suites.Names(), ", "))
	}
	key := dump.TasksKey(name, split)
	if key != name && labels.Tasks[key] == nil { // the key of the test split is the suite's name
		return bad(at+".split", "got %.64q; want the split of a loaded file (plumb serve --tasks %s:SPLIT=FILE), or none", split, name)
	}
	if labels.Tasks[key].Len() == 0 {
		return bad(at+".id", "%.64q is a reference, and no tasks of suite %s are loaded; want --tasks %s=FILE, "+
			"or the whole item", id, name, name)
	}
	if err := labels.Tasks[key].Find(id); err != nil {
		return bad(at+".id", "%s", err.Message)
	}
	return nil
}

// bad returns the error of a label; at names the label, or the member of it, in messages.
func bad(at, format string, args ...any) *scoring.Error {
	return &scoring.Error{Code: BadLabel, Message: "cannot use " + at + ": " + fmt.Sprintf(format, args...)}
}

// copier copies the JSON object of a label in one pass, without the members that are not wanted. The JSON
// was checked before, so brackets and quotes match.
type copier struct {
	json          []byte
	nullIsAbsent  bool // members that are null are left out
	onlyReference bool // the object itself has no members but referenceKeys so far

	suite, split, id []byte // of a reference
}

// skipSpace returns the index of the first byte of the label from i on that is no JSON white space.
func (copier *copier) skipSpace(i int) int {
	for i < len(copier.json) && copier.json[i] <= ' ' {
		i++
	}
	return i
}

// copyObject appends the JSON object that begins at byte i of the label to dst, without the members that are
// not wanted. next is the index after its closing brace. isLabel says that the object is the label itself and
// not a value within it. A member is copied before it is known whether it is wanted, and then removed from dst
// if it is not.
func (copier *copier) copyObject(dst []byte, i int, isLabel bool) (out []byte, next int) {
	dst = append(dst, '{')
	empty := true
	for i = copier.skipSpace(i + 1); copier.json[i] != '}'; {
		beforeMember := len(dst)
		if !empty {
			dst = append(dst, ',')
		}
		key := copier.json[i:copier.stringEnd(i)]
		dst = append(append(dst, key...), ':')
		i = copier.skipSpace(i + len(key))
		i = copier.skipSpace(i + 1) // after the colon
		valueBegin := i
		dst, i = copier.copyValue(dst, i)
		if copier.keepMember(key, bytes.TrimSpace(copier.json[valueBegin:i]), isLabel) {
			empty = false
		} else {
			dst = dst[:beforeMember]
		}
		i = copier.skipSpace(i)
		if copier.json[i] == ',' {
			i = copier.skipSpace(i + 1)
		}
	}
	return append(dst, '}'), i + 1
}

// keepMember reports whether a member of an object in a label is copied. It is not if it is null and nulls
// count as absent, or if it holds an old answer. isLabel says that the object is the label itself. Then it also
// keeps the suite, split and id, which name a task, and notes whether the label has any other member and
// so is no mere reference.
func (copier *copier) keepMember(key, value []byte, isLabel bool) bool {
	if copier.nullIsAbsent && value[0] == 'n' { // null
		return false
	}
	if !isLabel {
		return true
	}
	name := string(jsoncut.Text(key))
	switch {
	case slices.Contains(answerKeys, name):
		return false
	case !slices.Contains(referenceKeys, name):
		copier.onlyReference = false
	case name == "suite" && value[0] == '"':
		copier.suite = jsoncut.Text(value)
	case name == "split" && value[0] == '"':
		copier.split = jsoncut.Text(value)
	case name == "id" && value[0] == '"':
		copier.id = jsoncut.Text(value)
	case name == "id": // an integer becomes its text; the decoder refuses what is none
		copier.id = value
	}
	return true
}

// copyValue appends the JSON value that begins at byte i of the label to dst; next is the index after it. If
// nulls count as absent, objects in it lose their null members. Lists keep theirs, because without them later
// elements would move to other places.
func (copier *copier) copyValue(dst []byte, i int) (out []byte, next int) {
	switch copier.json[i] {
	case '{':
		return copier.copyObject(dst, i, false)
	case '[':
		dst = append(dst, '[')
		for i = copier.skipSpace(i + 1); copier.json[i] != ']'; {
			dst, i = copier.copyValue(dst, i)
			i = copier.skipSpace(i)
			if copier.json[i] == ',' {
				dst = append(dst, ',')
				i = copier.skipSpace(i + 1)
			}
		}
		return append(dst, ']'), i + 1
	case '"':
		end := copier.stringEnd(i)
		return append(dst, copier.json[i:end]...), end
	}
	end := i // a number, true, false or null
	for end < len(copier.json) && !ends(copier.json[end]) {
		end++
	}
	return append(dst, copier.json[i:end]...), end
}

// ends reports whether a byte cannot belong to a JSON number, true, false or null.
func ends(b byte) bool { return b <= ' ' || b == ',' || b == ']' || b == '}' }

// stringEnd returns the index after the JSON string that begins at byte i of the label. The label was checked
// before to be valid JSON, so the string ends.
func (copier *copier) stringEnd(i int) int {
	for i++; copier.json[i] != '"'; i++ {
		if copier.json[i] == '\\' {
			i++
		}
	}
	return i + 1
}
