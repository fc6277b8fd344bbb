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

// Line appends the dump line of a label and an answer. label is a JSON value
// that has passed scene.Check: a string that holds an item or a reference, or
// the same as an object, in which a null member counts as absent at every depth.
// answer is the JSON of the response; absent or null for a missing response.
// at names the label in messages ("labels[3]"). Errors have the code BadLabel. See
// docs/spec/http.md#r14.
func (l *Labels) Line(dst, label, answer []byte, at string) ([]byte, *scoring.Error) {
	object := label
	prune := true
	switch {
	case jsoncut.Null(label):
		return dst, bad(at, "got %s; want the item, or a reference to one, as a string of JSON", jsoncut.Kind(label))
	case label[0] == '"':
		prune = false
		object = bytes.TrimSpace(jsoncut.Text(label))
		if len(object) == 0 || object[0] != '{' {
			return dst, bad(at, "the string %.40q holds no JSON object; want the item, or a reference to one", object)
		}
		if err := l.Limits.Check(object); err != nil {
			return dst, bad(at, "%v", err)
		}
	case label[0] != '{':
		return dst, bad(at, "got %s; want the item, or a reference to one, as a string of JSON", jsoncut.Kind(label))
	}
	c := copier{src: object, prune: prune, reference: true}
	start := len(dst)
	dst = c.object(dst, 0, true)
	if c.reference {
		if err := l.resolve(string(c.suite), string(c.split), string(c.id), at); err != nil {
			return dst[:start], err
		}
	}
	if answer == nil {
		return dst, nil
	}
	dst = dst[:len(dst)-1] // the brace
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(dst, `"response":`...), answer...)
	return append(dst, '}'), nil
}

// resolve reports whether a reference names a loaded task.
func (l *Labels) resolve(name, split, id, at string) *scoring.Error {
	if name == "" {
		name = l.Suite
	}
	if len(id) == 0 {
		return bad(at, "it has neither task fields nor an id; want the item, or a reference of suite and id")
	}
	if name == "" {
		return nil // the decoder looks through all files
	}
	if l.Suites.Find(name) == nil {
		return bad(at+".suite", "got %.64q; want one of %s", name, strings.Join(l.Suites.Names(), ", "))
	}
	key := dump.TasksKey(name, split)
	if key != name && l.Tasks[key] == nil {
		return bad(at+".split", "got %.64q; want the split of a loaded file (plumb serve --tasks %s:SPLIT=FILE), or none", split, name)
	}
	if l.Tasks[key].Len() == 0 {
		return bad(at+".id", "%.64q is a reference, and no tasks of suite %s are loaded; want --tasks %s=FILE, or the whole item", id, name, name)
	}
	if err := l.Tasks[key].Find(id); err != nil {
		return bad(at+".id", "%s", err.Message)
	}
	return nil
}

func bad(at, format string, args ...any) *scoring.Error {
	return &scoring.Error{Code: BadLabel, Message: "cannot use " + at + ": " + fmt.Sprintf(format, args...)}
}

// copier copies an object of checked JSON in one pass, without the members that
// are not wanted.
type copier struct {
	src       []byte
	prune     bool // leave out members that are null
	reference bool // no member of the top but referenceKeys was copied

	suite, split, id []byte
}

// space returns the index of the first byte of the label from i on that is no JSON white space.
func (c *copier) space(i int) int {
	for i < len(c.src) && c.src[i] <= ' ' {
		i++
	}
	return i
}

// object copies the object that begins at byte i of src; next is what follows.
func (c *copier) object(dst []byte, i int, top bool) []byte {
	dst, _ = c.members(dst, i, top)
	return dst
}

// members copies the members of the object that begins at i to dst, without those that are not
// wanted. next is the index after its closing brace.
func (c *copier) members(dst []byte, i int, top bool) (out []byte, next int) {
	dst = append(dst, '{')
	empty := true
	for i = c.space(i + 1); c.src[i] != '}'; {
		mark := len(dst)
		if !empty {
			dst = append(dst, ',')
		}
		key := c.src[i:c.str(i)]
		dst = append(append(dst, key...), ':')
		i = c.space(i + len(key))
		i = c.space(i + 1) // the colon
		from := i
		dst, i = c.value(dst, i)
		if c.wanted(key, bytes.TrimSpace(c.src[from:i]), top) {
			empty = false
		} else {
			dst = dst[:mark]
		}
		i = c.space(i)
		if c.src[i] == ',' {
			i = c.space(i + 1)
		}
	}
	return append(dst, '}'), i + 1
}

// wanted reports whether a member is kept, and notes what a reference needs.
func (c *copier) wanted(key, value []byte, top bool) bool {
	if c.prune && value[0] == 'n' {
		return false
	}
	if !top {
		return true
	}
	name := string(jsoncut.Text(key))
	switch {
	case slices.Contains(answerKeys, name):
		return false
	case !slices.Contains(referenceKeys, name):
		c.reference = false
	case name == "suite" && value[0] == '"':
		c.suite = jsoncut.Text(value)
	case name == "split" && value[0] == '"':
		c.split = jsoncut.Text(value)
	case name == "id" && value[0] == '"':
		c.id = jsoncut.Text(value)
	case name == "id": // an integer becomes its text; the decoder refuses what is none
		c.id = value
	}
	return true
}

// value copies the JSON value of the label that begins at byte i, without nulls in it.
func (c *copier) value(dst []byte, i int) (out []byte, next int) {
	switch c.src[i] {
	case '{':
		return c.members(dst, i, false)
	case '[':
		dst = append(dst, '[')
		for i = c.space(i + 1); c.src[i] != ']'; {
			dst, i = c.value(dst, i)
			i = c.space(i)
			if c.src[i] == ',' {
				dst = append(dst, ',')
				i = c.space(i + 1)
			}
		}
		return append(dst, ']'), i + 1
	case '"':
		end := c.str(i)
		return append(dst, c.src[i:end]...), end
	}
	end := i
	for end < len(c.src) && !ends(c.src[end]) {
		end++
	}
	return append(dst, c.src[i:end]...), end
}

func ends(b byte) bool { return b <= ' ' || b == ',' || b == ']' || b == '}' }

// str returns the end of the JSON string of the label that begins at byte i.
func (c *copier) str(i int) int {
	for i++; c.src[i] != '"'; i++ {
		if c.src[i] == '\\' {
			i++
		}
	}
	return i + 1
}
