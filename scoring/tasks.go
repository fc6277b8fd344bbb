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
	// Fields are the members that make a line complete: where one is missing, the
	// line takes from its task all that it lacks, and having none is an error.
	// None listed: a line takes where the file has its task.
	Fields []string
	// Unread are members that no scoring reads. They are left out when the file is
	// read: to join large ones would cost more than to score.
	Unread []string
	// Keys are the names of the task at position index of the file, from 0. The
	// first one should be its own; a name that several tasks have is refused when
	// it is used. nil: the task's id. An error or no name refuses the file.
	Keys func(task *fastjson.Value, index int) ([]string, error)
	// Refer is the name by which a line refers to its task; id is the line's. nil:
	// the id. A label that is only a reference has the name in its id.
	Refer func(line *fastjson.Value, id string) string
}
