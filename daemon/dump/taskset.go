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
	rule              scoring.TaskFile
	firstPosition     map[string]int32   // position in the file of the first task with a name
	repeatedPositions map[string][]int32 // all positions of a name that occurs more than once
	namedCount        int                // tasks whose first name no earlier task has
	tasks             []namedTask        // in the order of the file
	wholeTasks        [][]byte           // the tasks with the members that scoring does not read; nil where they are not kept
}

// namedTask is a task with its own name.
type namedTask struct {
	name string
	json []byte
}

// readTasks reads a task file once. The file has a task on each line, or is one JSON document with a
// list of tasks; a file of one line may be either, so two lines are held before that is decided. The
// first task that is wrong is an error.
func readTasks(src TaskSource) (*taskSet, error) {
	r, err := Open(src.Path, src.Limits)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &taskSet{rule: src.Rule, firstPosition: map[string]int32{}, repeatedPositions: map[string][]int32{}}
	l := taskLoader{set: t, limits: src.JSON, keepsWhole: src.Whole}
	document := func(doc Line) (bool, error) { return l.addDocument(doc.Bytes) }
	const decideAt = 2 // lines: a file of a single line may be either
	err = linesOrDocument(r.Next, src.Limits, decideAt, document, func(one Line) error {
		if err := l.addLine(one); err != nil {
			return fmt.Errorf("line %d: %w", one.Number, err)
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
	set        *taskSet
	limits     scene.Limits // of each task
	keepsWhole bool         // taskSet.wholeTasks is kept
	parser     fastjson.Parser
	buf        []byte // the result of withoutUnread
	block      []byte // copies of tasks that keepCopy made, and room for more
}

// keepCopy returns a copy of b that lives as long as the set. Copies stand one after another in blocks of
// 4 KiB to 1 MiB, each larger than the one before, because the garbage collector spends time on each
// allocation and task files have many small tasks.
func (l *taskLoader) keepCopy(b []byte) []byte {
	const least, most = 4 << 10, 1 << 20 // bytes of a block, unless a single copy is longer
	if len(b) > cap(l.block)-len(l.block) {
		l.block = make([]byte, 0, max(min(2*cap(l.block), most), least, len(b)))
	}
	start := len(l.block)
	l.block = append(l.block, b...)
	return l.block[start:len(l.block):len(l.block)]
}

// addDocument adds the tasks of a task file that is one JSON document: a list of tasks, or an object
// whose member rule.List is that list. done is false if the document is neither. Then it is a single
// task, which the caller adds as a line.
func (l *taskLoader) addDocument(doc []byte) (done bool, err error) {
	if err := l.limits.Check(doc); err != nil {
		return true, err
	}
	list := bytes.TrimSpace(doc) // has a byte at least, as Check found valid JSON
	if list[0] == '{' {
		object := list
		list = nil
		jsoncut.Named(object, func(key, value []byte) error {
			if l.set.rule.List != "" && string(key) == l.set.rule.List && value[0] == '[' {
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
		if err := l.addTask(task); err != nil {
			return true, fmt.Errorf("task %d: %w", i, err)
		}
	}
	return true, nil
}

// addLine checks one line of a task file as strictly as items are checked, and adds its task to the set.
func (l *taskLoader) addLine(line Line) error {
	if line.Fault != "" {
		return fmt.Errorf("%s", line.Fault)
	}
	if err := l.limits.Check(line.Bytes); err != nil {
		return err
	}
	return l.addTask(line.Bytes)
}

// addTask adds a task of the task file, whose JSON has been checked. It copies the task, without the members that
// scoring does not read, and if l.keepsWhole is set also with them.
func (l *taskLoader) addTask(b []byte) error {
	v, err := jsontree.Parse(&l.parser, b)
	if err != nil {
		return err
	}
	if v.Type() != fastjson.TypeObject {
		return fmt.Errorf("got %s; want an object", message.Describe(v))
	}
	// Its names.
	taskSet := l.set
	at := len(taskSet.tasks)
	if at == math.MaxInt32 {
		return fmt.Errorf("got more than %d tasks", math.MaxInt32)
	}
	keys, err := taskSet.namesOf(v, at)
	if err != nil {
		return err
	}
	if !taskSet.has(keys[0]) {
		taskSet.namedCount++
	}
	for _, k := range keys {
		taskSet.addName(k, int32(at))
	}
	// Its JSON.
	kept := l.keepCopy(l.withoutUnread(b))
	taskSet.tasks = append(taskSet.tasks, namedTask{keys[0], kept})
	if !l.keepsWhole {
		return nil
	}
	if len(taskSet.rule.Unread) > 0 {
		kept = l.keepCopy(bytes.TrimSpace(b))
	}
	taskSet.wholeTasks = append(taskSet.wholeTasks, kept)
	return nil
}

// addName records that the task at a position of the task file has a name, by which lines of dumps refer to it.
// A name may belong to several tasks. Most belong to one, so only names that occur again get a list of
// positions in repeatedPositions.
func (t *taskSet) addName(name string, position int32) {
	first, ok := t.firstPosition[name]
	if !ok {
		t.firstPosition[name] = position
		return
	}
	if t.repeatedPositions[name] == nil {
		t.repeatedPositions[name] = []int32{first}
	}
	t.repeatedPositions[name] = append(t.repeatedPositions[name], position)
}

// wholeAt returns the JSON of the task at a position with all members that the task file has, nil if those are
// not kept.
func (t *taskSet) wholeAt(at int) []byte {
	if t.wholeTasks == nil {
		return nil
	}
	return t.wholeTasks[at]
}

// isRepeated reports whether a name occurs more than once.
func (t *taskSet) isRepeated(name string) bool { return t.repeatedPositions[name] != nil }

// withoutUnread returns the JSON of a task of the task file, b, without those members that its suite never reads,
// because all tasks are kept in memory. b is an object that was checked as JSON. The result is valid until the
// next call.
func (l *taskLoader) withoutUnread(b []byte) []byte {
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

// namesOf returns the names by which dump lines refer to the task v, at least one. The suite's rule makes
// them from the task and its position in the file; without a rule the name is its id.
func (t *taskSet) namesOf(v *fastjson.Value, index int) ([]string, error) {
	if t.rule.Keys != nil {
		keys, err := t.rule.Keys(v, index)
		if err == nil && len(keys) == 0 {
			err = fmt.Errorf("got a task without a name")
		}
		return keys, err
	}
	it := scoring.Item{Fields: v}
	if e := new(Decoder).setID(&it); e != nil {
		return nil, e
	}
	if it.ID == "" {
		return nil, fmt.Errorf("got no id; want the id that dump lines refer to")
	}
	return []string{it.ID}, nil
}

// has reports whether the task file has a task with the name id.
func (t *taskSet) has(id string) bool {
	if t == nil {
		return false
	}
	_, ok := t.firstPosition[id]
	return ok
}

// positionOf returns the position in the task file of the k-th task with a name, both from 0, or -1 if fewer
// tasks have it.
func (t *taskSet) positionOf(name string, k int) int {
	if t == nil || !t.has(name) {
		return -1
	}
	repeats := t.repeatedPositions[name] // empty for a name that one task has
	switch {
	case k < len(repeats):
		return int(repeats[k])
	case k > 0:
		return -1
	}
	return int(t.firstPosition[name])
}

// needsTask reports whether members of a task must be added to the dump line v, whose id is given. If the suite's
// rule lists the members that scoring needs, a line that has them all carries its task already. If the rule
// lists none, the line is joined with a task if the set has the one that it names.
func (t *taskSet) needsTask(v *fastjson.Value, id string) bool {
	if t == nil {
		return false
	}
	for _, k := range t.rule.Fields {
		if !v.Exists(k) {
			return true
		}
	}
	return len(t.rule.Fields) == 0 && t.has(t.taskName(v, id))
}

// taskName returns the name of the task to which a dump line v refers: by the suite's rule, or without one the
// line's id.
func (t *taskSet) taskName(v *fastjson.Value, id string) string {
	if t.rule.Refer != nil {
		return t.rule.Refer(v, id)
	}
	return id
}

// isAnswer reports whether a member holds the answer of a line, which no task may set.
func isAnswer(key string) bool { return key == "response" || key == "actions" }

// find returns the JSON of the only task of the task file with the name id. The error, unknown_task, says that
// no task or several have it. A nil set has no task.
func (t *taskSet) find(id string) ([]byte, *scoring.Error) {
	if t == nil {
		t = &taskSet{}
	}
	at, ok := t.firstPosition[id]
	if !ok {
		return nil, &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot find task %q: it is not in the file of --tasks", clip(id))}
	}
	if t.isRepeated(id) {
		return nil, &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot find task %q: the file of --tasks has it twice; want ids that occur once", clip(id))}
	}
	return t.tasks[at].json, nil
}

// appendJoined appends a line of a dump to dst, with those members of its task that it lacks. It never adds
// the members of an answer. A line that is not valid, needs no task, or names none or several is
// appended unchanged.
func (t *taskSet) appendJoined(dst, line []byte) []byte {
	start := len(dst)
	dst = append(dst, line...)
	if scene.Check(line, fastjson.MaxDepth) != nil {
		return dst
	}
	value, err := jsontree.Parse(new(fastjson.Parser), line)
	if err != nil || value.Type() != fastjson.TypeObject {
		return dst
	}
	// Find the task.
	it := scoring.Item{Fields: value}
	if new(Decoder).setID(&it) != nil || !t.needsTask(value, it.ID) { // setID reads the member id
		return dst
	}
	name := t.taskName(value, it.ID)
	if !t.has(name) || t.isRepeated(name) {
		return dst
	}
	task, err := jsontree.Parse(new(fastjson.Parser), t.tasks[t.firstPosition[name]].json)
	if err != nil {
		return dst
	}
	// Write its members before the closing bracket of the line.
	end := start + bytes.LastIndexByte(line, '}')
	tail := string(dst[end:]) // the bracket and blanks after it
	dst = dst[:end]
	needsComma := value.GetObject().Len() > 0
	task.GetObject().Visit(func(key []byte, f *fastjson.Value) {
		if k := string(key); isAnswer(k) || value.Exists(k) {
			return
		}
		if needsComma {
			dst = append(dst, ',')
		}
		needsComma = true
		dst = scoring.AppendString(dst, string(key))
		dst = append(dst, ':')
		dst = append(dst, jsontree.Append(nil, f)...)
	})
	return append(dst, tail...)
}
