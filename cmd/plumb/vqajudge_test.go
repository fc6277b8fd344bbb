package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/chat/chattest"
)

// sampleAnswer is what the test needs of a bundled answer.
type sampleAnswer struct{ ID, Model, Format, Response, Judge, question string }

// sampleAnswers are the bundled answers with their questions, and the dump of one
// model's without any verdict.
func sampleAnswers(t *testing.T, model string) (all []sampleAnswer, bare string) {
	t.Helper()
	questions := map[string]string{}
	for _, name := range []string{"items.jsonl", "answers.jsonl"} {
		b, err := os.ReadFile(sampleVQA(name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			fields, a := map[string]any{}, sampleAnswer{}
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Fatal(err)
			}
			if q, ok := fields["question"].(string); ok {
				questions[fields["id"].(string)] = q
				continue
			}
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				t.Fatal(err)
			}
			if a.question = questions[a.ID]; a.Judge != "" {
				all = append(all, a)
			}
			delete(fields, "judge")
			if out, err := json.Marshal(fields); err != nil {
				t.Fatal(err)
			} else if a.Model == model {
				bare += string(out) + "\n"
			}
		}
	}
	return all, bare
}

// scoredSamples scores a dump of bundled answers; out is the file of results.
func scoredSamples(t *testing.T, in, out string, more ...string) {
	t.Helper()
	args := append([]string{"score", "--backend", "cpu", "--fidelity", "native", "--tasks", "spatialab=" + sampleVQA("items.jsonl"),
		"--tasks", "spaceeval=" + sampleVQA("items.jsonl"), "-o", out}, more...)
	if code, _, errs := plumb(t, "", append(args, in)...); code != 0 {
		t.Fatalf("got exit code %d: %s", code, errs)
	}
}

// unnoted is a result without its notes: which ids are duplicates depends on what
// else is in the file.
func unnoted(line string) string {
	head, rest, ok := strings.Cut(line, `"notes":[`)
	if !ok {
		return line
	}
	_, tail, _ := strings.Cut(rest, `],`)
	return head + tail
}

// TestJudgedAsRecorded: a judge that says what is recorded gives the results that
// the records give, and the report joins them: two models in two files, and in one.
func TestJudgedAsRecorded(t *testing.T) {
	dir := t.TempDir()
	recorded := filepath.Join(dir, "recorded")
	scoredSamples(t, sampleVQA("answers.jsonl"), recorded)
	all, _ := sampleAnswers(t, "")
	m := chattest.New(chattest.Config{Key: judgeKey, Right: func(prompt string) bool {
		for _, a := range all {
			if strings.Contains(prompt, a.question+"\n") && strings.Contains(prompt, ":\n"+a.Response+"\n") {
				return a.Judge == "1"
			}
		}
		t.Errorf("got a question that nobody recorded: %s", prompt)
		return false
	}})
	defer m.Close()
	judged, files := map[string]bool{}, []string{"report"}
	for _, model := range []string{"careful", "hasty"} {
		_, bare := sampleAnswers(t, model)
		in, out := filepath.Join(dir, model+"-in"), filepath.Join(dir, model)
		if err := os.WriteFile(in, []byte(bare), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PLUMB_JUDGE_KEY", judgeKey) // each time: a run takes the key out of the environment
		scoredSamples(t, in, out, "--judge-url", m.Base(), "--judge-model", "mock", "--judge-cache", filepath.Join(dir, "cache"))
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			judged[unnoted(line)] = true
		}
		files = append(files, out)
	}
	b, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, `"status":"judge"`) {
			asked++
		}
		if !judged[unnoted(line)] {
			t.Errorf("no judged result equals the recorded %s", line)
		}
	}
	if n := m.Counts().Calls; asked == 0 || n == 0 || n > asked {
		t.Errorf("got %d calls for %d answers; want one for each, or fewer where they are equal", n, asked)
	}
	code, two, errs := plumb(t, "", files...)
	if code != 0 || !strings.Contains(two, "how many models solved them") || strings.Contains(two, "INCOMPLETE") {
		t.Errorf("got exit code %d, %s%s; want both models, complete", code, two, errs)
	}
	_, one, _ := plumb(t, "", "report", recorded)
	if one != two {
		t.Errorf("two files of judged results report\n%s\nand one of recorded results\n%s; want the same", two, one)
	}
}
