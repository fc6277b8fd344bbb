package dump

import (
	"bytes"
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// Whose returns the name of the suite to which a task file belongs, by its first task or by
// the form of the document. It returns "" if no suite fits or several do.
func Whose(path string, suites scoring.Suites, limits Limits) (string, error) {
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
	if err != nil { // a document of several lines
		rest, e := r.all()
		if e != nil {
			return "", fmt.Errorf("cannot read tasks %s: %w", path, e)
		}
		if v, err = fastjson.ParseBytes(append(first, rest...)); err != nil {
			return "", fmt.Errorf("cannot read tasks %s: %w", path, err)
		}
	}
	return owner(v, suites), nil
}

// owner returns the name of the only suite to which a task, or a document of tasks, can
// belong, else "". A task is recognised by its suite or test, a document by the member that
// lists its tasks.
func owner(v *fastjson.Value, suites scoring.Suites) string {
	d := Decoder{cfg: ItemConfig{Suites: suites}}
	it := scoring.Item{Fields: v}
	if d.suite(&it, "") == nil {
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
