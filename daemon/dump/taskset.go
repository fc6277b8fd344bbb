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

// taskSet holds the tasks of one reading of a task file by their names. It is read-only. A nil
// *taskSet holds none.
type taskSet struct {
	rule  scoring.TaskFile
	byID  map[string][]byte
	twice map[string]bool
	at    map[string][]int // positions in the file of the tasks with a name
	n     int              // tasks whose first name no other task has
	all   []namedTask      // in the order of the file
	whole bool             // namedTask.whole is kept
}

// namedTask is a task with its own name.
type namedTask struct {
	name  string
	json  []byte
	whole []byte // with the members that scoring does not read
}

// readTasks reads a task file once.
func readTasks(src TaskSource) (*taskSet, error) {
	r, err := Open(src.Path, src.Limits)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &taskSet{rule: src.Rule, byID: map[string][]byte{}, twice: map[string]bool{}, at: map[string][]int{}, whole: src.Whole}
	l := taskLoader{t: t, json: src.JSON}
	whole := func(doc Line) (bool, error) { return l.document(doc.Bytes) }
	err = linesOrDocument(r.Next, src.Limits, 2, whole, func(one Line) error {
		if err := l.line(one); err != nil {
			return fmt.Errorf("line %d: %w", one.N, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read tasks %s: %w", src.Path, err)
	}
	return t, nil
}

// taskLoader adds tasks to t.
type taskLoader struct {
	t    *taskSet
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
	one := namedTask{name: keys[0], json: kept}
	if t.whole {
		one.whole = kept
		if len(t.rule.Unread) > 0 {
			one.whole = slices.Clone(bytes.TrimSpace(b))
		}
	}
	t.all = append(t.all, one)
	for _, k := range keys {
		if _, ok := t.byID[k]; ok {
			t.twice[k] = true
		}
		t.byID[k] = kept
	}
	return nil
}

// trimmed returns a copy of a task without the members that the suite does not read.
func (t *taskSet) trimmed(b []byte) []byte {
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
func (t *taskSet) keys(v *fastjson.Value, index int) ([]string, error) {
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

// has reports whether a task has the name id.
func (t *taskSet) has(id string) bool {
	if t == nil {
		return false
	}
	_, ok := t.byID[id]
	return ok
}

// position returns the position in the file of the k-th task with a name (from 0), -1 for
// none.
func (t *taskSet) position(name string, k int) int {
	if t == nil || k >= len(t.at[name]) {
		return -1
	}
	return t.at[name][k]
}

// wanted reports whether a line needs its task: it lacks a field of the suite's rule, or,
// without such a rule, a task has the name that it refers to.
func (t *taskSet) wanted(v *fastjson.Value, id string) bool {
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
func (t *taskSet) refer(v *fastjson.Value, id string) string {
	if t.rule.Refer != nil {
		return t.rule.Refer(v, id)
	}
	return id
}

// answers reports whether a member holds the answer of a line, which no task may set.
func answers(key string) bool { return key == "response" || key == "actions" }

// find returns the JSON of the only task with the name id.
func (t *taskSet) find(id string) ([]byte, *scoring.Error) {
	if t == nil {
		t = &taskSet{}
	}
	raw, ok := t.byID[id]
	if !ok {
		return nil, &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot find task %q: it is not in the file of --tasks", clip(id))}
	}
	if t.twice[id] {
		return nil, &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot find task %q: the file of --tasks has it twice; want ids that occur once", clip(id))}
	}
	return raw, nil
}

// join appends a line to dst with the fields of its task that it lacks. It appends a line that
// cannot be joined unchanged.
func (t *taskSet) join(dst, line []byte) []byte {
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
