package scoring

import "github.com/valyala/fastjson"

// TaskFile says how a suite's task file is read and how lines and labels name
// its tasks (contract.md 2, 8). The zero value: one item per line without its
// answer, found by its id, all of whose members a line may leave out.
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

// Tasked is a Suite that says how its task file is read.
type Tasked interface {
	TaskFile() TaskFile
}

// Loose is a Suite that reads the members response and actions of a line by
// rules of its own: repeated keys, NaN, infinities and numbers of any size may
// stand in them (contract.md 3, 9).
type Loose interface{ LooseAnswers() }

// Parsed is a Suite that accepts answers that are JSON values instead of texts.
type Parsed interface {
	// OwnAnswer reports whether v, the value of the member "response" or "actions",
	// is an answer to the item in the suite's own form. v is not a text. Any other
	// value is refused, so that a value that no rule of the suite reads never
	// becomes a bad answer.
	OwnAnswer(it *Item, member string, v *fastjson.Value) bool
	// AnswerForm returns the name of that form for messages, such as "an object with
	// createShapes", or "" for a member that the suite does not read.
	AnswerForm(member string) string
}

// Published is a Suite whose benchmark publishes results as one JSON list of
// tasks, each with several answers.
type Published interface {
	// ElementKey returns the name in the task file of the task of an element of
	// the list, "" where the element says itself which it is. The k-th element of
	// a name belongs to the k-th task of that name.
	ElementKey(element *fastjson.Value) string
	// Lines returns the element's answers as dump lines without line ends, and
	// false when it is no element of such a list. task is the position in the
	// task file of the task that ElementKey names, -1 where there is none.
	Lines(element *fastjson.Value, task int) ([][]byte, bool)
}

// TaskFileOf returns how the task file of a suite is read.
func TaskFileOf(s Suite) TaskFile {
	if t, ok := s.(Tasked); ok {
		return t.TaskFile()
	}
	return TaskFile{}
}
