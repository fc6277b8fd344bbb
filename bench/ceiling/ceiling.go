// Package ceiling measures what a machine can do at best: copies of memory,
// arithmetic, and copies to and from the device. In: a device. Out: bytes and
// operations per second, by small kernels that do nothing else. What the renderer
// reaches is given as a share of these.
package ceiling

import (
	"runtime"
	"sync"
	"time"

	"plumb/render/egl"
)

// Ceilings are what a machine can do at best, each the best of several tries; 0 where it has no
// such thing.
type Ceilings struct {
	HostCopy1 float64 `json:"host_copy_1_bytes_per_s"` // bytes copied, one thread; each is read and written
	HostCopy  float64 `json:"host_copy_bytes_per_s"`   // all threads together
	Threads   int     `json:"threads"`

	Device       string  `json:"device"` // renderer, "" for none
	Software     bool    `json:"software"`
	DeviceOps    float64 `json:"device_ops_per_s"`        // float32 multiplications and additions, each counted
	DeviceCopy   float64 `json:"device_copy_bytes_per_s"` // device memory to device memory
	UploadRate   float64 `json:"up_bytes_per_s"`          // mapped memory to device memory; on software the same as a copy
	ReadBackRate float64 `json:"down_bytes_per_s"`
	Dispatch     float64 `json:"empty_dispatch_us"` // an empty dispatch with its fence, from the host's side, median
}

// Measure measures what this machine can do at most: how fast the host and the graphics device copy and
// compute. It takes about the time within. device names the device, as in egl.Config.Device. If gl is
// false, only the host is measured.
func Measure(device string, gl bool, within time.Duration) (Ceilings, error) {
	ceilings := Ceilings{Threads: runtime.GOMAXPROCS(0)}
	const parts = 7 // what is measured: two on the host, five on the device
	timePerPart := within / parts
	ceilings.HostCopy1 = copyRate(1, timePerPart)
	ceilings.HostCopy = copyRate(ceilings.Threads, timePerPart)
	if !gl {
		return ceilings, nil
	}
	context, err := egl.Open(egl.Config{Device: device, Limit: time.Minute})
	if err != nil {
		return ceilings, err
	}
	defer context.Close()
	info := context.Info()
	ceilings.Device, ceilings.Software = info.Renderer, info.Software
	kernels := kernels{software: info.Software, timePerPart: timePerPart}
	return ceilings, context.Do(func() error { return kernels.measure(&ceilings) })
}

// block is what one copy moves: larger than caches.
const block = 32 << 20

// pageSize is the size of a page of memory in bytes.
const pageSize = 4096

// copyRate returns how many bytes per second n threads together can copy in the machine's memory. It takes
// the best of at least three rounds, and about the time within.
func copyRate(n int, within time.Duration) float64 {
	type pair struct{ from, to []byte }
	size := block / n
	pairs := make([]pair, n)
	for i := range pairs {
		pairs[i] = pair{make([]byte, size), make([]byte, size)}
		for j := 0; j < size; j += pageSize { // else the system would give the same page of zeros for all
			pairs[i].from[j], pairs[i].to[j] = 1, 1
		}
	}
	return bestRate(within, func() float64 {
		begin := time.Now()
		var wg sync.WaitGroup
		for i := range pairs {
			wg.Go(func() { copy(pairs[i].to, pairs[i].from) })
		}
		wg.Wait()
		return float64(size*n) / time.Since(begin).Seconds()
	})
}

// bestRate calls measure again and again for the time within, at least three times, and returns the greatest
// rate that it returned: other work of the machine can only make a try slower. A first try, which fills
// caches, does not count.
func bestRate(within time.Duration, measure func() float64) float64 {
	measure()
	best := 0.0
	for begin, tries := time.Now(), 0; tries < 3 || time.Since(begin) < within; tries++ {
		best = max(best, measure())
	}
	return best
}
