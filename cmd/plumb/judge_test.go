package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumb/daemon/chat/budget"
	"plumb/daemon/chat/chattest"
	"plumb/daemon/judge"
)

const judgeKey = "sk-plumb-test-4f6c1d"

// openItems are n open answers, all different.
func openItems(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"sl-%d","suite":"spatialab","format":"open","question":"Which of the two boxes is nearer in picture %d?","options":["the red one","the blue one","both","neither"],"labels":"numbers","answer_index":0,"open_answer":"the red one","category":"depth_occlusion","subcategory":"layering_order","response":"I think it is the %s one, as it hides part of the other (%d)."}`+"\n",
			i, i, []string{"red", "blue"}[i%2], i)
	}
	return b.String()
}

// mockJudge finds red answers right.
func mockJudge(t *testing.T, cfg chattest.Config) *chattest.Endpoint {
	t.Helper()
	cfg.Key, cfg.Right = judgeKey, func(p string) bool { return strings.Contains(p, "it is the red one") }
	m := chattest.New(cfg)
	t.Cleanup(m.Close)
	return m
}

// judging is `plumb score` in a process of its own, with a judge.
func judging(t *testing.T, m *chattest.Endpoint, dump, cache string, args ...string) (cmd *exec.Cmd, out, errs *bytes.Buffer) {
	t.Helper()
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	cmd = exec.Command(binary, append([]string{"score", "--backend", "cpu", "--fidelity", "native", "--judge-url", m.Base(), "--judge-model", "mock", "--judge-cache", cache,
		"--judge-backoff", "20ms", "--judge-concurrency", "32"}, append(args, dump)...)...)
	cmd.Env = append(os.Environ(), "PLUMB_JUDGE_KEY="+judgeKey)
	cmd.Stdout, cmd.Stderr = out, errs
	return cmd, out, errs
}

// counted are the results of a dump: how many have which outcome. Every line must be
// there, in order, and right where it is judged.
func counted(t *testing.T, out string, n int) (judged, unjudged int) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != n {
		t.Fatalf("got %d results; want %d", len(lines), n)
	}
	for i, l := range lines {
		var r struct {
			ID    string
			Score *float64
			Error *struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(l), &r); err != nil || r.ID != fmt.Sprintf("sl-%d", i) {
			t.Fatalf("line %d: got %s, %v", i, l, err)
		}
		switch {
		case r.Score == nil && r.Error != nil && r.Error.Code == "unjudged" && r.Error.Message != "":
			unjudged++
		case r.Score != nil && *r.Score == float64(1-i%2):
			judged++
		default:
			t.Fatalf("line %d: got %s; want the score %d, or unjudged with a reason", i, l, 1-i%2)
		}
	}
	return judged, unjudged
}

// manyFaults is every fault but a wrong key: a fifth of the calls.
func manyFaults() map[chattest.Fault]float64 {
	return map[chattest.Fault]float64{chattest.TooMany: 0.05, chattest.TooManyWait: 0.0003, chattest.Broken: 0.04, chattest.Slow: 0.01, chattest.Garbage: 0.02,
		chattest.WrongJSON: 0.02, chattest.Half: 0.03, chattest.Truncated: 0.02, chattest.Prose: 0.02, chattest.Reset: 0.03}
}

func many(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// Thousands of open answers against an endpoint with every fault: each is judged or
// reported missing, and none is paid for twice. A second run asks only what is missing.
func TestFaultyJudge(t *testing.T) {
	n := many(10_000)
	m := mockJudge(t, chattest.Config{Seed: 1, Faults: manyFaults(), RetryAfter: "1", Slow: 200 * time.Millisecond})
	dir := t.TempDir()
	dump, cache := filepath.Join(dir, "open.jsonl"), filepath.Join(dir, "verdicts")
	if err := os.WriteFile(dump, []byte(openItems(n)), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	cmd, out, errs := judging(t, m, dump, cache, "--judge-tries", "3", "--judge-price", "0.30:2.50")
	if err := cmd.Run(); err != nil {
		t.Fatalf("got %v\n%s", err, errs)
	}
	judged, unjudged := counted(t, out.String(), n)
	c := m.Counts()
	t.Logf("%d items in %.1f s: %d judged, %d unjudged; the endpoint saw %d calls, %d at once, sent %d verdicts, %d twice; faults %v", n, time.Since(start).Seconds(), judged, unjudged, c.Calls, c.Most, c.Billed, c.Twice, c.Met)
	t.Logf("%s", errs)
	if judged != c.Billed || c.Twice != 0 || c.Asked != n || unjudged == 0 || unjudged > n/20 || c.Most > 32 {
		t.Errorf("got %d judged, %d unjudged, %+v; want one verdict sent for each that is judged", judged, unjudged, c)
	}
	first := out.String()
	for run := 1; unjudged > 0; run++ {
		if run > 20 {
			t.Fatalf("%d answers are unjudged after %d runs", unjudged, run)
		}
		before := m.Counts()
		missing := unjudged
		cmd, out, errs = judging(t, m, dump, cache)
		if err := cmd.Run(); err != nil {
			t.Fatalf("got %v\n%s", err, errs)
		}
		judged, unjudged = counted(t, out.String(), n)
		c = m.Counts()
		t.Logf("run %d: %d judged, %d unjudged, %d calls", run+1, judged, unjudged, c.Calls-before.Calls)
		if c.Billed-before.Billed != missing-unjudged || c.Twice != 0 {
			t.Errorf("run %d: got %+v; want only the %d missing ones asked", run+1, c, missing)
		}
	}
	again, then := strings.Split(first, "\n"), strings.Split(out.String(), "\n")
	for i, l := range again {
		if !strings.Contains(l, `"unjudged"`) && l != then[i] {
			t.Fatalf("got %s from the folder; want the bytes of the first run, %s", then[i], l)
		}
	}
	before := m.Counts().Calls
	cmd, _, errs = judging(t, m, dump, cache)
	if err := cmd.Run(); err != nil || m.Counts().Calls != before || !strings.Contains(errs.String(), fmt.Sprintf("%d known before", n)) {
		t.Errorf("got %v, %d calls\n%s; want a rerun that costs nothing", err, m.Counts().Calls-before, errs)
	}
	kept, err := os.ReadFile(filepath.Join(cache, "verdicts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	noSecrets(t, map[string]string{"the results": first, "the summary": errs.String(), "the folder": string(kept)}, judgeKey, m.URL)
}

// A run that is killed three times goes on where it was: at most the replies that were
// on their way are paid for twice.
func TestKilledWhileJudging(t *testing.T) {
	const calls = 32
	n := many(10_000)
	m := mockJudge(t, chattest.Config{Seed: 2, Faults: manyFaults(), RetryAfter: "1", Slow: 200 * time.Millisecond})
	dir := t.TempDir()
	dump, cache := filepath.Join(dir, "open.jsonl"), filepath.Join(dir, "verdicts")
	if err := os.WriteFile(dump, []byte(openItems(n)), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for kill := range 3 {
		cmd, _, errs := judging(t, m, dump, cache)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "verdicts", func() bool { return m.Counts().Billed > (kill+1)*n/5 })
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Fatalf("it ended before it was killed\n%s", errs)
		}
	}
	judged, unjudged, runs := 0, n, 0
	for ; unjudged > 0 && runs < 20; runs++ {
		cmd, out, errs := judging(t, m, dump, cache)
		if err := cmd.Run(); err != nil {
			t.Fatalf("got %v\n%s", err, errs)
		}
		judged, unjudged = counted(t, out.String(), n)
	}
	c := m.Counts()
	t.Logf("%d items, 3 kills (SIGKILL), %d runs after them, %.1f s: %d judged; the endpoint saw %d calls, sent %d verdicts, %d of them twice", n, runs, time.Since(start).Seconds(), judged, c.Calls, c.Billed, c.Twice)
	if judged != n || c.Billed != n || c.Twice > 3*calls {
		t.Errorf("got %d judged, %+v; want all, and at most %d verdicts sent twice", judged, c, 3*calls)
	}
}

// A wrong key ends judging and the run says so, but everything else is scored; a dry run
// asks nobody; bad flags are named.
func TestJudgeFlags(t *testing.T) {
	m := mockJudge(t, chattest.Config{})
	dir := t.TempDir()
	dump := filepath.Join(dir, "d")
	choice := `{"id":"c","suite":"spatialab","format":"mcq","question":"Which?","options":["a","b","c","d"],"labels":"numbers","answer_index":1,"category":"depth_occlusion","subcategory":"layering_order","response":"2"}` + "\n"
	if err := os.WriteFile(dump, []byte(openItems(500)+choice), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, out, errs := judging(t, m, dump, filepath.Join(dir, "v"))
	cmd.Env = append(os.Environ(), "PLUMB_JUDGE_KEY=sk-wrong-0815")
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != 1 || strings.Count(out.String(), `"unjudged"`) < 500 || !strings.Contains(out.String(), `"id":"c","suite":"spatialab","test":"mcq","score":1.0`) ||
		!strings.Contains(errs.String(), "plumb: cannot judge answers: the judge answered 401 Unauthorized") {
		t.Errorf("got %v, exit %d\n%s", err, cmd.ProcessState.ExitCode(), errs)
	}
	if c := m.Counts(); c.Calls != 0 {
		t.Errorf("got %d calls with the right key", c.Calls)
	}
	noSecrets(t, map[string]string{"the results": out.String(), "stderr": errs.String()}, "sk-wrong-0815", m.URL)
	cmd, _, errs = judging(t, m, dump, filepath.Join(dir, "v"), "--judge-dry-run")
	if err := cmd.Run(); err != nil || m.Counts().Calls != 0 || !strings.Contains(errs.String(), "judge: dry run: 500 answers to judge, 0 of them known; 500 calls to make, about ") {
		t.Errorf("dry run: got %v, %d calls\n%s", err, m.Counts().Calls, errs)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--judge-model", "m"}, "--judge-url"},
		{[]string{"--judge-url", "localhost:8", "--judge-model", "m"}, "--judge-url"},
		{[]string{"--judge-url", "http://localhost:8"}, "--judge-model"},
		{[]string{"--judge-url", "http://localhost:8", "--judge-model", "m", "--judge-key-env", "PLUMB_NO_SUCH_KEY"}, "PLUMB_NO_SUCH_KEY"},
		{[]string{"--judge-url", "http://localhost:8", "--judge-model", "m", "--judge-price", "3"}, "0.30:2.50"},
		{[]string{"--judge-url", "http://localhost:8", "--judge-model", "m", "--judge-max-cost", "-1"}, "--judge-max-cost"},
		{[]string{"--judge-url", "http://localhost:8", "--judge-model", "m", "--judge-timeout", "0s"}, "--judge-timeout"},
		{[]string{"--judge-url", "http://localhost:8", "--judge-model", "m", "--server", "http://localhost:9"}, "--server"},
		{[]string{"--judge-dry-run"}, "--judge-url"},
	} {
		if code, _, errs := plumb(t, "", append(append([]string{"score", "--backend", "cpu", "--fidelity", "native"}, c.args...), "-")...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: got exit %d, %s; want 2 and %q", c.args, code, errs, c.want)
		}
	}
}

// The daemon judges what trainers send, once, and its log has no key.
func TestDaemonJudges(t *testing.T) {
	m := mockJudge(t, chattest.Config{})
	d := prepared("--backend", "cpu", "--admin", "127.0.0.1:0", "--judge-url", m.Base(), "--judge-model", "mock", "--judge-key-env", "MY_JUDGE_KEY", "--log-level", "debug")
	d.cmd.Env = append(d.cmd.Env, "MY_JUDGE_KEY="+judgeKey)
	d.start(t)
	for i, item := range strings.Split(strings.TrimSpace(openItems(2)), "\n") {
		for range 3 {
			resp, err := http.Post("http://"+d.addr+"/v1/score", "application/json", strings.NewReader(item))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			b.ReadFrom(resp.Body)
			resp.Body.Close()
			if want := fmt.Sprintf(`"score":%d.0`, 1-i); resp.StatusCode != 200 || !strings.Contains(b.String(), want) {
				t.Errorf("got %d %s; want %s", resp.StatusCode, b.String(), want)
			}
		}
	}
	if c := m.Counts(); c.Calls != 2 {
		t.Errorf("got %d calls for two answers sent three times", c.Calls)
	}
	metrics, err := http.Get("http://" + d.addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer metrics.Body.Close()
	var b bytes.Buffer
	b.ReadFrom(metrics.Body)
	for _, want := range []string{`plumb_judge_answers_total{outcome="judged"} 2`, `plumb_judge_answers_total{outcome="known"} 4`, "plumb_judge_calls_total 2", `plumb_judge_tokens_total{kind="prompt"} 200`,
		`plumb_stage_duration_seconds_count{stage="judge"} 2`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	noSecrets(t, map[string]string{"the log": d.logged(), "the metrics": b.String()}, judgeKey)
}

// Doctor reports whether there is a judge, and asks it nothing.
func TestDoctorJudge(t *testing.T) {
	m := mockJudge(t, chattest.Config{})
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "ok       judge: none"},
		{[]string{"--judge-url", m.Base(), "--judge-model", "mock"}, "ok       judge: model mock, key set in PLUMB_JUDGE_KEY, verdicts kept nowhere"},
		{[]string{"--judge-url", m.Base()}, "missing  judge: cannot use judge: got no model"},
	} {
		_, out, errs := on(t, "PLUMB_JUDGE_KEY="+judgeKey, "", append([]string{"doctor", "--backend", "cpu", "--fidelity", "native", "--chrome", "/nowhere"}, c.args...)...)
		if !strings.Contains(out, c.want) {
			t.Errorf("%v: got %s%s; want %q", c.args, out, errs, c.want)
		}
		noSecrets(t, map[string]string{"doctor": out + errs}, judgeKey)
	}
	if n := m.Counts().Calls; n != 0 {
		t.Errorf("got %d calls", n)
	}
}

// Two processes with one folder ask nothing twice, and a run that is interrupted takes in
// what is on its way: nothing is paid for twice.
func TestJudgingProcesses(t *testing.T) {
	n := many(2000)
	m := mockJudge(t, chattest.Config{Delay: 20 * time.Millisecond})
	dir := t.TempDir()
	dump, cache := filepath.Join(dir, "open.jsonl"), filepath.Join(dir, "verdicts")
	if err := os.WriteFile(dump, []byte(openItems(n)), 0o600); err != nil {
		t.Fatal(err)
	}
	cut, out, errs := judging(t, m, dump, cache)
	if err := cut.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "verdicts", func() bool { return m.Counts().Billed > n/4 })
	cut.Process.Signal(os.Interrupt)
	if err := cut.Wait(); cut.ProcessState.ExitCode() != 130 || m.Counts().Billed >= n || !strings.Contains(errs.String(), "judge: ") {
		t.Fatalf("got %v, %d verdicts and %s; want an interrupted run that says what it did", err, m.Counts().Billed, errs)
	}
	if got := strings.Count(out.String(), "\n"); got == 0 || got >= n {
		t.Errorf("got %d results of an interrupted run; want those that were there", got)
	}
	var runs []*exec.Cmd
	var outs []*bytes.Buffer
	for range 2 {
		cmd, out, _ := judging(t, m, dump, cache)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		runs, outs = append(runs, cmd), append(outs, out)
	}
	for i, cmd := range runs {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if judged, _ := counted(t, outs[i].String(), n); judged != n {
			t.Errorf("process %d: got %d judged of %d", i, judged, n)
		}
	}
	if c := m.Counts(); c.Calls != n || c.Billed != n || c.Twice != 0 {
		t.Errorf("got %+v; want one call for each of %d answers", c, n)
	}
}

// What an item of each kind asks for: a recorded verdict nothing, an answer that is
// literally an option nothing, others of SpaCE-Eval a question with the options.
func TestWhatIsJudged(t *testing.T) {
	m := mockJudge(t, chattest.Config{})
	choice := `{"id":%q,"suite":"spaceeval","format":"mcq","question":"Where is it?","options":["Hall","Kitchen","Attic","Cellar"],"labels":"letters","answer":"B","category":"SR","subcategory":"SI","response":%q}` + "\n"
	dump := fmt.Sprintf(choice, "literal", "B") + fmt.Sprintf(choice, "meant", "it is the red one with the stove") + fmt.Sprintf(choice, "empty", "") +
		strings.Replace(openItems(1), `"response"`, `"judge":"0","response"`, 1)
	path := filepath.Join(t.TempDir(), "d")
	if err := os.WriteFile(path, []byte(dump), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, out, errs := judging(t, m, path, filepath.Join(t.TempDir(), "v"), "--variant", "vqa.allow_unknown_taxonomy")
	if err := cmd.Run(); err != nil {
		t.Fatalf("got %v\n%s", err, errs)
	}
	var scores []string
	for _, l := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		_, score, _ := strings.Cut(l, `"score":`)
		score, _, _ = strings.Cut(score, ",")
		scores = append(scores, score)
	}
	if got := strings.Join(scores, " "); got != "1.0 1.0 0.0 0.0" {
		t.Errorf("got the scores %s\n%s", got, out)
	}
	bodies, _ := m.Requests()
	if len(bodies) != 1 || !strings.Contains(bodies[0], `Options:\nA. Hall\nB. Kitchen\nC. Attic\nD. Cellar\nCorrect option:\nB. Kitchen\n\nResponse to evaluate:\nit is the red one with the stove\n`) {
		t.Errorf("got the requests %q; want one about the answer that is not literal", bodies)
	}
}

// The summary names the calls that a dry run would make, none too. The cost of no call is known without a price.
func TestJudgeSummary(t *testing.T) {
	known := judge.Stats{Asked: 3, Cached: 3}
	asked := judge.Stats{Asked: 1, Judged: 1, Spent: budget.Spent{Calls: 1}}
	for _, c := range []struct {
		name   string
		stats  judge.Stats
		dryRun bool
		want   string
	}{
		{"nothing to judge", judge.Stats{}, false, ""},
		{"dry run, nothing to judge", judge.Stats{}, true, "judge: dry run: 0 answers to judge, 0 of them known; 0 calls to make, about 0 tokens of prompts\n"},
		{"dry run, all known", known, true, "judge: dry run: 3 answers to judge, 3 of them known; 0 calls to make, about 0 tokens of prompts\n"},
		{"all known", known, false, "judge: 3 answers to judge: 0 judged, 3 known before, 0 the same as others, 0 unjudged\n" +
			"judge: 0 calls (0 tries again, 0 replies without a verdict, 0 lost), 0 tokens in, 0 out, 0.0000 USD\n"},
		{"a call without a price", asked, false, "judge: 1 answer to judge: 1 judged, 0 known before, 0 the same as others, 0 unjudged\n" +
			"judge: 1 call (0 tries again, 0 replies without a verdict, 0 lost), 0 tokens in, 0 out, cost unknown (--judge-price)\n"},
	} {
		var got strings.Builder
		writeJudgeStats(&got, c.stats, c.dryRun)
		if got.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got.String(), c.want)
		}
	}
}
