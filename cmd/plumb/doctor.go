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
	doctor.printDevices()
	gl := doctor.checkBackend(render.Config{Backend: render.BackendGL, Device: cmd.Device, Raster: raster})
	cpu := doctor.checkBackend(render.Config{Backend: render.BackendCPU, Raster: raster})
	fonts := doctor.checkFonts(cmd.FontsDir)
	doctor.checkPages()
	editor, err := doctor.checkEditor(&cmd.engineFlags)
	if err != nil {
		return err
	}
	doctor.checkSharedMemory()
	if err := doctor.printJudge(&cmd.judgeFlags); err != nil {
		return err
	}
	// What each value of --backend needs. With chrome, Chromium draws, but gl or cpu counts the pixels.
	backendWorks := map[string]bool{render.BackendGL: gl, render.BackendCPU: cpu, render.BackendAuto: gl || cpu,
		render.BackendChrome: editor && (gl || cpu)}
	chosen := cmd.Backend
	if chosen == render.BackendAuto {
		chosen = render.BackendCPU
		if gl {
			chosen = render.BackendGL
		}
	}
	switch {
	case !backendWorks[cmd.Backend]:
		return fmt.Errorf("--backend %s does not work here: see the lines above", cmd.Backend)
	case !editor && cmd.Fidelity == render.FidelityTldraw:
		return errors.New("--fidelity tldraw does not work here: see the lines of Chromium and tldraw above")
	case !fonts:
		return errors.New("no fonts: shapes with text cannot be drawn; run make setup, or see --fonts-dir")
	}
	doctor.printCheck(true, "backend %s is used", chosen)
	doctor.printRouting(&cmd.engineFlags, editor)
	return nil
}

// printRouting prints which scenes plumb draws itself (natively) and which the editor tldraw draws in Chromium.
// That follows from --fidelity and --backend, and from editor, which says whether Chromium works.
func (doctor *doctor) printRouting(flags *engineFlags, editor bool) {
	switch {
	case flags.Fidelity == render.FidelityTldraw || flags.Backend == render.BackendChrome:
		doctor.printCheck(true, "fidelity tldraw: Chromium draws every scene, as tldraw %s", flags.Tldraw)
	case flags.Fidelity == render.FidelityNative:
		doctor.printCheck(true, "fidelity native: what is not native is refused by name")
	case editor:
		doctor.printCheck(true, "fidelity auto: what is not native is drawn by Chromium, as tldraw %s", flags.Tldraw)
	default:
		doctor.printCheck(false, "fidelity auto: what is not native is refused by name, as Chromium does not work")
	}
}

// doctor writes one line per check.
type doctor struct{ out io.Writer }

// printCheck prints a check of this machine as "ok" or "missing" with its text, and returns ok.
func (doctor *doctor) printCheck(ok bool, format string, args ...any) bool {
	word := "ok"
	if !ok {
		word = "missing"
	}
	fmt.Fprintf(doctor.out, "%-8s %s\n", word, fmt.Sprintf(format, args...))
	return ok
}

// printDevices prints the graphics devices that EGL lists, on which OpenGL contexts can be opened without a
// window.
func (doctor *doctor) printDevices() {
	list := egl.Adapters()
	for _, a := range list {
		doctor.printCheck(true, "%v", a)
	}
	if len(list) == 0 {
		doctor.printCheck(false, "EGL lists no devices")
	}
}

// checkBackend opens the rendering engine with a backend, OpenGL or the CPU, runs its self-test and prints the
// outcome with the details and limits of the OpenGL driver. It reports whether the backend works.
func (doctor *doctor) checkBackend(cfg render.Config) bool {
	engine, err := render.Open(cfg)
	if err != nil {
		return doctor.printCheck(false, "backend %s: %v", cfg.Backend, err)
	}
	defer engine.Close()
	if err := engine.SelfTest(); err != nil {
		return doctor.printCheck(false, "backend %s: %v", cfg.Backend, err)
	}
	gpu := engine.Info().GPU
	if gpu == nil {
		return doctor.printCheck(true, "backend %s: self-test passed: plain Go", cfg.Backend)
	}
	doctor.printCheck(true, "backend %s: self-test passed: %s, GL %s, EGL %s (%s), platform %s, software %v, reset notification %v", cfg.Backend,
		gpu.Renderer, gpu.Version, gpu.EGLVersion, gpu.EGLVendor, gpu.Platform, gpu.Software, gpu.Notified)
	// Some drivers end a shader's loops early without an error, which the engine has measured.
	bound := "no limit found up to"
	if gpu.Limits.Bounded() {
		bound = "the driver ends a thread's loops after"
	}
	return doctor.printCheck(true, "loops: %s %d iterations; tiles of more than %d items are left to the CPU", bound, gpu.Limits.Iterations, gpu.Limits.Items)
}

