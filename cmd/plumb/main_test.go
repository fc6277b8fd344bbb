package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plumb/testdata"
)

// plumb runs one command line in this process.
func plumb(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(args, streams{strings.NewReader(stdin), &out, &errs})
	return code, out.String(), errs.String()
}

// binary is the program, built once per run of the tests.
var binary string

func TestMain(m *testing.M) {
	if path := os.Getenv(takerVariable); path != "" {
		takeRegion(path)
		return
	}
	dir, err := os.MkdirTemp("", "plumb")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "plumb")
	build := exec.Command("go", "build", "-tags", "egl", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot build plumb: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string // on stderr, or on stdout for code 0
	}{
		{[]string{"--help"}, 0, "score"},
		{[]string{"version"}, 0, "plumb " + version},
		{[]string{"version", "--json"}, 0, `"version":"` + version + `"`},
		{[]string{}, 2, "expected one of"},
		{[]string{"paint"}, 2, "paint"},
		{[]string{"score"}, 2, "dump"},
		{[]string{"score", "--nope", "x"}, 2, "--nope"},
		{[]string{"score", "--variant", "nope", "x"}, 2, "balance.printed"},
		{[]string{"score", "--suite", "chess", "x"}, 2, "aspire"},
		{[]string{"score", "--reward", "much", "x"}, 2, "clamp11"},
		{[]string{"score", "--batch", "0", "x"}, 2, "--batch"},
		{[]string{"score", "--max-line", "lots", "x"}, 2, "--max-line"},
		{[]string{"score", "--max-depth", "400", "x"}, 2, "300"},
		{[]string{"score", "--tasks", "chess=/nowhere", "x"}, 1, "chess=/nowhere"},
		{[]string{"score", "--server", "nonsense", "x"}, 2, "http://HOST:PORT"},
		{[]string{"score", "--server", "http://127.0.0.1:1", "--token-env", "PLUMB_NO_SUCH_TOKEN", "x"}, 2, "PLUMB_NO_SUCH_TOKEN"},
		{[]string{"score", "--backend", "cpu", "/nowhere/dump"}, 1, "cannot open dump"},
		{[]string{"render", "--bounds", "1,2", "x"}, 2, "content[:PAD]"},
		{[]string{"serve", "--listen", ""}, 2, "--socket"},
		{[]string{"serve", "--backend", "cpu", "--listen", "256.0.0.1:1"}, 1, "--listen"},
	} {
		code, out, errs := plumb(t, "", c.args...)
		got := errs
		if c.code == 0 {
			got = out
		}
		if code != c.code || !strings.Contains(got, c.want) {
			t.Errorf("%q: got exit %d, %q; want %d with %q", c.args, code, got, c.code, c.want)
		}
	}
}

