// Package render joins the stages from scene to measurement. In: views of
// scenes. Out: one metric.Tally per view, or pictures. It picks the backend and
// is the only way to it; a failed backend is an error, never a wrong number.
package render

import (
	"errors"
	"fmt"
	"image"
	"runtime"
	"slices"
	"sync"
	"time"

	"plumb/render/batch"
	"plumb/render/cpu"
	"plumb/render/font"
	"plumb/render/gpu"
	"plumb/render/metric"
	"plumb/render/outline"
)

// ErrLimit marks a view whose picture is larger than Config allows.
var ErrLimit = errors.New("picture too large")

// The backends.
const (
	BackendAuto = "auto" // gl where a context opens, else cpu
	BackendGL   = "gl"
	BackendCPU  = "cpu"
)

// Config says how an Engine works. The zero value is usable.
type Config struct {
	Backend   string         // one of the Backend constants; "" is auto
	Device    string         // which GL device, as egl.Config.Device
	Raster    outline.Raster // how paths become segments
	MaxPixels int            // px of a picture; default 64 Mpx
	MaxSide   int            // px of a picture's side; default 32,768
	Watchdog  time.Duration  // how long the device may be silent; default 10 s
	Stats     *gpu.Stats     // takes GPU timings; nil for none
}

const (
	defaultMaxPixels = 64 << 20
	defaultMaxSide   = 32768
)

// Info describes what an Engine runs on.
type Info struct {
	Backend string    // "gl" or "cpu"
	GPU     *gpu.Info // nil on the CPU
	Reason  string    // why auto fell back to the CPU, "" otherwise
	Fonts   string    // folder of the fonts, "" when there are none
}

// stage is the tile stage on a backend. Implementations are safe for concurrent
// use and give whole results or an error.
type stage interface {
	// RunInto evaluates the runs [0, Shader) of a batch: TileH RowSums per run,
	// in dst where it is large enough.
	RunInto(dst []batch.RowSums, b *batch.Batch) ([]batch.RowSums, error)
	// Pictures evaluates the same runs into a picture buffer of b.Pixels.
	Pictures(b *batch.Batch) ([]uint32, error)
	Close() error
}

// Engine measures and draws prepared views. It is safe for concurrent use.
type Engine struct {
	cfg    Config
	stage  stage
	runner *gpu.Runner // nil on the CPU
	reason string
	tileds sync.Pool // *batch.Tiled
	calls  sync.Pool // *call
}

// call is the memory of one batch on its way.
type call struct {
	batch  batch.Batch
	tileds []*batch.Tiled
	rows   []batch.RowSums
}

// Open starts the backend. With BackendAuto a machine without a GL context gets
// the CPU backend and Info.Reason; with BackendGL that is an error.
func Open(cfg Config) (*Engine, error) {
	if cfg.MaxPixels == 0 {
		cfg.MaxPixels = defaultMaxPixels
	}
	if cfg.MaxSide == 0 {
		cfg.MaxSide = defaultMaxSide
	}
	e := &Engine{cfg: cfg, stage: goStage{}}
	e.tileds.New = func() any { return new(batch.Tiled) }
	e.calls.New = func() any { return new(call) }
	switch cfg.Backend {
	case BackendCPU:
		return e, nil
	case "", BackendAuto, BackendGL:
	default:
		return nil, fmt.Errorf("cannot open backend %q: want auto, gl or cpu", cfg.Backend)
	}
	r, err := gpu.Open(gpu.Config{Device: cfg.Device, Watchdog: cfg.Watchdog, Stats: cfg.Stats})
	switch {
	case err == nil:
		e.stage, e.runner = r, r
	case cfg.Backend == BackendGL:
		return nil, fmt.Errorf("cannot open backend gl: %w", err)
	default:
		e.reason = err.Error()
	}
	return e, nil
}

// Info tells what the engine runs on.
func (e *Engine) Info() Info {
	i := Info{Backend: BackendCPU, Reason: e.reason, Fonts: font.Dir("")}
	if e.runner != nil {
		g := e.runner.Info()
		i.Backend, i.GPU = BackendGL, &g
	}
	return i
}

// Close stops the backend; calls that are under way end first.
func (e *Engine) Close() error { return e.stage.Close() }

// Worker prepares views; one goroutine uses it at a time.
type Worker struct {
	e       *Engine
	builder outline.Builder
	drawing outline.Drawing
	binner  batch.Binner
}

// Worker returns a new worker of the engine.
func (e *Engine) Worker() *Worker { return &Worker{e: e} }

