//go:build view

package main

import (
	"errors"
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

// main reads the flags and shows how plumb draws the scenes of a file in a window, or writes one screenshot
// of that window.
func main() {
	runtime.LockOSThread() // GLFW belongs to the main thread
	log.SetFlags(0)
	layer := flag.Int("layer", 1, "what to show first: 1 picture, 2 classes, 3 coverage, 4 overdraw, 5 cost")
	screenshotPath := flag.String("screenshot", "", "write what the window shows to this PNG and end")
	limit := flag.Int("max", 1000, "scenes that are read at most")
	flag.Parse()
	if flag.NArg() != 1 || *layer < 1 || *layer > len(layers) {
		log.Fatal("usage: view [-layer 1..5] [-screenshot FILE] SCENES")
	}
	if err := run(flag.Arg(0), *layer-1, *screenshotPath, *limit); err != nil {
		log.Fatal(err)
	}
}

// run draws the scenes of a file, at most limit of them, and shows them in a window until it is closed.
// firstLayer is the layer to begin with, such as the picture or the cost of tiles. If screenshotPath is not "",
// it writes a screenshot of the first scene there and ends.
func run(path string, firstLayer int, screenshotPath string, limit int) error {
	all, err := drawScenes(path, limit)
	if err != nil {
		return err
	}
	window, err := openWindow(all[0].image.Rect.Dx(), all[0].image.Rect.Dy())
	if err != nil {
		return err
	}
	defer glfw.Terminate()
	viewer := &viewer{window: window, scenes: all, layerIndex: firstLayer, screenshotPath: screenshotPath}
	window.glfwWindow.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, _ int, action glfw.Action, _ glfw.ModifierKey) {
		if action != glfw.Release {
			viewer.handleKey(key)
		}
	})
	return viewer.loop()
}

// drawScenes draws every scene of a file, at most limit of them, with plumb's engine. A scene that cannot be
// drawn is named on standard error and left out.
func drawScenes(path string, limit int) (all []shown, err error) {
	engine, err := render.Open(render.Config{Fidelity: render.FidelityNative})
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	worker := engine.Worker()
	reader, err := dump.Open(path, dump.Limits{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	err = dump.Scenes(reader, dump.Limits{}, func(line dump.Line) {
		if len(all) == limit {
			return
		}
		drawn, err := drawLine(engine, worker, line)
		if err != nil {
			log.Printf("line %d: %v", line.Number, err)
			return
		}
		all = append(all, drawn)
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("cannot show %s: it has no scene that can be drawn", path)
	}
	return all, err
}

// drawLine draws the scene of one line of a file with plumb's engine, and returns its picture and the tiles
// into which it was cut, which the window shows as layers.
func drawLine(engine *render.Engine, worker *render.Worker, line dump.Line) (drawn shown, err error) {
	if line.Fault != "" {
		return drawn, errors.New(line.Fault)
	}
	id, wanted, err := dump.Picture(line.Bytes, dump.PictureOptions{Limits: scene.DefaultLimits()})
	if err != nil {
		return drawn, err
	}
	prepared, err := worker.Prepare(wanted)
	if err != nil {
		return drawn, err
	}
	defer prepared.Release()
	images, err := engine.Pictures([]*render.Prepared{prepared})
	if err != nil {
		return drawn, err
	}
	return shown{id: id, image: images[0], tiles: prepared.Inspect()}, nil
}

// viewer is the state of the window: which scene and which layer it shows.
type viewer struct {
	window         *window
	scenes         []shown
	sceneIndex     int
	layerIndex     int
	screenshotPath string // "" for none
	needsRedraw    bool
}

// handleKey handles a key of the window: arrows, space, home and end choose the scene, digits the layer, s
// saves a screenshot, q and escape close the window.
func (v *viewer) handleKey(k glfw.Key) {
	switch {
	case k == glfw.KeyRight || k == glfw.KeySpace:
		v.sceneIndex = min(v.sceneIndex+1, len(v.scenes)-1)
	case k == glfw.KeyLeft:
		v.sceneIndex = max(v.sceneIndex-1, 0)
	case k == glfw.KeyHome:
		v.sceneIndex = 0
	case k == glfw.KeyEnd:
		v.sceneIndex = len(v.scenes) - 1
	case k >= glfw.Key1 && int(k-glfw.Key1) < len(layers): // keys of digits follow each other
		v.layerIndex = int(k - glfw.Key1)
	case k == glfw.KeyS:
		name := fmt.Sprintf("view-%d-%d.png", v.sceneIndex+1, v.layerIndex+1)
		if err := savePNG(name, v.window.pixels()); err != nil {
			log.Print(err)
		} else {
			log.Printf("wrote %s", name)
		}
	case k == glfw.KeyQ || k == glfw.KeyEscape:
		v.window.glfwWindow.SetShouldClose(true)
	}
	v.needsRedraw = true
}

// loop redraws the window when a key has changed what it shows, until the window is closed.
func (v *viewer) loop() error {
	v.needsRedraw = true
	for !v.window.glfwWindow.ShouldClose() {
		if v.needsRedraw {
			s := &v.scenes[v.sceneIndex]
			v.window.show(layers[v.layerIndex].paint(s))
			v.window.glfwWindow.SetTitle(fmt.Sprintf("%s (%d of %d) · %s · %d tiles", s.id, v.sceneIndex+1, len(v.scenes), layers[v.layerIndex].name, len(s.tiles)))
			v.needsRedraw = false
		}
		if v.screenshotPath != "" {
			return savePNG(v.screenshotPath, v.window.pixels())
		}
		glfw.WaitEventsTimeout(0.5) // at most so many seconds; keys are handled in it
	}
	return nil
}

// savePNG writes a screenshot of the window as a PNG file.
func savePNG(path string, screenshot *image.RGBA) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return png.Encode(file, screenshot)
}
