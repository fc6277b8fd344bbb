package paint

import (
	"encoding/binary"
	"hash/maphash"
	"sync"

	"plumb/render/scan"
	"plumb/render/shapes"
	"plumb/render/tree"
	"plumb/render/view"
)

// Stamp identifies what a layer adds to a drawing: two layers with equal stamps have equal items
// with equal coverage. It holds two hashes of 64 bits with random seeds, so that nobody can make
// two layers collide. Stamps are valid within the process. See docs/spec/raster.md#r46.
type Stamp [2]uint64

// Layer is what one appearance of a shape adds to a drawing, in paint order.
type Layer struct {
	Stamp Stamp
	// Drawn tells that Items and Bytes are known.
	Drawn bool
	// Items is the range of the layer's items in Drawing.Items.
	Items [2]int
	Bytes int // of coverage
}

// layerSource is how a layer is drawn that has its stamp from its key.
type layerSource struct {
	layer tree.Layer
	place shapePlacement
}

// layerKey is everything that the items of a layer with a cache key depend on.
type layerKey struct {
	cacheKey
	second bool
}

// Layers begins a drawing of a view layer by layer. It returns the layers that are drawn at all, in
// paint order, which are valid until the next drawing. A geo shape without a label and outside of
// frames has its stamp from the properties that its items depend on, and is not drawn yet: see
// Draw. All others are drawn, and their stamps come from their items. Arrange ends the drawing.
//
// v must not have Picture set. The errors are those of Build, but another shape may be the first that
// fails.
func (b *Builder) Layers(v view.View, mode Raster, d *Drawing) (layers []Layer, err error) {
	defer func() {
		if err != nil { // the cache may hold an unfinished shape
			b.cached = shapeCache{}
		}
	}()
	b.layers, b.sources = b.layers[:0], b.sources[:0]
	b.stop = v.Stop
	if err := b.begin(v, mode, d); err != nil {
		return nil, err
	}
	for _, l := range b.tree.PaintOrder(v.Scene) {
		if v.Stopped() {
			return nil, view.ErrStopped
		}
		if err := b.addLayer(l); err != nil {
			return nil, shapes.ErrorAt(v.Scene.Shapes[l.Shape].ID, err)
		}
	}
	return b.layers, nil
}

// addLayer appends one appearance of a shape to b.layers, unless it is not drawn at all. If a cache
// key holds everything that the items of the shape depend on, the layer gets its stamp from that
// key and is not drawn yet. Else it is drawn, and gets its stamp from its items.
func (b *Builder) addLayer(l tree.Layer) error {
	p, ok, err := b.place(b.scene, l)
	if err != nil || !ok {
		return err
	}
	sh := &b.scene.Shapes[l.Shape]
	growY, err := shapes.Grown(sh)
	if err != nil {
		return err
	}
	b.framed = b.whole()
	key, ok := b.cacheKeyOf(sh, growY, &p)
	keyed := ok && b.tree.Nodes[l.Shape].Frame < 0
	b.layers = append(b.layers, Layer{})
	b.sources = append(b.sources, layerSource{l, p})
	added := len(b.layers) - 1
	if keyed {
		b.layers[added].Stamp = stampOf(layerKey{key, p.second})
		return nil
	}
	from, groups := b.marks(), len(b.d.Groups)
	if err := b.Draw(added); err != nil {
		return err
	}
	b.layers[added].Stamp = b.stampOfItems(from, groups)
	return nil
}

// Draw draws layer i of the view that Layers began, unless it is drawn already. After an error the
// drawing must not be used.
func (b *Builder) Draw(i int) error {
	l := &b.layers[i]
	if l.Drawn {
		return nil
	}
	return b.drawLayer(i)
}

// DrawOnce is Draw for a layer that is not expected again: it is not cached between drawings.
func (b *Builder) DrawOnce(i int) error {
	b.once = true
	defer func() { b.once = false }()
	return b.Draw(i)
}

