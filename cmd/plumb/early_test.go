package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plumb/daemon/atomicfile"
	"plumb/daemon/chat/chattest"
	"plumb/daemon/dump"
	"plumb/daemon/records"
)

// mcq is an item that needs no pixels.
func mcq(id int) string {
	return fmt.Sprintf(`{"id":"q%d","suite":"spatialab","question":"Which?","image":["x.png"],"options":["x","y"],"answer":"A","response":"A"}`+"\n", id)
}

func mcqs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(mcq(i))
	}
	return b.String()
}

func written(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// halfway starts a run whose input goes on after what has been scored, over a
// complete result file and a complete report.
func halfway(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, errs *bytes.Buffer) {
	t.Helper()
	out := written(t, filepath.Join(dir, "out.jsonl"), "complete\n")
	cmd = exec.Command(binary, append([]string{"score", "--backend", "cpu", "-o", out, "-"}, args...)...)
	errs = new(bytes.Buffer)
	cmd.Stderr = errs
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.WriteString(in, mcqs(20))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	await(t, "results", func() bool {
		left := atomicfile.Leftovers(out)
		return len(left) == 1 && left[0].Running && strings.Count(read(t, left[0].Path), "\n") == 20
	})
	return cmd, errs
}

// A run that a signal ends says so in its table, its file and its report, and
// replaces neither complete results nor a complete report.
func TestInterruptedRun(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			dir := t.TempDir()
			page := written(t, filepath.Join(dir, "index.html"), "complete")
			cmd, errs := halfway(t, dir, "--report", dir)
			cmd.Process.Signal(s)
			cmd.Wait()
			text := errs.String()
			left := atomicfile.LeftoversIn(dir)
			if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(text, "PARTIAL") || !strings.Contains(text, "count 20 lines") || len(left) != 2 {
				t.Fatalf("got exit %d, %+v, %s; want 130, partial results and a partial report", code, left, text)
			}
			if got := read(t, filepath.Join(dir, "out.jsonl")) + read(t, page); got != "complete\ncomplete" {
				t.Errorf("complete files became %.200q", got)
			}
			for _, l := range left {
				if !strings.Contains(text, l.Path) {
					t.Errorf("stderr does not name %s: %s", l.Path, text)
				}
				if strings.Contains(l.Path, "out.jsonl") {
					if n := strings.Count(read(t, l.Path), "\n"); n != 20 {
						t.Errorf("the partial file has %d lines; want 20", n)
					}
				} else if p := read(t, filepath.Join(l.Path, "index.html")); !strings.Contains(p, "This report is partial") || !strings.Contains(p, "interrupted") {
					t.Error("the partial report does not say that it is one")
				}
			}
		})
	}
}

// What a killed run leaves is named by the next run with the same output, which
// ends regularly; so is a run that still goes on.
func TestKilledRun(t *testing.T) {
	dir := t.TempDir()
	cmd, _ := halfway(t, dir)
	dump := written(t, filepath.Join(dir, "dump.jsonl"), mcqs(3))
	out := filepath.Join(dir, "out.jsonl")
	left := atomicfile.Leftovers(out)[0].Path
	again := func(what string) {
		t.Helper()
		code, _, errs := plumb(t, "", "score", "--backend", "cpu", "-o", out, dump)
		if code != 0 || !strings.Contains(errs, left) || !strings.Contains(errs, what) {
			t.Errorf("got exit %d, %s; want 0, and the name of %s with %q", code, errs, left, what)
		}
		if n := strings.Count(read(t, out), "\n"); n != 3 {
			t.Errorf("got %d results; want 3", n)
		}
	}
	again("another run is writing it")
	cmd.Process.Kill()
	cmd.Wait()
	again("left by a run that did not end")
	if n := strings.Count(read(t, left), "\n"); n != 20 {
		t.Errorf("the partial file has %d lines after all; want 20", n)
	}
}

// A reader of the results that goes away ends the run early, and the run says so.
func TestBrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := exec.Command(binary, "score", "--backend", "cpu", written(t, filepath.Join(t.TempDir(), "dump.jsonl"), mcqs(2000)))
	cmd.Stdout, cmd.Stderr = w, &errs
	err = cmd.Start()
	w.Close()
	r.Close()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(errs.String(), "PARTIAL") || !strings.Contains(errs.String(), "broken pipe") {
		t.Errorf("got exit %d, %s; want 1 and a table that is said to be partial", code, &errs)
	}
}

