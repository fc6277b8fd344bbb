package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"plumb/daemon"
	"plumb/daemon/explorer"
	"plumb/daemon/judge"
	"plumb/daemon/shm"
	"plumb/render"
	"plumb/render/chrome"
	"plumb/render/egl"
	"plumb/render/font"
	"plumb/render/scene"
	"plumb/render/view"
)

// doctorCmd is `plumb doctor`.
type doctorCmd struct {
	engineFlags
	judgeFlags
}

// Run prints what works on this machine, one line for each part of plumb: graphics devices, backends,
// fonts, pages, Chromium, shared memory, judge. It ends with the backend that is used. It returns an error
// if what --backend or --fidelity asks for does not work, or if fonts are missing.
func (cmd *doctorCmd) Run(std streams) error {
	doctor := doctor{out: std.out}
	raster, err := daemon.ParseRaster(cmd.Raster)
	if err != nil {
		return usageError{err}
	}
	doctor.devices()
	gl := doctor.backend(render.Config{Backend: render.BackendGL, Device: cmd.Device, Raster: raster})
	cpu := doctor.backend(render.Config{Backend: render.BackendCPU, Raster: raster})
	fonts := doctor.fonts(cmd.FontsDir)
	doctor.pages()
	editor, err := doctor.editor(&cmd.engineFlags)
	if err != nil {
		return err
	}
	doctor.shm()
	if err := doctor.judge(&cmd.judgeFlags); err != nil {
		return err
	}
	// What each value of --backend needs. With chrome, Chromium draws, but gl or cpu counts the pixels.
	works := map[string]bool{render.BackendGL: gl, render.BackendCPU: cpu, render.BackendAuto: gl || cpu,
		render.BackendChrome: editor && (gl || cpu)}[cmd.Backend]
	chosen := cmd.Backend
	if chosen == render.BackendAuto {
		chosen = render.BackendCPU
		if gl {
			chosen = render.BackendGL
		}
	}
	switch {
	case !works:
		return fmt.Errorf("--backend %s does not work here: see the lines above", cmd.Backend)
	case !editor && cmd.Fidelity == render.FidelityTldraw:
		return errors.New("--fidelity tldraw does not work here: see the lines of Chromium and tldraw above")
	case !fonts:
		return errors.New("no fonts: shapes with text cannot be drawn; run make setup, or see --fonts-dir")
	}
	doctor.line(true, "backend %s is used", chosen)
	doctor.routing(&cmd.engineFlags, editor)
	return nil
}

// routing prints which scenes plumb draws itself (natively) and which the editor tldraw draws in Chromium.
// That follows from --fidelity and --backend, and from editor, which says whether Chromium works.
func (doctor *doctor) routing(flags *engineFlags, editor bool) {
	switch {
	case flags.Fidelity == render.FidelityTldraw || flags.Backend == render.BackendChrome:
		doctor.line(true, "fidelity tldraw: Chromium draws every scene, as tldraw %s", flags.Tldraw)
	case flags.Fidelity == render.FidelityNative:
		doctor.line(true, "fidelity native: what is not native is refused by name")
	case editor:
		doctor.line(true, "fidelity auto: what is not native is drawn by Chromium, as tldraw %s", flags.Tldraw)
	default:
		doctor.line(false, "fidelity auto: what is not native is refused by name, as Chromium does not work")
	}
}

// doctor writes one line per check.
type doctor struct{ out io.Writer }

// line prints a check of this machine as "ok" or "missing" with its text, and returns ok.
func (doctor *doctor) line(ok bool, format string, args ...any) bool {
	word := "ok"
	if !ok {
		word = "missing"
	}
	fmt.Fprintf(doctor.out, "%-8s %s\n", word, fmt.Sprintf(format, args...))
	return ok
}

// devices prints the graphics devices that EGL lists, on which OpenGL contexts can be opened without a
// window.
func (doctor *doctor) devices() {
	list := egl.Adapters()
	for _, a := range list {
		doctor.line(true, "%v", a)
	}
	if len(list) == 0 {
		doctor.line(false, "EGL lists no devices")
	}
}

// backend opens the rendering engine with a backend, OpenGL or the CPU, runs its self-test and prints the
// outcome with the details and limits of the OpenGL driver. It reports whether the backend works.
func (doctor *doctor) backend(cfg render.Config) bool {
	engine, err := render.Open(cfg)
	if err != nil {
		return doctor.line(false, "backend %s: %v", cfg.Backend, err)
	}
	defer engine.Close()
	if err := engine.SelfTest(); err != nil {
		return doctor.line(false, "backend %s: %v", cfg.Backend, err)
	}
	gpu := engine.Info().GPU
	if gpu == nil {
		return doctor.line(true, "backend %s: self-test passed: plain Go", cfg.Backend)
	}
	doctor.line(true, "backend %s: self-test passed: %s, GL %s, EGL %s (%s), platform %s, software %v, reset notification %v", cfg.Backend,
		gpu.Renderer, gpu.Version, gpu.EGLVersion, gpu.EGLVendor, gpu.Platform, gpu.Software, gpu.Notified)
	// Some drivers end a shader's loops early without an error, which the engine has measured.
	bound := "no limit found up to"
	if gpu.Limits.Bounded() {
		bound = "the driver ends a thread's loops after"
	}
	return doctor.line(true, "loops: %s %d iterations; tiles of more than %d items are left to the CPU", bound, gpu.Limits.Iterations, gpu.Limits.Items)
}

