package stage

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"plumb/render"
	"plumb/render/metric"
	"plumb/render/paint"
	"plumb/scoring"
)

// Way says from which stage to which scenes go in a run.
type Way string

// The ways.
const (
	EndToEnd Way = "end to end"   // JSON in, result line out
	Render   Way = "render stage" // drawing in, tally out
)

// Config describes one run.
type Config struct {
	Engine  *render.Engine
	Raster  paint.Raster // the engine's
	Way     Way          // "" is EndToEnd
	Workers int          // goroutines that decode and outline, 1 or more
	Callers int          // goroutines with a batch of their own; 0 is 2, more bring nothing (render.Engine.Measure)
	Batch   int          // scenes per batch at most, 1 or more
	Work    int          // of a batch at most, as render.Prepared.Work counts; 0 for no bound
	Count   int          // scenes of the run; 0: as many as Time allows
	Time    time.Duration
	Profile bool // note every stage, which costs some microseconds per scene
}

// Run measures how fast scenes of a set pass the stages of drawing, in one run. Several goroutines prepare
// scenes, and others have the engine measure them in batches. Scenes that cannot be drawn are only counted,
// in Sample.Failed; an error is that of the engine or of cfg.
func Run(cfg Config, set *Set) (Sample, error) {
	switch {
	case cfg.Workers < 1 || cfg.Batch < 1:
		return Sample{}, fmt.Errorf("cannot run %d workers with batches of %d scenes: want 1 or more of each", cfg.Workers, cfg.Batch)
	case cfg.Count < 1 && cfg.Time <= 0:
		return Sample{}, errors.New("cannot run: want a number of scenes or a time")
	}
	if cfg.Callers < 1 {
		cfg.Callers = 2 // the default; more bring nothing
	}
	// For each caller one batch is measured and one waits, and one more is being filled.
	run := &run{Config: cfg, set: set, filledBatches: make(chan *batch, cfg.Callers), emptyBatches: make(chan *batch, 2*cfg.Callers+1)}
	for range cap(run.emptyBatches) {
		run.emptyBatches <- &batch{jobs: make([]job, 0, cfg.Batch)}
	}
	if err := run.makeDrawings(); err != nil {
		return Sample{}, err
	}
	return run.measure()
}

// run is the state of one run.
type run struct {
	Config
	set           *Set
	drawings      []paint.Drawing // of Render
	start         moment
	next          atomic.Int64 // the first scene that no worker has taken
	failed        atomic.Int64
	filledBatches chan *batch
	emptyBatches  chan *batch

	mu      sync.Mutex
	filling *batch // the batch that takes scenes, nil where there is none
	err     error

	sums sums
}

// sums are the totals of all callers, guarded by run.mu.
type sums struct {
	scenes, batches, uploaded, readBack, bytes int64
	pixels, shapes                             int64
	parts                                      render.Parts
}

// job is one scene that is ready for a batch.
type job struct {
	scene         int
	id            string
	shapes        int
	width, height int
	prepared      *render.Prepared
}

// batch is a batch of scenes, or where it is empty, memory for one.
type batch struct {
	jobs []job
	work int // the sum of render.Prepared.Work
}

// fail keeps the first error of a measured run, after which the run ends: nextScene sees it.
func (run *run) fail(err error) {
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.err == nil {
		run.err = err
	}
}

// failure returns the first error of the run.
func (run *run) failure() error {
	run.mu.Lock()
	defer run.mu.Unlock()
	return run.err
}

// measure runs one measurement: workers prepare scenes and put them into batches, callers measure full
// batches. When the workers are done it gives the last, partly filled batch to the callers, waits for them and
// computes the sample.
func (run *run) measure() (Sample, error) {
	recorders := make([]*recorder, run.Workers+run.Callers)
	run.start = now()
	for i := range recorders {
		recorders[i] = &recorder{enabled: run.Profile, row: i, runStart: run.start.at}
	}
	var workers, callers sync.WaitGroup
	for i := range run.Workers {
		workers.Go(func() { run.prepareScenes(recorders[i]) })
	}
	for i := range run.Callers {
		callers.Go(func() { run.measureBatches(recorders[run.Workers+i]) })
	}
	workers.Wait()
	if run.filling != nil && len(run.filling.jobs) > 0 {
		run.filledBatches <- run.filling
	}
	close(run.filledBatches)
	callers.Wait()
	var sample Sample
	sample.Scenes, sample.Failed = int(run.sums.scenes), int(run.failed.Load())
	run.start.setUsage(&sample)
	run.setMeans(&sample)
	if run.Profile {
		sample.Parts = partsOf(recorders, &sample, time.Since(run.start.at))
	}
	return sample, run.failure()
}

// setMeans sets the means per scene in a sample from the sums of the run: bytes, batch sizes, and what the
// scenes cost.
func (run *run) setMeans(sample *Sample) {
	n := float64(max(run.sums.scenes, 1))
	sums := &run.sums
	sample.JSONBytes, sample.BytesUp, sample.BytesDown = float64(sums.bytes)/n, float64(sums.uploaded)/n, float64(sums.readBack)/n
	sample.Batch = n / float64(max(sums.batches, 1))
	sample.Cost = Cost{Shapes: float64(sums.shapes) / n, Pixels: float64(sums.pixels) / n, Records: float64(sums.parts.MaskRows) / n, Items: float64(sums.parts.Items) / n,
		Tiles: float64(sums.parts.Tiles) / n, Runs: float64(sums.parts.Runs) / n, Solids: float64(sums.parts.Solids) / n}
}

