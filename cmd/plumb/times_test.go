package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// --times tells of every line, with its id and the parts that add up to its work;
// the seconds of each test and the slowest lines are printed.
func TestTimes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "times.jsonl")
	const n = 12
	dump := mcqs(n) + balance + "\n" + `{"id":"bad"}` + "\n"
	_, want, _ := plumb(t, dump, "score", "--backend", "cpu", "-")
	code, out, errs := plumb(t, dump, "score", "--backend", "cpu", "--times", file, "-")
	if code != 0 || out != want {
		t.Fatalf("got exit %d, the same results: %v\n%s", code, out == want, errs)
	}
	lines := strings.Split(strings.TrimSpace(read(t, file)), "\n")
	if len(lines) != n+2 {
		t.Fatalf("got %d lines; want %d", len(lines), n+2)
	}
	for i, l := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(l), &got); err != nil {
			t.Fatal(err)
		}
		sum, work := 0.0, got["work_ms"].(float64)
		for name, v := range got {
			if strings.HasSuffix(name, "_ms") && name != "work_ms" && name != "queue_ms" && name != "pack_ms" && name != "reply_ms" {
				sum += v.(float64)
			}
		}
		if got["line"].(float64) != float64(i+1) || sum-work > 0.02 || work-sum > 0.02 {
			t.Errorf("line %d: the parts add up to %v: %s", i+1, sum, l)
		}
		if i == n && (got["id"] != "b" || got["suite"] != "aspire" || got["test"] != "balance" || got["gpu_ms"] == nil) {
			t.Errorf("got %s; want the item with its pictures", l)
		}
	}
	slow := errs[strings.Index(errs, "Slowest lines"):]
	rows := strings.Count(slow, "\n") - 2
	if i := strings.Index(slow, "of 14 lines could"); !strings.Contains(errs, "Seconds of work per test") || i < 0 || rows < maxSlow {
		t.Errorf("got the tables\n%s", errs)
	}
	for _, args := range [][]string{{"--server", "http://127.0.0.1:1"}, {"-o", file}} {
		if code, _, errs := plumb(t, dump, append([]string{"score", "--times", file, "-"}, args...)...); code != 2 || !strings.Contains(errs, "--times") {
			t.Errorf("%q: got exit %d, %s; want 2", args, code, errs)
		}
	}
}