// Prepare does the CPU's part of a view: outlines, segments, tiles. The result
// goes to Measure or Pictures and then back by Release. Errors wrap
// outline.ErrForeign where the scene holds what is not drawn natively.
func (w *Worker) Prepare(v outline.View) (*Prepared, error) {
	if err := w.e.check(v.Bounds); err != nil {
		return nil, err
	}
	if err := w.builder.Build(v, w.e.cfg.Raster, &w.drawing); err != nil {
		return nil, err
	}
	t := w.e.tileds.Get().(*batch.Tiled)
	w.binner.Bin(&w.drawing, t)
	return &Prepared{e: w.e, tiled: t}, nil
}

// check holds the bounds of a view against the limits of the canvas.
func (e *Engine) check(b outline.Box) error {
	side, px := float64(e.cfg.MaxSide), float64(e.cfg.MaxPixels)
	switch {
	case !(b.W <= side && b.H <= side):
		return fmt.Errorf("cannot draw %g x %g px: %w: want sides of at most %g px; see --max-side", b.W, b.H, ErrLimit, side)
	case b.W*b.H > px:
		return fmt.Errorf("cannot draw %g x %g px: %w: want at most %g px; see --max-pixels", b.W, b.H, ErrLimit, px)
	}
	return nil
}

// Prepared is a view that is ready for the tile stage.
type Prepared struct {
	e     *Engine
	tiled *batch.Tiled
}

// Release gives the memory back; the view must not be used after.
func (p *Prepared) Release() {
	if p.tiled != nil {
		p.e.tileds.Put(p.tiled)
		p.tiled = nil
	}
}

// Work is the number of tile segments and items, in the unit by which batches
// are capped.
func (p *Prepared) Work() int { return p.tiled.Work() }

// Size is the picture's in px.
func (p *Prepared) Size() (width, height int) { return p.tiled.Width, p.tiled.Height }

// pack takes a call from the pool and lays the views out in it.
func (e *Engine) pack(ps []*Prepared) *call {
	c := e.calls.Get().(*call)
	c.tileds = c.tileds[:0]
	for _, p := range ps {
		c.tileds = append(c.tileds, p.tiled)
	}
	c.batch.Pack(c.tileds)
	return c
}

// Measure runs one batch and appends one tally per view to dst, in their order.
// Tallies do not depend on what else is in the batch. An empty batch is no work.
func (e *Engine) Measure(dst []metric.Tally, ps []*Prepared) ([]metric.Tally, error) {
	if len(ps) == 0 {
		return dst, nil
	}
	c := e.pack(ps)
	defer e.release(c)
	b := &c.batch
	rows, err := e.stage.RunInto(c.rows[:0], b)
	if err != nil {
		return dst, err
	}
	if n := len(b.Runs) * batch.TileH; len(rows) < n { // dense runs have no rows yet
		rows = slices.Grow(rows, n-len(rows))[:n]
		cpu.Rows(b, b.Shader, len(b.Runs), rows)
	}
	c.rows = rows
	return b.Tallies(dst, rows), nil
}

// Pictures runs one batch and returns the views as images, not premultiplied.
func (e *Engine) Pictures(ps []*Prepared) ([]*image.NRGBA, error) {
	if len(ps) == 0 {
		return nil, nil
	}
	c := e.pack(ps)
	defer e.release(c)
	b := &c.batch
	px, err := e.stage.Pictures(b)
	if err != nil {
		return nil, err
	}
	cpu.Pixels(b, b.Shader, len(b.Runs), px)
	b.FillSolids(px)
	images := make([]*image.NRGBA, len(ps))
	for i, p := range b.Pictures {
		images[i] = nrgba(px[p.Offset:p.Offset+p.Width*p.Height], p.Width, p.Height)
	}
	return images, nil
}

func (e *Engine) release(c *call) {
	c.batch.Reset() // lets go of the views
	clear(c.tileds)
	e.calls.Put(c)
}

// nrgba copies pixels out of the picture buffer.
func nrgba(px []uint32, w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, v := range px {
		img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3] = uint8(v), uint8(v>>8), uint8(v>>16), uint8(v>>24)
	}
	return img
}

// goStage is the tile stage in plain Go, on all processors.
type goStage struct{}

func (goStage) RunInto(dst []batch.RowSums, b *batch.Batch) ([]batch.RowSums, error) {
	n := b.Shader * batch.TileH
	rows := slices.Grow(dst[:0], n)[:n]
	spread(b.Shader, func(from, to int) { cpu.Rows(b, from, to, rows) })
	return rows, nil
}

func (goStage) Pictures(b *batch.Batch) ([]uint32, error) {
	px := make([]uint32, b.Pixels)
	spread(b.Shader, func(from, to int) { cpu.Pixels(b, from, to, px) })
	return px, nil
}

func (goStage) Close() error { return nil }

// spread calls f on parts of [0, n), one per processor. Runs write to places of
// their own, so parts need no order.
func spread(n int, f func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { f(i*n/parts, (i+1)*n/parts) })
	}
	wg.Wait()
}
