package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"plumb/daemon/jobs"
)

// objects starts an object store with the bucket runs. It keeps the condition If-None-Match: *.
func objects(t *testing.T) (*s3mem.Backend, string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("runs"); err != nil {
		t.Fatal(err)
	}
	next := gofakes3.New(backend).Server()
	var mu sync.Mutex // of the condition and what depends on it
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == "*" {
			mu.Lock()
			defer mu.Unlock()
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return backend, server.URL
}

// putObject stores an object.
func putObject(t *testing.T, b *s3mem.Backend, key string, text []byte) {
	t.Helper()
	meta := map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}
	if _, err := b.PutObject("runs", key, meta, bytes.NewReader(text), int64(len(text)), nil); err != nil {
		t.Fatal(err)
	}
}

// objectText returns the bytes of an object, and whether it is there.
func objectText(t *testing.T, b *s3mem.Backend, key string) (string, bool) {
	t.Helper()
	o, err := b.GetObject("runs", key, nil)
	if err != nil {
		return "", false
	}
	defer o.Contents.Close()
	text, err := io.ReadAll(o.Contents)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), true
}

// keysUnder returns the keys under a prefix.
func keysUnder(t *testing.T, b *s3mem.Backend, prefix string) (keys []string) {
	t.Helper()
	list, err := b.ListBucket("runs", &gofakes3.Prefix{HasPrefix: true, Prefix: prefix}, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Contents {
		keys = append(keys, o.Key)
	}
	return keys
}

// doneObjects returns the number of markers of a job.
func doneObjects(t *testing.T, b *s3mem.Backend, prefix string) (n int) {
	t.Helper()
	for _, key := range keysUnder(t, b, prefix) {
		if strings.HasSuffix(key, ".done") {
			n++
		}
	}
	return n
}

// A job in an object store: of a dump in the store, with processes that share no folder. One is killed,
// two do the same shards, a part is damaged behind its marker. The bytes are those of one process. See
// docs/spec/jobs.md#r11.
func TestBucket(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in other processes; nothing here can race")
	}
	backend, endpoint := objects(t)
	text := manyAnswers(20_000)
	putObject(t, backend, "dump.jsonl", []byte(text))
	once := filepath.Join(t.TempDir(), "once.jsonl")
	score := []string{"score", "--backend", "cpu", "--paper", "none", "--s3-endpoint", endpoint, "--s3-region", "us-east-1", "s3://runs/dump.jsonl"}
	if code, errs := process(t, nil, append(score, "-o", once)...); code != 0 {
		t.Fatal(errs)
	}
	want := fileText(t, once)
	args := append(score, "--job", "s3://runs/jobs/a")
	status := func() (int, string) {
		code, out, _ := plumb(t, "", "score", "--s3-endpoint", endpoint, "--s3-region", "us-east-1", "--status", "s3://runs/jobs/a")
		return code, out
	}
	index := func(i int) []string {
		// A copy, because goroutines that append to args at once would write into the same array.
		return slices.Concat(args, []string{"--driver", "index", "--index", strconv.Itoa(i), "--of", "3"})
	}
	if code, out, errs := plumb(t, "", append(args, "--plan")...); code != 0 || !strings.Contains(out, `"manifest":"s3://runs/jobs/a/manifest.jsonl","shards":11,"done":0`) {
		t.Errorf("--plan: got exit %d, %s%s; want the manifest and its shards", code, out, errs)
	}
	cmd := exec.Command(binary, index(0)...)
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for doneObjects(t, backend, "jobs/a/") == 0 && cmd.ProcessState == nil {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if code, out := status(); code != unfinished || !strings.Contains(out, "shards:") {
		t.Errorf("--status: got exit %d, %s; want 3", code, out)
	}
	var all sync.WaitGroup
	for _, i := range []int{2, 0, 1, 1} {
		all.Go(func() {
			if code, errs := process(t, nil, index(i)...); code != 0 || !strings.Contains(errs, " scored, ") {
				t.Errorf("index %d: got exit %d, %s", i, code, errs)
			}
		})
	}
	all.Wait()
	if code, out := status(); code != 0 || !strings.Contains(out, "all shards are done") {
		t.Errorf("--status: got exit %d, %s; want 0", code, out)
	}
	putObject(t, backend, "jobs/a/part-5", []byte("{}\n"))
	manifest := []string{"shard", "run", "--manifest", "s3://runs/jobs/a/manifest.jsonl", "--s3-endpoint", endpoint, "--s3-region", "us-east-1"}
	if code, errs := process(t, nil, append(manifest, "--shard", "5")...); code != 0 {
		t.Errorf("shard 5: got exit %d, %s", code, errs)
	}
	putObject(t, backend, "jobs/a/part-2", []byte("{}\n"))
	out := filepath.Join(t.TempDir(), "out.jsonl")
	if code, errs := process(t, nil, append(args, "-o", out)...); code != 0 || fileText(t, out) != want {
		t.Errorf("got exit %d, %s; want the bytes of one process", code, errs)
	}
	if left := keysUnder(t, backend, "jobs/"); len(left) > 0 {
		t.Errorf("got %v; want nothing left of the job", left)
	}
	for _, bad := range [][]string{{"--job", "s3://runs", "-o", out}, {"--job", "folder", "-o", out}, {"--job", "s3://runs/jobs/b"}} {
		if code, errs := process(t, nil, append(score, bad...)...); code != 2 {
			t.Errorf("%v: got exit %d, %s; want 2", bad, code, errs)
		}
	}
}

// Parts that stay in the store have the summary and the mark of success beside them.
func TestBucketParts(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in other processes; nothing here can race")
	}
	backend, endpoint := objects(t)
	dump := written(t, filepath.Join(t.TempDir(), "dump.jsonl"), mcqs(5000))
	want, tables := scoredOnce(t, dump)
	score := []string{"score", "--backend", "cpu", "--paper", "none", "--s3-endpoint", endpoint, "--s3-region", "us-east-1", "--job", "s3://runs/jobs/b", dump}
	if code, errs := process(t, nil, append(score, "--driver", "nats", "--no-join")...); code != 0 || !strings.Contains(errs, "3 shards scored here") {
		t.Errorf("--driver nats: got exit %d, %s", code, errs)
	}
	code, errs := process(t, nil, append(score, "--no-join")...)
	if code != 0 || !strings.Contains(errs, tables) {
		t.Fatalf("got exit %d, %s; want the tables %s", code, errs, tables)
	}
	var got strings.Builder
	for i := range 3 {
		part, ok := objectText(t, backend, fmt.Sprint("jobs/b/part-", i))
		if !ok {
			t.Fatalf("part %d is not there", i)
		}
		got.WriteString(part)
	}
	if got.String() != want {
		t.Error("the parts are not the results of one process")
	}
	if _, ok := objectText(t, backend, "jobs/b/"+jobs.SuccessName); !ok {
		t.Error("the mark of success is not there")
	}
	text, _ := objectText(t, backend, "jobs/b/"+jobs.SummaryName)
	if !json.Valid([]byte(text)) || !strings.Contains(text, `"n":5000`) && !strings.Contains(text, `"n": 5000`) {
		t.Errorf("got the summary %s; want 5000 results", text)
	}
	if again, errs := process(t, nil, append(score, "--no-join")...); again != 0 || !strings.Contains(errs, "resuming: "+grouped(int64(5000))+" of ") {
		t.Errorf("again: got exit %d, %s; want nothing left to do", again, errs)
	}
}

