package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPromptCommand(t *testing.T) {
	const shapes = `"shapes":[{"id":"shape:a","type":"geo","x":1}],"prompt":"Do it."`
	in := `{"id":"a","test":"line",` + shapes + `}` + "\n" + `{"id":7,"suite":"aspire","test":"arrow",` + shapes + "}\n" +
		`{"id":"c","test":"line","shapes":[]}` + "\nnonsense\n"
	code, out, errs := plumb(t, in, "prompt", "--input", "minimal", "--mode", "cot", "-")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 4 {
		t.Fatalf("got exit %d, %s%s; want four lines", code, out, errs)
	}
	for i, want := range []string{`a "createShapes"`, `7 "rotation"`, "c bad_task", "line:4 bad_line"} {
		var got struct {
			ID, Prompt string
			Error      struct{ Code string }
		}
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		id, rest, _ := strings.Cut(want, " ")
		ok := got.Error.Code == rest
		if i < 2 {
			ok = strings.Contains(got.Prompt, "Task:\nDo it.\n") && strings.Contains(got.Prompt, rest) &&
				strings.HasSuffix(got.Prompt, "step-by-step") && !strings.Contains(got.Prompt, `"geo"`)
		}
		if got.ID != id || !ok {
			t.Errorf("got %s; want %s", lines[i], want)
		}
	}
}

// Items without a prompt are told of on stderr; where all are, the run failed.
func TestPromptFailures(t *testing.T) {
	const good, bad = `{"id":"a","test":"line","shapes":[{"id":"shape:a","type":"geo","x":1}],"prompt":"Do it."}`, `{"id":"b","shapes":[]}`
	for _, c := range []struct {
		in, want string
		code     int
	}{
		{good, "", 0},
		{good + "\n" + bad, "1 of 2 items have no prompt; the first is line 2: unknown_test: ", 0},
		{bad + "\n" + bad, "cannot write any prompt: 2 items failed; the first is line 1: unknown_test: ", 1},
		{bad, "cannot write any prompt: 1 item failed: line 1: unknown_test: ", 1},
	} {
		code, _, errs := plumb(t, c.in+"\n", "prompt", "-")
		if code != c.code || !strings.Contains(errs, c.want) || c.want == "" && errs != "" {
			t.Errorf("%s: got exit %d, %q; want %d, %q", c.in, code, errs, c.code, c.want)
		}
	}
}

