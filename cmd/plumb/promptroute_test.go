package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// askedLine is a line of plumb prompt, or a reply of /v1/prompt.
type askedLine struct {
	ID, Prompt, Image string
	Images            []struct{ Data, Mime string }
}

// POST /v1/prompt has the bytes of plumb prompt, for every suite and way of asking.
func TestPromptRoute(t *testing.T) {
	aspire, _ := sampleTasks(t, 2)
	tangram := filepath.Join(testdata.Root(), "testdata", "tangram", "instances.jsonl")
	drawing := filepath.Join(testdata.Root(), "testdata", "drawingbench", "tasks.json")
	outlines := filepath.Join(testdata.Root(), "testdata", "tangram", "outlines.jsonl")
	d := startDaemon(t, "--backend", "cpu", "--tasks", "aspire:train="+aspire, "--tasks", "tangram="+tangram, "--tasks", "drawingbench="+drawing)
	fonts := []string{"--fonts-dir", filepath.Join(testdata.Root(), "build", "fonts")}
	for _, c := range []struct {
		name, query string
		label       func(id string) string
		pictures    bool
		args        []string
	}{
		{"aspire", "", reference("aspire", "train"), true, []string{aspire}},
		{"aspire minimal", "mode=cot&input=minimal", reference("aspire", "train"), true, []string{"--mode", "cot", "--input", "minimal", aspire}},
		{"tangram", "", reference("tangram", ""), true, []string{"--suite", "tangram", tangram}},
		{"tangram in context", "setting=in-context&images=none", reference("tangram", ""), false, []string{"--suite", "tangram", "--setting", "in-context", tangram}},
		{"outline", "", wholeItems(t, outlines), true, []string{"--suite", "tangram", "--test", "outline", tangram}},
		{"drawingbench", "", reference("drawingbench", ""), false, []string{"--suite", "drawingbench", "--tasks", drawing}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"prompt"}, c.args...)
			if c.pictures {
				args = append(append(args, "--images", t.TempDir()), fonts...)
			}
			code, out, errs := plumb(t, "", args...)
			if code != 0 || out == "" {
				t.Fatalf("plumb prompt: %d %s", code, errs)
			}
			for line := range strings.Lines(out) {
				var want, got askedLine
				if err := json.Unmarshal([]byte(line), &want); err != nil {
					t.Fatal(err)
				}
				label := c.label(strings.TrimSuffix(want.ID, "/1"))
				if label == "" {
					continue
				}
				body, _ := json.Marshal(map[string]string{"label": label})
				status, reply := d.post("/v1/prompt?"+c.query, string(body))
				if err := json.Unmarshal([]byte(reply), &got); err != nil || status != 200 {
					t.Fatalf("%s: got %d %.300s", want.ID, status, reply)
				}
				if got.Prompt != want.Prompt {
					t.Errorf("%s: got the prompt\n%s\nwant\n%s", want.ID, got.Prompt, want.Prompt)
				}
				if len(got.Images) == 1 != c.pictures {
					t.Fatalf("%s: got %d pictures", want.ID, len(got.Images))
				}
				if !c.pictures {
					continue
				}
				file, err := os.ReadFile(want.Image)
				_, data, _ := strings.Cut(got.Images[0].Data, "base64,")
				png, fault := base64.StdEncoding.DecodeString(data)
				if err != nil || fault != nil || !bytes.Equal(png, file) {
					t.Errorf("%s: got a picture of %d bytes, %v, %v; want those of %s", want.ID, len(png), err, fault, want.Image)
				}
			}
		})
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
