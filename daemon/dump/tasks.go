package dump

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/jsoncut"
	"plumb/daemon/message"
	"plumb/render/jsontree"
	"plumb/render/scene"
	"plumb/scoring"
)

// Tasks holds the tasks of a task file by their names. It is read-only after LoadTasks. A
// nil *Tasks holds none.
type Tasks struct {
	rule  scoring.TaskFile
	byID  map[string][]byte
	twice map[string]bool
	at    map[string][]int // positions in the file of the tasks with a name
	n     int              // tasks whose first name no other task has
	all   []namedTask      // in the order of the file
}

// namedTask is a task with its own name.
type namedTask struct {
	name string
	json []byte
}

// LoadTasks reads a task file by the rule of its suite: lines, plain or compressed, or one
// JSON document. The first invalid task is an error that names it. A name that occurs
// twice is an error only for dump lines that refer to it.
func LoadTasks(path string, rule scoring.TaskFile, limits Limits, json scene.Limits) (*Tasks, error) {
	r, err := Open(path, limits)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &Tasks{rule: rule, byID: map[string][]byte{}, twice: map[string]bool{}, at: map[string][]int{}}
	l := taskLoader{t: t, json: json}
	whole := func(doc Line) (bool, error) { return l.document(doc.Bytes) }
	err = linesOrDocument(r.Next, limits, 2, whole, func(one Line) error {
		if err := l.line(one); err != nil {
			return fmt.Errorf("line %d: %w", one.N, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read tasks %s: %w", path, err)
	}
	return t, nil
}

// taskLoader adds tasks to t.
type taskLoader struct {
	t    *Tasks
	json scene.Limits
	p    fastjson.Parser

	index int // of the next task
}

// document adds the tasks of a JSON document. done is false where the document is a single
// task.
func (l *taskLoader) document(doc []byte) (done bool, err error) {
	if err := l.json.Check(doc); err != nil {
		return true, err
	}
	list := bytes.TrimSpace(doc)
	if list[0] == '{' {
		object := list
		list = nil
		jsoncut.Members(object, func(key, value []byte) error {
			if l.t.rule.List != "" && jsoncut.Name(key) == l.t.rule.List && value[0] == '[' {
				list = value
			}
			return nil
		})
	}
	if list == nil || list[0] != '[' {
		return false, nil
	}
	all, err := jsoncut.Elements(list, math.MaxInt)
	if err != nil {
		return true, err
	}
	for i, task := range all {
		if err := l.add(task); err != nil {
			return true, fmt.Errorf("task %d: %w", i, err)
		}
	}
	return true, nil
}

// line checks and adds the task of one line.
func (l *taskLoader) line(line Line) error {
	if line.Fault != "" {
		return fmt.Errorf("%s", line.Fault)
	}
	if err := l.json.Check(line.Bytes); err != nil {
		return err
	}
	return l.add(line.Bytes)
}

// add adds a task whose JSON has been checked.
func (l *taskLoader) add(b []byte) error {
	v, err := jsontree.Parse(&l.p, b)
	if err != nil {
		return err
	}
	if v.Type() != fastjson.TypeObject {
		return fmt.Errorf("got %s; want an object", message.Describe(v))
	}
	t := l.t
	keys, err := t.keys(v, l.index)
	if err != nil {
		return err
	}
	for _, k := range keys {
		t.at[k] = append(t.at[k], l.index)
	}
	l.index++
	if _, ok := t.byID[keys[0]]; !ok {
		t.n++
	}
	kept := t.trimmed(b)
	t.all = append(t.all, namedTask{keys[0], kept})
	for _, k := range keys {
		if _, ok := t.byID[k]; ok {
			t.twice[k] = true
		}
		t.byID[k] = kept
	}
	return nil
}

// trimmed returns a copy of a task without the members that the suite does not read.
func (t *Tasks) trimmed(b []byte) []byte {
	if len(t.rule.Unread) == 0 {
		return slices.Clone(b)
	}
	kept := make([]byte, 1, len(b))
	kept[0] = '{'
	jsoncut.Members(bytes.TrimSpace(b), func(key, value []byte) error {
		if slices.Contains(t.rule.Unread, jsoncut.Name(key)) {
			return nil
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(append(append(kept, '"'), key...), `":`...), value...)
		return nil
	})
	return slices.Clip(append(kept, '}'))
}

// keys returns the names of the task at position index, at least one.
func (t *Tasks) keys(v *fastjson.Value, index int) ([]string, error) {
	if t.rule.Keys != nil {
		keys, err := t.rule.Keys(v, index)
		if err == nil && len(keys) == 0 {
			err = fmt.Errorf("got a task without a name")
		}
		return keys, err
	}
	it := scoring.Item{Fields: v}
	var d Decoder
	if e := d.id(&it); e != nil {
		return nil, e
	}
	if it.ID == "" {
		return nil, fmt.Errorf("got no id; want the id that dump lines refer to")
	}
	return []string{it.ID}, nil
}

// Each calls f with the first name, the position and the JSON of each task, in the order
// of the file, until f returns an error. f must not change the JSON.
func (t *Tasks) Each(f func(name string, index int, json []byte) error) error {
	if t == nil {
		return nil
	}
	for i := range t.all {
		if err := f(t.all[i].name, i, t.all[i].json); err != nil {
			return err
		}
	}
	return nil
}

// Len returns the number of tasks.
func (t *Tasks) Len() int {
	if t == nil {
		return 0
	}
	return t.n
}

// At returns the first name of the task at a position of the file, from 0.
func (t *Tasks) At(position int) (name string, ok bool) {
	if t == nil || position < 0 || position >= len(t.all) {
		return "", false
	}
	return t.all[position].name, true
}

// Positions returns how many tasks the file has; tasks with the same name count each.
func (t *Tasks) Positions() int {
	if t == nil {
		return 0
	}
	return len(t.all)
}

// has reports whether a task has the name id.
func (t *Tasks) has(id string) bool {
	if t == nil {
		return false
	}
	_, ok := t.byID[id]
	return ok
}

// position returns the position in the file of the k-th task with a name (from 0), -1 for
// none.
func (t *Tasks) position(name string, k int) int {
	if t == nil || k >= len(t.at[name]) {
		return -1
	}
	return t.at[name][k]
}

// wanted reports whether a line needs its task: it lacks a field of the suite's rule, or,
// without such a rule, a task has the name that it refers to.
func (t *Tasks) wanted(v *fastjson.Value, id string) bool {
	if t == nil {
		return false
	}
	for _, k := range t.rule.Fields {
		if !v.Exists(k) {
			return true
		}
	}
	return len(t.rule.Fields) == 0 && t.has(t.refer(v, id))
}

// refer returns the name by which a line refers to its task.
func (t *Tasks) refer(v *fastjson.Value, id string) string {
	if t.rule.Refer != nil {
		return t.rule.Refer(v, id)
	}
	return id
}

// answers reports whether a member holds the answer of a line, which no task may set.
func answers(key string) bool { return key == "response" || key == "actions" }

// Find returns why no task, or no single one, has the id; nil where one has. The
// code is "unknown_task".
func (t *Tasks) Find(id string) *scoring.Error {
	if t == nil {
		t = &Tasks{}
	}
	_, err := t.find(id)
	return err
}

// JSON returns the task with a name, nil where there is none or several. It must not be changed.
func (t *Tasks) JSON(id string) []byte {
	if t == nil {
		return nil
	}
	raw, _ := t.find(id)
	return raw
}

// find returns the JSON of the only task with the name id.
func (t *Tasks) find(id string) ([]byte, *scoring.Error) {
	raw, ok := t.byID[id]
	if !ok {
		return nil, &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot find task %q: it is not in the file of --tasks", clip(id))}
	}
	if t.twice[id] {
		return nil, &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot find task %q: the file of --tasks has it twice; want ids that occur once", clip(id))}
	}
	return raw, nil
}

// Join appends a line to dst with the fields of its task that it lacks, for readers without
// the task file. It appends a line that cannot be joined unchanged.
func (t *Tasks) Join(dst, line []byte) []byte {
	start := len(dst)
	dst = append(dst, line...)
	if scene.Check(line, fastjson.MaxDepth) != nil {
		return dst
	}
	v, err := jsontree.Parse(new(fastjson.Parser), line)
	if err != nil || v.Type() != fastjson.TypeObject {
		return dst
	}
	it := scoring.Item{Fields: v}
	var d Decoder
	if d.id(&it) != nil || !t.wanted(v, it.ID) {
		return dst
	}
	name := t.refer(v, it.ID)
	if !t.has(name) || t.twice[name] {
		return dst
	}
	task, err := jsontree.Parse(new(fastjson.Parser), t.byID[name])
	if err != nil {
		return dst
	}
	end := start + bytes.LastIndexByte(line, '}')
	tail := string(dst[end:])
	dst = dst[:end]
	first := v.GetObject().Len() == 0
	task.GetObject().Visit(func(key []byte, f *fastjson.Value) {
		if k := string(key); answers(k) || v.Exists(k) {
			return
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(scoring.AppendString(dst, string(key)), ':'), jsontree.Append(nil, f)...)
	})
	return append(dst, tail...)
}
