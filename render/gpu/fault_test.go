//go:build fault

package gpu

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// inject makes the next batches of the process fail as PLUMB_FAULT says, N
// counted from here.
func inject(t *testing.T, spec string) error {
	t.Helper()
	t.Setenv("PLUMB_FAULT", spec)
	faults.mu.Lock()
	faults.loaded, faults.n = false, 0
	faults.mu.Unlock()
	return loadFaults()
}

func TestFaults(t *testing.T) {
	b := packed(drawings(24)...)
	rows, px := oracleRows(b), oraclePixels(b)
	for _, row := range []struct {
		spec    string
		batches int
		failed  []int // 1-based, of the batches sent by the test
		resets  int
	}{
		{"", 3, nil, 0},
		{"context_loss@1", 3, nil, 1},
		{"context_loss@2,hang@4", 4, nil, 2},
		{"hang@3", 3, nil, 1},
		// Batch 2 is sent as 2 and again as 3: lost twice, given up, and the
		// Runner goes on with the next.
		{"context_loss@2,context_loss@3", 4, []int{2}, 2},
		{"hang@1,context_loss@2,chrome_kill@3", 3, []int{1}, 2},
	} {
		t.Run(row.spec, func(t *testing.T) {
			if err := inject(t, row.spec); err != nil {
				t.Fatal(err)
			}
			r := open(t, Config{Watchdog: 300 * time.Millisecond})
			for n := 1; n <= row.batches; n++ {
				fails := len(row.failed) > 0 && row.failed[0] == n
				got, err := r.Run(b)
				if fails {
					if !errors.Is(err, ErrDeviceLost) || got != nil {
						t.Errorf("batch %d: got %d rows and %v; want ErrDeviceLost", n, len(got), err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("batch %d: %v", n, err)
				}
				if err := sameRows(got, rows); err != nil {
					t.Errorf("batch %d after a fault: %v", n, err)
				}
			}
			if i := r.Info(); i.Resets != row.resets || !r.Healthy() {
				t.Errorf("%d resets, healthy %v; want %d, true", i.Resets, r.Healthy(), row.resets)
			}
			if got, err := r.Pictures(b); err != nil || samePixels(got, px) != nil {
				t.Errorf("pictures after the faults: %v, %v", err, samePixels(got, px))
			}
		})
	}
}

func TestFaultInAPicture(t *testing.T) {
	b := packed(drawings(24)...)
	if err := inject(t, "context_loss@1"); err != nil {
		t.Fatal(err)
	}
	r := open(t, Config{limit: func(l *limits) { l.slot = 64 << 10 }}) // in parts
	px, err := r.Pictures(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := samePixels(px, oraclePixels(b)); err != nil {
		t.Error(err)
	}
	if n := r.Info().Resets; n != 1 {
		t.Errorf("%d resets; want 1", n)
	}
}

// Batches in flight on a lost context are all run again, on one new context.
func TestFaultWithBatchesInFlight(t *testing.T) {
	b := packed(drawings(24)...)
	rows := oracleRows(b)
	if err := inject(t, "hang@7"); err != nil {
		t.Fatal(err)
	}
	r := open(t, Config{Watchdog: 300 * time.Millisecond})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 6 {
				got, err := r.Run(b)
				if err == nil {
					err = sameRows(got, rows)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := r.Info().Resets; n != 1 {
		t.Errorf("%d resets; want 1", n)
	}
}

func TestFaultsAreRead(t *testing.T) {
	for _, bad := range []string{"context_loss", "hang@", "hang@0", "context_loss@x"} {
		if err := inject(t, bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
		if _, err := Open(Config{}); err == nil {
			t.Errorf("Open accepted %q", bad)
		}
	}
	if err := inject(t, "chrome_kill@x,hang@2"); err != nil {
		t.Errorf("names of other packages must be left to them: %v", err)
	}
	inject(t, "")
}
