//go:build fault

package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/render"
	"plumb/render/scene"
	"plumb/scoring/suites"
	"plumb/testdata"
)

// demo is the sample dump, one item a line.
func demo(t *testing.T) [][]byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(b), []byte("\n"))
}

func openCore(t *testing.T) *Core {
	t.Helper()
	c, err := Open(CoreConfig{
		Engine: render.Config{Backend: render.BackendGL, Watchdog: 4 * time.Second},
		Fonts:  filepath.Join(testdata.Root(), "build", "fonts"), Suites: suites.New(suites.Config{}), Suite: "aspire", Scenes: scene.DefaultLimits(),
		Queue: queue.Config{MaxBatch: 32}, // many batches, so that all faults come
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// scored scores each line times over from many goroutines at once and returns the
// results in order.
func scored(t *testing.T, c *Core, lines [][]byte, times int) [][]byte {
	t.Helper()
	const clients = 96
	out := make([][]byte, times*len(lines))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(out); i = int(next.Add(1)) - 1 {
				n := i % len(lines)
				a, err := c.Queue.Score(t.Context(), dump.Line{Number: n + 1, Bytes: lines[n]}, new(queue.Options))
				if err != nil {
					t.Errorf("line %d: %v", n+1, err)
				}
				out[i] = a.JSON
			}
		})
	}
	wg.Wait()
	return out
}

// The device is lost and hangs while many clients wait: every sample gets the
// bytes that it gets from a device that is left alone.
func TestFaultsUnderLoad(t *testing.T) {
	lines := demo(t)
	const times = 4
	want := scored(t, openCore(t), lines, 1)
	for _, spec := range []string{
		"context_loss@9,hang@14,context_loss@22",
		"context_loss@9,context_loss@10,hang@20", // two in flight, or one twice
		"hang@9,stuck@14,context_loss@15",
	} {
		t.Run(spec, func(t *testing.T) {
			t.Setenv("PLUMB_FAULT", spec)
			c := openCore(t)
			got := scored(t, c, lines, times)
			if len(got) < 2000 {
				t.Fatalf("only %d samples", len(got))
			}
			wrong := 0
			for i, g := range got {
				if w := want[i%len(want)]; !bytes.Equal(g, w) {
					if wrong++; wrong <= 3 {
						t.Errorf("sample %d: got %s; want %s", i, g, w)
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d samples differ", wrong, len(got))
			}
			s := c.Engine.DeviceStats()
			t.Logf("%d batches, %d resets, %d in quarantine", s.Batches, s.Resets, s.Quarantined)
			if s.Resets < 2 || s.Quarantined > 1 {
				t.Errorf("%d resets, %d in quarantine; want the faults to have come, and no more views blamed than one", s.Resets, s.Quarantined)
			}
			if err := c.Engine.Heartbeat(t.Context()); err != nil {
				t.Error(err)
			}
			if err := c.Engine.Healthy(); err != nil {
				t.Error(err)
			}
		})
	}
}
