package batch

import "unsafe"

// The tile size is a constant that the shader, its twin and the filler rely on, not a tuning
// flag. See docs/spec/raster.md#r40.
const (
	TileW = 16 // px
	TileH = 8  // px
	// RunTiles is the most tiles in one run, RunSpan the most px from the first
	// tile's left edge to the last one's right edge: with both, a row's sum of
	// alpha * column fits 32 bits with room to spare (128*255*511).
	RunTiles = 8
	RunSpan  = 512
	// RunItems is the most items in a run of several tiles. A run is one thread's
	// work, and drivers may bound the loops of a thread (Batch.MaxItems).
	RunItems = 4096
)

// MaskRow is the coverage of TileW pixels of one row in 1/255, left to right.
type MaskRow [TileW]byte

// Flags of an Item, in the upper bits of Item.Paint.
const (
	FlagClip       = 1 << 8  // keep the coverage as the clip
	FlagClipped    = 1 << 9  // multiply by the clip
	FlagGroupFirst = 1 << 10 // topmost item of a group: composite the group
	FlagGroupLast  = 1 << 11 // lowest item of a group: start it
	FlagGrouped    = 1 << 12 // inside a group
	FlagSecond     = 1 << 13 // second set
	FlagMask       = 1 << 14 // FirstRow names a mask of TileH rows; without one the item fills its tile
	// FlagPairs: some pixels follow the two-pixel rule, by which the browser blends pixels that it draws in
	// pairs (docs/spec/raster.md#r22). After the mask is one more row, of TileH words of 16 bits, with a bit
	// for each pixel that does, lowest column first.
	FlagPairs        = 1 << 15
	FlagRoundNearest = 1 << 16 // products are rounded to the nearest, as those of images; else down
	// FlagRoundEach: the group is drawn through a clip, and then each product of its colours is rounded down
	// by itself. It counts on the topmost item of the group.
	FlagRoundEach = 1 << 17
)

// Item is one path in one tile, in the form that the shaders read (ITEM). Items of a tile stand front to
// back, and a clip stands before the items it clips. The tile stage paints them from the last
// to the first: at an item with FlagClipped it takes the nearest clip before it, and a clip
// itself it skips.
type Item struct {
	FirstRow uint32 // first row of the mask, relative to the run's Masks
	Paint    uint32 // alpha of the colour, 0..255 | flags
	Color    uint32 // r | g<<8 | b<<16, sRGB, times the opacity: docs/spec/raster.md#r25
	Group    uint32 // opacity of the group that FlagGroupFirst composites, 0..255
}

// Rows returns how many mask rows the item has in Batch.Masks: none if it covers its tile fully, else one
// for each row of the tile, and with FlagPairs one more, which marks the pixels of the two-pixel rule.
func (item *Item) Rows() int {
	switch {
	case item.Paint&FlagMask == 0:
		return 0
	case item.Paint&FlagPairs != 0:
		return TileH + 1
	}
	return TileH
}

// Tile is one tile of a run, in the form that the shaders read (TILE).
type Tile struct {
	FirstItem uint32 // first item, relative to the run's Items
	ItemCount uint32 // items
	Valid     uint32 // columns | rows<<16 inside the picture: 1..16, 1..8
	Col       uint32 // left edge relative to the run's first tile, px: 0..496
}

// ValidColumns and ValidRows return how many columns and rows of the tile are inside the picture.
func (tile *Tile) ValidColumns() int { return int(tile.Valid & 0xffff) }
func (tile *Tile) ValidRows() int    { return int(tile.Valid >> 16) }

// Run is up to RunTiles tiles of one tile row of one scene, left to right, not necessarily neighbours, in
// the form that the shaders read: three RUN records each.
type Run struct {
	FirstTile uint32 // first tile, absolute
	TileCount uint32 // tiles
	FirstItem uint32 // base of Tile.FirstItem
	FirstMask uint32 // base of Item.FirstRow
	X, Y      uint32 // of the first tile's top left corner in the picture, px
	Scene     uint32 // position in the batch
	Picture   uint32 // offset of the scene's pixel (0,0) in the picture buffer, px
	Stride    uint32 // picture width, px
	_         uint32
	_         uint32
	_         uint32
}

// RowSums is what one row of one run adds to the tally, in the form that the shaders write.
type RowSums struct {
	A0, AX0 uint32 // set A: alpha in 1/255; alpha * column from the run's X
	A1, AX1 uint32 // set B
	Counts  uint32 // covered in A | in B << 10 | in both << 20; each at most 128
	_       uint32
	_       uint32
	_       uint32
}

// The sizes in bytes that the shaders rely on. Another size does not compile.
var (
	_ [16]byte = [unsafe.Sizeof(MaskRow{})]byte{}
	_ [16]byte = [unsafe.Sizeof(Item{})]byte{}
	_ [16]byte = [unsafe.Sizeof(Tile{})]byte{}
	_ [48]byte = [unsafe.Sizeof(Run{})]byte{}
	_ [32]byte = [unsafe.Sizeof(RowSums{})]byte{}
)
