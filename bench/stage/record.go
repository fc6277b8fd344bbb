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

// begin begins to record the stages of a goroutine. It locks the goroutine to its thread, because processor
// time is read from the clock of the thread.
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

// lap records that a stage has ended for a scene; the stage began at the last mark or lap. It keeps the
// stage's time as a span, and adds the thread's processor time to that of the stage.
func (recorder *recorder) lap(stage Stage, scene int) {
	if !recorder.on {
		return
	}
	at, spent := time.Now(), threadTime()
	recorder.spans = append(recorder.spans, Span{stage, recorder.row, recorder.at.Sub(recorder.base), at.Sub(recorder.base), scene, 1})
	recorder.core[stage] += spent - recorder.spent
	recorder.at, recorder.spent = at, spent
}

// measured records the stages of a batch, which one call of the engine's MeasureTimed has passed since the
// last mark. timing says how long each stage took, but not when: packing is taken to be at the start of the
// call, and the stages of the device to follow each other up to its end. The thread's processor time is
// divided among the stages that run on the processor, by their times.
func (recorder *recorder) measured(timing *render.Timing) {
	if !recorder.on {
		return
	}
	at, spent := time.Now(), threadTime()
	from, to := recorder.at.Sub(recorder.base), at.Sub(recorder.base)
	const ofBatch = -1 // in place of a scene
	add := func(stage Stage, start, took time.Duration) {
		if took > 0 {
			recorder.spans = append(recorder.spans, Span{stage, recorder.row, start, start + took, ofBatch, timing.Views})
		}
	}
	add(Pack, from, timing.Pack)
	parts := []struct {
		stage Stage
		took  time.Duration
	}{{Wait, timing.Wait}, {Upload, timing.Upload}, {Device, timing.Device}, {ReadBack, timing.ReadBack}, {Sum, timing.Sum}}
	for i, part := range slices.Backward(parts) {
		to -= part.took
		if i == 0 { // waiting begins where packing ends
			to = from + timing.Pack
		}
		add(part.stage, to, part.took)
	}
	onHost := timing.Pack + timing.Upload + timing.ReadBack + timing.Sum // on the processor
	for _, part := range append(parts, struct {
		stage Stage
		took  time.Duration
	}{Pack, timing.Pack}) {
		if onHost > 0 && part.stage.Host() {
			recorder.core[part.stage] += time.Duration(float64(spent-recorder.spent) * float64(part.took) / float64(onHost))
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

// fill sets in a sample what this process has used since the moment, per scene: time, processor time, and
// allocations. It also sets the share of the processor time that the garbage collector took.
func (moment moment) fill(sample *Sample) {
	end := now()
	scenes := float64(max(sample.Scenes, 1))
	wall, core := end.at.Sub(moment.at), end.core-moment.core
	sample.Rate = float64(sample.Scenes) / wall.Seconds()
	sample.Wall, sample.Core = micros(wall)/scenes, micros(core)/scenes
	sample.Allocs, sample.HeapBytes = float64(end.allocs-moment.allocs)/scenes, float64(end.heap-moment.heap)/scenes
	if core > 0 {
		sample.GC = min(1, (end.gc-moment.gc)/core.Seconds())
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// parts sums up what all goroutines of a run have recorded, by stage: time and processor time per scene. The
// processor time of the process that no stage on the processor has used counts as that of the device. That
// is right for a software driver, whose threads are in this process. It also computes in what shares of the
// run's time, wall, the processor was busy, the device was, and both were.
func parts(recorders []*recorder, sample *Sample, wall time.Duration) *Parts {
	parts := &Parts{Wall: map[string]float64{}, Core: map[string]float64{}}
	var sum, core [Stages]time.Duration
	for _, recorder := range recorders {
		for _, span := range recorder.spans {
			sum[span.Stage] += span.End - span.Start
		}
		for stage, spent := range recorder.core {
			core[stage] += spent
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
	parts.HostBusy = share(length(host), wall)
	parts.DeviceBusy = share(length(device), wall)
	parts.BothBusy = share(both, wall)
	parts.Overlap = share(both, length(device))
	return parts
}

// share returns part of all as a fraction, 0 where all is 0. The profile of the stages of drawing says in
// this form how much of the time the processor, the device and both were busy.
func share(part, all time.Duration) float64 {
	if all <= 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// interval is [from, to).
type interval struct{ from, to time.Duration }

// union returns the intervals of time in which at least one of the wanted stages was running in any
// goroutine, in order. Spans that overlap or touch become one interval.
func union(spans []Span, wanted func(Stage) bool) []interval {
	var all []interval
	for _, span := range spans {
		if wanted(span.Stage) && span.End > span.Start {
			all = append(all, interval{span.Start, span.End})
		}
	}
	slices.SortFunc(all, func(a, b interval) int { return int(a.from - b.from) })
	var joined []interval
	for _, next := range all {
		if n := len(joined); n > 0 && next.from <= joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, next.to)
			continue
		}
		joined = append(joined, next)
	}
	return joined
}

// length returns how long the intervals, in which stages ran, are together.
func length(list []interval) (d time.Duration) {
	for _, i := range list {
		d += i.to - i.from
	}
	return d
}

// common returns for how long both lists have an interval at the same time, such as the busy times of the
// processor and of the device. Each list is sorted, and its intervals do not overlap.
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
