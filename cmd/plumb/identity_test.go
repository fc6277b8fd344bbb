package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

// TestIdentityOfEverySuite scores one answer of every suite that says who made it:
// the result says so after the test, and how the model was asked at its end, in
// the same bytes on every way.
func TestIdentityOfEverySuite(t *testing.T) {
	const who = `"model":"M","repeat":2,"turn":1,"finish_reason":"length","cut":"answer"`
	const asked = `"asked":{"model":"M","mode":"cot","config":"9f","cost":0.0041}`
	dir := filepath.Join(testdata.Root(), "testdata")
	var lines []string
	for _, file := range []string{"aspire/demo.jsonl", "drawingbench/answers.jsonl", "tangram/predictions.jsonl", "tangram/outlines.jsonl", "vqa/answers.jsonl"} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSpace(string(b)), "\n")
		for _, line := range []string{all[0], all[len(all)-1]} {
			line = strings.NewReplacer(`"model":"exact",`, "", `"model":"careless",`, "", `"model":"careful",`, "", `"model":"hasty",`, "").Replace(line)
			lines = append(lines, `{`+asked+`,`+who+`,`+line[1:])
		}
	}
	lines = append(lines, `{`+asked+`,`+who+`,"id":"nothing","suite":"aspire","test":"maze"}`)
	tasks := []string{"--tasks", "drawingbench=" + own("tasks.json"), "--tasks", "tangram=" + dir + "/tangram/instances.jsonl",
		"--tasks", "spatialab=" + dir + "/vqa/items.jsonl", "--tasks", "spaceeval=" + dir + "/vqa/items.jsonl"}
	_, out, errs := plumb(t, strings.Join(lines, "\n"), append([]string{"score", "-"}, tasks...)...)
	want := strings.Split(strings.TrimSpace(out), "\n")
	if len(want) != len(lines) {
		t.Fatalf("got %d results; want %d: %s", len(want), len(lines), errs)
	}
	seen := map[string]bool{}
	for i, r := range want {
		head, _, _ := strings.Cut(r, `,"score":`)
		_, suite, _ := strings.Cut(head, `"suite":`)
		suite, _, _ = strings.Cut(suite, `,`)
		seen[suite] = true
		if !strings.HasSuffix(head, `"test":"`+testOf(head)+`",`+who) || !strings.HasSuffix(r, `,`+asked+`}`) {
			t.Errorf("result %d: got %s; want %s after the test, and %s at the end", i, r, who, asked)
		}
	}
	if len(seen) != 5 {
		t.Errorf("got results of %v; want all suites", seen)
	}
	if !strings.Contains(out, `"model":"M","run":2`) {
		t.Error("a result of SPATIALAB lacks the metric run")
	}

	d := startDaemon(t, tasks...)
	if _, got, _ := plumb(t, strings.Join(lines, "\n"), append([]string{"score", "--server", "http://" + d.addr, "-"}, tasks...)...); got != out {
		t.Error("other bytes through the daemon")
	}
	if code, got := postJSON(t, d.addr, "/v1/score", `{"items":[`+strings.Join(lines, ",")+`]}`); code != 200 || strings.TrimSpace(got) != `{"results":[`+strings.Join(want, ",")+`]}` {
		t.Errorf("got %d and other bytes from /v1/score", code)
	}
	if code, got := postJSON(t, d.addr, "/v1/score?timings=1", lines[0]); code != 200 || !strings.Contains(got, `"timings":{`) || !strings.HasSuffix(strings.TrimSpace(got), `},`+asked+`}`) {
		t.Errorf("got %d %s with times; want asked at the end", code, got)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, strings.Join(lines, "\n"))
	z.Close()
	resp, err := http.Post("http://"+d.addr+"/v1/score/stream", "application/x-ndjson", &packed)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || string(b) != out {
		t.Errorf("other bytes from a compressed stream: %v", err)
	}
}

// testOf is the test that the head of a result line names.
func testOf(head string) string {
	_, test, _ := strings.Cut(head, `"test":"`)
	test, _, _ = strings.Cut(test, `"`)
	return test
}

// TestOwnColumns: members of a dump line that say nothing of who answered may hold
// what the user likes.
func TestOwnColumns(t *testing.T) {
	code, out, errs := plumb(t, `{"id":"a","suite":"spatialab","options":["x","y"],"answer":"A","response":"A","key":5,"file":["f"],"at":{"line":3}}`+"\n",
		"score", "--backend", "cpu", "-")
	if code != 0 || !strings.Contains(out, `"score":1.0`) || strings.Contains(out, `"key"`) || strings.Contains(out, `"file"`) {
		t.Errorf("got exit %d, %s%s; want a score", code, out, errs)
	}
}
