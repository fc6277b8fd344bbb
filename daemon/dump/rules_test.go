package dump

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/scoring"
)

// Blanks before a list do not hide it, however many there are.
func TestListAfterBlanks(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 300, 5000} {
		got, err := readAll(t, strings.Repeat(" ", n)+`[{"id":"i"}]`, config(t), Limits{})
		if err != nil || strings.Join(got, "|") != `{"id":"i"}` {
			t.Errorf("%d blanks: got %q, %v; want the element", n, got, err)
		}
		if got, err := readAll(t, strings.Repeat(" ", n), config(t), Limits{}); err != nil || len(got) != 0 {
			t.Errorf("%d blanks alone: got %q, %v; want nothing", n, got, err)
		}
	}
}

// Elements of a list are numbered like lines, and may have as many bytes as a line.
func TestListLines(t *testing.T) {
	r, err := NewReader(strings.NewReader(`[{"id":"abc"}, {"id":"abcd"}, {"id":"e"}, 12, true]`), Limits{Line: 12})
	if err != nil {
		t.Fatal(err)
	}
	r.AcceptList(config(t))
	for n, want := range []string{`{"id":"abc"}`, "", `{"id":"e"}`, "12", "true"} {
		l, err := r.Next()
		if err != nil || l.Number != n+1 || string(l.Bytes) != want || (l.Fault != "") != (want == "") {
			t.Errorf("got line %d %q, %q, %v; want line %d %q", l.Number, l.Bytes, l.Fault, err, n+1, want)
		}
	}
}

// The suite of the configuration decides whose elements are taken apart.
func TestListOfSuite(t *testing.T) {
	cfg := config(t)
	const text = `[{"id":"a","results":["p"]}]`
	for suite, want := range map[string]string{"": `{"of":"a","task":1,"response":"p"}`, "pub": `{"of":"a","task":1,"response":"p"}`, "other": `{"id":"a","results":["p"]}`} {
		cfg.DefaultSuite = suite
		if got, err := readAll(t, text, cfg, Limits{}); err != nil || strings.Join(got, "|") != want {
			t.Errorf("suite %q: got %q, %v; want %s", suite, got, err, want)
		}
	}
}

func TestTasksOfSplit(t *testing.T) {
	for split, want := range map[string]string{"": "s", "test": "s", "val": "s:val"} {
		if got := TasksKey("s", split); got != want {
			t.Errorf("split %q: got %s; want %s", split, got, want)
		}
	}
	test, val := &Tasks{}, &Tasks{}
	cfg := ItemConfig{Tasks: map[string]*Tasks{"s": test, "s:val": val}}
	for split, want := range map[string]*Tasks{"": test, "test": test, "val": val, "other": test} {
		if got := cfg.TasksOf("s", split); got != want {
			t.Errorf("split %q: got other tasks", split)
		}
	}
}

// Limits of ids, answers and lists of actions are the largest that is taken.
func TestItemLimits(t *testing.T) {
	name := func(n int) string { return strings.Repeat("x", n) }
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }
	for _, c := range []struct{ line, want string }{
		{`{"id":"` + name(maxID) + `","test":"maze"}`, ""},
		{`{"id":"` + name(maxID+1) + `","test":"maze"}`, fmt.Sprintf("cannot use id: it has %d bytes; want at most %d", maxID+1, maxID)},
		{`{"suite":"pub","demand":1,"actions":` + list(3) + `}`, ""},
		{`{"suite":"pub","demand":1,"actions":` + list(4) + `}`, "the answer has 4 actions; want at most 3"},
		{`{"suite":"pub","demand":1,"response":{"actions":` + list(4) + `}}`, "the answer has 4 actions; want at most 3"},
		{`{"suite":"` + name(64) + `"}`, `got suite "` + name(64) + `"; want`},
		{`{"suite":"` + name(65) + `"}`, `got suite "` + name(64) + `..."; want`},
		{`{"items":[]}`, "it names no suite; want a field suite"},
		{`{"items":{}}`, "cannot read items: got an empty object; want a list of items"},
		{`{"suite":"pub","items":7}`, ""},
		{`{"x":1}`, "it names no suite; want a field suite"},
		{`{"id":"\ufffd","suite":"aspire"}`, ""},
		{`{"id":"\ud800","suite":"aspire"}`, "half of a surrogate pair"},
		{`{"id":"\ufffd","x":"\ud800","suite":"aspire"}`, ""},
	} {
		all := append(scoring.Suites{published}, suites...)
		it, e := NewDecoder(ItemConfig{Suites: all, MaxActions: 3}).Item(Line{Number: 1, Bytes: []byte(c.line)}, "")
		got := ""
		switch {
		case e != nil:
			got = e.Message
		case len(it.Notes) > 0:
			got = it.Notes[0].Message
		}
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%.60s: got %q; want %q", c.line, got, c.want)
		}
	}
	cfg := config(t)
	if _, e := NewDecoder(cfg).Item(Line{Number: 1, Bytes: []byte(`{"id":"zz"}`)}, ""); e == nil || !strings.Contains(e.Message, "not one file of --tasks has its id") {
		t.Errorf("got %v; want an error that names the files of tasks", e)
	}
}

