package render

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"plumb/render/metric"
	"plumb/render/paint"
	"plumb/render/view"
	"plumb/testdata"
)

// measured is the tally of a view, or the error of preparing it.
type measured struct {
	tally metric.Tally
	err   string
}

// measureEdits measures views in batches, each with the views before. together says that those
// before are in the same batch, else they are measured and released first.
func measureEdits(t testing.TB, e *Engine, all []edit, together bool) []measured {
	t.Helper()
	w := e.Worker()
	out := make([]measured, 0, 2*len(all))
	const batch = 16
	for len(all) > 0 {
		some := all[:min(batch, len(all))]
		all = all[len(some):]
		var ps []*Prepared
		var at []int
		flush := func() {
			tallies, err := e.Measure(nil, ps)
			if err != nil {
				t.Fatal(err)
			}
			for i, k := range at {
				out[k].tally = tallies[i]
				ps[i].Release()
			}
			ps, at = nil, nil
		}
		add := func(v view.View) {
			v.TallyOnly = e.tallies != nil // what others are compared with takes no shortcut
			p, err := w.Prepare(v)
			if err != nil {
				out = append(out, measured{err: err.Error()})
				return
			}
			ps, at = append(ps, p), append(at, len(out))
			out = append(out, measured{})
		}
		for i := range some {
			add(some[i].before)
			if !together {
				flush()
			}
			some[i].after.Before = &some[i].before
			add(some[i].after)
		}
		flush()
	}
	return out
}

// drawn is the image of a view and its tally, or the error of preparing it.
type drawn struct {
	image [sha256.Size]byte
	measured
}

// drawEdits draws views one by one: each view before and after an edit, and both again, because the second picture of a
// kind is the first one that is kept. Some are measured too, and some have the details of pictures.
func drawEdits(t testing.TB, e *Engine, all []edit) (out []drawn) {
	t.Helper()
	w := e.Worker()
	for i := range all {
		for _, v := range []view.View{all[i].before, all[i].after, all[i].before, all[i].after} {
			v.Edited = false
			v.Details, v.Unmeasured = i%3 > 0, i%2 > 0
			v.TallyOnly = v.Details && i%4 == 0 // Picture counts more
			p, err := w.Prepare(v)
			if err != nil {
				out = append(out, drawn{measured: measured{err: err.Error()}})
				continue
			}
			tallies, err := e.Measure(nil, []*Prepared{p})
			if err != nil {
				t.Fatal(err)
			}
			img := picture(t, e, p)
			out = append(out, drawn{sha256.Sum256(img.Pix), measured{tally: tallies[0]}})
			p.Release()
			if i%5 == 0 {
				e.Reuse(img)
			}
		}
	}
	return out
}

// drawnDifferences compares images that are drawn with a cache to those without, and returns the number of views
// that differ. It prints some of them where loud.
func drawnDifferences(t *testing.T, e *Engine, all []edit, want []drawn, loud bool) (n int) {
	t.Helper()
	got := drawEdits(t, e, all)
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		if n++; loud && n <= 5 {
			t.Errorf("%s (%s of it): got another image or tally, %+v; want %+v", all[i/4].name, []string{"before", "after"}[i%2],
				got[i].measured, want[i].measured)
		}
	}
	return n
}

// cacheSizes are the budgets that must not show: none, one that holds nothing, and enough.
var cacheSizes = []struct {
	name  string
	bytes int
}{{"tiny", 1}, {"small", 40 << 10}, {"on", 64 << 20}}

// editConfigs are the engines whose tallies are compared.
var editConfigs = map[string]Config{
	"cpu": {Backend: BackendCPU}, "gl": {Backend: BackendGL}, "exact": {Backend: BackendGL, Raster: paint.Exact},
}

// imageBytes is room for one large image of an edit and what is known of it, but not for two. Half of a cache is for
// images.
const imageBytes = 1 << 20

// openCached starts an engine with a cache of tallies.
func openCached(t testing.TB, backend string, bytes int) *Engine {
	t.Helper()
	return openWith(t, Config{Backend: backend, TallyCache: bytes})
}

