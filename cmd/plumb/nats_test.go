package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"plumb/daemon/certtest"
	"plumb/daemon/claims/natstest"
	"plumb/daemon/jobs"
)

// natsServer starts a server that keeps its streams in a folder; port -1 takes a free one.
func natsServer(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	return natstest.Start(t, server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, SyncAlways: true})
}

// worker starts a process that takes shards from a queue.
func worker(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, &stderr
}

// Three processes take shards from a queue: one is killed within a shard, one is stopped for longer than
// a claim lasts, a part is damaged after its marker, and the server is killed and started again. The
// bytes are those of one process. See docs/spec/jobs.md#r9.
func TestNATS(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in other processes; nothing here can race")
	}
	dir := t.TempDir()
	dump := written(t, filepath.Join(dir, "dump.jsonl"), manyAnswers(150_000))
	once := filepath.Join(dir, "once.jsonl")
	if code, errs := process(t, nil, "score", "--backend", "cpu", "--paper", "none", "-o", once, dump); code != 0 {
		t.Fatal(errs)
	}
	store := filepath.Join(dir, "store")
	s := natsServer(t, store, -1)
	port := natstest.Port(s)
	out := filepath.Join(dir, "out.jsonl")
	args := []string{"score", "--backend", "cpu", "--paper", "none", "--workers", "1", "-o", out, "--driver", "nats", "--nats", fmt.Sprint("nats://127.0.0.1:", port), "--nats-ack-wait", "2s", dump}
	killed, _ := worker(t, args...)
	stopped, stoppedErrs := worker(t, args...)
	for markers(t, out) < 3 {
		time.Sleep(time.Millisecond)
	}
	stopped.Process.Signal(syscall.SIGSTOP)
	killed.Process.Kill()
	killed.Wait()
	third, thirdErrs := worker(t, args...)
	for seen := markers(t, out); markers(t, out) < seen+3; {
		time.Sleep(time.Millisecond)
	}
	s.Shutdown() // what is not synced is lost
	s.WaitForShutdown()
	for n := range 1000 {
		path := filepath.Join(out+jobs.Suffix, fmt.Sprint("part-", n))
		if _, err := os.Stat(path + ".done"); err == nil {
			if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	time.Sleep(time.Second)
	natsServer(t, store, port)
	time.Sleep(3 * time.Second) // longer than a claim lasts
	stopped.Process.Signal(syscall.SIGCONT)
	for name, w := range map[string]*exec.Cmd{"stopped": stopped, "third": third} {
		ended := make(chan error, 1)
		go func() { ended <- w.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the %s process: %v, %s%s", name, err, stoppedErrs, thirdErrs)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("the %s process does not end: %s%s", name, stoppedErrs, thirdErrs)
		}
	}
	if code, errs := process(t, nil, "score", "--backend", "cpu", "--paper", "none", "-o", out, dump); code != 0 || fileText(t, out) != fileText(t, once) {
		t.Errorf("got exit %d, equal %v, %s; want the bytes of one process", code, fileText(t, out) == fileText(t, once), errs)
	}
}

// A queue within the process gives the bytes of a run without one.
func TestNATSEmbedded(t *testing.T) {
	dump := written(t, filepath.Join(t.TempDir(), "dump.jsonl"), manyAnswers(9000))
	want, tables := scoredOnce(t, dump)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	code, errs := process(t, nil, "score", "--backend", "cpu", "--paper", "none", "-o", out, "--driver", "nats", dump)
	if _, after, ok := strings.Cut(errs, "all of the job are done\n"); code != 0 || !ok || after != tables || fileText(t, out) != want {
		t.Errorf("got exit %d, %s; want the same bytes and tables", code, errs)
	}
	for flag, args := range map[string][]string{"tls://": {"--nats", "nats://queue.example:4222"}, "--nats-creds": {"--nats", "tls://queue.example:4222"}} {
		if code, errs := process(t, nil, append([]string{"score", "--backend", "cpu", "-o", out + "2", "--driver", "nats", dump}, args...)...); code != 2 || !strings.Contains(errs, flag) {
			t.Errorf("%v: got exit %d, %s; want 2 and %s", args, code, errs, flag)
		}
	}
}

// Two processes at two addresses of the machine share a job over TLS. Which servers they trust is held by
// TestTLS of daemon/claims.
func TestNATSOverTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in other processes; nothing here can race")
	}
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	cert := certtest.SelfSigned(t, ca, filepath.Join(dir, "key.pem"), "queue", "127.0.0.1", "127.0.0.2")
	s := natstest.Start(t, server.Options{Host: "0.0.0.0", Port: -1, JetStream: true, StoreDir: filepath.Join(dir, "store"),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}})
	dump := written(t, filepath.Join(dir, "dump.jsonl"), manyAnswers(20_000))
	want, _ := scoredOnce(t, dump)
	out := filepath.Join(dir, "out.jsonl")
	args := []string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump}
	var workers []*exec.Cmd
	var errs []*bytes.Buffer
	for _, host := range []string{"127.0.0.1", "127.0.0.2"} {
		w, e := worker(t, append(args, "--driver", "nats", "--nats", fmt.Sprintf("tls://%s:%d", host, natstest.Port(s)), "--nats-ca", ca)...)
		workers, errs = append(workers, w), append(errs, e)
	}
	for i, w := range workers {
		if err := w.Wait(); err != nil {
			t.Errorf("process %d: %v, %s", i, err, errs[i])
		}
	}
	if code, e := process(t, nil, args...); code != 0 || fileText(t, out) != want {
		t.Errorf("got exit %d, %s; want the bytes of one process", code, e)
	}
}

// A line that ends its processes is found by the third one that takes its shard, also from a queue.
func TestNATSPoison(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in other processes; nothing here can race")
	}
	dir := t.TempDir()
	faulty := filepath.Join(dir, "plumb")
	if out, err := exec.Command("go", "build", "-tags", "egl fault", "-o", faulty, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v\n%s", err, out)
	}
	s := natsServer(t, filepath.Join(dir, "store"), -1)
	dump := written(t, filepath.Join(dir, "dump.jsonl"), strings.Replace(mcqs(5000), `"id":"q1234"`, `"id":"q1234","deadly":1`, 1))
	out := filepath.Join(dir, "out.jsonl")
	args := []string{"score", "--backend", "cpu", "--paper", "none", "-o", out, dump}
	run := func(args ...string) (int, string) {
		cmd := exec.Command(faulty, args...)
		cmd.Env = append(os.Environ(), `PLUMB_FAULT=die@"deadly"`)
		errs, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(errs)
	}
	queued := append(args, "--driver", "nats", "--nats", fmt.Sprint("nats://127.0.0.1:", natstest.Port(s)), "--nats-ack-wait", "2s")
	for range poisonAfter {
		if code, errs := run(queued...); code != -1 {
			t.Fatalf("got exit %d, %s; want a process that is killed", code, errs)
		}
	}
	if code, errs := run(queued...); code != 0 || !strings.Contains(errs, "2 processes ended within part 0 of shard 0") {
		t.Fatalf("got exit %d, %s; want all shards done", code, errs)
	}
	if code, errs := run(args...); code != 0 || !strings.Contains(errs, "1 poison") {
		t.Errorf("got exit %d, %s; want one poisoned line", code, errs)
	}
	if n := strings.Count(fileText(t, out), "\n"); n != 5000 {
		t.Errorf("got %d results; want 5000", n)
	}
}
