package main

import (
	"encoding/json"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRenderCommand(t *testing.T) {
	dir := t.TempDir()
	const square = `{"id":"shape:a","type":"geo","x":10,"y":20,"props":{"geo":"rectangle","w":30,"h":40,"fill":"solid","dash":"solid","color":"black"}}`
	scenes := filepath.Join(dir, "scenes.jsonl")
	text := `{"id":"a/b é","shapes":[` + square + `],"bounds":[0,0,100,80]}` + "\n" +
		`{"id":"none","shapes":[` + square + `],"bounds":[0,0,10,10],"only":[]}` + "\n" +
		`{"shapes":[` + square + `]}` + "\n" + `{"id":"bad","shapes":[{"id":"shape:x","type":"geo","props":{"w":-1}}]}` + "\n" + "nonsense\n"
	if err := os.WriteFile(scenes, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := plumb(t, "", "render", "--out", dir, scenes)
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	var got []map[string]any
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		got = append(got, m)
	}
	if len(got) != 5 {
		t.Fatalf("got %d lines: %s", len(got), out)
	}
	// The outline of the stroke is 3.5 px wide about the edge: centre of the box.
	com := got[0]["center_of_mass"].([]any)
	if got[0]["width"] != 100.0 || got[0]["height"] != 80.0 || math.Abs(com[0].(float64)-25) > 0.01 || math.Abs(com[1].(float64)-40) > 0.01 {
		t.Errorf("got %v; want 100 x 80 and the centre (25, 40)", got[0])
	}
	if got[1]["covered_pixels"] != 0.0 || got[1]["center_of_mass"] != nil || got[1]["bbox"] != nil {
		t.Errorf("got %v; want nothing drawn", got[1])
	}
	if got[2]["id"] != "line:3" || got[2]["width"] != 94.0 || got[2]["height"] != 104.0 {
		t.Errorf("got %v; want the content and 32 px around it", got[2])
	}
	for _, m := range got[3:] {
		if m["error"] == nil {
			t.Errorf("got %v; want an error", m)
		}
	}
	f, err := os.Open(filepath.Join(dir, "a%2Fb%20%C3%A9.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	covered := 0.0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if _, _, _, a := img.At(x, y).RGBA(); a > 0 {
				covered++
			}
		}
	}
	if covered == 0 || got[0]["covered_pixels"] != covered {
		t.Errorf("got %v covered pixels, %v in the PNG", got[0]["covered_pixels"], covered)
	}
	stats := filepath.Join(dir, "stats")
	code, out, _ = plumb(t, text, "render", "--only", "a", "--bounds", "0,0,50,50", "--channels", "alpha", "--stats", stats, "-")
	b, err := os.ReadFile(stats)
	if code != 0 || out != "" || err != nil || !strings.Contains(string(b), `"width":50,"height":50`) {
		t.Errorf("got exit %d, %q, %s, %v", code, out, b, err)
	}
}

// A file that is one document over several lines is one scene, named by the file.
func TestRenderDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "board.tldr")
	text := "{\n \"records\": [\n  {\"typeName\":\"document\",\"id\":\"document:document\"},\n  {\"typeName\":\"page\",\"id\":\"page:p\",\"index\":\"a1\",\"name\":\"\",\"meta\":{}}\n ],\n \"bounds\": [0, 0, 8, 9]\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := plumb(t, "", "render", path)
	if code != 0 || !strings.HasPrefix(out, `{"id":"board","width":8,"height":9,`) {
		t.Errorf("got exit %d, %s, %s; want one scene called board", code, out, errs)
	}
}
