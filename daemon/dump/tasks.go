package dump

import (
	"sync/atomic"

	"plumb/render/scene"
	"plumb/scoring"
)

// TaskSource says how a task file is read.
type TaskSource struct {
	Path   string
	Rule   scoring.TaskFile // of the suite
	Limits Limits           // of the file
	JSON   scene.Limits     // of each task
	Whole  bool             // the members that scoring does not read are kept too, for prompts
}

// Tasks holds the tasks of a task file by their names. A nil *Tasks holds none. It is safe for
// concurrent use, Reload included. Reload may replace the tasks between two calls, so a caller that
// needs several values of the same version of the file takes them from one call.
type Tasks struct {
	source TaskSource
	loaded atomic.Pointer[taskSet]
}

// LoadTasks reads a task file by the rule of its suite: lines, plain or compressed, or one
// JSON document. The first invalid task is an error that names it. A name that occurs
// twice is an error only for dump lines that refer to it.
func LoadTasks(path string, rule scoring.TaskFile, limits Limits, json scene.Limits) (*Tasks, error) {
	return TaskSource{Path: path, Rule: rule, Limits: limits, JSON: json}.Load()
}

// Load reads the file; see LoadTasks.
func (src TaskSource) Load() (*Tasks, error) {
	t := &Tasks{source: src}
	return t, t.Reload()
}

// Reload reads the task file again. After an error the tasks are as before.
func (t *Tasks) Reload() error {
	set, err := readTasks(t.source)
	if err == nil {
		t.loaded.Store(set)
	}
	return err
}

// Path returns the path of the file.
func (t *Tasks) Path() string { return t.source.Path }

// current returns the tasks as the task file was read last, nil for none.
func (t *Tasks) current() *taskSet {
	if t == nil {
		return nil
	}
	return t.loaded.Load()
}

// Each calls f for each task, in the order of the task file, with the first of the task's names, its position
// (from 0) and its JSON. If f returns an error, Each stops and returns it. The JSON lacks members that scoring
// does not read; f must not change it.
func (t *Tasks) Each(f func(name string, index int, json []byte) error) error {
	s := t.current()
	if s == nil {
		return nil
	}
	for i := range s.tasks {
		if err := f(s.tasks[i].name, i, s.tasks[i].json); err != nil {
			return err
		}
	}
	return nil
}

// EachWhole calls f for each task, as Each does, but the JSON has all members that the task file has. It is nil
// for each task unless TaskSource.Whole was set.
func (t *Tasks) EachWhole(f func(name string, index int, json []byte) error) error {
	s := t.current()
	if s == nil {
		return nil
	}
	for i := range s.tasks {
		if err := f(s.tasks[i].name, i, s.wholeAt(i)); err != nil {
			return err
		}
	}
	return nil
}

// Len returns how many tasks the task file has, where tasks with the same first name count once. It is 0 for a
// nil *Tasks.
func (t *Tasks) Len() int {
	if s := t.current(); s != nil {
		return s.namedCount
	}
	return 0
}

// At returns the first of the names of the task at a position of the task file, from 0. ok is false if the file
// has no such position.
func (t *Tasks) At(position int) (name string, ok bool) {
	s := t.current()
	if s == nil || position < 0 || position >= len(s.tasks) {
		return "", false
	}
	return s.tasks[position].name, true
}

// Positions returns how many tasks the task file has. Other than with Len, tasks with the same name count each.
func (t *Tasks) Positions() int {
	if s := t.current(); s != nil {
		return len(s.tasks)
	}
	return 0
}

// Between returns the names (of each task the first) and the JSON of the tasks at the positions from start
// up to but not including stop, and how many tasks the file has in all. Positions outside the file are left
// out. The JSON must not be changed.
func (t *Tasks) Between(start, stop int) (names []string, json [][]byte, total int) {
	s := t.current()
	if s == nil {
		return nil, nil, 0
	}
	for i := max(start, 0); i < min(stop, len(s.tasks)); i++ {
		names = append(names, s.tasks[i].name)
		json = append(json, s.tasks[i].json)
	}
	return names, json, len(s.tasks)
}

// has reports whether a task has the name id.
func (t *Tasks) has(id string) bool { return t.current().has(id) }

// position returns the position in the file of the k-th task with a name (from 0), -1 for
// none.
func (t *Tasks) position(name string, k int) int { return t.current().positionOf(name, k) }

// Find returns nil if exactly one task has the id. Else the error, with the code "unknown_task", says
// that none or several have it.
func (t *Tasks) Find(id string) *scoring.Error {
	_, err := t.current().find(id)
	return err
}

// JSON returns the task with a name, nil where there is none or several. It must not be changed.
func (t *Tasks) JSON(id string) []byte {
	raw, _ := t.current().find(id)
	return raw
}

// Whole returns the JSON of the task with the name id, with all members that the task file has. It is nil if no
// task or several have the name, or if TaskSource.Whole was not set. It must not be changed.
func (t *Tasks) Whole(id string) []byte {
	s := t.current()
	if s == nil || s.isRepeated(id) || !s.has(id) {
		return nil
	}
	return s.wholeAt(int(s.firstPosition[id]))
}

// Join appends a line of a dump to dst, with those members of its task that the line lacks, for
// readers that have no task file. A line whose task is not found is appended unchanged.
func (t *Tasks) Join(dst, line []byte) []byte { return t.current().appendJoined(dst, line) }
