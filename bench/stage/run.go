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
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// failure returns the first error of the run.
func (r *run) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// all starts the workers and callers of a measured run and waits for them.
func (r *run) all() (Sample, error) {
	recorders := make([]*recorder, r.Workers+r.Callers)
	r.start = now()
	for i := range recorders {
		recorders[i] = &recorder{on: r.Profile, row: i, base: r.start.at}
	}
	var workers, callers sync.WaitGroup
	for i := range r.Workers {
		workers.Go(func() { r.work(recorders[i]) })
	}
	for i := range r.Callers {
		callers.Go(func() { r.call(recorders[r.Workers+i]) })
	}
	workers.Wait()
	if r.open != nil && len(r.open.jobs) > 0 {
		r.full <- r.open
	}
	close(r.full)
	callers.Wait()
	var s Sample
	s.Scenes, s.Failed = int(r.sums.scenes), int(r.failed.Load())
	r.start.fill(&s)
	r.fill(&s)
	if r.Profile {
		s.Parts = parts(recorders, &s, time.Since(r.start.at))
	}
	return s, r.failure()
}

// fill writes the totals of the run into the sample.
func (r *run) fill(s *Sample) {
	n := float64(max(r.sums.scenes, 1))
	t := &r.sums
	s.Bytes, s.Up, s.Down = float64(t.bytes)/n, float64(t.uploaded)/n, float64(t.down)/n
	s.Batch = n / float64(max(t.batches, 1))
	s.Cost = Cost{Shapes: float64(t.shapes) / n, Pixels: float64(t.pixels) / n, Records: float64(t.parts.MaskRows) / n, Items: float64(t.parts.Items) / n,
		Tiles: float64(t.parts.Tiles) / n, Runs: float64(t.parts.Runs) / n, Solids: float64(t.parts.Solids) / n}
}

// nextScene returns the number of the next scene of a measured run, -1 at its end: after Count
// scenes, or where that is 0, after Time.
func (r *run) nextScene() int {
	n := int(r.next.Add(1)) - 1
	if r.Count > 0 && n >= r.Count || r.Count <= 0 && time.Since(r.start.at) > r.Time {
		return -1
	}
	if n%64 == 0 && r.failure() != nil {
		return -1
	}
	return n
}

// work prepares scenes for batches until the measured run ends.
func (r *run) work(rec *recorder) {
	w := r.Engine.Worker()
	rec.begin()
	defer rec.end()
	for {
		n := r.nextScene()
		if n < 0 {
			return
		}
		rec.mark()
		j, err := r.prepare(w, n%len(r.set.Lines), rec)
		if err != nil {
			r.failed.Add(1)
			continue
		}
		r.put(j)
	}
}

// put adds a prepared scene to the open batch, and sends a full batch to the callers.
func (r *run) put(job job) {
	r.mu.Lock()
	for r.open == nil {
		r.mu.Unlock()
		p := <-r.free // without the lock: callers need it to give piles back
		r.mu.Lock()
		if r.open == nil {
			r.open = p
			break
		}
		r.mu.Unlock()
		r.free <- p
		r.mu.Lock()
	}
	r.open.jobs = append(r.open.jobs, job)
	var full *pile
	r.open.work += job.prepared.Work()
	if len(r.open.jobs) == r.Batch || r.Work > 0 && r.open.work >= r.Work {
		full, r.open = r.open, nil
	}
	r.mu.Unlock()
	if full != nil {
		r.full <- full
	}
}

// call measures batches of scenes on the device until there are no more.
func (r *run) call(rec *recorder) {
	var ps []*render.Prepared
	var tallies []metric.Tally
	var line []byte
	rec.begin()
	defer rec.end()
	for pile := range r.full {
		ps, tallies = ps[:0], tallies[:0]
		for _, j := range pile.jobs {
			ps = append(ps, j.prepared)
		}
		rec.mark()
		var t render.Timing
		var err error
		if tallies, t, err = r.Engine.MeasureTimed(tallies, ps); err != nil {
			r.fail(err)
		} else {
			rec.measured(&t)
			if line, err = r.answer(pile.jobs, tallies, line, rec); err != nil {
				r.fail(err)
			}
		}
		r.count(pile.jobs, &t)
		pile.jobs, pile.work = slices.Delete(pile.jobs, 0, len(pile.jobs)), 0
		r.free <- pile
	}
}

// answer makes the result lines of a batch. For ways that end at the tally it compares them with
// earlier results, outside of the measured time.
func (r *run) answer(jobs []job, tallies []metric.Tally, line []byte, rec *recorder) ([]byte, error) {
	if r.Way != EndToEnd && r.Way != "" {
		return line, nil
	}
	for i, j := range jobs {
		res := result(j.id, j.width, j.height, tallies[i])
		rec.lap(Score, j.scene)
		line = res.AppendJSON(line[:0], scoring.Clamp01, "")
		rec.lap(Encode, j.scene)
		if err := r.set.note(j.scene, line); err != nil {
			return line, err
		}
		rec.mark()
	}
	return line, nil
}

// count adds a batch to the totals and releases its views.
func (r *run) count(jobs []job, timing *render.Timing) {
	var add sums
	for _, j := range jobs {
		p := j.prepared.Parts()
		add.parts.MaskRows += p.MaskRows
		add.parts.Items += p.Items
		add.parts.Tiles += p.Tiles
		add.parts.Runs += p.Runs
		add.parts.Solids += p.Solids
		add.pixels += int64(j.width) * int64(j.height)
		add.shapes += int64(j.shapes)
		add.bytes += int64(len(r.set.Lines[j.scene]))
		if !j.keep {
			j.prepared.Release()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.sums
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
