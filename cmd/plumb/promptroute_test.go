package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plumb/scoring/vqa"
	"plumb/testdata"
)

// sampleTasks writes the tasks of the sample dump of ASPIRE, perTest of each test, and returns the
// path and the ids.
func sampleTasks(t *testing.T, perTest int) (path string, ids []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	seen, count := map[string]bool{}, map[string]int{}
	for line := range bytes.Lines(b) {
		var item struct {
			ID, Test, Prompt string
			Shapes, Task     json.RawMessage
		}
		if err := json.Unmarshal(line, &item); err != nil {
			t.Fatal(err)
		}
		id, _, _ := strings.Cut(item.ID, "/")
		if seen[id] || count[item.Test] >= perTest {
			continue
		}
		seen[id] = true
		count[item.Test]++
		ids = append(ids, id)
		line, _ := json.Marshal(map[string]any{"id": id, "test": item.Test, "prompt": item.Prompt, "shapes": item.Shapes, "task": item.Task})
		out.Write(append(line, '\n'))
	}
	path = filepath.Join(t.TempDir(), "tasks.jsonl")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, ids
}

// askedLine is a line of plumb prompt, or a reply of /v1/prompt. The text of an error stands in Error,
// of which a line has an object and a reply a string.
type askedLine struct {
	ID, Prompt, Image string
	PNG               *string
	More              []string
	Images            []struct{ Data, Mime string }
	Error             json.RawMessage
	ErrorType         string `json:"error_type"`
}

// refusal returns the code and the message of an error; both are "" for a prompt.
func (a *askedLine) refusal(t *testing.T) (code, message string) {
	t.Helper()
	if a.Error == nil {
		return "", ""
	}
	var object struct{ Code, Message string }
	if err := json.Unmarshal(a.Error, &object); err == nil {
		return object.Code, object.Message
	}
	if err := json.Unmarshal(a.Error, &message); err != nil {
		t.Fatal(err)
	}
	return a.ErrorType, message
}