// nextScene returns the number of the next scene of a measured run, or -1 at its end. The run ends after
// Count scenes or, where Count is 0, after Time, and soon after an error.
func (run *run) nextScene() int {
	n := int(run.next.Add(1)) - 1
	ended := n >= run.Count
	if run.Count <= 0 {
		ended = time.Since(run.start.at) > run.Time
	}
	const lookEvery = 64 // scenes; looking for an error takes a lock
	if !ended && n%lookEvery == 0 {
		ended = run.failure() != nil
	}
	if ended {
		return -1
	}
	return n
}

// prepareScenes is one worker of a measured run: it prepares scenes, which is all work before the device's,
// and puts them into batches until the run ends. A scene that cannot be prepared is counted as failed.
func (run *run) prepareScenes(rec *recorder) {
	worker := run.Engine.Worker()
	rec.begin()
	defer rec.end()
	for {
		n := run.nextScene()
		if n < 0 {
			return
		}
		rec.startSpan()
		job, err := run.prepare(worker, n%len(run.set.Lines), rec)
		if err != nil {
			run.failed.Add(1)
			continue
		}
		run.addToBatch(job)
	}
}

// addToBatch adds a prepared scene to run.filling, the batch that all workers of a measured run fill. A batch
// that is full, by its number of scenes or by their work, is sent to the callers. Where there is none to
// fill, it waits for an empty one.
func (run *run) addToBatch(job job) {
	run.mu.Lock()
	for run.filling == nil {
		run.mu.Unlock()
		empty := <-run.emptyBatches // without the lock: callers need it to give batches back
		run.mu.Lock()
		if run.filling == nil {
			run.filling = empty
			break
		}
		run.mu.Unlock()
		run.emptyBatches <- empty // another worker was quicker
		run.mu.Lock()
	}
	run.filling.jobs = append(run.filling.jobs, job)
	run.filling.work += job.prepared.Work()
	var full *batch
	hasAllScenes := len(run.filling.jobs) == run.Batch
	hasAllWork := run.Work > 0 && run.filling.work >= run.Work // 0 is no bound
	if hasAllScenes || hasAllWork {
		full, run.filling = run.filling, nil
	}
	run.mu.Unlock()
	if full != nil {
		run.filledBatches <- full
	}
}

// measureBatches is one caller of a measured run: it takes full batches, has the engine measure each, and makes
// the result lines, until there are no more batches. Emptied batches are given back to the workers.
func (run *run) measureBatches(rec *recorder) {
	var prepared []*render.Prepared
	var tallies []metric.Tally
	var line []byte
	rec.begin()
	defer rec.end()
	for filled := range run.filledBatches {
		prepared, tallies = prepared[:0], tallies[:0]
		for _, job := range filled.jobs {
			prepared = append(prepared, job.prepared)
		}
		rec.startSpan()
		var timing render.Timing
		var err error
		if tallies, timing, err = run.Engine.MeasureTimed(tallies, prepared); err != nil {
			run.fail(err)
		} else {
			rec.recordBatch(&timing)
			if line, err = run.makeLines(filled.jobs, tallies, line, rec); err != nil {
				run.fail(err)
			}
		}
		run.addSums(filled.jobs, &timing)
		clear(filled.jobs) // so that the scenes are not kept in memory
		filled.jobs, filled.work = filled.jobs[:0], 0
		run.emptyBatches <- filled
	}
}

// makeLines makes the result line of each scene of a batch, one after the other in the memory of line, which it
// returns for the next batch. Outside of the measured time it compares each line with the scene's earlier
// result; another result is an error. For runs that end with the tallies it does nothing.
func (run *run) makeLines(jobs []job, tallies []metric.Tally, line []byte, rec *recorder) ([]byte, error) {
	if run.Way == Render {
		return line, nil
	}
	for i, job := range jobs {
		scored := result(job.id, job.width, job.height, tallies[i])
		rec.endSpan(Score, job.scene)
		line = scored.AppendJSON(line[:0], scoring.Clamp01, "")
		rec.endSpan(Encode, job.scene)
		if err := run.set.checkSame(job.scene, line); err != nil {
			return line, err
		}
		rec.startSpan() // leaves out the time of the comparison
	}
	return line, nil
}

// addSums adds what the scenes of a measured batch consist of to the sums of the run, and releases what was
// prepared of them. It adds the batch up before it takes the lock, so that the lock is held briefly.
func (run *run) addSums(jobs []job, timing *render.Timing) {
	var add sums
	for _, job := range jobs {
		parts := job.prepared.Parts()
		add.parts.MaskRows += parts.MaskRows
		add.parts.Items += parts.Items
		add.parts.Tiles += parts.Tiles
		add.parts.Runs += parts.Runs
		add.parts.Solids += parts.Solids
		add.pixels += int64(job.width) * int64(job.height)
		add.shapes += int64(job.shapes)
		add.bytes += int64(len(run.set.Lines[job.scene]))
		job.prepared.Release()
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	sums := &run.sums
	sums.scenes += int64(len(jobs))
	sums.batches++
	sums.uploaded, sums.readBack = sums.uploaded+timing.UpBytes, sums.readBack+timing.DownBytes
	sums.bytes, sums.pixels, sums.shapes = sums.bytes+add.bytes, sums.pixels+add.pixels, sums.shapes+add.shapes
	sums.parts.MaskRows += add.parts.MaskRows
	sums.parts.Items += add.parts.Items
	sums.parts.Tiles += add.parts.Tiles
	sums.parts.Runs += add.parts.Runs
	sums.parts.Solids += add.parts.Solids
}
