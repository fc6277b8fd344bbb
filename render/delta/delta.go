// Package delta finds the tiles in which a view may differ from the one that it was edited from.
// In: the layers of the view before, with the tiles that each one touches, and a paint.Builder
// that has begun the view after. Out: the tiles that may differ, and a drawing of all that
// reaches them. It refuses nothing: where it cannot tell, it says so, and the view is drawn in
// full. See docs/spec/raster.md#r46.
package delta

import (
	"plumb/render/batch"
	"plumb/render/paint"
)

// Layer describes a layer of a view that was drawn in full.
type Layer struct {
	Stamp paint.Stamp
	Bytes int          // of coverage
	Reach batch.Region // the tiles that its items touch
}

// Base describes a view that was drawn in full.
type Base struct {
	Width, Height int // px
	Layers        []Layer
	Ledger        *batch.Ledger // whose sums are there once the view is measured; nil for a picture
}

// Bytes returns about how many bytes of memory the description of a view takes, against which
// edited views are compared.
func (base *Base) Bytes() int {
	const ownBytes, layerBytes = 64, 32 // of a Base and of a Layer without what they refer to
	n := ownBytes
	if base.Ledger != nil {
		n += base.Ledger.Bytes()
	}
	for i := range base.Layers {
		n += layerBytes + base.Layers[i].Reach.Bytes()
	}
	return n
}

// addReach adds the tiles that the painted items of layer l touch to region r. A clip by itself changes
// nothing: it counts only where an item that it clips has coverage.
func addReach(r *batch.Region, d *paint.Drawing, l *paint.Layer) {
	for i := l.Items[0]; i < l.Items[1]; i++ {
		if it := &d.Items[i]; it.Op == paint.OpPaint {
			r.AddItem(d, it)
		}
	}
}

// Finder finds what an edit changed. It keeps its memory; one goroutine uses it at a time.
type Finder struct {
	Region batch.Region // the tiles that may differ, after Draw

	reaches     []batch.Region  // per layer of a base: the tiles that it touches
	reachOfItem []*batch.Region // per item: the reach of its layer

	match   matcher
	kept    []int32 // per new layer its position among the old ones, -1 if it is not among them
	remains []bool  // per old layer: it is among the new ones
}

// NewBase cuts a drawing, whose layers must all be drawn and arranged, into the tiles of tiled, and
// describes it, so that views that are edited from it can be compared with it. The description has for each
// layer its stamp (a hash of what it draws), its bytes, and its reach: the tiles that its painted items touch.
// It also has the ledger, which is to hold what each part of the drawing adds to the view's sums of pixels;
// these are filled in once the view is measured. BinApart cuts the tiles into parts that are short enough
// for a ledger.
func (finder *Finder) NewBase(drawing *paint.Drawing, layers []paint.Layer, binner *batch.Binner, tiled *batch.Tiled) *Base {
	binner.BinApart(drawing, finder.reachesOf(drawing, layers), tiled)
	base := finder.describe(drawing, layers)
	base.Ledger = batch.NewLedger(tiled)
	return base
}

// NewPicture is NewBase for a view whose pixels are kept, not its sums: the description has no ledger.
func (finder *Finder) NewPicture(d *paint.Drawing, layers []paint.Layer, bin *batch.Binner, t *batch.Tiled) *Base {
	bin.BinReaches(d, finder.reachesOf(d, layers), t)
	return finder.describe(d, layers)
}

// reachesOf returns for each item of a drawing the region to which its tiles are to be added: the reach of
// its layer, in finder.reaches, which it empties first. It is nil for an item that paints nothing by itself,
// such as a clip.
func (finder *Finder) reachesOf(drawing *paint.Drawing, layers []paint.Layer) []*batch.Region {
	for len(finder.reaches) < len(layers) {
		finder.reaches = append(finder.reaches, batch.Region{})
	}
	finder.reachOfItem = append(finder.reachOfItem[:0], make([]*batch.Region, len(drawing.Items))...)
	for i := range layers {
		finder.reaches[i].Reset()
		for k := layers[i].Items[0]; k < layers[i].Items[1]; k++ {
			if drawing.Items[k].Op == paint.OpPaint {
				finder.reachOfItem[k] = &finder.reaches[i]
			}
		}
	}
	return finder.reachOfItem
}

