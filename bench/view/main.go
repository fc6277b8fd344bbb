//go:build view

package main

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"runtime"

	"github.com/go-gl/glfw/v3.3/glfw"

	"plumb/daemon/dump"
	"plumb/render"
	"plumb/render/scene"
)

// main reads the flags and shows the scenes of a file in a window, or writes one screenshot.
func main() {
	runtime.LockOSThread() // GLFW belongs to the main thread
	log.SetFlags(0)
	mode := flag.Int("layer", 1, "what to show first: 1 picture, 2 classes, 3 coverage, 4 overdraw, 5 cost")
	shot := flag.String("screenshot", "", "write what the window shows to this PNG and end")
	limit := flag.Int("max", 1000, "scenes that are read at most")
	flag.Parse()
	if flag.NArg() != 1 || *mode < 1 || *mode > len(layers) {
		log.Fatal("usage: view [-layer 1..5] [-screenshot FILE] SCENES")
	}
	if err := run(flag.Arg(0), *mode-1, *shot, *limit); err != nil {
		log.Fatal(err)
	}
}

// run opens a window and shows the scenes of a file in it until it is closed. mode is the layer to
// begin with. If shot is a path, it writes the first view there and ends.
func run(path string, mode int, shot string, limit int) error {
	all, err := read(path, limit)
	if err != nil {
		return err
	}
	w, err := open(all[0].image.Rect.Dx(), all[0].image.Rect.Dy())
	if err != nil {
		return err
	}
	defer glfw.Terminate()
	v := &viewer{window: w, scenes: all, mode: mode, shot: shot}
	w.window.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, _ int, action glfw.Action, _ glfw.ModifierKey) {
		if action != glfw.Release {
			v.key(key)
		}
	})
	return v.loop()
}

// read draws every scene of a file, at most limit of them, with plumb's engine. A scene that cannot be
// drawn is named on standard error and left out.
func read(path string, limit int) (all []shown, err error) {
	e, err := render.Open(render.Config{Fidelity: render.FidelityNative})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	w := e.Worker()
	r, err := dump.Open(path, dump.Limits{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	err = dump.Scenes(r, dump.Limits{}, func(l dump.Line) {
		if len(all) == limit {
			return
		}
		s, err := one(e, w, l)
		if err != nil {
			log.Printf("line %d: %v", l.N, err)
			return
		}
		all = append(all, s)
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("cannot show %s: it has no scene that can be drawn", path)
	}
	return all, err
}

// one draws the scene of one line of a file, and returns its picture and the tiles that the tile stage
// had, which the window shows as layers.
func one(e *render.Engine, w *render.Worker, l dump.Line) (s shown, err error) {
	if l.Fault != "" {
		return s, fmt.Errorf("%s", l.Fault)
	}
	id, v, err := dump.Picture(l.Bytes, dump.PictureOptions{Limits: scene.DefaultLimits()})
	if err != nil {
		return s, err
	}
	p, err := w.Prepare(v)
	if err != nil {
		return s, err
	}
	defer p.Release()
	images, err := e.Pictures([]*render.Prepared{p})
	if err != nil {
		return s, err
	}
	return shown{id: id, image: images[0], tiles: p.Inspect()}, nil
}

// viewer is the state of the window: which scene and which layer it shows.
type viewer struct {
	window *window
	scenes []shown
	at     int
	mode   int
	shot   string
	stale  bool
}

// key handles a key of the window: arrows, space, home and end choose the scene, digits the layer, s
// saves a screenshot, q and escape close the window.
func (v *viewer) key(k glfw.Key) {
	switch {
	case k == glfw.KeyRight || k == glfw.KeySpace:
		v.at = min(v.at+1, len(v.scenes)-1)
	case k == glfw.KeyLeft:
		v.at = max(v.at-1, 0)
	case k == glfw.KeyHome:
		v.at = 0
	case k == glfw.KeyEnd:
		v.at = len(v.scenes) - 1
	case k >= glfw.Key1 && int(k-glfw.Key1) < len(layers):
		v.mode = int(k - glfw.Key1)
	case k == glfw.KeyS:
		name := fmt.Sprintf("view-%d-%d.png", v.at+1, v.mode+1)
		if err := save(name, v.window.pixels()); err != nil {
			log.Print(err)
		} else {
			log.Printf("wrote %s", name)
		}
	case k == glfw.KeyQ || k == glfw.KeyEscape:
		v.window.window.SetShouldClose(true)
	}
	v.stale = true
}

// loop redraws the window when a key has changed what it shows, until the window is closed.
func (v *viewer) loop() error {
	v.stale = true
	for !v.window.window.ShouldClose() {
		if v.stale {
			s := &v.scenes[v.at]
			v.window.show(layers[v.mode].paint(s))
			v.window.window.SetTitle(fmt.Sprintf("%s (%d of %d) · %s · %d tiles", s.id, v.at+1, len(v.scenes), layers[v.mode].name, len(s.tiles)))
			v.stale = false
		}
		if v.shot != "" {
			return save(v.shot, v.window.pixels())
		}
		glfw.WaitEventsTimeout(0.5)
	}
	return nil
}

// save writes a screenshot of the window as a PNG.
func save(name string, m *image.RGBA) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return png.Encode(f, m)
}
