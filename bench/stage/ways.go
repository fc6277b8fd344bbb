package stage

import (
	"slices"
	"time"

	"plumb/render"
	"plumb/render/metric"
	"plumb/render/paint"
	"plumb/render/view"
	"plumb/scoring"
)

// mostDrawings is how many scenes of a set stand ready for ways that begin with drawings
// or tiles: they take memory.
const mostDrawings = 64

// makeDrawings makes what a run that does not begin with JSON starts from, before the clock starts: the drawings
// of the first scenes of the set, at most mostDrawings. They are kept in the set for later runs with the same
// raster. A run that begins with JSON needs none.
func (run *run) makeDrawings() error {
	if run.Way != Render {
		return nil
	}
	var builder paint.Builder
	builder.Version, _ = view.ParseVersion(run.Engine.Info().Tldraw) // the engine's own version, which parses
	run.drawings = run.set.drawings
	if run.drawings != nil && run.set.raster == run.Raster {
		return nil // an earlier run made them
	}
	run.drawings = make([]paint.Drawing, min(mostDrawings, len(run.set.Lines)))
	for i := range run.drawings {
		_, wanted, err := run.set.decode(i)
		if err != nil {
			return err
		}
		if err := builder.Build(wanted, run.Raster, &run.drawings[i]); err != nil {
			return err
		}
	}
	run.set.drawings, run.set.raster = run.drawings, run.Raster
	return nil
}

// prepare takes scene i from its JSON to its tiles, or if the run begins with drawings, from its finished
// drawing. It records the time of each stage on the way.
func (run *run) prepare(worker *render.Worker, i int, rec *recorder) (job, error) {
	if run.drawings != nil {
		i %= len(run.drawings) // there may be fewer drawings than scenes
		drawing := &run.drawings[i]
		prepared := worker.Tile(drawing)
		rec.endSpan(Tile, i)
		return job{scene: i, prepared: prepared, width: drawing.Width, height: drawing.Height}, nil
	}
	id, view, err := run.set.decode(i)
	rec.endSpan(Decode, i)
	if err != nil {
		return job{}, err
	}
	prepared, _, err := worker.PrepareTimed(view, func() { rec.endSpan(Outline, i) }) // called before the tiles are made
	if err != nil {
		return job{}, err
	}
	rec.endSpan(Tile, i)
	width, height := prepared.Size()
	return job{scene: i, id: id, shapes: len(view.Scene.Shapes), width: width, height: height, prepared: prepared}, nil
}

// DeviceAlone has the engine measure the same batch of scenes again and again for cfg.Time, and returns how
// fast the device alone is, by the device's own timers: for tiles that are on the device already, and with
// their upload and the read-back of sums. The batch has cfg.Batch scenes, or fewer where cfg.Work bounds it,
// so that it goes to the device in one piece, as in the daemon.
func DeviceAlone(cfg Config, set *Set) (DeviceSample, error) {
	// Make the batch, of the same few drawings again and again.
	cfg.Way = Render
	run := &run{Config: cfg, set: set}
	if err := run.makeDrawings(); err != nil {
		return DeviceSample{}, err
	}
	worker := cfg.Engine.Worker()
	var prepared []*render.Prepared
	work := 0 // of the batch so far; a cfg.Work of 0 is no bound
	for len(prepared) < cfg.Batch && (cfg.Work <= 0 || work < cfg.Work) {
		scene := worker.Tile(&run.drawings[len(prepared)%len(run.drawings)])
		defer scene.Release()
		prepared, work = append(prepared, scene), work+scene.Work()
	}
	// Measure it.
	var deviceSample DeviceSample
	var tallies []metric.Tally
	begin := time.Now()
	var device, withTransfers time.Duration
	for time.Since(begin) < cfg.Time || deviceSample.Batches == 0 {
		var timing render.Timing
		var err error
		if tallies, timing, err = cfg.Engine.MeasureTimed(tallies[:0], prepared); err != nil {
			return deviceSample, err
		}
		deviceSample.Batches++
		device += timing.Device
		withTransfers += timing.Device + timing.Upload + timing.ReadBack
		// The same in each batch.
		deviceSample.Up, deviceSample.Down = float64(timing.UpBytes)/float64(len(prepared)), float64(timing.DownBytes)/float64(len(prepared))
	}
	// Compute the means.
	scenes := float64(deviceSample.Batches * len(prepared))
	deviceSample.Batch = len(prepared)
	deviceSample.ResidentRate, deviceSample.MovedRate = scenes/device.Seconds(), scenes/withTransfers.Seconds()
	for _, scene := range prepared {
		parts := scene.Parts()
		deviceSample.Records += float64(parts.MaskRows) / float64(len(prepared))
		deviceSample.Items += float64(parts.Items) / float64(len(prepared))
	}
	return deviceSample, nil
}

