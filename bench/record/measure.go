package record

import (
	"fmt"
	"slices"
	"time"

	"plumb/bench/ceiling"
	"plumb/bench/scenes"
	"plumb/bench/stage"
	"plumb/render"
	"plumb/render/paint"
	"plumb/render/scene"
)

// Plan says what to measure and for how long.
type Plan struct {
	Engine  render.Config
	Limits  scene.Limits
	Workers int // 1 or more
	Batch   int // scenes of a batch at most, 1 or more
	// WorkPerBatch bounds a batch as the daemon does, nil for no bound.
	WorkPerBatch func(render.Info) int
	Classes      []Scenes
	Sweeps       []string                         // names of AllSweeps
	Seed         uint64                           // of the scenes of sweeps
	Quick        bool                             // measure briefly
	Report       func(what string, done, all int) // progress; nil for none
}

// Scenes are the scenes of one class, with its name.
type Scenes struct {
	Name  string
	Doc   string
	Lines [][]byte
}

// MakeScenes makes the scenes of a class.
func MakeScenes(c scenes.Class, n int, seed uint64) (Scenes, error) {
	lines, err := c.Spec.Lines(c.Name, n, seed)
	return Scenes{Name: c.Name, Doc: c.Doc, Lines: lines}, err
}

// DistinctScenes returns how many different scenes a class has to be made of. There are so many that the engine's
// caches do not help with any of them, except for glyphs.
func (plan *Plan) DistinctScenes() int {
	if plan.Quick {
		return 256
	}
	return 512
}

// durations say how often and how long the figures of a plan are measured.
type durations struct {
	rounds     int           // in each of which every class is measured once
	run        time.Duration // of a class in one round
	sweepPoint time.Duration // of one value of a sweep in one round
	ceilings   time.Duration // of the machine, together
	oneOff     time.Duration // of what is measured once: the device alone, for each batch size, and single scenes
}

// durations returns how long the parts of a measurement of plumb bench run: with --quick a few seconds in all,
// else long enough for stable figures.
func (plan *Plan) durations() durations {
	if plan.Quick {
		return durations{rounds: 3, run: 200 * time.Millisecond, sweepPoint: 50 * time.Millisecond, ceilings: 500 * time.Millisecond,
			oneOff: 50 * time.Millisecond}
	}
	return durations{rounds: 7, run: 900 * time.Millisecond, sweepPoint: 300 * time.Millisecond, ceilings: 5 * time.Second,
		oneOff: time.Second}
}

// session is a measurement under way.
type session struct {
	*Plan
	durations
	file        *File
	cfg         stage.Config
	spans       map[string][]stage.Span // of the profile of each class: when each stage of each scene ran
	done, steps int                     // steps that are done, and all
}

// beginStep tells the caller of plumb bench's measurement, through the function Report if there is one, which step
// begins and how many of all steps are done. Then it counts the step as done.
func (session *session) beginStep(what string) {
	if session.Report != nil {
		session.Report(what, session.done, session.steps)
	}
	session.done++
}

// Measure opens the engine and measures what the plan asks for: the ceilings of the machine, the classes of
// scenes and the sweeps. It fills in the file of results. It also returns for each class the times of the
// stages (spans) that Trace and Page show. Errors are those of the device, or of scenes that cannot be read.
func (plan *Plan) Measure(file *File) (map[string][]stage.Span, error) {
	begin := time.Now()
	engine, err := render.Open(plan.Engine)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	info := engine.Info()
	session := &session{Plan: plan, durations: plan.durations(), file: file, spans: map[string][]stage.Span{}}
	session.cfg = stage.Config{Engine: engine, Raster: plan.Engine.Raster, Workers: plan.Workers, Batch: plan.Batch}
	if plan.WorkPerBatch != nil {
		session.cfg.Work = plan.WorkPerBatch(info)
	}
	session.steps = 1 + len(plan.Classes)*(session.rounds+1) + len(plan.Sweeps) // one step for the ceilings; one to warm up each class
	// Record with what it is measured.
	file.Backend, file.Workers, file.Batch, file.Seed, file.Mode, file.Raster = info.Backend, plan.Workers, plan.Batch, plan.Seed, "full", "reference"
	if plan.Quick {
		file.Mode = "quick"
	}
	if plan.Engine.Raster == paint.Exact {
		file.Raster = "exact"
	}
	if info.GPU != nil {
		file.Driver = info.GPU.String()
	}
	// Measure.
	session.beginStep("ceilings") // the most that the machine can do: copies in memory, and of a device arithmetic and transfers
	if file.Ceilings, err = ceiling.Measure(plan.Engine.Device, info.GPU != nil, session.ceilings); err != nil {
		return nil, err
	}
	if err := session.measureClasses(); err != nil {
		return nil, err
	}
	if err := session.measureSweeps(); err != nil {
		return nil, err
	}
	file.Seconds = time.Since(begin).Seconds()
	return session.spans, nil
}

