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
	opening bool       // openDevice runs
	fails   int        // failed starts and breakdowns so far, at most meterTries
	nextTry time.Time  // the device is not opened before that time
	closed  bool
}

const (
	// meterTries is how often a context for comparisons may fail before only plain Go is used, and
	// meterPause the least time between two tries.
	meterTries = 5
	meterPause = 5 * time.Second
)

// newMeter makes the meter of an engine whose device is runner, nil for none. Only hardware is used,
// because a software driver takes several times as long as plain Go for a comparison (BenchmarkMeter in
// render/gpu). The device is not opened yet: the first comparison does that.
func newMeter(runner *gpu.Runner, cfg Config) *Meter {
	return &Meter{
		cfg:    gpu.MeterConfig{Device: cfg.Device, Watchdog: cfg.Watchdog},
		hasGPU: runner != nil && !runner.Info().Software,
	}
}

// Meter returns the engine's meter; Close of the engine ends it.
func (e *Engine) Meter() *Meter { return e.meter }

// device returns the device if it is open, else nil: then the caller compares in plain Go. If it is not
// open, device also starts to open it in the background, for later calls. It does not if that has
// failed meterTries times, or if the pause after the last failure is not over.
func (m *Meter) device() *gpu.Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	mayTry := m.hasGPU && !m.closed && m.fails < meterTries && time.Now().After(m.nextTry)
	if mayTry && m.open == nil && !m.opening {
		m.opening = true
		go m.openDevice()
	}
	return m.open
}

// openDevice opens the device, checks its results and stores it in m.open. It runs in a goroutine of
// its own because it may take a while. After an error the next try has to wait.
func (m *Meter) openDevice() {
	meter, err := gpu.OpenMeter(m.cfg)
	if err == nil {
		if err = checkDevice(meter); err != nil {
			go meter.Close() // in the background: closing waits for the device
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opening = false
	switch {
	case err != nil:
		m.fails, m.nextTry = m.fails+1, time.Now().Add(meterPause)
	case m.closed: // the engine was closed in the meantime
		go meter.Close()
	default:
		m.open = meter
	}
}

// checkScene returns a scene for checkDevice: two regions of seven overlapping polygons each, with 3 to 9
// corners. Places and turns are arbitrary, but such that a comparison needs all of its stages.
func checkScene() *region.Scene {
	scene := new(region.Scene)
	for i, area := range []*region.Region{&scene.U, &scene.T} {
		for k := range 7 {
			corners := 3 + k
			var polygon []region.Point
			for c := range corners {
				angle := float64(i) + float64(k) + 2*math.Pi*float64(c)/float64(corners)
				polygon = append(polygon, region.Point{
					X: float64(3*k%5) + math.Cos(angle)*float64(1+i),
					Y: float64(2*k%3) + math.Sin(angle),
				})
			}
			area.Parts = append(area.Parts, polygon)
			for c, p := range polygon {
				area.Edges = append(area.Edges, region.Segment{A: p, B: polygon[(c+1)%corners]})
			}
		}
	}
	return scene
}

// checkDevice compares the regions of checkScene on a device and in plain Go (region.Oracle), and returns
// an error if the results differ: a driver that gets other integers is not used.
func checkDevice(d *gpu.Meter) error {
	s := checkScene()
	want, err := region.Oracle{}.Measure(s)
	if err != nil {
		return err
	}
	got, err := d.Measure(s)
	if err == nil && got != want {
		err = fmt.Errorf("cannot compare regions on %s: got %+v; want %+v", d.Info().Renderer, got.Sums, want.Sums)
	}
	return err
}

// closeBroken closes device d if err, the error of a comparison, says that it is broken. An error
// that only refuses the input leaves it open. Another call may have closed it already.
func (m *Meter) closeBroken(d *gpu.Meter, err error) {
	if !d.Broken(err) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open == d {
		m.open = nil
		m.fails++
		m.nextTry = time.Now().Add(meterPause)
		go d.Close()
	}
}

// Measure compares the two regions of a scene, on the device if it is open, else or after an error
// of the device in plain Go. It implements region.Meter.
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

// Compare compares two masks, on the device if a Hausdorff distance is wanted and the device is
// open, else or after an error of the device in plain Go. It implements metric.Meter.
func (m *Meter) Compare(ctx context.Context, a, b metric.Mask, o metric.Options) (metric.Comparison, error) {
	if !o.Hausdorff { // only counts: the device's meter would count them on the host too
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

// close closes the device if it is open; further comparisons are done in plain Go. m may be nil.
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
