package chrome

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"plumb/render/view"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Pool is a browser with several tabs, each with an editor. It is safe for concurrent use. A
// browser or tab that dies is replaced, and its job is done again.
type Pool struct {
	cfg     Config
	program string
	site    site
	sandbox bool
	noBox   string // why there is no sandbox

	calls   chan *call
	done    chan struct{} // closed by Close
	workers sync.WaitGroup
	watcher sync.WaitGroup
	once    sync.Once

	// suspects is held while a scene whose tab died is tried again: one at a time, so that
	// only the scene that kills tabs fails.
	suspects sync.Mutex

	mu       sync.Mutex
	browser  *browserInstance
	product  string
	starting chan struct{} // closed when a browser that is being started is there

	stats counters
}

// counters count what the pool did, for Stats.
type counters struct {
	exports, retries, blocked, refused, pages, browsers, lost, unproved, blank atomic.Int64
}

// call is a job of the editor that a worker of the pool handles.
type call struct {
	ctx    context.Context
	job    *job
	answer *answer
	err    error
	done   chan struct{}
}

// Open starts a browser and mounts one editor in a tab, so that software that is missing is
// reported at once. Errors wrap ErrMissing where the machine lacks something.
func Open(cfg Config) (*Pool, error) {
	cfg = cfg.withDefaults()
	if err := cfg.CheckUse(); err != nil {
		return nil, err
	}
	program, err := Find(cfg.Path)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{Version42, Version54, VersionPlain}, cfg.Version) {
		return nil, fmt.Errorf("cannot open tldraw %q: want %s or %s", cfg.Version, Version42, Version54)
	}
	s, err := readSite(PageDir(cfg.Page), cfg.Version, cfg.origin())
	if err != nil {
		return nil, err
	}
	p := &Pool{cfg: cfg, program: program, site: s, calls: make(chan *call), done: make(chan struct{})}
	if p.sandbox, p.noBox, err = cfg.Sandboxed(program); err != nil {
		return nil, err
	}
	w := &worker{pool: p}
	if err := w.ensurePage(); err != nil {
		p.Close()
		return nil, err
	}
	if err := w.checkLicence(); err != nil {
		w.closePage()
		p.Close()
		return nil, err
	}
	if !p.sandbox {
		cfg.Log.Warn("the browser runs without its sandbox", "reason", p.noBox)
	}
	for range cfg.Pages - 1 {
		p.start(&worker{pool: p})
	}
	p.start(w)
	p.watcher.Go(p.watch)
	cfg.Log.Info("browser started", "program", filepath.Base(program), "version", p.product,
		"tldraw", cfg.Version, "pages", cfg.Pages, "sandbox", p.sandbox)
	return p, nil
}

func (p *Pool) start(w *worker) { p.workers.Go(w.run) }

// Info describes a pool.
type Info struct {
	Program string // path of the browser
	Product string // its name and version
	Version string // of tldraw
	Sandbox bool
	Reason  string // why there is no sandbox
	Hinted  bool
}

// Info describes the browser of the pool.
func (p *Pool) Info() Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Info{p.program, p.product, p.cfg.Version, p.sandbox, p.noBox, p.cfg.Hinted}
}

// Stats counts what a pool did so far.
type Stats struct {
	Exports  int64 // scenes that were drawn
	Retries  int64 // attempts that were repeated
	Blocked  int64 // requests that were stopped
	Refused  int64 // scenes that were refused
	Pages    int64 // tabs that were opened
	Browsers int64 // browsers that were started
	Lost     int64 // browsers and tabs that died, were killed or gave a picture without its proof
	Unproved int64 // pictures that were rejected for a wrong proof
	Blank    int64 // pictures drawn again because they were empty where shapes are visible
}

// Stats returns how many exports, tabs, browsers and faults the pool has had so far.
func (p *Pool) Stats() Stats {
	c := &p.stats
	return Stats{
		Exports: c.exports.Load(), Retries: c.retries.Load(), Blocked: c.blocked.Load(), Refused: c.refused.Load(),
		Pages: c.pages.Load(), Browsers: c.browsers.Load(), Lost: c.lost.Load(),
		Unproved: c.unproved.Load(), Blank: c.blank.Load(),
	}
}

// Memory returns the bytes of private memory of the browser's processes, and their number.
func (p *Pool) Memory() (bytes int64, processes int) {
	p.mu.Lock()
	b := p.browser
	p.mu.Unlock()
	if b == nil {
		return 0, 0
	}
	for _, one := range browserProcesses(b.pid, b.profile.dir) {
		bytes += one.bytes
		processes++
	}
	return bytes, processes
}

