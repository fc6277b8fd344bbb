package gpu

import (
	"sync"
	"time"
)

// Timing is the time that one batch took, or the sum of many. Device times come from timer
// queries; on software devices, which run inside the calls, where timers do not see it, from the
// clock around those calls. Retries after a loss count in Latency only.
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

// add adds the times and bytes of other work on the device.
func (timing *Timing) add(o Timing) {
	timing.Parts += o.Parts
	timing.UpBytes += o.UpBytes
	timing.DownBytes += o.DownBytes
	timing.CopyIn += o.CopyIn
	timing.Upload += o.Upload
	timing.Dispatch += o.Dispatch
	timing.ReadBack += o.ReadBack
	timing.Fetch += o.Fetch
	timing.Latency += o.Latency
}

// Totals are sums since a Runner was opened, or its Stats were made.
type Totals struct {
	Timing
	Batches int64
}

// Stats adds up where the time of batches goes. Its methods may be called from any goroutine.
type Stats struct {
	mu     sync.Mutex
	totals Totals // guarded by mu
}

// Totals returns the sums so far.
func (s *Stats) Totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals
}

// addBatch counts one batch on the device and adds its times to the totals.
func (s *Stats) addBatch(timing Timing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.totals.Batches++
	s.totals.add(timing)
}

// The steps that timer queries measure.
const (
	stepUpload = iota
	stepDispatch
	stepReadBack
	steps
)

// step returns the field of a step that timer queries measure.
func (timing *Timing) step(i int) *time.Duration {
	return [steps]*time.Duration{&timing.Upload, &timing.Dispatch, &timing.ReadBack}[i]
}
