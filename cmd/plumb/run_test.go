package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plumb/daemon/chat/chattest"
	"plumb/testdata"
)

// runKey is the key that the endpoint of these tests asks for.
const runKey = "sk-run-0123456789"

// exactEndpoint answers ASPIRE tasks as the program "exact" does.
func exactEndpoint(t *testing.T, tasks string, change ...func(*chattest.Config)) *chattest.Endpoint {
	t.Helper()
	b, err := os.ReadFile(tasks)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := chattest.Exact(b)
	if err != nil {
		t.Fatal(err)
	}
	cfg := chattest.Config{Key: runKey, Answer: answer}
	for _, f := range change {
		f(&cfg)
	}
	e := chattest.New(cfg)
	t.Cleanup(e.Close)
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	return e
}

// aspireTasks writes generated tasks and returns their path.
func aspireTasks(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	if code, _, errs := plumb(t, "", append([]string{"aspire", "generate", "-o", path}, args...)...); code != 0 {
		t.Fatal(errs)
	}
	return path
}

func fileText(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// From nothing to results: the model's answers are scored, scoring the dump again gives the
// same bytes, and the same command asks nothing twice.
func TestRunAspire(t *testing.T) {
	tasks := aspireTasks(t, "--count", "2")
	e := exactEndpoint(t, tasks)
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "exact", "--out", dir}
	code, _, errs := plumb(t, "", args...)
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	results := jsonLines(t, fileText(t, dir, "results.jsonl"))
	if len(results) != 16 {
		t.Fatalf("got %d results; want 16", len(results))
	}
	for _, r := range results {
		asked := r["asked"].(map[string]any)
		if r["score"].(float64) < 0.9 || r["model"] != "exact" || r["repeat"] != 1. || asked["mode"] != "default" || asked["input"] != "full" || asked["outcome"] != "answer" {
			t.Errorf("got %v", r)
		}
	}
	if fileText(t, dir, "tasks.jsonl") != fileText(t, tasks) {
		t.Error("the folder has other tasks than plumb aspire generate")
	}
	again := filepath.Join(t.TempDir(), "again.jsonl")
	if code, _, errs := plumb(t, "", "score", "--tasks", "aspire="+filepath.Join(dir, "tasks.jsonl"), "-o", again, filepath.Join(dir, "dump.jsonl")); code != 0 || fileText(t, again) != fileText(t, dir, "results.jsonl") {
		t.Errorf("plumb score of the dump: got exit %d, %s, or other bytes than results.jsonl", code, errs)
	}
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	before := fileText(t, dir, "results.jsonl")
	if code, _, errs := plumb(t, "", args...); code != 0 || e.Counts().Calls != 16 || fileText(t, dir, "results.jsonl") != before {
		t.Errorf("again: got exit %d, %d calls, %s; want no further call and the same results", code, e.Counts().Calls, errs)
	}
	// A second repeat of one test adds only its calls.
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	if code, _, errs := plumb(t, "", append(args, "--repeats", "2", "--seed", "1")...); code != 2 || !strings.Contains(errs, "task file") {
		t.Errorf("other tasks: got exit %d, %s; want 2 and what differs", code, errs)
	}
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	if code, _, errs := plumb(t, "", append(args, "--repeats", "2", "--only", "maze-s0-00")...); code != 0 || e.Counts().Calls != 17 {
		t.Errorf("a repeat: got exit %d, %d calls, %s; want 17", code, e.Counts().Calls, errs)
	}
	// Another arm joins the folder: what earlier commands asked stays in its files.
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	if code, _, errs := plumb(t, "", append(args, "--mode", "cot", "--limit", "1")...); code != 0 || e.Counts().Calls != 25 {
		t.Errorf("an arm: got exit %d, %d calls, %s; want 25", code, e.Counts().Calls, errs)
	}
	counts := map[string]int{}
	for _, r := range jsonLines(t, fileText(t, dir, "results.jsonl")) {
		counts[r["asked"].(map[string]any)["mode"].(string)]++
	}
	if counts["default"] != 17 || counts["cot"] != 8 {
		t.Errorf("got %v answers by mode; want those of all commands", counts)
	}
	// Deriving the files with other settings keeps the answers, and says so.
	if code, _, errs := plumb(t, "", "run", "aspire", "--count", "2", "--model", "exact", "--out", dir, "--no-calls", "--temperature", "1"); code != 0 || !strings.Contains(errs, "16 answers were asked for with other settings") || len(jsonLines(t, fileText(t, dir, "results.jsonl"))) != 25 {
		t.Errorf("other settings: got exit %d, %s; want the 25 answers and a note", code, errs)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(fileText(t, path), runKey) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a run would do is told without a call and without a file.
func TestRunLooks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "aspire", "--model", "m", "--out", dir, "--mode", "default,cot,reasoning", "--provider", "vllm", "--input", "full,minimal,scaffold", "--count", "1"}
	code, out, errs := plumb(t, "", append(args, "--dry-run", "--price", "1:2")...)
	if code != 0 || !strings.Contains(out, "45 calls in all, 45 left") || !strings.Contains(out, "USD") || !strings.Contains(errs, "are left out") {
		t.Errorf("got exit %d, %s%s; want 3*(8+4+3) calls", code, out, errs)
	}
	code, out, _ = plumb(t, "", append(args, "--print", "3")...)
	if code != 0 || strings.Count(out, "\n") != 3 || strings.Contains(out, "base64") || !strings.Contains(out, `"sha256"`) || !strings.Contains(out, `"enable_thinking":false`) {
		t.Errorf("got exit %d, %s; want three requests with the hashes of pictures", code, out)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("looking made the folder")
	}
}

