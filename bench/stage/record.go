package stage

import (
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"plumb/bench/rig"
	"plumb/render"
)

// recorder records the times of the stages in one goroutine. Without profiling it records nothing.
type recorder struct {
	on    bool
	row   int
	base  time.Time
	at    time.Time
	spent time.Duration // of the thread, at that time
	spans []Span
	core  [Stages]time.Duration
}

// begin locks the goroutine of a profile to its thread, whose clock it reads.
func (recorder *recorder) begin() {
	if recorder.on {
		runtime.LockOSThread()
		recorder.mark()
	}
}

// end releases the thread of a worker.
func (recorder *recorder) end() {
	if recorder.on {
		runtime.UnlockOSThread()
	}
}

// mark starts the next span.
func (recorder *recorder) mark() {
	if recorder.on {
		recorder.at, recorder.spent = time.Now(), threadTime()
	}
}

// lap ends the time of a stage that began at the last mark or lap.
func (recorder *recorder) lap(stage Stage, scene int) {
	if !recorder.on {
		return
	}
	at, spent := time.Now(), threadTime()
	recorder.spans = append(recorder.spans, Span{stage, recorder.row, recorder.at.Sub(recorder.base), at.Sub(recorder.base), scene, 1})
	recorder.core[stage] += spent - recorder.spent
	recorder.at, recorder.spent = at, spent
}

// measured records a call to MeasureTimed. Packing is at its start, the device's stages are at its
// end. The thread's processor time is divided among the stages that run on it, by their times.
func (recorder *recorder) measured(timing *render.Timing) {
	if !recorder.on {
		return
	}
	at, spent := time.Now(), threadTime()
	from, to := recorder.at.Sub(recorder.base), at.Sub(recorder.base)
	add := func(s Stage, start, took time.Duration) {
		if took > 0 {
			recorder.spans = append(recorder.spans, Span{s, recorder.row, start, start + took, -1, timing.Views})
		}
	}
	add(Pack, from, timing.Pack)
	parts := []struct {
		stage Stage
		took  time.Duration
	}{{Wait, timing.Wait}, {Upload, timing.Upload}, {Device, timing.Device}, {ReadBack, timing.ReadBack}, {Sum, timing.Sum}}
	for i, p := range slices.Backward(parts) {
		to -= p.took
		if i == 0 {
			to = from + timing.Pack
		}
		add(p.stage, to, p.took)
	}
	host := timing.Pack + timing.Upload + timing.ReadBack + timing.Sum
	for _, p := range append(parts, struct {
		stage Stage
		took  time.Duration
	}{Pack, timing.Pack}) {
		if host > 0 && p.stage.Host() {
			recorder.core[p.stage] += time.Duration(float64(spent-recorder.spent) * float64(p.took) / float64(host))
		}
	}
	recorder.at, recorder.spent = at, spent
}

// threadTime returns the processor time that the calling thread has used, or 0 if the system cannot
// tell.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// moment is the use of resources by the process up to a time.
type moment struct {
	at     time.Time
	core   time.Duration
	gc     float64 // s
	allocs uint64
	heap   uint64
}

// now reads the clock and the process's counters of work and memory.
func now() moment {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return moment{at: time.Now(), core: rig.CoreTime(), gc: s[0].Value.Float64(), allocs: s[1].Value.Uint64(), heap: s[2].Value.Uint64()}
}

// fill sets what was used since the moment in a sample, per scene: time, processor time, allocations,
// and the share of the garbage collector.
func (moment moment) fill(sample *Sample) {
	n := now()
	scenes := float64(max(sample.Scenes, 1))
	wall, core := n.at.Sub(moment.at), n.core-moment.core
	sample.Rate = float64(sample.Scenes) / wall.Seconds()
	sample.Wall, sample.Core = micros(wall)/scenes, micros(core)/scenes
	sample.Allocs, sample.Heap = float64(n.allocs-moment.allocs)/scenes, float64(n.heap-moment.heap)/scenes
	if core > 0 {
		sample.GC = min(1, (n.gc-moment.gc)/core.Seconds())
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// parts sums up the spans of all goroutines of a run by stage: time and processor time per scene. What
// no stage of the host has used of the process's processor time counts as the device's, which is true
// for a software driver. It also computes how much of the run's time, wall, the processor and the
// device were busy, and both at once.
func parts(rs []*recorder, sample *Sample, wall time.Duration) *Parts {
	parts := &Parts{Wall: map[string]float64{}, Core: map[string]float64{}}
	var sum, core [Stages]time.Duration
	for _, recorder := range rs {
		for _, sp := range recorder.spans {
			sum[sp.Stage] += sp.End - sp.Start
		}
		for i, c := range recorder.core {
			core[i] += c
		}
		parts.Spans = append(parts.Spans, recorder.spans...)
	}
	rest := sample.Core
	for stage := range Stages {
		us := micros(core[stage]) / float64(max(sample.Scenes, 1))
		parts.Wall[stage.String()] = micros(sum[stage]) / float64(max(sample.Scenes, 1))
		if stage.Host() {
			parts.Core[stage.String()] = us
			rest -= us
		}
	}
	parts.Core[Device.String()] = max(0, rest)
	host := union(parts.Spans, Stage.Host)
	device := union(parts.Spans, func(s Stage) bool { return s == Device })
	both := common(host, device)
	parts.Host = share(length(host), wall)
	parts.Device = share(length(device), wall)
	parts.Both = share(both, wall)
	parts.Overlap = share(both, length(device))
	return parts
}

// share returns part of all as a fraction, 0 where all is 0. The profile of stages (`plumb bench`)
// states so how much of the time the processor, the device and both were busy.
func share(part, all time.Duration) float64 {
	if all <= 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// interval is [from, to).
type interval struct{ from, to time.Duration }

// union returns when at least one of the chosen stages was running, in order, from the spans of all
// goroutines.
func union(spans []Span, wanted func(Stage) bool) []interval {
	var all []interval
	for _, s := range spans {
		if wanted(s.Stage) && s.End > s.Start {
			all = append(all, interval{s.Start, s.End})
		}
	}
	slices.SortFunc(all, func(a, b interval) int { return int(a.from - b.from) })
	var out []interval
	for _, i := range all {
		if n := len(out); n > 0 && i.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, i.to)
			continue
		}
		out = append(out, i)
	}
	return out
}

// length returns the sum of the intervals in which stages ran.
func length(list []interval) (d time.Duration) {
	for _, i := range list {
		d += i.to - i.from
	}
	return d
}

// common returns how long intervals of both lists lie on each other. Each list is sorted, and its
// intervals do not overlap.
func common(a, b []interval) (d time.Duration) {
	for len(a) > 0 && len(b) > 0 {
		if both := min(a[0].to, b[0].to) - max(a[0].from, b[0].from); both > 0 {
			d += both
		}
		if a[0].to < b[0].to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return d
}