// describe returns the description of a drawing, with a copy of the layers' reaches.
func (finder *Finder) describe(d *paint.Drawing, layers []paint.Layer) *Base {
	base := &Base{Width: d.Width, Height: d.Height, Layers: make([]Layer, len(layers))}
	for i, reach := range batch.CloneAll(finder.reaches[:len(layers)]) {
		base.Layers[i] = Layer{layers[i].Stamp, layers[i].Bytes, reach}
	}
	return base
}

// Kept returns how many layers of a view are in a base too, in the same order. layers are those of
// builder.Layers.
func (finder *Finder) Kept(layers []paint.Layer, base *Base) (n int) {
	finder.findKept(layers, base.Layers)
	for _, old := range finder.kept {
		if old >= 0 {
			n++
		}
	}
	return n
}

// Draw finds the tiles in which a view may differ from the base, and draws the layers of the view that
// reach them. layers are those of builder.Layers for the view. The tiles go to finder.Region: those of each
// layer that was removed or added, extended to whole units of the base's ledger, because that has sums for
// whole units only. ok is false if the view must be drawn in full: the pictures differ in size, the region
// has more than maxTiles tiles, or the coverage of all layers together is beyond the builder's limit, for which
// a full drawing gives the usual error.
func (finder *Finder) Draw(builder *paint.Builder, drawing *paint.Drawing, layers []paint.Layer, base *Base, maxTiles int) (ok bool, err error) {
	if drawing.Width != base.Width || drawing.Height != base.Height {
		return false, nil
	}
	// The region: where layers were removed, and where others were added, which must be drawn to know it.
	finder.findKept(layers, base.Layers)
	finder.Region.Reset()
	for i := range base.Layers {
		if wasRemoved := !finder.remains[i]; wasRemoved && !breaks(ForgetRemoved) {
			finder.Region.Join(&base.Layers[i].Reach)
		}
	}
	for i, old := range finder.kept {
		isAdded := old < 0
		if !isAdded {
			continue
		}
		if err := builder.DrawOnce(i); err != nil { // its outlines are not kept for later views
			return false, err
		}
		if !breaks(ForgetAdded) {
			addReach(&finder.Region, drawing, &layers[i])
		}
	}
	if base.Ledger != nil && !breaks(ForgetUnits) {
		base.Ledger.Extend(&finder.Region)
	}
	if finder.Region.Tiles() > maxTiles {
		return false, nil
	}
	// Draw the layers that stayed, as far as they reach the region.
	bytes := 0 // of coverage of all layers, drawn or not
	for i, old := range finder.kept {
		if isAdded := old < 0; isAdded { // drawn above
			bytes += layers[i].Bytes
			continue
		}
		bytes += base.Layers[old].Bytes
		if breaks(ForgetOverlap) || !finder.Region.Meets(&base.Layers[old].Reach) {
			layers[i].Drawn = false // Builder.Arrange then leaves it out of the drawing
		} else {
			if err := builder.Draw(i); err != nil {
				return false, err
			}
		}
	}
	if bytes > builder.Limit() {
		return false, nil
	}
	builder.Arrange()
	return true, nil
}

// findKept finds as many layers as possible that are in both views in the same order, and sets finder.kept
// and finder.remains. The others count as removed and added.
func (finder *Finder) findKept(layers []paint.Layer, old []Layer) {
	finder.kept = finder.match.pairUp(finder.kept[:0], layers, old)
	finder.remains = append(finder.remains[:0], make([]bool, len(old))...)
	for _, position := range finder.kept {
		if position >= 0 {
			finder.remains[position] = true
		}
	}
}
