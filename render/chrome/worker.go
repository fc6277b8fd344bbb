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

// run exports the jobs of the pool in the worker's browser tab, one after the other, until the pool is closed.
// It skips jobs whose caller has given up. It closes an idle tab when its browser is retired.
func (worker *worker) run() {
	defer worker.closePage()
	for {
		select {
		case <-worker.pool.done:
			return
		case <-worker.retiring(): // an idle tab must not keep a browser that is to go
			worker.closePage()
		case call := <-worker.pool.calls:
			if call.ctx.Err() == nil {
				call.answer, call.err = worker.export(call.ctx, call.job)
			}
			close(call.done)
		}
	}
}

// retiring returns a channel that closes when the browser of the worker's tab is retired, or nil if
// there is no tab.
func (worker *worker) retiring() <-chan struct{} {
	if worker.page == nil {
		return nil
	}
	return worker.page.browser.retiring
}

// export draws one job in the editor. It tries again, up to attempts times, if the tab dies or returns a
// picture without a valid proof; errors that another try would not change are final. A picture that is empty
// where shapes are visible is drawn again in a fresh tab, and accepted if it is empty there too.
func (worker *worker) export(ctx context.Context, j *job) (*answer, error) {
	drawnAgain := false // a picture was empty where shapes are visible, and is drawn once more
	for n := 1; ; n++ {
		answer, blank, err := worker.attempt(j, n > 1)
		switch {
		case err == nil && blank && !drawnAgain:
			drawnAgain = true
			worker.replaceBlankTab()
		case err == nil:
			if drawnAgain && !blank {
				worker.pool.stats.unproved.Add(1)
				worker.pool.cfg.Log.Warn("a tab had given an empty picture of a scene that is not empty")
			}
			return answer, nil
		default:
			worker.pool.cfg.Log.Warn("export failed", "attempt", n, "error", err)
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
		worker.pool.stats.retries.Add(1)
	}
}

// replaceBlankTab closes a tab that returned an empty picture although shapes are visible.
func (worker *worker) replaceBlankTab() {
	worker.pool.stats.blank.Add(1)
	worker.pool.cfg.Log.Warn("a picture is empty where shapes are visible; a fresh tab draws it again")
	worker.closePage()
}

// attempt sends the job to the worker's tab, which it opens if there is none, and checks the proofs of the
// answer: that its pictures are not lost. blank says that a picture is empty although shapes are visible. After an
// error the tab is closed. suspect says that an earlier attempt failed: such jobs run one at a time in the pool, so
// that a scene that kills browsers does not make others fail.
func (worker *worker) attempt(j *job, suspect bool) (answer *answer, blank bool, err error) {
	if suspect {
		worker.pool.suspects.Lock()
		defer worker.pool.suspects.Unlock()
	}
	if err := worker.ensurePage(); err != nil {
		return nil, false, err
	}
	// Draw.
	browser := worker.page.browser
	browser.exports.Add(1)
	cancelFault := injectFault(browser)
	answer, err = worker.page.run(j.text, worker.pool.cfg.Deadline)
	err = worker.pool.cfg.licenceError(err)
	cancelFault()
	// Check the proofs.
	if err == nil && answer.Error == "" && !j.measure {
		blank, err = answer.checkProofs(j.mark, worker.page.plain)
	}
	// A tab that failed once is not used again.
	if err != nil {
		if !browser.alive() {
			err = fmt.Errorf("the browser is gone (%s): %w", browser.retireReason(), err)
		}
		if errors.Is(err, errUnproved) {
			worker.pool.stats.unproved.Add(1)
		}
		worker.pool.stats.lost.Add(1)
		worker.closePage()
		return nil, false, err
	}
	return answer, blank, nil
}

// ensurePage opens a browser tab if the worker has none, or if its tab or browser has done its
// number of exports, has ended or is retired.
func (worker *worker) ensurePage() error {
	if page := worker.page; page != nil {
		browser := page.browser
		if int(browser.exports.Load()) >= worker.pool.cfg.BrowserExports {
			browser.retire("its number of exports")
		}
		if page.ctx.Err() == nil && page.exports < worker.pool.cfg.PageExports && !browser.retired.Load() {
			return nil
		}
		worker.closePage()
	}
	// A browser may die while a tab is being opened in it. If its network process dies, the page never finishes
	// loading, so the first attempt has half the time, and the next ones are made in new browsers.
	var err error
	limit := worker.pool.cfg.Start / 2
	for range attempts {
		var browser *browserInstance
		if browser, err = worker.pool.acquire(); err != nil {
			return err
		}
		worker.page, err = openPage(browser, worker.pool.site, &worker.pool.cfg, limit)
		if err == nil {
			worker.pool.stats.pages.Add(1)
			return nil
		}
		worker.page = nil
		browser.retire("a tab did not open")
		worker.pool.release(browser)
		if errors.Is(err, ErrMissing) || errors.Is(err, ErrLicense) {
			return err
		}
		limit = worker.pool.cfg.Start
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// closePage closes the worker's browser tab, and counts it as closed in its browser.
func (worker *worker) closePage() {
	if worker.page == nil {
		return
	}
	b := worker.page.browser
	worker.page.close()
	worker.page = nil
	worker.pool.release(b)
}
