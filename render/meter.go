package render

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"plumb/render/gpu"
	"plumb/render/metric"
	"plumb/render/region"
)

// Meter compares regions and masks: on the engine's device if that is a GPU, else in plain Go.
// Both give the same integers, so plain Go takes over whenever the device cannot. It is safe for
// concurrent use.
type Meter struct {
	cfg    gpu.MeterConfig
	hasGPU bool // there is a device to open

	mu      sync.Mutex // guards what follows
	open    *gpu.Meter // nil while there is none
	opening bool
	fails   int
	next    time.Time // no try before it
	closed  bool
}

// meterTries is how often a context for comparisons may fail before plain Go is
// left to do them all, and meterPause what lies between two tries at least.
const (
	// meterTries is how often a context for comparisons may fail before only plain Go is used, and
	// meterPause the least time between two tries.
	meterTries = 5
	meterPause = 5 * time.Second
)

// newMeter makes the meter of an engine. Only hardware is used, because a software driver takes
// four times the core time of plain Go for a comparison. The first comparison opens its context.
func newMeter(r *gpu.Runner, cfg Config) *Meter {
	return &Meter{cfg: gpu.MeterConfig{Device: cfg.Device, Watchdog: cfg.Watchdog}, hasGPU: r != nil && !r.Info().Software}
}

// Meter returns the engine's meter; Close of the engine ends it.
func (e *Engine) Meter() *Meter { return e.meter }

// device returns the device if it is open, and starts to open it if not.
func (m *Meter) device() *gpu.Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hasGPU && m.open == nil && !m.opening && !m.closed && m.fails < meterTries && time.Now().After(m.next) {
		m.opening = true
		go m.openDevice()
	}
	return m.open
}

// openDevice opens and checks the device, in the background, because it may take a while.
func (m *Meter) openDevice() {
	d, err := gpu.OpenMeter(m.cfg)
	if err == nil {
		if err = checkDevice(d); err != nil {
			go d.Close()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opening = false
	switch {
	case err != nil:
		m.fails, m.next = m.fails+1, time.Now().Add(meterPause)
	case m.closed:
		go d.Close()
	default:
		m.open = d
	}
}

// checkDevice compares a device with the Go twin on regions that need every stage: a driver with
// other results is not used.
func checkDevice(d *gpu.Meter) error {
	var s region.Scene
	for i, r := range []*region.Region{&s.U, &s.T} {
		for k := range 7 {
			var part []region.Point
			for c := range 3 + k {
				a := float64(i) + float64(k) + 2*math.Pi*float64(c)/float64(3+k)
				part = append(part, region.Point{X: float64(3*k%5) + math.Cos(a)*float64(1+i), Y: float64(2*k%3) + math.Sin(a)})
			}
			r.Parts = append(r.Parts, part)
			for c, p := range part {
				r.Edges = append(r.Edges, region.Segment{A: p, B: part[(c+1)%len(part)]})
			}
		}
	}
	want, err := region.Oracle{}.Measure(&s)
	if err != nil {
		return err
	}
	got, err := d.Measure(&s)
	if err == nil && got != want {
		err = fmt.Errorf("cannot compare regions on %s: got %+v; want %+v", d.Info().Renderer, got.Sums, want.Sums)
	}
	return err
}

// closeBroken closes the device that compares regions and masks after an error, unless it only
// refused the input.
func (m *Meter) closeBroken(d *gpu.Meter, err error) {
	if !d.Broken(err) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open == d {
		m.open, m.fails, m.next = nil, m.fails+1, time.Now().Add(meterPause)
		go d.Close()
	}
}

// Measure implements region.Meter.
func (m *Meter) Measure(s *region.Scene) (region.Result, error) {
	if d := m.device(); d != nil {
		r, err := d.Measure(s)
		if err == nil {
			return r, nil
		}
		m.closeBroken(d, err)
	}
	return region.Oracle{}.Measure(s)
}

// Compare implements metric.Meter.
func (m *Meter) Compare(ctx context.Context, a, b metric.Mask, o metric.Options) (metric.Comparison, error) {
	if !o.Hausdorff { // the host counts in any case
		return metric.Oracle{}.Compare(ctx, a, b, o)
	}
	if d := m.device(); d != nil {
		c, err := d.Compare(ctx, a, b, o)
		if err == nil || ctx.Err() != nil {
			return c, err
		}
		m.closeBroken(d, err)
	}
	return metric.Oracle{}.Compare(ctx, a, b, o)
}

// close closes the device on which regions and masks are compared.
func (m *Meter) close() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	d := m.open
	m.open, m.closed = nil, true
	m.mu.Unlock()
	if d == nil {
		return nil
	}
	return d.Close()
}