// A flag that a command takes and does not use in the call at hand ends the run,
// with the flag and the reason. A call that uses it goes on to its input.
func TestUnusedFlags(t *testing.T) {
	for _, line := range []string{
		"prompt --method cot x.jsonl", "prompt --format open x.jsonl", "prompt --seed 3 x.jsonl", "prompt --test outline x.jsonl", "prompt --fonts-dir d x.jsonl",
		"prompt --tasks f x.jsonl", "prompt --second-turn f x.jsonl", "prompt --max-paint 5 x.jsonl", "prompt --deadline 1s x.jsonl",
		"prompt --suite spatialab --mode cot x.jsonl", "prompt --suite spatialab --images d x.jsonl", "prompt --suite spaceeval --format open x.jsonl", "prompt --suite spaceeval --setting in-context x.jsonl",
		"prompt --suite spaceeval --method cot x.jsonl", "prompt --suite tangram --input minimal x.jsonl", "prompt --suite tangram --format open x.jsonl", "prompt --suite tangram --seed 3 x.jsonl", "prompt --suite tangram --fonts-dir d x.jsonl",
		"prompt --suite tangram --test outline --setting zero-shot x.jsonl", "prompt --suite drawingbench --images d --tasks f", "prompt --suite drawingbench --mode cot --tasks f",
		"score --token-env X x.jsonl", "score --judge-cache d x.jsonl", "score --judge-dry-run x.jsonl", "score --server http://127.0.0.1:1 --backend cpu x.jsonl",
		"score --server http://127.0.0.1:1 --max-shapes 5 x.jsonl", "score --server http://127.0.0.1:1 --workers 5 x.jsonl",
		"render --worst 3 x.jsonl", "render --reference d x.jsonl", "render --tasks f x.jsonl", "render --max-paint 5 x.jsonl",
		"render --suite tangram --bounds 0,0,1,1 x.jsonl", "render --suite tangram --backend cpu x.jsonl", "render --suite tangram --compare d x.jsonl", "render --compare d --out e x.jsonl",
		"bench --rounds 3", "bench --chrome x", "bench --seed 3 x.jsonl", "report --max-pixels 5 x.jsonl", "agree --max-shapes 5 x.jsonl", "agree --deadline 1s x.jsonl",
		"tangram convert --max-text 5 x.jsonl", "tangram items --max-depth 5 x.jsonl",
		"serve --judge-timeout 1s", "serve --shm-socket s", "serve --max-shm-bytes 5MiB",
	} {
		code, out, errs := plumb(t, "", strings.Fields(line)...)
		if code != 2 || out != "" || !strings.Contains(errs, "cannot use --") || !strings.Contains(errs, "it has no effect there") {
			t.Errorf("plumb %s: got exit %d, %q, %s; want 2 with the flag", line, code, out, errs)
		}
	}
	for _, line := range []string{"prompt --input minimal --mode cot", "prompt --suite spatialab --format open", "prompt --suite tangram --test outline --seed 3 --images DIR --fonts-dir e",
		"prompt --suite tangram --setting in-context --seed 3", "score --judge-url http://127.0.0.1:1 --judge-model m --judge-cache DIR", "agree --max-line 5MiB --max-depth 9",
		"score --report DIR --server http://127.0.0.1:1 --backend cpu", "tangram convert --rejects DIR/f", "report --max-ratio 9"} {
		line = strings.ReplaceAll(line, "DIR", t.TempDir()) + " /nowhere/x.jsonl"
		if _, _, errs := plumb(t, "", strings.Fields(line)...); strings.Contains(errs, "cannot use --") {
			t.Errorf("plumb %s: got %s; want the flags taken", line, errs)
		}
	}
}

// The pictures of ASPIRE are those of plumb run, and SPATIALAB's first calls are those of
// its methods.
func TestPromptPictures(t *testing.T) {
	dir := t.TempDir()
	_, tasks, _ := plumb(t, "", "aspire", "generate", "--tests", "arrow", "--count", "2")
	code, out, errs := plumb(t, tasks, "prompt", "--images", dir, "--input", "scaffold", "-")
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	requests := map[string]bool{}
	_, printed, _ := plumb(t, "", "run", "aspire", "--tests", "arrow", "--count", "2", "--input", "scaffold", "--model", "m", "--print", "9")
	for _, r := range jsonLines(t, printed) {
		parts := r["messages"].([]any)[0].(map[string]any)["content"].([]any)
		requests[parts[0].(map[string]any)["sha256"].(string)+parts[1].(map[string]any)["text"].(string)] = true
	}
	lines := jsonLines(t, out)
	for _, l := range lines {
		if !requests[hashOf([]byte(fileText(t, l["image"].(string))))+l["prompt"].(string)] {
			t.Errorf("%v: plumb run asks something else", l["id"])
		}
	}
	if len(lines) != 2 || len(requests) != 2 {
		t.Errorf("got %d lines, %d requests; want 2", len(lines), len(requests))
	}
	if code, _, errs := plumb(t, strings.Replace(tasks, `"test":"arrow"`, `"test":"maze"`, 2), "prompt", "--images", dir, "--input", "scaffold", "-"); code != 1 || !strings.Contains(errs, "has none") {
		t.Errorf("a test without a scaffold: got exit %d, %s", code, errs)
	}
	const item = `{"id":"x","question":"Which?","options":["a","b","c","d"],"answer":"1","category":"orientation","subcategory":"cardinal_direction"}`
	for method, want := range map[string]string{"cot": "think step by step and answer", "xolver": "Visual Scene Describer", "self-reflection": "<result>"} {
		if code, out, errs := plumb(t, item, "prompt", "--suite", "spatialab", "--method", method, "-"); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: got exit %d, %s%s", method, code, out, errs)
		}
	}
}
