package render

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"plumb/render/view"
)

// TestSharedViews: many goroutines prepare, measure and drop equal views and edits of one view at
// once, and all get the tallies of an engine without a cache. Nothing is pending afterwards.
func TestSharedViews(t *testing.T) {
	var all []edit
	for seed := uint64(0); len(all) < 4; seed++ {
		if e := makeEdit(seed); e.after.Scene != nil {
			all = append(all, e)
		}
	}
	for i := range all {
		all[i].after.Before = &all[i].before
	}
	want := measureEdits(t, open(t, BackendCPU), all, true)
	for _, bytes := range []int{1, 64 << 20} {
		e := openCached(t, BackendCPU, bytes)
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() { useShared(t, e, all, want, uint64(n)) })
		}
		wg.Wait()
		if n := len(e.tallies.pending); n > 0 {
			t.Errorf("cache of %d bytes: %d views are pending after all were released", bytes, n)
		}
	}
}

// useShared measures some of the edits in batches by chance. Some views are stopped while they are
// prepared, others are released without being measured.
func useShared(t *testing.T, e *Engine, all []edit, want []measured, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	w := e.Worker()
	for range 60 {
		var ps []*Prepared
		var at []int
		for range 1 + r.IntN(5) {
			i := r.IntN(2 * len(all))
			v := all[i/2].before
			if i%2 == 1 {
				v = all[i/2].after
			}
			stops := r.IntN(6) == 0
			if stops {
				v.Stop = func() bool { return true }
			}
			p, err := w.Prepare(v)
			switch {
			case stops && errors.Is(err, view.ErrStopped):
				continue
			case err != nil && err.Error() == want[i].err:
				continue
			case err != nil:
				t.Errorf("view %d: %v", i, err)
				return
			}
			ps, at = append(ps, p), append(at, i)
		}
		if r.IntN(4) > 0 {
			got, err := e.Measure(nil, ps)
			if err != nil {
				t.Error(err)
				return
			}
			for k, i := range at {
				if got[k] != want[i].tally {
					t.Errorf("view %d: got %+v; want %+v", i, got[k], want[i].tally)
				}
			}
		}
		for _, p := range ps {
			p.Release()
		}
	}
}

// TestSharedImages: many goroutines draw images of a few pages and their edits at once, with room for one kept image and
// for all, and all get those of an engine without a cache. Images are given back for others, and kept ones stay whole.
func TestSharedImages(t *testing.T) {
	var all []edit
	for seed := uint64(100); len(all) < 6; seed++ {
		e := makeEdit(seed)
		e.before.SecondIDs, e.after.SecondIDs = nil, nil
		all = append(all, e)
	}
	want := drawEdits(t, open(t, BackendCPU), all)
	for _, bytes := range []int{2 * imageBytes, 64 << 20} {
		e := openCached(t, BackendCPU, bytes)
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				for range 3 {
					if got := drawEdits(t, e, all); !slices.Equal(got, want) {
						t.Errorf("images differ from those without a cache")
					}
				}
			})
		}
		wg.Wait()
		if s := e.TallyStats(); s.ImageEdits == 0 || s.ImageBytes > bytes/2 {
			t.Errorf("cache of %d bytes: got %+v", bytes, s)
		}
	}
}

// TestPanicLeavesNothingPending: a view whose preparation panics is not pending, so that nobody
// waits for it.
func TestPanicLeavesNothingPending(t *testing.T) {
	e := openCached(t, BackendCPU, 1<<20)
	v := makeEdit(1).before
	v.Stop = func() bool { panic("a test") }
	func() {
		defer func() { recover() }()
		e.Worker().Prepare(v)
	}()
	if n := len(e.tallies.pending); n != 0 {
		t.Errorf("%d views are pending", n)
	}
	v.Stop = nil
	p := prepare(t, e.Worker(), v)
	defer p.Release()
	if _, err := e.Measure(nil, []*Prepared{p}); err != nil {
		t.Error(err)
	}
}
