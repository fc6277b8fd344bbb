package dump

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/scoring"
)

// published is a suite whose results come as a list and whose tasks are one
// document.
var published = &scoring.Suite{Name: "pub", Tests: []string{"t"}, LooseAnswers: true,
	ElementKey: func(v *fastjson.Value) string { return string(v.GetStringBytes("id")) },
	Lines: func(v *fastjson.Value, task int) (out [][]byte, ok bool) {
		for _, r := range v.GetArray("results") {
			out = append(out, []byte(`{"of":`+v.Get("id").String()+`,"task":`+string(rune('0'+task+1))+`,"response":`+r.String()+`}`))
		}
		return out, v.Exists("results")
	},
	Tasks: scoring.TaskFile{List: "tasks", Fields: []string{"demand"},
		Keys: func(v *fastjson.Value, n int) ([]string, error) {
			name := string(v.GetStringBytes("name"))
			return []string{name + string(rune('0'+n)), string(v.GetStringBytes("id")), name}, nil
		},
		Refer: func(v *fastjson.Value, id string) string { return string(v.GetStringBytes("of")) }}}

func config(t *testing.T) ItemConfig {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.json")
	document := "{\n \"tasks\": [\n{\"id\":\"a\",\"name\":\"x\",\"demand\":1},\n{\"id\":\"a\",\"name\":\"y\",\"demand\":2}]}"
	if err := os.WriteFile(path, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	tasks, err := LoadTasks(path, published.Tasks, Limits{}, scene.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if tasks.Len() != 2 {
		t.Fatalf("got %d tasks; want 2", tasks.Len())
	}
	return ItemConfig{Suites: scoring.Suites{published}, Tasks: map[string]*Tasks{"pub": tasks}}
}

func readAll(t *testing.T, text string, cfg ItemConfig, l Limits) (out []string, err error) {
	t.Helper()
	r, err := NewReader(strings.NewReader(text), l)
	if err != nil {
		t.Fatal(err)
	}
	r.AcceptList(cfg)
	for {
		line, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if line.Fault != "" {
			out = append(out, "! "+line.Fault)
			continue
		}
		out = append(out, string(line.Bytes))
	}
}

func TestLists(t *testing.T) {
	cfg := config(t)
	for _, c := range []struct{ name, text, want, err string }{
		{"published", " [{\"id\":\"a\",\n\"results\":[\"p\",\"q\"]}, {\"id\":\"a\",\"results\":[\"r\"]},\n{\"id\":\"b\",\"results\":[\"s\"]}]\n",
			`{"of":"a","task":1,"response":"p"}|{"of":"a","task":1,"response":"q"}|{"of":"a","task":2,"response":"r"}|{"of":"b","task":0,"response":"s"}`, ""},
		{"items", `[{"id":"i","s":"a]b\"[,"}, {"id":"j"} ]`, `{"id":"i","s":"a]b\"[,"}|{"id":"j"}`, ""},
		{"empty", `[ ]`, ``, ""},
		{"odd elements", `[1, "x", [2,[3]], {}]`, `1|"x"|[2,[3]]|{}`, ""},
		{"lines", "{\"id\":\"i\"}\n{\"id\":\"j\"}\n", `{"id":"i"}|{"id":"j"}`, ""},
		{"torn", `[{"id":"i"}, {"id":`, `{"id":"i"}`, "breaks off after element 1"},
		{"no comma", `[{"id":"i"} {"id":"j"}]`, `{"id":"i"}`, "want ',' or ']'"},
		{"comma at the end", `[{"id":"i"}, ]`, `{"id":"i"}`, "got ']' after the comma behind element 1; want an element"},
		{"comma alone", `[,]`, ``, "got ',' in place of element 1; want an element"},
		{"comma first", `[ ,{"id":"i"}]`, ``, "got ',' in place of element 1; want an element"},
		{"two commas", `[{"id":"i"},{"id":"j"}, ,{"id":"k"}]`, `{"id":"i"}|{"id":"j"}`, "got ',' in place of element 3; want an element"},
		{"comma, then nothing", `[{"id":"i"},`, `{"id":"i"}`, "breaks off after element 1"},
		{"more", `[{"id":"i"}] x`, `{"id":"i"}`, "after its end"},
		{"long", `[{"id":"` + strings.Repeat("i", 100) + `"}, {"id":"j"}]`, `! cannot read element 1 of the list: it has 109 bytes; want at most 60 (--max-line)|{"id":"j"}`, ""},
	} {
		got, err := readAll(t, c.text, cfg, Limits{Line: 60})
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: got %s; want %s", c.name, strings.Join(got, "|"), c.want)
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got error %v; want %q", c.name, err, c.err)
		}
	}
}

// TestListReadError checks that a read error behind the closing bracket of a list is passed on, not taken for text.
func TestListReadError(t *testing.T) {
	r, err := NewReader(io.MultiReader(strings.NewReader(`[{"id":"a"}]`), iotest.ErrReader(errors.New("disk"))), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r.AcceptList(config(t))
	for err == nil {
		_, err = r.Next()
	}
	if !strings.Contains(err.Error(), "disk") {
		t.Errorf("got %v; want the error of the source", err)
	}
}

func TestTaskNames(t *testing.T) {
	d := NewDecoder(config(t))
	for _, c := range []struct{ line, demand, code string }{
		{`{"suite":"pub","of":"y"}`, "2", ""},
		{`{"suite":"pub","demand":3}`, "3", ""},
		{`{"suite":"pub","of":"b"}`, "", "unknown_task"},
		{`{"suite":"pub","of":"a"}`, "", "unknown_task"},
	} {
		it, e := d.Item(Line{Number: 1, Bytes: []byte(c.line)}, "")
		switch {
		case e != nil:
			if e.Code != c.code {
				t.Errorf("%s: got %s; want %q", c.line, e.Code, c.code)
			}
		case c.code != "":
			t.Errorf("%s: got no error; want %s", c.line, c.code)
		case c.demand == "" && it.Fields.Exists("demand"), c.demand != "" && it.Fields.Get("demand").String() != c.demand:
			t.Errorf("%s: got %s; want demand %q", c.line, it.Fields, c.demand)
		}
	}
}

// An answer may hold what a line must not, for suites that read it by their own
// rules, and nothing else may.
func TestLooseAnswers(t *testing.T) {
	cfg := config(t)
	cfg.Suites = append(cfg.Suites, &scoring.Suite{Name: "strict"})
	for _, c := range []struct{ line, want, fault string }{
		{`{"suite":"pub","demand":1,"actions":[{"x":NaN,"y":-Infinity,"s":"Infinity"}]}`, `[{"x":NaN,"y":-1e999,"s":"Infinity"}]`, ""},
		{`{"suite":"pub","demand":1,"actions":[{"a":1,"a":2},1e400]}`, `[{"a":1,"a":2},1e400]`, ""},
		{`{"suite":"pub","demand":1,"note":[],"actions":[],"x":{"a":1,"a":2}}`, "", "a second time"},
		{`{"suite":"pub","demand":1,"x":NaN,"actions":[NaN]}`, "", "NaN"},
		{`{"suite":"pub","demand":1,"actions":[NaN]`, "", "NaN"},
		{`{"suite":"strict","actions":[NaN]}`, "", "NaN"},
		{`{"suite":"pub","actions":}`, "", "JSON"},
		{`{"suite":"pub","id":,"actions":[1]}`, "", "JSON"},
	} {
		it, e := NewDecoder(cfg).Item(Line{Number: 1, Bytes: []byte(c.line)}, "")
		switch {
		case c.fault != "" && (e == nil || e.Code != "bad_line" || !strings.Contains(e.Message, c.fault)):
			t.Errorf("%s: got %v; want bad_line with %q", c.line, e, c.fault)
		case c.fault == "" && e != nil:
			t.Errorf("%s: got %v", c.line, e)
		case c.fault == "":
			if got := it.Fields.Get("actions").String(); got != c.want {
				t.Errorf("%s: got %s; want %s", c.line, got, c.want)
			}
		}
	}
}
