package dump

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/scoring"
)

var suites = scoring.Suites{{Name: "aspire", Tests: []string{"maze", "line"}}, {Name: "tangram", Tests: []string{"outline", "line"}}}

func TestItem(t *testing.T) {
	deep := strings.Repeat("[", 400) + strings.Repeat("]", 400)
	for _, c := range []struct{ line, suite, want string }{
		{`{"id":"a","suite":"aspire","test":"maze"}`, "", "a aspire maze"},
		{`{"id":"a","test":"maze"}`, "", "a aspire maze"},
		{`{"id":"a","test":"line"}`, "", "a  line unknown_suite"},
		{`{"id":"a","test":"line"}`, "tangram", "a tangram line"},
		{`{"id":"a","suite":"aspire","test":"line"}`, "tangram", "a aspire line"},
		{`{"id":"a","suite":"chess"}`, "", "a chess  unknown_suite"},
		{`{"id":7,"test":"maze"}`, "", "7 aspire maze"},
		{`{"id":-12345678901234567890,"test":"maze"}`, "", "-12345678901234567890 aspire maze"},
		{`{"id":null,"test":"maze"}`, "", "line:9 aspire maze"},
		{`{"id":"","test":"maze"}`, "", "line:9 aspire maze"},
		{`{"test":"maze"}`, "", "line:9 aspire maze"},
		{`{"id":"\ud83d\ude00","test":"maze"}`, "", "😀 aspire maze"},
		{`{"id":"a\\ud800","test":"maze"}`, "", `a\ud800 aspire maze`},
		{`{"id":"a\ud800","test":"maze"}`, "", "line:9   bad_item"},
		{`{"id":"a\udfff","test":"maze"}`, "", "line:9   bad_item"},
		{`{"id":"\ud800\ud800\udc00","test":"maze"}`, "", "line:9   bad_item"},
		{`{"id":"\ud800x","test":"maze"}`, "", "line:9   bad_item"},
		{`{"id":1.5,"test":"maze"}`, "", "line:9   bad_item"},
		{`{"id":[1],"test":"maze"}`, "", "line:9   bad_item"},
		{`{"id":"a","test":7}`, "", "a   bad_item"},
		{`{"id":"` + strings.Repeat("x", 2000) + `"}`, "", "line:9   limit"},
		{`{"id":"a"`, "", "line:9   bad_line"},
		{`{"id":"a","id":"b"}`, "", "line:9   bad_line"},
		{`{"id":"a","x":NaN}`, "", "line:9   bad_line"},
		{`{"id":"a","x":1e999}`, "", "line:9   bad_line"},
		{`{"id":"a","x":` + deep + `}`, "", "line:9   bad_line"},
		{"{\"id\":\"\xff\"}", "", "line:9   bad_line"},
		{`[1]`, "", "line:9   bad_line"},
		{`{"id":"a","test":"maze","response":"` + strings.Repeat("y", 101) + `"}`, "", "a aspire maze answer_limit"},
		{`{"id":"a","test":"maze","response":"` + strings.Repeat("y", 100) + `"}`, "", "a aspire maze"},
		{`{"id":"a","test":"maze","pad":"` + strings.Repeat("y", 200) + `","response":{"k":"` + strings.Repeat("y", 100) + `"}}`, "", "a aspire maze answer_limit"},
	} {
		d := NewDecoder(ItemConfig{Suites: suites, MaxResponse: 100})
		it, e := d.Item(Line{Number: 9, Bytes: []byte(c.line)}, c.suite)
		got := it.ID + " " + it.Suite + " " + it.Test
		if e != nil {
			got += " " + e.Code
		}
		for _, n := range it.Notes {
			got += " " + n.Code
		}
		if got != c.want || it.Line != 9 {
			t.Errorf("%.80s: got %q (%v); want %q", c.line, got, e, c.want)
		}
	}
	d := NewDecoder(ItemConfig{Suites: suites})
	if it, e := d.Item(Line{Number: 3, Fault: "too long"}, ""); it.ID != "line:3" || e == nil || e.Code != "bad_line" || e.Message != "too long" {
		t.Errorf("got %+v, %v; want the fault of the line", it, e)
	}
}

func TestTasks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	write := func(s string) {
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"id":"m1","test":"maze","shapes":[1],"task":{"k":1},"response":"never"}` + "\n" +
		`{"id":"m2","test":"maze","shapes":[],"task":{}}` + "\n" + `{"id":"m2","test":"line"}` + "\n")
	tasks, err := LoadTasks(path, scoring.TaskFile{Fields: []string{"test", "shapes", "task"}}, Limits{}, scene.Limits{})
	if err != nil || tasks.Len() != 2 {
		t.Fatalf("got %d tasks, %v; want 2", tasks.Len(), err)
	}
	d := NewDecoder(ItemConfig{Suites: suites, Tasks: map[string]*Tasks{"aspire": tasks}})
	for _, c := range []struct{ line, want string }{
		{`{"id":"m1","response":"x"}`, `aspire maze {"id":"m1","response":"x","test":"maze","shapes":[1],"task":{"k":1}}`},
		{`{"id":"m1"}`, `aspire maze {"id":"m1","test":"maze","shapes":[1],"task":{"k":1}}`},
		{`{"id":"m1","suite":"aspire","shapes":[2]}`, `aspire maze {"id":"m1","suite":"aspire","shapes":[2],"test":"maze","task":{"k":1}}`},
		{`{"id":"zz","suite":"aspire","test":"maze","shapes":[2],"task":{}}`, `aspire maze {"id":"zz","suite":"aspire","test":"maze","shapes":[2],"task":{}}`},
		{`{"id":"zz","suite":"aspire"}`, "unknown_task"},
		{`{"id":"m2","suite":"aspire"}`, "unknown_task"},
	} {
		it, e := d.Item(Line{Number: 1, Bytes: []byte(c.line)}, "")
		got := ""
		if e != nil {
			got = e.Code
		} else {
			got = it.Suite + " " + it.Test + " " + string(it.Fields.MarshalTo(nil))
		}
		if got != c.want {
			t.Errorf("%s: got %s (%v); want %s", c.line, got, e, c.want)
		}
		joined := tasks.Join(nil, []byte(c.line))
		plain := NewDecoder(ItemConfig{Suites: suites, DefaultSuite: "aspire"})
		if it, e := plain.Item(Line{Number: 1, Bytes: joined}, ""); c.want != "unknown_task" &&
			(e != nil || string(it.Fields.MarshalTo(nil)) != c.want[len("aspire maze "):]) {
			t.Errorf("joined %s: got %s, %v; want %s", c.line, joined, e, c.want)
		}
	}
	for _, s := range []string{"{", `{"test":"maze"}`, `{"id":[]}`} {
		write(`{"id":"a"}` + "\n\n" + s)
		if _, err := LoadTasks(path, scoring.TaskFile{Fields: []string{"test", "shapes", "task"}}, Limits{}, scene.Limits{}); err == nil || !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%s: got %v; want an error that names line 3", s, err)
		}
	}
}