// pictures returns the pictures of a line or a reply.
func (a *askedLine) pictures(t *testing.T) (all [][]byte) {
	t.Helper()
	texts := a.More
	if a.PNG != nil {
		texts = append([]string{*a.PNG}, texts...)
	}
	for _, p := range a.Images {
		_, data, _ := strings.Cut(p.Data, "base64,")
		texts = append(texts, data)
	}
	for _, text := range texts {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	if a.Image != "" {
		b, err := os.ReadFile(a.Image)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// promptWay is a way of asking that the command and the route both have.
type promptWay struct {
	suite string
	file  string
	query string   // of the route
	flags []string // of the command
	label func(id string) string
	// What the command writes: lines have texts alone, files name pictures with --images, rows hold them.
	lines, files, rows bool
}

// promptWays lists every way of every suite: each value of each option, and all values of options that
// one suite has together.
func promptWays(t *testing.T) (ways []promptWay, tasks []string) {
	t.Helper()
	aspire, _ := sampleTasks(t, 2)
	folder := filepath.Join(testdata.Root(), "testdata")
	instances, outlines := filepath.Join(folder, "tangram", "instances.jsonl"), filepath.Join(folder, "tangram", "outlines.jsonl")
	drawing := filepath.Join(folder, "drawingbench", "tasks.json")
	for _, mode := range []string{"default", "cot", "reasoning"} {
		for _, input := range []string{"full", "minimal", "scaffold"} {
			for _, label := range []func(string) string{reference("aspire", "train"), wholeItems(t, aspire)} {
				ways = append(ways, promptWay{suite: "aspire", file: aspire, query: "mode=" + mode + "&input=" + input,
					flags: []string{"--mode", mode, "--input", input}, label: label, lines: input != "scaffold", files: true, rows: true})
			}
		}
	}
	for _, setting := range []string{"zero-shot", "in-context", "visual-centric"} {
		ways = append(ways, promptWay{suite: "tangram", file: instances, query: "setting=" + setting, flags: []string{"--setting", setting},
			label: reference("tangram", ""), lines: true, files: true, rows: true})
	}
	ways = append(ways, promptWay{suite: "tangram", file: instances, flags: []string{"--test", "outline"}, label: wholeItems(t, outlines), lines: true, files: true},
		promptWay{suite: "drawingbench", file: drawing, label: reference("drawingbench", ""), lines: true, rows: true})
	spatialab := questions(t, "spatialab")
	for _, format := range []string{"", "mcq", "open"} {
		for _, method := range append(vqa.Methods(), "") {
			w := promptWay{suite: "spatialab", file: spatialab, query: "format=" + format + "&method=" + method,
				label: reference("spatialab", ""), lines: true, rows: true}
			if format != "" {
				w.flags = append(w.flags, "--format", format)
			}
			if method != "" {
				w.flags = append(w.flags, "--method", method)
			}
			ways = append(ways, w)
		}
	}
	spaceeval := questions(t, "spaceeval")
	ways = append(ways, promptWay{suite: "spaceeval", file: spaceeval, label: reference("spaceeval", ""), lines: true, rows: true})
	return ways, []string{"--tasks", "aspire:train=" + aspire, "--tasks", "tangram=" + instances, "--tasks", "drawingbench=" + drawing,
		"--tasks", "spatialab=" + spatialab, "--tasks", "spaceeval=" + spaceeval}
}

// questions writes the questions of one suite into a file beside their pictures, and returns its path.
// Those of SPATIALAB stand there a second and a third time, as items that name their format.
func questions(t *testing.T, suite string) string {
	t.Helper()
	folder := filepath.Join(testdata.Root(), "testdata", "vqa")
	b, err := os.ReadFile(filepath.Join(folder, "items.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(b) {
		var item map[string]any
		if err := json.Unmarshal(line, &item); err != nil {
			t.Fatal(err)
		}
		if item["suite"] != suite {
			continue
		}
		id := item["id"].(string)
		for _, format := range []string{"", "mcq", "open"} {
			if format != "" {
				item["id"], item["format"] = id+"-"+format, format
			}
			if format == "" || suite == "spatialab" {
				line, _ := json.Marshal(item)
				out.Write(append(line, '\n'))
			}
		}
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(folder, "img"), filepath.Join(dir, "img")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, suite+".jsonl")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// POST /v1/prompt has the bytes of plumb prompt, for every suite and way of asking: texts, pictures in
// files and in rows, and why an item cannot be asked.
func TestPromptRoute(t *testing.T) {
	ways, tasks := promptWays(t)
	d := startDaemon(t, append(tasks, "--backend", "cpu")...)
	fonts := filepath.Join(testdata.Root(), "build", "fonts")
	for i, w := range ways {
		t.Run(fmt.Sprintf("%d %s %s", i, w.suite, strings.Join(w.flags, " ")), func(t *testing.T) {
			args := append([]string{"prompt", "--suite", w.suite}, w.flags...)
			file := []string{w.file}
			if w.suite == "drawingbench" {
				file = []string{"--tasks", w.file}
			}
			if w.lines {
				w.compare(t, d, "images=none", slices.Concat(args, file))
			}
			if w.files {
				w.compare(t, d, "images=all", slices.Concat(args, []string{"--images", t.TempDir(), "--fonts-dir", fonts}, file))
			}
			if w.rows {
				w.compare(t, d, "", slices.Concat(args, []string{"--rows"}, rowFonts(w.suite, fonts), []string{w.file}))
			}
		})
	}
}

// rowFonts returns the flags that name the fonts of a suite with labelled pictures.
func rowFonts(suite, folder string) []string {
	if suite == "aspire" || suite == "tangram" {
		return []string{"--fonts-dir", folder}
	}
	return nil
}

// compare runs plumb prompt and asks the route for each item of its lines. Every line must have the
// text, the pictures or the error of the reply.
func (w *promptWay) compare(t *testing.T, d *daemonProcess, images string, args []string) {
	t.Helper()
	code, out, errs := plumb(t, "", args...)
	if code != 0 || out == "" {
		t.Fatalf("%s: %d %s", strings.Join(args, " "), code, errs)
	}
	asked := 0
	for line := range strings.Lines(out) {
		var want, got askedLine
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		label := w.label(strings.TrimSuffix(want.ID, "/1"))
		if label == "" {
			t.Fatalf("%s: there is no label for it", want.ID)
		}
		body, _ := json.Marshal(map[string]string{"label": label})
		status, reply := d.post("/v1/prompt?"+w.query+"&"+images, string(body))
		if err := json.Unmarshal([]byte(reply), &got); err != nil {
			t.Fatalf("%s: got %d %.300s", want.ID, status, reply)
		}
		wantCode, wantText := want.refusal(t)
		if gotCode, gotText := got.refusal(t); gotCode != wantCode || gotText != wantText || status == 200 != (wantCode == "") {
			t.Errorf("%s: got %d, %s, %s; want %s, %s", want.ID, status, gotCode, gotText, wantCode, wantText)
		}
		if got.Prompt != want.Prompt {
			t.Errorf("%s: got the prompt\n%s\nwant\n%s", want.ID, got.Prompt, want.Prompt)
		}
		gotPictures, wantPictures := got.pictures(t), want.pictures(t)
		if !slices.EqualFunc(gotPictures, wantPictures, bytes.Equal) {
			t.Errorf("%s: the %d pictures of the reply are not the %d of the line", want.ID, len(gotPictures), len(wantPictures))
		}
		if drawn := images != "images=none" && w.suite != "drawingbench" && wantCode == ""; drawn != (len(gotPictures) > 0) {
			t.Errorf("%s: got %d pictures", want.ID, len(gotPictures))
		}
		if wantCode == "" {
			asked++
		}
	}
	if asked == 0 {
		t.Error("nothing was asked")
	}
}

// reference returns labels that name tasks of a loaded file.
func reference(suite, split string) func(string) string {
	return func(id string) string {
		m := map[string]string{"suite": suite, "id": id}
		if split != "" {
			m["split"] = split
		}
		b, _ := json.Marshal(m)
		return string(b)
	}
}

// wholeItems returns labels that are whole items of a file; "" for an id that it lacks.
func wholeItems(t *testing.T, path string) func(string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	items := map[string]string{}
	for line := range strings.Lines(string(b)) {
		var it struct{ ID string }
		if err := json.Unmarshal([]byte(line), &it); err != nil {
			t.Fatal(err)
		}
		items[it.ID] = line
	}
	return func(id string) string { return items[id] }
}

// A row of plumb prompt --rows has the picture of its task, and its label is scored by itself.
func TestPromptRows(t *testing.T) {
	aspire, ids := sampleTasks(t, 1)
	code, out, errs := plumb(t, "", "prompt", "--rows", "--fonts-dir", filepath.Join(testdata.Root(), "build", "fonts"), aspire)
	if code != 0 {
		t.Fatal(errs)
	}
	d := startDaemon(t, "--backend", "cpu")
	n := 0
	for line := range strings.Lines(out) {
		var row struct {
			ID, Prompt, PNG, Label string
			More                   []string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		png, err := base64.StdEncoding.DecodeString(row.PNG)
		if err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) || row.Prompt == "" || row.ID != ids[n] || row.More == nil {
			t.Errorf("got %.200s, %v; want id %s, a prompt and a PNG", line, err, ids[n])
		}
		body, _ := json.Marshal(map[string]string{"label": row.Label, "response": "nothing"})
		if status, reply := d.post("/v1/reward", string(body)); status != 200 || !strings.Contains(reply, `"status":"no_`) {
			t.Errorf("%s: got %d %s; want a score", row.ID, status, reply)
		}
		n++
	}
	if n != len(ids) {
		t.Errorf("got %d rows; want %d", n, len(ids))
	}
}

// With --exit-with-stdin the daemon ends with the pipe from whatever started it.
func TestExitWithStdin(t *testing.T) {
	d := prepared("--backend", "cpu", "--exit-with-stdin")
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	d.cmd.Stdin = in
	d.start(t)
	in.Close()
	if status, _ := d.post("/v1/score", `{"suite":"aspire"}`); status != 422 {
		t.Errorf("got %d while stdin is open; want an answer", status)
	}
	out.Close()
	select {
	case err := <-d.done:
		if err != nil {
			t.Errorf("the daemon ended with %v\n%s", err, d.log)
		}
		d.done <- nil
	case <-time.After(patience):
		t.Errorf("the daemon runs on\n%s", d.log)
	}
}
