package chrome

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"sync/atomic"
	"time"

	"plumb/render/outline"
)

// attempts is how often a scene is tried whose browser or tab dies under it.
const attempts = 3

// Pool is a browser with several tabs, each with an editor in it. It is safe
// for concurrent use. A browser or tab that dies is replaced, and what it was
// doing is done again.
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

	// suspects is held while a scene under which a tab died is tried again: one
	// at a time, so that the scene that kills is told from those that stood by.
	suspects sync.Mutex

	mu       sync.Mutex
	browser  *instance
	product  string
	starting chan struct{} // closed when a browser that is being started is there

	stats counters
}

type counters struct {
	exports, retries, blocked, refused, pages, browsers, lost atomic.Int64
}

// call is a request on its way through a worker.
type call struct {
	ctx    context.Context
	req    *Request
	result *Result
	err    error
	done   chan struct{}
}

// Open starts a browser and mounts one editor, so that what is missing is known
// now. Errors wrap ErrMissing where the machine lacks something.
func Open(cfg Config) (*Pool, error) {
	cfg = cfg.withDefaults()
	program, err := Find(cfg.Path)
	if err != nil {
		return nil, err
	}
	if cfg.Version != "4.2" && cfg.Version != "5.4" && cfg.Version != "plain" {
		return nil, fmt.Errorf("cannot open tldraw %q: want 4.2 or 5.4", cfg.Version)
	}
	s, err := readSite(PageDir(cfg.Page), cfg.Version)
	if err != nil {
		return nil, err
	}
	p := &Pool{cfg: cfg, program: program, site: s, calls: make(chan *call), done: make(chan struct{})}
	if p.sandbox, p.noBox = Sandbox(program); !p.sandbox {
		cfg.Log.Warn("the browser runs without its sandbox", "reason", p.noBox)
	}
	w := &worker{pool: p}
	if err := w.ready(); err != nil {
		p.Close()
		return nil, err
	}
	for range cfg.Pages - 1 {
		p.start(&worker{pool: p})
	}
	p.start(w)
	p.watcher.Go(p.watch)
	cfg.Log.Info("browser started", "program", program, "version", p.product, "tldraw", cfg.Version, "pages", cfg.Pages, "sandbox", p.sandbox)
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

// Info tells what the pool runs on.
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
	Lost     int64 // browsers and tabs that died or were killed
}

// Stats returns the counts so far.
func (p *Pool) Stats() Stats {
	c := &p.stats
	return Stats{c.exports.Load(), c.retries.Load(), c.blocked.Load(), c.refused.Load(), c.pages.Load(), c.browsers.Load(), c.lost.Load()}
}

// Memory returns the bytes that the browser's processes hold of their own, and
// how many processes there are.
func (p *Pool) Memory() (bytes int64, processes int) {
	p.mu.Lock()
	b := p.browser
	p.mu.Unlock()
	if b == nil {
		return 0, 0
	}
	for _, one := range family(b.pid, b.profile.dir) {
		bytes += one.bytes
		processes++
	}
	return bytes, processes
}

// Export draws a scene. It waits for a free tab as long as ctx lasts; a ctx
// that ends gives up waiting, not the tab. Errors wrap ErrScene, ErrLimit,
// ErrDeadline, ErrLost, ErrClosed, ErrMissing or the cause of ctx.
func (p *Pool) Export(ctx context.Context, r Request) (*Result, error) {
	c := &call{ctx: ctx, req: &r, done: make(chan struct{})}
	select {
	case <-p.done:
		return nil, fmt.Errorf("cannot export scene: %w", ErrClosed)
	case <-ctx.Done():
		return nil, fmt.Errorf("cannot export scene: %w", context.Cause(ctx))
	case p.calls <- c:
	}
	select {
	case <-c.done:
		return c.result, c.err
	case <-ctx.Done():
		return nil, fmt.Errorf("cannot export scene: %w", context.Cause(ctx))
	}
}

// View draws the first picture of a view. It is Export for callers that have a
// *scene.Scene and want one picture.
func (p *Pool) View(ctx context.Context, v outline.View) (*image.NRGBA, error) {
	r, err := p.Export(ctx, Request{View: v})
	if err != nil {
		return nil, err
	}
	return r.Image, nil
}

