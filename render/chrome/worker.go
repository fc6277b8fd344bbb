package chrome

import (
	"context"
	"errors"
	"fmt"
)

// attempts is how often a scene is tried if its browser or tab dies.
const attempts = 3

// worker owns one tab.
type worker struct {
	pool *Pool
	page *page
}

// run exports the jobs of the pool in the worker's browser tab, one after the other, until the pool
// is closed. It skips jobs whose caller has given up. It closes an idle tab when its browser is
// retired.
func (w *worker) run() {
	defer w.closePage()
	for {
		select {
		case <-w.pool.done:
			return
		case <-w.retiring(): // an idle tab must not keep a browser that is to go
			w.closePage()
		case c := <-w.pool.calls:
			if c.ctx.Err() == nil {
				c.answer, c.err = w.export(c.ctx, c.job)
			}
			close(c.done)
		}
	}
}

// retiring returns a channel that closes when the browser of the worker's tab is retired, or nil if
// there is no tab.
func (w *worker) retiring() <-chan struct{} {
	if w.page == nil {
		return nil
	}
	return w.page.browser.retiring
}

// export draws one job in the editor. It tries again, up to attempts times, if the tab dies or returns a picture
// without a valid proof; errors that another try would not change are final. A picture that is empty where
// shapes are visible is drawn again in a fresh tab, and accepted if it is empty there too.
func (w *worker) export(ctx context.Context, j *job) (*answer, error) {
	doubted := false // a picture was empty where shapes are visible
	for n := 1; ; n++ {
		a, blank, err := w.attempt(j, n > 1)
		switch {
		case err == nil && blank && !doubted:
			doubted = true
			w.replaceBlankTab()
		case err == nil:
			if doubted && !blank {
				w.pool.stats.unproved.Add(1)
				w.pool.cfg.Log.Warn("a tab had given an empty picture of a scene that is not empty")
			}
			return a, nil
		default:
			w.pool.cfg.Log.Warn("export failed", "attempt", n, "error", err)
			switch {
			case errors.Is(err, ErrDeadline), errors.Is(err, ErrMissing), errors.Is(err, ErrLicense):
				return nil, err
			case n >= attempts:
				return nil, fmt.Errorf("cannot export scene: %w %d times: %w", ErrLost, n, err)
			}
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("cannot export scene: %w", context.Cause(ctx))
		}
		w.pool.stats.retries.Add(1)
	}
}

// replaceBlankTab closes a tab that returned an empty picture although shapes are visible.
func (w *worker) replaceBlankTab() {
	w.pool.stats.blank.Add(1)
	w.pool.cfg.Log.Warn("a picture is empty where shapes are visible; a fresh tab draws it again")
	w.closePage()
}

// attempt sends the job to the worker's tab, which it opens if there is none, and checks the proofs of the
// answer. blank is that of checkProofs. After an error the tab is closed. suspect says that an earlier attempt
// failed: such jobs run one at a time, so that a scene that kills browsers is not confused with others.
func (w *worker) attempt(j *job, suspect bool) (a *answer, blank bool, err error) {
	if suspect {
		w.pool.suspects.Lock()
		defer w.pool.suspects.Unlock()
	}
	if err := w.ensurePage(); err != nil {
		return nil, false, err
	}
	b := w.page.browser
	b.exports.Add(1)
	injected := injectFault(b)
	a, err = w.page.run(j.text, w.pool.cfg.Deadline)
	err = w.pool.cfg.licenceError(err)
	injected()
	if err == nil && a.Error == "" && !j.measure {
		blank, err = a.checkProofs(j.mark, w.page.plain)
	}
	if err != nil {
		if !b.alive() {
			err = fmt.Errorf("the browser is gone (%s): %w", b.retireReason(), err)
		}
		if errors.Is(err, errUnproved) {
			w.pool.stats.unproved.Add(1)
		}
		w.pool.stats.lost.Add(1)
		w.closePage()
		return nil, false, err
	}
	return a, blank, nil
}

// ensurePage opens a browser tab if the worker has none, or if its tab or browser has done its
// number of exports, has ended or is retired.
func (w *worker) ensurePage() error {
	if p := w.page; p != nil {
		b := p.browser
		if int(b.exports.Load()) >= w.pool.cfg.BrowserExports {
			b.retire("its number of exports")
		}
		if p.ctx.Err() == nil && p.exports < w.pool.cfg.PageExports && !b.retired.Load() {
			return nil
		}
		w.closePage()
	}
	// A browser may die while a tab is being opened in it. If its network process
	// dies, the page never finishes loading, so the first attempt has half the time,
	// and the next ones are made in new browsers.
	var err error
	limit := w.pool.cfg.Start / 2
	for range attempts {
		var b *browserInstance
		if b, err = w.pool.acquire(); err != nil {
			return err
		}
		w.page, err = openPage(b, w.pool.site, &w.pool.cfg, limit)
		if err == nil {
			w.pool.stats.pages.Add(1)
			return nil
		}
		w.page = nil
		b.retire("a tab did not open")
		w.pool.release(b)
		if errors.Is(err, ErrMissing) || errors.Is(err, ErrLicense) {
			return err
		}
		limit = w.pool.cfg.Start
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// closePage closes the worker's browser tab, and counts it as closed in its browser.
func (w *worker) closePage() {
	if w.page == nil {
		return
	}
	b := w.page.browser
	w.page.close()
	w.page = nil
	w.pool.release(b)
}
