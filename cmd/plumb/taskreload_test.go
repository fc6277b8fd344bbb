package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Task files are read again on SIGHUP and when they change; a broken one leaves the tasks as they
// were. See docs/spec/episodes.md#r13.
func TestTaskReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	task := func(id, target string) string {
		return `{"id":"` + id + `","test":"maze","shapes":[],"task":{"target":` + target + `}}` + "\n"
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(task("a", "[100,100]"))
	d := startDaemon(t, "--backend", "cpu", "--result-cache", "1MiB", "--tasks", "aspire="+path)
	answer := func(id string) string {
		_, got := d.post("/v1/reward", `{"label":"{\"suite\":\"aspire\",\"id\":\"`+id+`\"}","response":"{\"createShapes\":[{\"type\":\"star\",\"color\":\"red\",\"x\":0,\"y\":0,\"w\":200,\"h\":200}]}"}`)
		return got
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(patience); !ok(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: not in time\n%s", what, d.log)
			}
		}
	}
	metric := func() string {
		resp, err := http.Get("http://" + d.addr + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var b strings.Builder
		buf := make([]byte, 1<<16)
		for {
			n, err := resp.Body.Read(buf)
			b.Write(buf[:n])
			if err != nil {
				return b.String()
			}
		}
	}
	if got := answer("a"); !strings.Contains(got, `"score":1.0`) {
		t.Fatalf("got %s", got)
	}
	write(task("a", "[100,400]") + task("b", "[100,100]"))
	d.cmd.Process.Signal(syscall.SIGHUP)
	until("SIGHUP", func() bool { return strings.Contains(answer("b"), `"score":1.0`) })
	if got := answer("a"); !strings.Contains(got, `"score":0.0`) {
		t.Errorf("a result of before: %s", got)
	}
	write(task("a", "[100,100]") + "{broken\n")
	d.cmd.Process.Signal(syscall.SIGHUP)
	until("a broken file", func() bool { return strings.Contains(metric(), "plumb_task_files_stale 1\n") })
	if got := answer("b"); !strings.Contains(got, `"score":1.0`) || !strings.Contains(d.logged(), "tasks are as before") || strings.Contains(d.logged(), path+":") {
		t.Errorf("after a broken file: %s\n%s", got, d.log)
	}
	write(task("c", "[100,100]")) // no signal
	until("a change", func() bool { return strings.Contains(answer("c"), `"score":1.0`) })
	if m := metric(); !strings.Contains(m, `plumb_task_reloads_total{result="failed"} 1`) || !strings.Contains(m, "plumb_task_files_stale 0\n") {
		t.Errorf("got %s", m)
	}
}
