package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumb/testdata"
)

// TestAddress scores dumps behind addresses of this machine: lines, and a log that needs random access.
// Their queries are in no result, no message and no manifest. See docs/spec/dumps.md#r27.
func TestAddress(t *testing.T) {
	text := demo(t)
	lines := []byte(fileText(t, filepath.Dir(text), "short.jsonl"))
	log := testdata.Bytes(t, "formats/inspect/aspire.eval")
	tag := `"1"`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := lines
		if strings.HasSuffix(r.URL.Path, ".eval") {
			b = log
		}
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	}))
	defer s.Close()
	dir := t.TempDir()
	score := func(want int, args ...string) string {
		t.Helper()
		code, _, errs := plumb(t, "", append([]string{"score", "--backend", "cpu", "--paper", "none"}, args...)...)
		if code != want || strings.Contains(errs, "secret") {
			t.Fatalf("%v: got exit %d, %s; want %d, and no query", args, code, errs, want)
		}
		return errs
	}
	near, far := filepath.Join(dir, "near.jsonl"), filepath.Join(dir, "far.jsonl")
	score(0, "-o", near, text)
	score(0, "-o", far, s.URL+"/short.jsonl?key=secret")
	if fileText(t, dir, "far.jsonl") != fileText(t, dir, "near.jsonl") {
		t.Error("results of an address differ from those of the file")
	}
	tasks := "aspire=" + testdata.Path(t, "aspire/cases.jsonl")
	score(0, "-o", filepath.Join(dir, "two.jsonl"), "--tasks", tasks, "--max-failed", "100%", s.URL+"/a.eval?key=secret", s.URL+"/short.jsonl?key=secret")
	two := fileText(t, dir, "two.jsonl")
	if n := strings.Count(two, `"file":"`+s.URL+`/a.eval"`); n < 5 || strings.Contains(two, "secret") {
		t.Errorf("got %d results of the log; want them under its address without the query", n)
	}
	parts := filepath.Join(dir, "parts.jsonl")
	score(0, "-o", parts, "--no-join", s.URL+"/short.jsonl?key=secret")
	if manifest := fileText(t, parts+".job", "manifest.jsonl"); strings.Contains(manifest, "secret") || !strings.Contains(manifest, `"etag":"\"1\""`) {
		t.Errorf("got the manifest %s; want the version and no query", manifest)
	}
	tag = `"2"`
	if errs := score(2, "-o", parts, "--no-join", s.URL+"/short.jsonl?key=secret"); !strings.Contains(errs, "had the version") {
		t.Errorf("got %s; want the version that changed", errs)
	}
	if errs := score(1, "http://example.org/a.jsonl?key=secret"); !strings.Contains(errs, "want https://") {
		t.Errorf("got %s; want a refusal of http", errs)
	}
	code, out, errs := plumb(t, "", "records", s.URL+"/a.eval?key=secret")
	if code != 0 || strings.Contains(out+errs, "secret") || strings.Count(out, "\n") < 5 {
		t.Errorf("records: got exit %d, %s; want the records of the log", code, errs)
	}
}
