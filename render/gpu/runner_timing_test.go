package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"plumb/render/batch"
	"plumb/render/paint"
	"plumb/render/shapes"
)

// s8 is a scene of 8 shapes with fill and stroke, 1400x800 px.
func s8(seed uint64) *paint.Drawing {
	d := drawing{Drawing: &paint.Drawing{Width: 1400, Height: 800}, rng: rand.New(rand.NewPCG(seed, 8))}
	for range 8 {
		cx, cy, r := 150+d.rng.Float64()*1100, 120+d.rng.Float64()*560, 40+d.rng.Float64()*70
		ring := func(r float64) [][2]float64 {
			pts := make([][2]float64, 85)
			for i := range pts {
				sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(pts)))
				k := r + 2*d.rng.Float64()
				pts[i] = [2]float64{cx + k*cos, cy + k*sin}
			}
			return pts
		}
		it := paint.Item{Opacity: shapes.Opaque, Clip: -1}
		d.outlineOf(it, ring(r))
		hole := ring(r)
		slices.Reverse(hole)
		d.outlineOf(it, slices.Concat(ring(r+4), hole))
	}
	return d.Drawing
}

// BenchmarkRun times the device side of a batch: upload to result.
func BenchmarkRun(b *testing.B) {
	for _, scenes := range []int{1, 16, 64, 256} {
		ds := make([]*paint.Drawing, scenes)
		for i := range ds {
			ds[i] = s8(uint64(i))
		}
		in := packed(ds...)
		want := oracleRows(in)
		for _, way := range ways[:4] {
			b.Run(fmt.Sprintf("%s/scenes=%d", way.name, scenes), func(b *testing.B) {
				benchmarkRun(b, way.cfg, in, want, scenes)
			})
		}
	}
}

func benchmarkRun(b *testing.B, cfg Config, in *batch.Batch, want []batch.RowSums, scenes int) {
	cfg.Stats = new(Stats)
	r := open(b, cfg)
	var rows []batch.RowSums
	b.ReportAllocs()
	began := coreTime()
	for b.Loop() {
		t, err := r.Submit(in)
		if err != nil {
			b.Fatal(err)
		}
		if rows, err = r.WaitInto(rows, t); err != nil {
			b.Fatal(err)
		}
	}
	core := coreTime() - began
	if err := sameRows(rows, want); err != nil {
		b.Fatal(err)
	}
	s := cfg.Stats.Totals()
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(s.Batches) / float64(scenes) }
	b.ReportMetric(float64(s.Batches)*float64(scenes)/b.Elapsed().Seconds(), "scenes/s")
	b.ReportMetric(each(core), "core-us/scene")
	b.ReportMetric(each(s.CopyIn), "copy-us/scene")
	b.ReportMetric(each(s.Dispatch), "shader-us/scene")
	b.ReportMetric(each(s.ReadBack), "back-us/scene")
	b.ReportMetric(each(s.Fetch), "fetch-us/scene")
	b.ReportMetric(each(s.Latency), "latency-us/scene")
}

// BenchmarkCallers times batches of 64 scenes, packed anew each time, from one or
// two goroutines on one context, and from two with a context each.
func BenchmarkCallers(b *testing.B) {
	const scenes = 64
	ts := make([]*batch.Tiled, scenes)
	for i := range ts {
		ts[i] = new(batch.Tiled)
		new(batch.Binner).Bin(s8(uint64(i)), ts[i])
	}
	var oracle batch.Batch
	oracle.Pack(ts)
	want := oracleRows(&oracle)
	for _, row := range []struct{ callers, contexts int }{{1, 1}, {2, 1}, {2, 2}} {
		b.Run(fmt.Sprintf("callers=%d/contexts=%d", row.callers, row.contexts), func(b *testing.B) {
			runners := make([]*Runner, row.contexts)
			for i := range runners {
				runners[i] = open(b, Config{})
			}
			var left atomic.Int64
			left.Store(int64(b.N))
			began := coreTime()
			b.ResetTimer()
			var wg sync.WaitGroup
			for i := range row.callers {
				wg.Go(func() {
					r := runners[i%row.contexts]
					var in batch.Batch
					var rows []batch.RowSums
					for left.Add(-1) >= 0 {
						in.Pack(ts)
						t, err := r.Submit(&in)
						if err == nil {
							rows, err = r.WaitInto(rows, t)
						}
						if err == nil {
							err = sameRows(rows, want)
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N*scenes)/b.Elapsed().Seconds(), "scenes/s")
			b.ReportMetric(float64((coreTime()-began).Microseconds())/float64(b.N*scenes), "core-us/scene")
		})
	}
}

// coreTime is the processor time of the process so far. On shared machines it varies less than
// wall time.
func coreTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
