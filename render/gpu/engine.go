package gpu

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/batch"
	"plumb/render/egl"
	"plumb/shaders"
)

// engine is one OpenGL context with its programs and buffers. A lost engine is never repaired: the
// Runner makes a new one from the same Config.
type engine struct {
	cfg         Config
	dev         *egl.Device
	programs    [variants]program
	limits      limits
	mapped      bool // buffers stay mapped into host memory (ARB_buffer_storage); else data are copied by GL calls
	direct      bool // shaders use the memory that the host maps
	synchronous bool // a batch has run when the call that queues it returns
	status      func() uint32
	slots       []*slot
	free        chan *slot

	memory atomic.Int64 // bytes of all buffers

	// progress is when a fence was last seen signalled, in ns since the epoch:
	// a device that still finishes batches is slow, not hung.
	progress atomic.Int64
	// lost is set once the driver reported a reset, or the device was given up as hung. It stays
	// set, and every batch in flight finds it and ends.
	lost atomic.Bool

	mu     sync.RWMutex // held for reading while mapped memory is touched
	closed bool         // under mu: mappings are gone or about to go
}

// initGL fills the function pointers of the OpenGL bindings, which are process state; with
// libglvnd and with Mesa they serve every context.
var initGL = sync.OnceValue(func() error { return gl.InitWithProcAddrFunc(egl.ProcAddress) })

// openEngine opens a context on the device of cfg, and then compiles its programs and runs them once. Each
// of the two steps may take limit.
func openEngine(cfg Config, limit time.Duration) (*engine, error) {
	dev, err := egl.Open(egl.Config{Device: cfg.Device, Limit: limit})
	if err != nil {
		return nil, err
	}
	e := &engine{cfg: cfg, dev: dev, free: make(chan *slot, cfg.Slots)}
	if err := dev.DoWithin(limit, e.start); err != nil {
		go dev.Close() // its thread may never come back
		return nil, fmt.Errorf("cannot start on %s: %w", dev.Info().Renderer, err)
	}
	return e, nil
}

// startLimit bounds the opening of a device, and then compilation and warm-up: on a busy machine
// a cold compiler takes seconds. reopenLimit is the same for a replacement, for which batches
// wait and most programs are compiled already.
const (
	startLimit  = 2 * time.Minute
	reopenLimit = 30 * time.Second
)

// start prepares the OpenGL context: it looks for what the driver can do, reads the limits, compiles the
// programs, makes the slots and runs every program once. It runs on the device's thread.
func (e *engine) start() error {
	if err := initGL(); err != nil {
		return fmt.Errorf("cannot load GL functions: %w", err)
	}
	has := extensions()
	info := e.dev.Info()
	e.status = resetStatus(info.Major, info.Minor, has)
	e.mapped = (info.Major*10+info.Minor >= 44 || has["GL_ARB_buffer_storage"]) && !e.cfg.noStorage
	// Without mapped memory the driver itself brings uploads to the device.
	e.direct = !e.mapped || e.cfg.Transfer == TransferDirect ||
		e.cfg.Transfer == TransferAuto && info.Software
	e.synchronous = info.Software
	e.limits = e.queryLimits()
	var err error
	if e.limits.iterations, err = countIterations(); err != nil {
		return err
	}
	for v := range e.programs {
		name := shaders.Variant(v)
		p, err := compile(name.String(), e.cfg.source(name, e.cfg.Access == AccessTexture))
		if err != nil {
			return err
		}
		e.programs[v] = p
	}
	for range e.cfg.Slots {
		s := &slot{engine: e}
		gl.GenTextures(inputs, &s.textures[0])
		e.slots = append(e.slots, s)
		e.free <- s
	}
	return e.warmUp()
}

// extensions returns the OpenGL extensions of the current context.
func extensions() map[string]bool {
	var n int32
	gl.GetIntegerv(gl.NUM_EXTENSIONS, &n)
	has := make(map[string]bool, n)
	for i := range n {
		has[gl.GoStr(gl.GetStringi(gl.EXTENSIONS, uint32(i)))] = true
	}
	return has
}

// integer returns an integer parameter of the current context.
func integer(name uint32) int {
	var v int32
	gl.GetIntegerv(name, &v)
	return int(v)
}