// Each flag says what it does, in a sentence, and its default where it has one;
// names are lower case with hyphens.
func TestFlags(t *testing.T) {
	k := parser(new(cli))
	seen := 0
	for _, command := range k.Model.Children {
		for _, f := range command.Flags {
			if f.Name == "help" {
				continue
			}
			seen++
			if help := flagHelp(f.Value); !strings.HasSuffix(strings.TrimSpace(help), ".") || len(f.Help) < 15 {
				t.Errorf("%s --%s: help %q is no sentence", command.Name, f.Name, help)
			}
			if !regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z]+)*$`).MatchString(f.Name) {
				t.Errorf("%s --%s: want lower case with hyphens", command.Name, f.Name)
			}
		}
	}
	if seen < 60 {
		t.Errorf("looked at %d flags only", seen)
	}
	for _, limit := range []string{"line", "body", "depth", "shapes", "pixels", "side", "text", "ratio", "actions", "response", "deadline", "queue"} {
		if code, _, errs := plumb(t, "", "serve", "--max-"+limit, "5m", "--max-nonsense"); code != 2 || strings.Contains(errs, "unknown flag --max-"+limit) {
			t.Errorf("serve --max-%s: got exit %d, %s", limit, code, errs)
		}
	}
}

// spoilt is the dump of the reference cases with lines of every kind of trouble.
func spoilt(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(testdata.Path(t, "aspire/cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	for i := range lines {
		switch i % 60 { // 5 %
		case 7:
			lines[i] = lines[i][:len(lines[i])/3]
		case 23:
			lines[i] = `{"id":"a","id":"b"}`
		case 41:
			lines[i] = "\xff\xfe" + lines[i]
		}
		if i%45 == 11 {
			lines[i] = "\r\n" + lines[i]
		}
	}
	return strings.Join(lines, "\n") // no final newline
}

// results reads result lines and checks what each must have.
func results(t *testing.T, out string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for i, l := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("result %d: %v: %s", i, err, l)
		}
		if m["id"] == nil || m["scorer"] != "plumb "+version {
			t.Errorf("result %d: got %s", i, l)
		}
		all = append(all, m)
	}
	return all
}

// The same dump gives the same bytes: twice, in batches of any size, with any
// number of workers, in process and through a daemon.
func TestSameBytes(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump.jsonl")
	text := spoilt(t)
	if err := os.WriteFile(dump, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := startDaemon(t, "--socket", filepath.Join(t.TempDir(), "s"), "--batch", "5")
	var want, table string
	for _, args := range [][]string{
		{"--workers", "1"}, {"--workers", "1"}, {"--workers", "2"}, {"--batch", "1"}, {"--batch", "7", "--workers", "2"}, {"--batch", "256"},
		{"--tally-cache", "0"}, {"--tally-cache", "1"}, // 1 byte holds nothing
		{"--server", "http://" + d.addr}, {"--server", "unix:" + d.cmd.Args[len(d.cmd.Args)-3]},
	} {
		code, out, errs := plumb(t, "", append([]string{"score", dump}, args...)...)
		if code != 0 {
			t.Fatalf("%q: got exit %d, %s", args, code, errs)
		}
		if want == "" {
			want, table = out, errs
		}
		if out != want || errs != table {
			t.Errorf("%q: output differs from the first run's", args)
		}
	}
	lines := strings.Count(text, "\n") + 1 - strings.Count(text, "\r\n")
	got := results(t, want)
	if len(got) != lines {
		t.Errorf("got %d results of %d lines", len(got), lines)
	}
	bad := 0
	for _, m := range got {
		if e, ok := m["error"].(map[string]any); ok && e["code"] == "bad_line" {
			bad++
			if m["line"] == nil || m["score"] != nil {
				t.Errorf("a bad line has %v", m)
			}
		}
	}
	if bad != 9 {
		t.Errorf("got %d bad lines; want 9", bad)
	}
	if !strings.Contains(table, "balance") || !strings.Contains(table, "average") {
		t.Errorf("got the table %q", table)
	}
	if code, out, errs := plumb(t, text, "score", "--server", "http://"+d.addr, "-"); code != 0 || out != want || errs != table {
		t.Errorf("from stdin: got exit %d; other output: %v", code, out != want)
	}
}

// Scores that need no pixels are those of the reference.
func TestScoresOfCases(t *testing.T) {
	path := testdata.Path(t, "aspire/cases.jsonl")
	code, out, errs := plumb(t, "", "score", "--suite", "aspire", path)
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := results(t, out)
	for i, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		var c struct {
			ID, Test string
			Expected struct{ Score *float64 }
		}
		if err := json.Unmarshal([]byte(l), &c); err != nil {
			t.Fatal(err)
		}
		if got[i]["id"] != c.ID {
			t.Fatalf("result %d: got %v; want %s", i, got[i]["id"], c.ID)
		}
		if c.Test == "label" || c.Test == "balance" || c.Expected.Score == nil {
			continue
		}
		if s, ok := got[i]["score"].(float64); !ok || math.Abs(s-*c.Expected.Score) > 1e-6 {
			t.Errorf("%s: got %v; want %g", c.ID, got[i]["score"], *c.Expected.Score)
		}
	}
}

func TestTasksJoin(t *testing.T) {
	b, err := os.ReadFile(testdata.Path(t, "aspire/cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var answers, whole strings.Builder
	for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n")[:40] {
		var m map[string]json.RawMessage
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&answers, `{"id":%s,"response":%s}`+"\n", m["id"], m["response"])
		fmt.Fprintln(&whole, l)
	}
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	dump, all := file("answers.jsonl", answers.String()), file("whole.jsonl", whole.String())
	_, want, _ := plumb(t, "", "score", all)
	d := startDaemon(t)
	for _, args := range [][]string{
		{"score", "--tasks", "aspire=" + all, dump}, {"score", "--tasks", all, dump},
		{"score", "--tasks", "aspire=" + all, "--server", "http://" + d.addr, dump},
	} {
		if code, out, errs := plumb(t, "", args...); code != 0 || out != want {
			t.Errorf("%q: got exit %d, other output: %v; %s", args, code, out != want, errs)
		}
	}
	_, out, _ := plumb(t, "", "score", "--suite", "aspire", dump)
	for _, m := range results(t, out) {
		if m["score"] != nil {
			t.Errorf("got a score without a task: %v", m)
		}
	}
}

func TestRewardAndVariant(t *testing.T) {
	path := testdata.Path(t, "aspire/cases.jsonl")
	_, plain, _ := plumb(t, "", "score", path)
	_, raw, _ := plumb(t, "", "score", "--reward", "raw", path)
	_, varied, _ := plumb(t, "", "score", "--variant", "maze.cell", path)
	a, b, c := results(t, plain), results(t, raw), results(t, varied)
	below, moved := 0, 0
	for i := range a {
		if s, ok := a[i]["score"].(float64); ok {
			if a[i]["reward"] != math.Min(math.Max(s, 0), 1) || b[i]["reward"] != s {
				t.Errorf("%v: got score %g, rewards %v and %v", a[i]["id"], s, a[i]["reward"], b[i]["reward"])
			}
			if s < 0 {
				below++
			}
		}
		if a[i]["score"] != c[i]["score"] {
			moved++
			if a[i]["test"] != "maze" {
				t.Errorf("%v: maze.cell changed the score of test %v", a[i]["id"], a[i]["test"])
			}
		}
	}
	if below == 0 || moved == 0 {
		t.Errorf("got %d scores below 0 and %d changed by the variant; want some", below, moved)
	}
}

// A dump that breaks off is scored as far as it goes, and the run has failed.
func TestTruncatedDump(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.gz")
	in := exec.Command("gzip", "-c", testdata.Path(t, "aspire/cases.jsonl"))
	packed, err := in.Output()
	if err != nil {
		t.Skip("no gzip program")
	}
	if err := os.WriteFile(path, packed[:len(packed)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := plumb(t, "", "score", path)
	if got := results(t, out); code != 1 || len(got) < 20 || !strings.Contains(errs, "unexpected EOF") || !strings.Contains(errs, "average") {
		t.Errorf("got exit %d, %d results, %s; want 1, those that are whole, the reason and the table", code, len(got), errs)
	}
}

func TestDoctor(t *testing.T) {
	code, out, errs := plumb(t, "", "doctor", "--fonts-dir", filepath.Join(testdata.Root(), "build", "fonts"))
	if code != 0 || !strings.Contains(out, "self-test passed") {
		t.Errorf("got exit %d\n%s%s", code, out, errs)
	}
	if strings.Contains(out, "ok       backend gl") && !strings.Contains(out, " iterations; tiles of more than ") {
		t.Errorf("doctor does not tell how many iterations the driver lets a loop run:\n%s", out)
	}
	code, _, errs = plumb(t, "", "doctor", "--backend", "gl", "--device", "no-such-device")
	if code != 1 || !strings.Contains(errs, "backend gl does not work") {
		t.Errorf("got exit %d, %s; want 1", code, errs)
	}
}
