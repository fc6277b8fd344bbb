package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"plumb/daemon/index"
	"plumb/daemon/jobs"
)

// manyAnswers is a dump of n lines in which answers repeat, one is damaged and some lines are blank.
func manyAnswers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Replace(mcq(i%(n-n/10)), `"response":"A"`, fmt.Sprintf(`"response":%q`, string(rune('A'+i%3))), 1))
		if i%997 == 5 {
			b.WriteString("\n{\"id\":\n")
		}
	}
	return b.String()
}

// process runs the program and returns its exit code, -1 where a signal ended it, and stderr.
func process(t *testing.T, env []string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	var stderr bytes.Buffer
	cmd.Stderr, cmd.Env = &stderr, append(os.Environ(), env...)
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// killed runs the program and kills it after a time. It reports whether it had ended before.
func killed(t *testing.T, after time.Duration, signal os.Signal, args ...string) (ended bool, code int, errs string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Signal(signal) })
	cmd.Wait()
	return timer.Stop(), cmd.ProcessState.ExitCode(), stderr.String()
}

// scoredOnce scores a dump without an interruption and returns the bytes and the tables.
func scoredOnce(t *testing.T, dump string, args ...string) (results, tables string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "once.jsonl")
	code, errs := process(t, nil, append([]string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump}, args...)...)
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	if _, err := os.Stat(out + jobs.Suffix); err == nil {
		t.Error("the folder of a run that ended well is still there")
	}
	return fileText(t, out), errs
}

// withoutResuming removes from stderr what only a run that went on prints: how far it was, and which
// part several kills have hit, which is then searched.
func withoutResuming(s string) string {
	for strings.HasPrefix(s, "resuming: ") || strings.HasPrefix(s, "plumb: ") && strings.Contains(strings.SplitN(s, "\n", 2)[0], " ended within part") {
		_, s, _ = strings.Cut(s, "\n")
	}
	return s
}

// A run that is killed at random moments goes on, and ends in the bytes and tables of one that was
// left alone; nothing that a marker acknowledges is scored again. See docs/spec/jobs.md#r4.
func TestResumeKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in another process; nothing here can race")
	}
	dump := written(t, filepath.Join(t.TempDir(), "dump.jsonl"), manyAnswers(30_000))
	want, tables := scoredOnce(t, dump)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump}
	resumed := 0
	for range 40 {
		code := 0
		var errs string
		if ended, _, _ := killed(t, time.Duration(100+rand.IntN(500))*time.Millisecond, os.Kill, args...); !ended {
			before := markers(t, out)
			if before > 0 {
				resumed++
			}
			continue
		}
		if _, err := os.Stat(out); err != nil {
			t.Fatalf("a run ended without its output: exit %d, %s", code, errs)
		}
		os.Remove(out)
	}
	code, errs := process(t, nil, args...)
	if code != 0 || fileText(t, out) != want || withoutResuming(errs) != tables {
		t.Errorf("got exit %d, equal results %v, %s; want those of a run that was left alone, %s", code, fileText(t, out) == want, errs, tables)
	}
	if resumed == 0 {
		t.Error("no run was killed behind its first part")
	}
	if left, _ := filepath.Glob(out + "*"); !slices.Equal(left, []string{out, out + index.Suffix}) {
		t.Errorf("got %v; want the output with its index alone", left)
	}
}

