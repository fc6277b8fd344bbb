package render

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// coreTime is the processor time of the whole process so far, drivers' threads
// included. Unlike wall time it hardly depends on what else the machine does.
func coreTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStages times the parts of a balance view, before and after the
// answer: the CPU's preparation and the tile stage in batches.
func BenchmarkStages(b *testing.B) {
	views := referenceViews(b)
	var balance []string // before and after in turn, as an item asks for them
	for name := range views {
		if rest, ok := strings.CutSuffix(name, "before.png"); ok {
			balance = append(balance, name, rest+"after.png")
		}
	}
	e := open(b, BackendAuto)
	w := e.Worker()
	b.Run("prepare", func(b *testing.B) {
		b.ReportAllocs()
		n, start := 0, coreTime(b)
		for b.Loop() {
			p := prepare(b, w, views[balance[n%len(balance)]])
			p.Release()
			n++
		}
		b.ReportMetric(float64((coreTime(b)-start).Microseconds())/float64(n), "core-us/scene")
	})
	b.Run("measure/scenes=64", func(b *testing.B) {
		var ps []*Prepared
		for i := range 64 {
			ps = append(ps, prepare(b, w, views[balance[i%len(balance)]]))
		}
		b.ReportAllocs()
		n, start := 0, coreTime(b)
		for b.Loop() {
			tallies, err := e.Measure(nil, ps)
			if err != nil || tallies[0].A.Alpha == 0 {
				b.Fatal("nothing was measured", err)
			}
			n++
		}
		b.ReportMetric(float64((coreTime(b)-start).Microseconds())/float64(n*len(ps)), "core-us/scene")
	})
}
