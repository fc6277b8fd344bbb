package records

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/jsoncut"
	"plumb/render/jsontree"
)

// Join tells how records name their tasks (--join). See docs/spec/dumps.md#r20.
type Join struct {
	position bool           // the key is the position of the task in the file of --tasks, from 0
	path     []string       // of a member of the record
	pattern  *regexp.Regexp // with the groups id, repeat, test and model; nil for none
}

// joinGroups are the named groups of a pattern.
var joinGroups = []string{"id", "repeat", "test", "model"}

// ParseJoin reads the value of --join: position, FIELD or FIELD~REGEXP. FIELD is a path with
// dots. The expression must have a group id and no unknown groups.
func ParseJoin(s string) (*Join, error) {
	if s == "position" {
		return &Join{position: true}, nil
	}
	field, expr, ok := strings.Cut(s, "~")
	j := &Join{path: strings.Split(field, ".")}
	if !ok {
		return j, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("cannot use --join %q: %w", s, err)
	}
	// The expression must name what it takes.
	known := map[string]bool{}
	for _, g := range joinGroups {
		known[g] = true
	}
	for _, name := range re.SubexpNames() {
		if name != "" && !known[name] {
			return nil, fmt.Errorf("cannot use --join %q: got the group %q; want groups of %s", s, name,
				oneOf(joinGroups))
		}
	}
	if re.SubexpIndex("id") < 0 {
		return nil, fmt.Errorf("cannot use --join %q: it has no group id; want (?P<id>...)", s)
	}
	j.pattern = re
	return j, nil
}

// setTask sets the task of an answer, and its suite and test as far as the record names them. The task is
// found as --join says. Without that flag it is the one that a label in the record names, or else the one
// whose id is the record's key. If none is found, a.Err says why and the id is the place of the record.
// See docs/spec/dumps.md#r19.
func (r *Reader) setTask(a *Answer) {
	labels := a.Labels
	if a.Suite = a.Record.Suite; a.Suite == "" {
		a.Suite = stringOf(labels.Get("suite"))
	}
	if a.Test = a.Record.Test; a.Test == "" {
		a.Test = stringOf(labels.Get("test"))
	}
	// The task. A record without a label has its id in Join, or in Key if the format has only one name.
	if j := r.options.Join; j != nil {
		a.Err = r.joinByFlag(j, a)
	} else if a.Label = labelJSON(labels); a.Label != nil {
		a.Err = r.joinByLabel(a)
	} else if a.ID = a.Join; a.ID == "" {
		a.ID = a.Key
	}
	// Why there may be none. A label holds the task itself or names it.
	if a.Err == nil && a.Label == nil {
		switch {
		case a.ID == "" && a.NoTask == "" && a.Item:
			a.Err = fmt.Errorf("the row has no id; want a column id, or --join FIELD")
		case a.ID == "" && a.NoTask == "":
			a.Err = fmt.Errorf("the record has no key; want --join FIELD")
		case a.NoTask != "" && r.options.Join == nil:
			a.Err = fmt.Errorf("%s", a.NoTask)
		}
	}
	if a.Err != nil {
		a.ID = r.place(a.Record)
	}
	if a.Suite == "" {
		a.Suite = r.options.Suite
	}
}

// joinByFlag sets the task of an answer as --join says: by the record's position, or by one of its
// members. If --join has a pattern, its named groups take the id, test, model and repeat from that
// member.
func (r *Reader) joinByFlag(j *Join, a *Answer) error {
	if j.position {
		return r.joinByPosition(a)
	}
	name := strings.Join(j.path, ".")
	// The member's value.
	v := a.Fields.Get(j.path...)
	id := ""
	switch {
	case jsontree.Absent(v):
		return fmt.Errorf("the record has no member %s (--join)", name)
	case v.Type() == fastjson.TypeString:
		id = stringOf(v)
	case v.Type() == fastjson.TypeNumber:
		id = v.String()
	default:
		return fmt.Errorf("%s (--join) is not a text or a number", name)
	}
	if j.pattern == nil {
		a.ID = id
		return nil
	}
	// What the pattern takes from it.
	found := j.pattern.FindStringSubmatch(id)
	if found == nil {
		return fmt.Errorf("%s is %.64q, which --join %s does not match", name, id, j.pattern)
	}
	for i, group := range j.pattern.SubexpNames() {
		switch s := found[i]; {
		case group == "" || s == "": // a group without a name, or one that matched nothing
		case group == "id":
			a.ID = s
		case group == "test":
			a.Test = s
		case group == "model" && r.options.Model == "":
			a.Model = s
		case group == "repeat":
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 {
				return fmt.Errorf("%s is %.64q: got the repeat %q; want a number from 1", name, id, s)
			}
			a.Repeat, a.CountsRepeats = n, true
		}
	}
	if a.ID == "" {
		return fmt.Errorf("%s is %.64q, in which the group id is empty", name, id)
	}
	return nil
}

