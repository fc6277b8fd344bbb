package render

import (
	"encoding/binary"
	"errors"
	"image"
	"slices"
	"time"
	"unsafe"

	"plumb/render/batch"
	"plumb/render/cpu"
	"plumb/render/metric"
)

// call is the memory of one batch of views in flight.
type call struct {
	batch  batch.Batch
	tileds []*batch.Tiled
	rows   []batch.RowSums
	pixels []uint32
}

// pack lays prepared views out as a batch for the tile stage, in the memory of a pooled call.
func (e *Engine) pack(tileds []*batch.Tiled) *call {
	c := e.calls.Get().(*call)
	c.tileds = append(c.tileds[:0], tileds...)
	e.quarantine.markTwins(c.tileds)
	c.batch.Pack(c.tileds)
	return c
}

// Measure runs one batch and appends one tally per view to dst, in their order.
// Tallies do not depend on what else is in the batch. An empty batch is no work.
//
// Two calls at once keep the device busy: while one batch runs, the other is
// packed, uploaded and its results are read, in buffers of its own. The device
// takes batches in the order in which their uploads are complete. More than two
// calls do no harm and bring nothing.
func (e *Engine) Measure(dst []metric.Tally, ps []*Prepared) ([]metric.Tally, error) {
	dst, _, err := e.MeasureTimed(dst, ps)
	return dst, err
}

// MeasureTimed is Measure with the timing of the batch, also after an error.
func (e *Engine) MeasureTimed(dst []metric.Tally, ps []*Prepared) ([]metric.Tally, Timing, error) {
	m := measurement{e: e, ps: ps, timing: Timing{Views: len(ps)}}
	if err := m.run(); err != nil {
		return dst, m.timing, err
	}
	alone := m.alone
	for _, p := range ps {
		switch {
		case p.outcome != nil:
			dst = append(dst, p.outcome.tally)
		case p.shared != nil:
			dst = append(dst, e.tallies.outcomeOf(p.shared).tally)
		case p.unmeasured:
			dst = append(dst, metric.Tally{})
		default:
			dst, alone = append(dst, alone[0]), alone[1:]
		}
	}
	return dst, m.timing, nil
}

// sums runs a batch of views on the tile stage, appends its tallies to dst, and fills in the
// ledgers, nil for views without.
func (e *Engine) sums(dst []metric.Tally, tileds []*batch.Tiled, ledgers []*batch.Ledger) ([]metric.Tally, Timing, error) {
	var t Timing
	begin := time.Now()
	c := e.pack(tileds)
	defer e.release(c)
	t.Pack = time.Since(begin)
	b := &c.batch
	g, err := e.runQuarantining(c, e.evaluateSums)
	if err != nil {
		t.fill(g, begin)
		return dst, t, err
	}
	back := time.Now()
	if n := len(b.Runs) * batch.TileH; len(c.rows) < n { // runs for the twin have no rows yet
		c.rows = slices.Grow(c.rows, n-len(c.rows))[:n]
		cpu.Rows(b, b.Shader(), len(b.Runs), c.rows)
	}
	dst = b.Tallies(dst, c.rows)
	if slices.ContainsFunc(ledgers, func(l *batch.Ledger) bool { return l != nil }) {
		b.Ledgers(ledgers, c.rows)
	}
	t.Sum = time.Since(back)
	t.fill(g, begin)
	return dst, t, nil
}

// Pictures draws the views as images, not premultiplied. A view that the editor has drawn returns
// the editor's picture unchanged.
func (e *Engine) Pictures(ps []*Prepared) ([]*image.NRGBA, error) {
	images, _, err := e.PicturesTimed(ps)
	return images, err
}

// PicturesTimed is Pictures with the timing of the batch.
func (e *Engine) PicturesTimed(ps []*Prepared) ([]*image.NRGBA, Timing, error) {
	images := make([]*image.NRGBA, len(ps))
	var native []*Prepared
	for i, p := range ps {
		if p.export == nil {
			native = append(native, p)
		} else if images[i] = p.export.image; images[i] == nil {
			return nil, Timing{}, errors.New("BUG: picture of a view that was not finished to be kept")
		}
	}
	drawn, t, err := e.pictures(native)
	if err != nil {
		return nil, t, err
	}
	for i, p := range ps {
		if p.export == nil {
			images[i], drawn = drawn[0], drawn[1:]
		}
	}
	return images, t, nil
}

// pictures draws a batch of native views.
func (e *Engine) pictures(ps []*Prepared) ([]*image.NRGBA, Timing, error) {
	t := Timing{Views: len(ps)}
	if len(ps) == 0 {
		return nil, t, nil
	}
	begin := time.Now()
	tileds := make([]*batch.Tiled, len(ps))
	for i, p := range ps {
		if p.tiled == nil || p.tiled.AlphaOnly {
			panic("BUG: a view is drawn before it is finished, after its release, or for its tally alone")
		}
		tileds[i] = p.tiled
	}
	c := e.pack(tileds)
	defer e.release(c)
	t.Pack = time.Since(begin)
	b := &c.batch
	g, err := e.runQuarantining(c, e.evaluatePixels)
	if err != nil {
		t.fill(g, begin)
		return nil, t, err
	}
	back := time.Now()
	px := c.pixels
	cpu.Pixels(b, b.Shader(), len(b.Runs), px)
	b.FillSolids(px)
	images := make([]*image.NRGBA, len(ps))
	for i, p := range b.Pictures {
		images[i] = nrgba(px[p.Offset:p.Offset+p.Width*p.Height], p.Width, p.Height)
	}
	t.Sum = time.Since(back)
	t.fill(g, begin)
	return images, t, nil
}

// Reuse gives the memory of a picture back for further ones; it must not be used after. The picture
// is the only one of a call of Pictures. Where a device draws it is left to the collector.
func (e *Engine) Reuse(img *image.NRGBA) {
	s, ok := e.stage.(*goStage)
	if ok && binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && len(img.Pix) > 0 {
		px := unsafe.Slice((*uint32)(unsafe.Pointer(&img.Pix[0])), len(img.Pix)/4)
		s.free.Put(&px)
	}
}

// release returns the memory of a batch to the pool, unless it is large.
func (e *Engine) release(c *call) {
	c.batch.Reset() // releases the views
	clear(c.tileds)
	c.pixels = nil
	if sliceBytes(c.batch.Items)+sliceBytes(c.batch.Tiles)+sliceBytes(c.batch.Runs)+sliceBytes(c.rows) <= 4*largeBytes {
		e.calls.Put(c)
	}
}

// nrgba makes an image of pixels of the picture buffer. On little-endian machines it shares the
// buffer instead of copying it.
func nrgba(px []uint32, w, h int) *image.NRGBA {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && len(px) > 0 {
		pix := unsafe.Slice((*byte)(unsafe.Pointer(&px[0])), 4*len(px))
		return &image.NRGBA{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, v := range px {
		binary.LittleEndian.PutUint32(img.Pix[4*i:], v)
	}
	return img
}