// Wrong use names what is wrong.
func TestRunUsage(t *testing.T) {
	for line, want := range map[string]string{
		"run chess --model m --dry-run":                                "chess",
		"run aspire --model m":                                         "--model-url",
		"run tangram --model m --dry-run":                              "--tasks",
		"run aspire --model m --dry-run --mode fast":                   "--mode",
		"run aspire --model m --dry-run --input blind":                 "--input",
		"run aspire --model m --dry-run --mode reasoning":              "--reasoning-on",
		"run aspire --model m --dry-run --only maze-s9-00":             "--only",
		"run aspire --model m --dry-run --temperature hot":             "--temperature",
		"run aspire --model m --dry-run --max-tokens 0":                "--max-tokens",
		"run aspire --model m --dry-run --body [1]":                    "--body",
		"run aspire --model m --dry-run --price cheap":                 "--price",
		"run aspire --model m --dry-run --repeats 0":                   "--repeats",
		"run aspire --model m --dry-run --tests chess":                 "--tests",
		"run spatialab --model m --dry-run --tests mcq":                "--tests",
		"run drawingbench --model m --dry-run --tests maze":            "--tests",
		"run aspire --model m --dry-run --input scaffold --tests maze": "no such form",
		`run aspire --model m --dry-run --body {"messages":[]}`:        "messages",
		"run aspire --model m --print 0":                               "--print",
		"run aspire --model m --model-key-env NOSUCH --dry-run":        "NOSUCH",
		"run aspire --model m --model-url 127.0.0.1:8099/v1":           "address",
		"run aspire --model= --dry-run":                                "--model",
		"run aspire --model m --dry-run --method cot":                  "--method",
	} {
		if code, out, errs := plumb(t, "", strings.Fields(line)...); code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("plumb %s: got exit %d, %q, %s; want 2 and %s", line, code, out, errs, want)
		}
	}
}

// A key's variable that is set, though empty, is not called unset: endpoints without keys are used so.
func TestRunEmptyKey(t *testing.T) {
	t.Setenv("EMPTY_KEY", "")
	code, _, errs := plumb(t, "", "run", "aspire", "--model", "m", "--model-key-env", "EMPTY_KEY", "--dry-run", "--count", "1")
	if code != 0 {
		t.Errorf("got exit %d, %s; want 0", code, errs)
	}
}

