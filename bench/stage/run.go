package stage

import (
	"errors"
	"fmt"
	"slices"
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

// Run measures one run over a set. Errors are those of the device; scenes that
// cannot be drawn count in Sample.Failed.
func Run(cfg Config, set *Set) (Sample, error) {
	switch {
	case cfg.Workers < 1 || cfg.Batch < 1:
		return Sample{}, fmt.Errorf("cannot run %d workers with batches of %d scenes: want 1 or more of each", cfg.Workers, cfg.Batch)
	case cfg.Count < 1 && cfg.Time <= 0:
		return Sample{}, errors.New("cannot run: want a number of scenes or a time")
	}
	if cfg.Callers < 1 {
		cfg.Callers = 2
	}
	r := &run{Config: cfg, set: set, full: make(chan *pile, cfg.Callers), free: make(chan *pile, 2*cfg.Callers+1)}
	for range cap(r.free) {
		r.free <- &pile{jobs: make([]job, 0, cfg.Batch)}
	}
	if err := r.ready(); err != nil {
		return Sample{}, err
	}
	return r.all()
}

// run is the state of one run.
type run struct {
	Config
	set      *Set
	drawings []paint.Drawing // of Render
	start    moment
	next     atomic.Int64 // scene
	failed   atomic.Int64
	full     chan *pile
	free     chan *pile

	mu   sync.Mutex
	open *pile // takes scenes
	err  error

	sums sums
}

// sums are the totals of all callers, guarded by run.mu.
type sums struct {
	scenes, batches, uploaded, down, bytes int64
	pixels, shapes                         int64
	parts                                  render.Parts
}

// job is one scene that is ready for a batch.
type job struct {
	scene         int
	id            string
	shapes        int
	width, height int
	prepared      *render.Prepared
	keep          bool // prepared is used again
}

// pile is a batch that is being filled.
type pile struct {
	jobs []job
	work int
}

// fail keeps the first error of a measurement and ends the run.
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

// all runs one measurement: workers prepare scenes and put them into batches, callers measure full
// batches. When the workers are done it closes the last, partly filled batch, waits for the callers
// and computes the sample.
func (run *run) all() (Sample, error) {
	recorders := make([]*recorder, run.Workers+run.Callers)
	run.start = now()
	for i := range recorders {
		recorders[i] = &recorder{on: run.Profile, row: i, base: run.start.at}
	}
	var workers, callers sync.WaitGroup
	for i := range run.Workers {
		workers.Go(func() { run.work(recorders[i]) })
	}
	for i := range run.Callers {
		callers.Go(func() { run.call(recorders[run.Workers+i]) })
	}
	workers.Wait()
	if run.open != nil && len(run.open.jobs) > 0 {
		run.full <- run.open
	}
	close(run.full)
	callers.Wait()
	var sample Sample
	sample.Scenes, sample.Failed = int(run.sums.scenes), int(run.failed.Load())
	run.start.fill(&sample)
	run.fill(&sample)
	if run.Profile {
		sample.Parts = parts(recorders, &sample, time.Since(run.start.at))
	}
	return sample, run.failure()
}

// fill sets the means per scene in a sample from the sums of the run: bytes, batch sizes, and what the
// scenes cost.
func (run *run) fill(sample *Sample) {
	n := float64(max(run.sums.scenes, 1))
	sums := &run.sums
	sample.Bytes, sample.Up, sample.Down = float64(sums.bytes)/n, float64(sums.uploaded)/n, float64(sums.down)/n
	sample.Batch = n / float64(max(sums.batches, 1))
	sample.Cost = Cost{Shapes: float64(sums.shapes) / n, Pixels: float64(sums.pixels) / n, Records: float64(sums.parts.MaskRows) / n, Items: float64(sums.parts.Items) / n,
		Tiles: float64(sums.parts.Tiles) / n, Runs: float64(sums.parts.Runs) / n, Solids: float64(sums.parts.Solids) / n}
}

// nextScene returns the number of the next scene of a measured run, -1 at its end: after Count
// scenes, or where that is 0, after Time.
func (run *run) nextScene() int {
	n := int(run.next.Add(1)) - 1
	if run.Count > 0 && n >= run.Count || run.Count <= 0 && time.Since(run.start.at) > run.Time {
		return -1
	}
	if n%64 == 0 && run.failure() != nil {
		return -1
	}
	return n
}

// work is one worker of a measured run: it prepares scenes and puts them into batches until the run
// ends. A scene that cannot be prepared is counted as failed.
func (run *run) work(rec *recorder) {
	worker := run.Engine.Worker()
	rec.begin()
	defer rec.end()
	for {
		n := run.nextScene()
		if n < 0 {
			return
		}
		rec.mark()
		j, err := run.prepare(worker, n%len(run.set.Lines), rec)
		if err != nil {
			run.failed.Add(1)
			continue
		}
		run.put(j)
	}
}

// put adds a prepared scene to the open batch, and sends a full batch to the callers.
func (run *run) put(job job) {
	run.mu.Lock()
	for run.open == nil {
		run.mu.Unlock()
		p := <-run.free // without the lock: callers need it to give piles back
		run.mu.Lock()
		if run.open == nil {
			run.open = p
			break
		}
		run.mu.Unlock()
		run.free <- p
		run.mu.Lock()
	}
	run.open.jobs = append(run.open.jobs, job)
	var full *pile
	run.open.work += job.prepared.Work()
	if len(run.open.jobs) == run.Batch || run.Work > 0 && run.open.work >= run.Work {
		full, run.open = run.open, nil
	}
	run.mu.Unlock()
	if full != nil {
		run.full <- full
	}
}

// call takes full batches, has the engine measure each and writes the results, until there are no more
// batches. Emptied batches are given back to the workers.
func (run *run) call(rec *recorder) {
	var prepared []*render.Prepared
	var tallies []metric.Tally
	var line []byte
	rec.begin()
	defer rec.end()
	for pile := range run.full {
		prepared, tallies = prepared[:0], tallies[:0]
		for _, j := range pile.jobs {
			prepared = append(prepared, j.prepared)
		}
		rec.mark()
		var timing render.Timing
		var err error
		if tallies, timing, err = run.Engine.MeasureTimed(tallies, prepared); err != nil {
			run.fail(err)
		} else {
			rec.measured(&timing)
			if line, err = run.answer(pile.jobs, tallies, line, rec); err != nil {
				run.fail(err)
			}
		}
		run.count(pile.jobs, &timing)
		pile.jobs, pile.work = slices.Delete(pile.jobs, 0, len(pile.jobs)), 0
		run.free <- pile
	}
}

// answer makes the result lines of a batch. For ways that end at the tally it compares them with
// earlier results, outside of the measured time.
func (run *run) answer(jobs []job, tallies []metric.Tally, line []byte, rec *recorder) ([]byte, error) {
	if run.Way != EndToEnd && run.Way != "" {
		return line, nil
	}
	for i, j := range jobs {
		res := result(j.id, j.width, j.height, tallies[i])
		rec.lap(Score, j.scene)
		line = res.AppendJSON(line[:0], scoring.Clamp01, "")
		rec.lap(Encode, j.scene)
		if err := run.set.note(j.scene, line); err != nil {
			return line, err
		}
		rec.mark()
	}
	return line, nil
}

// count adds the scenes of a measured batch to the sums of the run and releases its views. It adds
// them up before it takes the lock, so that the lock is held briefly.
func (run *run) count(jobs []job, timing *render.Timing) {
	var add sums
	for _, j := range jobs {
		parts := j.prepared.Parts()
		add.parts.MaskRows += parts.MaskRows
		add.parts.Items += parts.Items
		add.parts.Tiles += parts.Tiles
		add.parts.Runs += parts.Runs
		add.parts.Solids += parts.Solids
		add.pixels += int64(j.width) * int64(j.height)
		add.shapes += int64(j.shapes)
		add.bytes += int64(len(run.set.Lines[j.scene]))
		if !j.keep {
			j.prepared.Release()
		}
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	s := &run.sums
	s.scenes += int64(len(jobs))
	s.batches++
	s.uploaded, s.down = s.uploaded+timing.UpBytes, s.down+timing.DownBytes
	s.bytes, s.pixels, s.shapes = s.bytes+add.bytes, s.pixels+add.pixels, s.shapes+add.shapes
	s.parts.MaskRows += add.parts.MaskRows
	s.parts.Items += add.parts.Items
	s.parts.Tiles += add.parts.Tiles
	s.parts.Runs += add.parts.Runs
	s.parts.Solids += add.parts.Solids
}