// Close stops the browser; exports that are under way end first. Nothing of it
// is left, neither process nor file.
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

// acquire returns the browser for a new tab, started when there is none. The
// tab gives it back with release.
func (p *Pool) acquire() (*instance, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.starting != nil {
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

// release takes a tab off a browser; a retired one closes with its last tab.
func (p *Pool) release(b *instance) {
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

// watch looks at the browser's memory.
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

// worker owns one tab.
type worker struct {
	pool *Pool
	page *page
}

func (w *worker) run() {
	defer w.drop()
	for {
		select {
		case <-w.pool.done:
			return
		case c := <-w.pool.calls:
			if c.ctx.Err() != nil {
				c.err = fmt.Errorf("cannot export scene: %w", context.Cause(c.ctx))
			} else {
				c.result, c.err = w.export(c)
			}
			close(c.done)
		}
	}
}

// export draws one scene, more than once where a tab dies under it.
func (w *worker) export(c *call) (*Result, error) {
	job, err := w.pool.cfg.job(c.req)
	if err != nil {
		w.pool.stats.refused.Add(1)
		return nil, err
	}
	for n := 1; ; n++ {
		a, err := w.try(job, n > 1)
		if err == nil {
			return w.result(c.req, a)
		}
		w.pool.stats.lost.Add(1)
		w.pool.cfg.Log.Warn("export failed", "attempt", n, "error", err)
		switch {
		case errors.Is(err, ErrDeadline), errors.Is(err, ErrMissing):
			return nil, err
		case n == attempts:
			return nil, fmt.Errorf("cannot export scene: %w %d times: %w", ErrLost, n, err)
		case c.ctx.Err() != nil:
			return nil, fmt.Errorf("cannot export scene: %w", context.Cause(c.ctx))
		}
		w.pool.stats.retries.Add(1)
	}
}

// try sends the job to the worker's tab. After an error the tab is gone.
func (w *worker) try(job string, suspect bool) (*answer, error) {
	if suspect {
		w.pool.suspects.Lock()
		defer w.pool.suspects.Unlock()
	}
	if err := w.ready(); err != nil {
		return nil, err
	}
	b := w.page.browser
	b.exports.Add(1)
	injected := inject(b)
	a, err := w.page.run(job, w.pool.cfg.Deadline)
	injected()
	if err != nil {
		if !b.alive() {
			err = fmt.Errorf("the browser is gone (%s): %w", b.why(), err)
		}
		w.drop()
		return nil, err
	}
	return a, nil
}

// result makes images of an answer.
func (w *worker) result(r *Request, a *answer) (*Result, error) {
	s := &w.pool.stats
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
	for i, dst := range []**image.NRGBA{&out.Image, &out.Other} {
		if i >= len(a.Pictures) {
			break
		}
		img, err := a.Pictures[i].image()
		if err != nil {
			return nil, err
		}
		*dst = img
		if b := a.Pictures[i].Bounds; b != nil && r.Content && i == 0 {
			out.Bounds = outline.Box{X: b[0], Y: b[1], W: b[2], H: b[3]}
		}
	}
	s.exports.Add(1)
	return out, nil
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "..."
	}
	return s
}

// ready makes sure that the worker has a tab, in a browser that is in use.
func (w *worker) ready() error {
	if p := w.page; p != nil {
		b := p.browser
		if int(b.exports.Load()) >= w.pool.cfg.BrowserExports {
			b.retire("its number of exports")
		}
		if p.ctx.Err() == nil && p.exports < w.pool.cfg.PageExports && !b.retired.Load() {
			return nil
		}
		w.drop()
	}
	var err error
	for range attempts { // a browser may die while a tab is being opened in it
		var b *instance
		if b, err = w.pool.acquire(); err != nil {
			return err
		}
		if w.page, err = openPage(b, w.pool.site, w.pool.cfg.LicenseKey); err == nil {
			w.pool.stats.pages.Add(1)
			return nil
		}
		w.page = nil
		b.retire("a tab did not open")
		w.pool.release(b)
	}
	return err
}

// drop closes the worker's tab.
func (w *worker) drop() {
	if w.page == nil {
		return
	}
	b := w.page.browser
	w.page.close()
	w.page = nil
	w.pool.release(b)
}
