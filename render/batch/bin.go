package batch

import "plumb/render/paint"

// entry is one item of a drawing in one tile.
type entry struct {
	item, col int32
	maskAt    int32 // first row of its mask in Binner.masks, -1 where the item fills the tile
	after     int32 // next entry of the same tile row, in the order of items
	below     int32 // next entry of the same tile, towards the back
}

// fillsTile reports whether the item covers all of the tile: then it has no mask.
func (e *entry) fillsTile() bool { return e.maskAt < 0 }

// entryList is the linked list of the entries of one tile row: the positions of the first and the last one
// in Binner.entries, -1 if there is none.
type entryList struct{ first, last int32 }

// Binner cuts drawings into tiles. It keeps its memory between drawings and is not safe for
// concurrent use.
type Binner struct {
	// AlphaOnly says that pictures of the drawings are not wanted. Tiles that are opaque throughout
	// then do without the device, although outlines cross them. See docs/spec/raster.md#r41.
	AlphaOnly bool

	widthPx, heightPx int32 // of the picture
	cols, rows        int32

	masks   []MaskRow // of all entries
	entries []entry
	lists   []entryList // per tile row
	inks    []itemInk   // per item

	reaches     []*Region // of BinReaches and BinApart
	part        *Region   // what is cut, nil for the whole picture
	left, right int32     // px of the current tile row that are cut: [left, right)

	columns          []column      // of the tile row that spans are binned into
	firstCol, endCol int32         // the columns that they touch: [firstCol, endCol)
	lastRow          MaskRow       // 255 in what the picture has of the last column
	maskRows         int32         // how many rows the item's masks have
	pairs            []paint.Pixel // pixels of the item for the two-pixel rule that are not binned yet

	top   []int32 // topmost entry of each tile of the row that is composed, -1 for none
	stack []int32 // entries of one tile, front to back

	second []Item // memory of secondSetLast

	// What the last tile of one item came to: most interiors have one, the same
	// as their neighbours'.
	lastItem Item
	lastFlat Flat
}

// Bin cuts a drawing into t, which is reset first. Spans may leave the picture.
// Work and memory are proportional to the tiles that outlines and interiors touch
// inside of it.
func (binner *Binner) Bin(d *paint.Drawing, t *Tiled) {
	t.reset(d)
	binner.cut(d, nil, t)
}

// BinReaches is Bin that also adds the tiles that item k touches to reaches[k], unless that is nil.
func (binner *Binner) BinReaches(d *paint.Drawing, reaches []*Region, t *Tiled) {
	t.reset(d)
	binner.cutReaching(d, reaches, t)
}

// BinApart is BinReaches with shorter runs, of tiles that touch each other, which costs a little more: a
// Ledger of the drawing then holds what each run adds to its tally.
func (binner *Binner) BinApart(d *paint.Drawing, reaches []*Region, t *Tiled) {
	t.reset(d)
	t.forLedger = true
	binner.cutReaching(d, reaches, t)
}

// cutReaching cuts all of a drawing into the tiles of t, and adds the tiles that item k touches to reaches[k],
// unless that is nil.
func (binner *Binner) cutReaching(d *paint.Drawing, reaches []*Region, t *Tiled) {
	binner.reaches = reaches
	defer func() { binner.reaches = nil }()
	binner.cut(d, nil, t)
}

// BinPart is Bin for the tiles of a region. The drawing may lack items that do not reach it.
func (binner *Binner) BinPart(d *paint.Drawing, part *Region, t *Tiled) {
	t.reset(d)
	binner.cut(d, part, t)
}

// cut cuts a drawing, or the part of it within a region (nil for all), into the tiles of tiled, which is empty:
// it sorts the coverage of every item into tiles, and then composes these.
func (binner *Binner) cut(drawing *paint.Drawing, part *Region, tiled *Tiled) {
	binner.part, tiled.AlphaOnly = part, binner.AlphaOnly
	binner.masks = tiled.Masks // masks are made in tiled's own memory
	binner.clearGrid(drawing)
	for k := range drawing.Items {
		binner.binItem(int32(k), drawing, &drawing.Items[k])
	}
	tiled.Masks, binner.masks = binner.masks, nil
	binner.compose(drawing, tiled)
}

// clearGrid empties the grid of tiles and sets it to the size of a drawing, and computes the inks of its items.
// Each row of tiles, not each tile, has a list of entries, so that an empty page costs little.
func (binner *Binner) clearGrid(drawing *paint.Drawing) {
	binner.widthPx, binner.heightPx = int32(drawing.Width), int32(drawing.Height)
	binner.cols = int32((drawing.Width + TileW - 1) / TileW)
	binner.rows = int32((drawing.Height + TileH - 1) / TileH)
	// The last tile of a row may reach beyond the picture's right side.
	lastWidth := drawing.Width - (int(binner.cols)-1)*TileW // px of it that are in the picture
	binner.lastRow = MaskRow{}
	copy(binner.lastRow[:lastWidth], opaqueRow[:])
	binner.setInks(drawing)
	binner.entries, binner.lists = binner.entries[:0], binner.lists[:0]
	for range binner.rows {
		binner.lists = append(binner.lists, entryList{-1, -1})
	}
	for len(binner.columns) < int(binner.cols) { // columns and top have one element per tile
		binner.columns = append(binner.columns, column{})
		binner.top = append(binner.top, 0)
	}
	for i := range binner.columns { // a panic may have left them in the middle of a drawing
		binner.columns[i], binner.top[i] = column{maskAt: -1}, -1
	}
}

// setInks computes the ink of each item of a drawing, which is its alpha and its colour times the alpha, and
// marks the items that hide what lies below.
func (binner *Binner) setInks(drawing *paint.Drawing) {
	binner.inks = binner.inks[:0]
	for k := range drawing.Items {
		binner.inks = append(binner.inks, inkOf(&drawing.Items[k]))
	}
	binner.markHiding(drawing)
}

// addEntry appends an entry to the linked list of a tile row. All lists share the array
// binner.entries; an entry names the position of the one after it, -1 for none.
func (binner *Binner) addEntry(tileRow int32, entry entry) {
	position := int32(len(binner.entries))
	if list := &binner.lists[tileRow]; list.first < 0 {
		list.first, list.last = position, position
	} else {
		binner.entries[list.last].after = position
		list.last = position
	}
	entry.after = -1
	binner.entries = append(binner.entries, entry)
}