// An answer that is no text is read as a chat message, in the suite's own form, or refused
// by what it is and what is wanted.
func TestAnswerForms(t *testing.T) {
	all := scoring.Suites{{Name: "own", AnswerForms: map[string]string{"response": "a list"},
		OwnAnswer: func(_ *scoring.Item, _ string, v *fastjson.Value) bool { return v.Type() == fastjson.TypeArray }}, {Name: "plain"}}
	for _, c := range []struct{ line, want string }{
		{`{"suite":"own","response":[1]}`, `[1]`},
		{`{"suite":"own","response":7}`, "! cannot read response: got a number; want a string or a list"},
		{`{"suite":"plain","response":7}`, "! cannot read response: got a number; want a string"},
		{`{"suite":"plain","response":null}`, `null`},
		{`{"suite":"plain","response":{"role":"assistant","content":"x"}}`, `"x"`},
		{`{"suite":"plain","response":{"role":"assistant","content":7}}`, "! cannot read response"},
	} {
		it, e := NewDecoder(ItemConfig{Suites: all}).Item(Line{Number: 1, Bytes: []byte(c.line)}, "")
		got := ""
		if e != nil {
			got = "! " + e.Message
		} else {
			got = it.Fields.Get("response").String()
		}
		exact := !strings.HasSuffix(c.want, "cannot read response")
		if exact && got != c.want || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q; want %q", c.line, got, c.want)
		}
	}
}

// What tasks hold is found by name and by position. Nil tasks hold nothing.
func TestTaskAccess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks")
	file := `{"id":"a","solution":1,"criteria":2}` + "\n" + ` {"id":"b","criteria":3} ` + "\n" + `{"id":"a","criteria":4}` + "\n"
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	rule := numbered
	rule.Unread = []string{"solution"}
	tasks, err := TaskSource{Path: path, Rule: rule, JSON: scene.DefaultLimits(), Whole: true}.Load()
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	see := func(name string, i int, json []byte) error {
		seen = append(seen, fmt.Sprint(name, i, string(json)))
		if i == 1 {
			return os.ErrClosed
		}
		return nil
	}
	const trimmed, whole = `{"id":"a","criteria":2}`, `{"id":"a","solution":1,"criteria":2}`
	if err := tasks.Each(see); !errors.Is(err, os.ErrClosed) || fmt.Sprint(seen) != `[a#00`+trimmed+` b#11{"id":"b","criteria":3}]` {
		t.Errorf("got %v, %v; want two tasks and the error", seen, err)
	}
	seen = nil
	if err := tasks.EachWhole(see); !errors.Is(err, os.ErrClosed) || fmt.Sprint(seen) != `[a#00`+whole+` b#11{"id":"b","criteria":3}]` {
		t.Errorf("got %v, %v; want two whole tasks and the error", seen, err)
	}
	for i, want := range map[int]string{-1: "", 0: "a#0", 1: "b#1", 2: "a#2", 3: ""} {
		if got, ok := tasks.At(i); got != want || ok != (want != "") {
			t.Errorf("position %d: got %q, %v; want %q", i, got, ok, want)
		}
	}
	for _, c := range []struct {
		start, stop int
		want        string
	}{{-5, 1, "[a#0]"}, {1, 3, "[b#1 a#2]"}, {1, 99, "[b#1 a#2]"}, {2, 2, "[]"}, {3, 1, "[]"}} {
		if names, json, of := tasks.Between(c.start, c.stop); fmt.Sprint(names) != c.want || len(json) != len(names) || of != 3 {
			t.Errorf("from %d to %d: got %v, %d texts, %d; want %s of 3", c.start, c.stop, names, len(json), of, c.want)
		}
	}
	if tasks.Positions() != 3 {
		t.Errorf("got %d positions; want 3", tasks.Positions())
	}
	for id, want := range map[string]string{"a#0": whole, "a": "", "b": `{"id":"b","criteria":3}`, "z": ""} {
		if got := string(tasks.Whole(id)); got != want {
			t.Errorf("task %q: got %q; want %q", id, got, want)
		}
	}
	var none *Tasks
	names, _, of := none.Between(0, 9)
	if _, ok := none.At(0); ok || none.Each(see) != nil || none.EachWhole(see) != nil || none.Positions() != 0 || len(names)+of != 0 || none.Whole("a") != nil {
		t.Error("nil tasks hold something")
	}
}

