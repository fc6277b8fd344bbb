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

// layerSource is what is needed to draw a layer later, when its stamp is known already.
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
// The errors are those of Build, but another shape may be the first that fails.
func (builder *Builder) Layers(wanted view.View, mode Raster, drawing *Drawing) (layers []Layer, err error) {
	defer func() {
		if err != nil { // the cache may hold an unfinished shape
			builder.cached = shapeCache{}
		}
	}()
	builder.layers, builder.sources = builder.layers[:0], builder.sources[:0]
	builder.stop, builder.usesCache = wanted.Stop, true
	if err := builder.begin(wanted, mode, drawing); err != nil {
		return nil, err
	}
	for _, layer := range builder.tree.PaintOrder(wanted.Scene) {
		if wanted.Stopped() {
			return nil, view.ErrStopped
		}
		if err := builder.addLayer(layer); err != nil {
			return nil, shapes.ErrorAt(wanted.Scene.Shapes[layer.Shape].ID, err)
		}
	}
	return builder.layers, nil
}

// addLayer appends one appearance of a shape to builder.layers, unless it is not drawn at all. If a cache
// key holds everything that the items of the shape depend on, the layer gets its stamp from that
// key and is not drawn yet. Else it is drawn, and gets its stamp from its items.
func (builder *Builder) addLayer(layer tree.Layer) error {
	placement, ok, err := builder.place(builder.scene, layer)
	if err != nil || !ok {
		return err
	}
	shape := &builder.scene.Shapes[layer.Shape]
	growY, err := shapes.Grown(shape)
	if err != nil {
		return err
	}
	builder.visibleInFrames = builder.wholeCanvas()
	key, ok := builder.cacheKeyOf(shape, growY, &placement)
	keyTellsAll := ok && builder.tree.Nodes[layer.Shape].Frame < 0 // a frame would clip it
	builder.layers = append(builder.layers, Layer{})
	builder.sources = append(builder.sources, layerSource{layer, placement})
	added := len(builder.layers) - 1
	if keyTellsAll {
		builder.layers[added].Stamp = stampOf(layerKey{key, placement.inSecondSet})
		return nil
	}
	from, groups := builder.marks(), len(builder.drawing.Groups)
	if err := builder.Draw(added); err != nil {
		return err
	}
	builder.layers[added].Stamp = builder.stampOfItems(from, groups)
	return nil
}

// Draw draws layer i of the view that Layers began, unless it is drawn already. After an error the
// drawing must not be used.
func (builder *Builder) Draw(i int) error {
	l := &builder.layers[i]
	if l.Drawn {
		return nil
	}
	return builder.drawLayer(i)
}

// DrawOnce is Draw for a layer that is not expected again: it is not cached between drawings.
func (builder *Builder) DrawOnce(i int) error {
	builder.dontCache = true
	defer func() { builder.dontCache = false }()
	return builder.Draw(i)
}

// drawLayer draws layer i, which is not drawn yet, and sets its Drawn, Items and Bytes. If the view was stopped
// meanwhile, it empties the cache, which may hold an unfinished shape, and returns view.ErrStopped.
func (builder *Builder) drawLayer(i int) error {
	layer := &builder.layers[i]
	from := builder.marks()
	src := &builder.sources[i]
	if err := builder.drawPlaced(builder.scene, src.layer, &src.place); err != nil {
		return err
	}
	to := builder.marks()
	layer.Drawn, layer.Items = true, [2]int{from.items, to.items}
	const spanBytes = 16 // as sizeOf counts
	layer.Bytes = spanBytes*(to.spans-from.spans) + to.bytes - from.bytes
	if builder.stop != nil && builder.stop() { // in the middle of the shape
		builder.cached = shapeCache{}
		return view.ErrStopped
	}
	return nil
}

