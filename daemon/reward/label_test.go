package reward

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plumb/daemon/dump"
	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire"
)

// labels reads labels of aspire with two tasks, one of them twice.
func labels(t testing.TB) *Labels {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks")
	if err := os.WriteFile(path, []byte(`{"id":"a","test":"line","shapes":[],"task":{}}
{"id":"b","test":"line","shapes":[],"task":{}}
{"id":"b","test":"line","shapes":[],"task":{}}
{"id":7,"test":"line","shapes":[],"task":{}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	suites := scoring.Suites{aspire.New(aspire.Config{})}
	tasks, err := dump.LoadTasks(path, suites[0].Tasks, dump.Limits{}, scene.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return &Labels{Limits: scene.DefaultLimits(), Suites: suites, Tasks: map[string]*dump.Tasks{"aspire": tasks}}
}

func TestLabelLine(t *testing.T) {
	l := labels(t)
	for _, c := range []struct {
		name, label, answer, want string
	}{
		{"item", `"{\"suite\":\"aspire\",\"test\":\"maze\",\"shapes\":[]}"`, `"x"`, `{"suite":"aspire","test":"maze","shapes":[],"response":"x"}`},
		{"item without answer", `"{\"suite\":\"aspire\",\"shapes\":[]}"`, ``, `{"suite":"aspire","shapes":[]}`},
		{"null answer", `"{\"shapes\":[]}"`, `null`, `{"shapes":[],"response":null}`},
		{"no members", `"{\"shapes\":1}"`, `{"a":1}`, `{"shapes":1,"response":{"a":1}}`},
		{"blanks", `" \n{ \"shapes\" : [ 1 , 2 ] , \"task\":{ } }\t"`, `""`, `{"shapes":[1,2],"task":{},"response":""}`},
		{"nulls of a string stay", `"{\"shapes\":null,\"task\":{\"a\":null}}"`, `""`, `{"shapes":null,"task":{"a":null},"response":""}`},
		{"nulls of an object go", `{"suite":"aspire","shapes":[{"id":"a","props":{"w":1,"h":null}},null,[{"x":null}]],"task":null,"test":null}`, `""`,
			`{"suite":"aspire","shapes":[{"id":"a","props":{"w":1}},null,[{}]],"response":""}`},
		{"first and last null", `{"a":null,"shapes":1,"b":null}`, `""`, `{"shapes":1,"response":""}`},
		{"only nulls beside a reference", `{"suite":"aspire","id":"a","shapes":null,"task":null,"test":null,"turn":null}`, `"x"`, `{"suite":"aspire","id":"a","response":"x"}`},
		{"old answers go", `{"shapes":1,"response":"old","actions":[1],"task":{"response":"stays","actions":2}}`, `"new"`, `{"shapes":1,"task":{"response":"stays","actions":2},"response":"new"}`},
		{"old answer under an escape", `{"shapes":1,"\u0072esponse":"old"}`, `"new"`, `{"shapes":1,"response":"new"}`},
		{"numbers keep their digits", `{"shapes":[1e3,-0.0,12345678901234567890]}`, `""`, `{"shapes":[1e3,-0.0,12345678901234567890],"response":""}`},
		{"strings keep their bytes", `{"shapes":"\u00e9\ud800 \\\" ] } ,"}`, `"\ud83d"`, `{"shapes":"\u00e9\ud800 \\\" ] } ,","response":"\ud83d"}`},
		{"string in a string", `"{\"shapes\":\"\\u00e9 \\\\ \\\" \u00e9\"}"`, `""`, `{"shapes":"\u00e9 \\ \" é","response":""}`},
		{"reference", `"{\"suite\":\"aspire\",\"id\":\"a\"}"`, `"x"`, `{"suite":"aspire","id":"a","response":"x"}`},
		{"reference with test and turn", `{"suite":"aspire","id":"a","test":"line","turn":2}`, `"x"`, `{"suite":"aspire","id":"a","test":"line","turn":2,"response":"x"}`},
		{"reference by number", `{"suite":"aspire","id":7}`, `"x"`, `{"suite":"aspire","id":7,"response":"x"}`},
		{"reference without suite", `{"id":"a"}`, `"x"`, `{"id":"a","response":"x"}`},
	} {
		if err := l.Limits.Check([]byte(c.label)); err != nil {
			t.Fatalf("%s: the case is no JSON: %v", c.name, err)
		}
		var answer []byte
		if c.answer != "" {
			answer = []byte(c.answer)
		}
		got, fault := l.AppendDumpLine([]byte("before"), []byte(c.label), answer, "label")
		if fault != nil || string(got) != "before"+c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, fault, c.want)
		}
	}
}

func TestLabelFaults(t *testing.T) {
	l := labels(t)
	for _, c := range []struct{ label, want string }{
		{``, `cannot use labels[3]: got nothing; want the item`},
		{`null`, `got null`}, {`5`, `got a number`}, {`[]`, `got a list`}, {`true`, `got a boolean`},
		{`""`, `holds no JSON object`}, {`"maze-dev-00"`, `holds no JSON object`}, {`"[]"`, `holds no JSON object`},
		{`"{\"suite\":\"aspire\",}"`, `cannot use labels[3]: cannot read JSON at byte`},
		{`"{\"shapes\":[]} x"`, `at byte`}, {`"{\"a\":1,\"a\":2}"`, `at byte`}, {`"{\"a\":NaN}"`, `at byte`},
		{`"{\"a\":{\"x\":1}"`, `at byte`},
		{`{}`, `neither task fields nor an id`}, {`{"suite":"aspire"}`, `neither task fields nor an id`},
		{`{"suite":"aspire","id":null,"shapes":null}`, `neither task fields nor an id`},
		{`{"suite":"chess","id":"a"}`, `cannot use labels[3].suite: got "chess"; want one of aspire`},
		{`{"suite":"aspire","id":"c"}`, `cannot use labels[3].id: cannot find task "c"`},
		{`"{\"suite\":\"aspire\",\"id\":\"b\"}"`, `twice`},
	} {
		got, fault := l.AppendDumpLine(nil, []byte(c.label), []byte(`"x"`), "labels[3]")
		if fault == nil || fault.Code != BadLabel || !strings.Contains(fault.Message, c.want) {
			t.Errorf("%s: got %s, %v; want %s", c.label, got, fault, c.want)
		}
	}
	l.Tasks = nil
	if _, fault := l.AppendDumpLine(nil, []byte(`{"suite":"aspire","id":"a"}`), nil, "label"); fault == nil || !strings.Contains(fault.Message, "--tasks aspire=FILE") {
		t.Errorf("got %v; want the flag that loads tasks", fault)
	}
	l.Limits.Depth = 3
	deep := strconv.Quote(`{"a":[[[[1]]]]}`)
	if _, fault := l.AppendDumpLine(nil, []byte(deep), nil, "label"); fault == nil || !strings.Contains(fault.Message, "--max-depth") {
		t.Errorf("got %v; want the limit", fault)
	}
}

func TestOutcome(t *testing.T) {
	scored := func(x float64) *scoring.Result { return &scoring.Result{Scored: true, Score: x} }
	failed := func(code, status string) *scoring.Result {
		return &scoring.Result{Status: status, Err: &scoring.Error{Code: code, Message: "cannot do it"}}
	}
	var zero float64
	for _, c := range []struct {
		name   string
		result *scoring.Result
		mode   scoring.RewardMode
		want   Outcome
		label  bool // at fault
	}{
		{"clamp01", scored(1.5), scoring.Clamp01, Outcome{Reward: 1, Score: 1.5, Clamped: 1}, false},
		{"raw", scored(-2), scoring.Raw, Outcome{Reward: -2, Score: -2}, false},
		{"clamp11", scored(-2), scoring.Clamp11, Outcome{Reward: -1, Score: -2}, false},
		{"NaN", scored(zero / zero), scoring.Raw, Outcome{Failed: true}, false},
		{"infinite", scored(1 / zero), scoring.Raw, Outcome{Failed: true}, false},
		{"backend", failed("backend", ""), scoring.Raw, Outcome{Failed: true}, false},
		{"deadline", failed("deadline", ""), scoring.Raw, Outcome{Failed: true}, false},
		{"too large", failed("too_large", ""), scoring.Raw, Outcome{Failed: true}, false},
		{"not heard", failed("no_response", ""), scoring.Raw, Outcome{Failed: true}, false},
		{"the answer's scene", failed("bad_scene", "fenced"), scoring.Raw, Outcome{Failed: true}, false},
		{"the label's scene", failed("bad_scene", ""), scoring.Raw, Outcome{Failed: true}, true},
		{"the label's task", failed("bad_task", ""), scoring.Raw, Outcome{Failed: true}, true},
		{"no task", failed("unknown_task", ""), scoring.Raw, Outcome{Failed: true}, true},
	} {
		got := Of(c.result, c.mode)
		if c.want.Failed != (got.Err != nil) {
			t.Errorf("%s: got error %v", c.name, got.Err)
		}
		got.Err = nil
		if got != c.want {
			t.Errorf("%s: got %+v; want %+v", c.name, got, c.want)
		}
		fault := Fault(c.result, "labels[1]")
		if (fault != nil) != c.label || fault != nil && (fault.Code != BadLabel || fault.Message != "cannot use labels[1]: cannot do it") {
			t.Errorf("%s: got %v; want the label at fault: %v", c.name, fault, c.label)
		}
	}
}

// FuzzLabel: a label that is taken gives one JSON object that has what the label
// has, without nulls where it was an object, and the answer; nothing panics.
func FuzzLabel(f *testing.F) {
	for _, s := range []string{
		`"{\"suite\":\"aspire\",\"shapes\":[]}"`, `{"suite":"aspire","id":"a","task":null}`, `{"a":{"b":null,"c":[null,{"d":null}]}}`,
		`"{\"response\":1,\"x\":\"\\u0000\\ud83d\\ude00\"}"`, `null`, `"{"`, `{"\u0061ctions":[],"x":-1e-7}`, `"\"{}\""`, `{"a":[ ] , "b": { } }`,
	} {
		f.Add(s, `"x"`)
	}
	l := labels(f)
	l.Limits = scene.DefaultLimits()
	f.Fuzz(func(t *testing.T, label, answer string) {
		if l.Limits.Check([]byte(label)) != nil || l.Limits.Check([]byte(answer)) != nil {
			return
		}
		label, answer = strings.TrimSpace(label), strings.TrimSpace(answer)
		got, fault := l.AppendDumpLine(nil, []byte(label), []byte(answer), "label")
		if fault != nil {
			if fault.Code != BadLabel || !strings.HasPrefix(fault.Message, "cannot use label") {
				t.Fatalf("%q: got %v", label, fault)
			}
			return
		}
		if err := l.Limits.Check(got); err != nil {
			t.Fatalf("%q: got %q: %v", label, got, err)
		}
		source := []byte(label)
		if label[0] == '"' {
			var s string
			if json.Unmarshal(source, &s) != nil {
				return
			}
			source = []byte(s)
		}
		var want, have map[string]any
		if decode(source, &want) != nil || decode(got, &have) != nil {
			return // keys that differ in unpaired surrogates alone
		}
		delete(want, "actions")
		delete(want, "response")
		if label[0] == '{' {
			pruned(want)
		}
		var a any
		if decode([]byte(answer), &a) != nil {
			return
		}
		want["response"] = a
		x, _ := json.Marshal(want)
		y, _ := json.Marshal(have)
		if !bytes.Equal(x, y) {
			t.Errorf("%q with %q: got %s; want %s", label, answer, y, x)
		}
	})
}

func decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}

// pruned takes null members away at every depth.
func pruned(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			}
			pruned(e)
		}
	case []any:
		for _, e := range v {
			pruned(e)
		}
	}
}
