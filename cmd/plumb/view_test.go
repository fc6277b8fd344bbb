package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/daemon/index"
	"plumb/scoring"
)

// TestViewSave writes a page of scored answers: it holds them with their pictures, and nothing that loads from elsewhere.
func TestViewSave(t *testing.T) {
	dir := t.TempDir()
	all, err := os.ReadFile("../../testdata/aspire/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dump := written(t, filepath.Join(dir, "dump.jsonl"), strings.Join(strings.SplitAfter(string(all), "\n")[:6], ""))
	results, page := filepath.Join(dir, "results.jsonl"), filepath.Join(dir, "page.html")
	if code, _, errs := plumb(t, "", "score", "--fidelity", "native", "-o", results, dump); code != 0 {
		t.Fatal(errs)
	}
	if code, out, errs := plumb(t, "", "view", results, "--dump", dump, "--fidelity", "native", "--save", page, "--items", "3"); code != 0 || out != "" {
		t.Fatalf("got exit %d, %s%s", code, out, errs)
	}
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"6 of 6 results are listed, the first 3 with their items", `"id":"maze-00/exact"`, "data:image/png;base64,", "default-src 'none'"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(string(b), " src=") || strings.Contains(string(b), "<link rel=\"stylesheet\"") {
		t.Error("the page loads other files")
	}
}

// compressed returns a text as gzip.
func compressed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestViewCopies shows results and dumps that are compressed, and the answers of another tool's dump; nothing stays beside
// them.
func TestViewCopies(t *testing.T) {
	all, err := os.ReadFile("../../testdata/aspire/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(all), "\n")[:3]
	var batch strings.Builder
	for i, line := range lines {
		v := fastjson.MustParse(line)
		said := scoring.AppendString(nil, string(v.GetStringBytes("response")))
		fmt.Fprintf(&batch, `{"custom_id":%s,"response":{"status_code":200,"body":{"object":"chat.completion","model":"m%d","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}]}},"error":null}`+"\n", v.Get("id"), i, said)
	}
	for _, c := range []struct {
		name, dump, line string
		tasks            bool
	}{
		{"dump.jsonl.gz", compressed(t, "\n"+strings.Join(lines, "")), "dump.jsonl.gz, line 3", false},
		{"dump.json", "[" + strings.Join(lines[:2], ",") + "]", "dump.json, line 2", false},
		{"output.jsonl", batch.String(), "output.jsonl, line 2", true},
	} {
		dir := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
		dump := written(t, filepath.Join(dir, c.name), c.dump)
		results, page := filepath.Join(dir, "results.jsonl"), filepath.Join(dir, "page.html")
		args := []string{"--fidelity", "native"}
		if c.tasks {
			args = append(args, "--tasks", "aspire="+written(t, filepath.Join(dir, "tasks.jsonl"), strings.Join(lines, "")))
		}
		if code, _, errs := plumb(t, "", append([]string{"score", "-o", results, dump, "--no-index"}, args...)...); code != 0 {
			t.Fatal(errs)
		}
		b, err := os.ReadFile(results)
		if err != nil {
			t.Fatal(err)
		}
		packed := written(t, results+".gz", compressed(t, string(b)))
		if code, out, errs := plumb(t, "", append([]string{"view", packed, "--dump", dump, "--save", page}, args...)...); code != 0 || out != "" {
			t.Fatalf("%s: got exit %d, %s%s", c.name, code, out, errs)
		}
		b, err = os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{c.line, `"read":true`, "data:image/png;base64,", "| plumb score"} {
			if !strings.Contains(string(b), want) {
				t.Errorf("%s: the page has no %q", c.name, want)
			}
		}
		left, _ := filepath.Glob(filepath.Join(dir, "cache", "plumb", "*"))
		beside, _ := filepath.Glob(filepath.Join(dir, "*"+index.Suffix))
		if len(left)+len(beside) > 0 {
			t.Errorf("%s: %v %v are left", c.name, left, beside)
		}
	}
}

// TestViewRefuses names what is no result file, before anything is served.
func TestViewRefuses(t *testing.T) {
	dir := t.TempDir()
	result := written(t, filepath.Join(dir, "r.jsonl"), `{"id":"a","suite":"aspire","test":"maze","score":1.0,"reward":1.0,"metrics":{},"notes":[]}`+"\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"../../testdata/aspire/demo.jsonl"}, 1, "score it first: plumb score"},
		{[]string{filepath.Join(dir, "none.jsonl")}, 2, "no such file"},
		{[]string{dir}, 1, "without run.json"},
		{[]string{written(t, filepath.Join(dir, "r.jsonl.gz"), "\x1f\x8b\x08")}, 1, "gzip"},
		{[]string{written(t, filepath.Join(dir, "d.jsonl.gz"), compressed(t, `{"id":"a","response":"b"}`))}, 1, "score it first: plumb score"},
		{[]string{written(t, filepath.Join(dir, "r.parquet"), "PAR1")}, 1, "it is Parquet"},
		{[]string{result, "--dump", filepath.Join(dir, "none.jsonl")}, 1, "no such file"},
		{[]string{result, "--listen", "0.0.0.0:0"}, 1, "want an address of this machine (--listen), or plumb serve --ui"},
		{[]string{result, "--save", filepath.Join(dir, "page.html"), "--items", "201"}, 2, "--items 201: want at most 200"},
		{[]string{result, "--variant", "nothing"}, 2, "nothing"},
	} {
		if code, out, errs := plumb(t, "", append([]string{"view"}, c.args...)...); code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: got exit %d, %s%s; want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// choices returns the lines of n answers to questions, in two repeats. Questions share three pictures, whose names begin with picture;
// there are none for "".
func choices(picture string, n int) string {
	var b strings.Builder
	for i := range n {
		more := ""
		if picture != "" {
			more = fmt.Sprintf(`"image":"%s%d.png",`, picture, i/2%3)
		}
		fmt.Fprintf(&b, `{"id":"q%s%d","suite":"spatialab","model":"a%s","repeat":%d,%s"question":"Which?","options":["red","blue","green","none"],"answer_index":%d,`+
			`"category":"3d_geometry","subcategory":"stability_prediction","response":%q}`+"\n", picture, i/2, picture, i%2+1, more, i/4%4, []string{"B", "", "The answer is C.", "2", "A"}[i%5])
	}
	return b.String()
}

// TestScoreWritesIndex demands that results come with the index that plumb view would make of them.
func TestScoreWritesIndex(t *testing.T) {
	dir := t.TempDir()
	all, err := os.ReadFile("../../testdata/aspire/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(all), "\n")[:12]
	scenes := strings.Join(append(lines, lines[0]), "") // with an answer that is there twice
	plain, pictured := choices("", 40), choices("p", 40)
	torn := `{"id":"torn` + "\n"
	odd := `{"id":"\u00e9\ud83d\n","suite":"nothing","response":"x"}` + "\n" + strings.Replace(plain, `"model":"a"`, `"model":"a\u2028\xff","asked":{"mode":"x","seconds":1.5}`, 1)
	dump := filepath.Join(dir, "dump.jsonl")
	for _, c := range []struct {
		text string
		more []string
	}{
		{scenes, nil}, {scenes, []string{"--report", filepath.Join(dir, "report")}}, {scenes, []string{"--no-index"}}, {plain + plain, nil},
		{plain, []string{"--missing", "zero", "--reward", "raw"}}, {pictured + plain, nil}, {plain + pictured + scenes, nil}, {torn + plain + torn + odd, nil},
	} {
		written(t, dump, c.text)
		more := c.more
		results := filepath.Join(dir, "results.jsonl")
		os.Remove(results + index.Suffix)
		if code, _, errs := plumb(t, "", append([]string{"score", "--fidelity", "native", "-o", results, dump}, more...)...); code != 0 {
			t.Fatal(errs)
		}
		wrote, err := os.ReadFile(results + index.Suffix)
		if len(more) == 1 {
			if !os.IsNotExist(err) {
				t.Errorf("with --no-index: got an index, %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(results + index.Suffix)
		if code, _, errs := plumb(t, "", "view", results, "--save", filepath.Join(dir, "page.html")); code != 0 {
			t.Fatal(errs)
		}
		if made, err := os.ReadFile(results + index.Suffix); err != nil || !bytes.Equal(made, wrote) {
			t.Errorf("%v: the index of plumb view has %d bytes, %v, and differs from that of plumb score with %d", more, len(made), err, len(wrote))
		}
	}
}

// Two folders of plumb run are shown together where their tasks are the same.
func TestViewRunFolders(t *testing.T) {
	e := exactEndpoint(t, aspireTasks(t, "--count", "2"))
	dir := t.TempDir()
	folder := func(model, count string) string {
		out := filepath.Join(dir, model)
		t.Setenv("PLUMB_MODEL_KEY", runKey)
		if code, _, errs := plumb(t, "", "run", "aspire", "--tests", "maze", "--count", count, "--model-url", e.Base(), "--model", model, "--out", out); code != 0 {
			t.Fatalf("got exit %d, %s", code, errs)
		}
		return out
	}
	one, two, other := folder("one", "1"), folder("two", "1"), folder("other", "2")
	page := filepath.Join(dir, "page.html")
	if code, _, errs := plumb(t, "", "view", one, two, "--fidelity", "native", "--save", page); code != 0 {
		t.Errorf("the same tasks: got exit %d, %s", code, errs)
	} else if text := fileText(t, page); !strings.Contains(text, "2 of 2 results are listed, the first 2 with their items") {
		t.Error("the page lacks the results of a folder")
	}
	if code, _, errs := plumb(t, "", "view", one, other, "--save", page); code != 2 || !strings.Contains(errs, "their tasks of aspire differ") {
		t.Errorf("other tasks: got exit %d, %s", code, errs)
	}
}