// Arrange ends a drawing that was made layer by layer. It puts the items of the drawn layers into
// paint order, whatever the order in which they were drawn, and drops all other items. It changes
// Layer.Items and the clips of items accordingly.
func (builder *Builder) Arrange() {
	builder.arranged = builder.arranged[:0]
	for i := range builder.layers {
		layer := &builder.layers[i]
		if !layer.Drawn {
			continue
		}
		moved := int32(len(builder.arranged) - layer.Items[0]) // how far its items move
		for _, item := range builder.drawing.Items[layer.Items[0]:layer.Items[1]] {
			if item.Clip >= 0 {
				item.Clip += moved
			}
			builder.arranged = append(builder.arranged, item)
		}
		layer.Items = [2]int{layer.Items[0] + int(moved), len(builder.arranged)}
	}
	builder.drawing.Items, builder.arranged = builder.arranged, builder.drawing.Items
	builder.drawing.Pieces += builder.filler.Pieces
}

// Limit is how many bytes the coverage of the current drawing may take.
func (builder *Builder) Limit() int { return builder.limit }

// stampSeeds are random for each process.
var stampSeeds = sync.OnceValue(func() [2]maphash.Seed {
	return [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
})

// stampOf returns the stamp of a layer with a key.
func stampOf(k layerKey) Stamp {
	seeds := stampSeeds()
	return Stamp{maphash.Comparable(seeds[0], k), maphash.Comparable(seeds[1], k)}
}

// stampOfItems returns a hash of the items, groups and coverage that were added to the drawing since from;
// groups is how many groups it had then. All positions are hashed relative to from, so that equal layers have
// equal stamps wherever they stand in a drawing. It panics if an item uses coverage or a clip from before.
func (builder *Builder) stampOfItems(from marks, groups int) Stamp {
	content := builder.hashed[:0] // what is hashed
	add := func(v int32) { content = binary.LittleEndian.AppendUint32(content, uint32(v)) }
	for i := range builder.drawing.Items[from.items:] {
		item := &builder.drawing.Items[from.items+i]
		if int(item.FirstSpan) < from.spans || int(item.Clip) >= 0 && int(item.Clip) < from.items || item.PairPixelCount > 0 && int(item.FirstPairPixel) < from.pairs {
			panic("BUG: an item shares coverage, pairs of pixels or a clip with another layer")
		}
		flags := uint32(item.Op) | flag(item.Round)<<8 | flag(item.InSecondSet)<<9
		content = binary.LittleEndian.AppendUint32(content, flags)
		content = binary.LittleEndian.AppendUint32(content, item.Opacity)
		content = append(content, item.Color[0], item.Color[1], item.Color[2])
		add(item.FirstSpan - int32(from.spans))
		add(item.SpanCount)
		if add(item.PairPixelCount); item.PairPixelCount > 0 {
			add(item.FirstPairPixel - int32(from.pairs))
		}
		add(relative(item.Clip, from.items))
		add(relative(item.Group-1, groups))
		if item.Group > 0 {
			content = binary.LittleEndian.AppendUint32(content, builder.drawing.Groups[item.Group-1])
		}
	}
	for _, span := range builder.drawing.Coverage.Spans[from.spans:] {
		at := span.FirstByte
		if at != scan.Full {
			at -= int32(from.bytes)
		}
		add(span.X)
		add(span.Y)
		add(span.Width)
		add(at)
	}
	content = append(content, builder.drawing.Coverage.Bytes[from.bytes:]...)
	for _, pixel := range builder.drawing.PairPixels[from.pairs:] {
		add(pixel.X)
		add(pixel.Y)
	}
	content = binary.LittleEndian.AppendUint64(content, uint64(len(builder.drawing.Items)-from.items))
	content = binary.LittleEndian.AppendUint64(content, uint64(len(builder.drawing.Coverage.Spans)-from.spans))
	builder.hashed = content
	seeds := stampSeeds()
	return Stamp{maphash.Bytes(seeds[0], content), maphash.Bytes(seeds[1], content)}
}

// relative returns the position at of an item or a group, counted from the position from, or -1 if at
// is negative, which means none. So equal layers of a drawing have equal stamps wherever they stand.
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
