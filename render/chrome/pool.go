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
	cfg             Config
	program         string
	site            site
	sandbox         bool
	noSandboxReason string // why there is no sandbox, "" if there is one

	calls   chan *call
	done    chan struct{} // closed by Close
	workers sync.WaitGroup
	watcher sync.WaitGroup
	once    sync.Once

	// suspects is held while a scene whose tab died is tried again: one such scene at a time, so that
	// only the scene that kills tabs fails, and not others beside it.
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

// Open starts a browser and opens one tab with the editor, so that missing software is reported at
// once. It then starts a worker for each tab of the configuration. Errors wrap ErrMissing if the
// machine lacks something.
func Open(cfg Config) (*Pool, error) {
	cfg = cfg.withDefaults()
	if err := cfg.CheckUse(); err != nil {
		return nil, err
	}
	// Find everything that is needed.
	program, err := Find(cfg.Path)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{Version42, Version54, VersionPlain}, cfg.Version) {
		return nil, fmt.Errorf("cannot open tldraw %q: want %s or %s", cfg.Version, Version42, Version54)
	}
	site, err := readSite(PageDir(cfg.Page), cfg.Version, cfg.origin())
	if err != nil {
		return nil, err
	}
	pool := &Pool{cfg: cfg, program: program, site: site, calls: make(chan *call), done: make(chan struct{})}
	if pool.sandbox, pool.noSandboxReason, err = cfg.Sandboxed(program); err != nil {
		return nil, err
	}
	// Open one tab, to see that the editor starts.
	w := &worker{pool: pool}
	if err := w.ensurePage(); err != nil {
		pool.Close()
		return nil, err
	}
	if err := w.checkLicence(); err != nil {
		w.closePage()
		pool.Close()
		return nil, err
	}
	if !pool.sandbox {
		cfg.Log.Warn("the browser runs without its sandbox", "reason", pool.noSandboxReason)
	}
	// Start the workers.
	for range cfg.Pages - 1 {
		pool.start(&worker{pool: pool})
	}
	pool.start(w)
	pool.watcher.Go(pool.watch)
	cfg.Log.Info("browser started", "program", filepath.Base(program), "version", pool.product,
		"tldraw", cfg.Version, "pages", cfg.Pages, "sandbox", pool.sandbox)
	return pool, nil
}