// The suite of a task file follows from its first task, or from the form of the document.
func TestWhose(t *testing.T) {
	all := append(scoring.Suites{published}, suites...)
	twice := append(scoring.Suites{{Name: "other", Tasks: scoring.TaskFile{List: "tasks"}}}, all...)
	for _, c := range []struct {
		name, text string
		suites     scoring.Suites
		limit      int
		want, err  string
	}{
		{"test of one suite", `{"id":"a","test":"maze"}` + "\nnot read", all, 0, "aspire", ""},
		{"test of two suites", `{"id":"a","test":"line"}`, all, 0, "", ""},
		{"named", `{"suite":"tangram"}`, all, 0, "tangram", ""},
		{"document", `{"tasks":[{"id":"a"}]}`, all, 0, "pub", ""},
		{"document of several lines", "{\n\"tasks\":\n[{}]}\n", all, 0, "pub", ""},
		{"document of two suites", `{"tasks":[{}]}`, twice, 0, "", ""},
		{"list of another name", `{"items":[{}]}`, all, 0, "", ""},
		{"no list", `{"tasks":{}}`, all, 0, "", ""},
		{"torn document", "{\n\"tasks\":[", all, 0, "", "cannot read tasks"},
		{"long document", "{\n\"tasks\":\n[{}]}\n", all, 15, "pub", ""},
		{"too long a document", "{\n\"tasks\":\n[{}]}\n", all, 14, "", "--max-line"},
		{"too long a line", `{"suite":"tangram"}`, all, 9, "", "first line cannot be read"},
		{"empty", "", all, 0, "", "first line cannot be read"},
	} {
		path := filepath.Join(t.TempDir(), "tasks")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := SuiteOfTasks(path, c.suites, Limits{Line: c.limit})
		if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %q, %v; want %q, %q", c.name, got, err, c.want, c.err)
		}
	}
	if _, err := SuiteOfTasks(filepath.Join(t.TempDir(), "none"), all, Limits{}); err == nil {
		t.Error("got no error for a file that is not there")
	}
}

// A frame that is as large as everything drawn is exported without padding; one that a
// shape reaches beyond on any side is not. See docs/spec/drawing.md#r15.
func TestFrameBounds(t *testing.T) {
	shape := func(x, y, w, h float64) string {
		return fmt.Sprintf(`{"id":"shape:g","type":"geo","x":%g,"y":%g,"props":{"w":%g,"h":%g}}`, x, y, w, h)
	}
	const frame = `{"id":"shape:f","type":"frame","x":100,"y":50,"props":{"w":200,"h":80}}`
	for _, c := range []struct {
		name, shapes, want string
	}{
		{"inside", shape(120, 60, 50, 40), "{100 50 200 80}"},
		{"left", shape(99, 60, 50, 40), "{67 18 265 144}"},
		{"right", shape(260, 60, 41, 40), "{68 18 265 144}"},
		{"above", shape(120, 49, 50, 40), "{68 17 264 145}"},
		{"below", shape(120, 60, 50, 71), "{68 18 264 145}"},
	} {
		_, v, err := Picture([]byte(`{"shapes":[`+frame+`,`+c.shapes+`]}`), PictureOptions{})
		if got := fmt.Sprint(v.Bounds); err != nil || got != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// Without fields that lines need, a line needs its task where one has the name.
func TestWantedByName(t *testing.T) {
	tasks, err := load(t, `{"id":"a","k":1}`, scoring.TaskFile{})
	if err != nil {
		t.Fatal(err)
	}
	needs, err := load(t, `{"id":"a","k":1}`, scoring.TaskFile{Fields: []string{"k"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, id      string
		byName, needs bool
	}{{`{}`, "a", true, true}, {`{}`, "b", false, true}, {`{"k":2}`, "a", true, false}, {`{"k":2}`, "b", false, false}} {
		v := fastjson.MustParse(c.line)
		if got, other := tasks.current().needsTask(v, c.id), needs.current().needsTask(v, c.id); got != c.byName || other != c.needs {
			t.Errorf("%s of %s: got %v and %v; want %v and %v", c.line, c.id, got, other, c.byName, c.needs)
		}
	}
}

// An answer is loosened where it is an object or a list, up to the limit of values.
func TestLoosened(t *testing.T) {
	d := NewDecoder(ItemConfig{Limits: scene.Limits{Values: 3}})
	for line, want := range map[string]bool{
		`{"response":{"x":NaN}}`: true, `{"response":[NaN]}`: true, `{"response":NaN}`: false, `{"other":[NaN]}`: false,
		`{"response":[NaN,1,2,3]}`: true, `{"response":[NaN,1,2,3,4]}`: false, ``: false, `[NaN]`: false,
	} {
		if got := d.loosenAnswer([]byte(line)) != nil; got != want {
			t.Errorf("%s: got %v; want %v", line, got, want)
		}
	}
}

// Infinities are replaced outside strings alone, whatever a string escapes.
func TestFinite(t *testing.T) {
	for in, want := range map[string]string{
		`[Infinity,-Infinity]`: `[1e999   ,-1e999   ]`, `["Infinity"]`: `["Infinity"]`, `["\"Infinity",Infinity]`: `["\"Infinity",1e999   ]`,
		`["\\",Infinity]`: `["\\",1e999   ]`, `[Infinit]`: `[Infinit]`,
	} {
		b := []byte(in)
		if replaceInfinities(b); string(b) != want {
			t.Errorf("%s: got %s; want %s", in, b, want)
		}
	}
}
