package render

import (
	"time"

	"plumb/render/gpu"
)

// Timing is the time of one batch by stage. The parts add up to Total. Device times come from
// timer queries where the driver has them.
type Timing struct {
	Views    int
	Pack     time.Duration // views to one batch, on the host
	Upload   time.Duration // the batch to where shaders read it
	Device   time.Duration // the tile stage itself
	ReadBack time.Duration // its results to where the host reads them
	Sum      time.Duration // results to tallies or pictures, on the host
	Wait     time.Duration // the rest: for a slot, other batches, threads, a lost context
	Total    time.Duration

	UpBytes, DownBytes int64
}

// fill sets the fields that the tile stage reports, and Wait to the rest of the total.
func (t *Timing) fill(g gpu.Timing, begin time.Time) {
	t.Upload = g.CopyIn + g.Upload
	t.Device = g.Dispatch
	t.ReadBack = g.ReadBack + g.Fetch
	t.UpBytes, t.DownBytes = g.UpBytes, g.DownBytes
	t.Total = time.Since(begin)
	// The parts of a batch that is sent in parts overlap: then nothing is left.
	t.Wait = max(0, t.Total-t.Pack-t.Upload-t.Device-t.ReadBack-t.Sum)
}

// add adds the times and bytes of another batch to t. Views stays as it is: it counts the views of
// the call, which may take several batches.
func (t *Timing) add(o *Timing) {
	t.Pack += o.Pack
	t.Upload += o.Upload
	t.Device += o.Device
	t.ReadBack += o.ReadBack
	t.Sum += o.Sum
	t.Wait += o.Wait
	t.Total += o.Total
	t.UpBytes += o.UpBytes
	t.DownBytes += o.DownBytes
}

// DeviceStats counts what the device of an Engine did since Open.
type DeviceStats struct {
	gpu.Totals
	Name   string // the renderer's name, "" on the CPU
	Resets int    // contexts that were lost and made anew
	Hangs  int    // of those, the ones given up because the device was silent
	Memory int64  // bytes of buffers held now
	// Quarantined counts views over which the device was lost time and again, and
	// which the CPU evaluates since.
	Quarantined int64
}

// DeviceStats returns the counts of the graphics device since the start. All are zero without a device.
func (e *Engine) DeviceStats() DeviceStats {
	if e.runner == nil {
		return DeviceStats{}
	}
	info := e.runner.Info()
	return DeviceStats{Totals: e.runner.Totals(), Name: info.Renderer, Resets: info.Resets, Hangs: info.Hangs, Memory: info.Memory,
		Quarantined: e.quarantine.count()}
}