// queryLimits reads the device's limits and applies those of the configuration. They decide how batches are
// split.
func (e *engine) queryLimits() limits {
	var groups int32
	gl.GetIntegeri_v(gl.MAX_COMPUTE_WORK_GROUP_COUNT, 1, &groups)
	l := limits{
		texels: integer(gl.MAX_TEXTURE_BUFFER_SIZE), storage: integer(gl.MAX_SHADER_STORAGE_BLOCK_SIZE),
		groups: int(groups), slot: e.cfg.SlotBytes, access: e.cfg.Access,
		align: max(texel, integer(gl.TEXTURE_BUFFER_OFFSET_ALIGNMENT),
			integer(gl.SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT)),
	}
	if l.slot <= 0 {
		l.slot = defaultSlotBytes
		if e.dev.Info().Software {
			l.slot = softwareSlotBytes
		}
	}
	if e.cfg.limit != nil {
		e.cfg.limit(&l)
	}
	return l
}

// warmUp runs every program once over a run without tiles, so that the first
// real batch does not pay for the driver's compiler.
func (e *engine) warmUp() error {
	slot := <-e.free
	defer func() { e.free <- slot }()
	// One empty run for each class, and one for pictures.
	sums := piece{runs: make([]batch.Run, batch.Classes), outputBytes: int(batch.Classes) * batch.TileH * rowBytes}
	for c := range sums.ends {
		sums.ends[c] = c + 1
	}
	for _, p := range []piece{
		sums,
		{runs: make([]batch.Run, 1), picture: true, outputBytes: texel},
	} {
		total := slot.layout(&p)
		if err := slot.grow(total, p.outputBytes); err != nil {
			return err
		}
		if e.mapped {
			slot.write(&p)
		}
		if err := slot.submit(&p, total); err != nil {
			return err
		}
		done, err := slot.poll(e.cfg.Watchdog)
		if err == nil && !done {
			err = fmt.Errorf("cannot finish first dispatch in %v: %w", e.cfg.Watchdog, errLost)
		}
		if err != nil {
			return err
		}
		if err := slot.readResults(); err != nil {
			return err
		}
	}
	return nil
}

// checkReset returns an error if the context is lost, or if the driver reports a reset now, which
// loses it. It runs on the device's thread.
func (e *engine) checkReset() error {
	if e.lost.Load() {
		return fmt.Errorf("cannot use context on %s: it was lost earlier: %w", e.dev.Info().Renderer, errLost)
	}
	if e.status != nil && isReset(e.status()) {
		e.lost.Store(true)
		return fmt.Errorf("cannot use context on %s: the driver reported a reset: %w", e.dev.Info().Renderer, errLost)
	}
	return nil
}

// resetWait bounds how long a reset may take before the context is left behind.
const resetWait = time.Second

// close ends the engine: mapped memory must not be used any more, a reset gets up to resetWait to end, and
// all objects and the device are released. It does not wait for a thread that hangs: that is left behind,
// and egl.ErrStuck returned.
func (e *engine) close() error {
	e.mu.Lock() // no goroutine touches mapped memory from here on
	e.closed = true
	e.mu.Unlock()
	err := e.dev.DoWithin(2*resetWait, func() error {
		// A reset is over when the status is clean again (ARB_robustness).
		for end := time.Now().Add(resetWait); e.status != nil && isReset(e.status()) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		e.release()
		return nil
	})
	if errors.Is(err, egl.ErrStuck) {
		go e.dev.Close() // its thread may never come back
		return err
	}
	return errors.Join(err, e.dev.Close())
}

// release deletes all objects; destroying the context would do so too, but only
// once nothing else uses it.
func (e *engine) release() {
	for _, s := range e.slots {
		s.discard()
		gl.DeleteTextures(inputs, &s.textures[0])
		gl.DeleteQueries(steps, &s.queries[0])
		for _, b := range []*buffer{&s.upload, &s.in, &s.out, &s.fin} {
			b.free(e)
		}
	}
	for _, p := range e.programs {
		gl.DeleteProgram(p.id)
	}
}

// info returns the description of the engine's device and limits.
func (e *engine) info() Info {
	l := e.limits
	return Info{
		Info: e.dev.Info(), Mapped: e.mapped, Direct: e.direct,
		Watched: e.status != nil && e.dev.Info().Notified,
		Limits: Limits{Texels: l.texels, StorageBytes: l.storage, Groups: l.groups, SlotBytes: l.slot,
			Iterations: l.iterations, Items: l.items()},
	}
}
