package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

func sampleVQA(name string) string { return filepath.Join(testdata.Root(), "testdata/vqa", name) }

// TestSampleItems scores the bundled items of both question benchmarks with the
// answers that go with them, and joins the results in a report.
func TestSampleItems(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "results.jsonl")
	code, _, errs := plumb(t, "", "score", "--backend", "cpu", "--tasks", "spatialab="+sampleVQA("items.jsonl"), "--tasks", "spaceeval="+sampleVQA("items.jsonl"),
		"-o", results, sampleVQA("answers.jsonl"))
	if code != 0 {
		t.Fatalf("got exit code %d: %s", code, errs)
	}
	b, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	right, n := map[string]int{}, 0
	for line := range strings.Lines(string(b)) {
		var r struct {
			Suite, Test, Status string
			Score               *float64
			Metrics             struct{ Model, Extracted, Gold string }
			Error               *struct{ Code string }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		n++
		if r.Score == nil {
			t.Errorf("got %s; want every sample scored", line)
			continue
		}
		if r.Test == "mcq" && (r.Metrics.Extracted == r.Metrics.Gold) != (*r.Score == 1) {
			t.Errorf("got %s; want the score to follow what was read", line)
		}
		right[r.Suite+" "+r.Test+" "+r.Metrics.Model] += int(*r.Score)
	}
	want := map[string]int{"spatialab mcq careful": 12, "spatialab mcq hasty": 8, "spatialab open careful": 9, "spatialab open hasty": 4,
		"spaceeval mcq careful": 12, "spaceeval mcq hasty": 8}
	if n != 72 {
		t.Errorf("got %d results; want 72", n)
	}
	for name, k := range want {
		if right[name] != k {
			t.Errorf("%s: got %d right; want %d", name, right[name], k)
		}
	}
	code, out, errs := plumb(t, "", "report", "--report", filepath.Join(dir, "html"), "a="+results, "b="+results)
	if code != 0 || !strings.Contains(out, "a: careful") || !strings.Contains(out, "b: hasty") || !strings.Contains(out, "multiple-choice minus open-ended") {
		t.Errorf("got exit code %d, %s%s; want a table with both files", code, out, errs)
	}
	page, err := os.ReadFile(filepath.Join(dir, "html/index.html"))
	if err != nil || !strings.Contains(string(page), "b: hasty") {
		t.Errorf("got %v and %d bytes; want the tables as HTML", err, len(page))
	}
	for _, format := range []string{"markdown", "json"} {
		code, out, errs := plumb(t, "", "report", "--format", format, results)
		if code != 0 || !strings.Contains(out, "careful") || format == "json" && !json.Valid([]byte(out)) {
			t.Errorf("%s: got exit code %d, %s%s", format, code, out, errs)
		}
	}
	if code, _, errs := plumb(t, "", "report", "--paper", results, results); code != 2 || !strings.Contains(errs, "--paper") {
		t.Errorf("a paper that is none: got exit code %d, %s", code, errs)
	}
	if code, _, errs := plumb(t, "no result\n", "report", "-"); code != 1 || !strings.Contains(errs, "line 1") {
		t.Errorf("a result that is none: got exit code %d, %s", code, errs)
	}
}

// TestQuestionPrompts asks the bundled items of both benchmarks, in one file.
func TestQuestionPrompts(t *testing.T) {
	for _, c := range []struct {
		args []string
		want map[string]int // how many prompts hold a text
	}{
		{[]string{"--suite", "spatialab"}, map[string]int{"Answer with a single number (1-4)": 12, "Please select one correct answer": 12, `"error"`: 0}},
		{[]string{"--suite", "spatialab", "--format", "open"}, map[string]int{"in 2-4 sentences": 12, "Please select one correct answer": 12, `"error"`: 0}},
	} {
		code, out, errs := plumb(t, "", append(append([]string{"prompt"}, c.args...), sampleVQA("items.jsonl"))...)
		for text, n := range c.want {
			if got := strings.Count(out, text); code != 0 || got != n {
				t.Errorf("%v: got exit code %d and %q %d times; want it %d times: %s", c.args, code, text, got, n, errs)
			}
		}
	}
	for _, args := range [][]string{{"--suite", "spaceeval", "--format", "open"}, {"--suite", "spatialab", "--mode", "cot"}, {"--format", "open"}} {
		if code, _, _ := plumb(t, "", append(append([]string{"prompt"}, args...), sampleVQA("items.jsonl"))...); code != 2 {
			t.Errorf("%v: got exit code %d; want 2", args, code)
		}
	}
}

// TestPapersBeside puts the rows of both papers beside the sample models.
func TestPapersBeside(t *testing.T) {
	code, _, errs := plumb(t, "", "score", "--backend", "cpu", "--tasks", "spatialab="+sampleVQA("items.jsonl"), "--tasks", "spaceeval="+sampleVQA("items.jsonl"),
		"--paper", testdata.Path(t, "spatialab/paper-tables.json"), "--paper", testdata.Path(t, "spaceeval/paper-tables.json"), "-o", filepath.Join(t.TempDir(), "r"), sampleVQA("answers.jsonl"))
	if code != 0 || !strings.Contains(errs, "GPT-5 (paper)") || !strings.Contains(errs, "InternVL3.5-1B (paper)") {
		t.Errorf("got exit code %d, %s; want rows of both papers", code, errs)
	}
}

// TestAgree measures studies of lists and one of single items.
func TestAgree(t *testing.T) {
	code, out, errs := plumb(t, `{"id":"s","judge":["a","b",null,"a"],"annotators":[["a","b","b","b"],["a","b","b","a"]],"category":["x","x","y","y"]}`+"\n"+
		`{"judge":1,"annotators":[1,1,0]}`+"\n"+`{"judge":0,"annotators":[1,0,0]}`+"\n", "agree", "-")
	var got []struct {
		ID               string
		N, Ties, Missing int
		KappaEach        []*float64 `json:"kappa_each"`
		AccuracyMajority *float64   `json:"accuracy_majority"`
		Categories       map[string]struct{ N, Missing int }
	}
	for line := range strings.Lines(out) {
		got = append(got, got[:0:0]...)
		one := got[:0:0]
		if err := json.Unmarshal([]byte("["+line+"]"), &one); err != nil {
			t.Fatal(err)
		}
		got = append(got, one...)
	}
	if code != 0 || len(got) != 2 || got[0].ID != "s" || got[0].N != 4 || got[0].Missing != 1 || got[0].Categories["y"].Missing != 1 || got[1].N != 2 || got[1].ID != "all" ||
		got[1].AccuracyMajority == nil || math.Abs(*got[1].AccuracyMajority-1) > 1e-12 {
		t.Errorf("got exit code %d, %s%s", code, out, errs)
	}
	for _, bad := range []string{`{"judge":[1],"annotators":[[1,0]]}`, `{"judge":[1],"annotators":1}`, `{"judge":{},"annotators":[]}`, `{"x":1}`, `[]`, `{`, `{"judge":[[1]],"annotators":[]}`} {
		if code, _, errs := plumb(t, bad, "agree", "-"); code != 1 || !strings.Contains(errs, "line 1") {
			t.Errorf("%s: got exit code %d, %s; want an error that names the line", bad, code, errs)
		}
	}
}
