package render

import (
	"image"
	"slices"
	"sync"

	"plumb/render/batch"
	"plumb/render/cpu"
	"plumb/render/delta"
	"plumb/render/metric"
	"plumb/render/paint"
	"plumb/render/view"
)

// keptPicture is a picture that was drawn in full. Of the first picture of its kind only the layers are known. The
// second one with most of these layers is kept with its pixels, and further ones take the pixels that they share with
// it from here. So pictures that never come again cost no memory. It is read-only. See docs/spec/raster.md#r47.
type keptPicture struct {
	base    *delta.Base
	details bool     // it was drawn with View.Details: details that metrics do not need
	pixels  []uint32 // nil while only the layers are known

	once sync.Once
	sums metric.Sums // set by tally
}

// keptPictures is how many pictures the cache knows at most: each one is compared with every new picture.
const keptPictures = 16

// bytes returns about how many bytes the picture takes in the cache.
func (k *keptPicture) bytes() int { return 200 + 4*len(k.pixels) + k.base.Bytes() }

// mayBeBaseOf reports whether a picture of that size could be an edit of this one: its size must be the same, and
// both must be drawn with details (View.Details) or both without.
func (k *keptPicture) mayBeBaseOf(width, height int, details bool) bool {
	return k.base.Width == width && k.base.Height == height && k.details == details
}

// tally returns the sums of alpha over a kept picture, which is all of set A. They are computed at the first call,
// because most kept pictures are only drawn and never measured.
func (k *keptPicture) tally() metric.Tally {
	k.once.Do(func() {
		for y := range k.base.Height {
			addAlpha(&k.sums, k.pixels[y*k.base.Width:][:k.base.Width], 0, y)
		}
	})
	return metric.Tally{A: k.sums}
}

// sumsInside returns the sums of the part of the picture that lies in a region.
func (k *keptPicture) sumsInside(r *batch.Region) (t metric.Tally) {
	r.EachRow(k.base.Width, k.base.Height, func(y, from, to int) {
		addAlpha(&t.A, k.pixels[y*k.base.Width:][from:to], from, y)
	})
	return t
}

// addAlpha adds the alpha of pixels in a row, whose first one is at (x, y), to the sums of a set. Pixels have alpha in
// their highest byte. Faint ones, below metric.CoveredFrom, count for nothing.
func addAlpha(s *metric.Sums, row []uint32, x, y int) {
	for i, v := range row {
		a := uint64(v >> 24)
		if a < metric.CoveredFrom {
			continue
		}
		s.Alpha += a
		s.AlphaX += a * uint64(x+i)
		s.AlphaY += a * uint64(y)
		s.Covered++
	}
}

// possibleBases returns the known pictures that a picture of that size and detail may be an edit of, the one that was
// used last first.
func (t *tallyCache) possibleBases(width, height int, details bool) (all []*keptPicture) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.pictures {
		if k.mayBeBaseOf(width, height, details) {
			all = append(all, k)
		}
	}
	return all
}

// countDrawn counts a picture that was drawn as an edit of base, or in full if base is nil. It also moves the base to
// the front of the known pictures, so that others are dropped before it.
func (t *tallyCache) countDrawn(base *keptPicture) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if base == nil {
		t.stats.ImagesFull++
		return
	}
	t.stats.ImageEdits++
	if i := slices.Index(t.pictures, base); i >= 0 {
		copy(t.pictures[1:i+1], t.pictures[:i])
		t.pictures[0] = base
	}
}

// keepPicture adds picture k to the cache, in place of the picture old unless that is nil. Pictures take at most half
// of the cache's budget: a larger one is not kept, and the ones that were used longest ago are dropped until the rest
// fits. Then the oldest tallies are dropped, if tallies and pictures together are beyond the budget.
func (t *tallyCache) keepPicture(k, old *keptPicture) {
	size := k.bytes()
	t.mu.Lock()
	defer t.mu.Unlock()
	if size > t.budget/2 {
		return
	}
	if i := slices.Index(t.pictures, old); i >= 0 {
		t.dropPicture(i)
	}
	t.pictures = slices.Insert(t.pictures, 0, k)
	t.stats.ImageBytes += size
	for len(t.pictures) > keptPictures || t.stats.ImageBytes > t.budget/2 {
		t.dropPicture(len(t.pictures) - 1)
	}
	t.makeRoom()
}

// dropPicture removes picture i from the cache. The caller holds mu.
func (t *tallyCache) dropPicture(i int) {
	t.stats.ImageBytes -= t.pictures[i].bytes()
	t.pictures = slices.Delete(t.pictures, i, i+1)
}

// keepsPicture reports whether a view is drawn with the help of kept pictures: its image is wanted and it is drawn
// natively. A view with a second set of shapes (SecondIDs) takes part only if its sums are not wanted, because the
// sums of two sets do not follow from the pixels of a picture.
func (e *Engine) keepsPicture(v *view.View) bool {
	wanted := v.Details || !v.TallyOnly
	return e.tallies != nil && wanted && v.Foreign == nil && (v.SecondIDs == nil || v.Unmeasured)
}

