package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"plumb/render/chrome"
	"plumb/render/shapes"
	"plumb/render/view"
)

// The fidelities: who draws what.
const (
	// FidelityNative refuses what is not drawn natively; the default.
	FidelityNative = "native"
	// FidelityAuto gives to the editor in a browser what is not drawn natively.
	FidelityAuto = "auto"
	// FidelityTldraw gives it everything.
	FidelityTldraw = "tldraw"
)

const (
	// maxStarts is how often in a row a browser that fails to start is tried; then there is a pause
	// of startPause.
	maxStarts  = 3
	startPause = 10 * time.Second
)

// exporter is the editor in a browser, which is started when it is first needed.
type exporter struct {
	cfg             chrome.Config
	missing         error     // why there is none on this machine; wraps chrome.ErrMissing
	sandbox         bool      // the browser runs in its own sandbox
	noSandboxReason string    // why it does not
	tilers          sync.Pool // *pictureTiler

	pool atomic.Pointer[chrome.Pool] // nil before the first start

	mu       sync.Mutex // guards the rest; held while a browser starts
	failed   error      // why the last start failed
	failedAt time.Time
	closed   bool
}

// newExporter returns an exporter with the limits of cfg and looks for the browser and the export
// page, without starting them. If one is missing, the exporter keeps the reason in its field
// missing. A use of tldraw that its licence does not allow, and a sandbox that is demanded and not
// to be had, are errors.
func newExporter(cfg Config) (*exporter, error) {
	c := cfg.Chrome
	c.Version, c.MaxPixels, c.MaxSide = cfg.Tldraw, cfg.MaxPixels, cfg.MaxSide
	if c.Pages <= 0 {
		c.Pages = min(runtime.GOMAXPROCS(0), 4)
	}
	x := &exporter{cfg: c}
	x.tilers.New = func() any { return new(pictureTiler) }
	if err := c.CheckUse(); err != nil {
		return nil, err
	}
	program, err := chrome.Find(c.Path)
	if err != nil {
		x.missing = err
		return x, nil
	}
	if x.sandbox, x.noSandboxReason, err = c.Sandboxed(program); err != nil {
		return nil, err
	}
	script := filepath.Join(chrome.PageDir(c.Page), c.Version, "page.js")
	if _, err := os.Stat(script); err != nil {
		x.missing = fmt.Errorf("cannot find the export page: %w: %w; want it made by make setup", chrome.ErrMissing, err)
	}
	return x, nil
}

// open returns the pool of browser tabs, and starts the browser if there is none. A start that fails
// is tried again up to maxStarts times; after that, calls within startPause return the last error
// at once.
func (x *exporter) open() (*chrome.Pool, error) {
	if pool := x.pool.Load(); pool != nil {
		return pool, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	pool := x.pool.Load() // another call may have started it while this one waited
	switch {
	case pool != nil:
		return pool, nil
	case x.closed:
		return nil, fmt.Errorf("cannot start the editor: %w", chrome.ErrClosed)
	case x.failed != nil && time.Since(x.failedAt) < startPause:
		return nil, x.failed
	}
	// Try at least once, at most maxStarts times, and begin no try after startPause: others wait for mu.
	for begin, n := time.Now(), 0; n < maxStarts && (n == 0 || time.Since(begin) < startPause); n++ {
		pool, x.failed = chrome.Open(x.cfg)
		if x.failed == nil {
			x.pool.Store(pool)
			return pool, nil
		}
	}
	x.failedAt = time.Now()
	return nil, x.failed
}

// close stops the browser if it runs, and keeps later calls of open from starting one.
func (x *exporter) close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	if pool := x.pool.Load(); pool != nil {
		return pool.Close()
	}
	return nil
}

// Cold reports whether the browser has not been started yet, so that the next
// Finish takes seconds.
func (e *Engine) Cold() bool { return e.exporter != nil && e.exporter.pool.Load() == nil }

// Warm starts the browser, if the engine may use one and none runs yet, so that the first Finish does
// not have to. It returns the error of the start.
func (e *Engine) Warm() error {
	if e.exporter == nil || e.exporter.missing != nil { // Info and Finish say what is missing
		return nil
	}
	_, err := e.exporter.open()
	return err
}

// EditorStats returns the counts of what the browser has done since it was started, zeros before that.
func (e *Engine) EditorStats() chrome.Stats {
	if e.exporter != nil {
		if pool := e.exporter.pool.Load(); pool != nil {
			return pool.Stats()
		}
	}
	return chrome.Stats{}
}

// editorView is a view that the editor draws.
type editorView struct {
	view      view.View
	nativeErr error        // why not natively; nil where the editor draws every view
	image     *image.NRGBA // the picture, if Finish was asked to keep it
	bounds    view.Box     // the part of the page that the picture shows
}

// exportView returns a Prepared of a view that the editor is to draw when Finish is called. nativeErr is
// the error of drawing it natively, which wraps view.ErrForeign, or nil if that was not tried. It refuses
// a view if there is no browser, or if one of its cloud-shaped outlines would have too many points.
func (e *Engine) exportView(v view.View, nativeErr error) (*Prepared, error) {
	if missing := e.exporter.missing; missing != nil {
		if nativeErr == nil {
			return nil, missing
		}
		return nil, fmt.Errorf("%w; nor can the editor draw it here: %w", nativeErr, missing)
	}
	if v.Scene != nil {
		if err := shapes.CheckClouds(v.Scene, e.cfg.MaxPoints); err != nil {
			return nil, err
		}
	}
	return &Prepared{engine: e, export: &editorView{view: v, nativeErr: nativeErr}, unmeasured: v.Unmeasured}, nil
}

