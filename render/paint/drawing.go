// Package paint turns views into drawings: items in paint order, texts as glyph masks, hatches, opacity,
// layers, cached shapes. In: a view.View. Out: a *Drawing in paint order, which the batch stage cuts into
// tiles: 8-bit coverage that render/scan fills as the reference browser does, or render/area with its true
// area. It refuses by name what it cannot draw as the editor does (view.ErrForeign).
package paint

import (
	"plumb/render/scan"
)

// Op says what the coverage of an item is used for.
type Op uint8

const (
	// OpPaint composites the coverage in the item's colour.
	OpPaint Op = iota
	// OpClip makes the coverage the clip of the items whose Clip is this item.
	OpClip
)

// Item is one path with what it covers, in paint order (back to front).
type Item struct {
	FirstSpan, SpanCount int32 // its spans in Drawing.Coverage
	// FirstPairPixel and PairPixelCount are its range in Drawing.PairPixels: those of its pixels that
	// the browser blends in pairs, by a rounding of their own.
	FirstPairPixel, PairPixelCount int32
	Op                             Op
	Round                          bool     // blended as an image is: products are rounded, not floored
	InSecondSet                    bool     // belongs to View.SecondIDs
	Opacity                        uint32   // 0..Opaque
	Color                          [3]uint8 // sRGB
	Clip                           int32    // position in Items of the OpClip item, -1 for none
	// Group is 0 for an item on its own. Items of one shape that are composited first and made translucent
	// together (docs/spec/drawing.md#r11) carry the same Group > 0, stand next to each other, and have Opacity
	// of their own inside the group; Groups[Group-1] is the group's opacity, 0..Opaque.
	Group int32
	Shape int32 // position in Scene.Shapes
}

// Pixel is a place, px.
type Pixel struct{ X, Y int32 }

// Drawing is a view in paint order, y down.
type Drawing struct {
	Width, Height int // px, >= 1
	// Pieces is how many straight pieces the outlines consist of in Exact mode:
	// the cost of the scene's outlines alone, before pixels. Cached shapes do not count.
	Pieces   int
	Coverage scan.Coverage
	// PairPixels are the pixels of items that are blended by the two-pixel rule. Where a slanted edge crosses
	// just two pixels of a row, the browser draws both at once, with a formula that adds the products of the
	// colour and of what lies below before it rounds; everywhere else it rounds each product. That moves a
	// channel by 1/255 at most, so only a View with Details has them: see docs/spec/raster.md#r22. Those of an
	// item are in rows from top to bottom. Some may lie outside of the picture.
	PairPixels []Pixel
	Items      []Item
	Groups     []uint32
}

// Reset empties the drawing and keeps its memory.
func (d *Drawing) Reset() {
	d.Width, d.Height, d.Pieces = 0, 0, 0
	d.Coverage.Reset()
	d.PairPixels, d.Items, d.Groups = d.PairPixels[:0], d.Items[:0], d.Groups[:0]
}

// Volume is about how many bytes the drawing's memory takes, used or not.
func (d *Drawing) Volume() int {
	return marks{}.size(marks{cap(d.Items), cap(d.Coverage.Spans), cap(d.Coverage.Bytes), cap(d.PairPixels)})
}
