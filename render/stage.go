package render

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"plumb/render/batch"
	"plumb/render/cpu"
	"plumb/render/gpu"
)

// stage is the tile stage on a backend. Implementations are safe for concurrent
// use and give whole results or an error.
type stage interface {
	// Sums evaluates the first ShaderRuns runs of a batch: TileH RowSums per run,
	// in dst where it is large enough.
	Sums(dst []batch.RowSums, b *batch.Batch) ([]batch.RowSums, gpu.Timing, error)
	// Pixels evaluates the same runs into a picture buffer of b.PixelCount px.
	Pixels(b *batch.Batch) ([]uint32, gpu.Timing, error)
	// Copy returns a copy of pixels.
	Copy(pixels []uint32) []uint32
	Close() error
}

// glStage is the tile stage on a GL device.
type glStage struct{ *gpu.Runner }

// Sums runs the tile stage on the device and waits for its sums.
func (s glStage) Sums(dst []batch.RowSums, b *batch.Batch) ([]batch.RowSums, gpu.Timing, error) {
	t, err := s.Submit(b)
	if err != nil {
		return nil, t.Timing(), err
	}
	rows, err := s.WaitInto(dst, t)
	return rows, t.Timing(), err
}

// Pixels draws a batch on the device and waits for its pixels.
func (s glStage) Pixels(b *batch.Batch) ([]uint32, gpu.Timing, error) {
	t, err := s.SubmitPictures(b)
	if err != nil {
		return nil, t.Timing(), err
	}
	px, err := s.WaitPixels(t)
	return px, t.Timing(), err
}

// Copy implements stage.
func (glStage) Copy(pixels []uint32) []uint32 { return slices.Clone(pixels) }

// goStage is the tile stage in plain Go, on all processors.
type goStage struct {
	free sync.Pool // of *[]uint32: picture buffers that were given back
}

// Sums runs the Go twin of the tile stage on all cores.
func (*goStage) Sums(dst []batch.RowSums, b *batch.Batch) ([]batch.RowSums, gpu.Timing, error) {
	begin := time.Now()
	n := b.ShaderRuns() * batch.TileH
	rows := slices.Grow(dst[:0], n)[:n]
	parallel(b.ShaderRuns(), func(from, to int) { cpu.Rows(b, from, to, rows) })
	return rows, gpu.Timing{Dispatch: time.Since(begin)}, nil
}

// Pixels draws a batch with the Go twin on all cores.
func (s *goStage) Pixels(b *batch.Batch) ([]uint32, gpu.Timing, error) {
	begin := time.Now()
	px := s.buffer(b.PixelCount)
	parallel(b.ShaderRuns(), func(from, to int) { cpu.Pixels(b, from, to, px) })
	return px, gpu.Timing{Dispatch: time.Since(begin)}, nil
}

// buffer returns n transparent pixels, in the memory of a picture that was given back if that is
// large enough.
func (s *goStage) buffer(n int) []uint32 {
	if px := s.takeFree(n); px != nil {
		clear(px)
		return px
	}
	return make([]uint32, n)
}

// Copy returns a copy of pixels, in the memory of a picture that was given back if that is large enough.
func (s *goStage) Copy(pixels []uint32) []uint32 {
	return append(s.takeFree(len(pixels))[:0], pixels...)
}

// takeFree returns n pixels, of any colour, in the memory of a picture that was given back, or nil if there is none
// that is large enough.
func (s *goStage) takeFree(n int) []uint32 {
	if px, ok := s.free.Get().(*[]uint32); ok && cap(*px) >= n {
		return (*px)[:n]
	}
	return nil
}

func (*goStage) Close() error { return nil }

// parallel divides [0, n) into one part per processor, calls f on all parts at the same time and
// waits for them. Runs write to places of their own, so parts need no order.
func parallel(n int, f func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { f(i*n/parts, (i+1)*n/parts) })
	}
	wg.Wait()
}