// checkFonts prints whether the editor's fonts can be read from a folder, "" for the default one, and reports
// the same.
func (doctor *doctor) checkFonts(dir string) bool {
	dir = font.Dir(dir)
	if _, err := font.Open(dir); err != nil {
		return doctor.printCheck(false, "fonts: %v", err)
	}
	return doctor.printCheck(true, "fonts: %s", dir)
}

// checkPages prints whether the web pages that show reports and results (plumb view) are in their default
// folder, where the set-up puts them.
func (doctor *doctor) checkPages() {
	dir := explorer.PagesDir("")
	pages := explorer.New(explorer.Config{Client: dir})
	defer pages.Close()
	if err := pages.Built(); err != nil {
		doctor.printCheck(false, "pages: no reports and no plumb view: %v", err)
		return
	}
	doctor.printCheck(true, "pages: %s", dir)
}

// checkEditor starts Chromium, lets the editor tldraw draw a picture in it, and prints everything that such a
// picture depends on: the versions, the sandbox, the hinting of text and the licence. It returns false if
// Chromium does not start or the picture is wrong, and prints why. The error is a usageError of the flags.
func (doctor *doctor) checkEditor(flags *engineFlags) (works bool, err error) {
	cfg, err := flags.chromeConfig()
	if err != nil {
		return false, err
	}
	cfg.Pages, cfg.Version = 1, flags.Tldraw // one tab is enough
	start := time.Now()
	pool, err := chrome.Open(cfg)
	if err != nil {
		return doctor.printCheck(false, "Chromium: %v", err), nil
	}
	defer pool.Close()
	// The browser runs: say which one.
	info := pool.Info()
	doctor.printCheck(true, "Chromium: %s, %s, started in %d ms", info.Product, info.Program, time.Since(start).Milliseconds())
	if info.Sandbox {
		doctor.printCheck(true, "Chromium's sandbox: on")
	} else {
		doctor.printCheck(false, "Chromium's sandbox: off: %s", info.Reason)
	}
	// Let the editor draw.
	start = time.Now()
	if err := tryExport(pool); err != nil {
		return doctor.printCheck(false, "tldraw %s: %v", info.Version, err), nil
	}
	hinting := "not hinted, as native text is"
	if info.Hinted {
		hinting = "hinted"
	}
	doctor.printCheck(true, "tldraw %s: drew a scene in %d ms; page %s; text is %s", info.Version, time.Since(start).Milliseconds(),
		filepath.Join(chrome.PageDir(cfg.Page), info.Version), hinting)
	// What the licence of the editor allows.
	switch {
	case cfg.Use == chrome.Production:
		doctor.printCheck(true, "tldraw's licence: used in production, and the editor takes the key for %s", cfg.LicenseHost)
	case cfg.LicenseKey != "":
		doctor.printCheck(true, "tldraw's licence: used for development, with a key; production wants --tldraw-use production and --tldraw-host")
	default:
		doctor.printCheck(true, "tldraw's licence: used for development; production wants a key, see docs/tldraw-licence.md and --tldraw-use")
	}
	return true, nil
}

// printJudge prints which judge, a language model that judges open answers, the flags configure, and whether
// its settings are valid. It sends no request, because requests cost money. Reading the flags removes the
// judge's key from the environment. The error is a usageError of the flags.
func (doctor *doctor) printJudge(judgeFlags *judgeFlags) error {
	const scoresDumps = false
	cfg, err := judgeFlags.judgeConfig(scoresDumps)
	if err != nil {
		return err
	}
	if cfg == nil {
		doctor.printCheck(true, "judge: none; answers that need one are unjudged (--judge-url)")
		return nil
	}
	if err := judge.Check(*cfg); err != nil {
		doctor.printCheck(false, "judge: %v", err)
		return nil
	}
	key, kept := "none in "+judgeFlags.JudgeKeyEnv, "nowhere (--judge-cache)"
	if cfg.Key != "" {
		key = "set in " + judgeFlags.JudgeKeyEnv
	}
	if cfg.Cache != "" {
		kept = "in " + cfg.Cache
	}
	doctor.printCheck(true, "judge: model %s, key %s, verdicts kept %s; it was not asked", cfg.Model, key, kept)
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

// checkSharedMemory prints for both kinds of shared memory that clients of the daemon may use, with --allow-client-shm,
// whether it works on this machine.
func (doctor *doctor) checkSharedMemory() {
	segmentErr, memfdErr := shm.Probe()
	for _, kind := range []struct {
		name string
		err  error
	}{{"System V segments", segmentErr}, {"sealed memfds", memfdErr}} {
		if kind.err != nil {
			doctor.printCheck(false, "shared memory: %s: %v", kind.name, kind.err)
		} else {
			doctor.printCheck(true, "shared memory: %s (plumb serve --allow-client-shm)", kind.name)
		}
	}
}
