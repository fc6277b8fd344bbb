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
	rule    scoring.TaskFile
	first   map[string]int32   // position in the file of the first task with a name
	repeats map[string][]int32 // all positions of a name that occurs more than once
	n       int                // tasks whose first name no earlier task has
	all     []namedTask        // in the order of the file
	whole   [][]byte           // the tasks with the members that scoring does not read; nil where they are not kept
}

// namedTask is a task with its own name.
type namedTask struct {
	name string
	json []byte
}

// readTasks reads a task file once: lines, or one JSON document. The first task that is
// wrong is an error.
func readTasks(src TaskSource) (*taskSet, error) {
	r, err := Open(src.Path, src.Limits)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &taskSet{rule: src.Rule, first: map[string]int32{}, repeats: map[string][]int32{}}
	l := taskLoader{set: t, json: src.JSON, whole: src.Whole}
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

// taskLoader adds tasks to set.
type taskLoader struct {
	set    *taskSet
	json   scene.Limits
	whole  bool // taskSet.whole is kept
	parser fastjson.Parser
	buf    []byte // of the task that is trimmed
	block  []byte // of copies; many tasks share one, because garbage collection looks at each by itself
}

// keep returns a copy of b that lives as long as the set.
func (l *taskLoader) keep(b []byte) []byte {
	const least, most = 4 << 10, 1 << 20 // bytes of a block
	if len(b) > cap(l.block)-len(l.block) {
		l.block = make([]byte, 0, max(min(2*cap(l.block), most), least, len(b)))
	}
	start := len(l.block)
	l.block = append(l.block, b...)
	return l.block[start:len(l.block):len(l.block)]
}

// document adds the tasks of a JSON document: a list, or an object whose member rule.List is
// one. done is false if the document is neither, and so a single task.
func (l *taskLoader) document(doc []byte) (done bool, err error) {
	if err := l.json.Check(doc); err != nil {
		return true, err
	}
	list := bytes.TrimSpace(doc) // not empty: it is valid JSON
	if list[0] == '{' {
		object := list
		list = nil
		jsoncut.Members(object, func(key, value []byte) error {
			if l.set.rule.List != "" && jsoncut.Name(key) == l.set.rule.List && value[0] == '[' {
				list = value
			}
			return nil
		})
	}
	if list == nil || list[0] != '[' {
		return false, nil
	}
	all, err := jsoncut.Elements(list, math.MaxInt) // without a limit on their number
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

// line checks one line of a task file as strictly as items are checked, and adds its task to the set.
func (l *taskLoader) line(line Line) error {
	if line.Fault != "" {
		return fmt.Errorf("%s", line.Fault)
	}
	if err := l.json.Check(line.Bytes); err != nil {
		return err
	}
	return l.add(line.Bytes)
}

// add adds a task whose JSON has been checked. It copies the task, without the members that
// scoring does not read, and if l.whole is set also with them.
func (l *taskLoader) add(b []byte) error {
	v, err := jsontree.Parse(&l.parser, b)
	if err != nil {
		return err
	}
	if v.Type() != fastjson.TypeObject {
		return fmt.Errorf("got %s; want an object", message.Describe(v))
	}
	// Its names.
	taskSet := l.set
	at := len(taskSet.all)
	if at == math.MaxInt32 {
		return fmt.Errorf("got more than %d tasks", math.MaxInt32)
	}
	keys, err := taskSet.keys(v, at)
	if err != nil {
		return err
	}
	if !taskSet.has(keys[0]) {
		taskSet.n++
	}
	for _, k := range keys {
		taskSet.addName(k, int32(at))
	}
	// Its JSON.
	kept := l.keep(l.trimmed(b))
	taskSet.all = append(taskSet.all, namedTask{keys[0], kept})
	if !l.whole {
		return nil
	}
	if len(taskSet.rule.Unread) > 0 {
		kept = l.keep(bytes.TrimSpace(b))
	}
	taskSet.whole = append(taskSet.whole, kept)
	return nil
}

// addName records that the task at a position has a name. A name may belong to several
// tasks.
func (t *taskSet) addName(k string, at int32) {
	before, ok := t.first[k]
	if !ok {
		t.first[k] = at
		return
	}
	if t.repeats[k] == nil {
		t.repeats[k] = []int32{before}
	}
	t.repeats[k] = append(t.repeats[k], at)
}

// wholeAt returns the task at a position as the file has it, nil where that is not kept.
func (t *taskSet) wholeAt(at int) []byte {
	if t.whole == nil {
		return nil
	}
	return t.whole[at]
}

// twice reports whether a name occurs more than once.
func (t *taskSet) twice(name string) bool { return t.repeats[name] != nil }

// trimmed returns the JSON of a task without those members that its suite never reads, because all
// tasks are kept in memory. The result is valid until the next call.
func (l *taskLoader) trimmed(b []byte) []byte {
	if len(l.set.rule.Unread) == 0 {
		return b
	}
	kept := append(l.buf[:0], '{')
	jsoncut.Members(bytes.TrimSpace(b), func(key, value []byte) error {
		if slices.Contains(l.set.rule.Unread, jsoncut.Name(key)) {
			return nil
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, '"')
		kept = append(kept, key...)
		kept = append(kept, `":`...)
		kept = append(kept, value...)
		return nil
	})
	l.buf = append(kept, '}')
	return l.buf
}

// keys returns the names by which dump lines refer to the task v, at least one. The suite's rule makes
// them from the task and its position in the file; without a rule the name is its id.
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

// has reports whether the set has a task with the name id.
func (t *taskSet) has(id string) bool {
	if t == nil {
		return false
	}
	_, ok := t.first[id]
	return ok
}

// position returns the position in the file of the k-th task with a name (from 0), -1 for
// none.
func (t *taskSet) position(name string, k int) int {
	if t == nil || !t.has(name) {
		return -1
	}
	all := t.repeats[name]
	switch {
	case k < len(all):
		return int(all[k])
	case k > 0:
		return -1
	}
	return int(t.first[name])
}

// wanted reports whether a line needs its task: it lacks a member that the suite's rule
// lists, or, if the rule lists none, a task has the name that the line refers to.
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

// find returns the JSON of the only task with the name id. The error says that there is none
// or more than one.
func (t *taskSet) find(id string) ([]byte, *scoring.Error) {
	if t == nil {
		t = &taskSet{}
	}
	at, ok := t.first[id]
	if !ok {
		return nil, &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot find task %q: it is not in the file of --tasks", clip(id))}
	}
	if t.twice(id) {
		return nil, &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot find task %q: the file of --tasks has it twice; want ids that occur once", clip(id))}
	}
	return t.all[at].json, nil
}

// join appends a line to dst with the members of its task that it lacks, never an answer. A
// line that cannot be joined is appended unchanged.
func (t *taskSet) join(dst, line []byte) []byte {
	start := len(dst)
	dst = append(dst, line...)
	if scene.Check(line, fastjson.MaxDepth) != nil {
		return dst
	}
	value, err := jsontree.Parse(new(fastjson.Parser), line)
	if err != nil || value.Type() != fastjson.TypeObject {
		return dst
	}
	it := scoring.Item{Fields: value}
	var d Decoder
	if d.id(&it) != nil || !t.wanted(value, it.ID) {
		return dst
	}
	name := t.refer(value, it.ID)
	if !t.has(name) || t.twice(name) {
		return dst
	}
	task, err := jsontree.Parse(new(fastjson.Parser), t.all[t.first[name]].json)
	if err != nil {
		return dst
	}
	end := start + bytes.LastIndexByte(line, '}')
	tail := string(dst[end:]) // the bracket and what follows it; new members go before
	dst = dst[:end]
	first := value.GetObject().Len() == 0
	task.GetObject().Visit(func(key []byte, f *fastjson.Value) {
		if k := string(key); answers(k) || value.Exists(k) {
			return
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = scoring.AppendString(dst, string(key))
		dst = append(dst, ':')
		dst = append(dst, jsontree.Append(nil, f)...)
	})
	return append(dst, tail...)
}
