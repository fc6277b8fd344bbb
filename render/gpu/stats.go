package gpu

import (
	"sync/atomic"
	"time"
)

// Timing is what one batch took, or many together. Times on the device come from
// timer queries; on software devices, which work inside the calls and whose
// timers do not see it, from the clock around those calls. Retries after a loss
// count in Latency only.
type Timing struct {
	Parts     int64 // uploads; more than one per batch where it was split
	UpBytes   int64
	DownBytes int64
	CopyIn    time.Duration // writing into mapped memory, on the host
	Upload    time.Duration // mapped memory to device memory, on the device
	Dispatch  time.Duration // shaders, on the device
	ReadBack  time.Duration // device memory to mapped memory, on the device
	Fetch     time.Duration // reading mapped memory, on the host
	Latency   time.Duration // from the start of a part to its result
}

func (t *Timing) add(o Timing) {
	t.Parts += o.Parts
	t.UpBytes += o.UpBytes
	t.DownBytes += o.DownBytes
	t.CopyIn += o.CopyIn
	t.Upload += o.Upload
	t.Dispatch += o.Dispatch
	t.ReadBack += o.ReadBack
	t.Fetch += o.Fetch
	t.Latency += o.Latency
}

// Totals are sums since a Runner was opened, or its Stats were made.
type Totals struct {
	Timing
	Batches int64
}

// Stats adds up where the time of batches goes. Its methods may be called from
// any goroutine.
type Stats struct {
	batches, parts, up, down                       atomic.Int64
	copyIn, upload, dispatch, readBack, fetch, all atomic.Int64
}

// Totals returns the sums so far.
func (s *Stats) Totals() Totals {
	return Totals{Batches: s.batches.Load(), Timing: Timing{
		Parts: s.parts.Load(), UpBytes: s.up.Load(), DownBytes: s.down.Load(),
		CopyIn: time.Duration(s.copyIn.Load()), Upload: time.Duration(s.upload.Load()),
		Dispatch: time.Duration(s.dispatch.Load()), ReadBack: time.Duration(s.readBack.Load()),
		Fetch: time.Duration(s.fetch.Load()), Latency: time.Duration(s.all.Load()),
	}}
}

// batch adds one finished batch.
func (s *Stats) batch(t Timing) {
	s.batches.Add(1)
	s.parts.Add(t.Parts)
	s.up.Add(t.UpBytes)
	s.down.Add(t.DownBytes)
	s.copyIn.Add(int64(t.CopyIn))
	s.upload.Add(int64(t.Upload))
	s.dispatch.Add(int64(t.Dispatch))
	s.readBack.Add(int64(t.ReadBack))
	s.fetch.Add(int64(t.Fetch))
	s.all.Add(int64(t.Latency))
}

// The steps that timer queries measure.
const (
	stepUpload = iota
	stepDispatch
	stepReadBack
	steps
)

// timing measures one part of a batch in flight.
type timing struct {
	up, down      int // bytes
	copyIn, fetch time.Duration
	latency       time.Duration
	device        [steps]uint64 // ns
}

func (t *timing) sum() Timing {
	return Timing{
		Parts: 1, UpBytes: int64(t.up), DownBytes: int64(t.down),
		CopyIn: t.copyIn, Upload: time.Duration(t.device[stepUpload]), Dispatch: time.Duration(t.device[stepDispatch]),
		ReadBack: time.Duration(t.device[stepReadBack]), Fetch: t.fetch, Latency: t.latency,
	}
}
