package index

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// TestRecorder demands that an index that is made while lines are written is the one that is made of the file.
func TestRecorder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	for _, n := range []int{0, 1, 5000} {
		makeResults(t, path, n, 7)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n\n"), []byte("\n")) // without blank lines
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := NewRecorder(path, RecorderOptions{Options: Options{Tag: "a"}})
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			r.Add(line[:len(line)-1], nil)
		}
		if err := r.Finish(); err != nil {
			t.Fatal(err)
		}
		recorded, err := os.ReadFile(path + Suffix)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ tag, said string }{{"a", ""}, {"b", "other variants"}, {"a", "other variants"}} {
			said := ""
			f, err := OpenResults(context.Background(), path, Options{Tag: c.tag, Tell: func(s string) { said += s }, Cache: dir})
			if err != nil {
				t.Fatal(err)
			}
			if f.Close(); f.Rows() != n || said != "" != (c.said != "") || !strings.Contains(said, c.said) {
				t.Errorf("%d rows, tag %s: got %d rows, %q; want %q", n, c.tag, f.Rows(), said, c.said)
			}
		}
		if made, _ := os.ReadFile(path + Suffix); !bytes.Equal(made, recorded) {
			t.Errorf("%d rows: the index of the file differs from the recorded one", n)
		}
		os.Remove(path + Suffix)
	}
}

// TestRecorderRefuses leaves no index of a file that is not what was recorded.
func TestRecorderRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	makeResults(t, path, 3, 7)
	good := `{"id":"a","suite":"s","test":"t","score":1.0,"reward":1.0,"metrics":{},"notes":[]}`
	for _, c := range []struct{ line, want string }{{good, "want the"}, {`{"id":"a","response":"x"}`, "score it first"}} {
		r, err := NewRecorder(path, RecorderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r.Add([]byte(c.line), nil)
		if err := r.Finish(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want an error with %q", c.line, err, c.want)
		}
		r.Discard()
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("got the files %v; want the results alone", left)
	}
}

// TestRecorderDirect demands the same index of results in memory, of lines, and of both in turn, and that Extra comes
// from what has had all results.
func TestRecorderDirect(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	makeResults(t, path, 2000, 7)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n\n"), []byte("\n"))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, c := range []struct {
		name   string
		direct func(i int) bool
	}{
		{"lines", func(int) bool { return false }}, {"results", func(int) bool { return true }}, {"in turn", func(i int) bool { return i%3 > 0 }},
		{"lines last", func(i int) bool { return i < 600 }}, {"lines first", func(i int) bool { return i > 600 }},
	} {
		told, given := 0, 0
		o := RecorderOptions{Shared: func() json.RawMessage { return []byte(strconv.Itoa(given)) }}
		o.Observe, o.Extra = func(*scoring.Result) { told++ }, func() json.RawMessage { return []byte(strconv.Itoa(told)) }
		r, err := NewRecorder(path, o)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			line = line[:len(line)-1]
			result, err := scoring.ReadResult(fastjson.MustParseBytes(line))
			if err != nil {
				t.Fatal(err)
			}
			if !c.direct(given) {
				result = nil
			}
			r.Add(line, result)
			given++
		}
		if err := r.Finish(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path + Suffix)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) || told != given && c.name != "results" {
			t.Errorf("%s: Observe had %d of %d results, and the index is that of lines: %v", c.name, told, given, bytes.Equal(got, want))
		}
	}
}
