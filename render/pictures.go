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
	details bool     // View.Picture
	pixels  []uint32 // nil for one whose layers alone are known

	once sync.Once
	sums metric.Sums // set by tally
}

// keptPictures is how many pictures the cache knows at most: each one is compared with every new picture.
const keptPictures = 16

// bytes returns about how many bytes the picture takes in the cache.
func (k *keptPicture) bytes() int { return 200 + 4*len(k.pixels) + k.base.Bytes() }

// suits reports whether a picture could be an edit of this one: it must have the same size and the same details.
func (k *keptPicture) suits(width, height int, details bool) bool {
	return k.base.Width == width && k.base.Height == height && k.details == details
}

// tally returns the sums of alpha over a kept picture. They are computed at the first call.
func (k *keptPicture) tally() metric.Tally {
	k.once.Do(func() {
		for y := range k.base.Height {
			addAlpha(&k.sums, k.pixels[y*k.base.Width:][:k.base.Width], 0, y)
		}
	})
	return metric.Tally{A: k.sums}
}

// inside returns the sums of the part of the picture that lies in a region.
func (k *keptPicture) inside(r *batch.Region) (t metric.Tally) {
	r.EachRow(k.base.Width, k.base.Height, func(y, from, to int) {
		addAlpha(&t.A, k.pixels[y*k.base.Width:][from:to], from, y)
	})
	return t
}

// addAlpha adds the alpha of pixels in a row, whose first one is at (x, y), to the sums of a set.
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

// suiting returns the known pictures of which one of this kind may be an edit, the one that was used last first.
func (t *tallies) suiting(width, height int, details bool) (all []*keptPicture) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.pictures {
		if k.suits(width, height, details) {
			all = append(all, k)
		}
	}
	return all
}

// use records that a picture was drawn as an edit of k, or for nil in full.
func (t *tallies) use(k *keptPicture) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k == nil {
		t.stats.ImagesFull++
		return
	}
	t.stats.ImageEdits++
	if i := slices.Index(t.pictures, k); i >= 0 {
		copy(t.pictures[1:i+1], t.pictures[:i])
		t.pictures[0] = k
	}
}

// keepPicture adds a picture to the cache, in place of another one unless that is nil. Pictures take at most half of
// the cache's budget: the ones that were used longest ago are dropped, and so are the oldest tallies if both together
// are beyond the budget.
func (t *tallies) keepPicture(k, old *keptPicture) {
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
func (t *tallies) dropPicture(i int) {
	t.stats.ImageBytes -= t.pictures[i].bytes()
	t.pictures = slices.Delete(t.pictures, i, i+1)
}

// keepsPicture reports whether a view is drawn with the help of kept pictures: its image is wanted and it is drawn
// natively. One with two sets has sums that do not follow from its pixels, so it takes no part where they are wanted.
func (e *Engine) keepsPicture(v *view.View) bool {
	wanted := v.Picture || !v.TallyOnly
	return e.tallies != nil && wanted && v.Foreign == nil && (v.Other == nil || v.Unmeasured)
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
	w.engine.tallies.use(p.edited)
	return p, nil
}

// prepareLayers prepares a view layer by layer, as an edit of a kept picture or in full. The result is nil if its
// coverage is beyond the limit of bytes.
func (w *Worker) prepareLayers(v view.View) (*Prepared, error) {
	w.binner.AlphaOnly = false
	layers, err := w.builder.Layers(v, w.engine.cfg.Raster, &w.drawing)
	if err != nil {
		return nil, err
	}
	// Draw only what differs from a kept picture that is alike.
	like := w.mostAlike(layers, v.Picture)
	if like != nil && like.pixels != nil {
		all := ((w.drawing.Width-1)/batch.TileW + 1) * ((w.drawing.Height-1)/batch.TileH + 1)
		ok, err := w.edits.Draw(&w.builder, &w.drawing, layers, like.base, all/2)
		if err != nil {
			return nil, err
		}
		if ok {
			w.binner.BinPart(&w.drawing, &w.edits.Region, &w.tiled)
			w.tiled.Twin = true
			return &Prepared{engine: w.engine, tiled: w.engine.pool.copyOf(&w.tiled), edited: like, region: w.edits.Region.Clone()}, nil
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
	// Keep it for later edits.
	picture := &keptPicture{details: v.Picture}
	picture.base = w.edits.NewPicture(&w.drawing, layers, &w.binner, &w.tiled)
	p := &Prepared{engine: w.engine, tiled: w.engine.pool.copyOf(&w.tiled)}
	if like != nil && like.pixels == nil {
		p.keep, p.instead = picture, like
	} else {
		w.engine.tallies.keepPicture(picture, nil)
	}
	return p, nil
}

// mostAlike returns the known picture that has most of the layers which Layers has returned for a view, or nil if none
// has more than half of them.
func (w *Worker) mostAlike(layers []paint.Layer, details bool) (like *keptPicture) {
	most := len(layers) / 2
	for _, k := range w.engine.tallies.suiting(w.drawing.Width, w.drawing.Height, details) {
		if n := w.edits.Kept(layers, k.base); n > most || n == most && like != nil && like.pixels == nil {
			like, most = k, n
		}
	}
	return like
}

// keepImage keeps the pixels of a picture that was drawn in full, if it is to be kept. alone says that they are not part
// of a larger piece of memory.
func (p *Prepared) keepImage(pixels []uint32, alone bool) {
	if p.keep == nil {
		return
	}
	if _, reused := p.engine.stage.(*goStage); reused || !alone {
		pixels = slices.Clone(pixels) // the caller may give them back with Reuse
	}
	p.keep.pixels = pixels
	p.engine.tallies.keepPicture(p.keep, p.instead)
	p.keep, p.instead = nil, nil // a second image of the view is not kept again
}

// editedPicture draws a view that is an edit of a kept picture: it copies that one's pixels and draws the tiles that
// differ. They are few, so the Go twin evaluates them on every backend.
func (e *Engine) editedPicture(p *Prepared) *image.NRGBA {
	if p.tiled == nil {
		panic("BUG: a view is drawn after its release")
	}
	c := e.pack([]*batch.Tiled{p.tiled})
	defer e.release(c)
	width, height := p.tiled.Width, p.tiled.Height
	pixels := e.stage.Copy(p.edited.pixels)
	p.region.EachRow(width, height, func(y, from, to int) { clear(pixels[y*width:][from:to]) })
	cpu.Pixels(&c.batch, 0, len(c.batch.Runs), pixels)
	c.batch.FillSolids(pixels)
	return nrgba(pixels, width, height)
}

// tally returns the tally of the view from that of its tiles: for an edit of a kept picture it is the tally of that
// one, less its sums inside the region that was drawn again, plus those of the tiles.
func (p *Prepared) tally(tiles metric.Tally) metric.Tally {
	if p.edited != nil {
		tiles.Add(p.edited.tally())
		tiles.Subtract(p.edited.inside(&p.region))
	}
	return tiles
}