// markers returns how many parts of a job are done.
func markers(t *testing.T, out string) int {
	t.Helper()
	list, err := filepath.Glob(out + jobs.Suffix + "/*.done")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// begun leaves a job behind that was interrupted after its first part, and returns its output.
func begunJob(t *testing.T, dump string, args ...string) (out string, errs string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "out.jsonl")
	cmd := exec.Command(binary, append([]string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for markers(t, out) == 0 && cmd.ProcessState == nil {
		time.Sleep(time.Millisecond)
		if _, err := os.Stat(out); err == nil {
			break
		}
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Fatalf("got exit %d, %s; want 130", code, stderr.String())
	}
	return out, stderr.String()
}

// An interrupt ends with 130, says how to go on, and --status tells how far the run is. Another
// configuration, another input and --restart are told apart. See docs/spec/jobs.md#r5.
func TestResumeInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in another process; nothing here can race")
	}
	dump := written(t, filepath.Join(t.TempDir(), "dump.jsonl"), manyAnswers(60_000))
	want, _ := scoredOnce(t, dump)
	out, errs := begunJob(t, dump)
	if !strings.Contains(errs, "the same command goes on") || !strings.Contains(errs, out+jobs.Suffix) {
		t.Errorf("got %s; want how to go on", errs)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an interrupted run has written its output")
	}
	for _, dir := range []string{out, out + jobs.Suffix} {
		if code, text, _ := plumb(t, "", "score", "--status", dir); code != 3 || !strings.Contains(text, "shards:") {
			t.Errorf("--status %s: got exit %d, %s; want 3", dir, code, text)
		}
	}
	for flag, args := range map[string][]string{"--reward": {"--reward", "raw"}, "other.jsonl": {written(t, filepath.Join(t.TempDir(), "other.jsonl"), mcqs(1))}} {
		if code, errs := process(t, nil, append([]string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump}, args...)...); code != 2 || !strings.Contains(errs, flag) || !strings.Contains(errs, "--restart") {
			t.Errorf("%v: got exit %d, %s; want 2 and what differs", args, code, errs)
		}
	}
	code, errs := process(t, nil, "score", "--backend", "cpu", "--paper", "none", "-o", out, "--workers", "1", "--batch", "7", dump)
	if code != 0 || !strings.HasPrefix(errs, "resuming: ") || fileText(t, out) != want {
		t.Errorf("other workers and batches: got exit %d, %s; want the same bytes", code, errs)
	}
	if code, text, _ := plumb(t, "", "score", "--status", out+jobs.Suffix); code != 0 || !strings.Contains(text, "finished") {
		t.Errorf("--status of a finished run: got exit %d, %s", code, text)
	}
	out, _ = begunJob(t, dump)
	if err := os.Chtimes(dump, time.Now(), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if code, errs := process(t, nil, "score", "--backend", "cpu", "--paper", "none", "-o", out, dump); code != 2 || !strings.Contains(errs, "was modified") {
		t.Errorf("a changed input: got exit %d, %s", code, errs)
	}
	if code, errs := process(t, nil, "score", "--backend", "cpu", "--paper", "none", "-o", out, "--restart", dump); code != 0 || strings.HasPrefix(errs, "resuming") || fileText(t, out) != want {
		t.Errorf("--restart: got exit %d, %s", code, errs)
	}
}

// Records of a file that cannot be cut are scored once too, with the repeats that the whole file
// gives them.
func TestResumeForeign(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in another process; nothing here can race")
	}
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, `{"custom_id":"q%d","response":{"status_code":200,"body":{"object":"chat.completion","choices":[{"message":{"content":"A"}}]}},"error":null}`+"\n", i%7)
	}
	dir := t.TempDir()
	dump := written(t, filepath.Join(dir, "batch.jsonl"), b.String())
	var tasks strings.Builder
	for i := range 7 {
		tasks.WriteString(strings.Replace(mcq(i), `,"response":"A"`, "", 1))
	}
	flags := []string{"--suite", "spatialab", "--tasks", written(t, filepath.Join(dir, "tasks.jsonl"), tasks.String())}
	want, tables := scoredOnce(t, dump, flags...)
	out, _ := begunJob(t, dump, flags...)
	code, errs := process(t, nil, append([]string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump}, flags...)...)
	if code != 0 || !strings.HasPrefix(errs, "resuming: ") || fileText(t, out) != want || withoutResuming(errs) != tables {
		t.Errorf("got exit %d, equal %v, %s; want the bytes of a run that was left alone, %s", code, fileText(t, out) == want, errs, tables)
	}
}

// Seven processes, in any order and some of them twice at once, share a job; a part that is damaged
// after its marker is made again. See docs/spec/jobs.md#r8.
func TestIndexDriver(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in other processes; nothing here can race")
	}
	dir := t.TempDir()
	dump, other := written(t, filepath.Join(dir, "dump.jsonl"), manyAnswers(25_000)), written(t, filepath.Join(dir, "other.jsonl"), mcqs(10))
	out := filepath.Join(dir, "once.jsonl")
	if code, errs := process(t, nil, "score", "--backend", "cpu", "--paper", "none", "-o", out, dump, other); code != 0 {
		t.Fatal(errs)
	}
	want := fileText(t, out)
	out = filepath.Join(dir, "out.jsonl")
	args := []string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump, other}
	for _, i := range []int{5, 0, 6, 2} {
		if code, errs := process(t, []string{fmt.Sprint("JOB_COMPLETION_INDEX=", i), "JOB_COMPLETIONS=7"}, append(args, "--driver", "index")...); code != 0 {
			t.Fatalf("index %d: got exit %d, %s", i, code, errs)
		}
	}
	done := make(chan string, 4)
	for _, i := range []int{3, 1, 3, 1} {
		go func() {
			_, errs := process(t, nil, append(args, "--driver", "index", "--index", fmt.Sprint(i), "--of", "7")...)
			done <- errs
		}()
	}
	for range 4 {
		if errs := <-done; !strings.Contains(errs, " scored, ") {
			t.Errorf("got %s", errs)
		}
	}
	manifest := filepath.Join(out+jobs.Suffix, jobs.ManifestName)
	if code, errs := process(t, nil, "shard", "run", "--manifest", manifest, "--shard", "4"); code != 0 {
		t.Errorf("shard 4: got exit %d, %s", code, errs)
	}
	if code, errs := process(t, nil, "shard", "run", "--manifest", manifest, "--shard", "400"); code != 2 {
		t.Errorf("shard 400: got exit %d, %s; want 2", code, errs)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a process of several has written the output")
	}
	if err := os.WriteFile(filepath.Join(out+jobs.Suffix, "part-5"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, errs := process(t, nil, args...); code != 0 || fileText(t, out) != want {
		t.Errorf("got exit %d, %s; want the bytes of one process", code, errs)
	}
	for _, bad := range [][]string{{"--driver", "index", "--index", "7", "--of", "7"}, {"--driver", "index"}, {"--index", "1"}} {
		if code, errs := process(t, nil, append(args, bad...)...); code != 2 {
			t.Errorf("%v: got exit %d, %s; want 2", bad, code, errs)
		}
	}
}

// A full disk ends with exit 1 and what to do, and once there is space the same command ends in the
// same bytes.
func TestResumeFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in another process; nothing here can race")
	}
	dump := written(t, filepath.Join(t.TempDir(), "dump.jsonl"), manyAnswers(10_000))
	want, _ := scoredOnce(t, dump)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	cmd := exec.Command("/bin/sh", "-c", `ulimit -f 1000; exec "$@"`, "sh", binary, "score", "--backend", "cpu", "--paper", "none", "-o", out, dump) // 512 kB
	errs, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(errs), out) {
		t.Errorf("got exit %d, %s; want 1 and the path", code, errs)
	}
	if code, errs := process(t, nil, "score", "--backend", "cpu", "--paper", "none", "-o", out, dump); code != 0 || fileText(t, out) != want {
		t.Errorf("got exit %d, %s; want the same bytes", code, errs)
	}
}

