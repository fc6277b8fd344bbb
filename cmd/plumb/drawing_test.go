package main

import (
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

// own is a file of the project's own drawing tasks.
func own(name string) string { return filepath.Join(testdata.Root(), "testdata/drawingbench", name) }

// The project's own tasks with answers of all kinds, end to end by three profiles.
// Scores of a kind are checked by hand below; the rest guards against change.
func TestOwnDrawings(t *testing.T) {
	var got []string
	for i, profile := range []string{"release", "paper", "pixels"} {
		code, out, errs := plumb(t, "", "score", "--backend", "cpu", "--suite", "drawingbench", "--tasks", own("tasks.json"),
			"--variant", "drawingbench.profile="+profile, own("results.json"), own("answers.jsonl"))
		if code != 0 {
			t.Fatalf("got exit %d: %s", code, errs)
		}
		for k, line := range strings.Split(strings.TrimSpace(out), "\n") {
			var r struct {
				ID, Status string
				Score      *float64
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			score := "null"
			if r.Score != nil {
				score = fmt.Sprint(*r.Score)
			}
			if i == 0 {
				got = append(got, r.ID+"\t"+r.Status)
			}
			got[k] += "\t" + score
		}
	}
	golden := own("expected.tsv")
	if os.Getenv("UPDATE_GOLDEN") == t.Name() {
		if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("rewritten; run again without UPDATE_GOLDEN")
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(b)), "\n")
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("got  %q\nwant %q", g, w)
		}
	}
}

