package batch

import "plumb/render/paint"

// entry is one item of a drawing in one tile.
type entry struct {
	item, col int32
	mask      int32 // first scratch row of its mask, -1 where it fills the tile
	after     int32 // next entry of the same tile row, in the order of items
	below     int32 // next entry of the same tile, towards the back
}

// entryList is the linked list of the entries of one tile row, -1 where there is none.
type entryList struct{ first, last int32 }

// Binner cuts drawings into tiles. It keeps its memory between drawings and is not safe for
// concurrent use.
type Binner struct {
	// AlphaOnly says that pictures of the drawings are not wanted. Tiles that are opaque throughout
	// then do without the device, although outlines cross them. See docs/spec/raster.md#r41.
	AlphaOnly bool

	widthPx, heightPx int32 // of the picture
	cols, rows        int32

	scratch []MaskRow // of all entries
	entries []entry
	lists   []entryList // per tile row
	inks    []itemInk   // per item

	reaches     []*Region // of BinReaches and BinApart
	part        *Region   // what is cut, nil for the whole picture
	left, right int32     // px of the current tile row that are cut: [left, right)

	columns  []column // of the tile row that spans are binned into
	lo, hi   int32    // the columns that they touch
	lastRow  MaskRow  // 255 in what the picture has of the last column
	maskRows int32    // how many rows the item's masks have
	pairs    []paint.Pixel

	top   []int32 // topmost entry of each tile of the row that is composed, -1 for none
	stack []int32 // entries of one tile, front to back

	second []Item // of one tile

	// What the last tile of one item came to: most interiors have one, the same
	// as their neighbours'.
	lastItem Item
	lastFlat Flat
}

// Bin cuts a drawing into t, which is reset first. Spans may leave the picture.
// Work and memory are proportional to the tiles that outlines and interiors touch
// inside of it.
func (b *Binner) Bin(d *paint.Drawing, t *Tiled) {
	t.reset(d)
	b.cut(d, nil, t)
}

// BinReaches is Bin that also adds the tiles that item k touches to reaches[k], unless that is nil.
func (b *Binner) BinReaches(d *paint.Drawing, reaches []*Region, t *Tiled) {
	t.reset(d)
	b.cutReaching(d, reaches, t)
}

// BinApart is BinReaches with short runs of neighbours, which costs a little more: a Ledger then
// has what each of them adds.
func (b *Binner) BinApart(d *paint.Drawing, reaches []*Region, t *Tiled) {
	t.reset(d)
	t.apart = true
	b.cutReaching(d, reaches, t)
}

// cutReaching cuts all of a drawing into the tiles of t, and adds the tiles that item k touches to reaches[k],
// unless that is nil.
func (b *Binner) cutReaching(d *paint.Drawing, reaches []*Region, t *Tiled) {
	b.reaches = reaches
	defer func() { b.reaches = nil }()
	b.cut(d, nil, t)
}

// BinPart is Bin for the tiles of a region. The drawing may lack items that do not reach it.
func (b *Binner) BinPart(d *paint.Drawing, part *Region, t *Tiled) {
	t.reset(d)
	b.cut(d, part, t)
}

// cut cuts a drawing, or the part of it within a region (nil for all), into the tiles of t, which is empty:
// it sorts the coverage of every item into tiles, and then composes these.
func (b *Binner) cut(d *paint.Drawing, part *Region, t *Tiled) {
	b.part, t.AlphaOnly = part, b.AlphaOnly
	b.scratch = t.Masks // masks are made in t's own memory
	b.clearGrid(d)
	for k := range d.Items {
		b.binItem(int32(k), d, &d.Items[k])
	}
	t.Masks, b.scratch = b.scratch, nil
	b.compose(d, t)
}

// clearGrid empties the grid of tiles for a drawing. It also computes the ink of each item, its alpha and its
// colour times the alpha, and marks the items that hide what lies below. Each row of tiles, not each tile, has
// a list of entries, so that an empty page costs little.
func (b *Binner) clearGrid(d *paint.Drawing) {
	b.widthPx, b.heightPx = int32(d.Width), int32(d.Height)
	b.cols = int32((d.Width + TileW - 1) / TileW)
	b.rows = int32((d.Height + TileH - 1) / TileH)
	b.lastRow = MaskRow{}
	copy(b.lastRow[:d.Width-(int(b.cols)-1)*TileW], opaqueRow[:]) // up to the picture's right side
	b.entries, b.lists, b.inks = b.entries[:0], b.lists[:0], b.inks[:0]
	for k := range d.Items {
		b.inks = append(b.inks, inkOf(&d.Items[k]))
	}
	b.markHiding(d)
	for range b.rows {
		b.lists = append(b.lists, entryList{-1, -1})
	}
	for len(b.columns) < int(b.cols) {
		b.columns = append(b.columns, column{})
		b.top = append(b.top, 0)
	}
	for i := range b.columns { // a panic may have left them in the middle of a drawing
		b.columns[i], b.top[i] = column{mask: -1}, -1
	}
}

// addEntry appends an entry to the linked list of tile row r.
func (b *Binner) addEntry(r int32, e entry) {
	n := int32(len(b.entries))
	if l := &b.lists[r]; l.first < 0 {
		l.first, l.last = n, n
	} else {
		b.entries[l.last].after = n
		l.last = n
	}
	e.after = -1
	b.entries = append(b.entries, e)
}
