package gpu

import (
	"sync/atomic"
	"time"
)

// Stats adds up where the time of batches goes. All methods accept nil, so that
// a Runner without one pays nothing; they may be called from any goroutine.
type Stats struct {
	batches, parts, up, down                       atomic.Int64
	copyIn, upload, dispatch, readBack, fetch, all atomic.Int64
}

// Totals are sums since the Stats were made.
type Totals struct {
	Batches   int64
	Parts     int64 // uploads; more than Batches where batches were split
	UpBytes   int64
	DownBytes int64
	CopyIn    time.Duration // writing into mapped memory, on the host
	Upload    time.Duration // mapped memory to device memory, on the device
	Dispatch  time.Duration // shaders, on the device
	ReadBack  time.Duration // device memory to mapped memory, on the device
	Fetch     time.Duration // reading mapped memory, on the host
	Latency   time.Duration // from the start of a part to its result
}

// Totals returns the sums so far.
func (s *Stats) Totals() Totals {
	if s == nil {
		return Totals{}
	}
	return Totals{
		Batches: s.batches.Load(), Parts: s.parts.Load(), UpBytes: s.up.Load(), DownBytes: s.down.Load(),
		CopyIn: time.Duration(s.copyIn.Load()), Upload: time.Duration(s.upload.Load()),
		Dispatch: time.Duration(s.dispatch.Load()), ReadBack: time.Duration(s.readBack.Load()),
		Fetch: time.Duration(s.fetch.Load()), Latency: time.Duration(s.all.Load()),
	}
}

func (s *Stats) batch() {
	if s != nil {
		s.batches.Add(1)
	}
}

// part adds one part of a batch.
func (s *Stats) part(t timing) {
	if s == nil {
		return
	}
	s.parts.Add(1)
	s.up.Add(int64(t.up))
	s.down.Add(int64(t.down))
	s.copyIn.Add(int64(t.copyIn))
	s.upload.Add(int64(t.device[stepUpload]))
	s.dispatch.Add(int64(t.device[stepDispatch]))
	s.readBack.Add(int64(t.device[stepReadBack]))
	s.fetch.Add(int64(t.fetch))
	s.all.Add(int64(t.latency))
}

// The steps that timer queries measure.
const (
	stepUpload = iota
	stepDispatch
	stepReadBack
	steps
)

// timing is what one part took.
type timing struct {
	up, down               int // bytes
	copyIn, fetch, latency time.Duration
	device                 [steps]uint64 // ns
}
