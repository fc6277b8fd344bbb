package dump

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/scoring"
)

// numbered names tasks by id and position, and by id alone, as a suite may whose
// ids occur several times; lines name theirs in a field of its own.
var numbered = scoring.TaskFile{
	List: "prompts", Fields: []string{"criteria"},
	Keys: func(task *fastjson.Value, index int) ([]string, error) {
		id := string(task.GetStringBytes("id"))
		if id == "" {
			return nil, errors.New("got no id; want the task's id")
		}
		return []string{id + "#" + strconv.Itoa(index), id}, nil
	},
	Refer: func(line *fastjson.Value, id string) string {
		if name := line.GetStringBytes("task_id"); name != nil {
			return string(name)
		}
		return id
	},
}

func TestTaskFiles(t *testing.T) {
	tasks := []string{`{"id":"a","criteria":{"k":0},"actions":[1]}`, `{"id":"b","criteria":{"k":1}}`, `{"id":"a","criteria":{"k":2}}`}
	for name, file := range map[string]string{
		"lines":      strings.Join(tasks, "\n"),
		"document":   `{"metadata":{"prompts":[5]},"prompts":[` + strings.Join(tasks, ",") + `]}`,
		"over lines": "{\n\"metadata\": {},\n\"prompts\": [\n" + strings.Join(tasks, ",\n") + "\n]\n}\n",
		"list":       "[" + strings.Join(tasks, ",\n") + "]",
	} {
		got, err := load(t, file, numbered)
		if err != nil || got.Len() != 3 {
			t.Errorf("%s: got %d tasks, %v; want 3", name, got.Len(), err)
			continue
		}
		d := NewDecoder(ItemConfig{Suites: suites, DefaultSuite: "aspire", Tasks: map[string]*Tasks{"aspire": got}})
		for _, c := range []struct{ line, want string }{
			{`{"id":"a#0"}`, `{"id":"a#0","criteria":{"k":0}}`},
			{`{"id":"a#2","actions":[7]}`, `{"id":"a#2","actions":[7],"criteria":{"k":2}}`},
			{`{"id":"b"}`, `{"id":"b","criteria":{"k":1}}`},
			{`{"id":"run-7","task_id":"b#1"}`, `{"id":"run-7","task_id":"b#1","criteria":{"k":1}}`},
			{`{"id":"a"}`, "unknown_task"},
			{`{"id":"b#2"}`, "unknown_task"},
			{`{"id":"inline","criteria":{}}`, `{"id":"inline","criteria":{}}`},
		} {
			it, e := d.Item(Line{Number: 1, Bytes: []byte(c.line)}, "")
			have := ""
			if e != nil {
				have = e.Code
			} else {
				have = string(it.Fields.MarshalTo(nil))
			}
			if have != c.want {
				t.Errorf("%s: %s: got %s; want %s", name, c.line, have, c.want)
			}
		}
	}
}

func TestTaskFileFaults(t *testing.T) {
	for file, want := range map[string]string{
		`{"prompts":[{"id":"a"},{"id":""}]}`:  "task 1: got no id",
		`{"prompts":[{"id":"a"},5]}`:          "task 1: got a number; want an object",
		"{\"id\":\"a\"}\n5":                   "line 2: got a number",
		`{"prompts":{}}`:                      "got no id",
		"{\"id\":\"a\"}\n{\"prompts\":[{}]}":  "line 2: got no id",
		`{"prompts":[{"id":"a","id":"b"}]}`:   "at byte",
		"[{\"id\":\"a\"},\n{\"id\":\"b\"},\n": "line 1",
	} {
		if got, err := load(t, file, numbered); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %d tasks, %v; want %s", file, got.Len(), err, want)
		}
	}
	one, err := load(t, `{"id":"a","prompts":[{"id":"b"}]}`, scoring.TaskFile{})
	if err != nil || one.Find("a") != nil || one.Find("b") == nil {
		t.Errorf("got %v, %v; want the line as the task", one, err)
	}
}

// What the suite does not read is not kept, wherever it stands.
func TestUnreadMembers(t *testing.T) {
	rule := scoring.TaskFile{Fields: []string{"criteria"}, Unread: []string{"solution", "s\u00e9t"}}
	for file, want := range map[string]string{
		` {"solution":{"a":[1]},"id":"a","criteria":{"k":"}"}} `: `{"id":"a","criteria":{"k":"}"}}`,
		`{"id":"a","criteria":{"solution":1}, "solution" : 5}`:   `{"id":"a","criteria":{"solution":1}}`,
		`{"id":"a","s\u00e9t":1,"k\u0041":2,"criteria":3}`:       `{"id":"a","k\u0041":2,"criteria":3}`,
		`{"id":"a"}`: `{"id":"a"}`,
	} {
		got, err := load(t, file, rule)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if have := string(got.JSON("a")); have != want {
			t.Errorf("%s: kept %s; want %s", file, have, want)
		}
	}
}

func load(t *testing.T, file string, rule scoring.TaskFile) (*Tasks, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return LoadTasks(path, rule, Limits{}, scene.Limits{})
}