// joinByPosition finds the task of an answer by its key, which is the position, from 0, of the task
// in the task file of the answer's suite, or of the only suite that has one.
func (r *Reader) joinByPosition(a *Answer) error {
	suite := a.Suite
	if suite == "" {
		suite = r.options.Suite
	}
	if suite == "" && len(r.options.Tasks) == 1 {
		for name := range r.options.Tasks {
			suite = name
		}
	}
	if a.Key == "" {
		return fmt.Errorf("the record has no key, which would be its position; want a column id with numbers from 0, or another --join")
	}
	n, err := strconv.Atoi(a.Key)
	if err != nil || n < 0 {
		return fmt.Errorf("the key %.64q is not a position; want a number from 0, or another --join", a.Key)
	}
	name, ok := r.options.Tasks[suite].At(n)
	if !ok {
		return fmt.Errorf("no task stands at position %d of the file of --tasks, which has %d", n,
			r.options.Tasks[suite].Positions())
	}
	a.ID, a.Suite = name, suite
	return nil
}

// labelMembers are the members that may hold a label, in order of preference.
var labelMembers = []string{"label", "answer", "ground_truth"}

// labelJSON returns the JSON of the label in an object v of a record, nil if there is none. A label is an
// object that names or holds a task, or a text with the JSON of such an object. Other values of these
// members are taken for the right answer to a question and passed over.
func labelJSON(v *fastjson.Value) []byte {
	for _, name := range labelMembers {
		m := v.Get(name)
		if jsontree.Absent(m) {
			continue
		}
		switch m.Type() {
		case fastjson.TypeObject:
			if isLabel(m) {
				return jsontree.Append(nil, m)
			}
		case fastjson.TypeString:
			s := bytes.TrimSpace(m.GetStringBytes())
			if len(s) == 0 || s[0] != '{' {
				continue
			}
			if inner, err := fastjson.ParseBytes(s); err == nil && isLabel(inner) {
				return jsontree.AppendString(nil, string(s))
			}
		}
	}
	return nil
}

// isLabel reports whether an object of a record is a task or names one: it has a member that tasks have.
// Other objects, such as the options of a question by their letters, are no labels.
func isLabel(v *fastjson.Value) bool {
	for _, name := range []string{"suite", "id", "test", "instance_id", "task_id", "task", "shapes"} {
		if !jsontree.Absent(v.Get(name)) {
			return true
		}
	}
	return false
}

// joinByLabel sets the suite, test and id of an answer from those members of its label. The other members
// of the label go into the answer's dump line later.
func (r *Reader) joinByLabel(a *Answer) error {
	object := a.Label
	if object[0] == '"' { // a text with the JSON of the object
		object = jsoncut.Text(object)
	}
	v, err := fastjson.ParseBytes(object)
	if err != nil {
		return fmt.Errorf("the label cannot be read: %w", err)
	}
	for _, m := range []struct {
		to   *string
		name string
	}{{&a.Suite, "suite"}, {&a.Test, "test"}, {&a.ID, "id"}} {
		if s := v.Get(m.name); !jsontree.Absent(s) {
			*m.to = stringOf(s)
			if s.Type() == fastjson.TypeNumber {
				*m.to = s.String()
			}
		}
	}
	return nil
}
