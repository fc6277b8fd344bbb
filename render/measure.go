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

// packedBatch is the memory of one batch of views in flight.
type packedBatch struct {
	batch      batch.Batch
	tiledViews []*batch.Tiled
	rows       []batch.RowSums
	pixels     []uint32
}

// pack copies prepared views into one batch for the tile stage, in the memory of a pooled packedBatch, which
// the caller gives back with release. Views in quarantine are marked for the Go twin.
func (e *Engine) pack(tiledViews []*batch.Tiled) *packedBatch {
	packed := e.packedBatches.Get().(*packedBatch)
	packed.tiledViews = append(packed.tiledViews[:0], tiledViews...)
	e.quarantine.markCPUOnly(packed.tiledViews)
	packed.batch.Pack(packed.tiledViews)
	return packed
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

// MeasureTimed measures one batch of views as Measure does, and returns the timing of the batch, also
// after an error. It appends one tally per view to dst, in the order of ps. Not all are measured here: a tally
// may be known already, be shared with an equal view, or not be wanted (then it is zero).
func (e *Engine) MeasureTimed(dst []metric.Tally, ps []*Prepared) ([]metric.Tally, Timing, error) {
	m := measurement{engine: e, ps: ps, timing: Timing{Views: len(ps)}}
	if err := m.run(); err != nil {
		return dst, m.timing, err
	}
	measured := m.unsharedTallies // of the views in the default case below: the next one comes first
	for _, p := range ps {
		switch {
		case p.outcome != nil:
			dst = append(dst, p.outcome.tally)
		case p.shared != nil:
			dst = append(dst, e.tallies.outcomeOf(p.shared).tally)
		case p.unmeasured:
			dst = append(dst, metric.Tally{})
		default:
			// Of an edited view only the tiles that changed were measured: completeTally adds the others.
			dst, measured = append(dst, p.completeTally(measured[0])), measured[1:]
		}
	}
	return dst, m.timing, nil
}

// sums runs a batch of views on the tile stage and appends one tally per view to dst. It also fills in
// the ledgers, which say what each part of a view adds to its tally: there is one per view, nil where
// that is not wanted. Timing is set after an error too.
func (e *Engine) sums(dst []metric.Tally, tiledViews []*batch.Tiled, ledgers []*batch.Ledger) ([]metric.Tally, Timing, error) {
	var timing Timing
	begin := time.Now()
	packed := e.pack(tiledViews)
	defer e.release(packed)
	timing.Pack = time.Since(begin)
	b := &packed.batch
	stageTiming, err := e.runQuarantining(packed, e.evaluateSums)
	if err != nil {
		timing.fill(stageTiming, begin)
		return dst, timing, err
	}
	evaluated := time.Now()
	// The device gave rows for the first b.ShaderRuns() runs; the Go twin evaluates the rest.
	if n := len(b.Runs) * batch.TileH; len(packed.rows) < n {
		packed.rows = slices.Grow(packed.rows, n-len(packed.rows))[:n]
		cpu.Rows(b, b.ShaderRuns(), len(b.Runs), packed.rows)
	}
	dst = b.Tallies(dst, packed.rows)
	if slices.ContainsFunc(ledgers, func(l *batch.Ledger) bool { return l != nil }) {
		b.Ledgers(ledgers, packed.rows)
	}
	timing.Sum = time.Since(evaluated)
	timing.fill(stageTiming, begin)
	return dst, timing, nil
}

// Pictures draws the views as images, not premultiplied, whose pixels the caller must not change. A view that
// the editor has drawn returns the editor's picture unchanged.
func (e *Engine) Pictures(ps []*Prepared) ([]*image.NRGBA, error) {
	images, _, err := e.PicturesTimed(ps)
	return images, err
}

// PicturesTimed draws the views as Pictures does, and returns the timing of the batch, in which views
// that the editor has drawn and edits of kept pictures have no part. A view that the editor has drawn and
// that was finished without keep is an error.
func (e *Engine) PicturesTimed(ps []*Prepared) ([]*image.NRGBA, Timing, error) {
	images := make([]*image.NRGBA, len(ps))
	var native []*Prepared
	for i, p := range ps {
		switch {
		case p.export != nil:
			if images[i] = p.export.image; images[i] == nil {
				return nil, Timing{}, errors.New("BUG: picture of a view that was not finished to be kept")
			}
		case p.editOf != nil:
			images[i] = e.editedPicture(p)
		default:
			native = append(native, p)
		}
	}
	drawn, t, err := e.pictures(native)
	if err != nil {
		return nil, t, err
	}
	for i := range images {
		if images[i] == nil {
			images[i], drawn = drawn[0], drawn[1:]
		}
	}
	return images, t, nil
}

// pictures draws a batch of native views: the tile stage evaluates the tiles that outlines cross,
// and the solid areas between them are filled here. Timing is set after an error too.
func (e *Engine) pictures(ps []*Prepared) ([]*image.NRGBA, Timing, error) {
	timing := Timing{Views: len(ps)}
	if len(ps) == 0 {
		return nil, timing, nil
	}
	begin := time.Now()
	tiledViews := make([]*batch.Tiled, len(ps))
	for i, p := range ps {
		if p.tiled == nil || p.tiled.AlphaOnly {
			panic("BUG: a view is drawn before it is finished, after its release, or for its tally alone")
		}
		tiledViews[i] = p.tiled
	}
	packed := e.pack(tiledViews)
	defer e.release(packed)
	timing.Pack = time.Since(begin)
	b := &packed.batch
	stageTiming, err := e.runQuarantining(packed, e.evaluatePixels)
	if err != nil {
		timing.fill(stageTiming, begin)
		return nil, timing, err
	}
	evaluated := time.Now()
	px := packed.pixels
	cpu.Pixels(b, b.ShaderRuns(), len(b.Runs), px) // runs that the shader does not take, such as deep tiles
	b.FillSolids(px)
	images := make([]*image.NRGBA, len(ps))
	for i, p := range b.Pictures {
		own := px[p.Offset : p.Offset+p.Width*p.Height]
		images[i] = nrgba(own, p.Width, p.Height)
		ownsMemory := len(ps) == 1
		ps[i].keepImage(own, ownsMemory)
	}
	timing.Sum = time.Since(evaluated)
	timing.fill(stageTiming, begin)
	return images, timing, nil
}

// isLittleEndian reports whether pixels as words lie in memory as image.NRGBA wants their bytes.
func isLittleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// Reuse returns the pixels of img to the pool for further pictures; the caller must not use img
// afterwards. img must come from a call of Pictures that returned this one picture. It does nothing where
// a device draws, because only the stage in plain Go (goStage) draws into memory of this pool.
func (e *Engine) Reuse(img *image.NRGBA) {
	stage, inGo := e.stage.(*goStage)
	if inGo && isLittleEndian() && len(img.Pix) > 0 {
		// nrgba made img.Pix by a cast of []uint32; this is the way back.
		px := unsafe.Slice((*uint32)(unsafe.Pointer(&img.Pix[0])), len(img.Pix)/4)
		stage.free.Put(&px)
	}
}

// release returns the memory of a batch to the pool, unless it has grown large. The pixels are not
// kept, because pictures share them.
func (e *Engine) release(packed *packedBatch) {
	packed.batch.Reset() // it refers to the views
	clear(packed.tiledViews)
	packed.pixels = nil
	const maxKept = 4 * largeBytes // of a batch, which has many views; largeBytes is for one
	if sliceBytes(packed.batch.Items)+sliceBytes(packed.batch.Tiles)+sliceBytes(packed.batch.Runs)+sliceBytes(packed.rows) <= maxKept {
		e.packedBatches.Put(packed)
	}
}

// nrgba makes an image of w x h pixels of the picture buffer, one word each with red in its lowest byte.
// On little-endian machines the bytes of a word have the order of the image, which then shares the
// buffer instead of copying it.
func nrgba(px []uint32, w, h int) *image.NRGBA {
	if isLittleEndian() && len(px) > 0 {
		pix := unsafe.Slice((*byte)(unsafe.Pointer(&px[0])), 4*len(px))
		return &image.NRGBA{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, v := range px {
		binary.LittleEndian.PutUint32(img.Pix[4*i:], v)
	}
	return img
}
