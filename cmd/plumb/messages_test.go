package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

// answerShapes are the forms in which a harness may write an answer; %s is the
// text as a JSON string. Those that plainly are messages are read as their text,
// the others are refused.
var answerShapes = []struct {
	name, shape string
	read        bool
}{
	{"messages", `[{"role":"user","content":"Do it."},{"role":"assistant","content":%s}]`, true},
	{"messages with an earlier answer", `[{"role":"assistant","content":"Well."},{"role":"user","content":"Go on."},{"role":"assistant","content":%s}]`, true},
	{"messages of parts", `[{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":%s}]}]`, true},
	{"one message", `{"role":"assistant","content":%s}`, true},
	{"parts", `[{"type":"text","text":%s}]`, true},
	{"output parts", `[{"type":"reasoning","summary":[]},{"type":"output_text","text":%s,"annotations":[]}]`, true},
	{"one part", `{"type":"text","text":%s}`, true},
	{"chat completion", `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, true},
	{"completion", `{"object":"text_completion","choices":[{"text":%s}]}`, true},
	{"response", `{"object":"response","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}]}`, true},
	{"message object", `{"type":"message","role":"assistant","content":[{"type":"text","text":%s}],"stop_reason":"end_turn"}`, true},

	{"texts", `[%s]`, false},
	{"two texts", `[%s,"b"]`, false},
	{"lists of texts", `[[%s]]`, false},
	{"several choices", `{"choices":[{"message":{"content":%s}},{"message":{"content":"b"}}]}`, false},
	{"no choice", `{"choices":[],"said":%s}`, false},
	{"the user's message", `{"role":"user","content":%s}`, false},
	{"no message of the assistant", `[{"role":"user","content":%s}]`, false},
	{"content of another kind", `{"role":"assistant","content":{"text":%s}}`, false},
	{"a part of an unknown type", `[{"type":"text","text":%[1]s},{"type":"markdown","markdown":%[1]s}]`, false},
	{"a part without text", `[{"type":"text","content":%s}]`, false},
	{"generated text", `[{"generated_text":%s}]`, false},
	{"text member", `{"text":%s}`, false},
	{"answer member", `{"answer":%s}`, false},
	{"batch response", `{"status_code":200,"body":{"choices":[{"message":{"content":%s}}]}}`, false},
	{"empty object", `{}`, false},
	{"number", `7`, false},
	{"numbers", `[1,2]`, false},
	{"true", `true`, false},
	{"false", `false`, false},
	{"nulls", `[null]`, false},
}

// right are lines of the test data, of each suite one whose answer scores 1.
var right = []struct{ suite, file, id string }{
	{"aspire", "aspire/demo.jsonl", "maze-00/exact"},
	{"drawingbench", "drawingbench/answers.jsonl", "text-01"},
	{"tangram", "tangram/predictions.jsonl", "gen-1-0-right"},
	{"spatialab", "vqa/answers.jsonl", "sl-own-01"},
	{"spaceeval", "vqa/answers.jsonl", "se-own-13"},
}

// taskFiles are the flags that load the tasks of right.
func taskFiles() []string {
	in := func(name string) string { return filepath.Join(testdata.Root(), "testdata", name) }
	return []string{"--tasks", "drawingbench=" + in("drawingbench/tasks.json"), "--tasks", "tangram=" + in("tangram/instances.jsonl"),
		"--tasks", "spatialab=" + in("vqa/items.jsonl"), "--tasks", "spaceeval=" + in("vqa/items.jsonl")}
}

// lineOf is the first line of a file of the test data with the suite and id.
func lineOf(t *testing.T, suite, file, id string) map[string]json.RawMessage {
	t.Helper()
	f, err := os.Open(filepath.Join(testdata.Root(), "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Buffer(nil, 1<<20); s.Scan(); {
		var line map[string]json.RawMessage
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if string(line["id"]) == `"`+id+`"` && string(line["suite"]) == `"`+suite+`"` {
			return line
		}
	}
	t.Fatalf("%s has no line %s of %s", file, id, suite)
	return nil
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// verdictOf says what became of an answer: "right", "refused", or what else came.
func verdictOf(body string) string {
	switch {
	case strings.Contains(body, `"score":1.0,"reward":1.0`) && strings.Contains(body, `"code":"response_unwrapped"`):
		return "right"
	case strings.Contains(body, `"bad_response"`) && strings.Contains(body, "cannot read ") && !strings.Contains(body, `"score":0.0`):
		return "refused"
	}
	return body
}

func want(read bool) string {
	if read {
		return "right"
	}
	return "refused"
}

// Whatever form an answer comes in, in whatever suite and on whatever way: it is
// read as its text, or refused by name. A right answer never becomes a 0.
func TestAnswersThatAreMessages(t *testing.T) {
	d := startDaemon(t, taskFiles()...)
	for _, r := range right {
		line := lineOf(t, r.suite, r.file, r.id)
		text := line["response"]
		delete(line, "response")
		label := encoded(t, encoded(t, line))
		var dump strings.Builder
		for _, s := range answerShapes {
			answer := s.shape
			if strings.Contains(answer, "%") {
				answer = fmt.Sprintf(answer, text)
			}
			line["response"] = json.RawMessage(answer)
			item := encoded(t, line)
			delete(line, "response")
			dump.WriteString(item + "\n")
			for path, body := range map[string]string{
				"/v1/score":                   item,
				"/v1/score/stream":            item,
				"/v1/reward":                  `{"label":` + label + `,"response":` + answer + `}`,
				"/reward/slime?format=object": `{"label":` + label + `,"response":` + answer + `}`,
				"/step":                       `{"action":{"label":` + label + `,"response":` + answer + `}}`,
			} {
				if _, got := postJSON(t, d.addr, path, body); verdictOf(got) != want(s.read) {
					t.Errorf("%s, %s, %s: got %.300s; want it %s", r.suite, path, s.name, got, want(s.read))
				}
			}
			code, got := postJSON(t, d.addr, "/reward/slime", `{"label":`+label+`,"response":`+answer+`}`)
			if s.read != (code == 200 && got == "1.0") || !s.read && code != 422 {
				t.Errorf("%s, slime, %s: got %d %.300s; want it %s", r.suite, s.name, code, got, want(s.read))
			}
			code, got = postJSON(t, d.addr, "/get_reward", `{"query":[`+answer+`],"labels":[`+label+`]}`)
			if s.read != (code == 200 && strings.Contains(got, `"rewards":[1.0]`)) || !s.read && code != 422 {
				t.Errorf("%s, OpenRLHF, %s: got %d %.300s; want it %s", r.suite, s.name, code, got, want(s.read))
			}
			code, got = postJSON(t, d.addr, "/verify", `{"label":`+label+`,"response":`+answer+`}`)
			if s.read != (code == 200 && strings.Contains(got, `"reward":1.0`)) || !s.read && code != 422 {
				t.Errorf("%s, NeMo Gym, %s: got %d %.300s; want it %s", r.suite, s.name, code, got, want(s.read))
			}
		}
		_, out, errs := plumb(t, dump.String(), append([]string{"score", "--fidelity", "native", "-"}, taskFiles()...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != len(answerShapes) {
			t.Fatalf("%s: got %d results; want %d\n%s", r.suite, len(lines), len(answerShapes), errs)
		}
		for i, s := range answerShapes {
			if got := verdictOf(lines[i]); got != want(s.read) {
				t.Errorf("%s, dump, %s: got %.300s; want it %s", r.suite, s.name, got, want(s.read))
			}
		}
	}
}