// limited runs the program where no file can grow beyond some blocks of 512 bytes,
// as on a full disk.
func limited(t *testing.T, blocks int, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("/bin/sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks), "sh", binary}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// On a full disk every command fails, and leaves a former file as it was.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string { return written(t, filepath.Join(dir, name), text) }
	dump, scene := file("dump.jsonl", mcqs(3)), file("scene.jsonl", `{"id":"a","shapes":[],"bounds":[0,0,9,9]}`+"\n")
	_, instances, _ := plumb(t, "", "tangram", "generate", "--count", "4")
	_, results, _ := plumb(t, "", "score", "--backend", "cpu", dump)
	in, res := file("instances.jsonl", instances), file("results.jsonl", results)
	item := file("item.jsonl", balance+"\n")
	cases := file("cases.jsonl", `{"judge":[1,0,1,1],"annotators":[[1,0,1,1],[1,0,0,1]]}`+"\n")
	out := filepath.Join(dir, "former")
	for _, args := range [][]string{
		{"score", "--backend", "cpu", "-o", out, dump},
		{"render", "--backend", "cpu", "--stats", out, scene},
		{"tangram", "generate", "-o", out},
		{"tangram", "generate", "--answers", out},
		{"tangram", "items", "-o", out, in},
		{"prompt", "--suite", "tangram", "-o", out, in},
		{"prompt", "--suite", "spatialab", "-o", out, dump},
		{"report", "-o", out, res},
		{"agree", "-o", out, cases},
	} {
		file("former", "former")
		code, _, errs := limited(t, 0, args...)
		if code != 1 || !strings.Contains(errs, "file too large") {
			t.Errorf("%q: got exit %d, %s; want 1 and the reason", args, code, errs)
		}
		if got := read(t, out); got != "former" {
			t.Errorf("%q: the former file became %.80q", args, got)
		}
		for _, l := range atomicfile.Leftovers(out) {
			os.Remove(l.Path)
		}
	}
	for _, args := range [][]string{
		{"render", "--backend", "cpu", "--out", dir, scene},
		{"prompt", "--suite", "tangram", "--images", dir, in},
		{"report", "--report", dir, res},
		{"score", "--backend", "cpu", "--report", dir, item},
	} {
		code, _, errs := limited(t, 0, args...)
		if code != 1 || !strings.Contains(errs, "file too large") {
			t.Errorf("%q: got exit %d, %s; want 1 and the reason", args, code, errs)
		}
		if left := atomicfile.LeftoversIn(dir); len(left) > 0 {
			t.Errorf("%q: left behind: %+v", args, left)
		}
	}
}

// A disk that is full under the report does not stop scoring: all results are
// there, and the run fails for the report alone.
func TestFullDiskUnderReport(t *testing.T) {
	dir := t.TempDir()
	const n = 1100
	dump, out := written(t, filepath.Join(dir, "dump.jsonl"), mcqs(n)), filepath.Join(dir, "out.jsonl")
	_, want, _ := plumb(t, "", "score", "--backend", "cpu", dump)
	code, _, errs := limited(t, len(want)/512+1, "score", "--backend", "cpu", "-o", out, "--report", filepath.Join(dir, "report"), dump)
	if code != 1 || !strings.Contains(errs, "cannot write report") || strings.Contains(errs, "PARTIAL") {
		t.Errorf("got exit %d, %s; want 1, and scoring that goes on", code, errs)
	}
	if read(t, out) != want {
		t.Error("the results differ from those of a run without a report")
	}
	if left := atomicfile.LeftoversIn(filepath.Join(dir, "report")); len(left) > 0 {
		t.Errorf("left behind: %+v", left)
	}
}

// A signal ends drawing with exit 130 too, and leaves no half pictures; pictures
// that a killed run left are named by the next.
func TestInterruptedRender(t *testing.T) {
	dir := t.TempDir()
	part := written(t, filepath.Join(dir, "a.png.0123abcd.partial"), "half")
	stats := written(t, filepath.Join(dir, "stats.jsonl"), "complete\n")
	cmd := exec.Command(binary, "render", "--backend", "cpu", "--out", dir, "--stats", stats, "-")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.WriteString(in, `{"id":"a","shapes":[],"bounds":[0,0,9,9]}`+"\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	await(t, "a picture", func() bool { _, err := os.Stat(filepath.Join(dir, "a.png")); return err == nil })
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	text := errs.String()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(text, "PARTIAL") || !strings.Contains(text, part) {
		t.Errorf("got exit %d, %s; want 130, PARTIAL and the name of %s", code, text, part)
	}
	if read(t, stats) != "complete\n" {
		t.Errorf("the complete statistics became %q", read(t, stats))
	}
	if left := atomicfile.LeftoversIn(dir); len(left) != 2 { // the one that was there, and the statistics
		t.Errorf("left behind: %+v", left)
	}
}

// Verdicts that cannot be kept have been paid for: the run says so and fails.
func TestFullDiskUnderJudgeCache(t *testing.T) {
	m := mockJudge(t, chattest.Config{})
	dir := t.TempDir()
	cmd, out, errs := judging(t, m, written(t, filepath.Join(dir, "open.jsonl"), openItems(3)), filepath.Join(dir, "verdicts"))
	cmd.Args = append([]string{"/bin/sh", "-c", `ulimit -f 0; exec "$@"`, "sh"}, cmd.Args...)
	cmd.Path = cmd.Args[0]
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 1 || strings.Count(out.String(), `"score":1.0`)+strings.Count(out.String(), `"score":0.0`) != 3 ||
		!strings.Contains(errs.String(), "cannot keep 3 verdicts in --judge-cache") {
		t.Errorf("got exit %d, %s\n%s; want 1, all scores, and what was lost", code, out, errs)
	}
}

// A report of partial results is said to be one.
func TestReportOfPartialResults(t *testing.T) {
	_, results, _ := plumb(t, mcqs(3), "score", "--backend", "cpu", "-")
	path := written(t, filepath.Join(t.TempDir(), "out.jsonl.0123abcd.partial"), results)
	if code, _, errs := plumb(t, "", "report", path); code != 0 || !strings.Contains(errs, "ended early") {
		t.Errorf("got exit %d, %s; want 0 and a word about the run", code, errs)
	}
}

// answered is a scorer that takes one line and has answered all that it took.
type answered struct {
	scorer
	taken  bool
	cancel context.CancelFunc
}

func (a *answered) Put(dump.Line) error {
	if a.taken {
		return context.Canceled
	}
	a.taken = true
	a.cancel()
	return nil
}

// Where a signal comes while all lines that were given have their answers, the
// run is interrupted too: not all lines were given.
func TestInterruptedFeed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := records.Open("-", strings.NewReader(mcqs(3)), records.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := &job{cmd: &scoreCmd{Dumps: []string{"-"}}, bar: newProgress(io.Discard, nil, "line", "score", time.Hour)}
	defer j.bar.end()
	put := j.putTo(ctx, &answered{cancel: cancel}, make(chan pendingLine, 3))
	if err := j.feedLines(r, put); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the context's error", err)
	}
}
