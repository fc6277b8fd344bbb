package chrome

import (
	"bytes"
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"plumb/render/scene"
	"plumb/render/view"
)

// box returns a request for one filled rectangle, and the number of its opaque
// pixels: its strokes are centred on its edges and hide under a fill of the
// same size only in part, so the count is taken from the first export.
func boxRequest(t testing.TB) Request {
	t.Helper()
	s, err := scene.Decode([]byte(`[{"id":"shape:a","type":"geo","x":10,"y":20,"props":{"w":60,"h":40,"fill":"solid","dash":"solid","geo":"rectangle"}}]`), scene.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return Request{View: view.View{Scene: s, Bounds: view.Box{W: 100, H: 80}}}
}

// same exports the box and demands the picture that was drawn before.
func same(t *testing.T, p *Pool, want []byte) []byte {
	t.Helper()
	r, err := p.Export(context.Background(), boxRequest(t))
	if err != nil {
		t.Fatal(err)
	}
	if want != nil && !bytes.Equal(r.Image.Pix, want) {
		t.Error("the picture differs from the first one")
	}
	if a := r.Image.NRGBAAt(40, 40).A; a != 255 {
		t.Errorf("alpha inside the box: got %d; want 255", a)
	}
	if a := r.Image.NRGBAAt(90, 70).A; a != 0 {
		t.Errorf("alpha outside the box: got %d; want 0", a)
	}
	return r.Image.Pix
}

func current(p *Pool) *browserInstance {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.browser
}

func TestKilledBrowser(t *testing.T) {
	p := open(t, Config{})
	want := same(t, p, nil)
	first := current(p)
	if err := syscall.Kill(first.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	same(t, p, want)
	if s := p.Stats(); s.Browsers != 2 {
		t.Errorf("browsers started: got %d; want 2", s.Browsers)
	}
	<-first.removed
	noProcess(t, first)
}

// noProcess demands that nothing of a browser runs any more.
func noProcess(t *testing.T, b *browserInstance) {
	t.Helper()
	for _, one := range browserProcesses(b.pid, b.profile.dir) {
		if !one.zombie {
			t.Errorf("process %d of browser %d is left", one.pid, b.pid)
		}
	}
}

// TestKilledUnderWork kills browsers while several exports run.
func TestKilledUnderWork(t *testing.T) {
	if testing.Short() {
		t.Skip("starts several browsers")
	}
	p := open(t, Config{Pages: 2})
	want := same(t, p, nil)
	const n = 24
	failed := make(chan error, n)
	for range n {
		go func() {
			r, err := p.Export(context.Background(), boxRequest(t))
			if err == nil && !bytes.Equal(r.Image.Pix, want) {
				err = errors.New("the picture differs from the first one")
			}
			failed <- err
		}()
	}
	for i := range n {
		if err := <-failed; err != nil {
			t.Error(err)
		}
		if b := current(p); i%8 == 3 && b != nil {
			syscall.Kill(b.pid, syscall.SIGKILL)
		}
	}
}

// evaluate runs a script in the tab of a worker, without waiting for it.
func evaluate(t *testing.T, w *worker, script string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(w.page.ctx, 200*time.Millisecond)
	defer cancel()
	cdp.Call(ctx, w.page.target, runtime.Evaluate, runtime.EvaluateParams{Expression: script})
}

// single opens a pool and a worker of it that the test drives itself.
func single(t *testing.T, cfg Config) *worker {
	t.Helper()
	p := open(t, cfg)
	w := &worker{pool: p}
	if err := w.ensurePage(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.closePage) // before the pool is closed
	return w
}

func (w *worker) box(t *testing.T) error {
	r := boxRequest(t)
	_, err := w.draw(&r)
	return err
}

// draw is Pool.Export in the worker's own tab.
func (w *worker) draw(r *Request) (*Result, error) {
	j, err := w.pool.cfg.job(r)
	if err != nil {
		return nil, err
	}
	a, err := w.export(context.Background(), j)
	if err != nil {
		return nil, err
	}
	return w.pool.result(r, a)
}

func TestHungPage(t *testing.T) {
	w := single(t, Config{Deadline: 5 * time.Second}) // a busy machine needs some for the export afterwards
	old := w.page
	_, before := w.pool.Memory()
	evaluate(t, w, "for (;;) {}")
	if err := w.box(t); !errors.Is(err, ErrDeadline) {
		t.Errorf("export in a hung page: got %v; want ErrDeadline", err)
	}
	if err := w.box(t); err != nil {
		t.Errorf("export after a hung page: %v", err)
	}
	if w.page == old {
		t.Error("the hung page is used again")
	}
	after := 0 // its process ends when its tab is closed, hung or not
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if _, after = w.pool.Memory(); after <= before {
			return
		}
	}
	t.Errorf("processes after the hung page was closed: got %d; want at most the %d before", after, before)
}

func TestCrashedPage(t *testing.T) {
	w := single(t, Config{})
	ctx, cancel := context.WithTimeout(w.page.ctx, time.Second)
	defer cancel()
	cdp.Call(ctx, w.page.target, cdppage.Crash, cdp.Empty{})
	if err := w.box(t); err != nil {
		t.Errorf("export after the page crashed: %v", err)
	}
	if s := w.pool.Stats(); s.Browsers != 1 {
		t.Errorf("browsers started: got %d; want 1, a tab's crash is not the browser's", s.Browsers)
	}
}

func TestHungryPage(t *testing.T) {
	w := single(t, Config{MaxMemory: 600 << 20})
	evaluate(t, w, "window.kept = []; for (let i = 0; i < 700; i++) kept.push(new Uint8Array(1 << 20).fill(i + 1))")
	first := w.page.browser
	select {
	case <-first.ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("a browser above its memory limit is not ended")
	}
	if err := w.box(t); err != nil {
		t.Errorf("export after the browser was ended: %v", err)
	}
	<-first.removed
	noProcess(t, first)
}

func TestReplaced(t *testing.T) {
	for _, row := range []struct {
		name            string
		cfg             Config
		exports         int
		pages, browsers int64
	}{
		{"never", Config{}, 5, 1, 1},
		{"page", Config{PageExports: 2}, 5, 3, 1},
		{"browser", Config{BrowserExports: 2}, 5, 3, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := open(t, row.cfg)
			var want []byte
			for range row.exports {
				want = same(t, p, want)
			}
			s := p.Stats()
			if s.Pages != row.pages || s.Browsers != row.browsers || s.Exports != int64(row.exports) || s.Lost != 0 {
				t.Errorf("got %+v; want %d pages, %d browsers, none lost", s, row.pages, row.browsers)
			}
		})
	}
}

// TestEnded: a caller that gave up, then a pool that is closed.
func TestEnded(t *testing.T) {
	p := open(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Export(ctx, boxRequest(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want context.Canceled", err)
	}
	same(t, p, nil)
	p.Close()
	if _, err := p.Export(context.Background(), boxRequest(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v; want ErrClosed", err)
	}
}