// drawLayer draws layer i, which is not drawn yet, and sets its Drawn, Items and Bytes. If the view was
// stopped meanwhile, it empties the cache, which may hold an unfinished shape, and returns
// view.ErrStopped.
func (b *Builder) drawLayer(i int) error {
	l := &b.layers[i]
	from := b.marks()
	src := &b.sources[i]
	if err := b.placed(b.scene, src.layer, &src.place); err != nil {
		return err
	}
	to := b.marks()
	l.Drawn, l.Items = true, [2]int{from.items, to.items}
	l.Bytes = 16*(to.spans-from.spans) + to.bytes - from.bytes // as sizeOf
	if b.stop != nil && b.stop() {                             // in the middle of the shape
		b.cached = shapeCache{}
		return view.ErrStopped
	}
	return nil
}

// Arrange ends a drawing that was made layer by layer. It puts the items of the drawn layers into
// paint order, whatever the order in which they were drawn, and drops all other items. It changes
// Layer.Items and the clips of items accordingly.
func (b *Builder) Arrange() {
	b.arranged = b.arranged[:0]
	for i := range b.layers {
		l := &b.layers[i]
		if !l.Drawn {
			continue
		}
		moved := int32(len(b.arranged) - l.Items[0]) // how far its items move
		for _, it := range b.d.Items[l.Items[0]:l.Items[1]] {
			if it.Clip >= 0 {
				it.Clip += moved
			}
			b.arranged = append(b.arranged, it)
		}
		l.Items = [2]int{l.Items[0] + int(moved), len(b.arranged)}
	}
	b.d.Items, b.arranged = b.arranged, b.d.Items
	b.d.Pieces += b.filler.Pieces
}

// Limit is how many bytes the coverage of the current drawing may take.
func (b *Builder) Limit() int { return b.limit }

// stampSeeds are random for each process.
var stampSeeds = sync.OnceValue(func() [2]maphash.Seed {
	return [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
})

// stampOf returns the stamp of a layer with a key.
func stampOf(k layerKey) Stamp {
	seeds := stampSeeds()
	return Stamp{maphash.Comparable(seeds[0], k), maphash.Comparable(seeds[1], k)}
}

// stampOfItems returns a hash of the items, groups and coverage that were added to the drawing
// since from; groups is how many groups it had then. All positions are hashed relative to from, so
// that equal layers have equal stamps wherever they stand in a drawing. It panics if an item uses
// coverage or a clip from before.
func (b *Builder) stampOfItems(from marks, groups int) Stamp {
	w := b.hashed[:0] // what is hashed
	number := func(v int32) { w = binary.LittleEndian.AppendUint32(w, uint32(v)) }
	for i := range b.d.Items[from.items:] {
		it := &b.d.Items[from.items+i]
		if int(it.First) < from.spans || int(it.Clip) >= 0 && int(it.Clip) < from.items {
			panic("BUG: an item shares coverage or a clip with another layer")
		}
		flags := uint32(it.Op) | flag(it.Round)<<8 | flag(it.Second)<<9
		w = binary.LittleEndian.AppendUint32(w, flags)
		w = binary.LittleEndian.AppendUint32(w, it.Opacity)
		w = append(w, it.Color[0], it.Color[1], it.Color[2])
		number(it.First - int32(from.spans))
		number(it.Count)
		number(relative(it.Clip, from.items))
		number(relative(it.Group-1, groups))
		if it.Group > 0 {
			w = binary.LittleEndian.AppendUint32(w, b.d.Groups[it.Group-1])
		}
	}
	for _, s := range b.d.Coverage.Spans[from.spans:] {
		at := s.At
		if at != scan.Full {
			at -= int32(from.bytes)
		}
		number(s.X)
		number(s.Y)
		number(s.N)
		number(at)
	}
	w = append(w, b.d.Coverage.Bytes[from.bytes:]...)
	w = binary.LittleEndian.AppendUint64(w, uint64(len(b.d.Items)-from.items))
	w = binary.LittleEndian.AppendUint64(w, uint64(len(b.d.Coverage.Spans)-from.spans))
	b.hashed = w
	seeds := stampSeeds()
	return Stamp{maphash.Bytes(seeds[0], w), maphash.Bytes(seeds[1], w)}
}

// relative returns the position at of an item relative to the position from, or -1 if at is
// negative, which means none. So equal layers of a drawing have equal stamps wherever they stand.
func relative(at int32, from int) int32 {
	if at < 0 {
		return -1
	}
	return at - int32(from)
}

// flag returns 1 for true, as the hash of a stamp takes it.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