// differences compares edits that are measured with a cache to those without, and returns the
// number of views that differ. It prints some of them where loud.
func differences(t *testing.T, e *Engine, all []edit, want []measured, together, loud bool) (n int) {
	t.Helper()
	got := measureEdits(t, e, all, together)
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		if n++; loud && n <= 5 {
			t.Errorf("%s (%s of it): got %+v; want %+v", all[i/2].name, []string{"before", "after"}[i%2], got[i], want[i])
		}
	}
	return n
}

// TestMadeUpEdits: a tally is the same with and without the cache, whatever was edited, and so are some
// images.
func TestMadeUpEdits(t *testing.T) {
	for name, cfg := range editConfigs {
		t.Run(name, func(t *testing.T) {
			plain := openWith(t, cfg)
			caches := make([]*Engine, len(cacheSizes))
			for i, c := range cacheSizes {
				cfg.TallyCache = c.bytes
				caches[i] = openWith(t, cfg)
			}
			cfg.TallyCache = 2 * imageBytes
			one := openWith(t, cfg)
			const part = 500 // pages in memory at a time
			done, doneImages := int64(0), int64(0)
			most := madeUpEdits
			if testing.Short() {
				most = 30
			}
			for from := 0; from < most; from += part {
				t.Run(fmt.Sprint(from), func(t *testing.T) {
					all := make([]edit, min(part, most-from))
					for i := range all {
						all[i] = makeEdit(uint64(from + i))
					}
					want := measureEdits(t, plain, all, true)
					for i, e := range caches {
						n := differences(t, e, all, want, true, true) + differences(t, e, all, want, false, true)
						if n > 0 {
							t.Fatalf("cache %s: %d views differ", cacheSizes[i].name, n)
						}
					}
					images := all[:min(len(all), 30)] // of each part, because drawing takes longer
					wantImages := drawEdits(t, plain, images)
					for _, e := range append(caches, one) {
						if n := drawnDifferences(t, e, images, wantImages, true); n > 0 {
							t.Fatalf("cache of %d bytes: %d images differ", e.cfg.TallyCache, n)
						}
					}
					done += int64(len(all))
					doneImages += int64(len(images))
				})
			}
			checkCounts(t, done, doneImages, caches[len(caches)-1].TallyStats(), one.TallyStats(), caches[0].TallyStats())
		})
	}
}

// TestDrawnTwice: a page has the same picture whatever the worker has drawn before. Seed 12185 has a list with
// circles for bullets and thin strokes behind a clip, whose rules the circles once took over.
func TestDrawnTwice(t *testing.T) {
	for _, seed := range []uint64{12185, 1, 2, 3, 4, 5, 6, 7} {
		made := makeEdit(seed)
		e := open(t, BackendCPU)
		w := e.Worker()
		var ps []*Prepared
		for range 2 {
			v := made.before
			v.TallyOnly, v.Edited = false, false
			ps = append(ps, prepare(t, w, v))
		}
		pictures, err := e.Pictures(ps)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pictures[0].Pix, pictures[1].Pix) {
			t.Errorf("seed %d: the second picture of the same page differs from the first", seed)
		}
	}
}

// TestDrawnBefore: the same holds where only the views after are measured, and the engine draws those
// before itself, for several workers at once.
func TestDrawnBefore(t *testing.T) {
	all := make([]edit, 60)
	for i := range all {
		all[i] = makeEdit(uint64(i))
	}
	want := measureEdits(t, open(t, BackendCPU), all, true)
	for _, c := range cacheSizes {
		e := openCached(t, BackendCPU, c.bytes)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				w := e.Worker()
				for i := range all {
					v, got := all[i].after, measured{}
					v.Before, v.DrawBefore = &all[i].before, true
					p, err := w.Prepare(v)
					if err == nil {
						var tallies []metric.Tally
						if tallies, err = e.Measure(nil, []*Prepared{p}); err == nil {
							got.tally = tallies[0]
						}
						p.Release()
					}
					if err != nil {
						got.err = err.Error()
					}
					if got != want[2*i+1] {
						t.Errorf("cache %s, %s: got %+v; want %+v", c.name, all[i].name, got, want[2*i+1])
					}
				}
			})
		}
		wg.Wait()
		if s := e.TallyStats(); s.Edits < int64(len(all))/2 || len(e.tallies.pending) > 0 {
			t.Errorf("cache %s: got %+v, %d views held", c.name, s, len(e.tallies.pending))
		}
	}
}

