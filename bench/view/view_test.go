//go:build view

package main

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// scenes of our own: a filled box, text, an ellipse drawn twice over itself.
const scenes = `{"id":"a","bounds":[0,0,320,240],"shapes":[{"id":"shape:b","type":"geo","x":40,"y":40,"props":{"geo":"rectangle","w":160,"h":100,"fill":"solid","color":"red"}},{"id":"shape:e","type":"geo","x":120,"y":90,"props":{"geo":"ellipse","w":160,"h":110,"fill":"solid","color":"blue"}}]}
{"id":"c","bounds":[0,0,320,240],"shapes":[{"id":"shape:d","type":"geo","x":40,"y":40,"props":{"geo":"star","w":160,"h":100}}]}
`

// TestWindow opens a real window under a virtual X server and looks at what it
// shows.
func TestWindow(t *testing.T) {
	if _, err := exec.LookPath("xvfb-run"); err != nil {
		t.Fatal("xvfb-run is not installed; scripts/view.sh installs it")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "view")
	if out, err := exec.Command("go", "build", "-tags", "egl view", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v: %s", err, out)
	}
	file := filepath.Join(dir, "scenes.jsonl")
	if err := os.WriteFile(file, []byte(scenes), 0o644); err != nil {
		t.Fatal(err)
	}
	want, err := drawScenes(file, 1)
	if err != nil {
		t.Fatal(err)
	}
	for mode := range layers {
		shot := filepath.Join(dir, fmt.Sprintf("%d.png", mode+1))
		cmd := exec.Command("xvfb-run", "-a", "-s", "-screen 0 1024x768x24", program, "-layer", fmt.Sprint(mode+1), "-screenshot", shot, file)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("layer %d: %v: %s", mode+1, err, out)
		}
		same(t, layers[mode].name, load(t, shot), layers[mode].paint(&want[0]))
		if keep := os.Getenv("PLUMB_VIEW_OUT"); keep != "" {
			b, _ := os.ReadFile(shot)
			os.WriteFile(filepath.Join(keep, filepath.Base(shot)), b, 0o644)
		}
	}
}

func load(t *testing.T, name string) image.Image {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// same compares the window with the image that it was given: they have one size,
// so every pixel counts.
func same(t *testing.T, name string, got image.Image, want *image.RGBA) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Fatalf("%s: the window has %v; want %v", name, got.Bounds(), want.Bounds())
	}
	off, first := 0, ""
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			r, g, b, _ := got.At(x, y).RGBA()
			w := want.RGBAAt(x, y)
			if uint8(r>>8) != w.R || uint8(g>>8) != w.G || uint8(b>>8) != w.B {
				if off++; first == "" {
					first = fmt.Sprintf("at %d, %d: %d %d %d; want %v", x, y, r>>8, g>>8, b>>8, w)
				}
			}
		}
	}
	if off > 0 {
		t.Errorf("%s: %d pixels differ, the first %s", name, off, first)
	}
}

func TestLayers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scenes.jsonl")
	if err := os.WriteFile(file, []byte(scenes), 0o644); err != nil {
		t.Fatal(err)
	}
	all, err := drawScenes(file, 10)
	if err != nil || len(all) != 2 {
		t.Fatalf("got %d scenes, %v; want 2", len(all), err)
	}
	most := 0
	for _, tile := range all[0].tiles {
		most = max(most, tile.Items)
		if tile.Class == "" || tile.W < 1 || tile.H < 1 || tile.Records < 0 {
			t.Errorf("tile %+v", tile)
		}
	}
	if len(all[0].tiles) == 0 || most < 2 {
		t.Errorf("got %d tiles with up to %d paths; want some that two shapes share", len(all[0].tiles), most)
	}
}