// By hand: what a good, a poor, a malformed and a crashing answer are worth.
func TestOwnDrawingsByHand(t *testing.T) {
	b, err := os.ReadFile(own("expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"shape-ring#0/1":     "direct\t1\t1\t1",          // nothing wrong
		"colour-brown#23/1":  "direct\t0.95\t0.8\t0.95",  // no such colour; -0.2 by weight
		"obj-house#4/1":      "direct\t0.9\t0.8\t0.9",    // no fill: 0.15, or 0.2 by weight; 24 actions give 0.05 back
		"text-06":            "\tnull\tnull\tnull",       // never heard
		"text-08":            "crash\t0\t0\t0",           // a string among the actions
		"colour-warm#22/1":   "direct\t0.85\t0.65\t0.85", // a colour (0.05) and a segment (0.15); 0.05 back
		"size-square#28/1":   "direct\t1\t1\t1",
		"corner-boxes#19/1":  "direct\t1\t1\t1",
		"right-below#18/1":   "direct\t0.91\t0.85\t0.85", // drawn in the upper half; too few cells of the grid
		"text-13":            "direct\t0.842\t0.7\t0",    // white on white for green shows nothing, covers nothing
		"shape-triangle#3/1": "direct\t0.8\t0.65\t0.8",   // one black line for three magenta ones; 8 actions
	} {
		if !strings.Contains("\n"+string(b), "\n"+id+"\t"+want+"\n") {
			i := strings.Index("\n"+string(b), "\n"+id+"\t")
			t.Errorf("%s: got %.60q; want %q", id, string(b)[max(i, 0):], want)
		}
	}
}

// The canvases of a dump, named by ids, each with a line of statistics.
func TestRenderDrawings(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := plumb(t, "", "render", "--suite", "drawingbench", "--tasks", own("tasks.json"), "--out", dir, own("results.json"), own("answers.jsonl"))
	if code != 0 {
		t.Fatalf("got exit %d: %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 56 {
		t.Fatalf("got %d lines; want 56", len(lines))
	}
	type stats struct {
		ID      string
		Width   int
		Covered int `json:"covered_pixels"`
		Opaque  int `json:"opaque_pixels"`
		Box     []int
		Canvas  struct {
			NonWhite    int `json:"nonwhite"`
			Transparent int
			Box         []int `json:"bbox"`
		}
		Error struct{ Code string }
	}
	all := map[string]stats{}
	for _, l := range lines {
		var s stats
		if err := json.Unmarshal([]byte(l), &s); err != nil {
			t.Fatal(err)
		}
		all[s.ID] = s
	}
	if s := all["size-square#28/1"]; s.Width != 1000 || s.Opaque != 700_000 || s.Canvas.NonWhite != 202*202-198*198 || fmt.Sprint(s.Canvas.Box) != "[399 249 600 450]" {
		t.Errorf("square: got %+v; want a frame of 2 px about 200 x 200", s)
	}
	if s := all["erase-gap#32/1"]; s.Canvas.Transparent == 0 || s.Covered != 700_000-s.Canvas.Transparent {
		t.Errorf("gap: got %+v; want erased pixels not covered", s)
	}
	if s := all["text-06"]; s.Error.Code != "no_response" {
		t.Errorf("got %+v; want no_response", s)
	}
	f, err := os.Open(filepath.Join(dir, "size-square%2328%2F1.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if r, _, _, _ := img.At(400, 300).RGBA(); r != 0 || img.Bounds().Dx() != 1000 {
		t.Errorf("got %v at the square's edge; want black", img.At(400, 300))
	}
	if code, _, errs := plumb(t, "", "render", "--suite", "drawingbench", "--bounds", "content", own("results.json")); code != 2 || !strings.Contains(errs, "--bounds") {
		t.Errorf("got exit %d, %s; want a usage error", code, errs)
	}
}

// The protocol of two turns: prompts of the tasks, then the feedback of what
// scored less than 0.9.
func TestDrawingPrompts(t *testing.T) {
	code, out, errs := plumb(t, "", "prompt", "--suite", "drawingbench", "--tasks", own("tasks.json"))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 35 || !strings.HasPrefix(lines[0], `{"id":"shape-ring#0/1","suite":"drawingbench","task_id":"shape-ring","index":0,"turn":1,"prompt":`) {
		t.Fatalf("got exit %d, %d lines, %.200s %s", code, len(lines), out, errs)
	}
	results := filepath.Join(t.TempDir(), "results.jsonl")
	if code, _, errs := plumb(t, "", "score", "--backend", "cpu", "--suite", "drawingbench", "--tasks", own("tasks.json"), "-o", results, own("results.json")); code != 0 {
		t.Fatal(errs)
	}
	code, out, errs = plumb(t, "", "prompt", "--suite", "drawingbench", "--second-turn", results)
	var ids []string
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		var p struct{ ID, After, Prompt string }
		if err := json.Unmarshal([]byte(l), &p); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.Prompt, "DRAWING EVALUATION FEEDBACK") {
			t.Errorf("%s: got %q; want the feedback", p.ID, p.Prompt)
		}
		ids = append(ids, p.ID+" "+p.After)
	}
	if got, want := strings.Join(ids, ", "), "shape-triangle#3/2 shape-triangle#3/1, scene-night#8/2 scene-night#8/1, colour-warm#22/2 colour-warm#22/1"; code != 0 || got != want {
		t.Errorf("got exit %d, %s %s; want %s", code, got, errs, want)
	}
	for _, args := range [][]string{{"--suite", "drawingbench"}, {}, {"--suite", "drawingbench", "--tasks", own("tasks.json"), "x.jsonl"}} {
		if code, _, _ := plumb(t, "", append([]string{"prompt"}, args...)...); code != 2 {
			t.Errorf("%v: got exit %d; want 2", args, code)
		}
	}
}

// The report shows canvases, actions, the evaluation and what the model was told.
func TestDrawingReport(t *testing.T) {
	dir := t.TempDir()
	code, _, errs := plumb(t, "", "score", "--backend", "cpu", "--suite", "drawingbench", "--tasks", own("tasks.json"),
		"--report", dir, "-o", filepath.Join(dir, "results.jsonl"), own("results.json"))
	if code != 0 {
		t.Fatalf("got exit %d: %s", code, errs)
	}
	b, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if n := strings.Count(page, `:"data:image/png;base64,`); n < 38 {
		t.Errorf("got %d pictures; want one for each of 41 canvases but for equal ones", n)
	}
	for _, want := range []string{`"box":[0,0,1000,700]`, `"title":"actions"`, `"title":"evaluation"`, `"title":"feedback"`, "DRAWING EVALUATION FEEDBACK",
		"what was drawn: 4 of 4 elements changed a pixel", "DrawingBench by category", "0  click (35, 445)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report has no %q", want)
		}
	}
}