// An endpoint that takes no request ends the run at once, with the flag that helps.
func TestRunFatal(t *testing.T) {
	for fault, flag := range map[chattest.Fault]string{"401": "--model-key-env", "404": "--model", "400-parameter": "--", "429-quota": ""} {
		e := exactEndpoint(t, aspireTasks(t, "--count", "2"), func(c *chattest.Config) { c.Faults = map[chattest.Fault]float64{fault: 1} })
		code, _, errs := plumb(t, "", "run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "m", "--out", t.TempDir())
		if n := e.Counts().Calls; code != 1 || n > 8 || n == 0 || !strings.Contains(errs, flag) || strings.Contains(errs, runKey) {
			t.Errorf("%s: got exit %d, %d calls, %s; want 1 after one window of calls, and %s", fault, code, n, errs, flag)
		}
	}
}

// A run that could not write its report ends before its first call.
func TestRunWithoutPages(t *testing.T) {
	e := exactEndpoint(t, aspireTasks(t, "--count", "2"))
	t.Setenv("PLUMB_UI_PAGES", t.TempDir())
	code, _, errs := plumb(t, "", "run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "m", "--out", t.TempDir())
	if n := e.Counts().Calls; code != 1 || n != 0 || !strings.Contains(errs, "PLUMB_UI_PAGES") {
		t.Errorf("got exit %d, %d calls, %s; want 1, no call, and how to get the pages", code, n, errs)
	}
}

// A bound on cost holds for the folder, whatever was spent before, and a higher one goes on.
func TestRunBudget(t *testing.T) {
	e := exactEndpoint(t, aspireTasks(t, "--count", "4"), func(c *chattest.Config) { c.Cost = 0.01 })
	dir := t.TempDir()
	args := []string{"run", "aspire", "--count", "4", "--model-url", e.Base(), "--model", "m", "--out", dir, "--max-tokens", "100", "--price", "1:100"}
	for _, c := range []struct {
		bound string
		code  int
	}{{"0.10", 1}, {"0.10", 1}, {"9", 0}} {
		t.Setenv("PLUMB_MODEL_KEY", runKey)
		code, _, errs := plumb(t, "", append(args, "--max-cost", c.bound)...)
		if code != c.code || c.code == 1 && (e.Counts().Billed > 10 || e.Counts().Billed < 5) {
			t.Errorf("%s USD: got exit %d after %d answers of 0.01 USD, %s; want %d", c.bound, code, e.Counts().Billed, errs, c.code)
		}
	}
	if c := e.Counts(); c.Billed != 32 || c.Twice != 0 {
		t.Errorf("got %d answers, %d of them twice; want 32", c.Billed, c.Twice)
	}
}

// Killed at any moment and started again, a run asks what is missing: no answer that the
// endpoint billed is asked for again but those under way at a kill, and the results are
// those of a run that was left alone.
func TestRunKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in another process; nothing here can race")
	}
	tasks := aspireTasks(t, "--count", "12")
	quiet := exactEndpoint(t, tasks)
	want := filepath.Join(t.TempDir(), "quiet")
	if code, _, errs := plumb(t, "", "run", "aspire", "--count", "12", "--model-url", quiet.Base(), "--model", "m", "--out", want); code != 0 {
		t.Fatal(errs)
	}
	e := exactEndpoint(t, tasks, func(c *chattest.Config) {
		c.Seed, c.Delay, c.RetryAfter = 7, 20*time.Millisecond, "0.05"
		c.Faults = map[chattest.Fault]float64{"429": 0.05, "429-wait": 0.05, "500": 0.05, "half": 0.05, "reset": 0.05, "garbage": 0.05}
	})
	dir := filepath.Join(t.TempDir(), "run")
	r := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for {
		cmd := exec.Command(binary, "run", "aspire", "--count", "12", "--model-url", e.Base(), "--model", "m", "--out", dir)
		cmd.Env = append(os.Environ(), "PLUMB_MODEL_KEY="+runKey)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var timer <-chan time.Time
		if kills < 40 {
			timer = time.After(time.Duration(100+r.IntN(300)) * time.Millisecond)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("after %d kills: %v: %s", kills, err, &errs)
			}
		case <-timer:
			cmd.Process.Kill()
			<-ended
			kills++
			continue
		}
		break
	}
	if kills < 20 {
		t.Errorf("the run ended after %d kills; want 20 or more", kills)
	}
	without := func(dir string) (list []string) { // what depends on time and faults
		for _, m := range jsonLines(t, fileText(t, dir, "results.jsonl")) {
			asked := m["asked"].(map[string]any)
			delete(asked, "seconds")
			delete(asked, "tries")
			b, _ := json.Marshal(m)
			list = append(list, string(b))
		}
		return list
	}
	got, expected := without(dir), without(want)
	if strings.Join(got, "\n") != strings.Join(expected, "\n") {
		t.Errorf("got other results than an undisturbed run: %d and %d lines", len(got), len(expected))
	}
	var record struct {
		Totals struct{ Answers, Missing int }
	}
	if err := json.Unmarshal([]byte(fileText(t, dir, "run.json")), &record); err != nil || record.Totals.Answers != 96 || record.Totals.Missing != 0 {
		t.Errorf("got %+v, %v; want 96 answers", record, err)
	}
	// Every answer that was billed twice was lost at a kill or by a fault that bills: the log
	// has a line "sent" without an outcome for it, or one more try.
	if c := e.Counts(); c.Twice > kills*32+c.Met["half"]+c.Met["garbage"] {
		t.Errorf("%d answers were billed twice with %d kills", c.Twice, kills)
	}
}

