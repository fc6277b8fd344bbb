package render

import (
	"fmt"
	"testing"

	"plumb/render/metric"
	"plumb/render/view"
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

// cacheSizes are the budgets that must not show: none, one that holds nothing, and enough.
var cacheSizes = []struct {
	name  string
	bytes int
}{{"tiny", 1}, {"small", 40 << 10}, {"on", 64 << 20}}

// openCached starts an engine with a cache of tallies.
func openCached(t testing.TB, backend string, bytes int) *Engine {
	t.Helper()
	e, err := Open(Config{Backend: backend, TallyCache: bytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
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

// TestMadeUpEdits: a tally is the same with and without the cache, whatever was edited.
func TestMadeUpEdits(t *testing.T) {
	for _, backend := range []string{BackendCPU, BackendGL} {
		t.Run(backend, func(t *testing.T) {
			plain := open(t, backend)
			caches := make([]*Engine, len(cacheSizes))
			for i, c := range cacheSizes {
				caches[i] = openCached(t, backend, c.bytes)
			}
			const part = 500 // pages in memory at a time
			done := int64(0)
			for from := 0; from < madeUpEdits; from += part {
				t.Run(fmt.Sprint(from), func(t *testing.T) {
					all := make([]edit, min(part, madeUpEdits-from))
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
					done += int64(len(all))
				})
			}
			checkCounts(t, done, caches[len(caches)-1].TallyStats(), caches[0].TallyStats())
		})
	}
}

// checkCounts checks that the caches did what the test is about, in that many edits.
func checkCounts(t *testing.T, done int64, on, tiny TallyStats) {
	t.Logf("on: %+v, tiny: %+v", on, tiny)
	if on.Edits < done/2 || on.Hits < done/2 || tiny.Hits != 0 || tiny.Edits < done/2 || tiny.Entries != 0 || tiny.Bytes != 0 {
		t.Errorf("counts of the caches: on %+v, tiny %+v", on, tiny)
	}
}
