package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"plumb/daemon"
	"plumb/render"
	"plumb/render/egl"
	"plumb/render/font"
)

// doctorCmd is `plumb doctor`.
type doctorCmd struct {
	engineFlags
}

// Run prints what works here. The error says that the chosen backend does not.
func (c *doctorCmd) Run(std streams) error {
	d := doctor{out: std.out}
	raster, err := daemon.ParseRaster(c.Raster)
	if err != nil {
		return usageError{err}
	}
	d.devices()
	gl := d.backend(render.Config{Backend: render.BackendGL, Device: c.Device, Raster: raster})
	cpu := d.backend(render.Config{Backend: render.BackendCPU, Raster: raster})
	fonts := d.fonts(c.FontsDir)
	d.chrome()
	d.shm()
	works := map[string]bool{render.BackendGL: gl, render.BackendCPU: cpu, render.BackendAuto: gl || cpu}[c.Backend]
	chosen := c.Backend
	if chosen == render.BackendAuto {
		chosen = render.BackendCPU
		if gl {
			chosen = render.BackendGL
		}
	}
	switch {
	case !works:
		return fmt.Errorf("backend %s does not work here", c.Backend)
	case !fonts:
		return errors.New("no fonts: shapes with text cannot be drawn; run make setup, or see --fonts-dir")
	}
	fmt.Fprintf(d.out, "%-8s backend %s is used\n", "ok", chosen)
	return nil
}

// doctor writes one line per check.
type doctor struct{ out io.Writer }

func (d *doctor) line(ok bool, format string, args ...any) bool {
	word := "ok"
	if !ok {
		word = "missing"
	}
	fmt.Fprintf(d.out, "%-8s %s\n", word, fmt.Sprintf(format, args...))
	return ok
}

func (d *doctor) devices() {
	list := egl.Adapters()
	for _, a := range list {
		d.line(true, "%v", a)
	}
	if len(list) == 0 {
		d.line(false, "EGL lists no devices")
	}
}

// backend opens a backend and runs its self-test.
func (d *doctor) backend(cfg render.Config) bool {
	e, err := render.Open(cfg)
	if err != nil {
		return d.line(false, "backend %s: %v", cfg.Backend, err)
	}
	defer e.Close()
	if err := e.SelfTest(); err != nil {
		return d.line(false, "backend %s: %v", cfg.Backend, err)
	}
	text := "plain Go"
	if g := e.Info().GPU; g != nil {
		text = fmt.Sprintf("%s, GL %s, EGL %s (%s), platform %s, software %v, reset notification %v",
			g.Renderer, g.Version, g.EGLVersion, g.EGLVendor, g.Platform, g.Software, g.Notified)
	}
	return d.line(true, "backend %s: self-test passed: %s", cfg.Backend, text)
}

func (d *doctor) fonts(dir string) bool {
	dir = font.Dir(dir)
	if _, err := font.Open(dir); err != nil {
		return d.line(false, "fonts: %v", err)
	}
	return d.line(true, "fonts: %s", dir)
}

// chrome looks for the browser that make test compares with; the commands of
// this version do without it.
func (d *doctor) chrome() {
	for _, name := range []string{"google-chrome", "chromium", "chromium-browser", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			d.line(true, "Chrome: %s (not used by this version)", path)
			return
		}
	}
	d.line(false, "Chrome: none in PATH (not used by this version)")
}

func (d *doctor) shm() {
	st, err := os.Stat("/dev/shm")
	d.line(err == nil && st.IsDir(), "shared memory: /dev/shm (not used by this version)")
}
