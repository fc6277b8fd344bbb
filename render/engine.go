// Package render is the engine: it joins the stages from scene to measurement, batches
// views, keeps tallies, and checks the device. In: views of scenes. Out: one metric.Tally
// per view, or pictures. It picks the backend and who draws a view, and is the only way
// to both; what fails is an error, never a wrong number.
package render

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"plumb/render/batch"
	"plumb/render/chrome"
	"plumb/render/delta"
	"plumb/render/font"
	"plumb/render/gpu"
	"plumb/render/paint"
	"plumb/render/view"
)

// ErrLimit marks a view whose picture is larger than Config allows.
var ErrLimit = errors.New("picture too large")

// The backends.
const (
	BackendAuto   = "auto" // gl where a context opens, else cpu
	BackendGL     = "gl"
	BackendCPU    = "cpu"
	BackendChrome = "chrome" // FidelityTldraw; pixels are counted as with auto
)

// Config says how an Engine works. The zero value is usable.
type Config struct {
	Backend   string       // one of the Backend constants; "" is auto
	Device    string       // which GL device, as egl.Config.Device
	Raster    paint.Raster // how paths become coverage
	MaxPixels int          // px of a picture; default 64 Mpx
	MaxSide   int          // px of a picture's side; default 32,768
	MaxPoints int          // of one shape; default paint.MaxPoints
	// MaxCoverage bounds the coverage of one view's outlines in bytes; default
	// paint.MaxCoverage.
	MaxCoverage int
	Watchdog    time.Duration // how long the device may be silent; default 10 s
	// TallyCache is the memory for tallies of views with TallyOnly, and for the last pictures that
	// were drawn in full, bytes; 0 keeps none, and every view is measured and drawn in full.
	TallyCache int

	Fidelity string        // one of the Fidelity constants; "" is native
	Tldraw   string        // whose pictures are made: "4.2" or "5.4"; "" is 4.2
	Chrome   chrome.Config // of the browser; Version and limits are filled in
}

const (
	defaultMaxPixels = 64 << 20
	defaultMaxSide   = 32768
)

// Info describes what an Engine runs on.
type Info struct {
	// Backend is what results carry of views that are drawn as Fidelity says:
	// "gl", "cpu", or "chrome" where everything is drawn there.
	Backend  string
	Counter  string    // what evaluates pixels: "gl" or "cpu"
	GPU      *gpu.Info // nil on the CPU
	Reason   string    // why auto fell back to the CPU, "" otherwise
	Fonts    string    // folder of the fonts, "" when there are none
	Fidelity string    // one of the Fidelity constants
	Tldraw   string    // "4.2" or "5.4"
	Exports  int       // scenes that the browser draws at a time, 0 without one
	// Sandbox says that the browser runs in its own sandbox, and NoSandbox why it
	// does not, where there is a browser.
	Sandbox   bool
	NoSandbox string
	// NoChrome says why what is not native cannot be drawn by the browser, nil
	// where it can or is not meant to. It wraps chrome.ErrMissing.
	NoChrome error
}

// Engine measures and draws prepared views. It is safe for concurrent use.
type Engine struct {
	cfg           Config
	version       view.Version
	exporter      *exporter // nil with FidelityNative
	stage         stage
	meter         *Meter
	runner        *gpu.Runner // nil on the CPU
	maxItems      int         // of a run on the device, 0 on the CPU
	reason        string
	pool          memoryPool
	packedBatches sync.Pool // *packedBatch
	heartbeat     heartbeat
	tallies       *tallyCache // nil without Config.TallyCache

	quarantine quarantine
	// gate is held for reading by calls that are on the device, and for writing
	// by the one that must be there alone to learn whose fault a loss is.
	gate sync.RWMutex
}

// Open starts the backend and fills in the defaults of cfg. With BackendAuto a machine without a GL
// context gets the CPU backend, and Info.Reason says why; with BackendGL, or a Device that is named,
// that is an error. With FidelityTldraw the browser is started too, and one that does not start is
// an error; with FidelityAuto it is started when it is first needed, and Info.NoChrome says if it is
// missing.
func Open(cfg Config) (*Engine, error) {
	if cfg.MaxPixels == 0 {
		cfg.MaxPixels = defaultMaxPixels
	}
	if cfg.MaxSide == 0 {
		cfg.MaxSide = defaultMaxSide
	}
	engine := &Engine{cfg: cfg, stage: new(goStage), tallies: newTallyCache(cfg.TallyCache)}
	engine.packedBatches.New = func() any {
		packed := new(packedBatch)
		packed.batch.MaxItems = engine.maxItems
		return packed
	}
	if err := engine.chooseFidelity(); err != nil {
		return nil, err
	}
	if err := engine.openBackend(); err != nil {
		return nil, err
	}
	engine.meter = newMeter(engine.runner, cfg)
	if engine.cfg.Fidelity == FidelityTldraw { // every view needs the browser: start it now
		if _, err := engine.exporter.open(); err != nil {
			engine.stage.Close()
			return nil, err
		}
	}
	return engine, nil
}

