package api

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/daemon/names"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// The task routes of OpenEnv, which are those of ORS: an environment for each suite with loaded
// tasks. See docs/spec/episodes.md#r1.

// envInPath stands for the name of an environment in paths.
const envInPath = "{env}"

// taskRoutes are the routes below the name of an environment.
var taskRoutes = map[string]route{
	"/splits":     {name: "splits", method: "GET", handle: (*Server).splits},
	"/tasks":      {name: "tasks", method: "POST", handle: (*Server).allTasks},
	"/num_tasks":  {name: "num_tasks", method: "POST", handle: (*Server).numTasks},
	"/task":       {name: "task", method: "POST", handle: (*Server).oneTask},
	"/task_range": {name: "task_range", method: "POST", handle: (*Server).taskRange},
}

// environments answers GET /list_environments: the suites with loaded tasks.
func (server *Server) environments(ctx *fasthttp.RequestCtx) { server.reply(ctx, server.loaded()) }

// loaded lists the suites whose task files the daemon has, in alphabetical order.
func (server *Server) loaded() []string {
	list := []string{}
	for _, name := range server.cfg.Items.Suites.Names() {
		if len(server.splitsOf(name)) > 0 {
			list = append(list, name)
		}
	}
	return list
}

// splitsOf lists the splits of a suite that were loaded: dump.TestSplit first, the others in
// alphabetical order.
func (server *Server) splitsOf(suite string) (list []string) {
	for key := range server.cfg.Items.Tasks {
		if key == suite {
			list = append(list, dump.TestSplit)
		} else if split, ok := strings.CutPrefix(key, suite+":"); ok {
			list = append(list, split)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		if (a == dump.TestSplit) != (b == dump.TestSplit) {
			if a == dump.TestSplit {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return list
}

// environment returns the suite that the path of a request names as its environment. ok is false if no
// tasks of such a suite are loaded: then it has answered the request itself.
func (server *Server) environment(ctx *fasthttp.RequestCtx) (suite string, ok bool) {
	suite, _, _ = strings.Cut(strings.TrimPrefix(string(ctx.Path()), "/"), "/")
	if len(server.splitsOf(suite)) == 0 {
		message := fmt.Sprintf("cannot find environment %.64q: want one of %v (plumb serve --tasks SUITE=FILE)", suite, server.loaded())
		server.fail(ctx, fasthttp.StatusNotFound, "not_found", message)
		return "", false
	}
	return suite, true
}

// splitInfo is one entry of GET /{env}/splits.
type splitInfo struct {
	Name string `json:"name"`
	Type string `json:"type"` // train, validation or test
}

// splits answers GET /{env}/splits: the loaded splits of a suite's tasks. OpenEnv has the types train,
// validation and test, so any other split is one for validation.
func (server *Server) splits(ctx *fasthttp.RequestCtx) {
	suite, ok := server.environment(ctx)
	if !ok {
		return
	}
	list := []splitInfo{}
	for _, name := range server.splitsOf(suite) {
		kind := "validation"
		if name == "train" || name == dump.TestSplit {
			kind = name
		}
		list = append(list, splitInfo{name, kind})
	}
	server.reply(ctx, list)
}

// taskQuery is what a request about tasks asks for.
type taskQuery struct {
	suite, split       string
	tasks              *dump.Tasks
	index, start, stop *int // nil where the request has none
}

// taskQueryMembers are the members of the body of a request about tasks.
var taskQueryMembers = []string{"split", "index", "start", "stop"}

// taskQuery reads a request about the tasks of an environment: the split, which is that of test unless
// the body names one, and an index or a range. ok is false if the request is invalid or no such split
// is loaded: then it has answered the request itself.
func (server *Server) taskQuery(ctx *fasthttp.RequestCtx) (taskQuery taskQuery, ok bool) {
	if taskQuery.suite, ok = server.environment(ctx); !ok {
		return taskQuery, false
	}
	body, ok := server.readObject(ctx)
	if !ok {
		return taskQuery, false
	}
	// Read the members of the body.
	var fault *scoring.Error
	jsoncut.Named(body, func(key, value []byte) error {
		if fault != nil {
			return nil
		}
		name := string(key)
		if message := names.Unknown("body", name, taskQueryMembers); message != "" {
			fault = &scoring.Error{Code: "bad_field", Message: message}
			return nil
		}
		if jsoncut.Null(value) {
			return nil
		}
		switch name {
		case "split":
			if value[0] != '"' {
				fault = badField("split", value, "the name of a split")
				return nil
			}
			taskQuery.split = string(jsoncut.Text(value))
		case "index":
			taskQuery.index, fault = wholeNumber("index", value)
		case "start":
			taskQuery.start, fault = wholeNumber("start", value)
		case "stop":
			taskQuery.stop, fault = wholeNumber("stop", value)
		}
		return nil
	})
	if fault != nil {
		server.fail(ctx, statusOfField(fault), fault.Code, fault.Message)
		return taskQuery, false
	}
	// Find the tasks of the split.
	if taskQuery.split == "" {
		taskQuery.split = dump.TestSplit
	}
	taskQuery.tasks = server.cfg.Items.Tasks[dump.TasksKey(taskQuery.suite, taskQuery.split)]
	if taskQuery.tasks == nil {
		message := fmt.Sprintf("cannot find split %.64q of %s: want one of %v", taskQuery.split, taskQuery.suite, server.splitsOf(taskQuery.suite))
		server.fail(ctx, fasthttp.StatusBadRequest, "bad_split", message)
		return taskQuery, false
	}
	return taskQuery, true
}

// wholeNumber reads the value v of a member of a request about tasks as a whole number. at is the
// member's name for the error.
func wholeNumber(at string, v []byte) (*int, *scoring.Error) {
	n, err := strconv.Atoi(string(v))
	if err != nil {
		return nil, badField(at, v, "a whole number")
	}
	return &n, nil
}

// allTasks answers POST /{env}/tasks: all tasks of a split.
func (server *Server) allTasks(ctx *fasthttp.RequestCtx) {
	if q, ok := server.taskQuery(ctx); ok {
		list := q.between(0, math.MaxInt)
		server.reply(ctx, map[string]any{"tasks": list, "env_name": q.suite})
	}
}

// numTasks answers POST /{env}/num_tasks.
func (server *Server) numTasks(ctx *fasthttp.RequestCtx) {
	if q, ok := server.taskQuery(ctx); ok {
		server.reply(ctx, map[string]any{"num_tasks": q.tasks.Positions()})
	}
}

// oneTask answers POST /{env}/task: the task at an index; a negative one counts from the end, as in Python.
func (server *Server) oneTask(ctx *fasthttp.RequestCtx) {
	taskQuery, ok := server.taskQuery(ctx)
	if !ok {
		return
	}
	if taskQuery.index == nil {
		fault := badField("index", nil, "a whole number")
		server.fail(ctx, statusOfField(fault), fault.Code, fault.Message)
		return
	}
	pos, n := *taskQuery.index, taskQuery.tasks.Positions() // n: tasks in the split
	if pos < 0 {
		pos += n
	}
	list := taskQuery.between(pos, pos+1)
	if pos < 0 || len(list) == 0 {
		message := fmt.Sprintf("cannot find task %d of split %s: it has %s, from 0", *taskQuery.index, taskQuery.split, plural.Of(n, "task"))
		server.fail(ctx, fasthttp.StatusBadRequest, "bad_index", message)
		return
	}
	server.reply(ctx, map[string]any{"task": list[0], "env_name": taskQuery.suite})
}

// taskRange answers POST /{env}/task_range: the tasks from start to stop, stop excluded. As in a Python
// slice, negative bounds count from the end, missing ones are the ends, and no bound is out of range.
func (server *Server) taskRange(ctx *fasthttp.RequestCtx) {
	taskQuery, ok := server.taskQuery(ctx)
	if !ok {
		return
	}
	n := taskQuery.tasks.Positions() // tasks in the split
	bound := func(given *int, missing int) int {
		switch {
		case given == nil:
			return missing
		case *given < 0:
			return max(*given+n, 0)
		}
		return *given
	}
	list := taskQuery.between(bound(taskQuery.start, 0), bound(taskQuery.stop, n))
	server.reply(ctx, map[string]any{"tasks": list, "env_name": taskQuery.suite})
}

// between returns the descriptions of the tasks from start to stop, stop excluded. Bounds beyond the split
// are moved into it.
func (query *taskQuery) between(start, stop int) (list []map[string]any) {
	names, tasks, _ := query.tasks.Between(start, stop)
	list = []map[string]any{}
	for i := range names {
		list = append(list, query.spec(max(start, 0)+i, names[i], tasks[i]))
	}
	return list
}

// publicMembers are the members of tasks that say nothing about the right answer.
var publicMembers = []string{"test", "category", "subcategory", "difficulty", "level", "format"}

// spec returns the description of a task for a trainer: its label, which names the task so that the
// daemon finds it again, its suite, split, index and id, and those members of the task that say nothing
// about the right answer.
func (query *taskQuery) spec(index int, name string, task []byte) map[string]any {
	label := append([]byte(`{"suite":"`), query.suite...)
	if query.split != dump.TestSplit {
		label = append(append(label, `","split":"`...), query.split...)
	}
	label = append(label, `","id":`...)
	label = scoring.AppendString(label, name)
	label = append(label, '}')
	spec := map[string]any{"label": string(label), "suite": query.suite, "split": query.split, "index": index, "id": name}
	value, err := fastjson.ParseBytes(task)
	if err != nil {
		return spec
	}
	for _, key := range publicMembers {
		if m := value.Get(key); m != nil && m.Type() == fastjson.TypeString {
			spec[key] = json.RawMessage(scoring.AppendString(nil, string(m.GetStringBytes())))
		}
	}
	return spec
}
