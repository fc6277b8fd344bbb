package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// turnOf is a result line of DrawingBench.
func turnOf(model string, turn int, score float64) string {
	return fmt.Sprintf(`{"id":"t#0/%d","suite":"drawingbench","test":"drawing","model":%q,"turn":%d,"score":%g,"reward":%g,"metrics":{"task":"t#0","turn":%d},"notes":[]}`,
		turn, model, turn, score, score, turn)
}

// TestTablesKeepModelsApart joins two models that drew for one task in turn: each
// has tables of its own, and the same answer twice counts once.
func TestTablesKeepModelsApart(t *testing.T) {
	lines := []string{turnOf("A", 1, 0.695), turnOf("B", 1, 0.9), turnOf("A", 2, 1), turnOf("B", 2, 0.9)}
	code, want, errs := plumb(t, strings.Join(lines, "\n"), "report", "-")
	if code != 0 || errs != "" {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	for _, s := range []string{"DrawingBench overall, 1 task · A\n", "DrawingBench overall, 1 task · B\n", "mean score              0.6950  1.0000  0.3050",
		"Largest +0.305", "Largest +0.000", "0.847 ± 0.153 (2)"} {
		if !strings.Contains(want, s) {
			t.Errorf("no %q in\n%s", s, want)
		}
	}
	code, out, errs := plumb(t, strings.Join(append(lines, turnOf("B", 2, 0.1)), "\n"), "report", "-")
	if code != 0 || out != want || errs != "1 more line is left out: an earlier line has the same id, test, model, repeat and turn (note duplicate_id)\n" {
		t.Errorf("got exit %d, %q and\n%s; want the answer that came twice left out", code, errs, out)
	}
}

// TestReportOfADump: what plumb report is given must be results.
func TestReportOfADump(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"a","suite":"aspire","test":"maze","response":"x"}`:               "line 1: cannot read result line: it has the member response, so it is a line of a dump; score it first: plumb score -o RESULTS DUMP",
		`{"id":"a","suite":"drawingbench","actions":[],"score":0.5}`:             "it has the member actions, so it is a line of a dump",
		turnOf("A", 1, 0.5) + "\n" + `{"id":"a","suite":"aspire","test":"maze"}`: "line 2: cannot read result line: it has no member score",
		`[{"id":"a"}]`: "cannot read result line: got array; want an object that plumb score wrote",
	} {
		if code, out, errs := plumb(t, in, "report", "-"); code != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: got exit %d, %s%s; want 1 and %q", in, code, out, errs, want)
		}
	}
}

// TestFilesOfOneName: results that name no model are told apart by their files, also
// where these have the same name in different folders.
func TestFilesOfOneName(t *testing.T) {
	line := `{"id":"a","suite":"aspire","test":"maze","score":%s,"reward":0.5,"metrics":{},"notes":[]}`
	var paths []string
	for _, score := range []string{"1.0", "0.5"} {
		paths = append(paths, written(t, filepath.Join(t.TempDir(), "results.jsonl"), fmt.Sprintf(line, score)))
	}
	code, out, errs := plumb(t, "", append([]string{"report", "--format", "json"}, paths...)...)
	if code != 0 || errs != "" {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	for _, want := range append(paths, `"1.000 (1)","0.500 (1)"`) {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}

// TestReportOfNothing: a report without any score ends with its reason, in every
// format.
func TestReportOfNothing(t *testing.T) {
	for in, want := range map[string]string{
		"": "the files have no lines",
		`{"id":"line:1","line":1,"score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"bad_line","message":"m"}}`: "1 line could not be read or names no test of its suite",
		`{"id":"a","suite":"aspire","test":"maze","score":null,"reward":null,"metrics":{},"notes":[]}`:                          "none of 1 result has a score",
		`{"id":"a","suite":"aspire","test":"maze","score":"high"}`:                                                              `cannot use score: got "high"; want a number or null`,
		`{"id":"a","suite":7,"test":"maze","score":0.5}`:                                                                        "cannot use suite: got 7; want a string",
	} {
		for _, format := range []string{"text", "markdown", "json"} {
			if code, _, errs := plumb(t, in, "report", "--format", format, "-"); code != 1 || !strings.Contains(errs, want) {
				t.Errorf("%s as %s: got exit %d, %s; want 1 and %q", in, format, code, errs, want)
			}
		}
	}
}

// TestReportItems: the flag needs a report, and results alone make one with items.
func TestReportItems(t *testing.T) {
	for _, args := range [][]string{{"score", "--report-items", "5", "x"}, {"report", "--report-items", "5", "x"}, {"report", "--report", t.TempDir(), "--report-items", "-1", "x"}} {
		if code, _, errs := plumb(t, "", args...); code != 2 || !strings.Contains(errs, "--report-items") {
			t.Errorf("%q: got exit %d, %s; want 2", args, code, errs)
		}
	}
	dir := t.TempDir()
	lines := []string{turnOf("A", 1, 0.695), turnOf("B", 1, 0.9), turnOf("A", 2, 1), turnOf("B", 2, 0.8)}
	code, _, errs := plumb(t, strings.Join(lines, "\n"), "report", "--report", dir, "--report-items", "2", "-")
	page := read(t, filepath.Join(dir, "index.html"))
	for _, want := range []string{"4 answers, 2 shown", `"id":"t#0/1"`, `"score":0.695,"status"`, `"score":0.8,"status"`, `"total":4,"from":0`, "made of results alone"} {
		if code != 0 || !strings.Contains(page, want) {
			t.Errorf("got exit %d, %s and no %q", code, errs, want)
		}
	}
	if strings.Contains(page, `"score":1,"status"`) {
		t.Error("the best answer of a model is shown and not its worst")
	}
}

// TestTwiceInTwoDumps: an answer that an earlier dump has is noted and counts once,
// in process and through a daemon.
func TestTwiceInTwoDumps(t *testing.T) {
	dir := t.TempDir()
	item := `{"id":"a","suite":"tangram","test":"outline","options":{"A":"x","B":"y"},"answer":"A","model":"M","response":"A"}` + "\n"
	one := written(t, filepath.Join(dir, "one.jsonl"), item)
	two := written(t, filepath.Join(dir, "two.jsonl"), strings.Replace(item, `"M"`, `"N"`, 1)+item)
	d := startDaemon(t)
	var first string
	for _, more := range [][]string{nil, {"--server", "http://" + d.addr}} {
		code, out, errs := plumb(t, "", append([]string{"score", one, two}, more...)...)
		got := strings.Split(strings.TrimSpace(out), "\n")
		if code != 0 || len(got) != 3 || strings.Contains(got[0]+got[1], "duplicate_id") || strings.Count(got[2], `{"code":"duplicate_id","path":"id",`) != 1 {
			t.Errorf("%v: got exit %d, %s; want a note on the third line alone", more, code, out)
		}
		if !json.Valid([]byte(got[len(got)-1])) || !strings.Contains(errs, "1 more line is left out") {
			t.Errorf("%v: got %s, %s", more, out, errs)
		}
		if first == "" {
			first = out
		}
		if out != first {
			t.Error("other bytes through the daemon")
		}
	}
}