// measureClasses measures all classes of scenes. First each scene is drawn once, which fills caches; then
// rounds measure the classes in turn, so that other work of the machine slows all of them alike; then
// the details of each class are measured.
func (session *session) measureClasses() error {
	sets := make([]*stage.Set, len(session.Classes))
	out := make([]Class, len(session.Classes))
	for i, scenes := range session.Classes {
		var err error
		if sets[i], err = stage.NewSet(scenes.Name, scenes.Lines, session.Limits); err != nil {
			return err
		}
		out[i] = Class{Name: scenes.Name, Doc: scenes.Doc, Distinct: len(scenes.Lines)}
		session.beginStep(scenes.Name + ": each scene once")
		cfg := session.cfg
		cfg.Count = len(scenes.Lines)
		warm, err := stage.Run(cfg, sets[i])
		if err != nil {
			return err
		}
		if warm.Scenes == 0 {
			return fmt.Errorf("cannot measure %s: none of %d scenes can be drawn natively", scenes.Name, warm.Failed)
		}
		if warm.Failed == 0 {
			if out[i].Segments, err = stage.Segments(sets[i]); err != nil {
				return err
			}
		}
	}
	for range session.rounds {
		for i := range out {
			session.beginStep(out[i].Name)
			if err := session.measureRound(&out[i], sets[i]); err != nil {
				return err
			}
		}
	}
	for i := range out {
		if err := session.measureDetails(&out[i], sets[i]); err != nil {
			return err
		}
	}
	session.file.Classes = out
	return nil
}

// measureRound measures a class of scenes once in each of two ways, and adds the samples to the class: from JSON to
// the result line (EndToEnd), and from the finished drawing to the tally (Render).
func (session *session) measureRound(class *Class, set *stage.Set) error {
	cfg := session.cfg
	cfg.Time = session.run
	sample, err := stage.Run(cfg, set)
	if err != nil {
		return err
	}
	class.EndToEnd = append(class.EndToEnd, sample)
	if sample.Failed > 0 { // the other way begins with finished drawings, which some scenes do not have
		return nil
	}
	cfg.Way = stage.Render
	if sample, err = stage.Run(cfg, set); err != nil {
		return err
	}
	class.Render = append(class.Render, sample)
	return nil
}

// measureDetails measures what needs one run per class: the profile by stages, the digest of the results, the
// device alone at growing batch sizes (without the processor's work), and lone scenes (one after another, with
// all of their work). The last two are only measured if all scenes of the class can be drawn natively.
func (session *session) measureDetails(class *Class, set *stage.Set) (err error) {
	cfg := session.cfg
	cfg.Time, cfg.Profile = session.run, true
	if class.Profile, err = stage.Run(cfg, set); err != nil {
		return err
	}
	session.spans[class.Name] = class.Profile.Parts.Spans
	class.Digest = set.Digest()
	if class.Profile.Failed == 0 {
		cfg.Time, cfg.Profile = session.oneOff, false
		noGPU := session.file.Ceilings.Software || session.file.Driver == "" // OpenGL in software, or the CPU backend
		const largestWithoutGPU = 256                                        // scenes of a batch; more do not make software faster
		for _, scenes := range []int{1, 64, 256, 1024, 4096} {
			if scenes > largestWithoutGPU && noGPU {
				break
			}
			cfg.Batch = scenes
			sample, err := stage.DeviceAlone(cfg, set)
			if err != nil {
				return err
			}
			class.Device = append(class.Device, sample)
			if sample.Batch < scenes { // larger batches do not fit
				break
			}
		}
		if class.Lone, err = stage.Lone(cfg, set); err != nil {
			return err
		}
	}
	class.Shares = session.ceilingShares(class)
	return nil
}

// ceilingShares computes which share of the machine's ceilings a class reaches: of the device's arithmetic,
// of copies to and from the device, and of the host's memory. It divides what a scene needs by the
// time that it took.
func (session *session) ceilingShares(class *Class) Shares {
	sample, top := class.Profile, session.file.Ceilings
	out := Shares{Operations: Operations(sample.Cost)}
	// ratio returns the share of a ceiling, given per second, that is reached by an amount in a time in µs.
	ratio := func(amount, us, ceiling float64) float64 {
		if us <= 0 || ceiling <= 0 {
			return 0
		}
		return amount / (us * 1e-6) / ceiling
	}
	// The time of the device for one scene, µs. If the device was measured alone, that is more exact, because nothing
	// else runs then: ResidentRate is the scenes per second of the shaders, with all data on the device already.
	deviceTime := sample.Parts.WallTimes[stage.Device.String()]
	if len(class.Device) > 0 {
		best := slices.MaxFunc(class.Device, func(a, b stage.DeviceSample) int { return int(a.ResidentRate - b.ResidentRate) })
		deviceTime = 1e6 / best.ResidentRate
	}
	out.ComputeShare = ratio(out.Operations, deviceTime, top.DeviceOps)
	out.UploadShare = ratio(sample.BytesUp, sample.Parts.WallTimes[stage.Upload.String()], top.UploadRate)
	out.ReadBackShare = ratio(sample.BytesDown, sample.Parts.WallTimes[stage.ReadBack.String()], top.ReadBackRate)
	out.HostCopyShare = ratio(sample.HeapBytes, sample.WallTime, top.HostCopy)
	if moved := sample.BytesUp + sample.BytesDown; moved > 0 {
		out.OperationsPerByte = out.Operations / moved
	}
	return out
}