// A line that ends its process is found and gets an error; all others are scored. See
// docs/spec/jobs.md#r7.
func TestPoison(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in another process; nothing here can race")
	}
	faulty := filepath.Join(t.TempDir(), "plumb")
	if out, err := exec.Command("go", "build", "-tags", "egl fault", "-o", faulty, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v\n%s", err, out)
	}
	text := strings.Replace(manyAnswers(5000), `"id":"q1234"`, `"id":"q1234","deadly":1`, 1)
	dump := written(t, filepath.Join(t.TempDir(), "dump.jsonl"), text)
	want, _ := scoredOnce(t, dump)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	score := []string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump}
	run := func(args ...string) (int, string) {
		cmd := exec.Command(faulty, args...)
		cmd.Env = append(os.Environ(), `PLUMB_FAULT=die@"deadly"`)
		errs, _ := cmd.CombinedOutput()
		if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			return -1, string(errs)
		}
		return cmd.ProcessState.ExitCode(), string(errs)
	}
	for range 2 {
		if code, errs := run(score...); code != -1 {
			t.Fatalf("got exit %d, %s; want a process that is killed", code, errs)
		}
	}
	shard := []string{"shard", "run", "--manifest", filepath.Join(out+jobs.Suffix, jobs.ManifestName), "--shard", "0"}
	if code, errs := run(shard...); code != 3 || !strings.Contains(errs, "--bisect") {
		t.Errorf("shard run: got exit %d, %s; want 3", code, errs)
	}
	if _, text, _ := plumb(t, "", "score", "--status", out); !strings.Contains(text, "failed: shard 0, part 0: 2 processes") {
		t.Errorf("--status: got %s; want the shard that failed", text)
	}
	if code, errs := run(append(shard, "--records", "0:1", "--part", "5", "--results", "/nowhere/x")...); code != 1 {
		t.Errorf("a range in wrong use: got exit %d, %s; want 1, which no crash has", code, errs)
	}
	if code, errs := run(append(shard, "--bisect")...); code != 0 || markers(t, out) != 1 {
		t.Errorf("--bisect: got exit %d, %s, %d parts; want a shard that is done", code, errs, markers(t, out))
	}
	if m := fileText(t, filepath.Join(out+jobs.Suffix, "part-0.done")); !strings.Contains(m, `"clusters":["`) {
		t.Errorf("got the marker %.300s; want what its items share", m)
	}
	code, errs := run(score...)
	if code != 0 || !strings.Contains(errs, "1 poison") {
		t.Fatalf("got exit %d, %s; want 0 and one poisoned line", code, errs)
	}
	got, whole := strings.Split(fileText(t, out), "\n"), strings.Split(want, "\n")
	if len(got) != len(whole) {
		t.Fatalf("got %d lines; want %d", len(got), len(whole))
	}
	for i, line := range got {
		if strings.Contains(line, `"code":"poison"`) != (line != whole[i]) || strings.Contains(line, `"code":"poison"`) && !strings.Contains(line, `"id":"q1234"`) {
			t.Errorf("line %d: got %s; want %s, or poison in q1234", i+1, line, whole[i])
		}
	}
}