func (pool *Pool) start(w *worker) { pool.workers.Go(w.run) }

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
func (pool *Pool) Info() Info {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	return Info{pool.program, pool.product, pool.cfg.Version, pool.sandbox, pool.noSandboxReason, pool.cfg.Hinted}
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
func (pool *Pool) Stats() Stats {
	counters := &pool.stats
	return Stats{
		Exports: counters.exports.Load(), Retries: counters.retries.Load(), Blocked: counters.blocked.Load(), Refused: counters.refused.Load(),
		Pages: counters.pages.Load(), Browsers: counters.browsers.Load(), Lost: counters.lost.Load(),
		Unproved: counters.unproved.Load(), Blank: counters.blank.Load(),
	}
}

// Memory returns the bytes of private memory of the browser's processes, and their number.
func (pool *Pool) Memory() (bytes int64, processes int) {
	pool.mu.Lock()
	browser := pool.browser
	pool.mu.Unlock()
	if browser == nil {
		return 0, 0
	}
	for _, one := range browserProcesses(browser.pid, browser.profile.dir) {
		bytes += one.bytes
		processes++
	}
	return bytes, processes
}

// Export draws a scene with the editor in a tab. It waits for a free tab until ctx ends. A tab that
// has begun a job finishes it even then. Errors wrap ErrScene, ErrLimit, ErrDeadline, ErrLost,
// ErrClosed, ErrMissing or the cause of ctx.
func (pool *Pool) Export(ctx context.Context, request Request) (*Result, error) {
	j, err := pool.cfg.job(&request)
	if err != nil {
		pool.stats.refused.Add(1)
		return nil, err
	}
	c := &call{ctx: ctx, job: j, done: make(chan struct{})}
	select {
	case <-pool.done:
		return nil, fmt.Errorf("cannot export scene: %w", ErrClosed)
	case <-ctx.Done():
		return nil, fmt.Errorf("cannot export scene: %w", context.Cause(ctx))
	case pool.calls <- c:
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
	return pool.result(&request, c.answer)
}

// result turns the page's answer to a request into images, or into a box if the request has Measure, and counts
// the export. An error that the page reports wraps ErrLimit or ErrScene and counts as refused.
func (pool *Pool) result(request *Request, answer *answer) (*Result, error) {
	counters := &pool.stats
	counters.blocked.Add(int64(answer.Blocked))
	if answer.Error != "" {
		counters.refused.Add(1)
		kind := ErrScene
		if answer.Limit {
			kind = ErrLimit
		}
		return nil, fmt.Errorf("cannot export scene: %w: %s", kind, clip(answer.Error, 300))
	}
	out := &Result{Bounds: request.Bounds, Blocked: answer.Blocked}
	// Only bounds were wanted.
	if request.Measure {
		if len(answer.Pictures) == 0 || answer.Pictures[0].Bounds == nil {
			out.Bounds, out.Empty = view.Box{}, true
			return out, nil
		}
		out.Bounds = box(answer.Pictures[0].Bounds)
		return out, nil
	}
	// One picture, or two.
	for i, dst := range []**image.NRGBA{&out.Image, &out.Other} {
		if i >= len(answer.Pictures) {
			break
		}
		*dst = answer.Pictures[i].img
		if b := answer.Pictures[i].Bounds; b != nil && request.Content && i == 0 {
			out.Bounds = box(b)
		}
	}
	counters.exports.Add(1)
	return out, nil
}

func box(b *[4]float64) view.Box { return view.Box{X: b[0], Y: b[1], W: b[2], H: b[3]} }

// clip shortens a text of the browser to n bytes for a message.
func clip(text string, n int) string {
	if len(text) > n {
		return text[:n] + "..."
	}
	return text
}

// View draws the first picture of a view with the editor. It calls Export for callers that have a
// *scene.Scene and want one picture.
func (pool *Pool) View(ctx context.Context, v view.View) (*image.NRGBA, error) {
	result, err := pool.Export(ctx, Request{View: v})
	if err != nil {
		return nil, err
	}
	return result.Image, nil
}

// Close waits for the exports that have begun and stops the browser. After it no process and no
// file of the browser is left.
func (pool *Pool) Close() error {
	pool.once.Do(func() {
		close(pool.done)
		pool.workers.Wait()
		pool.watcher.Wait()
		pool.mu.Lock()
		browser := pool.browser
		pool.browser = nil
		pool.mu.Unlock()
		if browser != nil {
			browser.close()
		}
	})
	return nil
}

// acquire returns the browser for a new tab, and counts the tab. If there is no browser, or it has ended or is
// retired, it starts another one; other callers wait for that. The caller must call release when the tab is
// closed.
func (pool *Pool) acquire() (*browserInstance, error) {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	for pool.starting != nil { // another caller starts a browser, without the lock
		wait := pool.starting
		pool.mu.Unlock()
		<-wait
		pool.mu.Lock()
	}
	if browser := pool.browser; browser != nil {
		if browser.alive() && !browser.retired.Load() {
			browser.pages++
			return browser, nil
		}
		if browser.pages == 0 {
			go browser.close()
		}
	}
	started := make(chan struct{})
	pool.starting, pool.browser = started, nil
	pool.mu.Unlock()
	browser, err := launch(&pool.cfg, pool.program, pool.sandbox)
	pool.mu.Lock()
	pool.starting = nil
	close(started)
	if err != nil {
		return nil, err
	}
	pool.stats.browsers.Add(1)
	pool.browser, pool.product = browser, browser.product
	browser.pages++
	return browser, nil
}

// release removes a tab from a browser; a retired browser closes with its last tab.
func (pool *Pool) release(browser *browserInstance) {
	pool.mu.Lock()
	browser.pages--
	last := browser.pages == 0 && (browser.retired.Load() || !browser.alive())
	if last && pool.browser == browser {
		pool.browser = nil
	}
	pool.mu.Unlock()
	if last {
		browser.close()
	}
}

// watch checks the memory of the browser's processes twice a second, so that a browser that holds
// too much is replaced by another one: above half of MaxMemory it is retired, and so ends when its
// tabs are idle; above MaxMemory it is killed at once.
func (pool *Pool) watch() {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-pool.done:
			return
		case <-tick.C:
		}
		pool.mu.Lock()
		browser := pool.browser
		pool.mu.Unlock()
		if browser == nil || !browser.alive() {
			continue
		}
		switch n := browser.memory(); {
		case n > pool.cfg.MaxMemory:
			pool.cfg.Log.Warn("browser killed", "reason", "memory", "bytes", n, "limit", pool.cfg.MaxMemory)
			browser.kill(fmt.Sprintf("it held %d MiB; want at most %d", n>>20, pool.cfg.MaxMemory>>20))
		case n > pool.cfg.MaxMemory/2:
			browser.retire("memory")
		}
	}
}
