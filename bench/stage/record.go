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
	enabled     bool
	row         int // of the goroutine, in its spans
	runStart    time.Time
	spanStart   time.Time
	usedAtStart time.Duration // processor time of the thread at spanStart
	spans       []Span
	coreTimes   [Stages]time.Duration // processor time by stage
}

// begin begins to record the stages of a goroutine. It locks the goroutine to its thread, because processor
// time is read from the clock of the thread.
func (recorder *recorder) begin() {
	if recorder.enabled {
		runtime.LockOSThread()
		recorder.startSpan()
	}
}

// end releases the thread of a worker.
func (recorder *recorder) end() {
	if recorder.enabled {
		runtime.UnlockOSThread()
	}
}

// startSpan starts the next span: what follows counts for the stage that endSpan or recordBatch names.
func (recorder *recorder) startSpan() {
	if recorder.enabled {
		recorder.spanStart, recorder.usedAtStart = time.Now(), threadTime()
	}
}

// endSpan records that a stage has ended for a scene; the stage began with startSpan or at the last endSpan. It
// keeps the stage's time as a span, and adds the thread's processor time to that of the stage.
func (recorder *recorder) endSpan(stage Stage, scene int) {
	if !recorder.enabled {
		return
	}
	end, used := time.Now(), threadTime()
	recorder.spans = append(recorder.spans, Span{Stage: stage, Row: recorder.row, Start: recorder.spanStart.Sub(recorder.runStart),
		End: end.Sub(recorder.runStart), Scene: scene, Scenes: 1})
	recorder.coreTimes[stage] += used - recorder.usedAtStart
	recorder.spanStart, recorder.usedAtStart = end, used // the next stage begins here
}

// recordBatch records the stages of a batch, which one call of the engine's MeasureTimed has passed since
// startSpan. timing says how long each stage took, but not when: packing is taken to be at the start of the
// call, and the stages of the device to follow each other up to its end. The thread's processor time is
// divided among the stages that run on the processor, by their times.
func (recorder *recorder) recordBatch(timing *render.Timing) {
	if !recorder.enabled {
		return
	}
	end, used := time.Now(), threadTime()
	callStart, callEnd := recorder.spanStart.Sub(recorder.runStart), end.Sub(recorder.runStart)
	addSpan := func(stage Stage, start, took time.Duration) {
		const ofBatch = -1 // in place of a scene
		if took > 0 {
			recorder.spans = append(recorder.spans, Span{stage, recorder.row, start, start + took, ofBatch, timing.Views})
		}
	}
	// From the start of the call: packing, and then waiting.
	addSpan(Pack, callStart, timing.Pack)
	addSpan(Wait, callStart+timing.Pack, timing.Wait)
	// From the end of the call backwards: the stages of the device.
	type stageTime struct {
		stage Stage
		took  time.Duration
	}
	deviceStages := []stageTime{{Upload, timing.Upload}, {Device, timing.Device}, {ReadBack, timing.ReadBack}, {Sum, timing.Sum}}
	start := callEnd
	for _, part := range slices.Backward(deviceStages) {
		start -= part.took
		addSpan(part.stage, start, part.took)
	}
	onProcessor := timing.Pack + timing.Upload + timing.ReadBack + timing.Sum
	for _, part := range append(deviceStages, stageTime{Pack, timing.Pack}) {
		if onProcessor > 0 && part.stage.Host() {
			recorder.coreTimes[part.stage] += time.Duration(float64(used-recorder.usedAtStart) * float64(part.took) / float64(onProcessor))
		}
	}
	recorder.spanStart, recorder.usedAtStart = end, used
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

// setUsage sets in a sample what this process has used since the start, per scene: time, processor time, and
// allocations. It also sets the share of the processor time that the garbage collector took.
func (start moment) setUsage(sample *Sample) {
	end := now()
	scenes := float64(max(sample.Scenes, 1))                // 1 where all failed: no division by 0
	wall, core := end.at.Sub(start.at), end.core-start.core // core: processor time
	sample.Rate = float64(sample.Scenes) / wall.Seconds()
	sample.WallTime, sample.ProcessorTime = micros(wall)/scenes, micros(core)/scenes
	sample.Allocations, sample.HeapBytes = float64(end.allocs-start.allocs)/scenes, float64(end.heap-start.heap)/scenes
	if core > 0 {
		sample.GCShare = min(1, (end.gc-start.gc)/core.Seconds()) // the runtime only estimates gc: it may exceed core
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// partsOf sums up what all goroutines of a run have recorded, by stage: time and processor time per scene. The
// processor time of the process that no stage on the processor has used counts as that of the device. That
// is right for a software driver, whose threads are in this process. It also computes in what shares of the
// run's time, wall, the processor was busy, the device was, and both were.
func partsOf(recorders []*recorder, sample *Sample, wall time.Duration) *Parts {
	parts := &Parts{WallTimes: map[string]float64{}, ProcessorTimes: map[string]float64{}}
	var wallTimes, coreTimes [Stages]time.Duration
	for _, recorder := range recorders {
		for _, span := range recorder.spans {
			wallTimes[span.Stage] += span.End - span.Start
		}
		for stage, used := range recorder.coreTimes {
			coreTimes[stage] += used
		}
		parts.Spans = append(parts.Spans, recorder.spans...)
	}
	unexplained := sample.ProcessorTime // microseconds per scene, like those below
	for stage := range Stages {
		core := micros(coreTimes[stage]) / float64(max(sample.Scenes, 1))
		parts.WallTimes[stage.String()] = micros(wallTimes[stage]) / float64(max(sample.Scenes, 1))
		if stage.Host() { // runs on the processor
			parts.ProcessorTimes[stage.String()] = core
			unexplained -= core
		}
	}
	parts.ProcessorTimes[Device.String()] = max(0, unexplained)
	host := busyIntervals(parts.Spans, Stage.Host)
	device := busyIntervals(parts.Spans, func(s Stage) bool { return s == Device })
	both := overlapTime(host, device)
	parts.HostBusy = share(totalTime(host), wall)
	parts.DeviceBusy = share(totalTime(device), wall)
	parts.BothBusy = share(both, wall)
	parts.Overlap = share(both, totalTime(device))
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

// busyIntervals returns the intervals of time in which at least one of the wanted stages was running in any
// goroutine, in order. Spans that overlap or touch become one interval.
func busyIntervals(spans []Span, wanted func(Stage) bool) []interval {
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

// totalTime returns how long the intervals, in which stages ran, are together.
func totalTime(list []interval) (d time.Duration) {
	for _, i := range list {
		d += i.to - i.from
	}
	return d
}

// overlapTime returns for how long both lists have an interval at the same time, such as the busy times of the
// processor and of the device. Each list is sorted, and its intervals do not overlap.
func overlapTime(a, b []interval) (d time.Duration) {
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
