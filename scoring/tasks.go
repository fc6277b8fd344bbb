package scoring

import "github.com/valyala/fastjson"

// TaskFile says how a suite's task file is read and how lines and labels name its tasks. The
// zero value: one item per line without its answer, found by its id, all of whose members a
// line may leave out. See docs/spec/cli.md#r15.
type TaskFile struct {
	// List is the member of a JSON document that lists the tasks, for benchmarks
	// whose file is one document ("prompts"); "" where there is none. Lines and a
	// bare list are read anyway.
	List string
	// Fields are the members that make a line complete. A line that lacks one of them takes all
	// members that it lacks from its task, and it is an error if the file has no such task.
	// Without Fields, every line takes what it lacks if the file has its task.
	Fields []string
	// Unread are members that no scoring reads. They are left out when the file is
	// read: to join large ones would cost more than to score.
	Unread []string
	// Keys returns the names of the task at position index of the file, from 0. The first one
	// should be unique; a name that several tasks have is refused when a line uses it. An error
	// or no name refuses the file. Where Keys is nil, the name is the task's id.
	Keys func(task *fastjson.Value, index int) ([]string, error)
	// Refer returns the name by which a line refers to its task; id is the line's. Where Refer is
	// nil, it is the id. A trainer's label that is only a reference has the name in its id.
	Refer func(line *fastjson.Value, id string) string
}
