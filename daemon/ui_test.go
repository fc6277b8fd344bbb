package daemon

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"plumb/daemon/explorer"
)

// FindJobs finds result files with their dumps in folders, and nothing else.
func TestFindJobs(t *testing.T) {
	dir := t.TempDir()
	const result, answer = `{"id":"a","score":1.0,"reward":1.0,"metrics":{},"notes":[]}`, `{"id":"a","response":"x"}`
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"top.jsonl": result, "run/results.jsonl": result, "g[1]/r.jsonl": result, "run/dump.jsonl": answer, "run/tasks.jsonl": `{"id":"a","shapes":[]}`, "run/calls.jsonl": `{"score":1}`,
		"a.job/x.jsonl": result, ".hidden/x.jsonl": result, "1/2/3/4/5/x.jsonl": result, "empty/x.jsonl": "", "text/x.jsonl": "no json"} {
		os.MkdirAll(filepath.Dir(at(name)), 0o755)
		if err := os.WriteFile(at(name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := FindJobs(dir)
	want := []explorer.Job{{Name: ".", Results: []string{at("top.jsonl")}}, {Name: "g[1]", Results: []string{at("g[1]/r.jsonl")}}, {Name: "run", Results: []string{at("run/results.jsonl")}, Dumps: []string{at("run/dump.jsonl")}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if _, err := FindJobs(at("none")); err == nil {
		t.Error("a folder that is not there: got no error")
	}
}