// A line that ends its processes is found in a job of an object store too.
func TestBucketPoison(t *testing.T) {
	if testing.Short() {
		t.Skip("the program runs in other processes; nothing here can race")
	}
	faulty := filepath.Join(t.TempDir(), "plumb")
	if out, err := exec.Command("go", "build", "-tags", "egl fault", "-o", faulty, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v\n%s", err, out)
	}
	backend, endpoint := objects(t)
	dump := written(t, filepath.Join(t.TempDir(), "dump.jsonl"), strings.Replace(mcqs(3000), `"id":"q1234"`, `"id":"q1234","deadly":1`, 1))
	run := func() (int, string) {
		cmd := exec.Command(faulty, "score", "--backend", "cpu", "--paper", "none", "--s3-endpoint", endpoint, "--s3-region", "us-east-1",
			"--job", "s3://runs/jobs/c", "--driver", "index", "--index", "0", "--of", "1", dump)
		cmd.Env = append(os.Environ(), `PLUMB_FAULT=die@"deadly"`)
		errs, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(errs)
	}
	for range poisonAfter {
		if code, errs := run(); code != -1 {
			t.Fatalf("got exit %d, %s; want a process that is killed", code, errs)
		}
	}
	if code, errs := run(); code != 0 {
		t.Fatalf("got exit %d, %s; want all shards done", code, errs)
	}
	first, _ := objectText(t, backend, "jobs/c/part-0")
	if n := strings.Count(first, "\n"); n != jobs.ShardLines || strings.Count(first, `"code":"poison"`) != 1 {
		t.Errorf("got %d results, %d poisoned; want %d and one", n, strings.Count(first, `"code":"poison"`), jobs.ShardLines)
	}
	for line := range strings.Lines(first) {
		if strings.Contains(line, `"code":"poison"`) && !strings.Contains(line, `"id":"q1234"`) {
			t.Errorf("got %s; want poison in q1234", line)
		}
	}
}
