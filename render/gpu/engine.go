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
	mapped      bool          // buffers stay mapped into host memory (ARB_buffer_storage); else data are copied by GL calls
	direct      bool          // shaders use the memory that the host maps
	synchronous bool          // a batch has run when the call that queues it returns: a software driver
	status      func() uint32 // reads whether the context was reset; nil if the driver cannot tell
	slots       []*slot
	free        chan *slot // the slots that no batch uses

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

// openEngine opens a context on the device of cfg, and then compiles its programs and runs them once. limit
// bounds the time of each of the two steps; after it the device's thread is left behind, as drivers may hang.
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
func (engine *engine) start() error {
	if err := initGL(); err != nil {
		return fmt.Errorf("cannot load GL functions: %w", err)
	}
	has := extensions()
	info := engine.dev.Info()
	engine.status = resetStatus(info.Major, info.Minor, has)
	isFrom44 := info.Major*10+info.Minor >= 44 // OpenGL 4.4 or later
	engine.mapped = (isFrom44 || has["GL_ARB_buffer_storage"]) && !engine.cfg.noStorage
	// Without mapped memory the driver itself brings uploads to the device, so copies are not needed.
	engine.direct = !engine.mapped || engine.cfg.Transfer == TransferDirect ||
		engine.cfg.Transfer == TransferAuto && info.Software
	engine.synchronous = info.Software
	engine.limits = engine.queryLimits()
	var err error
	if engine.limits.iterations, err = countIterations(); err != nil {
		return err
	}
	for v := range engine.programs {
		name := shaders.Variant(v)
		program, err := compile(name.String(), engine.cfg.source(name, engine.cfg.Access == AccessTexture))
		if err != nil {
			return err
		}
		engine.programs[v] = program
	}
	for range engine.cfg.Slots {
		s := &slot{engine: engine}
		gl.GenTextures(inputs, &s.textures[0])
		engine.slots = append(engine.slots, s)
		engine.free <- s
	}
	return engine.warmUp()
}

// extensions returns the names of the OpenGL extensions that the current context has.
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

// queryLimits returns the limits by which batches are split: those of the device, the bytes of a slot
// from the configuration or a default, and what tests set.
func (engine *engine) queryLimits() limits {
	var groups int32
	gl.GetIntegeri_v(gl.MAX_COMPUTE_WORK_GROUP_COUNT, 1, &groups)
	l := limits{
		texels: integer(gl.MAX_TEXTURE_BUFFER_SIZE), storageBytes: integer(gl.MAX_SHADER_STORAGE_BLOCK_SIZE),
		workGroups: int(groups), slotBytes: engine.cfg.SlotBytes, access: engine.cfg.Access,
		align: max(texel, integer(gl.TEXTURE_BUFFER_OFFSET_ALIGNMENT),
			integer(gl.SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT)),
	}
	if l.slotBytes <= 0 {
		l.slotBytes = defaultSlotBytes
		if engine.dev.Info().Software {
			l.slotBytes = softwareSlotBytes
		}
	}
	if engine.cfg.limit != nil {
		engine.cfg.limit(&l)
	}
	return l
}

// warmUp runs every program once over a run without tiles, so that the first real batch does not wait for the
// driver's compiler.
func (engine *engine) warmUp() error {
	slot := <-engine.free
	defer func() { engine.free <- slot }()
	// One empty run for each class, and one for pictures.
	sums := piece{runs: make([]batch.Run, batch.Classes), outputBytes: int(batch.Classes) * batch.TileH * rowBytes}
	for c := range sums.ends {
		sums.ends[c] = c + 1
	}
	for _, p := range []piece{
		sums,
		{runs: make([]batch.Run, 1), isPicture: true, outputBytes: texel}, // the least that can be bound
	} {
		total := slot.layout(&p)
		if err := slot.grow(total, p.outputBytes); err != nil {
			return err
		}
		if engine.mapped {
			slot.write(&p)
		}
		if err := slot.submit(&p, total); err != nil {
			return err
		}
		done, err := slot.poll(engine.cfg.Watchdog)
		if err == nil && !done {
			err = fmt.Errorf("cannot finish first dispatch in %v: %w", engine.cfg.Watchdog, errLost)
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
func (engine *engine) checkReset() error {
	if engine.lost.Load() {
		return fmt.Errorf("cannot use context on %s: it was lost earlier: %w", engine.dev.Info().Renderer, errLost)
	}
	if engine.status != nil && isReset(engine.status()) {
		engine.lost.Store(true)
		return fmt.Errorf("cannot use context on %s: the driver reported a reset: %w", engine.dev.Info().Renderer, errLost)
	}
	return nil
}

// resetWait bounds how long a reset may take before the context is left behind.
const resetWait = time.Second

// close ends the engine: mapped memory must not be used any more, a reset gets up to resetWait to end, and
// all objects and the device are released. It does not wait for a thread that hangs: that is left behind,
// and egl.ErrStuck returned.
func (engine *engine) close() error {
	engine.mu.Lock() // no goroutine touches mapped memory from here on
	engine.closed = true
	engine.mu.Unlock()
	err := engine.dev.DoWithin(2*resetWait, func() error { // the reset, and as long for the rest
		// A reset is over when the driver does not report it any more (ARB_robustness).
		for end := time.Now().Add(resetWait); engine.status != nil && isReset(engine.status()) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		engine.release()
		return nil
	})
	if errors.Is(err, egl.ErrStuck) {
		go engine.dev.Close() // its thread may never come back
		return err
	}
	return errors.Join(err, engine.dev.Close())
}

// release deletes all objects; destroying the context would do so too, but only
// once nothing else uses it.
func (engine *engine) release() {
	for _, slot := range engine.slots {
		slot.discard()
		gl.DeleteTextures(inputs, &slot.textures[0])
		gl.DeleteQueries(steps, &slot.queries[0])
		for _, b := range []*buffer{&slot.hostInput, &slot.shaderInput, &slot.shaderOutput, &slot.hostOutput} {
			b.free(engine)
		}
	}
	for _, p := range engine.programs {
		gl.DeleteProgram(p.id)
	}
}

// info returns the description of the engine: its device, how buffers are mapped, whether lost
// contexts are noticed, and the limits.
func (engine *engine) info() Info {
	limits := engine.limits
	return Info{
		Info: engine.dev.Info(), Mapped: engine.mapped, Direct: engine.direct,
		Watched: engine.status != nil && engine.dev.Info().Notified,
		Limits: Limits{Texels: limits.texels, StorageBytes: limits.storageBytes, Groups: limits.workGroups, SlotBytes: limits.slotBytes,
			Iterations: limits.iterations, Items: limits.items()},
	}
}
