package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A dump of which nothing or too little can be scored is a failed run that says
// why; lines without an answer and unjudged ones are no failures.
func TestTooFewScored(t *testing.T) {
	const silent = `{"id":"n","suite":"spatialab","options":["x","y"],"answer":"A"}` + "\n"
	const unjudged = `{"id":"u","suite":"spatialab","test":"open","open_answer":"x","response":"y"}` + "\n"
	const wrong = `{"question":"x","response":"y"}` + "\n"
	const torn = `{"id":` + "\n"
	lines := func(parts ...any) string { // lines and how often
		var b strings.Builder
		for i := 0; i < len(parts); i += 2 {
			b.WriteString(strings.Repeat(parts[i].(string), parts[i+1].(int)))
		}
		return b.String()
	}
	tasks := written(t, filepath.Join(t.TempDir(), "tasks.jsonl"), strings.Replace(mcq(0), `,"response":"A"`, "", 1))
	for _, c := range []struct {
		name, dump string
		args       string
		code       int
		want       []string // on stderr
	}{
		{"all is well", mcqs(3), "", 0, nil},
		{"no lines", "", "", 1, []string{"the input has no lines"}},
		{"another format", lines(wrong, 4), "", 1, []string{"4 of 4 lines could not be scored: 4 unknown_suite", "line 1: unknown_suite", "suite", "nothing could be scored"}},
		{"no JSON", lines("{id,response\n", 1, "a,b\n", 2), "", 1, []string{"3 bad_line", "line 1: bad_line", "one JSON object on each line"}},
		{"tasks that do not join", `{"id":"a","response":"A"}` + "\n" + `{"id":"b","response":"A"}` + "\n", "--suite spatialab --tasks " + tasks, 1, []string{"2 unknown_task", `line 2 (id "b")`, "nothing could be scored"}},
		{"tasks that join", `{"id":"q0","response":"A"}` + "\n", "--suite spatialab --tasks " + tasks, 0, nil},
		{"the answer by another name", strings.ReplaceAll(mcqs(2), "response", "reply"), "", 1, []string{"2 have no answer", "response"}},
		{"missing answers as zero", lines(silent, 2), "--missing zero", 1, []string{"2 have no answer"}},
		{"unjudged alone", lines(unjudged, 2), "", 1, []string{"2 were not judged (they need --judge-url)"}},
		{"hardly anything", lines(mcq(0), 1, wrong, 10), "", 1, []string{"10 of the 11", "90%"}},
		{"one in ten", lines(mcq(0), 1, wrong, 9), "", 0, []string{"9 of 10 lines could not be scored"}},
		{"missing ones do not count", lines(mcq(0), 1, silent, 50, unjudged, 50), "", 0, nil},
		{"a number", lines(mcq(0), 5, wrong, 3), "--max-failed 2", 1, []string{"3 of the 8", "--max-failed is 2"}},
		{"a number that is not passed", lines(mcq(0), 5, wrong, 3), "--max-failed 3", 0, nil},
		{"a share", lines(mcq(0), 99, wrong, 2), "--max-failed 1%", 1, []string{"--max-failed is 1%"}},
		{"any number", lines(mcq(0), 1, wrong, 40), "--max-failed 100%", 0, nil},
		{"strict, all scored", mcqs(3), "--strict", 0, nil},
		{"strict, a bad line", lines(mcq(0), 9, torn, 1), "--strict", 1, []string{"1 of 10 lines have no score (--strict)"}},
		{"strict, a missing answer", lines(mcq(0), 9, silent, 1), "--strict", 1, []string{"(--strict)", "1 has no answer (the field response is missing or null)"}},
		{"strict, a missing answer as zero", lines(mcq(0), 9, silent, 1), "--strict --missing zero", 0, nil},
		{"strict, unjudged", lines(mcq(0), 9, unjudged, 1), "--strict", 1, []string{"1 was not judged (it needs --judge-url)"}},
		{"both flags", mcqs(1), "--strict --max-failed 3", 2, []string{"--strict"}},
		{"no number", mcqs(1), "--max-failed many", 2, []string{"5%"}},
		{"no share", mcqs(1), "--max-failed 101%", 2, []string{"5%"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := plumb(t, c.dump, append([]string{"score", "--backend", "cpu", "-"}, strings.Fields(c.args)...)...)
			if code != c.code {
				t.Errorf("got exit %d; want %d\n%s", code, c.code, errs)
			}
			for _, w := range c.want {
				if !strings.Contains(errs, w) {
					t.Errorf("stderr lacks %q:\n%s", w, errs)
				}
			}
			if n := strings.Count(out, "\n"); code != 2 && n != strings.Count(c.dump, "\n") {
				t.Errorf("got %d results; want one for each line", n)
			}
		})
	}
}

