package records

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/scene"
	"plumb/scoring"
	"plumb/testdata"
)

// dumpLines returns the dump lines and the origins of all records of a file.
func dumpLines(t *testing.T, path string, o Options) (lines []string, origins []Origin) {
	t.Helper()
	r, err := Open(path, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for n := 1; ; n++ {
		a, err := r.Next()
		if err == io.EOF {
			return lines, origins
		}
		if err != nil {
			t.Fatal(err)
		}
		l, origin := r.Line(nil, a, n)
		if err := scene.DefaultLimits().Check(l.Bytes); l.Checked && err != nil {
			t.Errorf("%s: line %d is passed on as checked: %v", path, n, err)
		}
		lines, origins = append(lines, string(l.Bytes)), append(origins, origin)
	}
}

// batchLine is a line of a batch with an answer.
func batchLine(id, text, finish string) string {
	return `{"custom_id":"` + id + `","response":{"status_code":200,"body":{"object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"` +
		finish + `","message":{"role":"assistant","content":"` + text + `"}}]}},"error":null}` + "\n"
}

// TestCheckedLines checks that lines which are not checked again are strict JSON, whatever the record holds.
func TestCheckedLines(t *testing.T) {
	r := &Reader{options: testOptions()}
	for _, s := range []string{"", "a", "\x00\x1f\x7f", "\xff\xc3", "\xed\xa0\x80", "\u2028", `"\`, "{}", strings.Repeat("é", 70_000)} {
		rec := &record.Record{Key: s, Model: s, FinishReason: s, Response: s, Cut: record.InAnswer, Repeat: 7, Usage: record.Usage{Completion: 3}}
		for _, label := range [][]byte{nil, []byte(`{"id":"a","id":"b"}`)} {
			l, origin := r.Line(nil, &Answer{Record: rec, ID: s, Suite: s, Test: s, Label: label, CountsRepeats: true}, 1)
			if l.Checked != (label == nil) || origin.Err != nil {
				t.Errorf("%.20q with label %s: got checked %v, %v", s, label, l.Checked, origin.Err)
			}
			if err := scene.DefaultLimits().Check(l.Bytes); l.Checked && err != nil {
				t.Errorf("%.200s: %v", l.Bytes, err)
			}
		}
	}
}

// TestCutModes checks what a truncated answer counts.
func TestCutModes(t *testing.T) {
	path := write(t, "a.jsonl", batchLine("a", "half", "length"))
	for mode, want := range map[CutMode]struct {
		response, note string
		zero, missing  bool
	}{
		CutScore:   {`"response":"half"`, "cut_answer", false, false},
		CutZero:    {`"response":null`, "", true, false},
		CutMissing: {`"response":null`, "", false, true},
	} {
		o := testOptions()
		o.Cut = mode
		lines, origins := dumpLines(t, path, o)
		got := origins[0]
		note := ""
		if len(got.Notes) > 0 {
			note = got.Notes[0].Code
		}
		if !strings.Contains(lines[0], want.response) || note != want.note || got.CountsZero != want.zero || (got.Missing != nil) != want.missing {
			t.Errorf("%s: got %s, %+v; want %+v", mode, lines[0], got, want)
		}
	}
}

// TestJoin checks how records name their tasks.
func TestJoin(t *testing.T) {
	path := write(t, "a.jsonl", batchLine("aspire|maze-1|try=3", "x", "stop")+batchLine("else", "y", "stop"))
	o := testOptions()
	var err error
	if o.Join, err = ParseJoin(`custom_id~^aspire\|(?P<id>[^|]+)\|try=(?P<repeat>\d+)$`); err != nil {
		t.Fatal(err)
	}
	lines, origins := dumpLines(t, path, o)
	if !strings.Contains(lines[0], `"id":"maze-1"`) || !strings.Contains(lines[0], `"repeat":3`) || origins[0].Key != "aspire|maze-1|try=3" {
		t.Errorf("got %s, %+v; want the id maze-1 and repeat 3", lines[0], origins[0])
	}
	if e := origins[1].Err; e == nil || e.Code != "unknown_task" || !strings.Contains(e.Message, `"else"`) {
		t.Errorf("got %+v; want unknown_task that quotes the member", origins[1])
	}
	for _, bad := range []string{"a~(", "a~(?P<x>.)", "a~b"} {
		if _, err := ParseJoin(bad); err == nil {
			t.Errorf("%s: got no error", bad)
		}
	}
}

// TestLabel checks that a label gives the item or the reference, and that the record says who
// answered.
func TestLabel(t *testing.T) {
	path := write(t, "a.jsonl", `{"responses_create_params":{},"response":{"object":"response","model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"B"}]}]},`+
		`"label":"{\"suite\":\"spatialab\",\"id\":\"q\",\"options\":[\"x\",\"y\"],\"answer\":\"B\",\"model\":\"other\"}","_ng_task_index":4,"_ng_rollout_index":1}`+"\n")
	lines, origins := dumpLines(t, path, testOptions())
	want := `{"suite":"spatialab","id":"q","options":["x","y"],"answer":"B","response":"B","model":"m","finish_reason":"stop","repeat":2}`
	if lines[0] != want || origins[0].Key != "4" {
		t.Errorf("got %s, key %q; want %s, key 4", lines[0], origins[0].Key, want)
	}
}

// TestRequests checks that requests without an answer count as missing, over all dumps of a command.
func TestRequests(t *testing.T) {
	o := testOptions()
	requests := write(t, "requests.jsonl", strings.Join([]string{
		`{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m"},"metadata":{"suite":"spatialab"}}`,
		`{"custom_id":"b","method":"POST","url":"/v1/chat/completions","body":{"model":"m"}}`,
		`{"custom_id":"c","method":"POST","url":"/v1/chat/completions","body":{"model":"m"}}`}, "\n"))
	var err error
	if o.Requests, err = loadRequests(requests); err != nil {
		t.Fatal(err)
	}
	lines, _ := dumpLines(t, write(t, "out.jsonl", batchLine("a", "x", "stop")), o)
	if !strings.Contains(lines[0], `"suite":"spatialab"`) {
		t.Errorf("got %s; want the suite of the metadata", lines[0])
	}
	failed := `{"custom_id":"b","response":null,"error":{"code":"batch_expired","message":"late"}}`
	got, err := read(t, write(t, "err.jsonl", failed+"\n"), o)
	if err != nil || got[0]["model"] != "m" {
		t.Errorf("got %v, %v; want the model that was asked", got, err)
	}
	var missing []string
	Unanswered(o, func(_ *Reader, a *Answer) { missing = append(missing, a.ID+" "+a.Missing.Code+" "+a.At) })
	if len(missing) != 1 || missing[0] != "c no_response line 3" {
		t.Errorf("got %v; want c alone", missing)
	}
}

// TestDetect checks formats by content, and what is refused.
func TestDetect(t *testing.T) {
	for text, want := range map[string]string{
		"": Own, "\n\n": Own, `{"id":"a","response":"x"}`: Own, "\ufeff{\"id\":\"a\",\"response\":\"x\"}": Own, "[]": Own, `[{"id":"a","response":"x"}]`: Own,
		"garbage\n" + `{"id":"a","response":"x"}`: Own, `{"id":`: Own,
		`{"custom_id":"a","result":{}}`: "anthropic-batch", `{"custom_id":"a","error":{}}`: "openai-batch",
		`{"traces":[],"task":{}}`: "verifiers", `{"nodes":[],"calls":[],"task":{}}`: "verifiers",
		`{"doc_id":1,"resps":[],"filter":"x"}`: "lm-eval", `{"doc_id":1,"filtered_resps":""}`: "lmms-eval",
		`{"spec":{"completion_fns":[]}}`: "openai-evals", `{"index":1,"prediction":"x"}`: "vlmevalkit", "index\tprediction\n1\tx\n": "vlmevalkit",
		`{"id":1,"completion":"x"}`: "table", `[{"id":1,"completion":"x"}]`: "table", "id;completion\n1;x\n": "table",
		"response\nA\n": "table", "\"output\"\nA\n": "table",
	} {
		in, err := input.Open("-", strings.NewReader(text), input.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := detect(in, ""); got != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"custom_id":"a","method":"POST","url":"/"}`: "requests, not answers", `{"responses_create_params":{}}`: "inputs of NeMo Gym",
		"{\n\"a\": 1\n}\n": "several lines", "# Title\n": "no known format", `[{"spec":{"completion_fns":[]}}]`: "want lines",
		`{"results":{},"configs":{}}`: "results of a whole run",
	} {
		in, err := input.Open("-", strings.NewReader(text), input.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := detect(in, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v; want an error with %q", text, got, err, want)
		}
	}
}

// TestDetectSlowPipe checks that detection does not wait for more lines than the first.
func TestDetectSlowPipe(t *testing.T) {
	r, w := io.Pipe()
	go w.Write([]byte(`{"id":"a","response":"x"}` + "\n")) // the pipe stays open
	in, err := input.Open("-", r, input.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := detect(in, ""); got != Own || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, Own)
	}
}

// TestRefused checks files that no reader accepts.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"\x80\x04\x95": "pickle", "SQLite format 3\x00": "SQLite", "ARROW1\x00\x00": "to_parquet", "<!DOCTYPE html>": "web page",
		"\xff\xfe{\x00": "UTF-16", "\xfd7zXZ\x00\x00": "xz", "\x04\x22\x4d\x18aaaa": "lz4", strings.Repeat("x", 257) + "ustar" + strings.Repeat("x", 300): "tar",
	} {
		if _, err := Open(write(t, "x", text), nil, testOptions()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v; want an error with %q", text, err, want)
		}
	}
}

// TestExpand checks which files of a folder are dumps, and their order.
func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.jsonl": batchLine("a", "x", "stop"), "a/z.jsonl": batchLine("a", "x", "stop"), "a/results_1.json": `{"results":{},"configs":{}}`,
		"README.md": "# Title\n", ".hidden.jsonl": batchLine("a", "x", "stop"), "r_materialized_inputs.jsonl": `{"responses_create_params":{}}`,
		"log.eval": "x", "torn.eval": "PK\x03\x04", "torn.gz": "\x1f\x8b\x08", "log.shards/s.jsonl": batchLine("a", "x", "stop"), "requests.jsonl": `{"custom_id":"a","method":"POST","url":"/"}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Expand([]string{dir, filepath.Join(dir, "**", "z*")}, &Options{})
	want := []string{"a/z.jsonl", "b.jsonl", "log.shards/s.jsonl", "a/z.jsonl"} // the log beside the shards is none
	if err != nil || len(found.Paths) != len(want) || len(found.Skipped) != 2 || len(found.Damaged) != 2 {
		t.Fatalf("got %+v, %v; want %v, two skipped and two damaged", found, err, want)
	}
	for i, p := range found.Paths {
		if p != filepath.Join(dir, want[i]) {
			t.Errorf("got %v; want %v", found.Paths, want)
		}
	}
	if _, err := Expand([]string{t.TempDir()}, &Options{}); err == nil {
		t.Error("an empty folder: got no error")
	}
	if _, err := Expand([]string{filepath.Join(dir, "*.nothing")}, &Options{}); err == nil {
		t.Error("a glob without a match: got no error")
	}
}

// TestSetCut checks the kinds of truncation.
func TestSetCut(t *testing.T) {
	for _, c := range []struct {
		text, finish string
		want         record.Cut
	}{
		{"x", "stop", record.Whole}, {"x", "length", record.InAnswer}, {"", "length", record.InThought}, {" \n", "length", record.InThought},
		{"<think>so", "stop", record.InThought}, {"<think>so</think>", "length", record.InAnswer}, {"", "stop", record.Whole},
	} {
		r := record.Record{Response: c.text, FinishReason: c.finish}
		if r.SetCut(); r.Cut != c.want {
			t.Errorf("%q, %s: got %q; want %q", c.text, c.finish, r.Cut, c.want)
		}
	}
}

// TestPipes checks that files that need random access are read from a pipe and packed.
func TestPipes(t *testing.T) {
	for _, name := range []string{"inspect/aspire.eval", "hf-parquet/rows.parquet", "vlmevalkit/bad/formula.xlsx", "openai-evals/bad/killed.jsonl"} {
		path := testdata.Path(t, "formats/"+name)
		want, err := read(t, path, testOptions())
		if err != nil || len(want) == 0 {
			t.Fatalf("%s: got %d records, %v", name, len(want), err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := Open("-", io.MultiReader(f), testOptions()) // no file any more
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		defer r.Close()
		n := 0
		for ; err == nil; n++ {
			_, err = r.Next()
		}
		if n-1 != len(want) || err != io.EOF {
			t.Errorf("%s: got %d records, %v; want %d", name, n-1, err, len(want))
		}
	}
}

// TestZeroKeepsErrors checks that a cut answer counts 0 only where its task is known, and that the
// result keeps the metrics that say what the task is.
func TestZeroKeepsErrors(t *testing.T) {
	for code, want := range map[string]bool{"no_response": true, "unknown_task": false, "bad_item": false} {
		r := scoring.Result{Err: &scoring.Error{Code: code}, Status: "missing",
			Metrics: []scoring.Metric{{Name: "source", Value: "missing"}, {Name: "category", Value: "c"}}}
		(&Origin{CountsZero: true}).Apply(&r)
		if r.Scored != want || (r.Err == nil) != want || (r.Status == "cut") != want || (r.Metrics[0].Value == "cut") != want || len(r.Metrics) != 2 {
			t.Errorf("%s: got %+v; want a score: %v", code, r, want)
		}
	}
}

// TestShards checks that shards beside a log of inspect_ai are left out where the run of the log ended
// well, and read where it did not.
func TestShards(t *testing.T) {
	for status, want := range map[string]int{"success": 1, "started": 2} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "a.shards"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.eval", "a.shards/1.eval"} {
			f, err := os.Create(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			z := zip.NewWriter(f)
			w, err := z.Create("header.json")
			if err == nil {
				_, err = io.WriteString(w, `{"version":2,"status":"`+status+`","eval":{"model":"m"}}`)
			}
			if err := errors.Join(err, z.Close(), f.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if found, err := Expand([]string{dir}, &Options{}); err != nil || len(found.Paths) != want {
			t.Errorf("%s: got %+v, %v; want %d dumps", status, found, err, want)
		}
	}
}

// TestResponseFlag checks that --response makes lines, lists and CSV with that column a table, and is
// refused where answers have a place of their own. See docs/spec/dumps.md#r24.
func TestResponseFlag(t *testing.T) {
	o := testOptions()
	o.AnswerColumn = "said"
	for name, text := range map[string]string{
		"own lines": `{"id":"q","response":"no","said":"B"}`, "rows": `{"id":"q","said":"B"}`, "VLMEvalKit": `{"index":"q","prediction":"no","said":"B"}`,
		"list": `[{"id":"q","response":"no","said":"B"}]`, "CSV": "id,said\nq,B\n", "batch": `{"id":"q","custom_id":"x","response":"no","said":"B"}`,
	} {
		got, err := read(t, write(t, "x", text), o)
		if err != nil || len(got) != 1 || got[0]["response"] != "B" {
			t.Errorf("%s: got %v, %v; want the answer B", name, got, err)
		}
	}
	for _, text := range []string{batchLine("a", "x", "stop"), `{"version":2,"status":"success","eval":{},"samples":[]}`} {
		if _, err := read(t, write(t, "x", text), o); err == nil || !strings.Contains(err.Error(), "--response") {
			t.Errorf("%.30s: got %v; want a refusal of --response", text, err)
		}
	}
}

// TestListOfLines checks that a JSON list of what other files have as lines is read as they are, and
// that a member spec alone makes no log of OpenAI evals.
func TestListOfLines(t *testing.T) {
	got, err := read(t, write(t, "x", "["+batchLine("a", "x", "stop")+","+batchLine("b", "y", "length")+"]"), testOptions())
	if err != nil || len(got) != 2 || got[1]["response"] != "y" || got[1]["join"] != "b" || got[1]["cut"] != "answer" || got[1]["at"] != "element 1" {
		t.Errorf("got %v, %v; want both records", got, err)
	}
	if got, err = read(t, write(t, "x", `{"spec":{"x":1},"id":"a","response":"B"}`), testOptions()); err != nil || len(got) != 1 || got[0]["response"] != "B" {
		t.Errorf("got %v, %v; want a line of plumb's own format", got, err)
	}
}

// TestColumnOfAnswers checks that a table of answers alone is read, and that each row says what is missing.
func TestColumnOfAnswers(t *testing.T) {
	for join, want := range map[string]string{"": "want a column id", "position": "want a column id with numbers from 0"} {
		o := testOptions()
		if join != "" {
			o.Join, _ = ParseJoin(join)
		}
		got, err := read(t, write(t, "x.csv", "response\nA\n\"B\nC\"\n"), o)
		if err != nil || len(got) != 2 || got[1]["response"] != "B\nC" || got[1]["at"] != "record 2" {
			t.Fatalf("--join %q: got %v, %v; want two rows", join, got, err)
		}
		e, _ := got[1]["error"].(map[string]any)
		if words, _ := e["words"].(string); e["code"] != "unknown_task" || !strings.Contains(words, want) {
			t.Errorf("--join %q: got %v; want unknown_task with %q", join, e, want)
		}
	}
}

// TestInputsOfRollouts checks that --requests gives rollouts of NeMo Gym the labels of its inputs, by both numbers,
// in place of the file beside the dump.
func TestInputsOfRollouts(t *testing.T) {
	rollouts := write(t, "rollouts.jsonl", strings.Join([]string{gymRollout(0, 0), gymRollout(0, 1), gymRollout(7, 0)}, "\n"))
	input := func(task, index int, id string) string {
		return fmt.Sprintf(`{"_ng_task_index":%d,"_ng_rollout_index":%d,"responses_create_params":{},"label":{"suite":"spatialab","id":%q}}`, task, index, id)
	}
	beside := strings.TrimSuffix(rollouts, ".jsonl") + "_materialized_inputs.jsonl"
	if err := os.WriteFile(beside, []byte(input(0, 0, "beside")+"\n"+input(0, 1, "beside")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := testOptions()
	for range 2 {
		got, err := read(t, rollouts, o)
		if err != nil || len(got) != 3 {
			t.Fatalf("got %v, %v; want three rollouts", got, err)
		}
		want := [3]any{"beside", "beside", nil}
		if o.Requests != nil {
			want = [3]any{"one", "two", nil}
		}
		for i, r := range got {
			if r["join"] != want[i] || (r["error"] == nil) != (want[i] != nil) {
				t.Errorf("rollout %d: got %v, %v; want %v", i, r["join"], r["error"], want[i])
			}
		}
		if o.Requests, err = loadRequests(write(t, "inputs.jsonl", input(0, 0, "one")+"\n"+input(0, 1, "two"))); err != nil {
			t.Fatal(err)
		}
	}
}

// gymRollout is a rollout of NeMo Gym without a label.
func gymRollout(task, index int) string {
	return fmt.Sprintf(`{"_ng_task_index":%d,"_ng_rollout_index":%d,"responses_create_params":{},"response":{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"B"}]}]}}`, task, index)
}

// TestUnknownTaskKeepsIdentity checks that a result without a task says which answer of which model it is for.
func TestUnknownTaskKeepsIdentity(t *testing.T) {
	o := testOptions()
	o.Join, _ = ParseJoin("metadata.item")
	_, origins := dumpLines(t, write(t, "x", batchLine("a", "x", "length")), o)
	var r scoring.Result
	origins[0].Apply(&r)
	if w := r.Who; r.Err == nil || r.Err.Code != "unknown_task" || w.Model != "m" || w.Repeat != 1 || w.FinishReason != "length" || w.Cut != "answer" {
		t.Errorf("got %+v, %v; want the identity of the answer beside unknown_task", w, r.Err)
	}
}