// checkCounts checks that the caches did what the test is about, in that many edits, of which so many were drawn as
// images too.
func checkCounts(t *testing.T, done, images int64, on, one, tiny TallyStats) {
	t.Logf("on: %+v, tiny: %+v", on, tiny)
	if on.Edits < done/2 || on.Hits < done/2 || tiny.Hits != 0 || tiny.Edits < done/2 || tiny.Entries != 0 || tiny.Bytes != 0 {
		t.Errorf("counts of the caches: on %+v, tiny %+v", on, tiny)
	}
	if on.ImageEdits < images/2 || on.ImagesFull < images/2 || on.ImageBytes == 0 ||
		one.ImageEdits < images/2 || one.ImageBytes > imageBytes || tiny.ImageEdits != 0 || tiny.ImageBytes != 0 {
		t.Errorf("counts of kept pictures: on %+v, one %+v, tiny %+v", on, one, tiny)
	}
}

// TestReferenceEdits: the same holds for the reference scenes, whose last shape an answer added, and
// for the answer that takes it away.
func TestReferenceEdits(t *testing.T) {
	var all []edit
	testdata.Each(t, "tldraw/scenes.jsonl", func(e *exported) {
		if len(e.Added) == 0 {
			return
		}
		after := e.view(t)
		after.TallyOnly = true
		before := after
		before.FirstIDs = e.without(after.Scene)
		first, last := before, after
		first.Edited, last.Edited = true, true
		all = append(all, edit{e.ID, first, after}, edit{e.ID + " back", last, before})
	})
	for name, cfg := range editConfigs {
		if testing.Short() && name != "gl" {
			continue
		}
		want := measureEdits(t, openWith(t, cfg), all, true)
		for _, c := range cacheSizes {
			cfg.TallyCache = c.bytes
			if n := differences(t, openWith(t, cfg), all, want, true, true); n > 0 {
				t.Errorf("%s, cache %s: %d of %d views differ", name, c.name, n, len(want))
			}
		}
	}
}

// TestTallyBytes: the cache counts about as many bytes as it takes, and never more than its budget.
func TestTallyBytes(t *testing.T) {
	const budget = 1 << 20
	all := make([]edit, 120)
	for i := range all {
		all[i] = makeEdit(uint64(i))
	}
	e := openCached(t, BackendCPU, budget)
	measureEdits(t, e, all, true)
	counted, before := e.TallyStats().Bytes, heapBytes()
	e.ForgetTallies()
	took := before - heapBytes()
	if counted > budget || counted < budget/2 || took < counted*3/4 || took > counted*5/4 {
		t.Errorf("the cache counts %d bytes of %d, but gives %d back", counted, budget, took)
	}
	if s := e.TallyStats(); s.Entries != 0 || s.Bytes != 0 {
		t.Errorf("the empty cache has %+v", s)
	}
	runtime.KeepAlive(all)
}

// TestImageBytes: the cache counts about as many bytes as kept images take, and they take at most half of its budget.
func TestImageBytes(t *testing.T) {
	const budget = 8 << 20
	all := make([]edit, 40)
	for i := range all {
		all[i] = makeEdit(uint64(i))
	}
	e := openCached(t, BackendCPU, budget)
	drawEdits(t, e, all)
	counted, before := e.TallyStats().ImageBytes, heapBytes()
	e.ForgetTallies()
	took := before - heapBytes()
	if counted > budget/2 || counted < budget/4 || took < counted*3/4 || took > counted*5/4 {
		t.Errorf("the cache counts %d bytes of images with a budget of %d, but gives %d back", counted, budget, took)
	}
	if s := e.TallyStats(); s.ImageBytes != 0 {
		t.Errorf("the empty cache has %+v", s)
	}
	runtime.KeepAlive(all)
}

// heapBytes returns how many bytes the heap holds after a collection of all garbage.
func heapBytes() int {
	for range 3 { // pools give their memory back after two
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
