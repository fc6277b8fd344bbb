package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/egl"
	"plumb/render/metric"
	"plumb/render/region"
	"plumb/shaders"
)

// MeterConfig says how a Meter works. The zero value is usable.
type MeterConfig struct {
	Device   string        // as egl.Config.Device
	Watchdog time.Duration // how long a part of a batch may take; default 10 s
	// Bytes bounds the working memory on the device; default 64 MiB, 4 MiB on
	// software devices. Larger batches run in parts; one pair may take more.
	Bytes int

	// For tests: other shaders, and scenes of any size on the device.
	source    func(shaders.Match) string
	unbounded bool
}

// Meter compares regions and masks on a device, with a context of its own. Calls that come while
// the device works are batched. After an error that Broken reports it cannot be used any more and
// must be closed.
type Meter struct {
	cfg             MeterConfig
	dev             *egl.Device
	programs        [shaders.Matches]stage
	buffers         [bufferCount]storageBuffer
	maxStorageBytes int // bytes of one storage buffer

	leftToTwin atomic.Int64 // pairs that the Go twin took

	mu      sync.Mutex // guards what follows
	waiting []request
	running bool
}

// stage is one linked stage of shaders/match.glsl.
type stage struct {
	id          uint32
	first, step int32 // locations of uFirst and uStep, -1 where unused
}

// job mirrors struct Job of shaders/match.glsl.
type job struct {
	Sides, SidesT, SidesEnd, Shift uint32
	Segs, SegsT, SegsEnd, _        uint32
	Width, Height, Words, Bits     uint32
	Blocks, Across, Down, Sum      uint32
}

var (
	_ [64]byte = [unsafe.Sizeof(job{})]byte{}
	_ [16]byte = [unsafe.Sizeof(region.Edge{})]byte{}
	_ [16]byte = [unsafe.Sizeof(region.Sums{})]byte{}
)

// block is the side in px of the square that one seed of the jump flooding stands for, as in the
// shader.
const block = 16

const (
	meterBytes         = 64 << 20
	softwareMeterBytes = 4 << 20
)

// OpenMeter opens a device and compiles the stages. Errors wrap egl.ErrNoDevice
// or egl.ErrAmbiguous where no context opens.
func OpenMeter(cfg MeterConfig) (*Meter, error) {
	if cfg.Watchdog <= 0 {
		cfg.Watchdog = defaultWatchdog
	}
	if cfg.source == nil {
		cfg.source = shaders.MatchSource
	}
	dev, err := egl.Open(egl.Config{Device: cfg.Device, Limit: startLimit})
	if err != nil {
		return nil, err
	}
	meter := &Meter{cfg: cfg, dev: dev}
	if cfg.Bytes <= 0 {
		meter.cfg.Bytes = meterBytes
		if dev.Info().Software {
			meter.cfg.Bytes = softwareMeterBytes
		}
	}
	if err := dev.DoWithin(startLimit, meter.start); err != nil {
		go dev.Close() // its thread may never come back
		return nil, fmt.Errorf("cannot start on %s: %w", dev.Info().Renderer, err)
	}
	return meter, nil
}

// start prepares the OpenGL context of the Meter on the device's thread: it compiles the stages
// that compare regions.
func (meter *Meter) start() error {
	if err := initGL(); err != nil {
		return fmt.Errorf("cannot load GL functions: %w", err)
	}
	for s := range meter.programs {
		name := shaders.Match(s)
		id, err := link(name.String(), meter.cfg.source(name))
		if err != nil {
			return err
		}
		meter.programs[s] = stage{id, location(id, "uFirst"), location(id, "uStep")}
	}
	meter.maxStorageBytes = integer(gl.MAX_SHADER_STORAGE_BLOCK_SIZE)
	return glError("start")
}

// Info describes the device.
func (meter *Meter) Info() egl.Info { return meter.dev.Info() }

// Close ends the device.
func (meter *Meter) Close() error { return meter.dev.Close() }

// request is a pair of regions or masks that waits for the device.
type request struct {
	scene *region.Packed // a scene
	a, b  *region.Bits   // or masks of one size
	done  chan<- outcome // takes one
}

// outcome is the result of a request: sums, or the error of the device.
type outcome struct {
	sums region.Sums
	err  error
}

// scenes pools packed scenes of Measure.
var scenes = sync.Pool{New: func() any { return new(region.Packed) }}

// Measure compares the two regions of a scene on the device, in one batch with other calls. It implements
// region.Meter. Errors besides region.ErrInvalid say that the device failed.
func (meter *Meter) Measure(s *region.Scene) (region.Result, error) {
	packed := scenes.Get().(*region.Packed)
	defer scenes.Put(packed)
	if err := packed.Pack(s); err != nil {
		return region.Result{}, err
	}
	sums, err := meter.enqueue(request{scene: packed})
	if err != nil {
		return region.Result{}, err
	}
	return packed.Result(sums), nil
}