// preparePicture prepares a view whose image is wanted. If a kept picture has most of its layers, only the tiles that
// differ from it are prepared.
func (w *Worker) preparePicture(v view.View) (*Prepared, error) {
	p, err := w.prepareLayers(v)
	if v.Stopped() {
		return nil, view.ErrStopped
	}
	if p == nil || err != nil { // the error of a full drawing is the one that users know
		return w.prepareAlone(v)
	}
	p.unmeasured = v.Unmeasured
	w.engine.tallies.countDrawn(p.editOf)
	return p, nil
}

// prepareLayers prepares a view layer by layer: as an edit of a kept picture if one has most of its layers, else in
// full. The result is nil, without an error, if the view's coverage is beyond the limit of bytes: a full drawing then
// gives the usual error.
func (w *Worker) prepareLayers(v view.View) (*Prepared, error) {
	w.binner.AlphaOnly = false
	layers, err := w.builder.Layers(v, w.engine.cfg.Raster, &w.drawing)
	if err != nil {
		return nil, err
	}
	// Draw only what differs from a kept picture that is alike, if that is at most half of the tiles. They
	// are so few that the CPU evaluates them on every backend.
	like := w.mostAlike(layers, v.Details)
	if like != nil && like.pixels != nil {
		allTiles := ((w.drawing.Width-1)/batch.TileW + 1) * ((w.drawing.Height-1)/batch.TileH + 1)
		isEdit, err := w.edits.Draw(&w.builder, &w.drawing, layers, like.base, allTiles/2)
		if err != nil {
			return nil, err
		}
		if isEdit {
			w.binner.BinPart(&w.drawing, &w.edits.Region, &w.tiled)
			w.tiled.CPUOnly = true
			return &Prepared{engine: w.engine, tiled: w.engine.pool.copyOf(&w.tiled), editOf: like, redrawn: w.edits.Region.Clone()}, nil
		}
	}
	// Draw everything.
	bytes := 0
	for i := range layers {
		if err := w.builder.Draw(i); err != nil {
			return nil, err
		}
		bytes += layers[i].Bytes
	}
	if bytes > w.builder.Limit() {
		return nil, nil
	}
	w.builder.Arrange()
	// Keep it for later edits: its layers now, or its pixels once it is drawn if its layers came before.
	picture := &keptPicture{details: v.Details}
	picture.base = w.edits.NewPicture(&w.drawing, layers, &w.binner, &w.tiled)
	p := &Prepared{engine: w.engine, tiled: w.engine.pool.copyOf(&w.tiled)}
	if like != nil && like.pixels == nil {
		p.keepAs, p.replaces = picture, like
	} else {
		w.engine.tallies.keepPicture(picture, nil)
	}
	return p, nil
}

// mostAlike returns the known picture that shares the most of a view's layers, or nil if none has more than half of
// them. Of two pictures with equally many it prefers one with pixels, from which tiles can be taken.
func (w *Worker) mostAlike(layers []paint.Layer, details bool) (like *keptPicture) {
	most := len(layers) / 2
	for _, k := range w.engine.tallies.possibleBases(w.drawing.Width, w.drawing.Height, details) {
		n := w.edits.Kept(layers, k.base)
		hasEqual := n == most && like != nil
		if n > most || hasEqual && like.pixels == nil {
			like, most = k, n
		}
	}
	return like
}

// keepImage keeps the pixels of a picture that was drawn in full, if p.keepAs is set. It copies them unless ownsMemory
// is set: else they are part of the memory of a whole batch, all of which would be kept with them.
func (p *Prepared) keepImage(pixels []uint32, ownsMemory bool) {
	if p.keepAs == nil {
		return
	}
	_, mayBeReused := p.engine.stage.(*goStage) // the caller may give its pixels back with Reuse
	if mayBeReused || !ownsMemory {
		pixels = slices.Clone(pixels)
	}
	p.keepAs.pixels = pixels
	p.engine.tallies.keepPicture(p.keepAs, p.replaces)
	p.keepAs, p.replaces = nil, nil // a second image of the view is not kept again
}

// editedPicture draws a view that is an edit of a kept picture: it copies that one's pixels and draws the tiles that
// differ. They are few, so the Go twin evaluates them on every backend.
func (e *Engine) editedPicture(p *Prepared) *image.NRGBA {
	if p.tiled == nil {
		panic("BUG: a view is drawn after its release")
	}
	packed := e.pack([]*batch.Tiled{p.tiled})
	defer e.release(packed)
	width, height := p.tiled.Width, p.tiled.Height
	pixels := e.stage.Copy(p.editOf.pixels)
	p.redrawn.EachRow(width, height, func(y, from, to int) { clear(pixels[y*width:][from:to]) })
	cpu.Pixels(&packed.batch, 0, len(packed.batch.Runs), pixels)
	packed.batch.FillSolids(pixels)
	return nrgba(pixels, width, height)
}

// completeTally returns the tally of the view from that of its tiles. For an edit of a kept picture it is the tally of
// that one, less its sums inside the region that was drawn again, plus those of the tiles.
func (p *Prepared) completeTally(tiles metric.Tally) metric.Tally {
	if p.editOf != nil {
		tiles.Add(p.editOf.tally())
		tiles.Subtract(p.editOf.sumsInside(&p.redrawn))
	}
	return tiles
}
