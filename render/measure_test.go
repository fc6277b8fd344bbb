package render

import (
	"slices"
	"sync"
	"testing"

	"plumb/render/metric"
	"plumb/render/view"
)

// Calls that overlap get the bits that they get one after the other, each its own
// and in the order of its views, on every backend.
func TestMeasureFromSeveralGoroutines(t *testing.T) {
	oracle := open(t, BackendCPU)
	for _, backend := range []string{BackendGL, BackendCPU} {
		t.Run(backend, func(t *testing.T) {
			e := open(t, backend)
			const callers = 4
			var ps [callers][]*Prepared
			var want [callers][]metric.Tally
			for i := range callers {
				var vs []view.View
				for n := range 1 + 5*i {
					vs = append(vs, rings(t, 1+(i+n)%9, 300+float64(17*n)))
				}
				ps[i] = prepared(t, e, vs...)
				var err error
				if want[i], err = oracle.Measure(nil, prepared(t, oracle, vs...)); err != nil {
					t.Fatal(err)
				}
			}
			var wg sync.WaitGroup
			for i := range callers {
				wg.Go(func() {
					var got []metric.Tally
					for range 20 {
						var err error
						if got, err = e.Measure(got[:0], ps[i]); err != nil || !slices.Equal(got, want[i]) {
							t.Errorf("caller %d: got %v, %v; want %v", i, got, err, want[i])
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