// Compare compares two masks: the host counts pixels, and the device finds the Hausdorff distance, if that is
// asked for and neither mask is empty. A search that is too long for a thread of the device is done on the
// host. It implements metric.Meter.
func (meter *Meter) Compare(ctx context.Context, a, b metric.Mask, options metric.Options) (metric.Comparison, error) {
	wantsDistance := options.Hausdorff
	options.Hausdorff = false // the host only counts
	comparison, err := metric.Oracle{}.Compare(ctx, a, b, options)
	if err != nil || !wantsDistance || comparison.A.Covered == 0 || comparison.B.Covered == 0 {
		return comparison, err
	}
	// Only the box around both masks is uploaded, a bit for each pixel.
	box := comparison.A.Box.Union(comparison.B.Box)
	var bits [2]region.Bits
	for i, from := range [2]*metric.Mask{&a, &b} {
		bits[i].Reset(box.Dx(), box.Dy())
		from.Pack(box, options.Threshold, bits[i].W)
	}
	sums, err := meter.enqueue(request{a: &bits[0], b: &bits[1]})
	if err != nil {
		return comparison, err
	}
	if sums.Far2 == unfinished { // the search was too long for the device
		options.Hausdorff = true
		return metric.Oracle{}.Compare(ctx, a, b, options)
	}
	comparison.Far2, comparison.Measured = int64(sums.Far2), true
	return comparison, ctx.Err()
}

// enqueue adds a pair to the backlog and waits for its result. The first caller starts the
// goroutine that serves the backlog.
func (meter *Meter) enqueue(request request) (region.Sums, error) {
	done := make(chan outcome, 1)
	request.done = done
	meter.mu.Lock()
	meter.waiting = append(meter.waiting, request)
	if !meter.running {
		meter.running = true
		go meter.serve()
	}
	meter.mu.Unlock()
	o := <-done
	return o.sums, o.err
}

// serve takes all waiting requests as one batch, has the device evaluate it and gives each caller its
// outcome, again and again. It ends when no request waits; the next one starts it again.
func (meter *Meter) serve() {
	for {
		meter.mu.Lock()
		list := meter.waiting
		meter.waiting = nil
		meter.running = len(list) > 0
		meter.mu.Unlock()
		if len(list) == 0 {
			return
		}
		sums, err := meter.run(list)
		for i, request := range list {
			o := outcome{err: err}
			if err == nil {
				o.sums = sums[i]
			}
			request.done <- o
		}
	}
}

// Count returns the sums of packed scenes, one for each in list's order. The scenes must not change
// while it runs.
func (meter *Meter) Count(list []*region.Packed) ([]region.Sums, error) {
	all := make([]request, len(list))
	for i, p := range list {
		all[i].scene = p
	}
	return meter.run(all)
}

// run compares pairs of regions or masks in batches that fit the memory limit, and returns their sums in
// order. The Go twin, whose integers are the same, takes scenes with more parts than a shader can hold.
func (meter *Meter) run(list []request) ([]region.Sums, error) {
	out := make([]region.Sums, len(list))
	batch := &meterBatch{out: out}
	for i := range list {
		request := &list[i]
		if request.scene != nil && !request.scene.Fits() && !meter.cfg.unbounded {
			meter.leftToTwin.Add(1)
			out[i] = region.Count([]*region.Packed{request.scene})[0]
			continue
		}
		if batch.full(request, meter.cfg.Bytes) {
			if err := meter.dispatchBatch(batch, list); err != nil {
				return nil, err
			}
		}
		batch.add(request, i)
	}
	return out, meter.dispatchBatch(batch, list)
}

// dispatchBatch runs a batch on the device, stores its sums in batch.out, where each request of list has the
// place that it has in list, and empties the batch. A search for a distance may need more iterations than a
// thread has: then regions go to the Go twin, and the result of masks stays unfinished, for their caller to
// deal with. A batch that needs more than the device's buffers hold is ErrCapacity.
func (meter *Meter) dispatchBatch(batch *meterBatch, list []request) error {
	if len(batch.jobs) == 0 {
		return nil
	}
	// The largest buffer: four bytes for a word of bits and for a block, 16 for an edge.
	if n := max(4*batch.maskWords, 4*batch.blocks, 16*len(batch.edges)); n > meter.maxStorageBytes {
		return fmt.Errorf("cannot compare masks: %w: a buffer of %d bytes is needed; the device has %d",
			ErrCapacity, n, meter.maxStorageBytes)
	}
	// A thread that was given up may still read the batch: it gets a copy of its own. The slices are shared,
	// but batch gets new ones at the end, so nobody writes into them.
	inFlight := *batch
	var sums []region.Sums
	err := meter.dev.DoWithin(meter.cfg.Watchdog, func() (err error) {
		sums, err = meter.dispatch(&inFlight)
		return err
	})
	if err != nil {
		return err
	}
	for i, pos := range batch.places {
		if r := &list[pos]; sums[i].Far2 == unfinished { // Far2 is the squared distance
			meter.leftToTwin.Add(1)
			if isRegion := r.scene != nil; isRegion { // masks may be large: their caller can be cancelled
				sums[i] = region.Count([]*region.Packed{r.scene})[0]
			}
		}
		batch.out[pos] = sums[i]
	}
	*batch = meterBatch{out: batch.out} // without slices, so that the next ones are new
	return nil
}

// unfinished is what the last stages write where a search needs more iterations than a thread has.
const unfinished = 1<<32 - 1

// Left returns how many pairs the Go twin has taken so far instead of the device: scenes with more parts than
// a shader holds, and searches that are too long for a thread.
func (meter *Meter) Left() int { return int(meter.leftToTwin.Load()) }

// Broken reports whether an error of a Meter means that it must be replaced: all do but refused input, too
// little memory, and the end of the caller's context.
func (meter *Meter) Broken(err error) bool {
	harmless := []error{
		region.ErrInvalid, metric.ErrSize, ErrCapacity, context.Canceled, context.DeadlineExceeded,
	}
	return err != nil && !slices.ContainsFunc(harmless, func(e error) bool { return errors.Is(err, e) })
}