// fonts prints whether the editor's fonts can be read from a folder, "" for the default one, and reports
// the same.
func (doctor *doctor) fonts(dir string) bool {
	dir = font.Dir(dir)
	if _, err := font.Open(dir); err != nil {
		return doctor.line(false, "fonts: %v", err)
	}
	return doctor.line(true, "fonts: %s", dir)
}

// pages prints whether the web pages that show reports and results (plumb view) are in their default
// folder, where the set-up puts them.
func (doctor *doctor) pages() {
	dir := explorer.PagesDir("")
	pages := explorer.New(explorer.Config{Client: dir})
	defer pages.Close()
	if err := pages.Built(); err != nil {
		doctor.line(false, "pages: no reports and no plumb view: %v", err)
		return
	}
	doctor.line(true, "pages: %s", dir)
}

// editor starts Chromium, lets the editor tldraw draw a picture in it, and prints everything that such a
// picture depends on: the versions, the sandbox, the hinting of text and the licence. works is false if
// Chromium does not start or the picture is wrong. The error is a usageError of the flags.
func (doctor *doctor) editor(flags *engineFlags) (works bool, err error) {
	cfg, err := flags.browser()
	if err != nil {
		return false, err
	}
	cfg.Pages, cfg.Version = 1, flags.Tldraw // one tab is enough
	start := time.Now()
	pool, err := chrome.Open(cfg)
	if err != nil {
		return doctor.line(false, "Chromium: %v", err), nil
	}
	defer pool.Close()
	// The browser runs: say which one.
	info := pool.Info()
	doctor.line(true, "Chromium: %s, %s, started in %d ms", info.Product, info.Program, time.Since(start).Milliseconds())
	if info.Sandbox {
		doctor.line(true, "Chromium's sandbox: on")
	} else {
		doctor.line(false, "Chromium's sandbox: off: %s", info.Reason)
	}
	// Let the editor draw.
	start = time.Now()
	if err := tryExport(pool); err != nil {
		return doctor.line(false, "tldraw %s: %v", info.Version, err), nil
	}
	hinting := "not hinted, as native text is"
	if info.Hinted {
		hinting = "hinted"
	}
	doctor.line(true, "tldraw %s: drew a scene in %d ms; page %s; text is %s", info.Version, time.Since(start).Milliseconds(),
		filepath.Join(chrome.PageDir(cfg.Page), info.Version), hinting)
	// What the licence of the editor allows.
	switch {
	case cfg.Use == chrome.Production:
		doctor.line(true, "tldraw's licence: used in production, and the editor takes the key for %s", cfg.LicenseHost)
	case cfg.LicenseKey != "":
		doctor.line(true, "tldraw's licence: used for development, with a key; production wants --tldraw-use production and --tldraw-host")
	default:
		doctor.line(true, "tldraw's licence: used for development; production wants a key, see docs/tldraw-licence.md and --tldraw-use")
	}
	return true, nil
}

// judge prints which judge, a language model that judges open answers, the flags configure, and whether
// its settings are valid. It sends no request, because requests cost money. It removes the judge's key
// from the environment, as commands that use the judge do. The error is a usageError of the flags.
func (doctor *doctor) judge(judgeFlags *judgeFlags) error {
	const bulk = false // no answers are scored
	cfg, err := judgeFlags.config(bulk)
	if err != nil {
		return err
	}
	if cfg == nil {
		doctor.line(true, "judge: none; answers that need one are unjudged (--judge-url)")
		return nil
	}
	if err := judge.Check(*cfg); err != nil {
		doctor.line(false, "judge: %v", err)
		return nil
	}
	key, kept := "none in "+judgeFlags.JudgeKeyEnv, "nowhere (--judge-cache)"
	if cfg.Key != "" {
		key = "set in " + judgeFlags.JudgeKeyEnv
	}
	if cfg.Cache != "" {
		kept = "in " + cfg.Cache
	}
	doctor.line(true, "judge: model %s, key %s, verdicts kept %s; it was not asked", cfg.Model, key, kept)
	return nil
}

// tryExport lets Chromium draw a filled square of 20 px in the middle of a picture of 40 px. It returns an
// error unless the picture has that size, the pixel in the middle is opaque, and one near a corner is not.
func tryExport(pool *chrome.Pool) error {
	square := `[{"id":"shape:a","type":"geo","x":10,"y":10,"props":{"w":20,"h":20,"fill":"solid","dash":"solid"}}]`
	board, err := scene.Decode([]byte(square), scene.DefaultLimits())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	img, err := pool.View(ctx, view.View{Scene: board, Bounds: view.Box{W: 40, H: 40}})
	if err != nil {
		return err
	}
	if img.Rect.Dx() != 40 || img.NRGBAAt(20, 20).A != 255 || img.NRGBAAt(2, 2).A != 0 {
		return fmt.Errorf("it drew a square wrong: got %v px, alpha %d inside and %d outside; want (40,40) px, 255 and 0",
			img.Rect.Max, img.NRGBAAt(20, 20).A, img.NRGBAAt(2, 2).A)
	}
	return nil
}

// shm prints for both kinds of shared memory that clients of the daemon may use, with --allow-client-shm,
// whether it works on this machine.
func (doctor *doctor) shm() {
	segmentErr, memfdErr := shm.Probe()
	for _, kind := range []struct {
		name string
		err  error
	}{{"System V segments", segmentErr}, {"sealed memfds", memfdErr}} {
		if kind.err != nil {
			doctor.line(false, "shared memory: %s: %v", kind.name, kind.err)
		} else {
			doctor.line(true, "shared memory: %s (plumb serve --allow-client-shm)", kind.name)
		}
	}
}