// Pending reports whether Finish is still to be called.
func (p *Prepared) Pending() bool { return p.export != nil && p.tiled == nil }

// Foreign reports whether the editor draws the view, and why it is not drawn natively. why is nil if the
// editor draws all views (--fidelity tldraw). Else it wraps view.ErrForeign, and may have a method ShapeID
// that returns the id of the shape that is not drawn natively.
func (p *Prepared) Foreign() (foreign bool, why error) {
	if p.export == nil {
		return false, nil
	}
	return true, p.export.nativeErr
}

// Bounds returns the part of the page that a view drawn by the editor shows. It is set after
// Finish.
func (p *Prepared) Bounds() view.Box { return p.export.bounds }

// Finish makes the editor draw the view, which takes tens of milliseconds. Before that it waits for a
// free page of the browser, until ctx ends. keep says that Pictures will need the picture. If the browser
// is missing, the error wraps the reason why the view is not native, view.ErrForeign; other errors are
// ErrLimit and those of package chrome.
func (p *Prepared) Finish(ctx context.Context, keep bool) error {
	export := p.export
	if err := p.draw(ctx, keep); err != nil {
		if export.nativeErr != nil && errors.Is(err, chrome.ErrMissing) {
			return fmt.Errorf("%w; nor can the editor draw it here: %w", export.nativeErr, err)
		}
		return err
	}
	export.view = view.View{} // it is drawn: let its scene go
	return nil
}

// draw makes the editor draw the view, stores the bounds, and the picture if keep is set, and turns
// the alpha of the picture into tiles. A view with Content shows the box of its shapes: the editor
// finds that itself, unless Content has a rule for the bounds, which needs the box measured first.
func (p *Prepared) draw(ctx context.Context, keep bool) error {
	pool, err := p.engine.exporter.open()
	if err != nil {
		return err
	}
	editorView := p.export
	r := chrome.Request{View: editorView.view, Source: editorView.view.Source}
	if c := editorView.view.Content; c != nil {
		if c.Bounds == nil {
			r.Content, r.Padding = true, c.Padding
		} else if r.Bounds, err = p.engine.contentBounds(ctx, pool, &editorView.view); err != nil {
			return err
		}
	}
	if !r.Content { // else package chrome checks the size that the editor finds
		if err := p.engine.checkBounds(r.Bounds); err != nil {
			return err
		}
	}
	got, err := exportUnlessEmpty(ctx, pool, r)
	if err != nil {
		return err
	}
	if got.Image.Rect.Empty() {
		return fmt.Errorf("cannot draw scene: %w: it is empty and has no bounds; want bounds or a shape", chrome.ErrScene)
	}
	editorView.bounds = got.Bounds
	if keep {
		editorView.image = got.Image
	}
	// From here on the view is measured like a native one: the picture's alpha is its coverage.
	tiler := p.engine.exporter.tilers.Get().(*pictureTiler)
	defer func() { // one large picture must not make a pictureTiler large for good
		if tiler.drawing.Volume() <= largeBytes && tiledBytes(&tiler.tiled) <= largeBytes {
			p.engine.exporter.tilers.Put(tiler)
		}
	}()
	tiler.setPictures(got.Image, got.Other)
	tiler.binner.Bin(&tiler.drawing, &tiler.tiled)
	p.tiled = p.engine.pool.copyOf(&tiler.tiled)
	return nil
}

// contentBounds makes the editor measure the box of the shapes that the view's Content names, and
// returns the bounds that the rule Content.Bounds derives from it.
func (e *Engine) contentBounds(ctx context.Context, pool *chrome.Pool, v *view.View) (view.Box, error) {
	r := chrome.Request{View: view.View{Scene: v.Scene, FirstIDs: v.Content.IDs}, Source: v.Source, Measure: true}
	got, err := exportOrRetry(ctx, pool, r)
	if err != nil {
		return view.Box{}, err
	}
	return v.Content.Bounds(got.Bounds, !got.Empty)
}

// exportUnlessEmpty is exportOrRetry, but for a view that selects no shapes it returns a transparent
// picture without asking the editor: such a view is only used for its size. The editor is asked all the
// same where only it knows the size (Content), or is to refuse it (below 1 px).
func exportUnlessEmpty(ctx context.Context, pool *chrome.Pool, r chrome.Request) (*chrome.Result, error) {
	noShapes := r.FirstIDs != nil && len(r.FirstIDs) == 0 && r.SecondIDs == nil // nil FirstIDs select all
	isSizeKnown := !r.Content && r.Bounds.W >= 1 && r.Bounds.H >= 1
	if !noShapes || !isSizeKnown {
		return exportOrRetry(ctx, pool, r)
	}
	rect := image.Rect(0, 0, int(r.Bounds.W), int(r.Bounds.H))
	return &chrome.Result{Image: image.NewNRGBA(rect), Bounds: r.Bounds}, nil
}

// exportOrRetry makes the editor draw the document of a request. If the editor refuses it, it draws
// the scene that was read from the document instead: records may leave out members that have
// defaults, and only the scene has these filled in. If both are refused, it returns the first error.
func exportOrRetry(ctx context.Context, pool *chrome.Pool, r chrome.Request) (*chrome.Result, error) {
	got, err := pool.Export(ctx, r)
	if !errors.Is(err, chrome.ErrScene) || r.Source == nil || r.Scene == nil {
		return got, err
	}
	r.Source = nil // then the scene is drawn
	if second, e := pool.Export(ctx, r); e == nil {
		return second, nil
	}
	return nil, err
}
