package main

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/scoring/tangram/assembly"
	"plumb/testdata"
)

func jsonLines(t *testing.T, out string) (list []map[string]any) {
	t.Helper()
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		list = append(list, m)
	}
	return list
}

// TestTangramGenerate makes instances and, of them, the items of Task 1.
func TestTangramGenerate(t *testing.T) {
	code, out, errs := plumb(t, "", "tangram", "generate", "--seed", "5", "--count", "8")
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		if _, err := assembly.Read([]byte(l)); err != nil {
			t.Error(err)
		}
	}
	code, items, errs := plumb(t, out, "tangram", "items", "-")
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	list := jsonLines(t, items)
	if len(list) != 8 {
		t.Fatalf("got %d items; want 8", len(list))
	}
	for _, it := range list {
		if got := it["options"].(map[string]any)[it["answer"].(string)]; got != it["instance_id"] {
			t.Errorf("%v: the answer is option %v; want the instance", it["id"], got)
		}
	}
	line, _, _ := strings.Cut(out, "\n")
	if code, _, errs := plumb(t, line+"\n"+line+"\n", "tangram", "items", "-"); code != 1 || !strings.Contains(errs, "gen-5-0") {
		t.Errorf("an instance given twice: got exit %d, %s; want 1 and its id", code, errs)
	}
}

// TestTangramConvert converts a drawing of our own, moved, turned and bent a
// little, beside lines that are none.
func TestTangramConvert(t *testing.T) {
	_, out, _ := plumb(t, "", "tangram", "generate", "--seed", "5")
	in, err := assembly.Read([]byte(strings.TrimSpace(out)))
	if err != nil {
		t.Fatal(err)
	}
	type polygon struct {
		Points    [][2]float64 `json:"points"`
		Transform string       `json:"transform"`
	}
	d := struct {
		ID       string    `json:"id"`
		Polygons []polygon `json:"polygons"`
	}{ID: "mine"}
	for i, p := range in.Pieces {
		q := polygon{Transform: "translate(40, 30) rotate(10) scale(25)"}
		for k, v := range p {
			x, y := v.Floats()
			q.Points = append(q.Points, [2]float64{x + 0.004*float64(i%3-1), -y + 0.003*float64(k%2)})
		}
		d.Polygons = append(d.Polygons, q)
	}
	good, _ := json.Marshal(d)
	d.ID, d.Polygons = "six", d.Polygons[1:]
	bad, _ := json.Marshal(d)
	rejects := filepath.Join(t.TempDir(), "rejects")
	code, out, errs := plumb(t, string(good)+"\n"+string(bad)+"\n{\"id\":\"x\",\"polygons\":[{\"points\":[1]}]}\nnonsense\n", "tangram", "convert", "--rejects", rejects, "-")
	if code != 0 || !strings.Contains(errs, "1 converted") || !strings.Contains(errs, "1 inventory") || !strings.Contains(errs, "2 bad_drawing") {
		t.Errorf("got exit %d, %s; want the outcomes counted", code, errs)
	}
	got, err := assembly.Read([]byte(strings.TrimSpace(out)))
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != "mine" || len(got.Outline) != len(in.Outline) {
		t.Errorf("got %s with %d vertices; want mine with %d", got.ID, len(got.Outline), len(in.Outline))
	}
	b, err := os.ReadFile(rejects)
	if err != nil {
		t.Fatal(err)
	}
	list := jsonLines(t, string(b))
	if len(list) != 3 || list[0]["id"] != "six" || list[1]["id"] != "x" || list[2]["id"] != "line:4" {
		t.Errorf("rejects: got %s", b)
	}
	for in, want := range map[string]string{
		"":                 "nothing could be converted: the files have no lines",
		string(bad) + "\n": "nothing could be converted: no drawing becomes an instance",
	} {
		if code, out, errs := plumb(t, in, "tangram", "convert", "-"); code != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("convert %q: got exit %d, %q, %s; want 1 and %q", in, code, out, errs, want)
		}
	}
}

// TestTangramPrompt writes the prompts of both tasks with their pictures.
func TestTangramPrompt(t *testing.T) {
	fonts := filepath.Join(testdata.Root(), "build", "fonts")
	if _, err := os.Stat(fonts); err != nil {
		t.Skip("no fonts: they are made by make setup")
	}
	_, set, _ := plumb(t, "", "tangram", "generate", "--seed", "5", "--count", "5")
	dir := t.TempDir()
	for _, c := range []struct{ test, setting, has, not string }{
		{"outline", "zero-shot", `{"answer":"X"}`, "Target outline"},
		{"solution", "zero-shot", "Target outline", "Solved example"},
		{"solution", "in-context", "Solved example 3", "{\"answer\""},
		{"solution", "visual-centric", "Rules", "Target outline"},
	} {
		images := filepath.Join(dir, c.test+c.setting)
		args := []string{"prompt", "--suite", "tangram", "--test", c.test, "--images", images, "--fonts-dir", fonts, "-"}
		if c.test == "solution" {
			args = append(args, "--setting", c.setting)
		}
		code, out, errs := plumb(t, set, args...)
		if code != 0 {
			t.Fatalf("%v: got exit %d, %s", c, code, errs)
		}
		list := jsonLines(t, out)
		if len(list) != 5 {
			t.Errorf("%v: got %d lines; want 5", c, len(list))
		}
		for _, m := range list {
			text := m["prompt"].(string)
			if !strings.Contains(text, c.has) || strings.Contains(text, c.not) || m["test"] != c.test {
				t.Errorf("%v: got %v; want a prompt with %q and without %q", c, m, c.has, c.not)
			}
			f, err := os.Open(m["image"].(string))
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := png.DecodeConfig(f)
			f.Close()
			if err != nil || cfg.Width != 1024 || cfg.Height != 1024 {
				t.Errorf("%v: picture %v: %dx%d, %v; want 1024x1024", c, m["image"], cfg.Width, cfg.Height, err)
			}
		}
	}
	if code, _, _ := plumb(t, set, "prompt", "--suite", "tangram", "--cot", "-"); code != 2 {
		t.Errorf("--cot with tangram: got exit %d; want 2", code)
	}
}
