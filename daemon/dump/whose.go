package dump

import (
	"bytes"
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// SuiteOfTasks returns the name of the suite to which the task file at path belongs. It looks at the first
// task of a file with lines, or at the whole of a file that is one JSON document. It returns "" if no
// suite fits or several do, and an error if the file cannot be read.
func SuiteOfTasks(path string, suites scoring.Suites, limits Limits) (string, error) {
	r, err := Open(path, limits)
	if err != nil {
		return "", err
	}
	defer r.Close()
	l, err := r.Next()
	if err != nil || l.Fault != "" {
		return "", fmt.Errorf("cannot read tasks %s: its first line cannot be read", path)
	}
	first := bytes.Clone(l.Bytes)
	v, err := fastjson.ParseBytes(first)
	if err != nil { // the first line is no JSON value: the file may be one document over several lines
		rest, e := r.readRest()
		if e != nil {
			return "", fmt.Errorf("cannot read tasks %s: %w", path, e)
		}
		if v, err = fastjson.ParseBytes(append(first, rest...)); err != nil {
			return "", fmt.Errorf("cannot read tasks %s: %w", path, err)
		}
	}
	return suiteOf(v, suites), nil
}

// suiteOf returns the name of the only suite to which v can belong, else "". v is a task, which names
// its suite or its test, or a document of tasks, which has the member in which the suite lists them
// (Suite.Tasks.List).
func suiteOf(v *fastjson.Value, suites scoring.Suites) string {
	d := Decoder{cfg: ItemConfig{Suites: suites}}
	it := scoring.Item{Fields: v}
	if d.setSuite(&it, "") == nil {
		return it.Suite
	}
	found := ""
	for _, s := range suites {
		if list := s.Tasks.List; list == "" || v.GetArray(list) == nil {
			continue
		}
		if found != "" {
			return ""
		}
		found = s.Name
	}
	return found
}