// chooseFidelity checks the version of tldraw and the fidelity of e.cfg, fills in their defaults,
// and prepares the exporter, without starting it, if the editor may draw views. The backend
// "chrome" stands for fidelity "tldraw" with the backend "auto".
func (e *Engine) chooseFidelity() error {
	cfg := &e.cfg
	var err error
	if e.version, err = view.ParseVersion(cfg.Tldraw); err != nil {
		return err
	}
	cfg.Tldraw = e.version.String()
	if cfg.Backend == BackendChrome {
		cfg.Backend, cfg.Fidelity = BackendAuto, FidelityTldraw
	}
	switch cfg.Fidelity {
	case "", FidelityNative:
		cfg.Fidelity = FidelityNative
	case FidelityAuto, FidelityTldraw:
		e.exporter, err = newExporter(*cfg)
		return err
	default:
		return fmt.Errorf("cannot use fidelity %q: want native, auto or tldraw", cfg.Fidelity)
	}
	return nil
}

// openBackend opens the GL device of the tile stage. The stage stays in plain Go with the backend
// "cpu", and with "auto" where no context opens and no device was named; e.reason then says why.
func (e *Engine) openBackend() error {
	switch e.cfg.Backend {
	case BackendCPU:
		return nil
	case "", BackendAuto, BackendGL:
	default:
		return fmt.Errorf("cannot open backend %q: want auto, gl, cpu or chrome", e.cfg.Backend)
	}
	runner, err := gpu.Open(gpu.Config{Device: e.cfg.Device, Watchdog: e.cfg.Watchdog})
	switch {
	case err == nil:
		e.stage, e.runner, e.maxItems = glStage{runner}, runner, runner.Info().Limits.Items
	case e.cfg.Backend == BackendGL:
		return fmt.Errorf("cannot open backend gl: %w", err)
	case e.cfg.Device != "" && e.cfg.Device != "auto": // a named device is not replaced by another
		return fmt.Errorf("cannot open device %s: %w", e.cfg.Device, err)
	default:
		e.reason = err.Error()
	}
	return nil
}

// Info returns which backend the engine uses and why, and describes its graphics device and its
// browser.
func (e *Engine) Info() Info {
	const defaultFolder = "" // font.Dir then looks for the folder
	// Counter is what evaluates pixels. Backend differs from it where the browser draws every view.
	info := Info{Counter: BackendCPU, Reason: e.reason, Fonts: font.Dir(defaultFolder), Fidelity: e.cfg.Fidelity, Tldraw: e.cfg.Tldraw}
	if e.runner != nil {
		device := e.runner.Info()
		info.Counter, info.GPU = BackendGL, &device
	}
	if e.exporter != nil {
		info.NoChrome = e.exporter.missing
		if info.NoChrome == nil {
			info.Exports, info.Sandbox, info.NoSandbox = e.exporter.cfg.Pages, e.exporter.sandbox, e.exporter.noSandboxReason
		}
	}
	info.Backend = e.Backend()
	return info
}

// Backend returns the name of the backend that draws or measures: BackendChrome where the browser draws
// every view, else BackendGL or BackendCPU. It is Info().Backend without the cost of describing the machine.
func (e *Engine) Backend() string {
	switch {
	case e.cfg.Fidelity == FidelityTldraw:
		return BackendChrome
	case e.runner != nil:
		return BackendGL
	}
	return BackendCPU
}

// Close closes the device that compares masks, the browser if there may be one, and the tile stage. Calls
// that are under way end first.
func (e *Engine) Close() error {
	err := e.meter.close()
	if e.exporter == nil {
		return errors.Join(err, e.stage.Close())
	}
	return errors.Join(err, e.exporter.close(), e.stage.Close())
}

// Worker prepares views; one goroutine uses it at a time.
type Worker struct {
	engine  *Engine
	builder paint.Builder
	drawing paint.Drawing
	binner  batch.Binner
	tiled   batch.Tiled // the tiles of the last view
	keys    keyMaker
	edits   delta.Finder
}

// Worker returns a new worker of the engine.
func (e *Engine) Worker() *Worker { return &Worker{engine: e, builder: e.builder()} }

func (e *Engine) builder() paint.Builder {
	return paint.Builder{Version: e.version, MaxPoints: e.cfg.MaxPoints, MaxCoverage: e.cfg.MaxCoverage}
}

