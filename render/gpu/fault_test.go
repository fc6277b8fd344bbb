//go:build fault

package gpu

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plumb/render/batch"
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

// patience is the watchdog's time for a spec. What hangs costs the test all of it;
// batches that are only slow, as on a machine that has much else to do, must fit.
func patience(spec string) time.Duration {
	if strings.Contains(spec, "hang") || strings.Contains(spec, "stuck") {
		return 4 * time.Second
	}
	return time.Minute
}

func TestFaults(t *testing.T) {
	b := packed(drawings(24)...)
	rows, px := oracleRows(b), oraclePixels(b)
	for _, row := range []struct {
		spec    string
		batches int
		failed  []int // 1-based, of the batches sent by the test
		resets  int
		hangs   int // of resets
	}{
		{"", 3, nil, 0, 0},
		{"context_loss@1", 3, nil, 1, 0},
		{"context_loss@2,hang@4", 4, nil, 2, 1},
		{"stuck@1,stuck@3", 3, nil, 2, 2},
		// Batch 2 is sent as 2 and again as 3: lost twice, given up, and the
		// Runner goes on with the next.
		{"context_loss@2,context_loss@3", 4, []int{2}, 2, 0},
		{"hang@1,context_loss@2,chrome_kill@3", 3, []int{1}, 2, 1},
	} {
		t.Run(row.spec, func(t *testing.T) {
			if err := inject(t, row.spec); err != nil {
				t.Fatal(err)
			}
			r := open(t, Config{Watchdog: patience(row.spec)})
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
			if i := r.Info(); i.Resets != row.resets || i.Hangs != row.hangs || r.Ready() != nil {
				t.Errorf("%d resets, %d of them hangs, ready: %v; want %d, %d, nil", i.Resets, i.Hangs, r.Ready(), row.resets, row.hangs)
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
	r := open(t, Config{limit: func(l *limits) { l.slotBytes = 64 << 10 }}) // in parts
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

// Batches in flight on a lost context are all run again, on one new context, and
// each goes back to whom it belongs.
func TestFaultWithBatchesInFlight(t *testing.T) {
	for _, spec := range []string{"hang@7", "context_loss@7", "stuck@7"} {
		t.Run(spec, func(t *testing.T) {
			bs, rows := make([]*batch.Batch, 4), make([][]batch.RowSums, 4)
			for i := range bs {
				bs[i] = packed(drawings(24 + i)...)
				rows[i] = oracleRows(bs[i])
			}
			if err := inject(t, spec); err != nil {
				t.Fatal(err)
			}
			r := open(t, Config{Watchdog: patience(spec)})
			var wg sync.WaitGroup
			for i := range bs {
				wg.Go(func() {
					for range 6 {
						got, err := r.Run(bs[i])
						if err == nil {
							err = sameRows(got, rows[i])
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
		})
	}
}

// Two batches are on the device when it is lost; both come back from the next.
func TestFaultWithTwoInFlight(t *testing.T) {
	for _, spec := range []string{"hang@1", "context_loss@1", "hang@1,hang@2", "context_loss@1,context_loss@2", "context_loss@2"} {
		t.Run(spec, func(t *testing.T) {
			a, b := packed(drawings(24)...), packed(drawings(9)...)
			if err := inject(t, spec); err != nil {
				t.Fatal(err)
			}
			r := open(t, Config{Watchdog: patience(spec)})
			first, err := r.Submit(a)
			if err != nil {
				t.Fatal(err)
			}
			second, err := r.Submit(b)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range []struct {
				tk Ticket
				b  *batch.Batch
			}{{second, b}, {first, a}} {
				got, err := r.Wait(one.tk)
				if err == nil {
					err = sameRows(got, oracleRows(one.b))
				}
				if err != nil {
					t.Error(err)
				}
			}
			if n := r.Info().Resets; n != 1 {
				t.Errorf("%d resets; want 1", n)
			}
		})
	}
}

// A batch that kills every context it runs on fails, and nothing else does.
func TestPoison(t *testing.T) {
	b, bad := packed(drawings(24)...), packed(append(drawings(3), s8(1))...)
	rows := oracleRows(b)
	if err := inject(t, "poison@"+strconv.Itoa(bad.Pictures[3].Width)); err != nil {
		t.Fatal(err)
	}
	for _, p := range b.Pictures {
		if p.Width == faults.poison {
			t.Fatal("the sound batch has a picture as wide as the poison")
		}
	}
	r := open(t, Config{})
	for range 2 {
		if got, err := r.Run(bad); !errors.Is(err, ErrDeviceLost) || got != nil {
			t.Errorf("got %d rows and %v; want ErrDeviceLost", len(got), err)
		}
		got, err := r.Run(b)
		if err == nil {
			err = sameRows(got, rows)
		}
		if err != nil {
			t.Error(err)
		}
	}
	if n := r.Info().Resets; n != 4 {
		t.Errorf("%d resets; want 4", n)
	}
}

func TestFaultsAreRead(t *testing.T) {
	for _, bad := range []string{"context_loss", "hang@", "hang@0", "context_loss@x", "stuck@", "poison@-1"} {
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
