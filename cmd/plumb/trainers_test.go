package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plumb/testdata"
)

// example is a call of docs/trainers.md and the reply that it shows.
var example = regexp.MustCompile("(?s)```sh\ncurl http://127\\.0\\.0\\.1:8000(/\\S+) -d '(.*?)'\n```\n```json\n(.*?)\n```")

// postJSON sends JSON to a daemon.
func postJSON(t *testing.T, addr, path, body string) (int, string) {
	t.Helper()
	resp, err := http.Post("http://"+addr+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(b))
}

// Every example of the trainers' page gives the reply that stands under it.
// UPDATE_DOCS=1 writes the replies anew, and still fails.
func TestTrainerExamples(t *testing.T) {
	page := filepath.Join(testdata.Root(), "docs", "trainers.md")
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	d := startDaemon(t, "--tasks", "aspire="+filepath.Join(testdata.Root(), "clients", "python", "examples", "tasks.jsonl"))
	calls := example.FindAllStringSubmatchIndex(text, -1)
	if n := strings.Count(text, "\ncurl "); len(calls) != n || n < 9 {
		t.Fatalf("got %d examples with replies of %d; want all of 9 or more", len(calls), n)
	}
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		path, body, want := text[c[2]:c[3]], text[c[4]:c[5]], text[c[6]:c[7]]
		if _, got := postJSON(t, d.addr, path, body); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
			text = text[:c[6]] + got + text[c[7]:]
		}
	}
	if os.Getenv("UPDATE_DOCS") != "" && text != string(b) {
		os.WriteFile(page, []byte(text), 0o644)
	}
}

// The label of a row may be the item itself, as a string or as an object that
// Arrow has filled with nulls, and gives the score of the same line in a dump.
func TestLabelsScoreAsDumps(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	d := startDaemon(t)
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	for i := 0; i < len(all); i += 40 {
		_, out, _ := plumb(t, all[i]+"\n", "score", "--fidelity", "native", "-")
		var want struct{ Reward *float64 }
		if err := json.Unmarshal([]byte(out), &want); err != nil {
			t.Fatalf("line %d: %s, %v", i+1, out, err)
		}
		var item map[string]any
		if err := json.Unmarshal([]byte(all[i]), &item); err != nil {
			t.Fatal(err)
		}
		response, _ := json.Marshal(item["response"])
		delete(item, "response")
		object, _ := json.Marshal(item)
		quoted, _ := json.Marshal(string(object))
		item["options"], item["task"].(map[string]any)["nothing"] = nil, nil
		filled, _ := json.Marshal(item)
		for _, label := range []string{string(quoted), string(object), string(filled)} {
			code, got := postJSON(t, d.addr, "/v1/reward", fmt.Sprintf(`{"label":%s,"response":%s}`, label, response))
			if code != 200 || got != strings.TrimSpace(out) {
				t.Errorf("line %d: got %d %s; want %s", i+1, code, got, out)
			}
		}
		if want.Reward == nil {
			continue
		}
		code, got := postJSON(t, d.addr, "/reward/slime", fmt.Sprintf(`{"prompt":"p","label":%s,"response":%s}`, quoted, response))
		var reward float64
		if err := json.Unmarshal([]byte(got), &reward); err != nil || code != 200 || reward != *want.Reward || !strings.Contains(got, ".") {
			t.Errorf("line %d: got %d %s; want %v", i+1, code, got, *want.Reward)
		}
	}
}

// References in labels name tasks of the benchmarks' own files. See docs/spec/http.md#r14.
func TestBenchmarkReferences(t *testing.T) {
	d := startDaemon(t, "--tasks", "drawingbench="+testdata.Path(t, "drawingbench/dataset.json"))
	code, got := postJSON(t, d.addr, "/verify", `{"responses_create_params":{"input":[]},"response":{"output":[{"type":"message","content":[{"type":"output_text","text":"[]"}]}]},"label":"{\"suite\":\"drawingbench\",\"id\":\"basic_003#2\"}"}`)
	if code != 200 || !strings.Contains(got, `"reward_components":{"score":`) || strings.Contains(got, "_ng_failure_class") {
		t.Errorf("got %d %s; want a score", code, got)
	}
	code, got = postJSON(t, d.addr, "/v1/reward", `{"response":"[]","label":"{\"suite\":\"drawingbench\",\"id\":\"basic_003#3\"}"}`)
	if code != 422 || !strings.Contains(got, `"error_type":"bad_label"`) {
		t.Errorf("another index: got %d %s; want bad_label", code, got)
	}
}

func TestRewardFlags(t *testing.T) {
	for _, c := range []struct{ flag, value, want string }{
		{"--unscorable", "openrlhf=null", "want one of zero, drop, error"}, {"--unscorable", "trl=zero", "want ADAPTER=POLICY"},
		{"--prepare", "slime=wash", "want special, think"}, {"--max-sessions", "0", "above 0"},
	} {
		if code, _, errs := plumb(t, "", "serve", c.flag, c.value); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%s %s: got exit %d, %s; want 2 with %s", c.flag, c.value, code, errs, c.want)
		}
	}
}