// A line that names its suite alone is told every member that it lacks.
func TestLackingMembers(t *testing.T) {
	for suite, want := range map[string][]string{
		`"aspire"`:                    {"test (", "shapes (", "task (", "response ("},
		`"aspire","test":"maze"`:      {"shapes (", "task (", "response ("},
		`"drawingbench"`:              {"criteria (", "response (", "task_id"},
		`"tangram"`:                   {"target_outline.vertices (", "response (", "instance_id"},
		`"tangram","test":"outline"`:  {"answer (", "response ("},
		`"spatialab"`:                 {"options (", "answer (", "response (", "--tasks spatialab=FILE"},
		`"spatialab","format":"open"`: {"open_answer (", "response ("},
		`"spaceeval"`:                 {"options (", "answer (", "response (", "--tasks spaceeval=FILE"},
	} {
		code, out, errs := plumb(t, fmt.Sprintf(`{"suite":%s}`+"\n", suite), "score", "--backend", "cpu", "-")
		for _, w := range want {
			if code != 1 || !strings.Contains(out, w) || !strings.Contains(errs, w) {
				t.Errorf("%s: got exit %d and\n%s%s; want 1 and %q", suite, code, out, errs, w)
			}
		}
	}
}

// A line whose answer is its actions does not lack one.
func TestLackingWithActions(t *testing.T) {
	code, out, _ := plumb(t, `{"suite":"drawingbench","task_id":"a","actions":[]}`+"\n", "score", "--backend", "cpu", "-")
	if code != 1 || !strings.Contains(out, "it lacks criteria (") || strings.Contains(out, "response (") {
		t.Errorf("got exit %d and %s; want that criteria alone are missing", code, out)
	}
}

// Other commands end with a reason too where there is nothing to show.
func TestNothingToShow(t *testing.T) {
	bad := written(t, filepath.Join(t.TempDir(), "bad.csv"), "id,shapes\n1,2\n")
	for _, c := range []struct {
		in   string
		args []string
		want string
	}{
		{"", []string{"render", "--backend", "cpu", "-"}, "nothing could be drawn: the input has no lines"},
		{"", []string{"render", "--backend", "cpu", bad}, "nothing could be drawn: of 2 lines, 2 failed (2 bad_scene)"},
		{"", []string{"prompt", "-"}, "cannot write any prompt: the file has no lines"},
		{"", []string{"agree", "-"}, "it has no lines"},
		{"{x\n", []string{"score", "--backend", "cpu", "--judge-url", "http://127.0.0.1:1", "--judge-model", "m", "--judge-dry-run", "-"}, "nothing could be scored: of 1 line, 1 failed (1 bad_line)"},
	} {
		if code, _, errs := plumb(t, c.in, c.args...); code != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: got exit %d, %s; want 1 and %q", c.args, code, errs, c.want)
		}
	}
}

// The place of a failed line names the file, where there is one, and standard input by its name.
func TestFailedPlace(t *testing.T) {
	for _, c := range []struct {
		line failedLine
		want string
	}{
		{failedLine{line: 1}, "line 1: c: m"},
		{failedLine{file: "-", line: 1}, "standard input, line 1: c: m"},
		{failedLine{file: "a.jsonl", line: 2, id: "x"}, `a.jsonl, line 2 (id "x"): c: m`},
		{failedLine{file: "a.jsonl", line: 2, id: "line:2"}, "a.jsonl, line 2: c: m"},
		{failedLine{file: "a.xlsx", line: 2, place: "sheet S, row 3"}, "a.xlsx, sheet S, row 3: c: m"},
	} {
		c.line.code, c.line.message = "c", "m"
		if got := c.line.String(); got != c.want {
			t.Errorf("got %q; want %q", got, c.want)
		}
	}
}
