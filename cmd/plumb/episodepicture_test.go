package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

// picture is a picture of an observation.
type picture struct{ Name, Data string }

// pixels returns a picture's pixels without premultiplied alpha.
func pixels(t *testing.T, b []byte) *image.NRGBA {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	p := image.NewNRGBA(m.Bounds())
	draw.Draw(p, p.Rect, m, m.Bounds().Min, draw.Src)
	return p
}

// The picture of a turn has the pixels that plumb render draws of the turn's merged answer. See
// docs/spec/episodes.md#r6.
func TestEpisodePicture(t *testing.T) {
	root := testdata.Root()
	files := map[string]string{"drawingbench": filepath.Join(root, "testdata", "drawingbench", "tasks.json"), "tangram": filepath.Join(root, "testdata", "tangram", "instances.jsonl")}
	d := startDaemon(t, "--backend", "cpu", "--tasks", "drawingbench="+files["drawingbench"], "--tasks", "tangram="+files["tangram"])
	stroke := func(x int) string {
		return fmt.Sprintf(`{"actions":[{"action":"moveTo","x":%d,"y":300},{"action":"mouseDown"},{"action":"moveTo","x":%d,"y":500},{"action":"mouseUp"}]}`, x, x+150)
	}
	for _, c := range []struct {
		suite, id, mode string
		answers         []string
	}{
		{"drawingbench", "free", "retry", []string{stroke(300), stroke(600)}},
		{"drawingbench", "free", "canvas", []string{stroke(300), stroke(600)}},
		{"tangram", "gen-1-0", "place", []string{
			`{"instance_id":"gen-1-0","final_state":{"pieces":[{"id":"T1","type":"large_triangle","vertices":[["0","0"],["2","0"],["2","2"]],"edges":[[0,1],[1,2],[2,0]]}]}}`,
			`{"instance_id":"gen-1-0","final_state":{"pieces":[{"id":"T2","type":"large_triangle","vertices":[["3","3"],["1","3"],["3","5"]],"edges":[[0,1],[1,2],[2,0]]}]}}`}},
	} {
		g := dialEpisode(t, d.addr)
		label := fmt.Sprintf(`{"suite":%q,"id":%q}`, c.suite, c.id)
		g.do("reset", map[string]any{"label": label, "turns": len(c.answers), "mode": c.mode, "threshold": 2, "images": "all", "answer": true})
		var got []*image.NRGBA
		for k, a := range c.answers {
			_, m := g.do("step", map[string]any{"response": a})
			var list []picture
			if err := json.Unmarshal(m["images"], &list); err != nil || len(list) != 1 {
				t.Fatalf("%s %s: answer %d has pictures %.300s; want one", c.suite, c.mode, k+1, m["images"])
			}
			b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(list[0].Data, "data:image/png;base64,"))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, pixels(t, b))
			line := fmt.Sprintf("{\"suite\":%q,\"id\":%q,\"response\":%s}\n", c.suite, c.id, m["answer"])
			out := t.TempDir()
			code, _, errs := plumb(t, line, "render", "--suite", c.suite, "--tasks", c.suite+"="+files[c.suite], "--out", out, "-")
			if code != 0 {
				t.Fatal(errs)
			}
			if b, err = os.ReadFile(filepath.Join(out, c.id+".png")); err != nil {
				t.Fatal(err)
			}
			if want := pixels(t, b); want.Rect != got[k].Rect || !bytes.Equal(want.Pix, got[k].Pix) {
				t.Errorf("%s %s: the picture of answer %d (%v) is not that of plumb render (%v)", c.suite, c.mode, k+1, got[k].Rect, want.Rect)
			}
		}
		if bytes.Equal(got[0].Pix, got[1].Pix) {
			t.Errorf("%s %s: both answers have the same picture", c.suite, c.mode)
		}
	}
}

// Two daemons that share nothing but the task files give the same bytes for a seed, pictures
// included. See docs/spec/episodes.md#r7.
func TestEpisodeReplicas(t *testing.T) {
	root := testdata.Root()
	tasks, _ := sampleTasks(t, 1)
	var args []string
	var questions []byte
	all, err := os.ReadFile(filepath.Join(root, "testdata", "vqa", "items.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(all) {
		if bytes.Contains(line, []byte(`"suite":"spatialab"`)) {
			questions = append(questions, line...)
		}
	}
	dir := t.TempDir()
	spatialab := filepath.Join(dir, "items.jsonl")
	if err := os.Symlink(filepath.Join(root, "testdata", "vqa", "img"), filepath.Join(dir, "img")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(spatialab, questions, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"aspire=" + tasks, "drawingbench=" + filepath.Join(root, "testdata", "drawingbench", "tasks.json"),
		"tangram=" + filepath.Join(root, "testdata", "tangram", "instances.jsonl"), "spatialab=" + spatialab} {
		args = append(args, "--tasks", f)
	}
	first := startDaemon(t, append([]string{"--backend", "cpu", "--workers", "1"}, args...)...)
	second := startDaemon(t, append([]string{"--backend", "gl", "--workers", "2", "--batch", "3"}, args...)...)
	pictures := 0
	for _, reset := range []map[string]any{{"suite": "aspire", "turns": 2}, {"suite": "drawingbench", "turns": 2}, {"suite": "tangram", "turns": 2, "mode": "place"},
		{"suite": "tangram", "test": "outline", "turns": 1}, {"suite": "spatialab", "turns": 1}} {
		a, b := dialEpisode(t, first.addr), dialEpisode(t, second.addr)
		for seed := range 4 {
			reset["seed"] = seed * 7919 * 3
			one, m := a.do("reset", reset)
			two, _ := b.do("reset", reset)
			if one != two {
				t.Errorf("%v: got\n%.600s\nand\n%.600s", reset, one, two)
			}
			var list []picture
			json.Unmarshal(m["images"], &list)
			pictures += len(list)
		}
	}
	if pictures < 12 {
		t.Errorf("got %d pictures; want those of three suites at least", pictures)
	}
}
