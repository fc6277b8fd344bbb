package chrome

import (
	"context"
	"errors"
	"fmt"
)

// attempts is how often a scene is tried whose browser or tab dies under it.
const attempts = 3

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
		case <-w.left(): // an idle tab must not keep a browser that is to go
			w.drop()
		case c := <-w.pool.calls:
			if c.ctx.Err() == nil {
				c.answer, c.err = w.export(c.ctx, c.job)
			}
			close(c.done)
		}
	}
}

// left returns a channel that closes when the tab's browser is retired.
func (w *worker) left() <-chan struct{} {
	if w.page == nil {
		return nil
	}
	return w.page.browser.leave
}

// export does one job, more than once where a tab dies under it or gives a
// picture without a valid proof.
func (w *worker) export(ctx context.Context, j *job) (*answer, error) {
	doubted := false // an empty picture is accepted when a fresh tab draws it too
	for n := 1; ; n++ {
		a, blank, err := w.try(j, n > 1)
		switch {
		case err == nil && blank && !doubted:
			doubted = true
			w.doubt()
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

// doubt replaces a tab that gave an empty picture where shapes are visible.
func (w *worker) doubt() {
	w.pool.stats.blank.Add(1)
	w.pool.cfg.Log.Warn("a picture is empty where shapes are visible; a fresh tab draws it again")
	w.drop()
}

// try sends the job to the worker's tab and checks what comes back. After an
// error the tab is gone.
func (w *worker) try(j *job, suspect bool) (a *answer, blank bool, err error) {
	if suspect {
		w.pool.suspects.Lock()
		defer w.pool.suspects.Unlock()
	}
	if err := w.ready(); err != nil {
		return nil, false, err
	}
	b := w.page.browser
	b.exports.Add(1)
	injected := inject(b)
	a, err = w.page.run(j.text, w.pool.cfg.Deadline)
	err = w.pool.cfg.refusal(err)
	injected()
	if err == nil && a.Error == "" && !j.measure {
		blank, err = a.prove(j.mark, w.page.plain)
	}
	if err != nil {
		if !b.alive() {
			err = fmt.Errorf("the browser is gone (%s): %w", b.why(), err)
		}
		if errors.Is(err, errUnproved) {
			w.pool.stats.unproved.Add(1)
		}
		w.pool.stats.lost.Add(1)
		w.drop()
		return nil, false, err
	}
	return a, blank, nil
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
	// A browser may die while a tab is being opened in it. If its network process
	// dies, the page never finishes loading, so the first attempt has half the time,
	// and the next ones are made in new browsers.
	var err error
	limit := w.pool.cfg.Start / 2
	for range attempts {
		var b *instance
		if b, err = w.pool.acquire(); err != nil {
			return err
		}
		if w.page, err = openPage(b, w.pool.site, &w.pool.cfg, limit); err == nil {
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