// DeviceSample holds the measurements of the device alone.
type DeviceSample struct {
	Batch        int     `json:"batch"` // scenes
	Batches      int     `json:"batches"`
	ResidentRate float64 `json:"resident_scenes_per_s"` // buffers resident: shaders alone
	MovedRate    float64 `json:"moved_scenes_per_s"`    // uploads and read-back included, not overlapped
	Up           float64 `json:"up_bytes"`              // per scene
	Down         float64 `json:"down_bytes"`
	Records      float64 `json:"records"`
	Items        float64 `json:"items"`
}

// Latency is how long scenes take that come alone, from JSON to the result line.
type Latency struct {
	Scenes int     `json:"scenes"`
	P50    float64 `json:"p50_us"`
	P90    float64 `json:"p90_us"`
	P99    float64 `json:"p99_us"`
	Max    float64 `json:"max_us"`
}

// Lone measures how long a scene takes that comes alone: it takes scenes one after another from JSON to the
// result line, in one goroutine and each in a batch of its own, and returns percentiles of the times. It
// ends after cfg.Count scenes or, without a count, after cfg.Time.
func Lone(cfg Config, set *Set) (Latency, error) {
	cfg.Way = EndToEnd
	run := &run{Config: cfg, set: set}
	worker, notRecorded := cfg.Engine.Worker(), new(recorder)
	var took []float64
	var line []byte
	begin := time.Now()
	more := func(done int) bool {
		if cfg.Count > 0 {
			return done < cfg.Count
		}
		return done == 0 || time.Since(begin) < cfg.Time
	}
	for n := 0; more(n); n++ {
		start := time.Now()
		job, err := run.prepare(worker, n%len(set.Lines), notRecorded)
		if err != nil {
			return Latency{}, err
		}
		tallies, err := cfg.Engine.Measure(nil, []*render.Prepared{job.prepared})
		if err != nil {
			return Latency{}, err
		}
		scored := result(job.id, job.width, job.height, tallies[0])
		line = scored.AppendJSON(line[:0], scoring.Clamp01, "")
		took = append(took, micros(time.Since(start)))
		if err := set.checkSame(job.scene, line); err != nil {
			return Latency{}, err
		}
		job.prepared.Release()
	}
	slices.Sort(took)
	percentile := func(share float64) float64 { return took[min(len(took)-1, int(share*float64(len(took))))] }
	return Latency{Scenes: len(took), P50: percentile(0.5), P90: percentile(0.9), P99: percentile(0.99), Max: took[len(took)-1]}, nil
}

// countedScenes is how many scenes of a set Segments looks at.
const countedScenes = 16

// Segments returns the mean number of straight pieces into which the outlines of a scene are divided, so
// that their areas are right within 1/64 px, over the first countedScenes scenes of the set. It says how
// much there is to draw in a scene.
func Segments(set *Set) (float64, error) {
	var builder paint.Builder
	var drawing paint.Drawing
	scenes, pieces := min(countedScenes, len(set.Lines)), 0
	for i := range scenes {
		_, view, err := set.decode(i)
		if err != nil {
			return 0, err
		}
		if err := builder.Build(view, paint.Exact, &drawing); err != nil {
			return 0, err
		}
		pieces += drawing.Pieces
	}
	return float64(pieces) / float64(scenes), nil
}