// DrawingBench takes its second turn below the bound, as one chat with the first answer.
func TestRunDrawingBench(t *testing.T) {
	turns := map[int]int{}
	e := chattest.New(chattest.Config{Key: runKey, Answer: func(c *chattest.Call) string {
		var body struct{ Messages []struct{ Role string } }
		json.Unmarshal(c.Body, &body)
		turns[len(body.Messages)]++
		return `[{"action":"click","x":590,"y":420}]`
	}})
	t.Cleanup(e.Close)
	t.Setenv("PLUMB_MODEL_KEY", runKey)
	dir := t.TempDir()
	tasks := filepath.Join(testdata.Root(), "testdata", "drawingbench", "tasks.json")
	code, _, errs := plumb(t, "", "run", "drawingbench", "--tasks", tasks, "--model-url", e.Base(), "--model", "m", "--out", dir, "--concurrency", "1")
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	first, second := 0, 0
	for _, r := range jsonLines(t, fileText(t, dir, "results.jsonl")) {
		if r["turn"] == 1. {
			first++
			if r["score"].(float64) >= 0.9 {
				second++ // one turn alone
			}
		} else {
			second++
		}
		if r["asked"].(map[string]any)["turn"] != r["turn"] {
			t.Errorf("got %v", r)
		}
	}
	if first == 0 || first != second || turns[1] != first || turns[3] == 0 || turns[1]+turns[3] != e.Counts().Calls {
		t.Errorf("got %d first turns, %d ends, calls by messages %v", first, second, turns)
	}
}

// Missing answers are counted by their reasons, with the flag that asks again.
func TestRunReasons(t *testing.T) {
	var calls atomic.Int64
	e := exactEndpoint(t, aspireTasks(t, "--count", "2"), func(c *chattest.Config) {
		c.Next = func(_ string, n int) chattest.Fault { // the first calls of a run must not all be refused
			if calls.Add(1) > 8 && n == 0 {
				return "400-context"
			}
			return chattest.None
		}
	})
	dir := t.TempDir()
	args := []string{"run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "m", "--out", dir}
	code, _, errs := plumb(t, "", args...)
	if code != 0 || !strings.Contains(errs, "answers are missing: refused: ") || !strings.Contains(errs, "--retry-failed") {
		t.Errorf("got exit %d, %s; want how many are missing, and why", code, errs)
	}
	for range 9 { // another try of a request may meet another fault
		t.Setenv("PLUMB_MODEL_KEY", runKey)
		if code, _, errs = plumb(t, "", append(args, "--retry-failed")...); !strings.Contains(errs, "missing: refused") {
			break
		}
	}
	if code != 0 || len(jsonLines(t, fileText(t, dir, "results.jsonl"))) != 16 || strings.Contains(errs, "missing: refused") {
		t.Errorf("again: got exit %d, %s; want all answers", code, errs)
	}
}

// Titles of tables say what sets a run apart from the papers', in plumb run and plumb report.
func TestRunTitles(t *testing.T) {
	e := exactEndpoint(t, aspireTasks(t, "--count", "2"))
	dir := t.TempDir()
	code, _, errs := plumb(t, "", "run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "m", "--out", dir, "--limit", "1", "--temperature", "0.2")
	if code != 0 || !strings.Contains(errs, ", subset, temperature 0.2") {
		t.Errorf("got exit %d, %s; want titles with subset and the temperature", code, errs)
	}
	if code, out, errs := plumb(t, "", "report", dir); code != 0 || !strings.Contains(out, ", subset, temperature 0.2") {
		t.Errorf("got exit %d, %s%s; want titles with subset and the temperature", code, out, errs)
	}
	t.Setenv("PLUMB_MODEL_KEY", runKey) // a run takes it out of the environment
	code, _, errs = plumb(t, "", "run", "aspire", "--count", "2", "--model-url", e.Base(), "--model", "m", "--out", t.TempDir())
	if code != 0 || strings.Contains(errs, "subset") || strings.Contains(errs, "temperature") {
		t.Errorf("standard settings: got exit %d, %s; want titles without remarks", code, errs)
	}
	if code, _, errs := plumb(t, "", "report", t.TempDir()); code != 1 || !strings.Contains(errs, "run.json") {
		t.Errorf("another folder: got exit %d, %s", code, errs)
	}
}

// An endpoint that is not there costs no question a try, and no line of the log.
func TestRunNoEndpoint(t *testing.T) {
	dir := t.TempDir()
	code, _, errs := plumb(t, "", "run", "aspire", "--count", "1", "--model-url", "http://127.0.0.1:1/v1", "--model", "m", "--out", dir)
	if code != 1 || !strings.Contains(errs, "cannot be reached") || !strings.Contains(errs, "--model-url") || fileText(t, dir, "calls.jsonl") != "" {
		t.Errorf("got exit %d, %s, log %q; want 1, the flag and an empty log", code, errs, fileText(t, dir, "calls.jsonl"))
	}
	code, _, errs = plumb(t, "", "report", dir)
	if code != 1 || !strings.Contains(errs, "no results yet") {
		t.Errorf("report: got exit %d, %s", code, errs)
	}
	code, _, errs = plumb(t, "", "run", "aspire", "--model-url", "http://127.0.0.1:1/v1", "--model", "m", "--out", dir, "--max-cost", "1")
	if code != 2 || !strings.Contains(errs, "--price") {
		t.Errorf("a bound without a price: got exit %d, %s; want 2", code, errs)
	}
}