// Prepare does the CPU's part of a view: outlines, coverage, tiles. The result is passed to Measure or
// Pictures, and then released; one that the editor draws is Pending, and needs Finish first. Errors wrap
// view.ErrForeign if the scene holds what is not drawn natively and the browser cannot help, or
// ErrLimit; others name the shape.
func (w *Worker) Prepare(v view.View) (*Prepared, error) {
	if v.Content == nil { // else the bounds are not known yet, and the editor's size is checked
		if err := w.engine.checkBounds(v.Bounds); err != nil {
			return nil, err
		}
	}
	if w.engine.cfg.Fidelity == FidelityTldraw {
		return w.engine.exportView(v, nil)
	}
	defer w.dropLargeMemory()
	p, err := w.prepareNative(v)
	if err != nil && w.engine.exporter != nil && errors.Is(err, view.ErrForeign) {
		return w.engine.exportView(v, err)
	}
	return p, err
}

// prepareNative prepares a view that is drawn natively. Where the engine has a cache, a view of which
// only the tally is wanted may share that of an equal view, and one whose image is wanted may be drawn as
// an edit of a kept picture. All other views are prepared in full, also one that is known to be foreign:
// that gives the error.
func (w *Worker) prepareNative(v view.View) (*Prepared, error) {
	mayShareTally := w.engine.tallies != nil && v.TallyOnly && !v.Details && !v.Unmeasured && v.Foreign == nil
	switch {
	case mayShareTally:
		return w.prepareShared(v)
	case w.engine.keepsPicture(&v):
		return w.preparePicture(v)
	}
	return w.prepareAlone(v)
}

// prepareAlone prepares a view in full, without a look at the cache of tallies.
func (w *Worker) prepareAlone(v view.View) (*Prepared, error) {
	if err := w.builder.Build(v, w.engine.cfg.Raster, &w.drawing); err != nil {
		return nil, err
	}
	p := w.tile(&w.drawing, v.TallyOnly && !v.Details)
	p.unmeasured = v.Unmeasured
	return p, nil
}

// dropLargeMemory replaces the buffers of the worker by empty ones if any has grown beyond its
// limit, so that one large view does not make the worker large for good.
func (w *Worker) dropLargeMemory() {
	const builderShare = 4 // a builder holds the paths of all shapes, so it may grow larger than the rest
	if w.drawing.Volume() > largeBytes || tiledBytes(&w.tiled) > largeBytes ||
		w.builder.Volume() > builderShare*largeBytes || w.keys.isLarge() {
		*w = Worker{engine: w.engine, builder: w.engine.builder()}
	}
}

// checkBounds checks that a view of bounds b has sides and pixels within the limits of the
// configuration. Errors wrap ErrLimit and name the flag that raises the limit.
func (e *Engine) checkBounds(b view.Box) error {
	side, px := float64(e.cfg.MaxSide), float64(e.cfg.MaxPixels)
	switch {
	case !(b.W <= side && b.H <= side): // also NaN
		return fmt.Errorf("cannot draw %g x %g px: %w: want sides of at most %g px; see --max-side", b.W, b.H, ErrLimit, side)
	case b.W*b.H > px:
		return fmt.Errorf("cannot draw %g x %g px: %w: want at most %g px; see --max-pixels", b.W, b.H, ErrLimit, px)
	}
	return nil
}

// Prepared is a view that is ready for the tile stage, or Pending.
type Prepared struct {
	engine     *Engine
	tiled      *batch.Tiled // nil while pending, and where the tally alone is wanted
	export     *editorView  // nil for a native one
	unmeasured bool         // its tally is not wanted

	// Where the tally alone is wanted, one of these is set.
	outcome    *outcome    // the tally, if it is known already
	shared     *sharedView // the view of this content, which others may use too; held until Release
	sharedWork int         // the work of shared, if this one prepared it for all

	// Where the image is wanted, one of these may be set.
	editOf   *keptPicture // the kept picture that the view is an edit of
	redrawn  batch.Region // of an edit: where it differs from editOf; tiled holds these tiles alone
	keepAs   *keptPicture // what the image will be kept as, once it is drawn
	replaces *keptPicture // the kept picture that keepAs takes the place of
}

// Release returns the memory of the view to the engine, for further views. The caller must not use p
// afterwards.
func (p *Prepared) Release() {
	if p.tiled != nil {
		p.engine.pool.giveBack(p.tiled)
		p.tiled = nil
	}
	if p.shared != nil {
		p.engine.releaseShared(p.shared)
		p.shared = nil
	}
	p.export, p.outcome, p.editOf, p.keepAs, p.replaces = nil, nil, nil, nil, nil
}

// Work returns the number of mask rows and items, in the unit by which batches are bounded; 0
// while pending, and for a view whose tally comes from another one.
func (p *Prepared) Work() int {
	if p.tiled == nil {
		return p.sharedWork
	}
	return p.tiled.Work()
}

// Size returns the size of the view's picture in px. It is that of the outcome in the cache or of the shared view,
// if the view has one of these, because then it has no tiles of its own.
func (p *Prepared) Size() (width, height int) {
	switch {
	case p.outcome != nil:
		return p.outcome.width, p.outcome.height
	case p.shared != nil:
		return p.shared.width, p.shared.height
	}
	return p.tiled.Width, p.tiled.Height
}