// Export draws a scene with the editor in a tab. It waits for a free tab until ctx ends. A tab that
// has begun a job finishes it even then. Errors wrap ErrScene, ErrLimit, ErrDeadline, ErrLost,
// ErrClosed, ErrMissing or the cause of ctx.
func (p *Pool) Export(ctx context.Context, r Request) (*Result, error) {
	j, err := p.cfg.job(&r)
	if err != nil {
		p.stats.refused.Add(1)
		return nil, err
	}
	c := &call{ctx: ctx, job: j, done: make(chan struct{})}
	select {
	case <-p.done:
		return nil, fmt.Errorf("cannot export scene: %w", ErrClosed)
	case <-ctx.Done():
		return nil, fmt.Errorf("cannot export scene: %w", context.Cause(ctx))
	case p.calls <- c:
	}
	select {
	case <-c.done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("cannot export scene: %w", context.Cause(ctx))
	}
	if c.err != nil {
		return nil, c.err
	}
	return p.result(&r, c.answer)
}

// result turns the page's answer to a request into images, or into a box if the request has
// Measure, and counts the export. An error that the page reports wraps ErrLimit or ErrScene and
// counts as refused.
func (p *Pool) result(r *Request, a *answer) (*Result, error) {
	s := &p.stats
	s.blocked.Add(int64(a.Blocked))
	if a.Error != "" {
		s.refused.Add(1)
		kind := ErrScene
		if a.Limit {
			kind = ErrLimit
		}
		return nil, fmt.Errorf("cannot export scene: %w: %s", kind, clip(a.Error, 300))
	}
	out := &Result{Bounds: r.Bounds, Blocked: a.Blocked}
	if r.Measure {
		if len(a.Pictures) == 0 || a.Pictures[0].Bounds == nil {
			out.Bounds, out.Empty = view.Box{}, true
			return out, nil
		}
		out.Bounds = box(a.Pictures[0].Bounds)
		return out, nil
	}
	for i, dst := range []**image.NRGBA{&out.Image, &out.Other} {
		if i >= len(a.Pictures) {
			break
		}
		*dst = a.Pictures[i].img
		if b := a.Pictures[i].Bounds; b != nil && r.Content && i == 0 {
			out.Bounds = box(b)
		}
	}
	s.exports.Add(1)
	return out, nil
}

func box(b *[4]float64) view.Box { return view.Box{X: b[0], Y: b[1], W: b[2], H: b[3]} }

// clip shortens a text of the browser to n bytes for a message.
func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "..."
	}
	return s
}

// View draws the first picture of a view with the editor. It calls Export for callers that have a
// *scene.Scene and want one picture.
func (p *Pool) View(ctx context.Context, v view.View) (*image.NRGBA, error) {
	r, err := p.Export(ctx, Request{View: v})
	if err != nil {
		return nil, err
	}
	return r.Image, nil
}

// Close waits for the exports that have begun and stops the browser. After it no process and no
// file of the browser is left.
func (p *Pool) Close() error {
	p.once.Do(func() {
		close(p.done)
		p.workers.Wait()
		p.watcher.Wait()
		p.mu.Lock()
		b := p.browser
		p.browser = nil
		p.mu.Unlock()
		if b != nil {
			b.close()
		}
	})
	return nil
}

// acquire returns the browser for a new tab, and counts the tab. If there is no browser, or it has ended or is
// retired, it starts another one; other callers wait for that. The caller must call release when the tab is
// closed.
func (p *Pool) acquire() (*browserInstance, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.starting != nil { // another caller starts a browser, without the lock
		wait := p.starting
		p.mu.Unlock()
		<-wait
		p.mu.Lock()
	}
	if b := p.browser; b != nil {
		if b.alive() && !b.retired.Load() {
			b.pages++
			return b, nil
		}
		if b.pages == 0 {
			go b.close()
		}
	}
	started := make(chan struct{})
	p.starting, p.browser = started, nil
	p.mu.Unlock()
	b, err := launch(&p.cfg, p.program, p.sandbox)
	p.mu.Lock()
	p.starting = nil
	close(started)
	if err != nil {
		return nil, err
	}
	p.stats.browsers.Add(1)
	p.browser, p.product = b, b.product
	b.pages++
	return b, nil
}

// release removes a tab from a browser; a retired browser closes with its last tab.
func (p *Pool) release(b *browserInstance) {
	p.mu.Lock()
	b.pages--
	last := b.pages == 0 && (b.retired.Load() || !b.alive())
	if last && p.browser == b {
		p.browser = nil
	}
	p.mu.Unlock()
	if last {
		b.close()
	}
}

// watch checks the memory of the browser's processes twice a second, and retires a browser that
// holds too much, so that another one replaces it.
func (p *Pool) watch() {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		p.mu.Lock()
		b := p.browser
		p.mu.Unlock()
		if b == nil || !b.alive() {
			continue
		}
		switch n := b.memory(); {
		case n > p.cfg.MaxMemory:
			p.cfg.Log.Warn("browser killed", "reason", "memory", "bytes", n, "limit", p.cfg.MaxMemory)
			b.kill(fmt.Sprintf("it held %d MiB; want at most %d", n>>20, p.cfg.MaxMemory>>20))
		case n > p.cfg.MaxMemory/2:
			b.retire("memory")
		}
	}
}
